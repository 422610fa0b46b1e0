package scenarios_test

import (
	"errors"
	"strings"
	"testing"

	"almanac/scenarios"

	"github.com/google/go-cmp/cmp"
)

// small is a suite of two templates: a with three tasks, b with one.
func small() *scenarios.Suite {
	s := &scenarios.Suite{Name: "small"}
	for _, id := range []string{"a1", "a2", "a3", "b1"} {
		s.Tasks = append(s.Tasks, scenarios.Task{ID: id, Template: id[:1], Split: map[string]string{"a": "dev", "b": "test"}[id[:1]],
			Question: "Q " + id, Paraphrases: []scenarios.Phrase{{Text: "near"}, {Text: "far", Far: true}}})
	}
	return s
}

func TestSelect(t *testing.T) {
	cases := []struct {
		sel  scenarios.Selection
		want string
	}{
		{scenarios.Selection{}, "a1 a2 a3 b1"},
		{scenarios.Selection{Limit: 2}, "a1 b1"},
		{scenarios.Selection{Limit: 3}, "a1 a2 b1"},
		{scenarios.Selection{Limit: 9}, "a1 a2 a3 b1"},
		{scenarios.Selection{Tasks: "dev/*"}, "a1 a2 a3"},
		{scenarios.Selection{Tasks: "b*"}, "b1"},
		{scenarios.Selection{Tasks: "test/b1"}, "b1"},
		{scenarios.Selection{Wording: "far"}, "a1~2 a2~2 a3~2 b1~2"},
		{scenarios.Selection{Wording: "all", Tasks: "test/*"}, "b1 b1~1 b1~2"},
		{scenarios.Selection{Tasks: "dev/a1~1"}, "a1~1"},
		{scenarios.Selection{Tasks: "*~2", Limit: 1}, "a1~2"},
	}
	for _, c := range cases {
		tasks, err := small().Select(c.sel)
		if err != nil {
			t.Errorf("%+v: %v", c.sel, err)
			continue
		}
		var ids []string
		for _, x := range tasks {
			ids = append(ids, x.ID)
		}
		if d := cmp.Diff(c.want, strings.Join(ids, " ")); d != "" {
			t.Errorf("%+v (-want +got):\n%s", c.sel, d)
		}
	}
}

func TestSelectRefuses(t *testing.T) {
	for _, sel := range []scenarios.Selection{{Tasks: "none/*"}, {Tasks: "["}, {Wording: "fat"}, {Limit: -1}} {
		if tasks, err := small().Select(sel); err == nil {
			t.Errorf("%+v selected %d tasks", sel, len(tasks))
		}
	}
	if _, err := small().Select(scenarios.Selection{Tasks: "none/*"}); !errors.Is(err, scenarios.ErrNoTask) {
		t.Errorf("got %v", err)
	}
}

func TestTask(t *testing.T) {
	for id, want := range map[string]string{"a2": "Q a2", "dev/a2": "Q a2", "a2~2": "far", "test/b1~1": "near"} {
		if task, err := small().Task(id); err != nil || task.Question != want {
			t.Errorf("%s: %q, %v", id, task.Question, err)
		}
	}
	for _, id := range []string{"a9", "a2~3", "test/a2", "", "~"} {
		if _, err := small().Task(id); !errors.Is(err, scenarios.ErrNoTask) {
			t.Errorf("%q: %v", id, err)
		}
	}
	if _, err := small().Task("dev/a22"); !strings.Contains(err.Error(), "dev/a2") {
		t.Errorf("no near name: %v", err)
	}
}

// The hash changes with whatever can change a result, and with nothing else.
func TestHash(t *testing.T) {
	base := small().Hash()
	if base != small().Hash() || len(base) != 64 {
		t.Fatalf("hash %s is not stable", base)
	}
	changes := map[string]func(*scenarios.Task){
		"question":  func(t *scenarios.Task) { t.Question += "?" },
		"tolerance": func(t *scenarios.Task) { t.Answer = []scenarios.Field{{Key: "x", AbsTol: 1e-9}} },
		"expected":  func(t *scenarios.Task) { t.Expected = map[string]any{"x": 1.0} },
		"gold":      func(t *scenarios.Task) { t.Gold = []scenarios.Gold{{Text: "x"}} },
		"slot":      func(t *scenarios.Task) { t.Slots = []scenarios.Slot{{Name: "x"}} },
		"budget":    func(t *scenarios.Task) { t.Budget.Tokens = 1 },
	}
	for name, change := range changes {
		s := small()
		change(&s.Tasks[2])
		if s.Hash() == base {
			t.Errorf("a changed %s leaves the hash as it is", name)
		}
	}
	moved := small()
	moved.Tasks[0].File, moved.Tasks[0].Line = "elsewhere.yaml", 7
	if moved.Hash() != base {
		t.Error("the place of a file changes the hash")
	}
}

func TestDemo(t *testing.T) {
	demo, starter := open(t, "demo"), open(t, "starter")
	templates := map[string]bool{}
	for _, task := range demo.Tasks {
		templates[task.Template] = true
		same, err := starter.Task(task.ID)
		if err != nil || scenarios.HashTasks([]scenarios.Task{same}) != scenarios.HashTasks([]scenarios.Task{task}) {
			t.Errorf("%s is not the task of the starter suite: %v", task.ID, err)
		}
		if task.Split == "dev" {
			t.Errorf("%s is in the dev part, on which prompts are tuned", task.ID)
		}
	}
	if len(demo.Tasks) != 8 || len(templates) != 8 {
		t.Errorf("%d tasks of %d templates, want 8 of 8", len(demo.Tasks), len(templates))
	}
}
