package metric

import "testing"

func opening(id string, args ...Argument) Call {
	return call(id, "data.open", append([]Argument{txt("dataset", "coads"), txt("variable", "sst")}, args...)...)
}

func TestDataAccessError(t *testing.T) {
	region := func(w, s, e, n float64) Argument {
		return Argument{Name: "region", Rule: RuleBox, Value: []any{w, s, e, n}}
	}
	period := func(p string) Argument { return Argument{Name: "period", Rule: RulePeriod, Value: p} }
	null := func(name string) Argument { return Argument{Name: name, Rule: RuleNull, Default: true} }
	level := func(m float64) Argument { return Argument{Name: "level", Rule: RuleNumber, Value: m, Unit: "m"} }
	hashed := func(c Call, h string) Call {
		c.Contents = []string{h}
		return c
	}
	failed := opening("p", period("1998"))
	failed.Success = false
	other := opening("p", period("1998"))
	other.Arguments[1].Value = "air"
	cases := []struct {
		name string
		g, p Call
		want float64
	}{
		{"the same", opening("g", period("1998")), opening("p", period("1998")), 0},
		{"the same, spelt otherwise", opening("g", period("1998")), opening("p", period("1998-01/1998-12")), 0},
		{"a year contains its month", opening("g", period("1998-08")), opening("p", period("1998")), 0},
		{"a month does not contain its year", opening("g", period("1998")), opening("p", period("1998-08")), 1},
		{"a period left out is all of it", opening("g", period("1998")), opening("p", null("period")), 0},
		{"all of it is not in a year", opening("g", null("period")), opening("p", period("1998")), 1},
		{"a larger box", opening("g", region(10, 0, 20, 10)), opening("p", region(5, -5, 25, 15)), 0},
		{"a smaller box", opening("g", region(5, -5, 25, 15)), opening("p", region(10, 0, 20, 10)), 1},
		{"a box that sticks out", opening("g", region(10, 0, 20, 10)), opening("p", region(12, -5, 25, 15)), 1},
		{"over the date line", opening("g", region(175, 0, -175, 10)), opening("p", region(170, -5, -170, 15)), 0},
		{"not over the date line", opening("g", region(175, 0, -175, 10)), opening("p", region(-170, -5, 170, 15)), 1},
		{"the globe", opening("g", region(350, 0, 370, 10)), opening("p", region(-180, -90, 180, 90)), 0},
		{"other longitudes", opening("g", region(350, 0, 355, 10)), opening("p", region(-15, -5, 0, 15)), 0},
		{"no region", opening("g", region(10, 0, 20, 10)), opening("p"), 0},
		{"another level", opening("g", level(100)), opening("p", level(200)), 1},
		{"no level", opening("g", level(100)), opening("p"), 1},
		{"another variable", opening("g", period("1998")), other, 1},
		{"failed", opening("g", period("1998")), failed, 1},
		{"the same content by other arguments", hashed(opening("g", level(0)), "h"), hashed(opening("p", level(5)), "h"), 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			wantScores(t, against([]Call{c.g}, []Call{c.p}), map[string]float64{"data_access_error": c.want})
		})
	}
	// One of two selections opened; the call that selects nothing is none.
	gold := []Call{opening("g1", period("1998")), opening("g2", period("1999")), call("g3", "gis.area", txt("zones", "Kenya"))}
	wantScores(t, against(gold, gold[:1]), map[string]float64{"data_access_error": 0.5})
	if v := dataAccessError.Compute(against(gold[2:], nil)); v.Value != nil || v.Reason != NoSelection {
		t.Errorf("gold that opens nothing: %v %q", v.Value, v.Reason)
	}
}

func TestDetectionF1(t *testing.T) {
	// A 10 × 10 box moved by 5: 50 / 150 = 1/3; by 3: 70 / 130 = 0.538; half of it: 50 / 100 = 0.5.
	square := func(x, y float64) Box { return Box{x, y, x + 10, y + 10} }
	cases := []struct {
		name        string
		found, true []Box
		want        float64
	}{
		{"all", []Box{square(0, 0), square(50, 50)}, []Box{square(50, 50), square(0, 0)}, 1},
		{"moved by 3", []Box{square(3, 0)}, []Box{square(0, 0)}, 1},
		{"moved by 5", []Box{square(5, 0)}, []Box{square(0, 0)}, 0},
		{"exactly half", []Box{{0, 0, 10, 5}}, []Box{square(0, 0)}, 1},
		{"one of two", []Box{square(0, 0)}, []Box{square(0, 0), square(50, 50)}, 2.0 / 3}, // P = 1, R = 1/2
		{"one too many", []Box{square(0, 0), square(90, 0), square(90, 90)}, []Box{square(0, 0)}, 0.5},
		{"twice the same", []Box{square(0, 0), square(1, 0)}, []Box{square(0, 0)}, 2.0 / 3},
		{"nothing found", nil, []Box{square(0, 0)}, 0},
		{"nothing there, nothing found", nil, nil, 1},
		{"nothing there", []Box{square(0, 0)}, nil, 0},
		{"without area", []Box{{0, 0, 0, 10}}, []Box{{0, 0, 0, 10}}, 0},
		// The first found box fits both, the second only the first true one: the pairing must not be greedy.
		{"paired as well as possible", []Box{{0, 0, 10, 10}, {-3, 0, 7, 10}}, []Box{{-1, 0, 9, 10}, {3, 0, 13, 10}}, 1},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := NewCase(Evidence{Objects: &Objects{Found: c.found, True: c.true}})
			wantScores(t, got, map[string]float64{"detection_f1": c.want})
		})
	}
	if v := detectionF1.Compute(NewCase(Evidence{})); v.Value != nil || v.Reason != NoObjects {
		t.Errorf("no objects asked for: %v %q", v.Value, v.Reason)
	}
}

func TestBoxFields(t *testing.T) {
	f := Field{Type: "list", Item: BoxItem}
	gold := []any{[]any{0.0, 0.0, 10.0, 10.0}, []any{50.0, 50.0, 60.0, 60.0}}
	if s := one(f, Given{Value: []any{gold[1], gold[0]}}, gold); !s.Hit || s.Score != 1 {
		t.Errorf("all boxes in another order: %+v", s)
	}
	if s := one(f, Given{Value: []any{gold[1]}}, gold); s.Hit || s.Score != 2.0/3 || s.Reason != Miss {
		t.Errorf("one of two: %+v", s)
	}
	for _, bad := range []any{"no", []any{1.0}, []any{[]any{10.0, 0.0, 0.0, 10.0}}} {
		if s := one(f, Given{Value: bad}, gold); s.Score != 0 || s.Reason != Unreadable {
			t.Errorf("%v: %+v", bad, s)
		}
	}
}
