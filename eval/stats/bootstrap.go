package stats

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// stream separates the random numbers of bootstrap and permutation that start from one seed.
const (
	bootstrapStream   = 0x9e3779b97f4a7c15
	permutationStream = 0xbf58476d1ce4e5b9
)

// BCa is the bias-corrected and accelerated bootstrap interval (95 %) of the mean of x: n of n are drawn with
// replacement; the bias correction counts ties half; the acceleration comes from the jackknife (Efron, 1987). ok is
// false where it is not defined: fewer than two values, or no variation.
func BCa(x []float64, opt Options) (lo, hi float64, ok bool) {
	if len(x) < 2 || allEqual(x) {
		return 0, 0, false
	}
	draws := resampledMeans(x, opt)
	theta := mean(x)
	less, equal := 0, 0
	for _, d := range draws {
		switch {
		case math.Abs(d-theta) <= 1e-14*math.Max(1, math.Abs(theta)):
			equal++
		case d < theta:
			less++
		}
	}
	share := (float64(less) + float64(equal)/2) / float64(len(draws))
	z0 := distuv.UnitNormal.Quantile(share)
	if math.IsInf(z0, 0) || math.IsNaN(z0) {
		return 0, 0, false
	}
	acc := acceleration(x)
	level := func(alpha float64) float64 {
		z := z0 + distuv.UnitNormal.Quantile(alpha)
		return distuv.UnitNormal.CDF(z0 + z/(1-float64(acc*z)))
	}
	slices.Sort(draws)
	return percentile(draws, level(0.025)), percentile(draws, level(0.975)), true
}

func resampledMeans(x []float64, opt Options) []float64 {
	rng := rand.New(rand.NewPCG(opt.seed(), bootstrapStream))
	draws := make([]float64, opt.resamples())
	for b := range draws {
		sum := 0.0
		for range x {
			sum += x[rng.IntN(len(x))]
		}
		draws[b] = sum / float64(len(x))
	}
	return draws
}

// acceleration of the mean: Σd³ / (6 (Σd²)^1.5) with d the jackknife mean less each leave-one-out mean.
func acceleration(x []float64) float64 {
	n, total := float64(len(x)), mean(x)*float64(len(x))
	jack := make([]float64, len(x))
	for i, v := range x {
		jack[i] = (total - v) / (n - 1)
	}
	m, cubes, squares := mean(jack), 0.0, 0.0
	for _, j := range jack {
		d := m - j
		squares += float64(d * d)
		cubes += float64(float64(d*d) * d)
	}
	if squares == 0 {
		return 0
	}
	return cubes / (6 * math.Pow(squares, 1.5))
}

// percentile of sorted values, linear between order statistics (type 7).
func percentile(sorted []float64, p float64) float64 {
	h := p * float64(len(sorted)-1)
	i := int(math.Floor(h))
	if i < 0 {
		return sorted[0]
	}
	if i >= len(sorted)-1 {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + float64((h-float64(i))*(sorted[i+1]-sorted[i]))
}
