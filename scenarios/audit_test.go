//go:build oracles

package scenarios_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"almanac/internal/oracle"
	"almanac/scenarios"
)

func python(t *testing.T, script string, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), oracle.Python(t), append([]string{filepath.Join(oracle.Root(t), "scripts/audit", script)}, args...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v (run `make data` and `make oracles`)\n%s%s", script, err, out, stderr.Bytes())
	}
	return out
}

// What the tasks' files hold is what the second implementation finds in the raw source files today.
func TestStoredValuesAreThoseOfTheSecondImplementation(t *testing.T) {
	for suite, least := range map[string]int{"starter": 60, "core": 300} {
		t.Run(suite, func(t *testing.T) { storedAreComputed(t, suite, least) })
	}
}

func storedAreComputed(t *testing.T, suite string, least int) {
	var computed map[string]map[string]any
	if err := json.Unmarshal(python(t, "expected.py", "--json", "--suite", filepath.Join(oracle.Root(t), "scenarios/suites", suite)), &computed); err != nil {
		t.Fatal(err)
	}
	fields := 0
	for _, task := range open(t, suite).Tasks {
		got, ok := computed[task.ID]
		if !ok {
			t.Errorf("%s: the second implementation leaves it out", task.ID)
		}
		for _, f := range task.Answer {
			if task.Decline {
				continue
			}
			fields++
			if d := apart(f, task.Expected[f.Key], got[f.Key]); d != "" {
				t.Errorf("%s: %s: %s", task.ID, f.Key, d)
			}
		}
	}
	if fields < least {
		t.Errorf("%d fields compared", fields)
	}
}

// apart says how two values of a field differ by more than a hundredth of its tolerance.
func apart(f scenarios.Field, stored, computed any) string {
	x, isNumber := stored.(float64)
	y, ok := computed.(float64)
	switch {
	case isNumber && ok:
		if diff := max(x-y, y-x); diff > f.Tolerance(x)/100 {
			return fmt.Sprintf("stored %v, computed %v", x, y)
		}
	case fmt.Sprint(stored) != fmt.Sprint(computed):
		return fmt.Sprintf("stored %v, computed %v", stored, computed)
	}
	return ""
}

// The second implementation's own definitions agree with libraries that others wrote.
func TestSecondImplementationAgreesWithLibraries(t *testing.T) {
	out := string(python(t, "selfcheck.py"))
	if n := strings.Count(out, "ok "); n < 9 || strings.Contains(out, "OFF") {
		t.Errorf("got:\n%s", out)
	}
}
