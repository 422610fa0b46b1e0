// Package series is one variable at one place over time: the Series that
// point, region and station tools hand to each other.
//
// Times ascend, in one CF calendar; NaN is a missing value, in memory only.
// The frequency says what a step is, and a label names a step the way an
// answer does: "August" of a climatology, "1998-08" of a monthly series,
// "2014-07-06" of a daily one. An empty selection is an error (ErrEmpty).
package series
