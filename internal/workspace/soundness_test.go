//go:build oracles

package workspace_test

import (
	"testing"

	"almanac/scenarios"
)

// A third of the large suite's tasks leave a choice between well-typed schedules.
func TestCoreLeavesAChoice(t *testing.T) {
	e := engine(t)
	s, err := scenarios.Open("core")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range scenarios.Validate(s, &scenarios.Engine{Alternatives: e.Alternatives}) {
		t.Error(f)
	}
}
