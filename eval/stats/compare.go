package stats

import "cmp"

// Verdicts of a paired comparison.
const (
	Better       = "better"
	Worse        = "worse"
	Inconclusive = "inconclusive"
)

// Paired is the comparison of two setups on their common tasks. Diff is a − b; Lo and Hi its 95 % interval over
// templates; Templates and Tasks what it rests on; LeftOut the tasks that only one of the two has (a harness error
// in one arm leaves the task out of both). PHolm, and with it Verdict, are set by [Judge] for the whole family.
type Paired struct {
	MeanA, MeanB, Diff *float64
	Lo, Hi             *float64
	Relative           *float64
	Detectable         *float64
	P, PHolm           *float64
	Test, Method       string
	Templates, Tasks   int
	LeftOut            int
	Verdict            string
	Reasons            map[string]string
}

type pairedTask struct {
	template, task string
	a, b           float64
}

// pair joins two lists by task; leftOut counts the tasks that only one of them has.
func pair(a, b []Observation) (pairs []pairedTask, leftOut int) {
	ta, tb := taskMeans(a), taskMeans(b)
	i, j := 0, 0
	for i < len(ta) && j < len(tb) {
		c := cmp.Or(cmp.Compare(ta[i].template, tb[j].template), cmp.Compare(ta[i].task, tb[j].task))
		switch {
		case c < 0:
			i, leftOut = i+1, leftOut+1
		case c > 0:
			j, leftOut = j+1, leftOut+1
		default:
			pairs = append(pairs, pairedTask{ta[i].template, ta[i].task, ta[i].mean, tb[j].mean})
			i, j = i+1, j+1
		}
	}
	return pairs, leftOut + len(ta) - i + len(tb) - j
}

// Compare compares a with b, paired by task. binary says that the value is a success (0 or 1 an episode): then, if
// every template has one task, the test is McNemar's on the majority of repeats, where a tie is a failure; otherwise
// it is the sign-flip permutation of template means.
func Compare(a, b []Observation, binary bool, opt Options) Paired {
	pairs, leftOut := pair(a, b)
	out := Paired{LeftOut: leftOut, Tasks: len(pairs), Verdict: Inconclusive, Reasons: map[string]string{}}
	if len(pairs) == 0 {
		out.Reasons["diff"] = NoData
		return out
	}
	diffs := make([]Observation, len(pairs))
	sumA, sumB := 0.0, 0.0
	for i, p := range pairs {
		diffs[i] = Observation{Template: p.template, Task: p.task, Value: p.a - p.b}
		sumA, sumB = sumA+p.a, sumB+p.b
	}
	n := float64(len(pairs))
	out.MeanA, out.MeanB, out.Diff = pointer(sumA/n), pointer(sumB/n), pointer(sumA/n-sumB/n)
	if sumB != 0 {
		out.Relative = pointer((sumA - sumB) / sumB)
	} else {
		out.Reasons["relative"] = ZeroBase
	}
	d := means(Groups(diffs))
	out.Templates = len(d)
	out.interval(d, pairs, opt)
	if det, ok := Detectable(d); ok {
		out.Detectable = pointer(det)
	} else {
		out.Reasons["detectable"] = NoVariation
	}
	out.test(d, pairs, binary, opt)
	return out
}

func (p *Paired) interval(d []float64, pairs []pairedTask, opt Options) {
	if len(d) == 1 || allEqual(d) {
		if !opt.Share {
			p.Reasons["interval"] = NoVariation
			return
		}
		lo, hi := Newcombe(cells(pairs))
		p.Lo, p.Hi, p.Method = pointer(lo), pointer(hi), "newcombe"
		return
	}
	e := Interval(d, Options{Seed: opt.Seed, Resamples: opt.Resamples})
	p.Lo, p.Hi, p.Method = e.Lo, e.Hi, e.Method
	if e.Reason != "" {
		p.Reasons["interval"] = e.Reason
	}
}

// cells sums, over templates, the shares of the four cells of the two by two table, so that a template counts once.
func cells(pairs []pairedTask) Cells {
	part := func(f func(pairedTask) float64) float64 {
		obs := make([]Observation, len(pairs))
		for i, p := range pairs {
			obs[i] = Observation{Template: p.template, Task: p.task, Value: f(p)}
		}
		sum := 0.0
		for _, m := range means(Groups(obs)) {
			sum += m
		}
		return sum
	}
	return Cells{
		Both:    part(func(p pairedTask) float64 { return p.a * p.b }),
		First:   part(func(p pairedTask) float64 { return p.a * (1 - p.b) }),
		Second:  part(func(p pairedTask) float64 { return (1 - p.a) * p.b }),
		Neither: part(func(p pairedTask) float64 { return (1 - p.a) * (1 - p.b) }),
	}
}

func (p *Paired) test(d []float64, pairs []pairedTask, binary bool, opt Options) {
	if binary && len(d) == len(pairs) {
		first, second := 0, 0
		for _, t := range pairs {
			a, b := t.a > 0.5, t.b > 0.5
			if a && !b {
				first++
			}
			if b && !a {
				second++
			}
		}
		p.P, p.Test = pointer(McNemar(first, second)), "mcnemar_exact"
		return
	}
	v, name := SignFlip(d, opt)
	p.P, p.Test = pointer(v), name
}

// Judge adjusts the p-values of one family by Holm's method and gives each comparison its verdict: better or worse if
// the adjusted p is below 0.05 and the interval excludes 0, else inconclusive.
func Judge(family []*Paired) {
	var p []float64
	var members []*Paired
	for _, c := range family {
		c.Verdict = Inconclusive
		if c.P != nil {
			p, members = append(p, *c.P), append(members, c)
		}
	}
	for i, adjusted := range Holm(p) {
		c := members[i]
		c.PHolm = pointer(adjusted)
		if adjusted >= 0.05 || c.Lo == nil || c.Hi == nil {
			continue
		}
		switch {
		case *c.Lo > 0:
			c.Verdict = Better
		case *c.Hi < 0:
			c.Verdict = Worse
		}
	}
}

// EarnsTokens says whether a setup is worth its tokens against the reference: it is better, or it is not worse (the
// interval's lower bound is above −margin) and its token ratio is significantly below 1. A ratio of 0 has no interval,
// as it does not vary, and needs none: that setup takes no tokens, the reference does. The result is nil, with a reason,
// where the tokens are not known and it is not better.
func EarnsTokens(c Paired, tokens Estimate, margin float64) (*bool, string) {
	yes, no := true, false
	switch {
	case c.Verdict == Better:
		return &yes, ""
	case tokens.Reason == Unknown || tokens.Reason == NoData:
		return nil, tokens.Reason
	case c.Lo == nil || *c.Lo <= -margin:
		return &no, ""
	case tokens.Hi != nil && *tokens.Hi < 1, tokens.Mean != nil && *tokens.Mean == 0:
		return &yes, ""
	}
	return &no, ""
}
