package netcdf

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"almanac/toolkits/cftime"
	"almanac/toolkits/grid"
	"almanac/toolkits/units"
)

// RasterOptions say what a file does not. The zero RasterOptions takes
// everything from the file.
type RasterOptions struct {
	// Name is the raster's short name; "" is the name in the file.
	Name string
	// StandardName and LongName override the attributes.
	StandardName, LongName string
	// Unit is what the values are in, where the file's units attribute is
	// missing or not readable ("PPT"). Nothing is converted.
	Unit string
	// Level picks a level, in the unit of the file's level axis; nil is the
	// only level.
	Level *float64
	// CellMethods overrides the attribute.
	CellMethods string
	// Source and Licence go into the raster.
	Source, Licence string
}

// Levels lists the levels of a variable and their canonical unit; nil for a
// variable without a level axis.
func (f *File) Levels(variable string) ([]float64, string, error) {
	v, err := f.Variable(variable)
	if err != nil {
		return nil, "", err
	}
	coordinates, err := f.coordinates(v)
	if err != nil {
		return nil, "", err
	}
	for _, c := range coordinates {
		if c.kind == axisLevel {
			return c.values, levelUnit(c), nil
		}
	}
	return nil, "", nil
}

func levelUnit(c coordinate) string {
	raw := c.variable.Text("units")
	if canonical, err := units.Canonical(raw); err == nil {
		return canonical
	}
	return raw
}

// ReadRaster reads a CF variable on a longitude-latitude grid. The
// dimensions may stand in any order; axes that descend in the file ascend in
// the raster, and a repeated first column is dropped. A time axis with the
// climatology attribute, or with Ferret's modulo attribute, must have the
// twelve months. A time stamped at the end of its bounds moves to their middle.
// Whatever cannot be read truly is an error: a missing unit
// (ErrNotFound), a projected or curvilinear grid (ErrUnsupported), a level
// that the file does not have (ErrNotFound).
func ReadRaster(f *File, variable string, options *RasterOptions) (*grid.Raster, error) {
	if options == nil {
		options = &RasterOptions{}
	}
	v, err := f.Variable(variable)
	if err != nil {
		return nil, err
	}
	coordinates, err := f.coordinates(v)
	if err != nil {
		return nil, err
	}
	r := &grid.Raster{CRS: "EPSG:4326", Source: options.Source, Licence: options.Licence}
	if err := describe(r, v, options); err != nil {
		return nil, err
	}
	layout, err := f.arrange(r, v, coordinates, options)
	if err != nil {
		return nil, err
	}
	if r.Values, err = f.gather(v, layout); err != nil {
		return nil, err
	}
	if err := r.Validate(); err != nil {
		return nil, fmt.Errorf("netcdf: reading variable %q: %w", variable, err)
	}
	return r, nil
}

func describe(r *grid.Raster, v *Variable, o *RasterOptions) error {
	pick := func(preferred, attribute string) string {
		if preferred != "" {
			return preferred
		}
		return strings.TrimSpace(v.Text(attribute))
	}
	r.Variable = o.Name
	if r.Variable == "" {
		r.Variable = v.Name
	}
	r.StandardName = pick(o.StandardName, "standard_name")
	r.LongName = pick(o.LongName, "long_name")
	r.CellMethods = pick(o.CellMethods, "cell_methods")
	r.Difference = strings.Contains(v.Text("units_metadata"), "difference")
	unit := o.Unit
	if unit == "" {
		a, ok := v.Attribute("units")
		if !ok || a.Type != Char {
			return fmt.Errorf("netcdf: variable %q has no units attribute: %w: say what the unit is", v.Name, ErrNotFound)
		}
		unit = a.Text
	}
	canonical, err := units.Canonical(unit)
	if err != nil {
		return fmt.Errorf("netcdf: variable %q: %w", v.Name, err)
	}
	r.Unit = canonical
	return nil
}

// arrangement says which places of every dimension go where in the raster.
type arrangement struct {
	start, count []int64
	time, y, x   int // dimensions of the variable; time is -1 without one
	rows, cols   []int64
}

// arrange fills the axes of the raster.
func (f *File) arrange(r *grid.Raster, v *Variable, coordinates []coordinate, o *RasterOptions) (*arrangement, error) {
	shape := f.Shape(v)
	a := &arrangement{start: make([]int64, len(shape)), count: slices.Clone(shape), time: -1}
	levels := false
	for i, c := range coordinates {
		switch c.kind {
		case axisLon, axisLat:
			l, err := f.horizontal(c)
			if err != nil {
				return nil, err
			}
			if c.kind == axisLon {
				a.x, a.cols, r.Lon, r.LonEdges = i, l.index, l.centres, l.edges
			} else {
				a.y, a.rows, r.Lat, r.LatEdges = i, l.index, l.centres, l.edges
			}
		case axisTime:
			a.time = i
			if err := f.setTime(r, c); err != nil {
				return nil, err
			}
		case axisLevel:
			levels = true
			at, err := pickLevel(v, c, o.Level)
			if err != nil {
				return nil, err
			}
			a.start[i], a.count[i] = at, 1
			r.Level, r.LevelUnit = &c.values[at], levelUnit(c)
		default:
			if shape[i] != 1 {
				return nil, fmt.Errorf("netcdf: variable %q: %w: dimension %q of length %d is not longitude, latitude, level or time", v.Name, ErrUnsupported, f.Dimensions[v.Dimensions[i]].Name, shape[i])
			}
		}
	}
	if o.Level != nil && !levels {
		return nil, fmt.Errorf("netcdf: variable %q, level %g: %w: the variable has no levels", v.Name, *o.Level, ErrNotFound)
	}
	return a, nil
}

func pickLevel(v *Variable, c coordinate, level *float64) (int64, error) {
	if level == nil && len(c.values) == 1 {
		return 0, nil
	}
	if level != nil {
		for i, x := range c.values {
			if math.Abs(x-*level) <= 1e-6*math.Max(1, math.Abs(x)) {
				return int64(i), nil
			}
		}
	}
	asked := "no level was asked for"
	if level != nil {
		asked = fmt.Sprintf("level %g", *level)
	}
	return 0, fmt.Errorf("netcdf: variable %q: %s: %w: its levels are %v %s", v.Name, asked, ErrNotFound, c.values, levelUnit(c))
}

// setTime decodes the time axis with its bounds, or recognises the twelve
// months of a climatology.
func (f *File) setTime(r *grid.Raster, c coordinate) error {
	calendar, err := cftime.CanonicalCalendar(c.variable.Text("calendar"))
	if err != nil {
		return fmt.Errorf("netcdf: coordinate %q: %w", c.variable.Name, err)
	}
	unit := c.variable.Text("units")
	if r.Times, _, err = cftime.Decode(c.values, unit, calendar); err != nil {
		return fmt.Errorf("netcdf: coordinate %q: %w", c.variable.Name, err)
	}
	r.Calendar = calendar
	_, modulo := c.variable.Attribute("modulo")
	_, climatology := c.variable.Attribute("climatology")
	if modulo || climatology {
		for i, t := range r.Times {
			if len(r.Times) != 12 || t.Month != i+1 {
				return fmt.Errorf("netcdf: coordinate %q: %w: a climatology must have the twelve months January to December; this one has %d steps", c.variable.Name, ErrUnsupported, len(r.Times))
			}
		}
		r.Climatology = true
		return nil
	}
	bounds, err := f.edges(c)
	if err != nil || bounds == nil {
		return err
	}
	for i, b := range bounds {
		edge, _, err := cftime.Decode(b[:], unit, calendar)
		if err != nil {
			return fmt.Errorf("netcdf: bounds of %q, pair %d: %w", c.variable.Name, i, err)
		}
		r.TimeEdges = append(r.TimeEdges, [2]cftime.Time{edge[0], edge[1]})
	}
	return stampInside(r, c)
}

// stampInside moves a time that stands at the end of its step into the middle
// of it: models stamp the mean of January with 1 February 00:00, which would
// select and label it as February. A time outside its bounds is an error.
func stampInside(r *grid.Raster, c coordinate) error {
	for i, t := range r.Times {
		start, end := r.TimeEdges[i][0], r.TimeEdges[i][1]
		if t.Before(start) || end.Before(t) || end.Before(start) {
			return fmt.Errorf("netcdf: coordinate %q: %w: time %s lies outside its bounds %s and %s", c.variable.Name, ErrFormat, t, start, end)
		}
		if t == end && start.Before(end) {
			r.Times[i] = start.AddSeconds(end.DaysSince(start) * 86400 / 2)
		}
	}
	return nil
}

// gather reads the slab and puts it into the order [time][lat][lon].
func (f *File) gather(v *Variable, a *arrangement) ([]float64, error) {
	raw, err := f.ReadValues(v.Name, a.start, a.count)
	if err != nil {
		return nil, err
	}
	strides := make([]int64, len(a.count))
	step := int64(1)
	for i := len(a.count) - 1; i >= 0; i-- {
		strides[i] = step
		step *= a.count[i]
	}
	steps, perStep := int64(1), int64(0)
	if a.time >= 0 {
		steps, perStep = a.count[a.time], strides[a.time]
	}
	values := make([]float64, 0, steps*int64(len(a.rows))*int64(len(a.cols)))
	for t := range steps {
		for _, row := range a.rows {
			base := t*perStep + row*strides[a.y]
			for _, col := range a.cols {
				values = append(values, raw[base+col*strides[a.x]])
			}
		}
	}
	return values, nil
}
