package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"almanac/agents"
	"almanac/memory"
	"almanac/orchestrator/episode"
	"almanac/toolkits"
)

// Ablation is squad without one of its parts, or with another amount of something: a setup of its own, named
// squad-NAME, with the amount behind it where there is one (squad-tools-5).
type Ablation struct {
	Name   string // of the setup; with N for an amount
	What   string // what is left out or changed, a line
	Grid   []int  // amounts that are compared when none are named; nil for one without an amount
	change func(o *Options, n int)
}

// squadPrefix begins the name of every ablation.
const squadPrefix = "squad-"

// Ablations lists what can be left out of squad or changed in it. How many domains a task joins is no ablation of the
// setup: tasks are chosen by it.
func Ablations() []Ablation {
	return []Ablation{
		{"squad-no-ts", "no tool selection: every tool is shown, none is ranked before another", nil, func(o *Options, _ int) { o.NoSelection = true }},
		{"squad-no-wm", "no workflow memory", nil, func(o *Options, _ int) { o.NoMemory = true }},
		{"squad-no-checks", "no check statements, and the search does not look whether the data cover what is asked", nil,
			func(o *Options, _ int) { o.NoChecks = true }},
		{"squad-no-parallel", "one step at a time", nil, func(o *Options, _ int) { o.MaxParallel = 1 }},
		{"squad-no-revision", "the first schedule stands, whatever comes of it", nil, func(o *Options, _ int) { o.NoRevision = true }},
		{"squad-no-completion", "the typed search does not complete a refused program", nil, func(o *Options, _ int) { o.NoCompletion = true }},
		{"squad-full-replan", "a whole new schedule where squad revises the failing statements", nil, func(o *Options, _ int) { o.FullReplan = true }},
		{"squad-one-agent", "one agent with every tool carries out the steps, instead of five", nil, func(o *Options, _ int) { o.OneAgent = true }},
		{"squad-tools-N", "N tools are selected", []int{3, 5, 20}, func(o *Options, n int) { o.TopK = n }},
		{"squad-memory-N", "the memory has its N most useful entries only", []int{5, 20, 80}, func(o *Options, n int) { o.MemorySize = n }},
		{"squad-distractors-N", "N further tools that look plausible and never run", []int{50, 100, 200, 500}, func(o *Options, n int) { o.Distractors = n }},
	}
}

// AblationGrid names the setups of the whole grid, squad itself first.
func AblationGrid() []string {
	names := []string{"squad"}
	for _, a := range Ablations() {
		if a.Grid == nil {
			names = append(names, a.Name)
		}
		for _, n := range a.Grid {
			names = append(names, strings.TrimSuffix(a.Name, "N")+strconv.Itoa(n))
		}
	}
	return names
}

// IsAblation reports whether a setup's name is that of an ablation of squad.
func IsAblation(name string) bool {
	_, _, err := ablation(name)
	return err == nil
}

// ablation finds the ablation of a name, and its amount.
func ablation(name string) (Ablation, int, error) {
	var known []string
	for _, a := range Ablations() {
		known = append(known, a.Name)
		stem, counted := strings.CutSuffix(a.Name, "N")
		if !counted && name == a.Name {
			return a, 0, nil
		}
		if amount, ok := strings.CutPrefix(name, stem); counted && ok {
			n, err := strconv.Atoi(amount)
			if err != nil || n < 1 || strconv.Itoa(n) != amount {
				return a, 0, fmt.Errorf("orchestrator: %s wants a number from 1 up in the place of N, not %q", a.Name, amount)
			}
			return a, n, nil
		}
	}
	return Ablation{}, 0, fmt.Errorf("orchestrator: squad has no ablation %q; there are %s", name, strings.Join(known, ", "))
}

// ablated is the constructor of an ablation. The options' own settings hold beside it.
func ablated(name string) (constructor, error) {
	a, n, err := ablation(name)
	if err != nil {
		return constructor{}, err
	}
	about := aboutSquad
	about.differs = "squad: " + strings.ReplaceAll(a.What, "N ", strconv.Itoa(n)+" ")
	about.summary = "squad with this changed: " + strings.ReplaceAll(a.What, "N ", strconv.Itoa(n)+" ") + "."
	return constructor{name, func(team *Team, opts *Options) (Setup, error) {
		changed := *opts
		a.change(&changed, n)
		s, err := newSquad(team, &changed)
		if err != nil {
			return nil, err
		}
		s.(*squad).name = name
		return s, nil
	}, about}, nil
}

// change applies the options that leave parts of squad out.
func (s *squad) change() error {
	o := s.opts
	if o.TopK < 0 || o.MemorySize < 0 || o.Distractors < 0 {
		return fmt.Errorf("orchestrator: %s: tools, memory size and distractors are 0 or more", s.name)
	}
	if !o.NoMemory && o.Memory != nil {
		s.memory = &remembered{o.Memory}
		if o.MemorySize > 0 {
			limiter, ok := o.Memory.(Limiter)
			if !ok {
				return errors.New("orchestrator: the memory at hand cannot be cut down to a number of entries")
			}
			s.memory.from = limiter.Limited(o.MemorySize)
		}
	} else if !o.NoMemory && o.MemorySize > 0 {
		s.memory = &remembered{} // empty, and the log says so
	}
	if o.OneAgent {
		s.one = generalist(s.team.Agents)
	}
	if o.Distractors == 0 {
		return nil
	}
	if o.Distracted == nil {
		return errors.New("orchestrator: there are no distractor tools at hand")
	}
	team, err := o.Distracted(o.Distractors)
	if err != nil {
		return fmt.Errorf("orchestrator: adding distractors: %w", err)
	}
	for _, t := range team.Tools.Tools() {
		if !isTool(s.team.Tools, t.Name) {
			s.extra = append(s.extra, t)
		}
	}
	s.plain, s.team = s.team.Tools, team
	return nil
}

// generalist is one agent in the place of all: their tools, and what each is told.
func generalist(all []agents.Agent) *agents.Agent {
	one := &agents.Agent{Name: "generalist", Purpose: "work with data, places, forecasts and models"}
	for _, a := range all {
		one.Tools = append(one.Tools, a.Tools...)
		one.Guidance += a.Guidance
		one.Examples = append(one.Examples, a.Examples...)
	}
	return one
}

// distract adds the distractors to what the episode allows.
func (s *squad) distract(ep *episode.Episode) error {
	if len(s.extra) == 0 {
		return nil
	}
	if ep.Tools == s.plain {
		ep.Tools = s.team.Tools
		return nil
	}
	with, err := toolkits.NewRegistry(append(append([]*toolkits.Tool(nil), ep.Tools.Tools()...), s.extra...)...)
	if err != nil {
		return fmt.Errorf("orchestrator: adding distractors: %w", err)
	}
	ep.Tools = with
	return nil
}

// rank asks the index for the k best tools that keep accepts and logs them. Without tool selection it is all of them, none
// before another.
func (w *work) rank(ctx context.Context, query string, k int, keep func(string) bool) ([]memory.Hit, error) {
	if !w.opts.NoSelection {
		ranked, err := w.team.Index.Query(ctx, query, k, keep)
		if err != nil {
			return nil, err
		}
		return ranked, w.logSelection(query, w.team.Index.Name(), ranked)
	}
	var all []memory.Hit
	for _, name := range w.ep.Tools.Names() {
		if keep(name) {
			all = append(all, memory.Hit{Tool: name, Score: 1})
		}
	}
	return all, w.logSelection(query, "no selection", all)
}
