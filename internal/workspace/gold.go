package workspace

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"almanac/eval"
	"almanac/orchestrator"
	"almanac/orchestrator/episode"
	"almanac/orchestrator/event"
	"almanac/orchestrator/schedule"
	"almanac/scenarios"
	"almanac/toolkits"
)

// collector keeps events in memory.
type collector struct {
	mu     sync.Mutex
	events []event.Event
}

func (c *collector) Emit(e event.Event) (int64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e.Seq, e.Time = int64(len(c.events)+1), time.Now().UTC()
	c.events = append(c.events, e)
	return e.Seq, nil
}

// Executed runs every gold schedule of a task in env's store and returns the task with what they did. A gold schedule
// that the checker refuses, or a call of it that fails, is an error.
func (w *Workspace) Executed(ctx context.Context, env *toolkits.Env, t scenarios.Task) (eval.Task, error) {
	out := eval.Task{Task: t}
	for i := range t.Gold {
		events, err := w.runGold(ctx, env, t, i)
		if err != nil {
			return out, fmt.Errorf("workspace: gold %d of %s: %w", i+1, t.Path(), err)
		}
		done, err := eval.NewExecuted(t.Gold[i].Text, events)
		if err != nil {
			return out, fmt.Errorf("workspace: gold %d of %s: %w", i+1, t.Path(), err)
		}
		out.Executed = append(out.Executed, done)
	}
	return out, nil
}

func (w *Workspace) runGold(ctx context.Context, env *toolkits.Env, t scenarios.Task, i int) ([]event.Event, error) {
	team, err := w.Team()
	if err != nil {
		return nil, err
	}
	setup, err := orchestrator.New("oracle", team, &orchestrator.Options{Gold: func(string) (*schedule.Program, map[string]toolkits.Value, error) {
		return w.gold(t, i)
	}})
	if err != nil {
		return nil, err
	}
	tools, err := w.Allowed(t.Tools)
	if err != nil {
		return nil, err
	}
	sink := &collector{}
	ep := episode.New(Request(t), tools, env, sink, episode.Options{ID: "gold", Setup: "oracle", Stated: team.NewStated(Request(t).Text())})
	if err := setup.Solve(ctx, ep); err != nil {
		return nil, err
	}
	return sink.events, nil
}

// gold reads, checks and binds one gold schedule of a task.
func (w *Workspace) gold(t scenarios.Task, i int) (*schedule.Program, map[string]toolkits.Value, error) {
	team, err := w.Team()
	if err != nil {
		return nil, nil, err
	}
	types, values, err := Slots(t.Slots)
	if err != nil {
		return nil, nil, err
	}
	p, problems := schedule.Parse(t.Gold[i].Text)
	if len(problems) == 0 {
		problems = schedule.Check(p, team.Catalog, Contract(t), types, nil)
	}
	if errs := schedule.Errors(problems); len(errs) > 0 {
		lines := make([]string, len(errs))
		for k, e := range errs {
			lines[k] = e.String()
		}
		return nil, nil, fmt.Errorf("%s", strings.Join(lines, "\n"))
	}
	bound, err := schedule.Bind(p, team.Catalog, Contract(t), types, nil)
	return bound, values, err
}

// Request is what a setup is told of a task.
func Request(t scenarios.Task) episode.Request {
	return episode.Request{Task: t.ID, Question: t.Question, Context: t.Context, Contract: Contract(t)}
}

// Contract is a task's answer contract as a setup sees it; nil for a task without fields: the setup names them.
func Contract(t scenarios.Task) schedule.Contract {
	if len(t.Answer) == 0 {
		return nil
	}
	out := make(schedule.Contract, len(t.Answer))
	for i, f := range t.Answer {
		out[i] = schedule.Field{Key: f.Key, Type: f.Type, Quantity: f.Quantity, Unit: f.Unit, Description: f.Description}
	}
	return out
}

// Slots turns a task file's slots into types for the checker and values for running.
func Slots(list []scenarios.Slot) (schedule.Slots, map[string]toolkits.Value, error) {
	types, values := schedule.Slots{}, map[string]toolkits.Value{}
	for _, s := range list {
		v, t, err := slot(s)
		if err != nil {
			return nil, nil, fmt.Errorf("workspace: slot %s: %w", s.Name, err)
		}
		types[s.Name], values[s.Name] = schedule.Slot{Type: t, Value: v.Plain()}, v
	}
	return types, values, nil
}

func slot(s scenarios.Slot) (toolkits.Value, schedule.Type, error) {
	switch s.Kind {
	case scenarios.NumberSlot:
		return toolkits.Value{Kind: toolkits.KindNumber, Number: s.Number, Unit: s.Unit}, schedule.Type{Kind: schedule.KindNumber, Unit: s.Unit}, nil
	case scenarios.PeriodSlot:
		return toolkits.Value{Kind: toolkits.KindPeriod, Text: s.Start + "/" + s.End}, schedule.Type{Kind: schedule.KindPeriod}, nil
	case scenarios.BoxSlot:
		v, err := toolkits.Literal(map[string]any{"west": s.West, "south": s.South, "east": s.East, "north": s.North})
		return v, schedule.Type{Kind: schedule.KindBox}, err
	case scenarios.ListSlot:
		list := toolkits.Value{Kind: toolkits.KindList}
		var item schedule.Type
		for _, x := range s.Items {
			v, t, err := slot(x)
			if err != nil {
				return list, item, err
			}
			list.List, item = append(list.List, v), t
		}
		item.List = true
		return list, item, nil
	}
	// A text stands for a place, a month, a season, a comparison, a data set or a variable: the parameter decides.
	return toolkits.Value{Kind: toolkits.KindString, Text: s.Text}, schedule.Type{Kind: schedule.KindString}, nil
}
