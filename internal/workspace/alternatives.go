package workspace

import (
	"context"
	"fmt"

	"almanac/eval"
	"almanac/orchestrator"
	"almanac/orchestrator/episode"
	"almanac/orchestrator/event"
	"almanac/orchestrator/schedule"
	"almanac/scenarios"
	"almanac/toolkits"
)

// Alternatives counts the candidates of the typed search for a task that give different answers, up to two: a task
// with two needs its words to be understood.
func (w *Workspace) Alternatives(ctx context.Context, env *toolkits.Env, t scenarios.Task) (int, error) {
	team, err := w.Team()
	if err != nil {
		return 0, err
	}
	candidates, err := w.candidates(ctx, env, t, team)
	if err != nil {
		return 0, err
	}
	read := team.Reader.Read(Request(t).Text())
	answers := map[string]bool{}
	for _, text := range candidates {
		if len(answers) == 2 {
			break
		}
		p, problems := schedule.Parse(text)
		if len(schedule.Errors(problems)) > 0 {
			continue
		}
		bound, err := schedule.Bind(p, team.Catalog, Contract(t), read.Types(), nil)
		if err != nil {
			continue
		}
		a, err := w.answerOf(ctx, env, t, team, bound, read.Slots())
		if err != nil {
			return 0, err
		}
		if a != "" {
			answers[a] = true
		}
	}
	return len(answers), nil
}

// firstSearch ends an episode once the search is logged.
type firstSearch struct {
	found *event.Search
	n     int64
}

func (s *firstSearch) Emit(e event.Event) (int64, error) {
	s.n++
	if b, ok := e.Body.(*event.Search); ok {
		s.found = b
		return s.n, errFound
	}
	return s.n, nil
}

var errFound = fmt.Errorf("workspace: the search is done")

func (w *Workspace) candidates(ctx context.Context, env *toolkits.Env, t scenarios.Task, team *orchestrator.Team) ([]string, error) {
	setup, err := orchestrator.New("search", team, nil)
	if err != nil {
		return nil, err
	}
	sink := &firstSearch{}
	sol := &Solver{Setup: setup, Team: team, Workspace: w, Env: env}
	err = sol.Solve(ctx, eval.Job{ID: "alternatives", Task: &eval.Task{Task: t}, Attempt: 1}, sink)
	if sink.found == nil {
		return nil, err
	}
	out := make([]string, len(sink.found.Candidates))
	for i, c := range sink.found.Candidates {
		out[i] = c.Schedule
	}
	return out, nil
}

// answerOf runs a program and writes down its answer; "" where a field has no value.
func (w *Workspace) answerOf(ctx context.Context, env *toolkits.Env, t scenarios.Task, team *orchestrator.Team, p *schedule.Program, slots map[string]toolkits.Value) (string, error) {
	setup, err := orchestrator.New("oracle", team, &orchestrator.Options{
		Gold: func(string) (*schedule.Program, map[string]toolkits.Value, error) { return p, slots, nil },
	})
	if err != nil {
		return "", err
	}
	ep := episode.New(Request(t), w.Tools, env, &collector{}, episode.Options{ID: "alternative", Setup: "search"})
	if err := setup.Solve(ctx, ep); err != nil {
		return "", err
	}
	a, out := ep.Given(), ""
	if a == nil {
		return "", nil
	}
	for _, f := range a.Fields {
		if f.Value == nil {
			return "", nil
		}
		out += fmt.Sprintf("%s=%v;", f.Key, f.Value)
	}
	return out, nil
}
