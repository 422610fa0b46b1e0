package zonal

import (
	"math"

	"almanac/toolkits/grid"
)

// Stats are statistics over the cells of an area that have a value.
type Stats struct {
	Mean     float64 // weighted by area (and by length of step)
	Std      float64 // population standard deviation with the same weights
	Sum      float64 // of the values, each times the share of its cell that is inside
	Min, Max float64 // over cells with any part inside
	Valid    int     // cells with a value (in any of the steps)
	Total    int     // cells with a part inside
	Area     float64 // km2 of the parts of cells with a value
}

// Field takes the statistics of one step's values [lat][lon]. Without any valid cell Valid is 0 and the numbers are
// NaN.
func (c *Coverage) Field(values []float64) Stats {
	return c.steps([][]float64{values}, []float64{1})
}

// Raster takes the statistics over all steps of a raster, every step weighted by its length in days. A missing value
// leaves its weight out, in place and time.
func (c *Coverage) Raster(r *grid.Raster, days []float64) Stats {
	fields := make([][]float64, r.Steps())
	for i := range fields {
		fields[i] = r.Field(i)
	}
	return c.steps(fields, days)
}

func (c *Coverage) steps(fields [][]float64, days []float64) Stats {
	s := Stats{Min: math.Inf(1), Max: math.Inf(-1), Total: len(c.Cells)}
	weight, sum, origin := 0.0, 0.0, math.NaN()
	for _, cell := range c.Cells {
		found := false
		for step, values := range fields {
			v := values[cell.Index]
			if v != v {
				continue
			}
			found = true
			s.Min, s.Max = min(s.Min, v), max(s.Max, v)
			if origin != origin {
				origin = v // sums of differences from it lose no digits
			}
			w := cell.Area * days[step]
			weight += w
			sum += w * (v - origin)
			s.Sum += cell.Share * v
		}
		if found {
			s.Valid++
			s.Area += cell.Area
		}
	}
	if s.Valid == 0 {
		nan := math.NaN()
		return Stats{Mean: nan, Std: nan, Sum: nan, Min: nan, Max: nan, Total: s.Total}
	}
	s.Mean = min(max(origin+sum/weight, s.Min), s.Max)
	s.Std = c.deviation(fields, days, s.Mean, weight)
	return s
}

func (c *Coverage) deviation(fields [][]float64, days []float64, mean, weight float64) float64 {
	sum := 0.0
	for _, cell := range c.Cells {
		for step, values := range fields {
			if v := values[cell.Index]; v == v {
				sum += cell.Area * days[step] * (v - mean) * (v - mean)
			}
		}
	}
	return math.Sqrt(sum / weight)
}
