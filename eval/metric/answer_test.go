package metric

import (
	"encoding/json"
	"math"
	"testing"
)

func one(f Field, g Given, gold any) FieldScore {
	f.Key, g.Key = "x", "x"
	return ScoreFields([]Field{f}, []Given{g}, []map[string]any{{"x": gold}}, kelvin)[0]
}

func TestScoreNumber(t *testing.T) {
	number := Field{Type: "number", Unit: "degC", AbsTol: 0.5}
	cases := []struct {
		name   string
		f      Field
		g      Given
		gold   any
		hit    bool
		score  float64
		reason string
	}{
		{"exact", number, Given{Value: 10.0}, 10.0, true, 1, ""},
		{"on the edge", number, Given{Value: 10.5}, 10.0, true, 1, ""},
		// AE = 1, λ = 0.5, n = 2: 2^-1.
		{"twice the tolerance", number, Given{Value: 11.0}, 10.0, false, 0.5, Miss},
		// AE = 1.5, n = 3: 2^-2.
		{"thrice", number, Given{Value: 8.5}, 10.0, false, 0.25, Miss},
		{"converted", number, Given{Value: 283.15, Unit: "K"}, 10.0, true, 1, ""},
		{"a difference is not shifted", Field{Type: "number", Unit: "degC", AbsTol: 0.01, Difference: true}, Given{Value: 1.2, Unit: "K"}, 1.2, true, 1, ""},
		{"another dimension", number, Given{Value: 10.0, Unit: "m"}, 10.0, false, 0, WrongUnit},
		{"relative tolerance", Field{Type: "number", Unit: "km", RelTol: 0.01}, Given{Value: 1009.0}, 1000.0, true, 1, ""},
		{"floor", Field{Type: "number", Unit: "km", RelTol: 0.01, Floor: 0.1}, Given{Value: 0.09}, 0.0, true, 1, ""},
		{"no tolerance, equal", Field{Type: "integer"}, Given{Value: 3.0}, 3.0, true, 1, ""},
		{"no tolerance, near", Field{Type: "integer"}, Given{Value: 4.0}, 3.0, false, 0, Miss},
		{"angle round the circle", Field{Type: "angle", Unit: "degree", AbsTol: 5}, Given{Value: 359.0}, 2.0, true, 1, ""},
		{"json number", number, Given{Value: json.Number("10.25")}, 10.0, true, 1, ""},
		{"thousands", Field{Type: "number", Unit: "km"}, Given{Value: "1,250 km"}, 1250.0, true, 1, ""},
		{"malformed thousands", Field{Type: "number", Unit: "km"}, Given{Value: "12,50"}, 1250.0, false, 0, WrongUnit},
	}
	for _, c := range cases {
		s := one(c.f, c.g, c.gold)
		if s.Hit != c.hit || math.Abs(s.Score-c.score) > 1e-12 || s.Reason != c.reason {
			t.Errorf("%s: hit %v, score %g, reason %q", c.name, s.Hit, s.Score, s.Reason)
		}
	}
}

func TestFieldD01SubstringScoring(t *testing.T) {
	s := one(Field{Type: "number", Unit: "km", AbsTol: 0.5}, Given{Value: "It is 100 km"}, 10.0)
	if s.Hit || s.Score != 0 {
		t.Errorf("%+v", s)
	}
}

func TestFieldD03PercentAndCurrency(t *testing.T) {
	f := Field{Type: "number", Unit: "%", AbsTol: 0.5}
	for answer, want := range map[string]bool{"42%": true, "42 percent": true, "0.42": false} {
		if s := one(f, Given{Value: answer}, 42.0); s.Hit != want {
			t.Errorf("%q: %+v", answer, s)
		}
	}
}

func TestFieldD04TrailingZeros(t *testing.T) {
	f := Field{Type: "number", Unit: "1", AbsTol: 0.001}
	for _, c := range []struct {
		gold   float64
		answer any
		want   bool
	}{{150, "15", false}, {100, "10", false}, {2.50, "2.5", true}, {150, 15.0, false}} {
		if s := one(f, Given{Value: c.answer}, c.gold); s.Hit != c.want {
			t.Errorf("gold %g, answer %v: %+v", c.gold, c.answer, s)
		}
	}
}

func TestFieldD10NullEqualsZero(t *testing.T) {
	f := Field{Type: "number", Unit: "mm", AbsTol: 0.1}
	for _, answer := range []any{nil, "", "NaN", "Infinity", "no data", math.NaN(), math.Inf(1), false} {
		if s := one(f, Given{Value: answer}, 0.0); s.Hit || s.Score != 0 || s.Reason == "" {
			t.Errorf("%v: %+v", answer, s)
		}
	}
}

func TestOtherTypes(t *testing.T) {
	cases := []struct {
		kind         string
		answer, gold any
		want         bool
	}{
		{"text", " Nairobi ", "nairobi", true},
		{"text", "Nairobi is it", "nairobi", false},
		{"boolean", "True", true, true},
		{"boolean", true, "true", true},
		{"boolean", "yes", true, false},
		{"boolean", 1.0, true, false},
		{"instant", "august", "August", true},
		{"instant", 1998.0, "1998", true},
		{"instant", "1998-08", "1998-09", false},
		{"period", "1998", "1998-01-01/1998-12-31", true},
		{"place", "MOMBASA", "Mombasa", true},
		{"place", "", "", false},
	}
	for _, c := range cases {
		if s := one(Field{Type: c.kind}, Given{Value: c.answer}, c.gold); s.Hit != c.want {
			t.Errorf("%s %v against %v: %+v", c.kind, c.answer, c.gold, s)
		}
	}
	list := Field{Type: "list", Item: "number", Unit: "mm", AbsTol: 1}
	if s := one(list, Given{Value: []any{1.0, 4.0}}, []any{1.0, 2.0}); s.Hit || s.Score != 0.75 {
		t.Errorf("a list, one item at twice the tolerance: %+v", s) // (1 + 2^-1)/2
	}
}

func TestFieldsAlignByKeyThenPosition(t *testing.T) {
	fields := []Field{{Key: "a", Type: "number"}, {Key: "b", Type: "number"}}
	right := []map[string]any{{"a": 1.0, "b": 2.0}}
	byKey := ScoreFields(fields, []Given{{Key: "b", Value: 2.0}, {Key: "z", Value: 1.0}}, right, kelvin)
	if byKey[0].Hit || !byKey[1].Hit {
		t.Errorf("by key: %+v", byKey)
	}
	byPosition := ScoreFields(fields, []Given{{Key: "y", Value: 1.0}, {Key: "z", Value: 2.0}}, right, kelvin)
	if !byPosition[0].Hit || !byPosition[1].Hit {
		t.Errorf("by position: %+v", byPosition)
	}
}

func TestAlternativesKeepTheBest(t *testing.T) {
	fields := []Field{{Key: "a", Type: "text"}}
	s := ScoreFields(fields, []Given{{Key: "a", Value: "y"}}, []map[string]any{{"a": "x"}, {"a": "y"}}, kelvin)
	if !s[0].Hit || s[0].Gold != "y" {
		t.Errorf("%+v", s)
	}
}

func TestFieldD26RequiredActionMissing(t *testing.T) {
	hit := []FieldScore{{Key: "a", Hit: true, Score: 1}}
	c := NewCase(Evidence{Fields: hit, Missing: []string{"call of plot.map"}})
	if c.Succeeded() {
		t.Error("a missing effect is a success")
	}
	if c := NewCase(Evidence{Fields: hit}); !c.Succeeded() {
		t.Error("every field hit and nothing missing is no success")
	}
}

func TestSuccessBound(t *testing.T) {
	field := func(hit, bound bool) FieldScore { return FieldScore{Hit: hit, Bound: bound} }
	cases := []struct {
		fields  []FieldScore
		success float64
		bound   float64
	}{
		{[]FieldScore{field(true, true), field(true, true)}, 1, 1},
		{[]FieldScore{field(true, true), field(true, false)}, 1, 0},
		{[]FieldScore{field(true, true), field(false, true)}, 0, 0},
	}
	for _, c := range cases {
		wantScores(t, NewCase(Evidence{Fields: c.fields}), map[string]float64{"success": c.success, "success_bound": c.bound})
	}
}

func FuzzReadNumber(f *testing.F) {
	for _, s := range []string{"42", "1,250 km2", "-3.5e2", "NaN", "1e999", "−4 degC", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if v, _, ok := ReadNumber(s); ok && (math.IsNaN(v) || math.IsInf(v, 0)) {
			t.Fatalf("%q is %v", s, v)
		}
	})
}
