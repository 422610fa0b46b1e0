package netcdf

import (
	"fmt"
	"io"
	"math"

	"almanac/toolkits/cftime"
	"almanac/toolkits/grid"
)

// WriteRaster writes a raster as CF-1.11: coordinates with bounds, a time
// axis in the raster's calendar, a climatology with climatology bounds.
// Values are doubles, or floats with single; missing ones are _FillValue.
// ReadRaster gives the raster back.
func WriteRaster(w io.Writer, r *grid.Raster, single bool) error {
	if err := r.Validate(); err != nil {
		return fmt.Errorf("netcdf: writing: %w", err)
	}
	ds := &Dataset{Attributes: []Attribute{TextAttribute("Conventions", "CF-1.11")}}
	for _, a := range []Attribute{TextAttribute("source", r.Source), TextAttribute("license", r.Licence)} {
		if a.Text != "" {
			ds.Attributes = append(ds.Attributes, a)
		}
	}
	b := &rasterBuilder{ds: ds, r: r}
	bounds := b.dimension("bnds", 2)
	var dimensions []int
	if len(r.Times) > 0 {
		d, err := b.time(bounds)
		if err != nil {
			return err
		}
		dimensions = append(dimensions, d)
	}
	if r.Level != nil {
		dimensions = append(dimensions, b.level())
	}
	lat := b.axis("lat", "latitude", "degrees_north", r.Lat, r.LatEdges, bounds)
	lon := b.axis("lon", "longitude", "degrees_east", r.Lon, r.LonEdges, bounds)
	b.field(append(dimensions, lat, lon), single)
	return Write(w, ds)
}

type rasterBuilder struct {
	ds *Dataset
	r  *grid.Raster
}

func (b *rasterBuilder) dimension(name string, length int) int {
	b.ds.Dimensions = append(b.ds.Dimensions, Dimension{Name: name, Length: int64(length)})
	return len(b.ds.Dimensions) - 1
}

func (b *rasterBuilder) variable(name string, t Type, numbers []float64, dimensions []int, attributes ...Attribute) {
	b.ds.Variables = append(b.ds.Variables, VariableData{
		Variable: Variable{Name: name, Type: t, Dimensions: dimensions, Attributes: attributes},
		Numbers:  numbers,
	})
}

func (b *rasterBuilder) axis(name, standard, unit string, centres, edges []float64, bounds int) int {
	d := b.dimension(name, len(centres))
	b.variable(name, Double, centres, []int{d},
		TextAttribute("standard_name", standard), TextAttribute("units", unit), TextAttribute("bounds", name+"_bnds"))
	pairs := make([]float64, 0, 2*len(centres))
	for i := range centres {
		pairs = append(pairs, edges[i], edges[i+1])
	}
	b.variable(name+"_bnds", Double, pairs, []int{d, bounds})
	return d
}

func (b *rasterBuilder) level() int {
	d := b.dimension("level", 1)
	b.variable("level", Double, []float64{*b.r.Level}, []int{d},
		TextAttribute("units", b.r.LevelUnit), TextAttribute("axis", "Z"))
	return d
}

// time writes the axis in days when every time is a midnight, so that people
// can read it, and otherwise in seconds, which doubles hold exactly.
func (b *rasterBuilder) time(bounds int) (int, error) {
	r := b.r
	edges := r.TimeEdges
	if r.Climatology {
		edges = cftime.Edges(r.Times, cftime.FrequencyClimatologicalMonth)
	}
	unit := "days since "
	for _, t := range r.Times {
		if t != t.DayStart() {
			unit = "seconds since "
		}
	}
	for _, e := range edges {
		if e[0] != e[0].DayStart() || e[1] != e[1].DayStart() {
			unit = "seconds since "
		}
	}
	unit += r.Times[0].DayStart().String() + " 00:00:00"
	values, err := cftime.Encode(r.Times, unit, r.Calendar)
	if err != nil {
		return 0, fmt.Errorf("netcdf: writing the time axis: %w", err)
	}
	d := b.dimension("time", len(r.Times))
	attributes := []Attribute{
		TextAttribute("standard_name", "time"), TextAttribute("units", unit), TextAttribute("calendar", r.Calendar),
	}
	if edges == nil {
		b.variable("time", Double, values, []int{d}, attributes...)
		return d, nil
	}
	role, name := "bounds", "time_bnds"
	if r.Climatology {
		role, name = "climatology", "climatology_bounds"
	}
	b.variable("time", Double, values, []int{d}, append(attributes, TextAttribute(role, name))...)
	var flat []cftime.Time
	for _, e := range edges {
		flat = append(flat, e[0], e[1])
	}
	pairs, err := cftime.Encode(flat, unit, r.Calendar)
	if err != nil {
		return 0, fmt.Errorf("netcdf: writing the time bounds: %w", err)
	}
	b.variable(name, Double, pairs, []int{d, bounds})
	return d, nil
}

func (b *rasterBuilder) field(dimensions []int, single bool) {
	r, t := b.r, Double
	if single {
		t = Float
	}
	fill := defaultFill[t]
	numbers := make([]float64, len(r.Values))
	for i, v := range r.Values {
		if numbers[i] = v; math.IsNaN(v) {
			numbers[i] = fill
		}
	}
	attributes := []Attribute{NumberAttribute("_FillValue", t, fill), TextAttribute("units", r.Unit)}
	for _, a := range []Attribute{
		TextAttribute("standard_name", r.StandardName), TextAttribute("long_name", r.LongName), TextAttribute("cell_methods", r.CellMethods),
	} {
		if a.Text != "" {
			attributes = append(attributes, a)
		}
	}
	if r.Difference {
		attributes = append(attributes, TextAttribute("units_metadata", "temperature: difference"))
	}
	b.variable(r.Variable, t, numbers, dimensions, attributes...)
}
