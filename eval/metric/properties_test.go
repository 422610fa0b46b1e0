package metric

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// plan draws calls that stand on nothing, so that any order of them is one.
func plan(most int) *rapid.Generator[[]Call] {
	return rapid.Custom(func(t *rapid.T) []Call {
		var out []Call
		for i := range rapid.IntRange(0, most).Draw(t, "n") {
			tool := rapid.SampledFrom([]string{"data.open", "data.trend", "gis.area", "gis.buffer"}).Draw(t, "tool")
			c := call(fmt.Sprintf("c%d", i), tool, num("x", float64(rapid.IntRange(0, 2).Draw(t, "x"))))
			c.Valid = rapid.IntRange(0, 5).Draw(t, "valid") > 0
			c.Success = c.Valid && rapid.IntRange(0, 4).Draw(t, "ok") > 0
			out = append(out, c)
		}
		return out
	})
}

func goldPlan(t *rapid.T) []Call {
	gold := plan(6).Draw(t, "gold")
	if len(gold) == 0 {
		gold = calls("data.open")
	}
	for i := range gold {
		gold[i].Valid, gold[i].Success = true, true
	}
	return gold
}

func value(m Metric, c *Case) float64 {
	if v := m.Compute(c); v.Value != nil {
		return *v.Value
	}
	return math.NaN()
}

func TestPermutedCallsScoreTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		gold, p := goldPlan(t), plan(6).Draw(t, "p")
		permuted := rapid.Permutation(p).Draw(t, "permuted")
		a, b := against(gold, p), against(gold, permuted)
		for _, m := range []Metric{correctnessRate, correctnessStrict, correctnessLenient, instAcc, callSuccess, categoryF1} {
			if x, y := value(m, a), value(m, b); x != y {
				t.Fatalf("%s is %g, and %g in another order", m.Name, x, y)
			}
		}
	})
}

func TestWrongCallsNeverHelp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		gold, p := goldPlan(t), plan(6).Draw(t, "p")
		tool := rapid.SampledFrom([]string{"data.open", "gis.area", "other.tool"}).Draw(t, "tool")
		wrong := call("wrong", tool, num("x", 99)) // no gold call has 99
		at := rapid.IntRange(0, len(p)).Draw(t, "at")
		longer := slices.Insert(slices.Clone(p), at, wrong)
		a, b := against(gold, p), against(gold, longer)
		if x, y := value(correctnessStrict, a), value(correctnessStrict, b); y > x {
			t.Fatalf("correctness_strict rose from %g to %g", x, y)
		}
		if x, y := value(correctnessRate, a), value(correctnessRate, b); y != x {
			t.Fatalf("correctness_rate changed from %g to %g", x, y)
		}
	})
}

func TestCorrectnessIsOrdered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := against(goldPlan(t), plan(6).Draw(t, "p"))
		rate := value(correctnessRate, c)
		if s := value(correctnessSequence, c); s > rate {
			t.Fatalf("in order %g, in any order %g", s, rate)
		}
		if s := value(correctnessStrict, c); s > rate {
			t.Fatalf("strict %g, plain %g", s, rate)
		}
	})
}

// everyAlignment goes through all order-keeping pairings of the rest of p and g, in the order "pair the first call of p
// as far left as possible, …, leave it out": of equals the first is the leftmost.
func everyAlignment(p, g []Call, i, j int, pairs [][2]int, visit func([][2]int)) {
	if i == len(p) {
		visit(pairs)
		return
	}
	for k := j; k < len(g); k++ {
		if p[i].Tool == g[k].Tool || p[i].Group == g[k].Group {
			everyAlignment(p, g, i+1, k+1, append(slices.Clone(pairs), [2]int{i, k}), visit)
		}
	}
	everyAlignment(p, g, i+1, j, pairs, visit)
}

func TestAlignmentAgainstEveryOther(t *testing.T) {
	tools := []string{"a.x", "a.y", "b.x", "b.y", "c.x"}
	draw := rapid.Custom(func(t *rapid.T) []Call {
		var out []Call
		for range rapid.IntRange(0, 5).Draw(t, "n") {
			out = append(out, call("", rapid.SampledFrom(tools).Draw(t, "tool")))
		}
		return out
	})
	rapid.Check(t, func(t *rapid.T) {
		p, g := draw.Draw(t, "p"), draw.Draw(t, "g")
		var best [][2]int
		bestHalves, bestExact := -1, -1
		everyAlignment(p, g, 0, 0, nil, func(pairs [][2]int) {
			exact := 0
			for _, pair := range pairs {
				if p[pair[0]].Tool == g[pair[1]].Tool {
					exact++
				}
			}
			halves := exact + len(pairs) // an exact pair is worth two halves, another one
			switch {
			case halves < bestHalves, halves == bestHalves && exact < bestExact:
				return
			case halves == bestHalves && exact == bestExact && len(pairs) <= len(best):
				return
			}
			best, bestHalves, bestExact = pairs, halves, exact
		})
		if got := align(p, g); !slices.Equal(got, best) {
			t.Fatalf("%v, want %v", got, best)
		}
	})
}

// A pairing that is largest: found by trying every one.
func TestPairingAgainstEveryOther(t *testing.T) {
	var most func(fits [][]bool, i int, used map[int]bool) int
	most = func(fits [][]bool, i int, used map[int]bool) int {
		if i == len(fits) {
			return 0
		}
		best := most(fits, i+1, used)
		for j, ok := range fits[i] {
			if ok && !used[j] {
				used[j] = true
				best = max(best, 1+most(fits, i+1, used))
				delete(used, j)
			}
		}
		return best
	}
	rapid.Check(t, func(t *rapid.T) {
		n, m := rapid.IntRange(0, 5).Draw(t, "n"), rapid.IntRange(0, 5).Draw(t, "m")
		fits := make([][]bool, n)
		for i := range fits {
			fits[i] = rapid.SliceOfN(rapid.Bool(), m, m).Draw(t, "row")
		}
		owner, got := pairing(n, m, func(i, j int) bool { return fits[i][j] })
		if want := most(fits, 0, map[int]bool{}); got != want {
			t.Fatalf("%d pairs, want %d", got, want)
		}
		seen := map[int]bool{}
		for j, i := range owner {
			if i >= 0 && (!fits[i][j] || seen[i]) {
				t.Fatalf("%d with %d", i, j)
			}
			seen[i] = i >= 0
		}
	})
}

// Two hundred calls against two hundred: the bound of the specification is 5 ms.
func BenchmarkAlign200(b *testing.B) {
	tools := []string{"a.x", "a.y", "b.x", "b.y", "c.x", "c.y", "d.x"}
	var p, g []Call
	for i := range 200 {
		p = append(p, call("", tools[i*i%len(tools)]))
		g = append(g, call("", tools[i*3%len(tools)]))
	}
	for b.Loop() {
		align(p, g)
	}
}

// Each expression uses the one before under two names: read without remembering, forty of them are 2⁴⁰ trees.
func TestNestedExpressionsAreReadOnce(t *testing.T) {
	nested := func() []Call {
		var list []Call
		for i := range 40 {
			c := expression(fmt.Sprintf("e%d", i), "x*y", map[string]any{"x": 1.0, "y": 1.0})
			if i > 0 {
				o := Origin{Call: fmt.Sprintf("e%d", i-1), Output: "value", Member: "x"}
				other := o
				other.Member = "y"
				c.Arguments[1].Origins = []Origin{o, other}
			}
			list = append(list, c)
		}
		return list
	}
	wantScores(t, against(nested(), nested()), map[string]float64{"correctness_rate": 1})
	circle := nested()
	circle[0].Arguments[1].Origins = []Origin{{Call: "e39", Output: "value", Member: "x"}}
	wantScores(t, against(nested(), circle), map[string]float64{"correctness_rate": 0})
}

// Gold's calls use each other's results; any order in which a result is there before it is used scores 1, and the order of
// the gold text alone scores 1 in order.
func TestEveryTopologicalOrderIsRight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var gold []Call
		for i := range rapid.IntRange(1, 7).Draw(t, "n") {
			c := call(fmt.Sprintf("g%d", i), rapid.SampledFrom([]string{"data.open", "gis.area", "data.trend"}).Draw(t, "tool"), num("x", float64(i)))
			for j := range i {
				if rapid.IntRange(0, 2).Draw(t, "uses") == 0 {
					c.Arguments = append(c.Arguments, from(fmt.Sprintf("in%d", j), fmt.Sprintf("g%d", j), "data", fmt.Sprintf("hash of g%d", j)))
				}
			}
			gold = append(gold, c)
		}
		var order []Call
		made := map[string]bool{}
		for len(order) < len(gold) {
			var ready []Call
			for _, c := range gold {
				free := !made[c.ID]
				for _, a := range c.Arguments {
					free = free && (len(a.Origins) == 0 || made[a.Origins[0].Call])
				}
				if free {
					ready = append(ready, c)
				}
			}
			next := rapid.SampledFrom(ready).Draw(t, "next")
			made[next.ID] = true
			order = append(order, next)
		}
		c := against(gold, order)
		if v := value(correctnessRate, c); v != 1 {
			t.Fatalf("correctness_rate is %g", v)
		}
		if v := value(correctnessStrict, c); v != 1 {
			t.Fatalf("correctness_strict is %g", v)
		}
		if v := value(correctnessSequence, against(gold, gold)); v != 1 {
			t.Fatalf("correctness_sequence of gold itself is %g", v)
		}
	})
}
