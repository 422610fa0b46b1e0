package eval

import (
	"fmt"
	"math"
	"testing"
	"time"

	"almanac/eval/metric"
	"almanac/eval/runlog"
	"almanac/orchestrator/event"
	"almanac/scenarios"
)

func near(t *testing.T, what string, got *float64, want float64) {
	t.Helper()
	if got == nil || math.Abs(*got-want) > 1e-12 {
		t.Errorf("%s: %v, want %v", what, show(got), want)
	}
}

func show(v *float64) string {
	if v == nil {
		return "nothing"
	}
	return fmt.Sprint(*v)
}

// traced is an episode with a gold of the given tools and what a trace says.
func traced(task string, repeat int, gold []string, trace *Trace) *EpisodeResult {
	c := &metric.Case{}
	for _, g := range gold {
		c.Gold = append(c.Gold, metric.Call{Tool: g})
	}
	return &EpisodeResult{Task: &Task{Task: scenarios.Task{ID: task, Template: task}}, Repeat: repeat, Scores: &Scores{Case: c, Trace: trace}}
}

// Worked by hand. Task t, gold tools a and b. First query ranks c, a, d, b (by score, logged in another order) and shows
// c and a; the second ranks b, c and shows b, c, d, e.
// Recall@1: {c} ∪ {b} holds b: 1/2. Recall@3: {c, a, d} ∪ {b, c} holds both: 1. Of what was shown: {c, a} ∪ {b, …}: 1.
// MRR: (1/2 + 1/1)/2 = 3/4. Set size: (2 + 4)/2 = 3.
// Task u, gold a, one query that logs no scores and shows b, a: recall@1 0, @3 1, MRR 1/2, size 2.
// A task to decline, without gold, adds to the set size only: it shows 1 tool.
// Means over tasks: recall@1 (1/2 + 0)/2 = 1/4, recall@3 1, MRR (3/4 + 1/2)/2 = 5/8, size (3 + 2 + 1)/3 = 2.
func TestSelectionByHand(t *testing.T) {
	first := &event.ToolSelection{Chosen: []string{"c", "a"}, Scores: []event.ToolScore{{Tool: "b", Score: 1}, {Tool: "a", Score: 3}, {Tool: "d", Score: 2}, {Tool: "c", Score: 4}}}
	second := &event.ToolSelection{Chosen: []string{"b", "c", "d", "e"}, Scores: []event.ToolScore{{Tool: "b", Score: 2}, {Tool: "c", Score: 1}}}
	s := selection([]*EpisodeResult{
		traced("t", 0, []string{"a", "b", "a"}, &Trace{Selected: []*event.ToolSelection{first, second}}),
		traced("u", 0, []string{"a"}, &Trace{Selected: []*event.ToolSelection{{Chosen: []string{"b", "a"}}}}),
		traced("v", 0, nil, &Trace{Selected: []*event.ToolSelection{{Chosen: []string{"x"}}}}),
		traced("w", 0, []string{"a"}, &Trace{}), // selected nothing
	})
	if s.Episodes != 3 || s.Queries != 4 {
		t.Errorf("%d episodes, %d queries", s.Episodes, s.Queries)
	}
	near(t, "recall@1", s.RecallAt[0], 0.25)
	near(t, "recall@3", s.RecallAt[1], 1)
	near(t, "recall of what was shown", s.Recall, 1)
	near(t, "MRR", s.MRR, 0.625)
	near(t, "set size", s.SetSize, 2)
}

// Three calls: from 0 to 4 s, from 1 to 3 s, from 6 to 7 s. They work 4 + 2 + 1 = 7 s while 4 + 1 = 5 s pass.
func TestOverlapByHand(t *testing.T) {
	at := func(s int) time.Time { return time.Unix(int64(s), 0) }
	busy, covered := overlap([]Span{{Began: at(6), Ended: at(7)}, {Began: at(0), Ended: at(4)}, {Began: at(1), Ended: at(3)}, {Began: at(9), Ended: at(8)}})
	if busy != 7 || covered != 5 {
		t.Errorf("%v, %v", busy, covered)
	}
}

func TestLeaks(t *testing.T) {
	own := map[string]bool{"hot-days-2012": true, "hot-days": true}
	for entry, want := range map[string]bool{"hot-days-2012": true, "memory/hot-days": true, "seed:hot-days-2012#1": true, "hot-days-2013": false, "very-hot-days": false} {
		if leaks(entry, own) != want {
			t.Errorf("%s: %v", entry, !want)
		}
	}
}

// Domains of a task put it into each of their strata; lengths and toolsets are counted as the page says.
func TestStrata(t *testing.T) {
	calls := func(n int) *Task { return &Task{Executed: []Executed{{Calls: make([]ExecutedCall, n)}}} }
	for n, want := range map[int]string{1: "1 call", 2: "2–3 calls", 3: "2–3 calls", 4: "4–6 calls", 7: "7 calls or more"} {
		if got := lengthOf(calls(n)); got != want {
			t.Errorf("%d calls: %s", n, got)
		}
	}
	for n, want := range map[int]string{0: "every tool", 10: "up to 10", 11: "11–50", 51: "51–100", 200: "101–200", 201: "more than 200"} {
		if got := toolsetOf(&Task{Task: scenarios.Task{Tools: make([]string, n)}}); got != want {
			t.Errorf("%d tools: %s", n, got)
		}
	}
	ref, other := runlog.Arm{Setup: "single"}, runlog.Arm{Setup: "squad"}
	r := &Results{Manifest: runlog.Manifest{Arms: []runlog.Arm{ref, other}}}
	add := func(arm runlog.Arm, task *Task, solved bool) {
		e := &EpisodeResult{Arm: arm, Task: task, Scores: &Scores{Case: &metric.Case{Fields: []metric.FieldScore{{Hit: solved}}}, Trace: &Trace{}, Metrics: map[string]metric.Value{}}}
		for _, name := range compared {
			m, _ := metric.Find(name)
			e.Scores.Metrics[name] = m.Compute(e.Scores.Case)
		}
		r.Episodes = append(r.Episodes, e)
	}
	r.Tasks = make([]Task, 4)
	for i := range r.Tasks {
		r.Tasks[i].Task = scenarios.Task{ID: fmt.Sprint("t", i), Template: fmt.Sprint("t", i), Track: "fundamentals", Domains: [][]string{{"ocean"}, {"land"}, {"ocean", "land"}, {"ocean"}}[i]}
		add(ref, &r.Tasks[i], false)
		add(other, &r.Tasks[i], i%2 == 0)
	}
	r.compare()
	r.strata()
	// squad solves t0 and t2: of the ocean's t0, t2, t3 that is 2/3, of the land's t1, t2 1/2.
	want := map[string]float64{"ocean": 2. / 3, "land": 0.5, "fundamentals": 0.5}
	found := 0
	for _, p := range r.Strata[0].Parts {
		if v, ok := want[p.Value]; ok {
			found++
			near(t, p.Value, p.Diff, v)
		}
	}
	if found != len(want) {
		t.Errorf("%d strata of %d", found, len(want))
	}
}
