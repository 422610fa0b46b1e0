package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Reasons for values that are not defined.
const (
	NoData      = "no_data"       // no observation
	NoVariation = "no_variation"  // all values are equal, or there is one
	ZeroBase    = "zero_base"     // a relative value against zero
	Unknown     = "unknown_usage" // a part of the counts is not known
)

// studentBelow is the number of templates from which the bootstrap is trusted: below it, its intervals are too
// short, and Student's t is used.
const studentBelow = 50

// Options of an estimate. The zero value is useful.
type Options struct {
	// Share says that the value is a share of counted things, so that Wilson's or Newcombe's interval applies
	// where all values are equal.
	Share bool
	// Seed of the PCG; 0 means DefaultSeed.
	Seed uint64
	// Resamples of bootstrap and permutation; 0 means 10,000.
	Resamples int
}

// DefaultSeed is the seed of every interval unless another is given.
const DefaultSeed = 20260101

func (o Options) seed() uint64 {
	if o.Seed == 0 {
		return DefaultSeed
	}
	return o.Seed
}

func (o Options) resamples() int {
	if o.Resamples <= 0 {
		return 10_000
	}
	return o.Resamples
}

// Estimate is a mean with its 95 % interval. A nil bound is undefined, for Reason. Templates is the number that the
// interval rests on.
type Estimate struct {
	Mean      *float64
	Lo, Hi    *float64
	Templates int
	Method    string // student_t, bca, wilson, newcombe; empty without an interval
	Reason    string
}

// Mean estimates the mean over tasks with an interval over templates: Student's t on template means below 50
// templates, BCa bootstrap from there on, Wilson's where all template means of a share are equal.
func Mean(obs []Observation, opt Options) Estimate {
	m, ok := TaskMean(obs)
	if !ok {
		return Estimate{Reason: NoData}
	}
	x := means(Groups(obs))
	e := Interval(x, opt)
	e.Mean = pointer(m)
	return e
}

// Interval is the 95 % interval of the mean of independent values (template means).
func Interval(x []float64, opt Options) Estimate {
	n := len(x)
	if n == 0 {
		return Estimate{Reason: NoData}
	}
	e := Estimate{Mean: pointer(mean(x)), Templates: n}
	switch {
	case (n == 1 || allEqual(x)) && opt.Share && mean(x) >= 0 && mean(x) <= 1:
		lo, hi := Wilson(mean(x)*float64(n), n)
		e.Lo, e.Hi, e.Method = &lo, &hi, "wilson"
	case n == 1:
		e.Reason = NoVariation
	case allEqual(x):
		e.Reason = NoVariation
	case n < studentBelow:
		lo, hi := Student(x)
		e.Lo, e.Hi, e.Method = pointer(lo), pointer(hi), "student_t"
	default:
		lo, hi, ok := BCa(x, opt)
		if !ok {
			e.Reason = NoVariation
			break
		}
		e.Lo, e.Hi, e.Method = pointer(lo), pointer(hi), "bca"
	}
	return e
}

// Student is the two-sided 95 % interval mean ± t·s/√n. It needs two values.
func Student(x []float64) (lo, hi float64) {
	n := float64(len(x))
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(0.975)
	half := float64(t*stdDev(x)) / math.Sqrt(n)
	m := mean(x)
	return m - half, m + half
}

// Clip cuts the interval to the range that the quantity can have. Student's t knows of no range: of 5 successes in 8 it
// makes an interval that ends above 1.
func Clip(lo, hi *float64, lowest, highest float64) (clippedLo, clippedHi *float64) {
	if lo == nil || hi == nil {
		return lo, hi
	}
	return pointer(max(*lo, lowest)), pointer(min(*hi, highest))
}
