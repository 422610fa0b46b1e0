package vector

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/paulmach/orb"
)

// ErrInvalid is wrapped by errors about features that cannot be meant.
var ErrInvalid = errors.New("invalid features")

// ErrCRS is wrapped by errors about reference systems: two that differ, or one
// that the coordinates cannot be in.
var ErrCRS = errors.New("wrong reference system")

// Geographic reports whether coordinates in crs are longitude and latitude in
// degrees. Codes EPSG:4001 to EPSG:4999 are; all others are taken as projected.
func Geographic(crs string) bool {
	if crs == "CRS:84" || crs == "OGC:CRS84" {
		return true
	}
	code, found := strings.CutPrefix(crs, "EPSG:")
	n, err := strconv.Atoi(code)
	return found && err == nil && n > 4000 && n < 5000
}

// Validate reports the first thing that cannot be right: no reference system, a
// feature without geometry, a coordinate that is not finite, a latitude beyond
// 90 (which suggests that latitude and longitude are swapped), coordinates in
// metres that are plainly degrees, a ring that is not closed. It wraps
// [ErrInvalid] or [ErrCRS]. No features at all is valid.
func (f *Features) Validate() error {
	if f.CRS == "" {
		return fmt.Errorf("vector: %w: the features name none", ErrCRS)
	}
	geographic, degrees := Geographic(f.CRS), true
	points := 0
	for i, feature := range f.Features {
		err := eachPoint(feature.Geometry, func(p orb.Point) error {
			points++
			degrees = degrees && math.Abs(p[0]) <= 360 && math.Abs(p[1]) <= 90
			return checkPoint(p, geographic)
		})
		if err == nil {
			err = eachRing(feature.Geometry, checkRing)
		}
		if err != nil {
			return fmt.Errorf("vector: %w: feature %d%s: %v", ErrInvalid, i+1, named(feature), err)
		}
	}
	if !geographic && points > 0 && degrees {
		return fmt.Errorf("vector: %w: the features are labelled %s, but their coordinates look like degrees; label them %s or convert them", ErrCRS, f.CRS, WGS84)
	}
	return nil
}

func checkPoint(p orb.Point, geographic bool) error {
	switch {
	case math.IsNaN(p[0]+p[1]) || math.IsInf(p[0], 0) || math.IsInf(p[1], 0):
		return errors.New("a coordinate is not finite")
	case !geographic:
		return nil
	case math.Abs(p[1]) > 90:
		return fmt.Errorf("latitude %g is beyond 90: are latitude and longitude swapped?", p[1])
	case math.Abs(p[0]) > 540:
		return fmt.Errorf("longitude %g is beyond 540", p[0])
	}
	return nil
}

func checkRing(r orb.Ring) error {
	if len(r) < 4 || r[0] != r[len(r)-1] {
		return errors.New("a ring is not closed or has fewer than three corners")
	}
	return nil
}

// SameCRS returns an error that wraps [ErrCRS] and names both systems when a
// and b are not in the same one.
func SameCRS(a, b *Features) error {
	if canonicalCRS(a.CRS) != canonicalCRS(b.CRS) {
		return fmt.Errorf("vector: %w: one is in %s, the other in %s; convert one of them", ErrCRS, a.CRS, b.CRS)
	}
	return nil
}

// eachPoint calls do for every vertex of g.
func eachPoint(g orb.Geometry, do func(orb.Point) error) error {
	each := func(points []orb.Point) error {
		for _, p := range points {
			if err := do(p); err != nil {
				return err
			}
		}
		return nil
	}
	switch g := g.(type) {
	case nil:
		return errors.New("it has no geometry")
	case orb.Point:
		return do(g)
	case orb.MultiPoint:
		return each(g)
	case orb.LineString:
		return each(g)
	case orb.MultiLineString:
		for _, l := range g {
			if err := each(l); err != nil {
				return err
			}
		}
		return nil
	case orb.Collection:
		for _, member := range g {
			if err := eachPoint(member, do); err != nil {
				return err
			}
		}
		return nil
	}
	return eachRing(g, func(r orb.Ring) error { return each(r) })
}
