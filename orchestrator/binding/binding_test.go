package binding_test

import (
	"strings"
	"testing"

	"almanac/orchestrator/binding"
	"almanac/orchestrator/event"
	"almanac/toolkits"
	"almanac/toolkits/artifact"
)

// words is a request that states 25 mm and the year 2014.
type words struct{}

func (words) Number(v float64, unit string) bool { return v == 25 && (unit == "mm" || unit == "") }
func (words) Period(p string) bool               { return p == "2014" }

type log map[string]binding.Call

func (l log) find(id string) (binding.Call, bool) {
	c, ok := l[id]
	return c, ok
}

func made(id, hash string, value any, args ...event.Argument) binding.Call {
	return binding.Call{
		Call:   &event.ToolCall{ID: id, Tool: "lab." + id, Arguments: args},
		Result: &event.ToolResult{Call: id, OK: true, Outputs: []event.Output{{Name: "x", Kind: "scalar", Value: value, Artifact: hash}}},
	}
}

func from(call, hash string) event.Argument {
	return event.Argument{Name: "in", Rule: "artifact", Inputs: []toolkits.Input{{Call: call, Output: "x", Hash: artifact.Hash(hash)}}}
}

func literal(rule string, value any, unit string) event.Argument {
	return event.Argument{Name: "p", Rule: rule, Value: value, Unit: unit, Literal: true}
}

func TestCheck(t *testing.T) {
	answer := event.AnswerField{Key: "k", Value: 7.0, Call: "b", Output: "x", Artifact: "hb"}
	failed := made("a", "ha", 1.0)
	failed.Result.OK = false
	for name, tt := range map[string]struct {
		field  event.AnswerField
		log    log
		reason string // "" for bound
	}{
		"chain":                    {answer, log{"a": made("a", "ha", 1.0), "b": made("b", "hb", 7.0, from("a", "ha"))}, ""},
		"no call":                  {event.AnswerField{Key: "k", Value: 7.0}, nil, "literal"},
		"another value":            {answer, log{"b": made("b", "hb", 8.0)}, "did not make"},
		"another artifact":         {answer, log{"b": made("b", "hc", 7.0)}, "did not make"},
		"a call that is not there": {answer, log{}, "no result"},
		"input not there":          {answer, log{"b": made("b", "hb", 7.0, from("a", "ha"))}, "not in the log"},
		"input changed":            {answer, log{"a": made("a", "hz", 1.0), "b": made("b", "hb", 7.0, from("a", "ha"))}, "not in the log"},
		"input failed":             {answer, log{"a": failed, "b": made("b", "hb", 7.0, from("a", "ha"))}, "no result"},
		"number stated":            {answer, log{"b": made("b", "hb", 7.0, literal("number", 25.0, "mm"))}, ""},
		"number not stated":        {answer, log{"b": made("b", "hb", 7.0, literal("number", 26.0, "mm"))}, "26"},
		"number not stated, deep":  {answer, log{"a": made("a", "ha", 1.0, literal("number", 26.0, "mm")), "b": made("b", "hb", 7.0, from("a", "ha"))}, "26"},
		"a constant":               {answer, log{"b": made("b", "hb", 7.0, literal("number", 12.0, "1"))}, ""},
		"no constant with a unit":  {answer, log{"b": made("b", "hb", 7.0, literal("number", 12.0, "mm"))}, "12"},
		"a default":                {answer, log{"b": made("b", "hb", 7.0, event.Argument{Name: "p", Rule: "number", Value: 99.0, Default: true, Literal: true})}, ""},
		"period stated":            {answer, log{"b": made("b", "hb", 7.0, literal("period", "2014", ""))}, ""},
		"period not stated":        {answer, log{"b": made("b", "hb", 7.0, literal("period", "2015", ""))}, "2015"},
		"expression":               {answer, log{"b": made("b", "hb", 7.0, literal("expression", `(a - 25) / 2`, ""))}, ""},
		"expression, own number":   {answer, log{"b": made("b", "hb", 7.0, literal("expression", `a * 1.37`, ""))}, "1.37"},
		"expression, quoted":       {answer, log{"b": made("b", "hb", 7.0, literal("expression", `a > b ? "model 77" : "x"`, ""))}, ""},
		"a log in a circle":        {answer, log{"a": made("a", "ha", 1.0, from("b", "hb")), "b": made("b", "hb", 7.0, from("a", "ha"))}, "its own input"},
	} {
		t.Run(name, func(t *testing.T) {
			bound, reason := binding.Check(tt.field, tt.log.find, words{})
			if bound != (tt.reason == "") || !strings.Contains(reason, tt.reason) {
				t.Errorf("bound %v, reason %q; want %q", bound, reason, tt.reason)
			}
		})
	}
}
