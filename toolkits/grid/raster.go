package grid

import (
	"errors"
	"fmt"
	"math"

	"almanac/toolkits/cftime"
)

// ErrEmpty marks a selection that has no cell, no step or no valid value.
var ErrEmpty = errors.New("empty selection")

// ErrOutside marks a point outside the grid.
var ErrOutside = errors.New("outside the grid")

// ErrInvalid marks a raster that breaks its rules.
var ErrInvalid = errors.New("invalid raster")

// Raster is one variable on a regular or rectilinear longitude-latitude grid,
// with any number of time steps, at one level.
type Raster struct {
	Variable     string // the data set's short name, "sst"
	StandardName string // CF standard name, may be empty
	LongName     string
	Unit         string // UDUNITS-like; "1" is dimensionless
	Difference   bool   // values are differences: no temperature offset on conversion
	CRS          string // "EPSG:4326"

	Lon, Lat           []float64 // cell centres, degrees_east and degrees_north, strictly ascending; Lon spans at most 360
	LonEdges, LatEdges []float64 // one more than centres, strictly ascending; latitudes within ±90

	Times       []cftime.Time    // nil for a field without time (one step)
	TimeEdges   [][2]cftime.Time // start and end of every step; nil when unknown
	Calendar    string           // CF calendar of Times; empty without time
	Climatology bool             // the steps are months of a climatological year

	Level     *float64 // the level of the field, nil for a surface field
	LevelUnit string

	CellMethods string    // CF, "time: mean", "time: sum"
	Values      []float64 // [time][lat][lon], row-major; NaN is missing

	Source, Licence string
}

// Steps is the number of time steps; a field without time has one.
func (r *Raster) Steps() int { return max(1, len(r.Times)) }

// Index is the place of a cell in Values.
func (r *Raster) Index(step, row, col int) int {
	return (step*len(r.Lat)+row)*len(r.Lon) + col
}

// At is the value of a cell; NaN is missing.
func (r *Raster) At(step, row, col int) float64 { return r.Values[r.Index(step, row, col)] }

// Field is the values [lat][lon] of one step; it shares memory with r.
func (r *Raster) Field(step int) []float64 {
	n := len(r.Lat) * len(r.Lon)
	return r.Values[step*n : (step+1)*n]
}

// Valid is the number of values that are not missing.
func (r *Raster) Valid() int {
	n := 0
	for _, v := range r.Values {
		if v == v {
			n++
		}
	}
	return n
}

// Frequency is the spacing of the steps in the words of package cftime.
func (r *Raster) Frequency() string {
	if r.Climatology {
		return cftime.FrequencyClimatologicalMonth
	}
	if f := cftime.FrequencyOfEdges(r.TimeEdges); f != cftime.FrequencyIrregular {
		return f
	}
	return cftime.InferFrequency(r.Times)
}

// Label names a step as an answer would: "August", "1998-08", "2014-07-06".
// It is empty for a field without time.
func (r *Raster) Label(step int) string {
	if step >= len(r.Times) {
		return ""
	}
	return r.Times[step].Label(r.Frequency())
}

// PeriodLabel names the whole time axis: "1998-01/2001-12", "January/December",
// one label for a single step, "" without time.
func (r *Raster) PeriodLabel() string {
	if len(r.Times) == 0 {
		return ""
	}
	first, last := r.Label(0), r.Label(len(r.Times)-1)
	if first == last {
		return first
	}
	return first + "/" + last
}

// Like is a copy of everything except the values, which are new and missing,
// with the axes shared: what a tool fills that maps a raster to a raster.
func (r *Raster) Like() *Raster {
	out := *r
	out.Values = make([]float64, len(r.Values))
	for i := range out.Values {
		out.Values[i] = math.NaN()
	}
	return &out
}

// MidEdges are edges halfway between centres, the outermost as far out as the
// next one is in. A single centre gets ±width/2.
func MidEdges(centres []float64, width float64) []float64 {
	n := len(centres)
	edges := make([]float64, n+1)
	if n == 1 {
		return []float64{centres[0] - width/2, centres[0] + width/2}
	}
	for i := 1; i < n; i++ {
		edges[i] = (centres[i-1] + centres[i]) / 2
	}
	edges[0] = centres[0] - (edges[1] - centres[0])
	edges[n] = centres[n-1] + (centres[n-1] - edges[n-1])
	return edges
}

// LatMidEdges are MidEdges kept within ±90.
func LatMidEdges(centres []float64, width float64) []float64 {
	edges := MidEdges(centres, width)
	edges[0] = max(edges[0], -90)
	edges[len(edges)-1] = min(edges[len(edges)-1], 90)
	return edges
}

// Validate says whether the raster keeps the rules of the package; the error
// wraps ErrInvalid and names the field.
func (r *Raster) Validate() error {
	if err := checkAxis("longitude", r.Lon, r.LonEdges, math.Inf(-1), math.Inf(1)); err != nil {
		return err
	}
	if err := checkAxis("latitude", r.Lat, r.LatEdges, -90, 90); err != nil {
		return err
	}
	if span := r.LonEdges[len(r.Lon)] - r.LonEdges[0]; span > 360+1e-6 {
		return fmt.Errorf("grid: %w: longitudes span %g degrees", ErrInvalid, span)
	}
	if want := r.Steps() * len(r.Lat) * len(r.Lon); len(r.Values) != want {
		return fmt.Errorf("grid: %w: %d values for %d steps of %d × %d cells", ErrInvalid, len(r.Values), r.Steps(), len(r.Lat), len(r.Lon))
	}
	for i, v := range r.Values {
		if math.IsInf(v, 0) {
			return fmt.Errorf("grid: %w: value %d is infinite", ErrInvalid, i)
		}
	}
	return r.validateTime()
}

func (r *Raster) validateTime() error {
	if r.TimeEdges != nil && len(r.TimeEdges) != len(r.Times) {
		return fmt.Errorf("grid: %w: %d time edges for %d times", ErrInvalid, len(r.TimeEdges), len(r.Times))
	}
	for i, t := range r.Times {
		if err := t.Valid(); err != nil {
			return fmt.Errorf("grid: %w: time %d: %w", ErrInvalid, i, err)
		}
		if t.Calendar != r.Calendar {
			return fmt.Errorf("grid: %w: time %d has calendar %q, the raster %q", ErrInvalid, i, t.Calendar, r.Calendar)
		}
		if i > 0 && !r.Times[i-1].Before(t) && !r.Climatology {
			return fmt.Errorf("grid: %w: times are not ascending at %s", ErrInvalid, t)
		}
	}
	return nil
}

func checkAxis(name string, centres, edges []float64, low, high float64) error {
	if len(centres) == 0 || len(edges) != len(centres)+1 {
		return fmt.Errorf("grid: %w: %d %s centres with %d edges", ErrInvalid, len(centres), name, len(edges))
	}
	for i, c := range centres {
		if math.IsNaN(c) || math.IsInf(c, 0) || c < low || c > high {
			return fmt.Errorf("grid: %w: %s %d is %g", ErrInvalid, name, i, c)
		}
		if i > 0 && c <= centres[i-1] {
			return fmt.Errorf("grid: %w: %s is not ascending at %g", ErrInvalid, name, c)
		}
		if !(edges[i] <= c && c <= edges[i+1] && edges[i] < edges[i+1]) || edges[i] < low || edges[i+1] > high {
			return fmt.Errorf("grid: %w: %s %g lies outside its edges %g and %g", ErrInvalid, name, c, edges[i], edges[i+1])
		}
	}
	return nil
}
