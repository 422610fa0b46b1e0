package cli

import (
	"maps"
	"testing"

	"almanac/internal/workspace"
	"almanac/scenarios"
)

// Shifting any stored number by half its tolerance fails exactly that field; a text that is another fails too.
func TestAuditFindsAShiftOfHalfATolerance(t *testing.T) {
	w, err := workspace.Open(&workspace.Options{UserData: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	env, err := w.Env(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer env.Store.Close()
	var tasks []scenarios.Task
	for _, name := range []string{"demo", "core"} {
		suite, err := scenarios.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		tasks = append(tasks, suite.Tasks...)
	}
	shifted := 0
	for _, task := range tasks {
		done, err := w.Executed(t.Context(), env, task)
		if err != nil {
			t.Fatal(err)
		}
		answer := &done.Executed[0].Answer
		for _, a := range auditTask(task, task.Expected, answer, nil) {
			if !a.OK {
				t.Errorf("%s %s as stored: %s", a.Task, a.Field, a.Reason)
			}
		}
		for _, f := range task.Answer {
			if task.Decline {
				continue
			}
			wrong := task
			wrong.Expected = maps.Clone(task.Expected)
			switch v := wrong.Expected[f.Key].(type) {
			case float64:
				wrong.Expected[f.Key] = v + max(f.Tolerance(v)/2, 1e-9*max(1, v))
				if f.Type == scenarios.Integer {
					wrong.Expected[f.Key] = v + 1
				}
			case string:
				wrong.Expected[f.Key] = v + "?"
			}
			shifted++
			for _, a := range auditTask(wrong, task.Expected, answer, nil) {
				if a.OK != (a.Field != f.Key) {
					t.Errorf("%s: with %s shifted, %s is ok: %v (%s)", a.Task, f.Key, a.Field, a.OK, a.Reason)
				}
			}
		}
	}
	if shifted < 300 {
		t.Errorf("only %d fields were shifted", shifted)
	}
}

// Gold that declines where it should answer, and the other way round, is found.
func TestAuditFindsWrongDeclines(t *testing.T) {
	suite, err := scenarios.Open("demo")
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range suite.Tasks {
		if !task.Decline {
			continue
		}
		for _, a := range auditTask(task, map[string]any{task.Answer[0].Key: 1.0}, nil, errDry) {
			if a.OK {
				t.Errorf("%s: gold that cannot run passed", a.Task)
			}
		}
	}
}
