package metric

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// kelvin is a converter for these tests: degC and K, m and km, percent and 1.
func kelvin(v float64, from, to string, difference bool) (float64, error) {
	switch from + " " + to {
	case "degC K":
		if difference {
			return v, nil
		}
		return v + 273.15, nil
	case "K degC":
		if difference {
			return v, nil
		}
		return v - 273.15, nil
	case "m km":
		return v / 1000, nil
	case "percent %":
		return v, nil
	}
	if from == to {
		return v, nil
	}
	return 0, errors.New("no conversion")
}

func num(name string, v float64) Argument { return Argument{Name: name, Rule: RuleNumber, Value: v} }
func txt(name, v string) Argument         { return Argument{Name: name, Rule: RuleText, Value: v} }

func from(name, call, output, hash string) Argument {
	return Argument{Name: name, Rule: RuleArtifact, Hash: hash, Origins: []Origin{{Call: call, Output: output, Hash: hash}}}
}

// call makes a successful call whose group is what stands before the point of its name.
func call(id, tool string, args ...Argument) Call {
	group, _, _ := strings.Cut(tool, ".")
	return Call{ID: id, Tool: tool, Group: group, Arguments: args, Valid: true, Success: true, Key: id}
}

func score(t *testing.T, name string, c *Case) float64 {
	t.Helper()
	m, ok := Find(name)
	if !ok {
		t.Fatalf("no metric %q", name)
	}
	v := m.Compute(c)
	if v.Value == nil {
		t.Fatalf("%s is undefined: %s", name, v.Reason)
	}
	return *v.Value
}

func wantScores(t *testing.T, c *Case, want map[string]float64) {
	t.Helper()
	for name, w := range want {
		if got := score(t, name, c); math.Abs(got-w) > 1e-12 {
			t.Errorf("%s = %.15g, want %.15g", name, got, w)
		}
	}
}

func against(gold, predicted []Call) *Case {
	return NewCase(Evidence{Calls: predicted, Gold: []Gold{{Calls: gold}}, Convert: kelvin})
}

var goldArea = []Call{
	call("g1", "data.open", txt("dataset", "coads"), txt("variable", "sst")),
	call("g2", "gis.zonal_stats", from("raster", "g1", "data", "aa")),
	call("g3", "compute.evaluate", num("x", 2)),
}

func TestPerfectInAnyOrder(t *testing.T) {
	p := []Call{
		call("p3", "compute.evaluate", num("x", 2)),
		call("p1", "data.open", txt("variable", "SST"), txt("dataset", "COADS")),
		call("p2", "gis.zonal_stats", from("raster", "p1", "data", "aa")),
	}
	c := against(goldArea, p)
	wantScores(t, c, map[string]float64{"correctness_rate": 1, "correctness_strict": 1, "inst_acc": 1, "call_success": 1,
		"category_f1": 1,
		// In order only data, gis align: two of three gold calls.
		"tool_acc": 2.0 / 3,
		"arg_acc":  1,
		// Sets equal, multisets equal, LCS (compute data gis | data gis compute) = 2 of 3.
		"order_score":    (1 + 1 + 2.0/3) / 3,
		"tool_use_score": 0.30*2/3 + 0.15 + 0.20 + 0.15 + 0.15*(2+2.0/3)/3 + 0.05,
	})
}

// Three calls of the episode: open (another variable), zonal_stats twice, one refused.
// Aligned: open–open, zonal–zonal; gold's evaluate is left over.
func TestPartlyRight(t *testing.T) {
	refused := call("p3", "gis.area", txt("zones", "Kenya"))
	refused.Valid, refused.Success = false, false
	p := []Call{
		call("p1", "data.open", txt("dataset", "coads"), txt("variable", "air"), num("level", 5)),
		call("p2", "gis.zonal_stats", from("raster", "p1", "data", "bb")),
		refused,
	}
	c := against(goldArea, p)
	wantScores(t, c, map[string]float64{
		"correctness_rate": 0, "correctness_strict": 0,
		"inst_acc": 2.0 / 3, "call_success": 2.0 / 3,
		"tool_acc": 2.0 / 3,
		// open: (1 + ½)/(2 + 1 extra) = 0.5; zonal_stats: present, wrong content: ½.
		"arg_acc": 0.5,
		// Groups data gis gis against data gis compute: m = 2, P = R = 2/3.
		"category_f1": 2.0 / 3,
		// Jaccard 2/3, multiset 2/3, LCS 2/3.
		"order_score": 2.0 / 3,
	})
}

func TestNoCallAtAll(t *testing.T) {
	wantScores(t, against(goldArea, nil), map[string]float64{"correctness_rate": 0, "correctness_strict": 0, "inst_acc": 0,
		"call_success": 0, "tool_acc": 0, "arg_acc": 0, "category_f1": 0, "order_score": 0, "tool_use_score": 0})
}

func TestExtraCallsCostOnlyStrict(t *testing.T) {
	p := append(slices.Clone(goldArea), call("p9", "gis.area", txt("zones", "Kenya")))
	wantScores(t, against(goldArea, p), map[string]float64{"correctness_rate": 1, "correctness_strict": 0.75})
}

func TestDeclineTasks(t *testing.T) {
	for _, declined := range []bool{true, false} {
		c := NewCase(Evidence{Decline: true, Declined: declined, Calls: goldArea, Convert: kelvin})
		want := map[bool]float64{true: 1, false: 0}[declined]
		wantScores(t, c, map[string]float64{"success": want, "success_bound": want, "correctness_rate": want})
		for _, m := range All() {
			if m.Name == "success" || m.Name == "success_bound" || m.Name == "correctness_rate" {
				continue
			}
			if v := m.Compute(c); v.Value != nil || v.Reason != DeclineTask {
				t.Errorf("%s of a decline task: %v %q", m.Name, v.Value, v.Reason)
			}
		}
	}
}

func TestBestGoldIsTheFirstOfTheBest(t *testing.T) {
	other := []Call{call("h1", "gis.area", txt("zones", "Kenya"))}
	e := Evidence{Calls: other, Gold: []Gold{{Calls: goldArea}, {Calls: other}, {Calls: other}}, Convert: kelvin}
	if c := NewCase(e); c.GoldIndex != 1 || score(t, "correctness_strict", c) != 1 {
		t.Errorf("gold %d was taken", c.GoldIndex)
	}
}

func TestFieldD05ArgumentValues(t *testing.T) {
	c := against([]Call{call("g", "m.f", num("base", 10))}, []Call{call("p", "m.f", num("base", 999))})
	wantScores(t, c, map[string]float64{"correctness_rate": 0, "arg_acc": 0.5})
}

func TestFieldD09OrderOfParallelCalls(t *testing.T) {
	gold := []Call{call("g1", "m.f", num("x", 1)), call("g2", "m.f", num("x", 2))}
	swapped := []Call{call("p1", "m.f", num("x", 2)), call("p2", "m.f", num("x", 1))}
	wantScores(t, against(gold, swapped), map[string]float64{"correctness_rate": 1, "correctness_strict": 1})
	twice := []Call{call("p1", "m.f", num("x", 1)), call("p2", "m.f", num("x", 1))}
	wantScores(t, against(gold, twice), map[string]float64{"correctness_rate": 0.5})
}

func TestArgumentComparison(t *testing.T) {
	arg := func(rule string, v any) Argument { return Argument{Name: "a", Rule: rule, Value: v} }
	unit := func(v float64, u string, tol float64) Argument {
		return Argument{Name: "a", Rule: RuleNumber, Value: v, Unit: u, Tolerance: tol}
	}
	cases := []struct {
		name string
		p, g Argument
		want bool
	}{
		{"1e-10 relative", unit(1+1e-10, "m", 0), unit(1, "m", 0), true},
		{"1e-8 relative", unit(1+1e-8, "m", 0), unit(1, "m", 0), false},
		{"declared tolerance", unit(1.04, "m", 0.05), unit(1, "m", 0.05), true},
		{"beyond declared tolerance", unit(1.06, "m", 0.05), unit(1, "m", 0.05), false},
		{"after unit conversion", unit(273.15, "K", 0), unit(0, "degC", 0), true},
		{"another dimension", unit(5, "m", 0), unit(5, "degC", 0), false},
		{"zero and no tolerance", unit(1e-300, "m", 0), unit(0, "m", 0), false},
		{"number as text", arg(RuleText, "10"), arg(RuleNumber, 10.0), false},
		{"integer as number", arg(RuleNumber, 3.0), arg(RuleInteger, int64(3)), true},
		{"case fold", arg(RuleText, "STRASSE"), arg(RuleText, "straße"), true},
		{"NFC", arg(RuleText, "Tromso\u0308"), arg(RuleText, "tromsö"), true},
		{"verbatim case", arg(RuleVerbatim, "Title"), arg(RuleVerbatim, "title"), false},
		{"unit case", arg(RuleUnit, "mM"), arg(RuleUnit, "Mm"), false},
		{"instants", arg(RuleInstant, "1998-08"), arg(RuleInstant, "1998-08-01T00:00:00Z"), true},
		{"month names", arg(RuleInstant, "august"), arg(RuleInstant, "August"), true},
		{"other instants", arg(RuleInstant, "1998-08"), arg(RuleInstant, "1998-09"), false},
		{"period by end points", arg(RulePeriod, "2014"), arg(RulePeriod, "2014-01-01/2014-12-31"), true},
		{"leap February", arg(RulePeriod, "2016-02"), arg(RulePeriod, "2016-02-01/2016-02-29"), true},
		{"other period", arg(RulePeriod, "2014"), arg(RulePeriod, "2014-01-01/2014-12-30"), false},
		{"box within a hundredth", arg(RuleBox, []any{10.0, 0.0, 20.009, 5.0}), arg(RuleBox, []any{10.0, 0.0, 20.0, 5.0}), true},
		{"box beyond it", arg(RuleBox, []any{10.0, 0.0, 20.011, 5.0}), arg(RuleBox, []any{10.0, 0.0, 20.0, 5.0}), false},
		{"box of other longitudes", arg(RuleBox, []any{350.0, 0.0, 370.0, 5.0}), arg(RuleBox, []any{-10.0, 0.0, 10.0, 5.0}), true},
		{"globe and nothing", arg(RuleBox, []any{-180.0, 0.0, 180.0, 5.0}), arg(RuleBox, []any{180.0, 0.0, 180.0, 5.0}), false},
		{"place", arg(RulePlace, []float64{-1.28, 396.8}), arg(RulePlace, []any{-1.28, 36.8}), true},
		{"list order counts", arg(RuleList, []any{2.0, 1.0}), arg(RuleList, []any{1.0, 2.0}), false},
		{"set order does not", arg(RuleSet, []any{"b", "a", "a"}), arg(RuleSet, []any{"a", "b", "a"}), true},
		{"multisets", arg(RuleSet, []any{"b", "b", "a"}), arg(RuleSet, []any{"a", "b", "a"}), false},
		{"null and a value", arg(RuleNull, nil), arg(RuleNumber, 0.0), false},
		{"null and the default", Argument{Name: "a", Rule: RuleNull, Default: true}, Argument{Name: "a", Rule: RuleText, Value: "mean", Default: true}, true},
	}
	for _, c := range cases {
		got := against([]Call{call("g", "m.f", c.g)}, []Call{call("p", "m.f", c.p)})
		if matched := got.Matched[0]; matched != c.want {
			t.Errorf("%s: matched %v, want %v", c.name, matched, c.want)
		}
	}
}

func TestDefaultLeftOutEqualsDefaultSpeltOut(t *testing.T) {
	def := Argument{Name: "method", Rule: RuleText, Value: "ols", Default: true}
	gold := []Call{call("g", "data.trend", num("x", 1), def)}
	wantScores(t, against(gold, []Call{call("p", "data.trend", num("x", 1))}), map[string]float64{"correctness_rate": 1, "arg_acc": 1})
	bare := []Call{call("g", "data.trend", num("x", 1))}
	wantScores(t, against(bare, []Call{call("p", "data.trend", num("x", 1), def)}), map[string]float64{"correctness_rate": 1, "arg_acc": 1})
	other := Argument{Name: "method", Rule: RuleText, Value: "theil_sen"}
	wantScores(t, against(gold, []Call{call("p", "data.trend", num("x", 1), other)}), map[string]float64{"correctness_rate": 0, "arg_acc": 0.75})
	wantScores(t, against(bare, []Call{call("p", "data.trend", num("x", 1), other)}), map[string]float64{"correctness_rate": 0, "arg_acc": 0.5})
}

// A box within the tolerance gives another content hash downstream; the matched producer decides.
func TestInputByMatchedProducer(t *testing.T) {
	box := func(id string, east float64, hash string) []Call {
		return []Call{
			call(id+"1", "data.open", Argument{Name: "region", Rule: RuleBox, Value: []any{0.0, 0.0, east, 10.0}}),
			call(id+"2", "gis.zonal_stats", from("raster", id+"1", "data", hash)),
			call(id+"3", "compute.round", Argument{Name: "x", Rule: RuleNumber, Value: east, Origins: []Origin{{Call: id + "2", Output: "mean"}}}),
		}
	}
	wantScores(t, against(box("g", 20, "aa"), box("p", 20.005, "bb")), map[string]float64{"correctness_rate": 1})
	wantScores(t, against(box("g", 20, "aa"), box("p", 21, "bb")), map[string]float64{"correctness_rate": 0})
	failed := box("p", 20.005, "bb")
	failed[0].Success = false
	wantScores(t, against(box("g", 20, "aa"), failed), map[string]float64{"correctness_rate": 0})
}

// The other output of the right call is another input.
func TestOutputOfProducerCounts(t *testing.T) {
	side := func(id, output string, v float64) []Call {
		return []Call{call(id+"1", "gis.zonal_stats", txt("raster", "sst")),
			call(id+"2", "m.f", Argument{Name: "x", Rule: RuleNumber, Value: v, Origins: []Origin{{Call: id + "1", Output: output}}})}
	}
	wantScores(t, against(side("g", "mean", 1), side("p", "max", 2)), map[string]float64{"correctness_rate": 0.5})
}

func TestScalarReferenceComparesByValue(t *testing.T) {
	gold := []Call{call("g2", "m.f", Argument{Name: "x", Rule: RuleNumber, Value: 12.5, Origins: []Origin{{Call: "g1", Output: "mean"}}})}
	wantScores(t, against(gold, []Call{call("p", "m.f", num("x", 12.5))}), map[string]float64{"correctness_rate": 1})
}

func TestChecksAndResolversAreLeftOut(t *testing.T) {
	boundary := call("p0", "gis.boundary", txt("place", "Kenya"))
	boundary.Resolver = true
	check := call("p9", "verification.in_range", num("value", 1))
	check.Check = true
	gold := []Call{call("g1", "gis.area", Argument{Name: "zones", Rule: RuleArtifact, Hash: "zz"})}
	p := []Call{boundary, call("p1", "gis.area", from("zones", "p0", "zone", "zz")), check}
	wantScores(t, against(gold, p), map[string]float64{"correctness_rate": 1, "correctness_strict": 1, "order_score": 1})
	answered := NewCase(Evidence{Calls: p, Answered: []Origin{{Call: "p0", Output: "name"}}, Gold: []Gold{{Calls: gold}}})
	wantScores(t, answered, map[string]float64{"correctness_rate": 1, "correctness_strict": 0.5})
}

func TestConversionsAreLookedThrough(t *testing.T) {
	gold := []Call{call("g1", "data.open", txt("variable", "sst")), call("g2", "gis.zonal_stats", from("raster", "g1", "data", "celsius"))}
	convert := call("p2", "data.convert_units", from("value", "p1", "data", "celsius"), txt("to", "K"))
	convert.Resolver = true
	p := []Call{call("p1", "data.open", txt("variable", "sst")), convert,
		call("p3", "gis.zonal_stats", from("raster", "p2", "value", "kelvin"))}
	wantScores(t, against(gold, p), map[string]float64{"correctness_rate": 1, "correctness_strict": 1})
}

func expression(id, source string, vars map[string]any, origins ...Origin) Call {
	return call(id, "compute.evaluate",
		Argument{Name: "expression", Rule: RuleExpression, Value: source},
		Argument{Name: "variables", Rule: RuleRecord, Value: vars, Origins: origins})
}

func TestExpressionsAsTrees(t *testing.T) {
	v := func(x float64) map[string]any { return map[string]any{"value": x, "unit": "degC", "difference": false} }
	gold := expression("g", "(a - b) / 2 + abs(c)", map[string]any{"a": v(1), "b": v(2), "c": v(3)})
	cases := []struct {
		source string
		vars   map[string]any
		want   bool
	}{
		{"abs(z) + (x - y)/2", map[string]any{"x": v(1), "y": v(2), "z": v(3)}, true},
		{"abs(z) + 0.5*x - y*0.5", map[string]any{"x": v(1), "y": v(2), "z": v(3)}, true},
		{"abs(z) + (x - y)/k", map[string]any{"x": v(1), "y": v(2), "z": v(3), "k": map[string]any{"value": 2.0, "unit": "1"}}, true},
		{"abs(z) + (y - x)/2", map[string]any{"x": v(1), "y": v(2), "z": v(3)}, false},
		{"abs(z) + (x + y)/2", map[string]any{"x": v(1), "y": v(2), "z": v(3)}, false},
		{"abs(z) + x - y/2", map[string]any{"x": v(1), "y": v(2), "z": v(3)}, false},
		{"abs(z) + (x - y)/2", map[string]any{"x": v(1), "y": v(2), "z": v(4)}, false},
		{"nonsense +", map[string]any{"x": v(1)}, false},
	}
	for _, c := range cases {
		got := against([]Call{gold}, []Call{expression("p", c.source, c.vars)})
		if got.Matched[0] != c.want {
			t.Errorf("%s: matched %v, want %v", c.source, got.Matched[0], c.want)
		}
		if c.want && score(t, "arg_acc", got) != 1 {
			t.Errorf("%s: arg_acc %g", c.source, score(t, "arg_acc", got))
		}
	}
	less := against([]Call{expression("g", "a > b", map[string]any{"a": v(1), "b": v(2)})},
		[]Call{expression("p", "b < a", map[string]any{"a": v(1), "b": v(2)})})
	wantScores(t, less, map[string]float64{"correctness_rate": 1})
	most := against([]Call{expression("g", "max(a, b)", map[string]any{"a": v(1), "b": v(2)})},
		[]Call{expression("p", "max([b, a])", map[string]any{"a": v(1), "b": v(2)})})
	wantScores(t, most, map[string]float64{"correctness_rate": 1})
}

func TestNestedExpressionsAreFused(t *testing.T) {
	v := func(x float64) map[string]any { return map[string]any{"value": x, "unit": "m", "difference": false} }
	gold := []Call{
		expression("g1", "a - b", map[string]any{"a": v(5), "b": v(3)}),
		expression("g2", "d / a * 100", map[string]any{"d": v(2), "a": v(5)}, Origin{Call: "g1", Output: "value", Member: "d"}),
	}
	p := []Call{expression("p1", "100 * (x - y) / x", map[string]any{"x": v(5), "y": v(3)})}
	c := against(gold, p)
	wantScores(t, c, map[string]float64{"correctness_rate": 1, "correctness_strict": 1})
	if len(c.Gold) != 1 {
		t.Errorf("%d gold calls", len(c.Gold))
	}
	// Where the inner one is an answer too, it is a call of its own.
	both := NewCase(Evidence{Calls: p, Gold: []Gold{{Calls: gold, Answered: []Origin{{Call: "g1", Output: "value"}}}}, Convert: kelvin})
	wantScores(t, both, map[string]float64{"correctness_rate": 0.5})
}

// Each expression doubles the one before: fused, forty of them would have 2⁴⁰ leaves.
func TestFusingIsBounded(t *testing.T) {
	v := func(x float64) map[string]any { return map[string]any{"value": x, "unit": "m", "difference": false} }
	var calls []Call
	for i := range 40 {
		id := string(rune('A' + i))
		c := expression(id, "x + x*y", map[string]any{"x": v(1), "y": v(1)})
		if i > 0 {
			o := Origin{Call: string(rune('A' + i - 1)), Output: "value", Member: "x"}
			c.Arguments[1].Origins = []Origin{o}
		}
		calls = append(calls, c)
	}
	wantScores(t, against(calls, calls), map[string]float64{"correctness_rate": 1})
}

func TestRevisionsCountUnchangedStatementsOnce(t *testing.T) {
	v := func(c Call, version int, statement string) Call {
		c.Schedule, c.Statement = version, statement
		return c
	}
	open := call("a", "data.open", txt("variable", "sst"))
	bad := call("b", "gis.zonal_stats", txt("raster", "x"))
	bad.Success = false
	again := open
	again.ID = "c"
	good := call("d", "gis.zonal_stats", txt("raster", "y"))
	calls := []Call{v(open, 1, "x = data.open(…)"), v(bad, 1, "z = gis.zonal_stats(x)"),
		v(again, 2, "x = data.open(…)"), v(good, 2, "z = gis.zonal_stats(y)")}
	tr := NewTrace(calls, nil)
	var ids []string
	for _, c := range tr.Counted() {
		ids = append(ids, c.ID)
	}
	if diff := cmp.Diff([]string{"a", "b", "d"}, ids); diff != "" {
		t.Error(diff)
	}
	// In a loop equal calls are calls of their own.
	loop := []Call{open, again}
	if n := len(NewTrace(loop, nil).Counted()); n != 2 {
		t.Errorf("%d calls in a loop", n)
	}
}

// a₁ and b₁ share a group. Exact pairs are preferred: data.open pairs with data.open, not with data.describe.
func TestAlignmentPrefersExactPairs(t *testing.T) {
	p := []Call{call("p1", "data.open")}
	g := []Call{call("g1", "data.describe"), call("g2", "data.open")}
	if diff := cmp.Diff([][2]int{{0, 1}}, align(p, g)); diff != "" {
		t.Error(diff)
	}
	// Two half pairs are worth as much as one exact pair: the exact one wins the tie.
	p = []Call{call("p1", "data.a"), call("p2", "data.b")}
	g = []Call{call("g1", "data.b"), call("g2", "data.c")}
	if diff := cmp.Diff([][2]int{{1, 0}}, align(p, g)); diff != "" {
		t.Error(diff)
	}
	// Equal in everything: leftmost.
	p = []Call{call("p1", "data.a")}
	g = []Call{call("g1", "data.a"), call("g2", "data.a")}
	if diff := cmp.Diff([][2]int{{0, 0}}, align(p, g)); diff != "" {
		t.Error(diff)
	}
}

// Scores are fractions whatever the calls are, and gold against itself is perfect.
func TestScoresAreFractions(t *testing.T) {
	gen := rapid.Custom(func(t *rapid.T) []Call {
		n := rapid.IntRange(1, 6).Draw(t, "n")
		var out []Call
		for i := range n {
			tool := rapid.SampledFrom([]string{"data.open", "data.trend", "gis.area", "compute.evaluate"}).Draw(t, "tool")
			c := call(string(rune('a'+i)), tool, num("x", float64(rapid.IntRange(0, 3).Draw(t, "x"))))
			c.Success = rapid.Bool().Draw(t, "ok")
			out = append(out, c)
		}
		return out
	})
	rapid.Check(t, func(t *rapid.T) {
		p, g := gen.Draw(t, "p"), gen.Draw(t, "g")
		c := against(g, p)
		for _, m := range All() {
			if v := m.Compute(c); v.Value != nil && (math.IsNaN(*v.Value) || *v.Value < m.Low || *v.Value > m.High+1e-12) {
				t.Fatalf("%s = %v", m.Name, *v.Value)
			}
		}
		for i := range g {
			g[i].Success = true
		}
		self := against(g, g)
		if count(self.Matched) != len(g) || order(groups(g), groups(g)) != 1 {
			t.Fatalf("gold against itself: %v", self.Matched)
		}
	})
}

func TestEveryMetricIsDescribed(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range All() {
		if m.Name == "" || m.Title == "" || m.Definition == "" || m.Source == "" || m.High <= m.Low || m.Compute == nil || seen[m.Name] {
			t.Errorf("metric %+v", m)
		}
		seen[m.Name] = true
	}
}
