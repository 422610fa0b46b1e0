package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Ratio is the ratio of two paired means over tasks, a over b, with a 95 % interval over templates: of the templates' sums
// A and B, r = ΣA/ΣB, and Student's t on the residuals A − r·B, which pairs the two (the ratio estimator of survey
// sampling: Cochran, Sampling Techniques, §6.3). A ratio of what is counted is not below 0, and nor is its bound. It is
// undefined (Reason ZeroBase) where b's sum is 0.
func Ratio(a, b []Observation) Estimate {
	sumsA, sumsB := pairedSums(a, b)
	if len(sumsA) == 0 {
		return Estimate{Reason: NoData}
	}
	n, totalA, totalB := float64(len(sumsA)), 0.0, 0.0
	for i := range sumsA {
		totalA, totalB = totalA+sumsA[i], totalB+sumsB[i]
	}
	if totalB == 0 {
		return Estimate{Templates: len(sumsA), Reason: ZeroBase}
	}
	r := totalA / totalB
	e := Estimate{Mean: pointer(r), Templates: len(sumsA)}
	squares := 0.0
	for i := range sumsA {
		squares += square(sumsA[i] - float64(r*sumsB[i]))
	}
	if len(sumsA) == 1 {
		e.Reason = NoVariation
		return e
	}
	se := math.Sqrt(n/(n-1)*squares) / math.Abs(totalB)
	if se <= 1e-15 {
		e.Reason = NoVariation
		return e
	}
	half := float64(distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(0.975) * se)
	e.Lo, e.Hi, e.Method = pointer(math.Max(0, r-half)), pointer(r+half), "student_t_ratio"
	return e
}

// pairedSums are the sums of the task means of both on their common tasks, by template, in the same order.
func pairedSums(a, b []Observation) (sumsA, sumsB []float64) {
	pairs, _ := pair(a, b)
	for i, p := range pairs { // sorted by template
		if i == 0 || p.template != pairs[i-1].template {
			sumsA, sumsB = append(sumsA, 0), append(sumsB, 0)
		}
		last := len(sumsA) - 1
		sumsA[last], sumsB[last] = sumsA[last]+p.a, sumsB[last]+p.b
	}
	return sumsA, sumsB
}
