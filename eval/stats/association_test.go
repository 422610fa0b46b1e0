package stats

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"

	"pgregory.net/rapid"
)

// association is what scripts/oracles/association_fixture.py writes.
type association struct {
	Correlation []struct {
		X, Y              []float64
		Pearson, Spearman float64
	}
	Kappa []struct {
		A, B          []string
		Kappa, Lo, Hi float64
	}
	Logistic []struct {
		Rows          [][]float64
		Outcome       []bool
		Coefficients  []float64
		McFadden, AUC float64
	}
	Repeats []struct {
		Tries  [][]bool
		K      int
		Pass   float64
		All    float64
		PlugIn float64 `json:"plug_in"`
	}
}

func TestAssociationOracles(t *testing.T) {
	data, err := os.ReadFile("testdata/association.json")
	if err != nil {
		t.Fatal(err)
	}
	var want association
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	for _, c := range want.Correlation {
		p, why := Pearson(c.X, c.Y)
		s, why2 := Spearman(c.X, c.Y)
		if p == nil || s == nil {
			t.Fatal(why, why2)
		}
		near(t, "pearson", *p, c.Pearson, 1e-12)
		near(t, "spearman", *s, c.Spearman, 1e-12)
	}
	for _, c := range want.Kappa {
		a := Agree(c.A, c.B)
		if a.Kappa == nil {
			t.Fatal(a.Reason)
		}
		near(t, "kappa", *a.Kappa, c.Kappa, 1e-12)
		near(t, "kappa lo", *a.Lo, math.Max(-1, c.Lo), 1e-9)
		near(t, "kappa hi", *a.Hi, math.Min(1, c.Hi), 1e-9)
	}
	for _, c := range want.Logistic {
		var names []string
		for i := range c.Rows[0] {
			names = append(names, fmt.Sprint(i))
		}
		l := Regress(names, c.Rows, c.Outcome)
		if l.AUC == nil {
			t.Fatal(l.Reason)
		}
		near(t, "intercept", l.Intercept, c.Coefficients[0], 1e-7)
		for i, b := range l.Coefficients {
			near(t, "coefficient", b, c.Coefficients[i+1], 1e-7)
		}
		near(t, "mcfadden", *l.McFadden, c.McFadden, 1e-9)
		near(t, "auc", *l.AUC, c.AUC, 1e-12)
	}
	for _, c := range want.Repeats {
		var tries []Tries
		for i, s := range c.Tries {
			tries = append(tries, Tries{Task: fmt.Sprint(i), Solved: s})
		}
		r := OverRepeats(tries, c.K)
		if r.Pass == nil {
			t.Fatal(r.Reason)
		}
		near(t, "pass@k", *r.Pass, c.Pass, 1e-12)
		near(t, "pass^k", *r.All, c.All, 1e-12)
		near(t, "plug-in", *r.PlugIn, c.PlugIn, 1e-12)
	}
}

// By hand: of 5 repeats of one task, 2 solved it. pass@1 = 2/5, pass@3 = 1 − C(3,3)/C(5,3) = 9/10, pass@5 = 1. Gain is
// (1 − 2/5)/1 = 3/5; the mean of the three is 23/30, their population variance 31/450 (deviations −11/30, 4/30, 7/30).
func TestStable(t *testing.T) {
	s := Stable([]Tries{{Solved: []bool{true, false, false, true, false}}})
	if s.Gain == nil {
		t.Fatal(s.Reason)
	}
	spread := math.Sqrt((121.0+16+49)/900/3) / (23.0 / 30)
	near(t, "gain", *s.Gain, 0.6, 1e-12)
	near(t, "spread", *s.Spread, spread, 1e-12)
	near(t, "sa by gain", *s.SAGain, 1/1.6, 1e-12)
	near(t, "sa by spread", *s.SASpread, 1/(1+spread), 1e-12)
	if s := Stable([]Tries{{Solved: make([]bool, 5)}}); s.Gain != nil || s.Reason != NeverSolved {
		t.Errorf("never solved: %+v", s)
	}
	if s := Stable([]Tries{{Solved: make([]bool, 4)}}); s.Gain != nil || s.Reason != FewRepeats {
		t.Errorf("four repeats: %+v", s)
	}
	half := 0.5
	if e := Efficiency(&half, 2000); e == nil || *e != 0.00025 {
		t.Errorf("efficiency %v", e)
	}
	if Efficiency(&half, 0) != nil || Efficiency(nil, 5) != nil || Efficiency(&half, math.NaN()) != nil {
		t.Error("an efficiency against nothing")
	}
}

func TestUndefinedAssociations(t *testing.T) {
	if r, why := Pearson([]float64{1, 2}, []float64{2, 1}); r != nil || why != FewValues {
		t.Error(r, why)
	}
	if r, why := Spearman([]float64{1, 1, 1}, []float64{2, 1, 3}); r != nil || why != NoVariation {
		t.Error(r, why)
	}
	if a := Agree([]string{"x", "x"}, []string{"x", "x"}); a.Kappa != nil || a.Reason != NoVariation || a.Raw != 1 {
		t.Errorf("chance alone agrees: %+v", a)
	}
	rows := [][]float64{{1}, {2}, {3}, {4}, {5}, {6}}
	for why, outcome := range map[string][]bool{
		Separable:  {false, false, false, true, true, true},
		NoOutcomes: {true, true, true, true, true, true},
	} {
		if l := Regress([]string{"x"}, rows, outcome); l.AUC != nil || l.Reason != why || l.Coefficients != nil {
			t.Errorf("%s: %+v", why, l)
		}
	}
	mixed := []bool{false, true, false, true, false, true}
	if l := Regress([]string{"x"}, [][]float64{{1}, {1}, {1}, {1}, {1}, {1}}, mixed); l.Reason != NoVariation || len(l.Dropped) != 1 {
		t.Errorf("a constant: %+v", l)
	}
	if l := Regress([]string{"x"}, rows[:2], mixed[:2]); l.Reason != FewRows {
		t.Errorf("two rows: %+v", l)
	}
}

// A column that is another one in other units says nothing new: it is dropped, and named.
func TestCopiedColumnIsDropped(t *testing.T) {
	var rows [][]float64
	var outcome []bool
	for i := range 40 {
		x := float64(i % 7)
		rows = append(rows, []float64{x, 100 - 3*x, float64(i % 3)})
		outcome = append(outcome, (i*i+3*i)%8 < 3)
	}
	l := Regress([]string{"x", "x in other units", "y"}, rows, outcome)
	if len(l.Dropped) != 1 || l.Dropped[0] != "x in other units" || len(l.Columns) != 2 {
		t.Errorf("%+v", l)
	}
}

// Whatever the numbers, figures are in range or there is none.
func TestAssociationsInRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 12).Draw(t, "n")
		values := rapid.SliceOfN(rapid.Float64(), n, n)
		x, y := values.Draw(t, "x"), values.Draw(t, "y")
		for _, f := range []func(a, b []float64) (*float64, string){Pearson, Spearman} {
			if r, why := f(x, y); r == nil && why == "" || r != nil && !(*r >= -1 && *r <= 1) {
				t.Fatalf("%v %s", r, why)
			}
		}
		outcome := rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, "outcome")
		var rows [][]float64
		for i := range x {
			rows = append(rows, []float64{x[i], y[i]})
		}
		l := Regress([]string{"x", "y"}, rows, outcome)
		if l.AUC == nil && l.Reason == "" || l.AUC != nil && !(*l.AUC >= 0 && *l.AUC <= 1) || l.McFadden != nil && !(*l.McFadden <= 1) {
			t.Fatalf("%+v", l)
		}
		k := rapid.IntRange(-1, 14).Draw(t, "k")
		if p, ok := PassAtK(n, rapid.IntRange(0, n).Draw(t, "c"), k); ok && !(p >= 0 && p <= 1) {
			t.Fatal(p)
		}
	})
}
