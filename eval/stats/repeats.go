package stats

import "math"

// Tries are the outcomes of one task's repeats, in their order.
type Tries struct {
	Template, Task string
	Solved         []bool
}

func (t Tries) solved() int {
	n := 0
	for _, s := range t.Solved {
		if s {
			n++
		}
	}
	return n
}

// Reasons for figures over repeats that are not defined.
const (
	FewRepeats  = "fewer_repeats_than_k"
	NeverSolved = "never_solved"
)

// PassAtK is the chance that k draws without replacement from n repeats, of which c solved the task, have a success:
// 1 − C(n−c, k)/C(n, k), the unbiased estimate of Chen et al. (arXiv 2107.03374). ok is false for n < k.
func PassAtK(n, c, k int) (p float64, ok bool) {
	if k < 1 || n < k || c < 0 || c > n {
		return 0, false
	}
	miss := 1.0 // C(n−c, k)/C(n, k) as a product, which cannot overflow
	for i := range k {
		miss *= math.Max(0, float64(n-c-i)) / float64(n-i)
	}
	return 1 - miss, true
}

// PassHatK is the chance that k draws without replacement all solved the task: C(c, k)/C(n, k) (τ-bench, arXiv
// 2406.12045). ok is false for n < k.
func PassHatK(n, c, k int) (p float64, ok bool) {
	if k < 1 || n < k || c < 0 || c > n {
		return 0, false
	}
	all := 1.0
	for i := range k {
		all *= math.Max(0, float64(c-i)) / float64(n-i)
	}
	return all, true
}

// Repeated are the figures over repeats for one k; nil where they are not defined, for Reason.
type Repeated struct {
	K      int
	Pass   *float64 // pass@k, unbiased
	PlugIn *float64 // pass@k as the share of tasks solved in any of the first k repeats
	All    *float64 // pass^k
	Reason string
}

// OverRepeats averages over tasks. A task with fewer than k repeats leaves nothing defined: a mean over the others would
// speak of other tasks.
func OverRepeats(tries []Tries, k int) Repeated {
	r := Repeated{K: k}
	if len(tries) == 0 {
		r.Reason = NoData
		return r
	}
	var pass, plug, all float64
	for _, t := range tries {
		p, ok := PassAtK(len(t.Solved), t.solved(), k)
		if !ok {
			r.Reason = FewRepeats
			return r
		}
		h, _ := PassHatK(len(t.Solved), t.solved(), k)
		pass, all = pass+p, all+h
		if (Tries{Solved: t.Solved[:k]}).solved() > 0 {
			plug++
		}
	}
	n := float64(len(tries))
	pass, plug, all = pass/n, plug/n, all/n
	r.Pass, r.PlugIn, r.All = &pass, &plug, &all
	return r
}

// Stability says how much more repeats solve than one try: two definitions of a coefficient of variation, and what is
// left of pass@5 by each. Nil where pass@5 is 0 or there are fewer than 5 repeats.
type Stability struct {
	Gain   *float64 // (pass@5 − pass@1)/pass@5, AutoGEEval (arXiv 2505.12900)
	Spread *float64 // population standard deviation over mean of pass@1, pass@3, pass@5
	// SA is pass@5/(1 + cv) by each.
	SAGain, SASpread *float64
	Reason           string
}

// Stable works the stability out.
func Stable(tries []Tries) Stability {
	one, three, five := OverRepeats(tries, 1), OverRepeats(tries, 3), OverRepeats(tries, 5)
	switch {
	case five.Pass == nil:
		return Stability{Reason: five.Reason}
	case *five.Pass == 0:
		return Stability{Reason: NeverSolved}
	}
	gain := (*five.Pass - *one.Pass) / *five.Pass
	m := (*one.Pass + *three.Pass + *five.Pass) / 3
	sum := 0.0
	for _, p := range []float64{*one.Pass, *three.Pass, *five.Pass} {
		sum += float64((p - m) * (p - m))
	}
	spread := math.Sqrt(sum/3) / m
	saGain, saSpread := *five.Pass/(1+gain), *five.Pass/(1+spread)
	return Stability{Gain: &gain, Spread: &spread, SAGain: &saGain, SASpread: &saSpread}
}

// Efficiency is pass@5 over what it cost: tokens, seconds or lines of code. Nil where pass@5 is not defined or the cost
// is 0.
func Efficiency(pass5 *float64, cost float64) *float64 {
	if pass5 == nil || cost <= 0 || math.IsNaN(cost) || math.IsInf(cost, 0) {
		return nil
	}
	e := *pass5 / cost
	return &e
}
