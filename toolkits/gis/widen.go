package gis

import (
	"context"
	"math"

	"almanac/toolkits"
	"almanac/toolkits/geodesy"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/encoding/wkb"
	"github.com/paulmach/orb/planar"
	"github.com/paulmach/orb/simplify"
	"github.com/peterstace/simplefeatures/geom"
)

// cornerPoints are the corners of the circles that go along a border; they lie on the circle, which is up to 0.12 %
// farther out between them.
const cornerPoints = 64

// widen is the union of polygons with all that lies within km of their borders.
func widen(ctx context.Context, polygons []orb.Polygon, km float64) (orb.Geometry, error) {
	if km > shapeMost {
		return nil, toolkits.Errorf(toolkits.TooLarge, "around a shape up to %d km are possible, not %g", shapeMost, km)
	}
	polygons = together(polygons)
	var parts []geom.Geometry
	sides := 0
	for _, p := range polygons {
		whole, err := planarGeometry(p)
		if err != nil {
			return nil, err
		}
		parts = append(parts, whole)
		for _, ring := range p {
			ring = simplified(ring, km)
			if sides += len(ring); sides > sidesMost {
				return nil, toolkits.Errorf(toolkits.TooLarge, "the shape has more than %d sides; choose a simpler shape or a larger distance", sidesMost)
			}
			capsules, err := alongside(ring, km)
			if err != nil {
				return nil, err
			}
			parts = append(parts, capsules...)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	all, err := unite(ctx, parts)
	if err != nil {
		return nil, err
	}
	g, err := wkb.Unmarshal(all.AsBinary())
	if err != nil {
		return nil, toolkits.Errorf(toolkits.Internal, "reading the union: %w", err)
	}
	if _, err := geodesy.Polygons(g); err != nil {
		return nil, toolkits.Errorf(toolkits.EmptySelection, "the shape encloses no area")
	}
	return g, nil
}

// unite is the union of all parts, neighbours first. (Two at a time: the library's union of many loses what lies inside
// a ring of other parts.)
func unite(ctx context.Context, parts []geom.Geometry) (geom.Geometry, error) {
	for len(parts) > 1 {
		var next []geom.Geometry
		for i := 0; i < len(parts); i += 2 {
			if err := ctx.Err(); err != nil {
				return geom.Geometry{}, err
			}
			if i+1 == len(parts) {
				next = append(next, parts[i])
				break
			}
			u, err := geom.Union(parts[i], parts[i+1])
			if err != nil {
				return geom.Geometry{}, toolkits.Errorf(toolkits.Unsupported, "the shape cannot be widened: %w", err)
			}
			next = append(next, u)
		}
		parts = next
	}
	return parts[0], nil
}

// together brings polygons that were cut at the antimeridian to one side of it: each within half a turn of the first.
func together(polygons []orb.Polygon) []orb.Polygon {
	out := make([]orb.Polygon, len(polygons))
	middle := polygons[0].Bound().Center()[0]
	for i, p := range polygons {
		c := p.Bound().Center()[0]
		shift := math.Remainder(c-middle, 360) - (c - middle)
		moved := p.Clone()
		for _, ring := range moved {
			for j := range ring {
				ring[j][0] += shift
			}
		}
		out[i] = moved
	}
	return out
}

// simplified leaves out vertices that move the border by less than half a percent of the distance.
func simplified(ring orb.Ring, km float64) orb.Ring {
	const kmPerDegree = 111.2
	s := simplify.DouglasPeucker(km * 0.005 / kmPerDegree).Ring(ring.Clone())
	if len(s) < 4 { // all of it lies that near to its first vertex
		return orb.Ring{ring[0], ring[0]}
	}
	return s
}

// alongside are the parts within km of the sides of a ring: for every side the hull of the circles at its ends.
func alongside(ring orb.Ring, km float64) ([]geom.Geometry, error) {
	var parts []geom.Geometry
	for i := 1; i < len(ring); i++ {
		a, b := ring[i-1], ring[i]
		pieces := 1 + int(max(math.Abs(b[0]-a[0]), math.Abs(b[1]-a[1])))
		for k := range pieces {
			from, to := between(a, b, float64(k)/float64(pieces)), between(a, b, float64(k+1)/float64(pieces))
			if top := max(math.Abs(from[1]), math.Abs(to[1])); top+km/110 > 89 {
				return nil, toolkits.Errorf(toolkits.Unsupported, "the shape comes within %g km of a pole, where it cannot be widened; use a box", km)
			}
			corners := make(orb.MultiPoint, 0, 2*cornerPoints+2)
			for _, p := range [2]orb.Point{from, to} {
				corners = append(corners, orb.MultiPoint(circle(geodesy.Point{Latitude: p[1], Longitude: p[0]}, km, cornerPoints))...)
			}
			g, err := planarGeometry(corners)
			if err != nil {
				return nil, err
			}
			parts = append(parts, g.ConvexHull())
		}
	}
	return parts, nil
}

func between(a, b orb.Point, t float64) orb.Point {
	return orb.Point{a[0] + t*(b[0]-a[0]), a[1] + t*(b[1]-a[1])}
}

// planarGeometry hands a geometry to the library that unites them.
func planarGeometry(g orb.Geometry) (geom.Geometry, error) {
	if p, ok := g.(orb.Polygon); ok && planar.Area(p) == 0 {
		return geom.Geometry{}, toolkits.Errorf(toolkits.EmptySelection, "the shape encloses no area")
	}
	data, err := wkb.Marshal(g)
	if err != nil {
		return geom.Geometry{}, toolkits.Errorf(toolkits.Internal, "writing a shape: %w", err)
	}
	out, err := geom.UnmarshalWKB(data)
	if err != nil {
		return geom.Geometry{}, toolkits.Errorf(toolkits.BadArgument, "the shape is not valid: %w", err)
	}
	return out, nil
}
