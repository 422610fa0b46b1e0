// Package orchestrator holds the setups: the ways to solve a task that are compared with one another.
//
// Every setup gets the same words, tools, model and budget (package episode), and ends with an answer whose fields are
// handles to what tools made, or with a decline. What differs is how it gets there:
//
//	none     the model answers from memory, without tools
//	search   a typed search builds the schedule from the answer contract back to the data; no model
//	squad    a supervisor writes a checked schedule over specialists; in slot mode the search writes it and the model
//	         decides where words are needed
//	single   one agent, every tool, native function calling in a loop; single+ts shows few tools a turn, single+wm
//	         remembered examples, single-sc draws several samples and takes the answer that most agree with
//	plan-execute, chameleon, geollm-squad, magentic
//	         published ways to work, under the same tools, model and budgets
//	langchain   langchaingo's own agent executor over our tools and our model
//	oracle   runs the gold schedule: what the tools can reach
package orchestrator

import (
	"context"
	"fmt"
	"sort"
	"strings"

	"almanac/orchestrator/calibration"
	"almanac/orchestrator/episode"
	"almanac/orchestrator/schedule"
	"almanac/toolkits"
)

// Setup is a way to solve a task.
type Setup interface {
	// Name is what the setup is called on the command line and in results.
	Name() string
	// UsesModel reports whether the setup needs a model.
	UsesModel() bool
	// Solve works on the episode until it has an answer, declines, or can go no further; whatever it does is in the
	// episode's log. An error means that the episode could not be carried out: the user gave up, the log cannot be
	// written, or the model's server failed (see [episode.Harness]). A used-up budget is no error.
	Solve(ctx context.Context, ep *episode.Episode) error
}

// Gold gives the oracle the gold schedule of a task, with the slots that it refers to.
type Gold func(task string) (*schedule.Program, map[string]toolkits.Value, error)

// Options of the setups. The zero value is useful.
type Options struct {
	Mode        string // of squad: program, objective, slot or auto ("")
	MaxParallel int
	TopK        int // tools shown to the supervisor, 0 means 10; and to single+ts, 0 means 8

	// What follows leaves parts of squad out, or changes how much there is of something: see [Ablations].
	NoSelection bool // show every tool
	NoMemory    bool
	NoChecks    bool // leave check statements out, and do not look whether the data cover what is asked
	NoRevision  bool
	FullReplan  bool // write the whole schedule anew instead of revising it
	OneAgent    bool // one agent instead of the specialists
	MemorySize  int  // entries of the memory that count; 0 is all. The memory is a Limiter then.
	Distractors int  // further tools that never run; 0 is none
	// Distracted is the team with that many distractors among its tools; nil where there are none to be had.
	Distracted func(n int) (*Team, error)
	// NoCompletion leaves it to the model to mend a program that the checker refused, where the typed search would
	// complete what passes of it.
	NoCompletion bool
	// SinglePrompt picks a variant of single's prompt, 1 to 3; 0 is the best of them on the dev split.
	SinglePrompt int
	// Samples of single-sc; 0 goes by the calibration, without one by DefaultSamples.
	Samples int
	// Calibration is what was measured of the model on the dev split; nil for none.
	Calibration *calibration.Figures
	// Tolerance is by how much two values of an answer field may differ and still agree: λ of the task's field for the
	// value y. It is used by the engine alone, for votes; nil compares within a millionth.
	Tolerance func(task, field string, y float64) float64
	// Memory recalls workflows that worked; nil remembers nothing.
	Memory Recaller
	Gold   Gold
	Asker  Questions // nil uses the defaults
}

// Questions steer when slot mode asks the model.
type Questions struct {
	Weight float64 // of the model's vote beside the search's score; 0 means the default
	Margin float64 // candidates closer than this are asked about; 0 means the default
}

// Names lists the setups, in the order in which they are best run: cheap ones first.
func Names() []string {
	names := make([]string, 0, len(constructors))
	for _, c := range constructors {
		names = append(names, c.name)
	}
	return names
}

// constructor makes a setup. about is what [Describe] tells of it; it stands in the setup's own file.
type constructor struct {
	name  string
	make  func(*Team, *Options) (Setup, error)
	about about
}

var constructors = []constructor{
	{"none", newNone, aboutNone},
	{"search", newSearch, aboutSearch},
	{"squad", newSquad, aboutSquad},
	{"single", newSingle, aboutSingle},
	{"single+ts", newSingleTS, aboutSingleTS},
	{"single+wm", newSingleWM, aboutSingleWM},
	{"single-sc", newSampled, aboutSampled},
	{"plan-execute", newPlanExecute, aboutPlanExecute},
	{"chameleon", newChameleon, aboutChameleon},
	{"geollm-squad", newGeoLLMSquad, aboutGeoLLMSquad},
	{"magentic", newMagentic, aboutMagentic},
	{"magentic+faithful", newMagenticFaithful, aboutMagenticFaithful},
	{"langchain", newLangchain, aboutLangchain},
	{"oracle", newOracle, aboutOracle},
}

// New makes the setup of that name.
func New(name string, team *Team, opts *Options) (Setup, error) {
	if opts == nil {
		opts = &Options{}
	}
	c, err := find(name)
	if err != nil {
		return nil, err
	}
	return c.make(team, opts)
}

func find(name string) (constructor, error) {
	for _, c := range constructors {
		if c.name == name {
			return c, nil
		}
	}
	if strings.HasPrefix(name, squadPrefix) {
		return ablated(name)
	}
	known := Names()
	sort.Strings(known)
	return constructor{}, fmt.Errorf("orchestrator: no setup is named %q; there are %s", name, strings.Join(known, ", "))
}
