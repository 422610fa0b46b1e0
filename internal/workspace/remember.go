package workspace

import (
	"context"
	"errors"
	"io/fs"

	"almanac/eval"
	"almanac/memory/workflow"
	"almanac/orchestrator"
	"almanac/orchestrator/event"
)

// Unremembered is an episode that solved its task and left nothing to remember, and why.
type Unremembered struct{ Episode, Reason string }

// Remember writes what a run solved into a memory: of each episode that succeeded, with every field bound, the schedule
// that it ended with. Only episodes of tasks of the memory split count. It returns how many entries are new or better.
func Remember(team *orchestrator.Team, m *workflow.Memory, suite string, results *eval.Results, events []event.Event) (int, []Unremembered, error) {
	schedules := lastSchedules(events)
	written := 0
	var left []Unremembered
	for _, e := range results.Episodes {
		bound := e.Scores.Metrics["bound"].Value
		if e.Harness || !e.Scores.Success() || e.Task.Task.Decline || bound == nil || *bound < 1 {
			continue
		}
		text, made := schedules[e.ID]
		if !made {
			left = append(left, Unremembered{e.ID, "it made no schedule"})
			continue
		}
		entry, err := team.Workflow(Request(e.Task.Task).Text(), text, tokensOf(e))
		if errors.Is(err, orchestrator.ErrParticular) {
			left = append(left, Unremembered{e.ID, err.Error()})
			continue
		}
		if err != nil {
			return written, left, err
		}
		entry.State, entry.Suite, entry.Split, entry.Template = workflow.Seeded, suite, e.Task.Task.Split, e.Task.Task.Template
		changed, err := m.Write(entry)
		if err != nil {
			return written, left, err
		}
		if changed {
			written++
		}
	}
	return written, left, nil
}

// tokensOf is what an episode took; 0 where the server did not say.
func tokensOf(e *eval.EpisodeResult) int64 {
	if n := e.Scores.Usage.Tokens.Total; n != nil {
		return *n
	}
	return 0
}

// lastSchedules are the valid schedules that episodes ended with, by the attempt that counts: the last.
func lastSchedules(events []event.Event) map[string]string {
	out := map[string]string{}
	for _, e := range events {
		switch b := e.Body.(type) {
		case *event.EpisodeStart:
			delete(out, e.Episode)
		case *event.Schedule:
			if b.Valid {
				out[e.Episode] = b.Text
			}
		}
	}
	return out
}

// Growing is a memory that grows during a run: what the run's own checks passed is remembered for the tasks that follow.
// It never looks at gold.
type Growing struct {
	team *orchestrator.Team
	from *workflow.Memory
	file string
}

// NewGrowing goes on with the memory in file, which belongs to one setup and model of a run.
func NewGrowing(team *orchestrator.Team, file string) (*Growing, error) {
	m, err := workflow.Load(file, nil)
	if errors.Is(err, fs.ErrNotExist) {
		m, err = workflow.New(nil), nil
	}
	return &Growing{team, m, file}, err
}

// Recaller is the memory as setups use it, as it is at the time of each request.
func (g *Growing) Recaller() orchestrator.Recaller { return growing{g, 0} }

type growing struct {
	*Growing
	limit int // entries that count; 0 is all
}

// Limited counts the n most useful entries only, for the ablation of the memory's size.
func (g growing) Limited(n int) orchestrator.Recaller { return growing{g.Growing, n} }

func (g growing) Recall(ctx context.Context, request string) ([]orchestrator.Example, error) {
	from := g.from
	if g.limit > 0 {
		from = from.Limited(g.limit)
	}
	w, _ := orchestrator.NewWorkflows(g.team, from)
	return w.Recall(ctx, request)
}

// Solver is a solver that remembers what it solved: each episode with an answer of which every field is bound, and in
// which no check failed.
func (g *Growing) Solver(inner eval.Solver) eval.Solver { return &growingSolver{inner, g} }

type growingSolver struct {
	eval.Solver
	memory *Growing
}

// Solve implements [eval.Solver].
func (s *growingSolver) Solve(ctx context.Context, job eval.Job, sink event.Sink) error {
	seen := &listening{Sink: sink}
	if err := s.Solver.Solve(ctx, job, seen); err != nil {
		return err
	}
	if !seen.verified() {
		return nil
	}
	entry, err := s.memory.team.Workflow(Request(job.Task.Task).Text(), seen.schedule, seen.tokens)
	if errors.Is(err, orchestrator.ErrParticular) {
		return nil // a schedule with a value of its own is not remembered
	}
	if err != nil {
		return err
	}
	entry.State = workflow.Online
	changed, err := s.memory.from.Write(entry)
	if err != nil || !changed {
		return err
	}
	if err := s.memory.from.Save(s.memory.file); err != nil {
		return err
	}
	_, err = sink.Emit(event.Event{Type: event.TypeMemoryWrite, Episode: job.ID, Agent: "engine", Body: &event.MemoryWrite{Entry: entry.Source()}})
	return err
}

// listening keeps what tells whether an episode is worth remembering.
type listening struct {
	event.Sink
	schedule string
	tokens   int64
	answer   *event.Answer
	failed   bool // a check
}

// Emit implements [event.Sink].
func (l *listening) Emit(e event.Event) (int64, error) {
	switch b := e.Body.(type) {
	case *event.Schedule:
		if b.Valid {
			l.schedule = b.Text
		}
	case *event.ModelReply:
		for _, n := range []*int64{b.Prompt, b.Completion} {
			if n != nil {
				l.tokens += *n
			}
		}
	case *event.Check:
		l.failed = l.failed || !b.Passed
	case *event.Answer:
		l.answer = b
	}
	return l.Sink.Emit(e)
}

func (l *listening) verified() bool {
	if l.schedule == "" || l.failed || l.answer == nil || l.answer.Declined || len(l.answer.Fields) == 0 {
		return false
	}
	for _, f := range l.answer.Fields {
		if f.Value == nil || !f.Bound {
			return false
		}
	}
	return true
}
