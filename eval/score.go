package eval

import (
	"fmt"
	"strings"

	"almanac/eval/metric"
	"almanac/orchestrator/binding"
	"almanac/orchestrator/event"
	"almanac/scenarios"
	"almanac/toolkits/units"
)

// Scores is what one episode is worth.
type Scores struct {
	// Metrics holds a value, or the reason for none, for each of [metric.All].
	Metrics map[string]metric.Value
	Fields  []metric.FieldScore
	// Declined says that the episode declined.
	Declined bool
	// Failures are the labels of a failed episode, see [FailureLabels]; none for a success.
	Failures []string
	Usage    Usage
	// Case is what the metrics saw: calls that count, gold, matches.
	Case *metric.Case
	// Trace is the events that it was made from.
	Trace *Trace

	calls callSums
}

// Success reports whether the episode did what was asked.
func (s *Scores) Success() bool { return s.Case.Succeeded() }

// Score scores the events of one attempt against its task. It is a pure function: the same task and events give the
// same scores anywhere.
func Score(task Task, events []event.Event) *Scores {
	t := NewTrace(events)
	s := &Scores{Trace: t, Usage: usage(t), Declined: t.Answer != nil && t.Answer.Declined}
	s.calls = sumCalls(t)
	s.Fields = fieldScores(task.Task, t)
	ev := metric.Evidence{
		Decline: task.Task.Decline, Declined: s.Declined, Calls: t.metricCalls(), Answered: answered(t.Answer),
		Fields: s.Fields, Missing: missing(task.Task, t), Schedules: t.submitted(), Objects: objects(task.Task, s.Fields),
		Convert: units.Convert,
	}
	for _, x := range task.Executed {
		ev.Gold = append(ev.Gold, x.metricGold())
	}
	s.Case = metric.NewCase(ev)
	s.Metrics = map[string]metric.Value{}
	for _, m := range metric.All() {
		s.Metrics[m.Name] = m.Compute(s.Case)
	}
	if !s.Success() {
		s.Failures = failures(s)
	}
	return s
}

func fieldScores(task scenarios.Task, t *Trace) []metric.FieldScore {
	fields := make([]metric.Field, len(task.Answer))
	for i, f := range task.Answer {
		fields[i] = metric.Field{
			Key: f.Key, Type: f.Type, Item: f.Item, Unit: f.Unit, Difference: f.Quantity == "difference",
			AbsTol: f.AbsTol, RelTol: f.RelTol, Floor: f.Floor,
		}
	}
	var given []metric.Given
	if t.Answer != nil {
		for _, f := range t.Answer.Fields {
			given = append(given, metric.Given{
				Key: f.Key, Value: f.Value, Unit: f.Unit, Difference: f.Difference, Bound: t.bound(f), Reason: f.Reason,
			})
		}
	}
	if task.Decline {
		return declineFields(fields, given)
	}
	right := append([]map[string]any{task.Expected}, task.Alternatives...)
	return metric.ScoreFields(fields, given, right, units.Convert)
}

// objects collects the boxes of fields that are lists of boxes; nil where the task has no such field. An answer that
// cannot be read as boxes found nothing.
func objects(task scenarios.Task, fields []metric.FieldScore) *metric.Objects {
	var out *metric.Objects
	for i, f := range task.Answer {
		if f.Type != scenarios.List || f.Item != metric.BoxItem || i >= len(fields) {
			continue
		}
		if out == nil {
			out = &metric.Objects{}
		}
		found, _ := metric.ReadBoxes(fields[i].Value)
		there, _ := metric.ReadBoxes(fields[i].Gold)
		out.Found, out.True = append(out.Found, found...), append(out.True, there...)
	}
	return out
}

// declineFields lists what was answered to a request that should have been declined: nothing of it is right.
func declineFields(fields []metric.Field, given []metric.Given) []metric.FieldScore {
	out := make([]metric.FieldScore, len(fields))
	for i, f := range fields {
		out[i] = metric.FieldScore{Key: f.Key, Reason: metric.DeclineTask}
		for _, g := range given {
			if g.Key == f.Key {
				out[i].Value, out[i].Unit, out[i].Bound = g.Value, g.Unit, g.Bound && g.Value != nil
			}
		}
	}
	return out
}

// bound derives a field's chain again from the log: the engine found it bound, no engine's check that failed unbinds
// it, and every call on its way is there with the result that the next one used. Whether the request states the
// numbers on the way is the engine's finding, which [Verify] repeats.
func (t *Trace) bound(f event.AnswerField) bool {
	if !f.Bound || f.Value == nil {
		return false
	}
	for _, c := range t.Checks {
		if c.By == "engine" && !c.Passed {
			for _, key := range c.Unbinds {
				if key == f.Key {
					return false
				}
			}
		}
	}
	ok, _ := binding.Check(f, t.call, statesAll{})
	return ok
}

func (t *Trace) call(id string) (binding.Call, bool) {
	for i := len(t.Calls) - 1; i >= 0; i-- {
		if t.Calls[i].ID == id {
			return binding.Call{Call: t.Calls[i], Result: t.Results[id]}, true
		}
	}
	return binding.Call{}, false
}

// statesAll is a request that states every number: with it a check looks at the chain only.
type statesAll struct{}

func (statesAll) Number(float64, string) bool { return true }
func (statesAll) Period(string) bool          { return true }

// missing lists the required effects of a task that an episode lacks.
func missing(task scenarios.Task, t *Trace) []string {
	var out []string
	for _, want := range task.Required {
		found := false
		for _, c := range t.Calls {
			r := t.Results[c.ID]
			if r == nil || !r.OK {
				continue
			}
			found = found || want.Call != "" && c.Tool == want.Call
			for _, o := range r.Outputs {
				found = found || want.Artifact != "" && o.Kind == want.Artifact
			}
		}
		if !found {
			out = append(out, strings.TrimSpace(fmt.Sprintf("required action missing: %s", requirement(want))))
		}
	}
	return out
}

func requirement(e scenarios.Effect) string {
	if e.Call != "" {
		return "a call of " + e.Call
	}
	return "an artifact of kind " + e.Artifact
}
