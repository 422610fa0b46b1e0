package eval

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"testing"

	"almanac/eval/metric"
	"almanac/orchestrator/event"
	"almanac/scenarios"
	"almanac/toolkits"

	"pgregory.net/rapid"
)

// Whatever the events are, every score is in its range or has a reason for being none, and scoring ends.
func FuzzScore(f *testing.F) {
	refused := body(event.TypeSchedule, &event.Schedule{Version: 1, Calls: []event.SubmittedCall{{Tool: "data.open", Statement: "a = data.open()", Raw: `{"a":[1,null]}`}}})
	for _, log := range [][]event.Event{
		chain(), slices.Concat(stats50("b"), made("a", "data.open", nil)), slices.Concat(expression("x*(x+1)"), answers(event.AnswerField{Value: "3 m"})),
		slices.Concat(refused, body(event.TypeAnswer, &event.Answer{Declined: true})), failing("p", "data.open", "not_found"),
	} {
		var b bytes.Buffer
		for _, e := range log {
			data, err := json.Marshal(e)
			if err != nil {
				f.Fatal(err)
			}
			b.Write(append(data, '\n'))
		}
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var log []event.Event
		for line := range bytes.Lines(data) {
			var e event.Event
			if json.Unmarshal(line, &e) == nil {
				log = append(log, e)
			}
		}
		for _, task := range fuzzTasks() {
			inRange(t, Score(task, log))
		}
	})
}

func expression(source string) []event.Event {
	return made("e", "compute.evaluate", func(c *event.ToolCall) {
		c.Arguments = []event.Argument{{Name: "expression", Rule: "expression", Value: source},
			{Name: "variables", Rule: "record", Value: map[string]any{"x": map[string]any{"value": 2.0, "unit": "m"}}}}
	})
}

// fuzzTasks are one with a gold schedule, one with two and fields of every shape, one to decline, and an empty one.
func fuzzTasks() []Task {
	gold := meanTask()
	with := gold
	with.Executed = append(slices.Clone(gold.Executed), Executed{Calls: []ExecutedCall{{Call: *expression("x + 1")[0].Body.(*event.ToolCall), Result: event.ToolResult{Call: "e", OK: true}}}})
	with.Task.Answer = append(slices.Clone(gold.Task.Answer), scenarios.Field{Key: "l", Type: scenarios.List, Item: scenarios.Angle, AbsTol: 1},
		scenarios.Field{Key: "b", Type: scenarios.List, Item: metric.BoxItem})
	with.Task.Expected = map[string]any{"x": 50.0, "l": []any{350.0, 10.0}, "b": []any{[]any{0.0, 0.0, 1.0, 1.0}}}
	return []Task{gold, with, {Task: scenarios.Task{Decline: true}}, {}}
}

func inRange(t *testing.T, s *Scores) {
	t.Helper()
	for _, m := range metric.All() {
		switch v := s.Metrics[m.Name]; {
		case v.Value == nil && v.Reason == "":
			t.Errorf("%s has neither a value nor a reason", m.Name)
		case v.Value != nil && !(*v.Value >= m.Low && *v.Value <= m.High*(1+1e-12)):
			t.Errorf("%s is %v", m.Name, *v.Value)
		}
	}
	for _, f := range s.Fields {
		if math.IsNaN(f.Score) || f.Score < 0 || f.Score > 1+1e-12 || f.Hit && f.Score < 1-1e-12 {
			t.Errorf("field %s: hit %v with score %v", f.Key, f.Hit, f.Score)
		}
	}
	if s.Success() && len(s.Failures) > 0 {
		t.Errorf("a success is labelled %v", s.Failures)
	}
}

// anyValue draws what JSON can hold.
func anyValue(depth int) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		plain := []any{nil, true, 0.0, -1.5, 1e308, 3.0, "", "data", "sst", "3 m", "2014", "2014-01/2014-13", "2014-06-01/2013", "1e999", "x + 1",
			"x*x*x", "min(x, y) - y^8", "((", "Kenya", "degC"}
		if depth == 0 || rapid.IntRange(0, 2).Draw(t, "kind") > 0 {
			return rapid.SampledFrom(plain).Draw(t, "plain")
		}
		items := rapid.SliceOfN(anyValue(depth-1), 0, 4).Draw(t, "items")
		if rapid.Bool().Draw(t, "list") {
			return items
		}
		record := map[string]any{}
		for i, v := range items {
			record[[]string{"x", "y", "value", "unit"}[i]] = v
		}
		return record
	})
}

var someID = rapid.SampledFrom([]string{"a", "b", "c", "d"})

func anyArgument(t *rapid.T) event.Argument {
	a := event.Argument{
		Name: rapid.SampledFrom([]string{"dataset", "variable", "region", "period", "level", "raster", "value", "expression", "variables"}).Draw(t, "name"),
		Rule: rapid.SampledFrom([]string{"number", "integer", "text", "verbatim", "unit", "instant", "period", "box", "place", "boolean", "artifact",
			"list", "set", "expression", "record", "null", ""}).Draw(t, "rule"),
		Value: anyValue(2).Draw(t, "value"), Unit: rapid.SampledFrom([]string{"", "m", "degC", "nonsense"}).Draw(t, "unit"),
		Default: rapid.IntRange(0, 3).Draw(t, "default") == 0,
	}
	for range rapid.IntRange(0, 2).Draw(t, "inputs") {
		a.Inputs = append(a.Inputs, toolkits.Input{Call: someID.Draw(t, "from"), Output: "data", Member: rapid.SampledFrom([]string{"", "x", "y"}).Draw(t, "member")})
	}
	return a
}

func anyEvents(t *rapid.T) []event.Event {
	var log []event.Event
	add := func(kind event.Type, b any) { log = append(log, event.Event{Type: kind, Body: b}) }
	for range rapid.IntRange(0, 12).Draw(t, "events") {
		switch rapid.IntRange(0, 6).Draw(t, "type") {
		case 0, 1, 2:
			tool := rapid.SampledFrom([]string{"data.open", "gis.zonal_stats", "compute.evaluate", "data.convert_units", "verification.in_range", ""}).Draw(t, "tool")
			c := &event.ToolCall{ID: someID.Draw(t, "id"), Tool: tool, Group: tool, Valid: rapid.Bool().Draw(t, "valid"), Schedule: rapid.IntRange(0, 2).Draw(t, "version"),
				Statement: someID.Draw(t, "statement"), Check: tool == "verification.in_range", Resolver: tool == "data.convert_units"}
			for range rapid.IntRange(0, 3).Draw(t, "arguments") {
				c.Arguments = append(c.Arguments, anyArgument(t))
			}
			add(event.TypeToolCall, c)
		case 3:
			add(event.TypeToolResult, &event.ToolResult{Call: someID.Draw(t, "of"), OK: rapid.Bool().Draw(t, "ok"),
				Outputs: []event.Output{{Name: "data", Artifact: someID.Draw(t, "hash")}}})
		case 4:
			add(event.TypeSchedule, &event.Schedule{Version: rapid.IntRange(0, 2).Draw(t, "version"), Valid: rapid.Bool().Draw(t, "valid"), Text: "a = data.open()",
				Calls: []event.SubmittedCall{{Tool: "data.open", Statement: someID.Draw(t, "statement"), Raw: `{"level":5}`}}})
		case 5:
			add(event.TypeAnswer, &event.Answer{Declined: rapid.Bool().Draw(t, "declined"), Fields: []event.AnswerField{
				{Key: rapid.SampledFrom([]string{"x", "l", "b"}).Draw(t, "key"), Value: anyValue(2).Draw(t, "answer"), Bound: rapid.Bool().Draw(t, "bound"), Call: someID.Draw(t, "call")}}})
		case 6:
			add(event.TypeToolSelection, &event.ToolSelection{Chosen: []string{"data.open"}})
		}
	}
	return log
}

// The same with logs that are well-formed lines and otherwise anything: ids twice, circles of inputs, results of nothing.
func TestScoresOfAnyLog(t *testing.T) {
	tasks := fuzzTasks()
	rapid.Check(t, func(rt *rapid.T) {
		log := anyEvents(rt)
		for _, task := range tasks {
			inRange(t, Score(task, log))
		}
		var x Executed // as gold, too
		for _, e := range log {
			if c, ok := e.Body.(*event.ToolCall); ok {
				x.Calls = append(x.Calls, ExecutedCall{Call: *c, Result: event.ToolResult{Call: c.ID, OK: true}})
			}
		}
		inRange(t, Score(Task{Executed: []Executed{x}}, anyEvents(rt)))
	})
}
