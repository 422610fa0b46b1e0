// Package vector holds geographic features: points, lines and polygons with
// their properties, in one coordinate reference system.
//
// Coordinates are always longitude first, latitude second, in degrees when the
// reference system is [WGS84]. A polygon is an outer ring and its holes; a
// country of islands is one feature with a multi-polygon, and all of its parts
// and holes count.
//
// Which way a ring is wound carries no meaning here: a clockwise outer ring is
// never "the rest of the Earth". [Normalize] winds outer rings
// counter-clockwise and holes clockwise, as RFC 7946 asks, and readers do so
// for the caller.
//
// A shape may cross the antimeridian in either of two forms, and both are
// understood: cut at ±180° into parts, or drawn on with longitudes past 180.
// [Features.Bound] reports a crossing box with west greater than east.
package vector

import (
	"github.com/paulmach/orb"
)

// WGS84 is longitude and latitude in degrees on the WGS 84 ellipsoid.
const WGS84 = "EPSG:4326"

// Features is a set of features in one coordinate reference system.
type Features struct {
	CRS      string // an authority code such as "EPSG:4326"
	Features []Feature
	Source   string // where the features came from, in words
	Licence  string // an SPDX identifier or a sentence
}

// Feature is one shape and what is known of it.
type Feature struct {
	ID       string
	Geometry orb.Geometry
	// Properties holds string, float64, bool or nil values, and []any or
	// map[string]any of these, as JSON has them.
	Properties map[string]any
}

// Text returns the named property when it is a string, else "".
func (f Feature) Text(name string) string {
	s, _ := f.Properties[name].(string)
	return s
}

// Number returns the named property and whether it is a number.
func (f Feature) Number(name string) (float64, bool) {
	v, ok := f.Properties[name].(float64)
	return v, ok
}
