package stats

import (
	"math"
	"math/rand/v2"
	"slices"
)

// SignFlip is the two-sided permutation test of paired differences d against 0: under the null hypothesis each sign
// is as likely as its opposite. All 2^n patterns are counted below 2^14 of them, else a random sample, where
// p = (1 + hits) / (1 + draws). It returns p and the name of the test; p is 1 where all differences are 0.
func SignFlip(d []float64, opt Options) (p float64, test string) {
	const exactBelow = 1 << 14 // sign patterns
	observed, scale := 0.0, 0.0
	for _, v := range d {
		observed += v
		scale += math.Abs(v)
	}
	// Sums of the same numbers in other signs differ by rounding only: patterns that tie with the observed one count.
	limit := math.Abs(observed) - 1e-12*scale
	if n := len(d); n < 63 && 1<<n < exactBelow {
		return exactSignFlip(d, limit), "sign_flip_exact"
	}
	rng := rand.New(rand.NewPCG(opt.seed(), permutationStream))
	hits := 0
	for range opt.resamples() {
		sum := 0.0
		for i := 0; i < len(d); i += 64 {
			bits := rng.Uint64()
			for _, v := range d[i:min(i+64, len(d))] {
				if bits&1 == 1 {
					v = -v
				}
				sum += v
				bits >>= 1
			}
		}
		if math.Abs(sum) >= limit {
			hits++
		}
	}
	return float64(1+hits) / float64(1+opt.resamples()), "sign_flip"
}

func exactSignFlip(d []float64, limit float64) float64 {
	patterns, hits := 1<<len(d), 0
	for mask := range patterns {
		sum := 0.0
		for i, v := range d {
			if mask>>i&1 == 1 {
				v = -v
			}
			sum += v
		}
		if math.Abs(sum) >= limit {
			hits++
		}
	}
	return float64(hits) / float64(patterns)
}

// McNemar is the exact two-sided test of paired outcomes: first counts the pairs that only the first solved, second
// those that only the second solved. p = min(1, 2·P(X ≤ min)) with X binomial(first+second, ½).
func McNemar(first, second int) float64 {
	n, k := first+second, min(first, second)
	if n == 0 {
		return 1
	}
	tail := 0.0
	if n <= 1000 { // 2⁻ⁿ is exact
		term := math.Ldexp(1, -n)
		for i := 0; i <= k; i++ {
			tail += term
			term = term * float64(n-i) / float64(i+1)
		}
		return math.Min(1, 2*tail)
	}
	for i := 0; i <= k; i++ {
		tail += math.Exp(logChoose(n, i) - float64(n)*math.Ln2)
	}
	return math.Min(1, 2*tail)
}

func logChoose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}

// Holm adjusts the p-values of one family by Holm's step-down method, in the order given.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case p[a] < p[b]:
			return -1
		case p[a] > p[b]:
			return 1
		}
		return 0
	})
	out := make([]float64, len(p))
	running := 0.0
	for rank, i := range order {
		running = math.Max(running, math.Min(1, float64(len(p)-rank)*p[i]))
		out[i] = running
	}
	return out
}

// Detectable is the smallest true mean difference that this many paired values with this spread would have shown
// with 80 % power at the 5 % level: 2.80·s/√n. ok is false where the spread is not known or is zero.
func Detectable(d []float64) (diff float64, ok bool) {
	if len(d) < 2 || allEqual(d) {
		return 0, false
	}
	return float64(2.80*stdDev(d)) / math.Sqrt(float64(len(d))), true
}
