package judge

import (
	"strings"
	"testing"
)

func TestStage(t *testing.T) {
	cases := []struct {
		name          string
		e             Execution
		stage, reason string
	}{
		{"right", Execution{Result: 3}, StageSucceeded, ""},
		{"within the tolerance", Execution{Result: 3.05}, StageSucceeded, ""},
		{"another value", Execution{Result: 4.0}, StageAnswer, "is 4, not 3"},
		{"another kind", Execution{Result: "3"}, StageType, "kind text, not number"},
		{"no result", Execution{}, StageType, "kind null"},
		{"an error", Execution{Failed: "SyntaxError: raised by hand"}, StageRuntime, "SyntaxError"}, // the words do not count
		{"too slow", Execution{TimedOut: true, Failed: "killed"}, StageTimeOut, ""},
		{"an argument", Execution{Argument: "area takes no colour", TimedOut: true}, StageArgument, "colour"},
		{"a function", Execution{Unknown: []string{"gis.magic"}, Argument: "x"}, StageFunction, "gis.magic"},
		{"the text", Execution{Syntax: "line 1: unexpected )", Unknown: []string{"f"}}, StageSyntax, "line 1"},
		{"the disk", Execution{Harness: "disk full", Syntax: "x"}, StageHarness, "disk full"},
	}
	seen := map[string]bool{}
	for _, c := range cases {
		stage, reason := Stage(c.e, 3.0, &Options{AbsTol: 0.1})
		if stage != c.stage || !strings.Contains(reason, c.reason) {
			t.Errorf("%s: %q (%s), want %q", c.name, stage, reason, c.stage)
		}
		seen[stage] = true
	}
	for _, s := range Stages() {
		if !seen[s] {
			t.Errorf("no case for %s", s)
		}
	}
}
