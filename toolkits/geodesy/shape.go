package geodesy

import (
	"errors"
	"fmt"
	"math"

	"github.com/paulmach/orb"
)

// ErrNoArea marks a geometry that is not made of polygons.
var ErrNoArea = errors.New("no polygon")

// series are the coefficients of the area in km2 per radian of longitude between the equator and a latitude, as a
// polynomial in odd powers of the sine: a² (1-e²)/2 Σ e^2n (1 + 1/(2n+1)) s^(2n+1).
var series = func() (c [8]float64) {
	e := 1.0
	for n := range c {
		c[n] = SemiMajorAxis * SemiMajorAxis * (1 - e2) / 2 * e * (1 + 1/float64(2*n+1))
		e *= e2
	}
	return c
}()

// Below is the area in km2 between the equator and the latitude, per degree of longitude; negative in the south.
func Below(lat float64) float64 {
	s := math.Sin(lat * degree)
	s2 := s * s
	sum := 0.0
	for n := len(series) - 1; n >= 0; n-- {
		sum = sum*s2 + series[n]
	}
	return s * sum * degree
}

// MeanBelow is the mean of [Below] along a side between two latitudes.
func MeanBelow(lat1, lat2 float64) float64 {
	d := lat2 - lat1
	if d == 0 {
		return Below(lat1)
	}
	pieces := 1 + int(math.Abs(d)/4)
	half := d / float64(2*pieces)
	const node, outer, inner = 0.7745966692414834, 5.0 / 18, 8.0 / 18 // three-point Gauss–Legendre, sqrt(3/5)
	sum := 0.0
	for i := range pieces {
		mid := lat1 + half*float64(2*i+1)
		sum += outer*(Below(mid-half*node)+Below(mid+half*node)) + inner*Below(mid)
	}
	return sum / float64(pieces)
}

// RingArea is the signed area of a ring in km2: positive when counter-clockwise.
func RingArea(r orb.Ring) float64 {
	sum := 0.0
	for i := range r {
		a, b := r[i], r[(i+1)%len(r)]
		if b[0] != a[0] {
			sum -= (b[0] - a[0]) * MeanBelow(a[1], b[1])
		}
	}
	return sum
}

// PolygonArea is the outer ring less the holes, in km2, however they are wound.
func PolygonArea(p orb.Polygon) float64 {
	area := 0.0
	for i, ring := range p {
		a := math.Abs(RingArea(ring))
		if i > 0 {
			a = -a
		}
		area += a
	}
	return area
}

// Polygons lists the polygons of a geometry. The error wraps [ErrNoArea] when it is or contains something else.
func Polygons(g orb.Geometry) ([]orb.Polygon, error) {
	switch g := g.(type) {
	case orb.Polygon:
		return []orb.Polygon{g}, nil
	case orb.MultiPolygon:
		return g, nil
	case orb.Ring:
		return []orb.Polygon{{g}}, nil
	case orb.Bound:
		return []orb.Polygon{g.ToPolygon()}, nil
	case orb.Collection:
		var all []orb.Polygon
		for _, x := range g {
			p, err := Polygons(x)
			if err != nil {
				return nil, err
			}
			all = append(all, p...)
		}
		return all, nil
	case nil:
		return nil, fmt.Errorf("geodesy: %w: the geometry is empty", ErrNoArea)
	}
	return nil, fmt.Errorf("geodesy: %w: the geometry is a %s", ErrNoArea, g.GeoJSONType())
}

// SideLength is the length in km of a side that is straight in longitude and latitude.
func SideLength(a, b orb.Point) float64 {
	dLat, dLon := (b[1]-a[1])*degree, (b[0]-a[0])*degree
	if dLat == 0 && dLon == 0 {
		return 0
	}
	pieces := 1 + int(math.Abs(dLat)/0.35)
	sum := 0.0
	for i := range pieces {
		from := a[1]*degree + dLat*float64(i)/float64(pieces)
		sum += integrate(func(t float64) float64 {
			s, c := math.Sincos(from + dLat/float64(pieces)*t)
			w := 1 - e2*s*s
			n := SemiMajorAxis / math.Sqrt(w) // radius in the prime vertical
			return math.Hypot(n*(1-e2)/w*dLat, n*c*dLon)
		}, 0, 1)
	}
	return sum / float64(pieces)
}

// Perimeter is the length in km of all rings of the polygons, holes included. Where a shape was cut at the
// antimeridian, the cut is no border and does not count; sides along a pole have no length.
func Perimeter(polygons []orb.Polygon) float64 {
	sum := 0.0
	var cut seam
	for _, p := range polygons {
		for i, ring := range p {
			flip := (RingArea(ring) < 0) != (i > 0) // outer rings counter-clockwise, holes clockwise
			for j := range ring {
				a, b := ring[j], ring[(j+1)%len(ring)]
				if flip {
					a, b = b, a
				}
				if a[0] == b[0] && math.Abs(a[0]) == 180 {
					cut.add(a[1], b[1])
					continue
				}
				sum += SideLength(a, b)
			}
		}
	}
	return sum + cut.length()
}
