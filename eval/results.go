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
	// Sensitivity and Validity are nil where nothing contends.
	Sensitivity *Sensitivity
	Validity    *Validity
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

	again func() (*Scores, error) // scores it again from the log; nil while Scores are whole
}

// Full is the episode with all of its trace. Of a run with thousands of episodes only what is compared is kept: the rest is
// read again from the log.
func (e *EpisodeResult) Full() (*EpisodeResult, error) {
	if e.again == nil {
		return e, nil
	}
	with := *e
	var err error
	with.Scores, err = e.again()
	with.again = nil
	return &with, err
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
	g := newGathering(m, tasks, nil)
	for _, e := range events {
		if err := g.take(e, runlog.Line{}); err != nil {
			return nil, err
		}
	}
	return g.results(), nil
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
	r.Sensitivity, r.Validity = r.sensitivity(), r.validity()
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
