package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Reasons for associations that are not defined.
const (
	FewValues  = "fewer_than_3"
	Separable  = "separable"   // a line parts the outcomes: no finite coefficients are the likeliest
	NoOutcomes = "one_outcome" // all outcomes are the same
	Singular   = "singular"    // the columns say the same
	FewRows    = "fewer_rows_than_columns"
)

// Pearson is the correlation of two lists of the same length, −1 to 1; nil with a reason below 3 values or where one does
// not vary.
func Pearson(x, y []float64) (*float64, string) {
	switch {
	case len(x) != len(y) || len(x) < 3:
		return nil, FewValues
	case allEqual(x) || allEqual(y):
		return nil, NoVariation
	}
	r := stat.Correlation(x, y, nil)
	if math.IsNaN(r) || math.IsInf(r, 0) {
		return nil, NoVariation
	}
	r = math.Max(-1, math.Min(1, r))
	return &r, ""
}

// Spearman is the correlation of the ranks, equal values at their mean rank; nil as [Pearson] is.
func Spearman(x, y []float64) (*float64, string) {
	if len(x) != len(y) {
		return nil, FewValues
	}
	return Pearson(ranks(x), ranks(y))
}

// ranks counts from 1; equal values have their mean rank.
func ranks(x []float64) []float64 {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case x[a] < x[b]:
			return -1
		case x[a] > x[b]:
			return 1
		}
		return 0
	})
	out := make([]float64, len(x))
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && x[order[j]] == x[order[i]] {
			j++
		}
		for _, at := range order[i:j] {
			out[at] = float64(i+j+1) / 2
		}
		i = j
	}
	return out
}

// Agreement is how far two raters agree: the raw share, and Cohen's κ with its 95 % interval. Kappa is nil where chance
// alone would agree always.
type Agreement struct {
	N      int
	Raw    float64
	Kappa  *float64
	Lo, Hi *float64
	Reason string
}

// Agree compares two raters' labels of the same things. The interval is the normal one with the large-sample variance of
// Fleiss, Cohen and Everitt, Psychological Bulletin 72, 1969, cut at −1 and 1.
func Agree(a, b []string) Agreement {
	r := Agreement{N: len(a)}
	if len(a) == 0 || len(a) != len(b) {
		r.Reason = NoData
		return r
	}
	n := float64(len(a))
	p, rows, cols := map[[2]string]float64{}, map[string]float64{}, map[string]float64{}
	for i := range a {
		p[[2]string{a[i], b[i]}] += 1 / n
		rows[a[i]] += 1 / n
		cols[b[i]] += 1 / n
	}
	var labels []string
	for l := range rows {
		labels = append(labels, l)
	}
	for l := range cols {
		if _, there := rows[l]; !there {
			labels = append(labels, l)
		}
	}
	slices.Sort(labels)
	chance := 0.0
	for _, l := range labels {
		r.Raw += p[[2]string{l, l}]
		chance += rows[l] * cols[l]
	}
	if 1-chance < 1e-12 {
		r.Reason = NoVariation
		return r
	}
	kappa := (r.Raw - chance) / (1 - chance)
	var v1, v2 float64
	for _, l := range labels {
		v1 += p[[2]string{l, l}] * square(1-(rows[l]+cols[l])*(1-kappa))
		for _, m := range labels {
			if m != l {
				v2 += p[[2]string{l, m}] * square(cols[l]+rows[m])
			}
		}
	}
	v := (v1 + square(1-kappa)*v2 - square(kappa-chance*(1-kappa))) / (square(1-chance) * n)
	half := normalQuantile * math.Sqrt(math.Max(0, v))
	lo, hi := math.Max(-1, kappa-half), math.Min(1, kappa+half)
	r.Kappa, r.Lo, r.Hi = &kappa, &lo, &hi
	return r
}

// normalQuantile is the 97.5 % quantile of the normal distribution.
const normalQuantile = 1.959963984540054
