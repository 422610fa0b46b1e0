package metric

import "testing"

func calls(tools ...string) []Call {
	var out []Call
	for i, tool := range tools {
		out = append(out, call(string(rune('a'+i)), tool, txt("of", tool)))
	}
	return out
}

func TestCorrectnessSequence(t *testing.T) {
	gold := calls("m.a", "m.b", "m.c", "m.d")
	failed := calls("m.a", "m.b")
	failed[0].Success = false
	wrong := calls("m.a", "m.b", "m.c")
	wrong[1].Arguments[0].Value = "other"
	cases := []struct {
		name string
		p    []Call
		want float64
	}{
		{"all in order", gold, 1},
		{"last first", calls("m.d", "m.a", "m.b", "m.c"), 0.75},        // a b c of a b c d
		{"backwards", calls("m.d", "m.c", "m.b", "m.a"), 0.25},         // any one
		{"others between", calls("m.a", "m.x", "m.c", "m.y"), 0.5},     // a c
		{"two swapped", calls("m.b", "m.a", "m.d", "m.c"), 0.5},        // one of each pair
		{"a failed call does not count", failed, 0.25},                 // b
		{"nor one with another argument", wrong, 0.5},                  // a c
		{"a call counts for one gold call", calls("m.a", "m.a"), 0.25}, // a
		{"none", nil, 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			wantScores(t, against(gold, c.p), map[string]float64{"correctness_sequence": c.want})
		})
	}
}

func TestCorrectnessLenient(t *testing.T) {
	gold := calls("m.a", "m.b", "m.c", "m.d")
	wrong := calls("m.a", "m.b", "m.c", "m.d")
	wrong[1].Arguments[0].Value = "other"
	cases := []struct {
		name string
		p    []Call
		want float64
	}{
		{"all", gold, 1},
		{"backwards: order costs nothing", calls("m.d", "m.c", "m.b", "m.a"), 1},
		{"a tool that gold has not", append(calls("m.a", "m.b", "m.c", "m.d"), call("x", "m.x")), 0.75},
		{"a tool never called", calls("m.a", "m.b", "m.c"), 0.75},
		{"an argument wrong", wrong, 0.75},
		{"a call repeated", calls("m.a", "m.b", "m.c", "m.d", "m.d"), 0.75},
		// The tool occurs, so gold's call is no error; of three calls of a, the second and third repeat it.
		{"repeated twice", calls("m.a", "m.b", "m.c", "m.d", "m.a", "m.a"), 0.5},
		// Two gold tools never occur, and x and y are outside: 4 errors of 4.
		{"half and half", calls("m.a", "m.b", "m.x", "m.y"), 0},
		{"never below 0", calls("m.x", "m.y", "m.z"), 0},
		{"none: four tools never occur", nil, 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			wantScores(t, against(gold, c.p), map[string]float64{"correctness_lenient": c.want})
		})
	}
}

func TestScheduleValid(t *testing.T) {
	ok, mended, bad := Submitted{Valid: true}, Submitted{Valid: true, Repaired: true}, Submitted{}
	cases := []struct {
		name         string
		versions     []Submitted
		first, final float64
	}{
		{"at once", []Submitted{ok}, 1, 1},
		{"after a repair", []Submitted{mended}, 0, 1},
		{"refused, then revised", []Submitted{bad, ok}, 0, 1},
		{"refused twice", []Submitted{bad, bad}, 0, 0},
		{"revised for the worse", []Submitted{ok, bad}, 1, 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := NewCase(Evidence{Schedules: c.versions, Gold: []Gold{{Calls: goldArea}}})
			wantScores(t, got, map[string]float64{"schedule_valid": c.first, "schedule_valid_final": c.final})
		})
	}
	for _, m := range []Metric{scheduleValid, scheduleValidFinal} {
		if v := m.Compute(against(goldArea, goldArea)); v.Value != nil || v.Reason != NoSchedule {
			t.Errorf("%s of a loop: %v %q", m.Name, v.Value, v.Reason)
		}
	}
}

// Of a version that the checker refused every statement is a call, unless another version has it unchanged.
func TestStatementsOfRefusedVersionsCount(t *testing.T) {
	refused := func(id, tool, statement string, version int) Call {
		return Call{ID: id, Tool: tool, Group: "m", Statement: statement, Schedule: version, Item: -1, Refused: true}
	}
	ran := func(c Call, statement string, version int) Call {
		c.Statement, c.Schedule = statement, version
		return c
	}
	gold := calls("m.a", "m.b")
	p := []Call{
		refused("r1", "m.a", "x = m.a()", 1), refused("r2", "m.x", "y = m.x()", 1), refused("r3", "m.y", "z = m.y()", 1),
		refused("r4", "m.a", "x = m.a()", 2), refused("r5", "m.y", "z = m.y()", 2),
		ran(gold[0], "x = m.a()", 3), ran(gold[1], "y = m.b()", 3),
	}
	// Counted: m.x of version 1, m.y once (of version 2), m.a and m.b as run: 4, of which 2 are valid and right.
	wantScores(t, against(gold, p), map[string]float64{
		"inst_acc": 0.5, "call_success": 0.5, "correctness_rate": 1, "correctness_strict": 0.5,
		"correctness_lenient": 0, // two errors: m.x and m.y are not gold's; 1 − 2/2
	})
}

func TestInvalidCallsNeverSucceed(t *testing.T) {
	c := call("p", "m.a", txt("of", "m.a"))
	c.Valid = false // and yet a result: no engine writes that
	wantScores(t, against(calls("m.a"), []Call{c}), map[string]float64{"inst_acc": 0, "call_success": 0, "correctness_rate": 0})
}
