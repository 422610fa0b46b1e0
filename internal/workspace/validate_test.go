package workspace_test

import (
	"context"
	"errors"
	"testing"

	"almanac/internal/workspace"
	"almanac/scenarios"
	"almanac/toolkits"
)

func engine(t *testing.T) *scenarios.Engine {
	t.Helper()
	w, err := workspace.Open(&workspace.Options{UserData: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	env, err := w.Env(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	e, err := w.Engine(context.Background(), env)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Every suite that comes with the program keeps the rules for tasks.
func TestSuitesAreSound(t *testing.T) {
	e := engine(t)
	for _, name := range scenarios.Suites() {
		s, err := scenarios.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if s.Tasks[0].Distractors > 0 {
			continue // the tasks of another suite
		}
		e := *e
		if len(s.Tasks) > 100 {
			// The search over every task takes long: TestCoreLeavesAChoice does it, with the build tag oracles.
			e.Alternatives = nil
		}
		for _, f := range scenarios.Validate(s, &e) {
			t.Errorf("%s: %s", name, f)
		}
	}
}

// What a question leaves open is counted: with one tool there is one answer; where nothing says which value of a
// region is meant, its mean, least and largest differ.
func TestEngineCountsOpenAnswers(t *testing.T) {
	e := engine(t)
	km := scenarios.Field{Key: "stretch", Type: scenarios.Number, Unit: "km", RelTol: 0.01}
	warmth := scenarios.Field{Key: "warmth", Type: scenarios.Number, Unit: "degC", AbsTol: 0.1}
	cases := []struct {
		name string
		task scenarios.Task
		ok   func(int) bool
	}{
		{"one tool", scenarios.Task{ID: "a", Question: "How far is it from Nairobi to Mombasa?", Answer: []scenarios.Field{km}, Tools: []string{"gis.distance"}}, func(n int) bool { return n == 1 }},
		{"several values", scenarios.Task{ID: "b", Question: "What is the sea surface temperature of Nino 3.4 in January?", Answer: []scenarios.Field{warmth}}, func(n int) bool { return n >= 2 }},
		{"no tool", scenarios.Task{ID: "c", Question: "How far is it from Nairobi to Mombasa?", Answer: []scenarios.Field{km}, Tools: []string{"simulation.scs_runoff"}}, func(n int) bool { return n == 0 }},
	}
	for _, c := range cases {
		n, err := e.Alternatives(c.task)
		if err != nil || !c.ok(n) {
			t.Errorf("%s: %d answers, %v", c.name, n, err)
		}
	}
}

// A far wording that takes a word from a gold tool's examples is found.
func TestEngineFindsWordsOfTheDocumentation(t *testing.T) {
	e := engine(t)
	s, err := scenarios.Open("starter")
	if err != nil {
		t.Fatal(err)
	}
	for i := range s.Tasks {
		for k := range s.Tasks[i].Paraphrases {
			if p := &s.Tasks[i].Paraphrases[k]; p.Far && s.Tasks[i].Template == "growing-season" {
				p.Text += " Did the maize ripen?"
			}
		}
	}
	found := 0
	for _, f := range scenarios.Validate(s, &scenarios.Engine{Documentation: e.Documentation}) {
		if f.Rule == "far" && f.Msg == "it shares maiz, ripen with the documentation of simulation.degree_days" {
			found++
		}
	}
	if found != 2 {
		t.Errorf("%d findings, want one for each task of the template", found)
	}
}

// Distractors stand beside the tools for everybody, and a call of one fails as unavailable.
func TestAmongDistractors(t *testing.T) {
	plain, err := workspace.Open(&workspace.Options{UserData: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	w, err := plain.Among(50)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(w.Tools.Tools()) - len(plain.Tools.Tools()); n != 50 {
		t.Errorf("%d tools more, want 50", n)
	}
	team, err := w.Team()
	if err != nil {
		t.Fatal(err)
	}
	env, err := w.Env(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	called := 0
	for _, tool := range w.Tools.Tools() {
		if _, ok := team.Catalog.Signature(tool.Name); !ok {
			t.Errorf("the team does not know %s", tool.Name)
		}
		if _, err := plain.Tools.Tool(tool.Name); err == nil || tool.Agent != "gis" || len(tool.Params) == 0 || tool.Params[0].Name != "a" {
			continue
		}
		called++
		args := map[string]toolkits.Value{"a": {Kind: toolkits.KindPlace, Text: "Oslo"}, "b": {Kind: toolkits.KindPlace, Text: "Bergen"}}
		_, _, err := w.Call(t.Context(), env, tool.Name, args)
		if e := (*toolkits.Error)(nil); !errors.As(err, &e) || e.Code != toolkits.Unavailable {
			t.Errorf("%s: got %v, want it to be unavailable", tool.Name, err)
		}
	}
	if called == 0 {
		t.Error("no distractor was called")
	}
	if same, err := w.Among(20); err != nil || same != w {
		t.Errorf("fewer than there are: %v, %v", same == w, err)
	}
	if _, err := plain.Among(100_000); err == nil {
		t.Error("more than there can be was not refused")
	}
}
