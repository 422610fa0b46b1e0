package stats

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"
)

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if math.IsNaN(got) || math.Abs(got-want) > tol {
		t.Errorf("%s = %.15g, want %.15g ± %g", what, got, want, tol)
	}
}

type oracle struct {
	Student []struct {
		X      []float64
		Lo, Hi float64
	}
	BCa []struct {
		X          []float64
		Lo, Hi, SE float64
	}
	SignFlip []struct {
		D []float64
		P float64
	} `json:"sign_flip"`
	Wilson []struct {
		K, N   int
		Lo, Hi float64
	}
	McNemar []struct {
		First, Second int
		P             float64
	}
	Holm     []struct{ P, Adjusted []float64 }
	Newcombe []struct {
		Cells  [4]float64
		Lo, Hi float64
	}
}

// TestOracles compares with scipy and statsmodels: scripts/oracles/stats_fixture.py.
func TestOracles(t *testing.T) {
	data, err := os.ReadFile("testdata/oracle.json")
	if err != nil {
		t.Fatal(err)
	}
	var want oracle
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	for _, c := range want.Student {
		lo, hi := Student(c.X)
		near(t, "student lo", lo, c.Lo, 1e-9)
		near(t, "student hi", hi, c.Hi, 1e-9)
	}
	for _, c := range want.BCa {
		lo, hi, ok := BCa(c.X, Options{})
		if !ok {
			t.Fatal("no BCa interval")
		}
		// Two bootstraps with other random numbers: the bounds of 10,000 draws scatter by about 2 % of the
		// standard error.
		near(t, "bca lo", lo, c.Lo, 0.08*c.SE)
		near(t, "bca hi", hi, c.Hi, 0.08*c.SE)
	}
	for _, c := range want.SignFlip {
		p, name := SignFlip(c.D, Options{})
		near(t, name, p, c.P, 1e-12)
	}
	for _, c := range want.Wilson {
		lo, hi := Wilson(float64(c.K), c.N)
		near(t, "wilson lo", lo, c.Lo, 1e-9)
		near(t, "wilson hi", hi, c.Hi, 1e-9)
	}
	for _, c := range want.McNemar {
		near(t, "mcnemar", McNemar(c.First, c.Second), c.P, 1e-12)
	}
	for _, c := range want.Holm {
		for i, p := range Holm(c.P) {
			near(t, "holm", p, c.Adjusted[i], 1e-12)
		}
	}
	for _, c := range want.Newcombe {
		lo, hi := Newcombe(Cells{c.Cells[0], c.Cells[1], c.Cells[2], c.Cells[3]})
		near(t, "newcombe lo", lo, c.Lo, 1e-9)
		near(t, "newcombe hi", hi, c.Hi, 1e-9)
	}
}

func obs(template, task string, values ...float64) []Observation {
	var out []Observation
	for i, v := range values {
		out = append(out, Observation{template, task, i, v})
	}
	return out
}

func join(lists ...[]Observation) []Observation {
	var out []Observation
	for _, l := range lists {
		out = append(out, l...)
	}
	return out
}

// Template A: task a1 repeats 1, 0 (mean 0.5), task a2 1 (mean 1): 0.75. Template B: task b1 0, 0, 0: 0. The mean over
// tasks is (0.5 + 1 + 0)/3 = 0.5. Pooling repeats would give 2/6.
func TestGroupsAverageRepeatsThenTasks(t *testing.T) {
	all := join(obs("A", "a1", 1, 0), obs("A", "a2", 1), obs("B", "b1", 0, 0, 0), obs("B", "b2", math.NaN()))
	if diff := cmp.Diff([]Group{{"A", 0.75, 2}, {"B", 0, 1}}, Groups(all)); diff != "" {
		t.Error(diff)
	}
	m, _ := TaskMean(all)
	near(t, "task mean", m, 0.5, 1e-15)
}

// Values 0.2, 0.4, 0.6: mean 0.4, s = 0.2, t(0.975; 2) = 4.302652730, half width 4.302652730·0.2/√3 = 0.496827537.
func TestStudentBelowFiftyTemplates(t *testing.T) {
	e := Mean(join(obs("A", "a", 0.2), obs("B", "b", 0.4), obs("C", "c", 0.6)), Options{Share: true})
	near(t, "lo", *e.Lo, 0.4-0.496827537, 1e-8)
	near(t, "hi", *e.Hi, 0.4+0.496827537, 1e-8)
	if e.Method != "student_t" || e.Templates != 3 {
		t.Errorf("method %q on %d templates", e.Method, e.Templates)
	}
}

// Values 1, 1, 0: mean 2/3, s = 1/√3, half width 4.302652730/3 = 1.434217577: beyond both ends of a share.
func TestClipToTheRangeOfTheQuantity(t *testing.T) {
	e := Mean(join(obs("A", "a", 1), obs("B", "b", 1), obs("C", "c", 0)), Options{Share: true})
	near(t, "lo", *e.Lo, 2.0/3-1.434217577, 1e-8)
	near(t, "hi", *e.Hi, 2.0/3+1.434217577, 1e-8)
	if lo, hi := Clip(e.Lo, e.Hi, 0, 1); *lo != 0 || *hi != 1 {
		t.Errorf("[%v, %v] is no interval of a share", *lo, *hi)
	}
	inner := 0.25
	if lo, hi := Clip(&inner, &inner, 0, 1); *lo != inner || *hi != inner {
		t.Errorf("[%v, %v] was changed within its range", *lo, *hi)
	}
	if lo, hi := Clip(nil, nil, 0, 1); lo != nil || hi != nil {
		t.Error("an interval came out of none")
	}
}

// A share of 8 of 8: Wilson's lower bound is n/(n+z²) = 8/(8+3.841458821) = 0.675592435.
func TestNoVariation(t *testing.T) {
	var all []Observation
	for _, name := range []string{"A", "B", "C", "D", "E", "F", "G", "H"} {
		all = append(all, obs(name, name, 1)...)
	}
	e := Mean(all, Options{Share: true})
	near(t, "lo", *e.Lo, 0.675592435, 1e-8)
	near(t, "hi", *e.Hi, 1, 0)
	e = Mean(all, Options{})
	if e.Lo != nil || e.Hi != nil || e.Reason != NoVariation {
		t.Errorf("not a share: %+v", e)
	}
	p := Compare(all, all, false, Options{})
	Judge([]*Paired{&p})
	if p.Lo != nil || p.Detectable != nil || p.Reasons["detectable"] != NoVariation || p.Verdict != Inconclusive {
		t.Errorf("paired without variation: %+v", p)
	}
}

func TestFieldD23BootstrapOfOne(t *testing.T) {
	if _, _, ok := BCa([]float64{1}, Options{Seed: 7}); ok {
		t.Error("a bootstrap interval of one value")
	}
	if e := Interval([]float64{1}, Options{Seed: 7}); e.Lo != nil || e.Reason != NoVariation || *e.Mean != 1 {
		t.Errorf("n = 1: %+v", e)
	}
	x := []float64{1, 0, 1, 1}
	a, b := resampledMeans(x, Options{Seed: 7}), resampledMeans(x, Options{Seed: 7})
	if !cmp.Equal(a, b) {
		t.Error("the same seed gave other draws")
	}
	if cmp.Equal(a, resampledMeans(x, Options{Seed: 8})) {
		t.Error("another seed gave the same draws")
	}
	// n of n with replacement: means of four values are multiples of 1/4, and 0 can only come with replacement
	// (probability 1/256 a draw).
	zero := false
	for _, m := range a {
		if m*4 != math.Trunc(m*4) {
			t.Fatalf("a draw of %g is no mean of four values", m)
		}
		zero = zero || m == 0
	}
	if !zero {
		t.Error("10,000 draws with replacement never drew four zeros")
	}
}

func TestFieldD24PoolWithoutStandardError(t *testing.T) {
	e := Mean(obs("only", "only", 0.3), Options{})
	if e.Mean == nil || *e.Mean != 0.3 || e.Lo != nil || e.Reason != NoVariation {
		t.Errorf("a group of one: %+v", e)
	}
	if e := Mean(nil, Options{}); e.Mean != nil || e.Reason != NoData {
		t.Errorf("nothing: %+v", e)
	}
}

// Eight templates of one task: a solves all, b none. McNemar: 2·2⁻⁸ = 0.0078125; two such comparisons after Holm:
// 0.015625. Six instead of eight: 2·2⁻⁶·2 = 0.0625, no verdict.
func TestVerdictNeedsEightTemplates(t *testing.T) {
	for n, want := range map[int]string{8: Better, 6: Inconclusive} {
		var a, b []Observation
		for i := range n {
			name := string(rune('A' + i))
			a, b = append(a, obs(name, name, 1)...), append(b, obs(name, name, 0)...)
		}
		p, q := Compare(a, b, true, Options{Share: true}), Compare(a, b, true, Options{Share: true})
		Judge([]*Paired{&p, &q})
		near(t, "p", *p.P, 2*math.Pow(2, -float64(n)), 1e-12)
		near(t, "p holm", *p.PHolm, 4*math.Pow(2, -float64(n)), 1e-12)
		if p.Test != "mcnemar_exact" || p.Verdict != want || *p.Lo <= 0 {
			t.Errorf("n = %d: %s, verdict %s, lo %g", n, p.Test, p.Verdict, *p.Lo)
		}
	}
}

// Two repeats, one solved: a tie is a failure, so the pair is not discordant against 0.
func TestMcNemarTieOfRepeatsFails(t *testing.T) {
	p := Compare(obs("A", "a", 1, 0), obs("A", "a", 0, 0), true, Options{Share: true})
	near(t, "p", *p.P, 1, 0)
	near(t, "diff", *p.Diff, 0.5, 1e-15)
}

func TestFieldD29UnequalPairs(t *testing.T) {
	var a, b []Observation
	for i := range 20 {
		name := string(rune('A' + i))
		b = append(b, obs(name, name, float64(i%2))...)
		if i < 14 {
			a = append(a, obs(name, name, float64(i%2))...)
		}
	}
	p := Compare(a, b, true, Options{Share: true})
	if p.Tasks != 14 || p.LeftOut != 6 || *p.Diff != 0 {
		t.Errorf("%d common tasks, %d left out, diff %g", p.Tasks, p.LeftOut, *p.Diff)
	}
}

// d = 0.1, 0.3: s = 0.141421356, 2.80·s/√2 = 0.28. Tokens: a 100 and 300, b 200 and 200: ratio 1.
func TestDetectableAndRatio(t *testing.T) {
	det, ok := Detectable([]float64{0.1, 0.3})
	if !ok {
		t.Fatal("not detectable")
	}
	near(t, "detectable", det, 0.28, 1e-12)
	a, b := join(obs("A", "a", 100), obs("B", "b", 300)), join(obs("A", "a", 200), obs("B", "b", 200))
	r := Ratio(a, b)
	near(t, "ratio", *r.Mean, 1, 1e-15)
	// Residuals −100/200 and 100/200: se = √(0.5/1/2) = 0.5; t(0.975; 1) = 12.7062047.
	near(t, "hi", *r.Hi, 1+12.7062047*0.5, 1e-5)
	// Two tasks of one template and one of another: (100 + 300 + 300)/(200 + 200 + 100), the ratio of the mean tokens that
	// are shown, and not that of template means, (200 + 300)/(200 + 100).
	uneven := Ratio(join(obs("A", "a", 100), obs("A", "a2", 300), obs("B", "b", 300)), join(obs("A", "a", 200), obs("A", "a2", 200), obs("B", "b", 100)))
	near(t, "ratio of uneven templates", *uneven.Mean, 1.4, 1e-15)
	if r := Ratio(a, join(obs("A", "a", 0), obs("B", "b", 0))); r.Mean != nil || r.Reason != ZeroBase {
		t.Errorf("against zero: %+v", r)
	}
}

func TestEarnsTokens(t *testing.T) {
	v := func(x float64) *float64 { return &x }
	cheap, dear := Estimate{Mean: v(0.5), Hi: v(0.8)}, Estimate{Mean: v(2), Hi: v(3)}
	free := Ratio(join(obs("A", "a", 0), obs("B", "b", 0)), join(obs("A", "a", 100), obs("B", "b", 200)))
	cases := []struct {
		name   string
		c      Paired
		tokens Estimate
		want   any
	}{
		{"better and dear", Paired{Verdict: Better, Lo: v(0.1)}, dear, true},
		{"as good and cheap", Paired{Verdict: Inconclusive, Lo: v(-0.04)}, cheap, true},
		{"as good and dear", Paired{Verdict: Inconclusive, Lo: v(-0.04)}, dear, false},
		{"perhaps worse and cheap", Paired{Verdict: Inconclusive, Lo: v(-0.05)}, cheap, false},
		{"worse", Paired{Verdict: Worse, Lo: v(-0.3)}, cheap, false},
		{"worse by less than the margin and cheap", Paired{Verdict: Worse, Lo: v(-0.03)}, cheap, true},
		{"as good and for nothing", Paired{Verdict: Inconclusive, Lo: v(-0.04)}, free, true},
		{"perhaps worse and for nothing", Paired{Verdict: Inconclusive, Lo: v(-0.2)}, free, false},
		{"usage unknown", Paired{Verdict: Inconclusive, Lo: v(-0.01)}, Estimate{Reason: Unknown}, nil},
	}
	for _, c := range cases {
		got, _ := EarnsTokens(c.c, c.tokens, 0.05)
		if (got == nil) != (c.want == nil) || got != nil && *got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestGonumAgrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.Float64Range(-5, 5), 2, 40).Draw(t, "x")
		m, s := stat.MeanStdDev(x, nil)
		if math.Abs(m-mean(x)) > 1e-12 || math.Abs(s-stdDev(x)) > 1e-10 {
			t.Fatalf("mean %g and %g, deviation %g and %g", mean(x), m, stdDev(x), s)
		}
	})
}

func TestPercentileAgainstGonum(t *testing.T) {
	x := []float64{1, 2, 4, 8, 16}
	// Type 7 by hand: p = 0.3 is at 1.2, between 2 and 4: 2.4.
	near(t, "percentile", percentile(x, 0.3), 2.4, 1e-12)
	near(t, "median", percentile(x, 0.5), stat.Quantile(0.5, stat.Empirical, x, nil), 1e-12)
}

// Coverage: twelve templates of three tasks with correlation 0.5. Student's t on template means must cover the true
// mean 95 % of the time; the same interval over tasks as if they were independent must not.
func TestIntervalCoversByTemplate(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const runs = 2000
	byTemplate, byTask := 0, 0
	for range runs {
		var all []Observation
		var tasks []float64
		for i := range 12 {
			common := rng.NormFloat64() * math.Sqrt(0.5)
			for j := range 3 {
				v := common + rng.NormFloat64()*math.Sqrt(0.5)
				tasks = append(tasks, v)
				all = append(all, Observation{string(rune('A' + i)), string(rune('a' + j)), 0, v})
			}
		}
		if e := Mean(all, Options{}); *e.Lo <= 0 && 0 <= *e.Hi {
			byTemplate++
		}
		if lo, hi := Student(tasks); lo <= 0 && 0 <= hi {
			byTask++
		}
	}
	// The standard error of a coverage of 0.95 over 2000 runs is 0.005.
	near(t, "coverage", float64(byTemplate)/runs, 0.95, 0.02)
	if float64(byTask)/runs > 0.9 {
		t.Errorf("intervals over dependent tasks cover %.3f: the simulation shows nothing", float64(byTask)/runs)
	}
}

func TestCompareIsAntisymmetric(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 13).Draw(t, "n")
		var a, b []Observation
		for i := range n {
			name := string(rune('A' + i))
			a = append(a, obs(name, name, rapid.Float64Range(0, 1).Draw(t, "a"))...)
			b = append(b, obs(name, name, rapid.Float64Range(0, 1).Draw(t, "b"))...)
		}
		p, q := Compare(a, b, false, Options{}), Compare(b, a, false, Options{})
		if math.Abs(*p.Diff+*q.Diff) > 1e-12 || math.Abs(*p.P-*q.P) > 1e-12 {
			t.Fatalf("%+v\n%+v", p, q)
		}
		if p.Lo != nil && math.Abs(*p.Lo+*q.Hi) > 1e-9 {
			t.Fatalf("intervals %g, %g", *p.Lo, *q.Hi)
		}
	})
}

// Five of eight repeats solved it: all of three draws do so with C(5,3)/C(8,3) = 10/56, and not with (5/8)³.
func TestFieldD25AllOfKDraws(t *testing.T) {
	p, ok := PassHatK(8, 5, 3)
	if !ok {
		t.Fatal("not defined")
	}
	near(t, "pass^3", p, 10.0/56, 1e-15)
	if _, ok := PassHatK(2, 2, 3); ok {
		t.Error("three draws of two repeats")
	}
}
