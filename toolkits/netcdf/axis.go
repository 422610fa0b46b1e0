package netcdf

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// axisKind is what a coordinate measures.
type axisKind byte

const (
	axisOther axisKind = iota
	axisLon
	axisLat
	axisLevel
	axisTime
)

// coordinate is the coordinate variable of a dimension.
type coordinate struct {
	kind     axisKind
	variable *Variable // nil for a dimension without one
	values   []float64
}

// kindOf classifies a coordinate variable by CF: units first, then standard
// name and axis, then positive, and the plain names last.
func kindOf(v *Variable) (axisKind, error) {
	units := strings.ToLower(strings.TrimSpace(v.Text("units")))
	standard := strings.ToLower(v.Text("standard_name"))
	axis := strings.ToUpper(strings.TrimSpace(v.Text("axis")))
	name := strings.ToLower(v.Name)
	switch {
	case strings.HasPrefix(standard, "grid_l"), strings.HasPrefix(standard, "projection_"):
		return axisOther, fmt.Errorf("netcdf: coordinate %q is a %s: %w: only longitude-latitude grids can be read", v.Name, standard, ErrUnsupported)
	case slices.Contains([]string{"degrees_north", "degree_north", "degree_n", "degrees_n", "degreen", "degreesn"}, units):
		return axisLat, nil
	case slices.Contains([]string{"degrees_east", "degree_east", "degree_e", "degrees_e", "degreee", "degreese"}, units):
		return axisLon, nil
	case strings.Contains(units, " since "), standard == "time", axis == "T":
		return axisTime, nil
	case standard == "latitude", standard == "" && units == "degrees" && (axis == "Y" || strings.HasPrefix(name, "lat")):
		return axisLat, nil
	case standard == "longitude", standard == "" && units == "degrees" && (axis == "X" || strings.HasPrefix(name, "lon")):
		return axisLon, nil
	case axis == "Z", v.Text("positive") != "", isPressure(units):
		return axisLevel, nil
	case name == "time":
		return axisTime, nil
	case slices.Contains([]string{"depth", "level", "lev", "height", "altitude", "plev"}, name):
		return axisLevel, nil
	case axis == "X" || axis == "Y":
		return axisOther, fmt.Errorf("netcdf: coordinate %q has units %q: %w: only longitude-latitude grids can be read", v.Name, v.Text("units"), ErrUnsupported)
	}
	return axisOther, nil
}

func isPressure(units string) bool {
	return slices.Contains([]string{"pa", "hpa", "mb", "mbar", "millibar", "bar", "dbar", "kpa"}, units)
}

// coordinates reads the coordinate variables of v's dimensions.
func (f *File) coordinates(v *Variable) ([]coordinate, error) {
	seen := map[axisKind]string{}
	coordinates := make([]coordinate, len(v.Dimensions))
	for i, d := range v.Dimensions {
		dimension := f.Dimensions[d]
		c, err := f.Variable(dimension.Name)
		if err != nil || len(c.Dimensions) != 1 || c.Dimensions[0] != d || c.Type == Char {
			continue // no coordinate variable: fine for a single index, refused later
		}
		kind, err := kindOf(c)
		if err != nil {
			return nil, err
		}
		if other := seen[kind]; other != "" && kind != axisOther {
			return nil, fmt.Errorf("netcdf: variable %q: %w: %q and %q are the same kind of axis", v.Name, ErrUnsupported, other, c.Name)
		}
		seen[kind] = c.Name
		values, err := f.ReadValues(c.Name, nil, nil)
		if err != nil {
			return nil, err
		}
		for k, x := range values {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return nil, &FormatError{Variable: c.Name, Offset: c.begin, Reason: fmt.Sprintf("coordinate value %d is missing or not finite", k)}
			}
		}
		coordinates[i] = coordinate{kind, c, values}
	}
	if seen[axisLon] == "" || seen[axisLat] == "" {
		return nil, f.noGrid(v)
	}
	return coordinates, nil
}

// noGrid says what is missing: a plain list, or a curvilinear grid.
func (f *File) noGrid(v *Variable) error {
	if names := v.Text("coordinates"); names != "" {
		return fmt.Errorf("netcdf: variable %q is on the curvilinear coordinates %q: %w: only one-dimensional longitudes and latitudes can be read", v.Name, names, ErrUnsupported)
	}
	var names []string
	for _, d := range v.Dimensions {
		names = append(names, f.Dimensions[d].Name)
	}
	return fmt.Errorf("netcdf: variable %q over (%s) has no longitude and latitude axes: %w: want coordinate variables with units degrees_east and degrees_north", v.Name, strings.Join(names, ", "), ErrUnsupported)
}

// line is one horizontal axis in ascending order, and where its points are in
// the file: index[i] is the place in the file of point i.
type line struct {
	centres, edges []float64
	index          []int64
}

// horizontal brings a longitude or latitude axis into the order of a Raster.
func (f *File) horizontal(c coordinate) (line, error) {
	centres := slices.Clone(c.values)
	n := len(centres)
	if n == 0 {
		return line{}, fmt.Errorf("netcdf: coordinate %q is empty: %w", c.variable.Name, ErrFormat)
	}
	edges, err := f.edges(c)
	if err != nil {
		return line{}, err
	}
	index := make([]int64, n)
	for i := range index {
		index[i] = int64(i)
	}
	if n > 1 && descending(centres) {
		slices.Reverse(centres)
		slices.Reverse(index)
		slices.Reverse(edges)
	}
	if c.kind == axisLon {
		unwrap(centres)
		for n > 1 && centres[n-1]-centres[0] > 360-circleSlack*360/float64(n) { // the first column again
			n--
			centres, index = centres[:n], index[:n]
			edges = edges[:min(n, len(edges))]
		}
	}
	for i := 1; i < n; i++ {
		if centres[i] <= centres[i-1] {
			return line{}, &FormatError{Variable: c.variable.Name, Offset: c.variable.begin, Reason: fmt.Sprintf("the coordinate is not monotonic at %g", c.values[index[i]])}
		}
	}
	l := line{centres: centres, index: index}
	l.edges, err = joinEdges(c, centres, edges)
	return l, err
}

// descending tells by the majority of steps: a longitude axis may jump once.
func descending(x []float64) bool {
	down := 0
	for i := 1; i < len(x); i++ {
		if x[i] < x[i-1] {
			down++
		}
	}
	return 2*down > len(x)-1
}

// unwrap adds full circles so that 170, 175, 180, -175 ascends.
func unwrap(lon []float64) {
	for i := 1; i < len(lon); i++ {
		for turns := 0; lon[i] < lon[i-1]-180 && turns < 4; turns++ {
			lon[i] += 360
		}
	}
}

// edges reads the bounds of a coordinate, CF's (n, 2) or Ferret's n+1 edges;
// nil when there are none.
func (f *File) edges(c coordinate) ([][2]float64, error) {
	n := len(c.values)
	name, ferret := strings.TrimSpace(c.variable.Text("bounds")), false
	if name == "" {
		name, ferret = strings.TrimSpace(c.variable.Text("edges")), true
	}
	if name == "" {
		return nil, nil
	}
	values, err := f.ReadValues(name, nil, nil)
	if err != nil {
		return nil, fmt.Errorf("bounds of %q: %w", c.variable.Name, err)
	}
	edges := make([][2]float64, n)
	switch {
	case ferret && len(values) == n+1:
		for i := range edges {
			edges[i] = [2]float64{values[i], values[i+1]}
		}
	case !ferret && len(values) == 2*n:
		for i := range edges {
			edges[i] = [2]float64{values[2*i], values[2*i+1]}
		}
	default:
		return nil, fmt.Errorf("netcdf: bounds %q of %q: %w: %d values for %d points", name, c.variable.Name, ErrFormat, len(values), n)
	}
	for i := range edges {
		if math.IsNaN(edges[i][0] + edges[i][1]) {
			return nil, fmt.Errorf("netcdf: bounds %q of %q: %w: pair %d is missing", name, c.variable.Name, ErrFormat, i)
		}
		if c.kind == axisLon || c.kind == axisLat {
			edges[i][0], edges[i][1] = min(edges[i][0], edges[i][1]), max(edges[i][0], edges[i][1])
		}
	}
	return edges, nil
}
