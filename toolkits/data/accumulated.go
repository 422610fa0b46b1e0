package data

import (
	"strings"

	"almanac/toolkits/cftime"
	"almanac/toolkits/grid"
	"almanac/toolkits/series"
)

// running reports whether step i continues the running total of step i-1: both began at the same time, and i ends
// later. Such bounds with the cell method sum are what forecast archives use for accumulated rain.
func running(edges [][2]cftime.Time, methods string, i int) bool {
	return i > 0 && strings.Contains(methods, "time: sum") &&
		edges[i][0].Compare(edges[i-1][0]) == 0 && edges[i-1][1].Before(edges[i][1])
}

func anyRunning(edges [][2]cftime.Time, methods string) bool {
	for i := range edges {
		if running(edges, methods, i) {
			return true
		}
	}
	return false
}

// unroll turns running totals into the amounts of the steps, in place: values[i*width] to values[(i+1)*width-1] belong
// to step i. It returns the bounds of the steps. A missing total makes its own step and the next one missing.
func unroll(values []float64, width int, edges [][2]cftime.Time, methods string) [][2]cftime.Time {
	out := make([][2]cftime.Time, len(edges))
	copy(out, edges)
	for i := len(edges) - 1; i > 0; i-- {
		if !running(edges, methods, i) {
			continue
		}
		out[i][0] = edges[i-1][1]
		for k := range width {
			values[i*width+k] -= values[(i-1)*width+k]
		}
	}
	return out
}

// unrolledSeries is s with running totals turned into amounts; s itself where there are none.
func unrolledSeries(s *series.Series) *series.Series {
	if !anyRunning(s.TimeEdges, s.CellMethods) {
		return s
	}
	out := *s
	out.Values = append([]float64(nil), s.Values...)
	out.TimeEdges = unroll(out.Values, 1, s.TimeEdges, s.CellMethods)
	out.InferFrequency()
	return &out
}

// unrolledRaster is r with running totals turned into amounts; r itself where there are none.
func unrolledRaster(r *grid.Raster) *grid.Raster {
	if !anyRunning(r.TimeEdges, r.CellMethods) {
		return r
	}
	out := *r
	out.Values = append([]float64(nil), r.Values...)
	out.TimeEdges = unroll(out.Values, len(r.Lat)*len(r.Lon), r.TimeEdges, r.CellMethods)
	return &out
}
