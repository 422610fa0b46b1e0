// Package workspace puts the parts of the program together: the data sets at hand, the tools over them, the team of
// agents, and what is needed to run a suite of tasks with them.
package workspace

import (
	"context"
	"fmt"
	"sync"

	"almanac/agents"
	"almanac/memory"
	"almanac/orchestrator"
	"almanac/scenarios/data"
	"almanac/toolkits"
	"almanac/toolkits/artifact"
	"almanac/toolkits/catalog"
	"almanac/toolkits/compute"
	datatools "almanac/toolkits/data"
	"almanac/toolkits/distractors"
	"almanac/toolkits/forecast"
	"almanac/toolkits/gis"
	"almanac/toolkits/plot"
	"almanac/toolkits/simulation"
	"almanac/toolkits/verification"
)

// Options of a workspace. The zero value is useful.
type Options struct {
	UserData string   // folder of the user's own data sets; "" is the usual one
	Agents   []string // YAML files of further agents
}

// Workspace is what commands work with.
type Workspace struct {
	Data   *catalog.Catalog
	Tools  *toolkits.Registry
	Agents []agents.Agent

	sound *toolkits.Registry // the tools that run: all but distractors
	team  func() (*orchestrator.Team, error)
}

// Open reads the manifests and makes the tools. Data, places and the tool index are read when they are first needed.
func Open(opts *Options) (*Workspace, error) {
	if opts == nil {
		opts = &Options{}
	}
	dir := opts.UserData
	if dir == "" {
		var err error
		if dir, err = catalog.DefaultUserDir(); err != nil {
			return nil, err
		}
	}
	cat, err := catalog.Open(data.Files, dir)
	if err != nil {
		return nil, err
	}
	tools, err := toolkits.NewRegistry(Standard(cat)...)
	if err != nil {
		return nil, err
	}
	members, err := agents.Builtin()
	if err != nil {
		return nil, err
	}
	for _, file := range opts.Agents {
		a, err := agents.Load(file)
		if err != nil {
			return nil, err
		}
		if err := checkMember(a, members, tools); err != nil {
			return nil, err
		}
		members = append(members, a)
	}
	return assemble(cat, tools, tools, members), nil
}

func assemble(cat *catalog.Catalog, sound, tools *toolkits.Registry, members []agents.Agent) *Workspace {
	w := &Workspace{Data: cat, Tools: tools, Agents: members, sound: sound}
	w.team = sync.OnceValues(func() (*orchestrator.Team, error) {
		return orchestrator.NewTeam(cat, tools, members, memory.NewLexical(tools.Tools()))
	})
	return w
}

// Standard are the tools that come with the program.
func Standard(cat *catalog.Catalog) []*toolkits.Tool {
	var all []*toolkits.Tool
	for _, kit := range [][]*toolkits.Tool{
		datatools.Toolkit(cat), gis.Toolkit(cat), forecast.Toolkit(), simulation.Toolkit(), verification.Toolkit(), compute.Toolkit(),
		plot.Toolkit(cat),
	} {
		all = append(all, kit...)
	}
	return all
}

// Team is the team over the workspace's tools.
func (w *Workspace) Team() (*orchestrator.Team, error) { return w.team() }

// Places resolves names for tools.
func (w *Workspace) Places() toolkits.Gazetteer { return orchestrator.Places{Data: w.Data} }

// Env is what tools need to run, over the store in dir.
func (w *Workspace) Env(dir string) (*toolkits.Env, error) {
	store, err := artifact.Open(dir, nil)
	if err != nil {
		return nil, err
	}
	return &toolkits.Env{Store: store, Places: w.Places()}, nil
}

// Allowed is the registry of the tools that a task allows; no names allow all.
func (w *Workspace) Allowed(names []string) (*toolkits.Registry, error) {
	if len(names) == 0 {
		return w.Tools, nil
	}
	r, err := w.Tools.Select(names)
	if err != nil {
		return nil, fmt.Errorf("workspace: tools of the task: %w", err)
	}
	return r, nil
}

// Call runs one tool by itself, as `almanac tools call` does.
func (w *Workspace) Call(ctx context.Context, env *toolkits.Env, name string, args map[string]toolkits.Value) (*toolkits.Result, *toolkits.Call, error) {
	t, err := w.Tools.Tool(name)
	if err != nil {
		return nil, nil, err
	}
	call, err := t.Bind(ctx, env, args)
	if err != nil {
		return nil, nil, err
	}
	res, err := call.Run(ctx, toolkits.Made{Call: "call", Step: "call"})
	return res, call, err
}

// DryEnv is what is needed to bind places, without a store: nothing can run in it.
func (w *Workspace) DryEnv() *toolkits.Env { return &toolkits.Env{Places: w.Places()} }

// Distracted is the team with n tools more that look plausible and never run.
func (w *Workspace) Distracted(n int) (*orchestrator.Team, error) {
	crowded, err := w.Among(n)
	if err != nil {
		return nil, err
	}
	return crowded.Team()
}

// Among is the workspace with its tools among n others that look plausible and never run: for every setup alike. A
// workspace that has more of them already keeps those.
func (w *Workspace) Among(n int) (*Workspace, error) {
	if n == 0 || n <= len(w.Tools.Tools())-len(w.sound.Tools()) {
		return w, nil
	}
	more, err := distractors.Make(w.sound.Tools(), n)
	if err != nil {
		return nil, err
	}
	tools, err := toolkits.NewRegistry(append(more, w.sound.Tools()...)...)
	if err != nil {
		return nil, err
	}
	return assemble(w.Data, w.sound, tools, w.Agents), nil
}
