package eval

import (
	"strings"

	"almanac/eval/metric"
	"almanac/eval/runlog"
	"almanac/eval/stats"
)

// Margin is how much worse a setup may be, in success, and still earn its tokens by using fewer.
const Margin = 0.05

// Comparison is a paired comparison of setup A with setup B, the reference, on one metric.
type Comparison struct {
	A, B   runlog.Arm
	Model  string // the model whose family it belongs to
	Metric string
	stats.Paired
	// Tokens is the ratio of A's mean tokens to B's.
	Tokens       stats.Estimate
	EarnsTokens  *bool
	EarnsReason  string
	Cells        TwoByTwo
	OwnFamily    bool // squad − search, or an ablation − squad
	ReferenceIsB bool
}

// TwoByTwo lists the tasks by who solved them, by the majority of repeats; a tie is a failure.
type TwoByTwo struct {
	Both, OnlyA, OnlyB, Neither []string
}

// compared are the metrics with paired comparisons; the first is the verdict's.
var compared = []string{"success", "correctness_rate", "hit_at_tol", "num_score", "tool_use_score"}

// Verdict is the comparison that the verdict line speaks of: squad with the reference where both are there, else the
// first comparison of success; nil without one.
func (r *Results) Verdict() *Comparison {
	var first *Comparison
	for _, c := range r.Paired {
		if c.Metric != "success" || c.OwnFamily {
			continue
		}
		if c.A.Setup == "squad" {
			return c
		}
		if first == nil {
			first = c
		}
	}
	if first == nil {
		for _, c := range r.Paired {
			if c.Metric == "success" {
				return c
			}
		}
	}
	return first
}

// outside are the setups that are no contenders: they bound what can be reached.
func outside(setup string) bool { return setup == "oracle" || setup == "none" }

// ablation reports whether a setup is squad without one of its parts, by its name.
func ablation(setup string) bool { return strings.HasPrefix(setup, "squad-") }

// compare builds the families: for each model and metric every setup against the reference, and squad against search
// by itself.
func (r *Results) compare() {
	for _, model := range r.modelNames() {
		var arms []runlog.Arm
		for _, a := range r.Manifest.Arms {
			if a.Model == "" || a.Model == model {
				arms = append(arms, a)
			}
		}
		reference, ok := reference(arms)
		if !ok {
			continue
		}
		for _, name := range compared {
			r.family(model, name, arms, reference)
		}
	}
}

// modelNames are the models that have families of their own; one nameless family where no setup uses a model.
func (r *Results) modelNames() []string {
	var out []string
	seen := map[string]bool{}
	for _, a := range r.Manifest.Arms {
		if a.Model != "" && !seen[a.Model] {
			seen[a.Model] = true
			out = append(out, a.Model)
		}
	}
	if out == nil {
		return []string{""}
	}
	return out
}

// reference is single, or else the first setup named; oracle and none only where nothing else is there.
func reference(arms []runlog.Arm) (runlog.Arm, bool) {
	for _, a := range arms {
		if a.Setup == "single" {
			return a, true
		}
	}
	for _, a := range arms {
		if !outside(a.Setup) {
			return a, true
		}
	}
	if len(arms) > 0 {
		return arms[0], true
	}
	return runlog.Arm{}, false
}

func (r *Results) family(model, name string, arms []runlog.Arm, ref runlog.Arm) {
	var squad, search *runlog.Arm
	var family []*Comparison
	for i, a := range arms {
		switch a.Setup {
		case "squad":
			squad = &arms[i]
		case "search":
			search = &arms[i]
		}
	}
	own := squad != nil && search != nil
	var without []*Comparison
	for _, a := range arms {
		if squad != nil && ablation(a.Setup) {
			c := r.pair(model, name, a, *squad)
			c.OwnFamily = true
			without = append(without, c)
			continue
		}
		if a == ref || outside(a.Setup) && !outside(ref.Setup) || own && a == *squad && ref == *search {
			continue
		}
		family = append(family, r.pair(model, name, a, ref))
	}
	judge(family)
	judge(without) // a family of its own: what each part of squad is worth
	r.Paired = append(append(r.Paired, family...), without...)
	if own {
		c := r.pair(model, name, *squad, *search)
		c.OwnFamily = true
		judge([]*Comparison{c})
		r.Paired = append(r.Paired, c)
	}
}

func judge(family []*Comparison) {
	paired := make([]*stats.Paired, len(family))
	for i, c := range family {
		paired[i] = &c.Paired
	}
	stats.Judge(paired)
	for _, c := range family {
		c.EarnsTokens, c.EarnsReason = stats.EarnsTokens(c.Paired, c.Tokens, Margin)
	}
}

func (r *Results) pair(model, name string, a, b runlog.Arm) *Comparison {
	m, _ := metric.Find(name)
	la, lb := r.of(a), r.of(b)
	c := &Comparison{A: a, B: b, Model: model, Metric: name}
	c.Paired = stats.Compare(observations(la, metricOf(name)), observations(lb, metricOf(name)), m.Binary,
		stats.Options{Share: m.Share})
	c.Lo, c.Hi = stats.Clip(c.Lo, c.Hi, -1, 1) // a difference of metrics in [0, 1]
	ta, tb := observations(la, totalTokens), observations(lb, totalTokens)
	if len(ta) != counted(la) || len(tb) != counted(lb) {
		c.Tokens = stats.Estimate{Reason: stats.Unknown}
	} else {
		c.Tokens = stats.Ratio(ta, tb)
	}
	c.Cells = r.cells(la, lb)
	return c
}

func counted(list []*EpisodeResult) int {
	n := 0
	for _, e := range list {
		if !e.Harness {
			n++
		}
	}
	return n
}

func (r *Results) cells(a, b []*EpisodeResult) TwoByTwo {
	sa, sb := majority(a), majority(b)
	var out TwoByTwo
	for _, t := range r.Tasks {
		va, okA := sa[t.Task.ID]
		vb, okB := sb[t.Task.ID]
		if !okA || !okB {
			continue
		}
		cell := &out.Neither
		switch {
		case va && vb:
			cell = &out.Both
		case va:
			cell = &out.OnlyA
		case vb:
			cell = &out.OnlyB
		}
		*cell = append(*cell, t.Task.ID)
	}
	return out
}

// majority says of each task whether more than half of its repeats succeeded.
func majority(list []*EpisodeResult) map[string]bool {
	won, n := map[string]int{}, map[string]int{}
	for _, e := range list {
		if e.Harness {
			continue
		}
		n[e.Task.Task.ID]++
		if e.Scores.Success() {
			won[e.Task.Task.ID]++
		}
	}
	out := map[string]bool{}
	for task := range n {
		out[task] = 2*won[task] > n[task]
	}
	return out
}
