package grid

import (
	"fmt"
	"math"

	"almanac/toolkits/cftime"
)

// StepDays is the length of every step in days, for weights. A single step
// has the weight 1.
func (r *Raster) StepDays() ([]float64, error) {
	if r.Steps() == 1 {
		return []float64{1}, nil
	}
	days, err := cftime.StepDays(r.Times, r.TimeEdges, r.Frequency())
	if err != nil {
		return nil, fmt.Errorf("grid: weighting the steps of %s: %w", r.Variable, err)
	}
	return days, nil
}

// TimeMean is the mean of all steps, weighted by their length; a missing
// value leaves the weights of its cell. The result has one step whose edges
// are those of the whole (no time for a climatology), and "time: mean" among
// its cell methods.
func (r *Raster) TimeMean() (*Raster, error) {
	days, err := r.StepDays()
	if err != nil {
		return nil, err
	}
	out := *r
	out.Values = make([]float64, len(r.Lat)*len(r.Lon))
	for i := range out.Values {
		sum, weight := 0.0, 0.0
		for step := range r.Steps() {
			if v := r.Values[step*len(out.Values)+i]; v == v {
				sum += v * days[step]
				weight += days[step]
			}
		}
		out.Values[i] = math.NaN()
		if weight > 0 {
			out.Values[i] = sum / weight
		}
	}
	if r.Steps() > 1 {
		out.collapseTime(r)
	}
	return &out, nil
}

func (r *Raster) collapseTime(from *Raster) {
	r.CellMethods = AddCellMethod(from.CellMethods, "time: mean")
	edges := from.TimeEdges
	if edges == nil {
		edges = cftime.Edges(from.Times, from.Frequency())
	}
	r.Climatology = false
	r.Times, r.TimeEdges = nil, nil
	if from.Climatology {
		r.Calendar = ""
		return
	}
	r.Times = []cftime.Time{from.Times[0]}
	if edges != nil {
		r.TimeEdges = [][2]cftime.Time{{edges[0][0], edges[len(edges)-1][1]}}
	}
}

// AddCellMethod appends a CF cell method unless it is the last one already.
func AddCellMethod(methods, method string) string {
	switch {
	case methods == "":
		return method
	case len(methods) >= len(method) && methods[len(methods)-len(method):] == method:
		return methods
	}
	return methods + " " + method
}
