package grid

import (
	"fmt"
	"math"
)

// Box is a box in degrees, named west, south, east, north everywhere. West
// greater than east crosses the antimeridian; a width of 360 or more is the
// full circle. Longitudes may be in any convention.
type Box struct {
	West, South, East, North float64
}

const degreeTolerance = 1e-9

// Validate refuses latitudes beyond the poles or in the wrong order and
// numbers that are not finite. South greater than north is put right by
// Normalize, not here.
func (b Box) Validate() error {
	for _, v := range []float64{b.West, b.South, b.East, b.North} {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("grid: box %s has a number that is not finite", b)
		}
	}
	if math.Abs(b.South) > 90 || math.Abs(b.North) > 90 {
		return fmt.Errorf("grid: box %s: a latitude is beyond 90 degrees; the order is west, south, east, north: were latitudes and longitudes swapped?", b)
	}
	if math.Abs(b.West) > 720 || math.Abs(b.East) > 720 {
		return fmt.Errorf("grid: box %s: a longitude is beyond 720 degrees", b)
	}
	return nil
}

// Normalize puts south and north in order; the order in which the caller
// wrote latitudes never matters.
func (b Box) Normalize() Box {
	if b.South > b.North {
		b.South, b.North = b.North, b.South
	}
	return b
}

// Width is the extent in longitude, eastward from west: 0 to 360 degrees.
func (b Box) Width() float64 {
	d := b.East - b.West
	if math.Abs(d) >= 360-degreeTolerance {
		return 360
	}
	return wrap(d)
}

// FullCircle reports whether the box goes round the globe.
func (b Box) FullCircle() bool { return b.Width() == 360 }

// Contains reports whether the point lies in the box, its edges included.
func (b Box) Contains(lon, lat float64) bool {
	b = b.Normalize()
	return lat >= b.South-degreeTolerance && lat <= b.North+degreeTolerance && b.containsLon(lon)
}

func (b Box) containsLon(lon float64) bool {
	d := wrap(lon - b.West)
	return d <= b.Width()+degreeTolerance || d >= 360-degreeTolerance
}

// String is "west, south, east, north".
func (b Box) String() string {
	return fmt.Sprintf("%g, %g, %g, %g", b.West, b.South, b.East, b.North)
}

// wrap brings an angle into [0, 360).
func wrap(d float64) float64 {
	d = math.Mod(d, 360)
	if d < 0 {
		d += 360
	}
	if d >= 360 {
		d = 0
	}
	return d
}

// Extent is the box of the outer edges of the raster.
func (r *Raster) Extent() Box {
	return Box{r.LonEdges[0], r.LatEdges[0], r.LonEdges[len(r.Lon)], r.LatEdges[len(r.Lat)]}
}

// FullCircle reports whether the grid goes round the globe.
func (r *Raster) FullCircle() bool {
	return r.LonEdges[len(r.Lon)]-r.LonEdges[0] >= 360-1e-6
}

// AlignLon brings a longitude of any convention to the one of the grid: into
// [west edge, west edge + 360).
func (r *Raster) AlignLon(lon float64) float64 {
	west := r.LonEdges[0]
	d := wrap(lon - west)
	if d >= 360-degreeTolerance {
		d = 0
	}
	return west + d
}
