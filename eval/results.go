package eval

import (
	"fmt"
	"slices"
	"time"

	"almanac/eval/metric"
	"almanac/eval/runlog"
	"almanac/eval/stats"
	"almanac/orchestrator/event"
)

// Results is everything that a run's log and tasks say: what results.json, timings.json, the tables and the report
// are written from.
type Results struct {
	Manifest runlog.Manifest
	Tasks    []Task
	Setups   []*Summary
	Paired   []*Comparison
	Episodes []*EpisodeResult // in the order of setups, tasks and repeats
	// Strata split what the verdicts speak of by kinds of task.
	Strata []*StrataOf
	// ChangedByModel is the share of tasks on which squad's calls differ from search's; nil without both.
	ChangedByModel *float64
	// Unstarted names the episodes that have not been finished, as setup and task.
	Unstarted []string
	// HarnessErrors are the episodes that the harness failed.
	HarnessErrors []*EpisodeResult
	// Dropped is the number of bytes of a torn last line of the log.
	Dropped int64
}

// EpisodeResult is one episode with its scores.
type EpisodeResult struct {
	ID       string
	Arm      runlog.Arm
	Task     *Task
	Repeat   int
	Seed     int64
	Attempts int
	Outcome  string
	Reason   string
	Scores   *Scores
	// Harness says that the harness failed it: it counts in no score.
	Harness bool
	// AbandonedTokens are those of attempts that do not count.
	AbandonedTokens Tokens
	Started         time.Time
	Seconds         float64 // of every attempt
	QueueSeconds    float64
}

// Working is the time spent, queueing apart.
func (e *EpisodeResult) Working() float64 { return max(0, e.Seconds-e.QueueSeconds) }

// EpisodeID names an episode: the same whenever and wherever it is run.
func EpisodeID(arm runlog.Arm, task string, repeat int) string {
	id := arm.Setup + "." + task + "." + fmt.Sprint(repeat)
	if arm.Model != "" {
		id = arm.Setup + "@" + arm.Model + "." + task + "." + fmt.Sprint(repeat)
	}
	return runlog.SafeName(id)
}

// Summarise scores every episode of a log and compares the setups. Events of attempts that were cut off count nowhere
// but in AbandonedTokens.
func Summarise(m runlog.Manifest, tasks []Task, events []event.Event) (*Results, error) {
	r := &Results{Manifest: m, Tasks: tasks}
	byID := map[string]*runlog.Episode{}
	for _, ep := range runlog.Episodes(events) {
		byID[ep.ID] = ep
	}
	for _, arm := range m.Arms {
		for i := range tasks {
			for repeat := range max(1, m.Repeats) {
				id := EpisodeID(arm, tasks[i].Task.ID, repeat)
				r.add(arm, &tasks[i], repeat, byID[id])
				delete(byID, id)
			}
		}
	}
	for id := range byID {
		return nil, fmt.Errorf("eval: episode %s is in the log, but no setup and task of the run have it", id)
	}
	r.summarise()
	return r, nil
}

func (r *Results) add(arm runlog.Arm, task *Task, repeat int, ep *runlog.Episode) {
	var final *runlog.Attempt
	if ep != nil {
		final = ep.Final()
	}
	if final == nil || final.End.Outcome == event.Cancelled {
		r.Unstarted = append(r.Unstarted, fmt.Sprintf("%s: %s, repeat %d", armName(arm), task.Task.ID, repeat))
		return
	}
	e := &EpisodeResult{
		ID: ep.ID, Arm: arm, Task: task, Repeat: repeat, Seed: final.Start.Seed, Attempts: len(ep.Attempts),
		Outcome: final.End.Outcome, Reason: final.End.Reason, Harness: final.End.Outcome == event.Harness,
		Scores: Score(*task, final.Events), Started: final.First.Time,
	}
	e.AbandonedTokens = Tokens{Total: new(int64), Prompt: new(int64), Completion: new(int64)}
	for i := range ep.Attempts {
		a := &ep.Attempts[i]
		if a.End != nil {
			e.Seconds += a.End.Seconds
			e.QueueSeconds += a.End.QueueSeconds
		} else {
			e.Seconds += max(0, a.Last.Time.Sub(a.First.Time).Seconds())
		}
		if a != final {
			e.AbandonedTokens = e.AbandonedTokens.add(usage(NewTrace(a.Events)).Tokens)
		}
	}
	r.Episodes = append(r.Episodes, e)
	if e.Harness {
		r.HarnessErrors = append(r.HarnessErrors, e)
	}
}

// armName is a setup, with its model where it has one.
func armName(a runlog.Arm) string {
	if a.Model == "" {
		return a.Setup
	}
	return a.Setup + " (" + a.Model + ")"
}

func (r *Results) summarise() {
	for _, arm := range r.Manifest.Arms {
		r.Setups = append(r.Setups, summarise(arm, r.of(arm)))
	}
	r.memories()
	r.compare()
	r.strata()
	r.ChangedByModel = r.changedByModel()
}

// of returns an arm's episodes.
func (r *Results) of(arm runlog.Arm) []*EpisodeResult {
	var out []*EpisodeResult
	for _, e := range r.Episodes {
		if e.Arm == arm {
			out = append(out, e)
		}
	}
	return out
}

// observations takes one number from each episode that counts and has it.
func observations(list []*EpisodeResult, f func(*EpisodeResult) (float64, bool)) []stats.Observation {
	var out []stats.Observation
	for _, e := range list {
		if e.Harness {
			continue
		}
		if v, ok := f(e); ok {
			out = append(out, stats.Observation{Template: e.Task.Task.Template, Task: e.Task.Task.ID, Repeat: e.Repeat, Value: v})
		}
	}
	return out
}

func metricOf(name string) func(*EpisodeResult) (float64, bool) {
	return func(e *EpisodeResult) (float64, bool) {
		v := e.Scores.Metrics[name].Value
		if v == nil {
			return 0, false
		}
		return *v, true
	}
}

func totalTokens(e *EpisodeResult) (float64, bool) {
	t := e.Scores.Usage.Tokens.Total
	if t == nil {
		return 0, false
	}
	return float64(*t), true
}

// changedByModel compares the calls that squad made with those that search made, task by task.
func (r *Results) changedByModel() *float64 {
	search := map[string][]string{}
	for _, e := range r.Episodes {
		if e.Arm.Setup == "search" && !e.Harness {
			if _, seen := search[e.Task.Task.ID]; !seen {
				search[e.Task.Task.ID] = callKeys(e)
			}
		}
	}
	obs := observations(r.Episodes, func(e *EpisodeResult) (float64, bool) {
		keys, ok := search[e.Task.Task.ID]
		if e.Arm.Setup != "squad" || !ok {
			return 0, false
		}
		if slices.Equal(keys, callKeys(e)) {
			return 0, true
		}
		return 1, true
	})
	m, ok := stats.TaskMean(obs)
	if !ok {
		return nil
	}
	return rounded(&m)
}

// callKeys are the sorted keys of the calls that count and gave a result.
func callKeys(e *EpisodeResult) []string {
	keys := []string{}
	for _, c := range e.Scores.Case.Predicted {
		if c.Success {
			keys = append(keys, c.Key)
		}
	}
	slices.Sort(keys)
	return keys
}

// shown are the metrics that have an interval in tables, in order.
func shown() []metric.Metric { return metric.All() }
