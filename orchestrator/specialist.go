package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"almanac/agents"
	"almanac/agents/llm"
	"almanac/orchestrator/event"
	"almanac/orchestrator/executor"
	"almanac/orchestrator/schedule"
	"almanac/toolkits"
	"almanac/toolkits/artifact"
)

const (
	specialistTools  = 5 // tools a specialist sees for one objective
	specialistTurns  = 6 // calls of one objective
	specialistReasks = 2 // of them after a failure
)

// specialists carries out objective steps; nil without a model.
func (w *work) specialists() executor.Asker {
	if !w.ep.HasModel() || w.name == "search" {
		return nil
	}
	return &asker{w}
}

type asker struct{ *work }

// Ask lets the specialist of that name choose tools until one of its results is of the kind asked for.
func (a *asker) Ask(ctx context.Context, o executor.Objective) (*toolkits.Result, error) {
	agent, err := a.agent(o.Agent)
	if err != nil {
		return nil, err
	}
	want := schedule.Type{}
	if o.Returns != "" {
		if want, err = schedule.ParseType(o.Returns); err != nil {
			return nil, toolkits.Errorf(toolkits.BadArgument, "returns: %w", err)
		}
	}
	ranked, err := a.rank(ctx, o.Text, specialistTools, func(t string) bool { return agent.Has(t) && isTool(a.ep.Tools, t) })
	if err != nil {
		return nil, err
	}
	names := make([]string, len(ranked))
	for i, r := range ranked {
		names[i] = r.Tool
	}
	if len(names) == 0 { // the index does not know them
		names = a.own(agent)
	}
	tools, err := a.ep.Tools.Select(names)
	if err != nil {
		return nil, err
	}
	return a.loop(ctx, agent, o, want, tools)
}

func (a *asker) agent(name string) (agents.Agent, error) {
	if a.one != nil {
		return *a.one, nil
	}
	return a.team.agentNamed(name)
}

// agentNamed finds a specialist by name, whatever quotes, brackets or case a model writes around it.
func (t *Team) agentNamed(name string) (agents.Agent, error) {
	e := toolkits.Errorf(toolkits.NotFound, "no agent is named %q", name)
	bare := strings.Trim(strings.TrimSpace(name), `"'[] `)
	for _, x := range t.Agents {
		if strings.EqualFold(x.Name, bare) {
			return x, nil
		}
		e.Legal = append(e.Legal, x.Name)
	}
	return agents.Agent{}, e
}

// loop asks for one tool call at a time; the values handed over are handles like any result. A call that fails is
// asked for again with the error, twice at most; from the second time on every tool of the agent is shown, since the
// one that is needed may not have been among the best ranked.
func (a *asker) loop(ctx context.Context, agent agents.Agent, o executor.Objective, want schedule.Type, tools *toolkits.Registry) (*toolkits.Result, error) {
	l := newLoop(a.ep, agent.Name, specs(tools, nil, false))
	l.prefix = o.ID + "."
	l.say(llm.RoleSystem, brief(agent))
	l.say(llm.RoleUser, a.objective(ctx, l, o))
	failures := 0
	for range specialistTurns {
		res, err := l.step(ctx)
		if err != nil {
			return nil, unusable(err, agent.Name)
		}
		if res == nil {
			if failures++; failures > specialistReasks {
				break
			}
			if err := a.widen(l, agent, o.Text, len(tools.Names())); err != nil {
				return nil, err
			}
			continue
		}
		if value, ok := fitting(res, want, a.team); ok {
			return value, nil
		}
		l.say(llm.RoleUser, "This is no "+o.Returns+" yet. Go on with another tool.")
	}
	if l.failed != nil {
		return nil, l.failed
	}
	if len(l.handles) == 0 {
		return nil, toolkits.Errorf(toolkits.NotEnoughData, "the %s agent made no tool call that works for %q", agent.Name, o.Text)
	}
	return nil, toolkits.Errorf(toolkits.BadArgument, "the %s agent made no %s for %q", agent.Name, o.Returns, o.Text)
}

// brief is what a specialist of squad is told of itself.
func brief(agent agents.Agent) string {
	return persona(agent, "Call one tool that reaches the objective. Use handles as arguments; never copy digits.\n")
}

// persona is who an agent is, how it is to work, and its examples.
func persona(agent agents.Agent, how string) string {
	var b strings.Builder
	b.WriteString("You are the " + agent.Name + " agent: you " + agent.Purpose + ".\n" + agent.Guidance + how)
	for _, e := range agent.Examples {
		b.WriteString("Example: " + e.Objective + ": " + e.Call + "\n")
	}
	return b.String()
}

// unusable tells a specialist's useless replies, which fail the step, from what ends the episode.
func unusable(err error, agent string) error {
	switch {
	case errors.Is(err, llm.ErrBadReply):
		return toolkits.Errorf(toolkits.BadArgument, "the %s agent's replies could not be used: %w", agent, err)
	case errors.Is(err, llm.ErrContextOverflow):
		return toolkits.Errorf(toolkits.TooLarge, "the %s agent's prompt does not fit the model's window: %w", agent, err)
	}
	return err
}

// own are the tools that a specialist may call in this task.
func (a *asker) own(agent agents.Agent) []string {
	var names []string
	for _, n := range a.ep.Tools.Names() {
		if agent.Has(n) {
			names = append(names, n)
		}
	}
	return names
}

// widen shows a specialist all its tools.
func (a *asker) widen(l *loop, agent agents.Agent, text string, shown int) error {
	names := a.own(agent)
	if len(names) <= shown || len(l.tools) == len(names) {
		return nil
	}
	all, err := a.ep.Tools.Select(names)
	if err != nil {
		return err
	}
	l.offer(specs(all, nil, false))
	_, err = a.ep.Emit("engine", 0, event.TypeToolSelection, &event.ToolSelection{Query: text, Index: "all tools of " + agent.Name, Chosen: names})
	return err
}

func (a *asker) objective(ctx context.Context, l *loop, o executor.Objective) string {
	var b strings.Builder
	b.WriteString("Objective: " + o.Text + "\n")
	if o.Returns != "" {
		b.WriteString("Wanted: " + o.Returns + "\n")
	}
	for name, v := range o.Given {
		l.results[name] = &toolkits.Result{Fields: []toolkits.Field{{Name: "value", Value: v}}}
	}
	for _, name := range sortedNames(o.Given) {
		fmt.Fprintf(&b, "%s = %s\n", name, showValue(ctx, a.ep, o.Given[name]))
	}
	b.WriteString("Data sets:\n" + a.team.dataLines(nil))
	return b.String()
}

// fitting reads a result as what was wanted: its only field of that kind and unit, under the name value.
func fitting(res *toolkits.Result, want schedule.Type, team *Team) (*toolkits.Result, bool) {
	if want.Kind == "" {
		return res, true
	}
	var fits []toolkits.Field
	for _, f := range res.Fields {
		kind := f.Value.Kind
		if kind == want.Kind || want.Kind == schedule.KindNumber && kind == artifact.KindScalar {
			if want.Unit == "" || f.Value.Unit == "" || team.Catalog.Units().Convertible(f.Value.Unit, want.Unit) {
				fits = append(fits, f)
			}
		}
	}
	if len(fits) == 0 {
		return nil, false
	}
	// The first declared output is a tool's main one.
	return &toolkits.Result{Fields: append([]toolkits.Field{{Name: "value", Value: fits[0].Value}}, res.Fields...)}, true
}

// step is one turn of a specialist: the result of its last call that worked, nil when there is none.
func (l *loop) step(ctx context.Context) (*toolkits.Result, error) {
	before := len(l.handles)
	if _, err := l.turn(ctx); err != nil {
		return nil, err
	}
	if len(l.handles) == before {
		return nil, nil
	}
	return l.results[l.handles[len(l.handles)-1]], nil
}
