package vector

import (
	"fmt"
	"math"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/planar"
)

// Contains reports whether a polygon of f holds the point, sides included and
// holes excluded. In degrees, the longitude may be in any convention. Lines and
// points hold nothing.
func (f *Features) Contains(lon, lat float64) bool {
	turns := []float64{0}
	if Geographic(f.CRS) {
		lon = math.Remainder(lon, 360)
		turns = []float64{0, 360, -360}
	}
	for _, feature := range f.Features {
		for _, part := range parts(feature.Geometry) {
			for _, turn := range turns {
				if holds(part, orb.Point{lon + turn, lat}) {
					return true
				}
			}
		}
	}
	return false
}

func holds(g orb.Geometry, p orb.Point) bool {
	switch g := g.(type) {
	case orb.Polygon:
		return len(g) > 0 && planar.PolygonContains(g, p)
	case orb.Ring:
		return planar.RingContains(g, p)
	case orb.Bound:
		return g.Contains(p)
	}
	return false
}

// Within returns the features of points that lie inside zones, in their order.
// None is a valid answer. It is an error when the two are in different reference
// systems (wraps [ErrCRS]) or a feature is not a single point.
func Within(points, zones *Features) (*Features, error) {
	if err := SameCRS(points, zones); err != nil {
		return nil, err
	}
	out := &Features{CRS: points.CRS, Source: points.Source, Licence: points.Licence}
	for i, feature := range points.Features {
		p, ok := feature.Geometry.(orb.Point)
		if !ok {
			return nil, fmt.Errorf("vector: %w: feature %d%s is not a point", ErrInvalid, i+1, named(feature))
		}
		if zones.Contains(p[0], p[1]) {
			out.Features = append(out.Features, feature)
		}
	}
	return out, nil
}
