package recall_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"unicode"

	"almanac/internal/workspace"
	"almanac/memory"
	"almanac/memory/recall"
	"almanac/scenarios"
)

func plain(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), " ")
}

func open(t *testing.T) *workspace.Workspace {
	t.Helper()
	w, err := workspace.Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// At least seven questions for each tool, 300 in all, half and half, none twice.
func TestEveryToolHasQuestions(t *testing.T) {
	all, err := recall.Questions("")
	if err != nil || len(all) < 300 {
		t.Fatalf("%d questions, %v", len(all), err)
	}
	count, seen := map[string]int{}, map[string]bool{}
	for _, q := range all {
		count[q.Tool]++
		if p := plain(q.Text); seen[p] || p == "" {
			t.Errorf("%q stands twice, or is empty", q.Text)
		} else {
			seen[p] = true
		}
	}
	for _, x := range open(t).Tools.Tools() {
		if count[x.Name] < 7 {
			t.Errorf("%s: %d questions", x.Name, count[x.Name])
		}
		delete(count, x.Name)
	}
	for name := range count {
		t.Errorf("%s is no tool", name)
	}
}

// Nobody is asked what is known beforehand: a held-out question is neither an example nor a task, and an example is not a
// task either, in any suite.
func TestQuestionsAreOfTheirOwn(t *testing.T) {
	held, err := recall.Questions("")
	if err != nil {
		t.Fatal(err)
	}
	from := map[string]string{}
	for _, q := range held {
		from[plain(q.Text)] = "a held-out question of " + q.Tool
	}
	for _, x := range open(t).Tools.Tools() {
		if len(x.Examples) < 5 {
			t.Errorf("%s has %d example questions; at least five are wanted", x.Name, len(x.Examples))
		}
		for _, e := range x.Examples {
			if other := from[plain(e)]; other != "" {
				t.Errorf("%q of %s is %s", e, x.Name, other)
			}
			from[plain(e)] = "an example question of " + x.Name
		}
	}
	for _, name := range scenarios.Suites() {
		suite, err := scenarios.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		tasks, err := suite.Select(scenarios.Selection{Wording: "all"})
		if err != nil || len(tasks) == 0 {
			t.Fatalf("%s: %d tasks, %v", name, len(tasks), err)
		}
		for _, task := range tasks {
			if other := from[plain(task.Question)]; other != "" {
				t.Errorf("%s: %s asks %s: %q", name, task.ID, other, task.Question)
			}
		}
	}
}

// What the ranking by words finds, measured once. It may not get worse than this unseen.
func TestRecallOfWords(t *testing.T) {
	index := memory.NewLexical(open(t).Tools.Tools())
	for half, least := range map[string]float64{recall.Dev: 0.88} {
		questions, err := recall.Questions(half)
		if err != nil {
			t.Fatal(err)
		}
		out, err := recall.Measure(t.Context(), index, questions, 1000)
		if err != nil {
			t.Fatal(err)
		}
		if got := recall.At(out, 5); got < least {
			t.Errorf("%s: of %d questions %.3f have their tool among the first five, less than %.3f", half, len(out), got, least)
		}
	}
}

// listed answers every question with the same tools.
type listed []string

func (l listed) Query(_ context.Context, _ string, k int, _ func(string) bool) ([]memory.Hit, error) {
	var out []memory.Hit
	for _, tool := range l[:min(k, len(l))] {
		out = append(out, memory.Hit{Tool: tool})
	}
	return out, nil
}

// Worked by hand: the tools of three questions come 1st, 2nd and not at all.
func TestFigures(t *testing.T) {
	questions := []recall.Question{{Tool: "x.a", Text: "1"}, {Tool: "x.b", Text: "2"}, {Tool: "x.c", Text: "3"}}
	out, err := recall.Measure(t.Context(), listed{"x.a", "x.b"}, questions, 9)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ got, want float64 }{{recall.At(out, 1), 1. / 3}, {recall.At(out, 2), 2. / 3}, {recall.At(out, 9), 2. / 3}, {recall.MRR(out), 0.5}} {
		if math.Abs(c.got-c.want) > 1e-12 {
			t.Errorf("%v, want %v", c.got, c.want)
		}
	}
	if !math.IsNaN(recall.At(nil, 1)) || !math.IsNaN(recall.MRR(nil)) {
		t.Error("a share of nothing is a number")
	}
	if _, err := recall.Questions("third"); err == nil {
		t.Error("there is a third half")
	}
}

func Example() {
	questions, err := recall.Questions(recall.Test)
	fmt.Println(len(questions), questions[0].Agent(), err)
	// Output: 160 compute <nil>
}
