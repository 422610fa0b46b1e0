package vector

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/paulmach/orb"
)

// Bound is a box in degrees. West greater than East crosses the antimeridian;
// -180 to 180 is the full circle.
type Bound struct {
	West, South, East, North float64
}

// Crosses reports whether the box crosses the antimeridian.
func (b Bound) Crosses() bool { return b.West > b.East }

// Width returns the extent in longitude, degrees, 0 to 360.
func (b Bound) Width() float64 {
	if b.Crosses() {
		return b.East - b.West + 360
	}
	return math.Min(b.East-b.West, 360)
}

// Contains reports whether the point lies in the box or on its sides. The
// longitude may be in any convention.
func (b Bound) Contains(lon, lat float64) bool {
	if !(lat >= b.South && lat <= b.North) {
		return false
	}
	east := math.Mod(lon-b.West, 360)
	if east < 0 {
		east += 360
	}
	// A longitude on the western side may come out a rounding error west of it.
	return east <= b.Width() || 360-east < 1e-12
}

// Bound returns the smallest box that holds all features, in degrees, with
// longitudes in -180 to 180. It fails on features that are not geographic, or
// that have no points.
func (f *Features) Bound() (Bound, error) {
	if !Geographic(f.CRS) {
		return Bound{}, fmt.Errorf("vector: the bound of features: %w: %s is not in degrees", ErrCRS, f.CRS)
	}
	b := Bound{South: math.Inf(1), North: math.Inf(-1)}
	var arcs [][2]float64
	for _, feature := range f.Features {
		for _, part := range parts(feature.Geometry) {
			box := part.Bound()
			if box.IsEmpty() {
				continue
			}
			b.South, b.North = math.Min(b.South, box.Min[1]), math.Max(b.North, box.Max[1])
			arcs = append(arcs, [2]float64{box.Min[0], box.Max[0]})
		}
	}
	if len(arcs) == 0 {
		return Bound{}, errors.New("vector: the bound of features: there are no points")
	}
	b.West, b.East = coverArcs(arcs)
	return b, nil
}

// coverArcs returns the shortest arc of the circle that covers all arcs: what
// is left when the widest gap between them is taken out.
func coverArcs(arcs [][2]float64) (west, east float64) {
	for i, a := range arcs {
		if a[1]-a[0] >= 360 {
			return -180, 180
		}
		turn := 360 * math.Floor((a[0]+180)/360)
		arcs[i] = [2]float64{a[0] - turn, a[1] - turn}
	}
	slices.SortFunc(arcs, func(a, b [2]float64) int {
		if a[0] != b[0] {
			if a[0] < b[0] {
				return -1
			}
			return 1
		}
		return 0
	})
	end, gap := arcs[0][1], -1.0
	reach := arcs[0][1]
	for _, a := range arcs[1:] {
		if a[0]-reach > gap {
			gap, end, west = a[0]-reach, reach, a[0]
		}
		reach = math.Max(reach, a[1])
	}
	// The gap that goes round from the last arc to the first one.
	if round := arcs[0][0] + 360 - reach; round >= gap {
		gap, end, west = round, reach, arcs[0][0]
	}
	if gap <= 0 {
		return -180, 180
	}
	return wrap(west, -180), wrap(end, 180)
}

// wrap brings a longitude into -180 to 180; at the seam it takes the side given.
func wrap(lon, seam float64) float64 {
	lon = math.Remainder(lon, 360)
	if math.Abs(lon) == 180 {
		return seam
	}
	return lon
}

// parts splits a geometry into pieces that are each contiguous.
func parts(g orb.Geometry) []orb.Geometry {
	var out []orb.Geometry
	switch g := g.(type) {
	case nil:
	case orb.MultiPoint:
		for _, p := range g {
			out = append(out, p)
		}
	case orb.MultiLineString:
		for _, l := range g {
			out = append(out, l)
		}
	case orb.MultiPolygon:
		for _, p := range g {
			out = append(out, p)
		}
	case orb.Collection:
		for _, member := range g {
			out = append(out, parts(member)...)
		}
	default:
		out = append(out, g)
	}
	return out
}
