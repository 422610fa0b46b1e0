package judge

import (
	"fmt"
	"math"

	"almanac/toolkits/vector"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/planar"
)

// features compares shapes and properties, feature by feature: in order, or by the property that is the key. Shapes
// that cross the antimeridian must be in the same of its two forms.
func (c *comparer) features(where string, got, want *vector.Features) error {
	switch {
	case got.CRS != want.CRS:
		return differs(where, "is in %s, not %s", got.CRS, want.CRS)
	case len(got.Features) != len(want.Features):
		return differs(where, "has %d features, not %d", len(got.Features), len(want.Features))
	}
	order, err := c.matching(where, len(want.Features), func(i int) map[string]any { return got.Features[i].Properties },
		func(i int) map[string]any { return want.Features[i].Properties })
	if err != nil {
		return err
	}
	for i, w := range want.Features {
		at := fmt.Sprintf("%sfeature %d", prefix(where), i)
		g := got.Features[order[i]]
		if err := c.geometry(at, g.Geometry, w.Geometry); err != nil {
			return err
		}
		if err := c.fields(at, g.Properties, w.Properties); err != nil {
			return err
		}
	}
	return nil
}

func prefix(where string) string {
	if where == "" {
		return ""
	}
	return where + " "
}

// matching gives for each expected row the row that was made with the same keys; without keys the same row. Keys must
// tell the expected rows apart.
func (c *comparer) matching(where string, n int, got, want func(int) map[string]any) ([]int, error) {
	order := make([]int, n)
	if len(c.Keys) == 0 {
		for i := range n {
			order[i] = i
		}
		return order, nil
	}
	used := make([]bool, n)
	rows := make([]map[string]any, n)
	for j := range n {
		rows[j] = got(j)
	}
	for i := range n {
		order[i] = -1
		w := want(i)
		for j := range n {
			if used[j] || !c.sameKeys(rows[j], w) {
				continue
			}
			if order[i] >= 0 {
				return nil, differs(where, "rows %d and %d both have the keys of the expected row %d", order[i], j, i)
			}
			order[i] = j
		}
		if order[i] < 0 {
			return nil, differs(where, "no row has the keys of the expected row %d", i)
		}
		used[order[i]] = true
	}
	return order, nil
}

func (c *comparer) sameKeys(got, want map[string]any) bool {
	for _, k := range c.Keys {
		g, okG := got[k]
		w, okW := want[k]
		if !okG || !okW || (&comparer{&Options{Verbatim: c.Verbatim}}).value("", g, w) != nil {
			return false
		}
	}
	return true
}

// geometry asks for the same dimension and for outlines no further apart than the tolerance. Outlines that are close
// can still enclose something else (a ring and a disk): the areas may differ by no more than the tolerance along the
// outline allows.
func (c *comparer) geometry(where string, got, want orb.Geometry) error {
	if got == nil || want == nil {
		if got == nil && want == nil {
			return nil
		}
		return differs(where, "one of the two has no shape")
	}
	if got.Dimensions() != want.Dimensions() {
		return differs(where, "is a %s, not a %s", got.GeoJSONType(), want.GeoJSONType())
	}
	tolerance := c.Hausdorff
	if tolerance <= 0 {
		tolerance = relative * scale(want)
	}
	g, w := outline(got), outline(want)
	if len(g) == 0 || len(w) == 0 {
		if len(g) == len(w) {
			return nil
		}
		return differs(where, "one of the two shapes is empty")
	}
	for _, pair := range [][2][]segment{{g, w}, {w, g}} {
		if p, ok := within(pair[0], pair[1], tolerance); !ok {
			return differs(where, "the outlines are further apart than %g at %g, %g", tolerance, p[0], p[1])
		}
	}
	if a, b := math.Abs(planar.Area(got)), math.Abs(planar.Area(want)); math.Abs(a-b) > 2*tolerance*(length(w)+4*tolerance) {
		return differs(where, "encloses %g, not %g (square units of the coordinates)", a, b)
	}
	return nil
}

// scale is the largest coordinate, to which rounding is relative; at least 1.
func scale(g orb.Geometry) float64 {
	b := g.Bound()
	return max(1, math.Abs(b.Min[0]), math.Abs(b.Min[1]), math.Abs(b.Max[0]), math.Abs(b.Max[1]))
}

// segment is a piece of an outline; a point is one with equal ends.
type segment [2]orb.Point

func (s segment) length() float64 { return planar.Distance(s[0], s[1]) }

func (s segment) middle() orb.Point {
	return orb.Point{(s[0][0] + s[1][0]) / 2, (s[0][1] + s[1][1]) / 2}
}

func length(list []segment) float64 {
	sum := 0.0
	for _, s := range list {
		sum += s.length()
	}
	return sum
}

// outline is all points, lines and rings of a geometry as segments.
func outline(g orb.Geometry) []segment {
	var out []segment
	path := func(points []orb.Point) {
		if len(points) == 1 {
			out = append(out, segment{points[0], points[0]})
		}
		for i := 1; i < len(points); i++ {
			out = append(out, segment{points[i-1], points[i]})
		}
	}
	switch g := g.(type) {
	case orb.Point:
		path([]orb.Point{g})
	case orb.MultiPoint:
		for _, p := range g {
			path([]orb.Point{p})
		}
	case orb.LineString:
		path(g)
	case orb.MultiLineString:
		for _, l := range g {
			path(l)
		}
	case orb.Ring:
		path(g)
	case orb.Polygon:
		for _, r := range g {
			path(r)
		}
	case orb.MultiPolygon:
		for _, p := range g {
			out = append(out, outline(p)...)
		}
	case orb.Collection:
		for _, x := range g {
			out = append(out, outline(x)...)
		}
	case orb.Bound:
		return outline(g.ToPolygon())
	}
	return out
}

// within reports whether every point of a lies within the tolerance of b, and a point that does not. The distance to one
// segment is largest at an end, so that a piece whose ends are near to the same segment of b is near to it as a whole; a
// piece that is not, and whose middle is, is halved.
func within(a, b []segment, tolerance float64) (orb.Point, bool) {
	tolerance *= 1 + 1e-9
	stack := append([]segment(nil), a...)
	for len(stack) > 0 {
		s := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		m, near := s.middle(), false
		alone := true
		for _, t := range b {
			if near = t.distance(s[0]) <= tolerance && t.distance(s[1]) <= tolerance; near {
				break
			}
			alone = alone && !(t.distance(m) <= tolerance)
		}
		switch {
		case near, !alone && s.length() <= tolerance*1e-3:
		case alone:
			return m, false
		default:
			stack = append(stack, segment{s[0], m}, segment{m, s[1]})
		}
	}
	return orb.Point{}, true
}

func (s segment) distance(p orb.Point) float64 { return planar.DistanceFromSegment(s[0], s[1], p) }
