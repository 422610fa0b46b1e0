package workspace

import (
	"context"
	"encoding/json"
	"time"

	"almanac/agents/llm"
	"almanac/eval"
	"almanac/eval/runlog"
	"almanac/orchestrator"
	"almanac/orchestrator/binding"
	"almanac/orchestrator/episode"
	"almanac/orchestrator/event"
	"almanac/orchestrator/schedule"
	"almanac/scenarios"
	"almanac/toolkits"
)

// Solver makes a setup solve the tasks of a run.
type Solver struct {
	Setup       orchestrator.Setup
	Team        *orchestrator.Team
	Workspace   *Workspace
	Env         *toolkits.Env
	Folder      *runlog.Folder
	Model       llm.Model // nil for a setup that uses none
	ModelName   string
	Temperature *float64
	Budget      episode.Budget
	// After is called with the episode when the setup is done with it; nil does nothing.
	After func(ctx context.Context, ep *episode.Episode) error
}

// Solve implements [eval.Solver].
func (s *Solver) Solve(ctx context.Context, job eval.Job, sink event.Sink) error {
	t := job.Task.Task
	tools, err := s.Workspace.Allowed(t.Tools)
	if err != nil {
		return err
	}
	model := s.Model
	if model != nil {
		model = llm.Session(model, s.Setup.Name(), t.ID)
	}
	seed := job.Seed
	ep := episode.New(Request(t), tools, s.Env, sink, episode.Options{
		ID: job.ID, Run: job.Run, Setup: s.Setup.Name(), Model: model, ModelName: s.ModelName, Temperature: s.Temperature, Seed: &seed,
		Budget: budget(s.Budget, t.Budget), Messages: messages{s.Folder}, Stated: s.Team.NewStated(Request(t).Text()),
		Replayed: replayed(job.Previous),
	})
	if err := s.Setup.Solve(ctx, ep); err != nil || s.After == nil {
		return err
	}
	return s.After(ctx, ep)
}

// budget is the run's budget, with the task's own limits where it sets them.
func budget(run episode.Budget, t scenarios.Budget) episode.Budget {
	set := func(to *int, v int) {
		if v > 0 {
			*to = v
		}
	}
	set(&run.ModelCalls, t.ModelCalls)
	set(&run.ToolCalls, t.ToolCalls)
	set(&run.Replans, t.Replans)
	if t.Tokens > 0 {
		run.Tokens = int64(t.Tokens)
	}
	if t.WorkingS > 0 {
		run.Working = time.Duration(t.WorkingS * float64(time.Second))
	}
	return run
}

// messages pools messages in the run's folder.
type messages struct{ folder *runlog.Folder }

func (m messages) Put(msg llm.Message) (string, error) {
	if m.folder == nil {
		return "", nil // a dry run keeps nothing
	}
	text, err := json.Marshal(msg)
	if err != nil {
		return "", err
	}
	return m.folder.PutMessage(text)
}

// replayed collects the finished writing calls of an attempt that was cut off: they happened, and must not again.
func replayed(previous []event.Event) map[string]*toolkits.Result {
	calls := map[string]*event.ToolCall{}
	out := map[string]*toolkits.Result{}
	for _, e := range previous {
		switch b := e.Body.(type) {
		case *event.ToolCall:
			calls[b.ID] = b
		case *event.ToolResult:
			c := calls[b.Call]
			if c == nil || !b.OK || c.Effect == string(toolkits.Pure) {
				continue
			}
			out[c.Key] = restored(b)
		}
	}
	return out
}

// Gold gives the oracle the first gold schedule of each of the run's tasks.
func (w *Workspace) Gold(tasks []eval.Task) orchestrator.Gold {
	byID := make(map[string]scenarios.Task, len(tasks))
	for _, t := range tasks {
		byID[t.Task.ID] = t.Task
	}
	return func(id string) (*schedule.Program, map[string]toolkits.Value, error) { return w.gold(byID[id], 0) }
}

// Stated reads what a task's words contain, for the verification of a run.
func (w *Workspace) Stated(t scenarios.Task) binding.Request {
	team, err := w.Team()
	if err != nil {
		return nil
	}
	return team.NewStated(Request(t).Text())
}
