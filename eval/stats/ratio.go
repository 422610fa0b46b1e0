package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Ratio is the ratio of two paired means, a over b, over templates, with a 95 % interval. The interval is Student's t
// on the residuals aᵢ − r·bᵢ of the templates (the ratio estimator of survey sampling: Cochran, Sampling Techniques,
// §6.3), which pairs the two. It is undefined (Reason ZeroBase) where b's mean is 0.
func Ratio(a, b []Observation) Estimate {
	ga, gb := pairedGroups(a, b)
	if len(ga) == 0 {
		return Estimate{Reason: NoData}
	}
	base := mean(gb)
	if base == 0 {
		return Estimate{Templates: len(ga), Reason: ZeroBase}
	}
	r := mean(ga) / base
	e := Estimate{Mean: pointer(r), Templates: len(ga)}
	if len(ga) == 1 {
		e.Reason = One
		return e
	}
	sum, n := 0.0, float64(len(ga))
	for i := range ga {
		res := (ga[i] - float64(r*gb[i])) / base
		sum += float64(res * res)
	}
	se := math.Sqrt(sum / (n - 1) / n)
	if se <= 1e-15 {
		e.Reason = NoVariation
		return e
	}
	half := float64(distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(0.975) * se)
	e.Lo, e.Hi, e.Method = pointer(r-half), pointer(r+half), "student_t_ratio"
	return e
}

// pairedGroups returns the template means of both on their common tasks, in the same order.
func pairedGroups(a, b []Observation) (ga, gb []float64) {
	pairs, _ := pair(a, b)
	var oa, ob []Observation
	for _, p := range pairs {
		oa = append(oa, Observation{Template: p.template, Task: p.task, Value: p.a})
		ob = append(ob, Observation{Template: p.template, Task: p.task, Value: p.b})
	}
	return means(Groups(oa)), means(Groups(ob))
}
