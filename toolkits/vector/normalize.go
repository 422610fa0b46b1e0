package vector

import (
	"errors"
	"fmt"
	"math"

	"github.com/paulmach/orb"
)

// Normalize returns a copy of f in which every ring is closed, outer rings run
// counter-clockwise and holes clockwise. A hole without area is dropped; an
// outer ring without area, or one of fewer than three corners, is an error that
// wraps [ErrInvalid]. Rings and bounds become polygons.
func (f *Features) Normalize() (*Features, error) {
	out := *f
	out.Features = make([]Feature, len(f.Features))
	for i, feature := range f.Features {
		g, err := normalize(feature.Geometry)
		if err != nil {
			return nil, fmt.Errorf("vector: %w: feature %d%s: %v", ErrInvalid, i+1, named(feature), err)
		}
		feature.Geometry = g
		out.Features[i] = feature
	}
	return &out, nil
}

func normalize(g orb.Geometry) (orb.Geometry, error) {
	switch g := g.(type) {
	case nil:
		return nil, errors.New("it has no geometry")
	case orb.Ring:
		return normalizePolygon(orb.Polygon{g})
	case orb.Bound:
		return normalizePolygon(g.ToPolygon())
	case orb.Polygon:
		return normalizePolygon(g)
	case orb.MultiPolygon:
		out := make(orb.MultiPolygon, 0, len(g))
		for i, p := range g {
			q, err := normalizePolygon(p)
			if err != nil {
				return nil, fmt.Errorf("part %d: %w", i+1, err)
			}
			out = append(out, q)
		}
		if len(out) == 0 {
			return nil, errors.New("a multi-polygon without parts")
		}
		return out, nil
	case orb.Collection:
		out := make(orb.Collection, 0, len(g))
		for _, member := range g {
			m, err := normalize(member)
			if err != nil {
				return nil, err
			}
			out = append(out, m)
		}
		return out, nil
	case orb.LineString:
		if len(g) < 2 {
			return nil, fmt.Errorf("a line of %d points", len(g))
		}
	}
	return g, nil
}

func normalizePolygon(p orb.Polygon) (orb.Polygon, error) {
	if len(p) == 0 {
		return nil, errors.New("a polygon without rings")
	}
	out := make(orb.Polygon, 0, len(p))
	for i, ring := range p {
		r, area, err := closed(ring)
		if err != nil {
			return nil, fmt.Errorf("ring %d: %w", i+1, err)
		}
		switch {
		case area == 0 && i == 0:
			return nil, errors.New("the outer ring has no area")
		case area == 0:
			continue
		case (area > 0) != (i == 0):
			r = reversed(r)
		}
		out = append(out, r)
	}
	return out, nil
}

// closed returns the ring closed, and its signed planar area, in square units
// of the coordinates, positive when it runs counter-clockwise. The ring is
// copied only when it has to change.
func closed(r orb.Ring) (orb.Ring, float64, error) {
	if len(r) > 0 && r[0] != r[len(r)-1] {
		r = append(append(make(orb.Ring, 0, len(r)+1), r...), r[0])
	}
	if len(r) < 4 {
		return nil, 0, fmt.Errorf("%d points; a ring has at least three corners and comes back to its first", len(r))
	}
	area := 0.0
	for i := 1; i < len(r); i++ {
		// Relative to the first point: small rings far from the origin keep their sign.
		a, b := r[i-1], r[i]
		area += (a[0]-r[0][0])*(b[1]-r[0][1]) - (b[0]-r[0][0])*(a[1]-r[0][1])
	}
	if math.IsNaN(area) || math.IsInf(area, 0) {
		return nil, 0, errors.New("a coordinate is not finite")
	}
	return r, area / 2, nil
}

func reversed(r orb.Ring) orb.Ring {
	out := make(orb.Ring, len(r))
	for i, p := range r {
		out[len(r)-1-i] = p
	}
	return out
}

// checkEdges refuses edges that span more than half of the globe, short of all
// of it: see [ReadGeoJSON]. It is meant for degrees and harmless for metres,
// where no edge ends in the range.
func checkEdges(g orb.Geometry) error {
	return eachRing(g, func(r orb.Ring) error {
		for i := 1; i < len(r); i++ {
			a, b := r[i-1], r[i]
			span := math.Abs(a[0] - b[0])
			if span > 180 && span < 360 && math.Abs(a[0]) <= 360 && math.Abs(b[0]) <= 360 && math.Abs(a[1]) <= 90 && math.Abs(b[1]) <= 90 {
				return fmt.Errorf("an edge from longitude %g to %g spans more than half of the globe: cut the shape at the antimeridian, carry its longitudes on past 180, or give a wide box more corners", a[0], b[0])
			}
		}
		return nil
	})
}

// eachRing calls do for every ring of the polygons in g.
func eachRing(g orb.Geometry, do func(orb.Ring) error) error {
	switch g := g.(type) {
	case orb.Ring:
		return do(g)
	case orb.Bound:
		return do(g.ToRing())
	case orb.Polygon:
		for _, r := range g {
			if err := do(r); err != nil {
				return err
			}
		}
	case orb.MultiPolygon:
		for _, p := range g {
			if err := eachRing(p, do); err != nil {
				return err
			}
		}
	case orb.Collection:
		for _, member := range g {
			if err := eachRing(member, do); err != nil {
				return err
			}
		}
	}
	return nil
}
