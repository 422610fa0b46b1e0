package eval

import (
	"slices"
	"strings"
	"testing"

	"almanac/orchestrator/event"
	"almanac/scenarios"
	"almanac/toolkits"

	"github.com/google/go-cmp/cmp"
)

func TestFailureLabelsAreTheSpecified(t *testing.T) {
	want := strings.Fields("tool_not_retrieved wrong_tool wrong_order wrong_argument schema_invalid reply_unreadable tool_error missing_call " +
		"repeated_call context_overflow budget stalled premature_answer wrong_decline claim_without_call format unit numeric_miss unbound")
	var got []string
	for _, l := range FailureLabels() {
		got = append(got, l.Name)
		if l.Definition == "" || l.holds == nil {
			t.Errorf("label %s says nothing", l.Name)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// meanTask asks for x = 50 m; gold opens data and takes the mean of it, as chain does.
func meanTask() Task {
	gold := Executed{Text: "a = data.open()\nb = gis.zonal_stats(raster=a)\n"}
	for _, e := range chain() {
		switch b := e.Body.(type) {
		case *event.ToolCall:
			gold.Calls = append(gold.Calls, ExecutedCall{Call: *b})
		case *event.ToolResult:
			gold.Calls[len(gold.Calls)-1].Result = *b
		}
	}
	return Task{Executed: []Executed{gold}, Task: scenarios.Task{
		Answer: []scenarios.Field{{Key: "x", Type: scenarios.Number, Unit: "m", AbsTol: 0.1}}, Expected: map[string]any{"x": 50.0}}}
}

func made(id, tool string, change func(*event.ToolCall)) []event.Event {
	group, _, _ := strings.Cut(tool, ".")
	c := &event.ToolCall{ID: id, Tool: tool, Group: group, Valid: true, Key: "k" + id}
	if change != nil {
		change(c)
	}
	r := &event.ToolResult{Call: id, OK: c.Valid, Outputs: []event.Output{{Name: "data", Kind: "raster", Artifact: "of " + c.Key}}}
	return []event.Event{{Type: event.TypeToolCall, Body: c}, {Type: event.TypeToolResult, Body: r}}
}

func answers(f event.AnswerField) []event.Event {
	f.Key = "x"
	return []event.Event{{Type: event.TypeAnswer, Body: &event.Answer{Fields: []event.AnswerField{f}}}}
}

func body(kind event.Type, b any) []event.Event { return []event.Event{{Type: kind, Body: b}} }

// stats takes the mean of what call "a" gave.
func stats50(id string) []event.Event {
	return made(id, "gis.zonal_stats", func(c *event.ToolCall) {
		c.Arguments = []event.Argument{{Name: "raster", Rule: "artifact", Hash: "h1", Inputs: []toolkits.Input{{Call: "a", Output: "data", Hash: "h1"}}}}
	})
}

func failing(id, tool, code string) []event.Event {
	l := made(id, tool, nil)
	l[1].Body = &event.ToolResult{Call: id, Code: code}
	return l
}

// Each label has a trace that has it, and one that nearly has it.
func TestEachFailureLabel(t *testing.T) {
	open, wrong := made("a", "data.open", nil), answers(event.AnswerField{Value: 3.0})
	selection := func(tools ...string) []event.Event {
		return body(event.TypeToolSelection, &event.ToolSelection{Chosen: tools})
	}
	level := func(v float64) func(*event.ToolCall) {
		return func(c *event.ToolCall) { c.Arguments = []event.Argument{{Name: "level", Rule: "number", Value: v}} }
	}
	invalid := func(c *event.ToolCall) { c.Valid = false }
	version := func(valid bool) []event.Event {
		return body(event.TypeSchedule, &event.Schedule{Version: 1, Valid: valid, Text: "x = gis.area()\n"})
	}
	replied := func(kind string) []event.Event { return body(event.TypeModelReply, &event.ModelReply{Error: kind}) }
	fault := func(code string) []event.Event { return body(event.TypeError, &event.Error{Code: code}) }
	declined := body(event.TypeAnswer, &event.Answer{Declined: true})
	check := func(id string) []event.Event {
		return made(id, "verification.in_range", func(c *event.ToolCall) { c.Check = true })
	}
	keyed := func(id, key string) []event.Event {
		return made(id, "data.open", func(c *event.ToolCall) { c.Key = key })
	}
	bound := event.AnswerField{Value: 5.0, Bound: true, Call: "b", Output: "mean", Artifact: "h2"}
	cases := map[string]struct{ has, near [][]event.Event }{
		"tool_not_retrieved": {[][]event.Event{selection("data.open"), selection("data.open", "gis.area")},
			[][]event.Event{selection("data.open"), selection("gis.zonal_stats")}},
		"wrong_tool":         {[][]event.Event{open, made("p", "gis.area", nil)}, [][]event.Event{open, check("p")}},
		"wrong_order":        {[][]event.Event{stats50("b"), open}, [][]event.Event{stats50("b"), open, stats50("c")}},
		"wrong_argument":     {[][]event.Event{made("p", "data.open", level(5))}, [][]event.Event{open, made("p", "gis.area", level(5))}},
		"schema_invalid":     {[][]event.Event{open, made("p", "gis.zonal_stats", invalid)}, [][]event.Event{open, failing("p", "gis.zonal_stats", "no_overlap"), version(true)}},
		"reply_unreadable":   {[][]event.Event{replied("truncated")}, [][]event.Event{replied("overloaded")}},
		"tool_error":         {[][]event.Event{failing("p", "data.open", "no_overlap")}, [][]event.Event{made("p", "data.open", invalid)}},
		"missing_call":       {[][]event.Event{open, open}, [][]event.Event{open, failing("b", "gis.zonal_stats", "no_overlap")}},
		"repeated_call":      {[][]event.Event{keyed("p", "k"), keyed("q", "k")}, [][]event.Event{keyed("p", "k"), keyed("q", "l")}},
		"context_overflow":   {[][]event.Event{replied("context_overflow")}, [][]event.Event{replied("truncated")}},
		"budget":             {[][]event.Event{body(event.TypeBudget, &event.Budget{Name: "tokens", Limit: 5, Used: 6})}, [][]event.Event{fault("setup")}},
		"stalled":            {[][]event.Event{fault("stalled")}, [][]event.Event{fault("crash")}},
		"premature_answer":   {[][]event.Event{open, wrong}, [][]event.Event{open, stats50("b"), wrong}},
		"wrong_decline":      {[][]event.Event{declined}, [][]event.Event{answers(event.AnswerField{Reason: "not found"})}},
		"claim_without_call": {[][]event.Event{failing("p", "data.open", "not_found"), wrong}, [][]event.Event{open, wrong}},
		"format":             {[][]event.Event{answers(event.AnswerField{Value: "about three"})}, [][]event.Event{answers(event.AnswerField{Value: "3 m"})}},
		"unit":               {[][]event.Event{answers(event.AnswerField{Value: 50.0, Unit: "kg"})}, [][]event.Event{answers(event.AnswerField{Value: 0.04, Unit: "km"})}},
		"numeric_miss":       {[][]event.Event{answers(event.AnswerField{Value: 50.11})}, [][]event.Event{answers(event.AnswerField{Value: 50.09})}},
		"unbound":            {[][]event.Event{chain()[:4], answers(event.AnswerField{Value: 5.0})}, [][]event.Event{chain()[:4], answers(bound)}},
	}
	for _, l := range FailureLabels() {
		c, ok := cases[l.Name]
		if !ok {
			t.Errorf("no trace for %s", l.Name)
			continue
		}
		if s := Score(meanTask(), slices.Concat(c.has...)); s.Success() || !slices.Contains(s.Failures, l.Name) {
			t.Errorf("%s: the trace that has it is labelled %v", l.Name, s.Failures)
		}
		if s := Score(meanTask(), slices.Concat(c.near...)); slices.Contains(failures(s), l.Name) {
			t.Errorf("%s: the trace that nearly has it is labelled so", l.Name)
		}
	}
	for _, code := range []string{"unreadable_plan", "unreadable_ledger"} {
		if s := Score(meanTask(), fault(code)); !slices.Contains(s.Failures, "reply_unreadable") {
			t.Errorf("%s is labelled %v", code, s.Failures)
		}
	}
	refused := Score(meanTask(), version(false))
	if !slices.Contains(refused.Failures, "schema_invalid") {
		t.Errorf("a refused schedule is labelled %v", refused.Failures)
	}
	if s := Score(Task{Task: scenarios.Task{Decline: true}}, wrong); !slices.Contains(s.Failures, "wrong_decline") {
		t.Errorf("an answer to what cannot be answered is labelled %v", s.Failures)
	}
}

// Labels do not exclude each other, and a success has none.
func TestFailureLabelsOfWholeEpisodes(t *testing.T) {
	cases := map[string]struct {
		log  []event.Event
		want string
	}{
		"right calls, gold is elsewhere": {chain(), "numeric_miss"},
		"a guess":                        {answers(event.AnswerField{Value: 3.0}), "missing_call premature_answer claim_without_call numeric_miss unbound"},
		"another unit":                   {answers(event.AnswerField{Value: 3.0, Unit: "kg"}), "missing_call premature_answer claim_without_call unit unbound"},
		"a decline":                      {body(event.TypeAnswer, &event.Answer{Declined: true}), "missing_call wrong_decline"},
		"twice the half":                 {slices.Concat(chain()[:2], chain()[:2]), "missing_call repeated_call"},
		"a right guess":                  {answers(event.AnswerField{Value: 50.0}), ""},
	}
	for name, c := range cases {
		if diff := cmp.Diff(strings.Fields(c.want), Score(meanTask(), c.log).Failures, cmp.Transformer("", func(l []string) string { return strings.Join(l, " ") })); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
