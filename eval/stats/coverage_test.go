package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
)

// comparison simulates two setups on tasks that are alike within a template, and returns their observations. Values are
// continuous, or successes. effect is the true difference of the means.
func comparison(rng *rand.Rand, names []string, effect float64, binary bool) (a, b []Observation) {
	const tasks = 2
	for g := range names {
		// What a template makes of the difference, and what each task adds: equal variances, so that tasks of one
		// template correlate by one half.
		shared := rng.NormFloat64()
		for k := range tasks {
			d := (shared + rng.NormFloat64()) / math.Sqrt2
			o := Observation{Template: names[g], Task: names[k]}
			x, y := o, o
			if binary {
				// Both succeed by the same hidden difficulty; the threshold makes the shares what they should be.
				u := normalCDF(d)
				y.Value = truth(u < 0.4)
				x.Value = truth(normalCDF((d+rng.NormFloat64())/math.Sqrt2) < 0.4+effect)
			} else {
				y.Value = rng.NormFloat64()
				x.Value = y.Value + effect + 0.5*d
			}
			a, b = append(a, x), append(b, y)
		}
	}
	return a, b
}

func normalCDF(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// Over 2,000 simulated comparisons the 95 % interval covers the true difference in 92.5 to 97.5 % of them (with successes
// of 12 templates, which are few values, in 91 to 99 %), and where there is no difference the test says that there is one
// in at most 6 %. The interval and the test are those of a verdict; resamples are fewer than a verdict's 10,000, for time,
// which scatters a bound by a few percent of its standard error and does not move it.
func TestCoverage(t *testing.T) {
	const runs = 2000
	for _, templates := range []int{12, 36, 100} {
		for _, binary := range []bool{false, true} {
			name := fmt.Sprintf("%d templates, binary %v", templates, binary)
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				covered, false5 := simulate(runs, templates, binary)
				lo, hi := 0.925, 0.975
				if binary && templates == 12 {
					lo, hi = 0.91, 0.99
				}
				if covered < lo || covered > hi {
					t.Errorf("the interval covers the truth in %.1f %%, want %.1f to %.1f %%", 100*covered, 100*lo, 100*hi)
				}
				if false5 > 0.06 {
					t.Errorf("where there is no difference the test finds one in %.1f %%", 100*false5)
				}
				t.Logf("covers %.1f %%, false alarms %.1f %%", 100*covered, 100*false5)
			})
		}
	}
}

func simulate(runs, templates int, binary bool) (covered, falseAlarms float64) {
	workers := runtime.GOMAXPROCS(0)
	names := make([]string, templates)
	for i := range names {
		names[i] = fmt.Sprintf("%03d", i)
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	hits, alarms, counted := 0, 0, 0
	for w := range workers {
		wg.Go(func() {
			h, al, c := 0, 0, 0
			for i := w; i < runs; i += workers {
				rng := rand.New(rand.NewPCG(uint64(i), uint64(templates)))
				opt := Options{Resamples: 400, Share: binary}
				a, b := comparison(rng, names, 0.15, binary)
				if p := Compare(a, b, binary, opt); p.Lo != nil {
					c++
					if *p.Lo <= 0.15 && 0.15 <= *p.Hi {
						h++
					}
				}
				a, b = comparison(rng, names, 0, binary)
				if p := Compare(a, b, binary, opt); p.P != nil && *p.P < 0.05 {
					al++
				}
			}
			mu.Lock()
			defer mu.Unlock()
			hits, alarms, counted = hits+h, alarms+al, counted+c
		})
	}
	wg.Wait()
	return float64(hits) / float64(counted), float64(alarms) / float64(runs)
}
