// Package toolstest helps to test tools: an environment in a temporary folder, calls in one line, and a conformance
// check that every tool has to pass.
//
//	env := toolstest.NewEnv(t)
//	res := toolstest.Call(t, env, tool, toolstest.Args{"raster": raster, "zones": "Boxland"})
//	if got := toolstest.Number(t, res, "mean"); got != 7 { … }
//
// [Conform] looks at a tool's description and calls it some hundred times with random and hostile arguments.
package toolstest

import (
	"context"
	"sort"
	"strings"
	"testing"

	"almanac/toolkits"
	"almanac/toolkits/artifact"
	"almanac/toolkits/vector"

	"github.com/paulmach/orb"
)

// Args are the arguments of a call as plain Go data: literals as [toolkits.Literal] takes them, artifacts, which are
// stored first, and [toolkits.Value].
type Args map[string]any

// NewEnv makes an environment: a store in t's temporary folder, and a gazetteer that knows two countries, Boxland
// (0–10° E, 0–10° N) and Farland (crossing the antimeridian, 170° E – 170° W, 20° S – 10° S), and three cities:
// Origin (0°, 0°, 1,000 people), Midtown (5° N, 5° E, 50,000) and Northville (60° N, 10° E, 200,000).
func NewEnv(t testing.TB) *toolkits.Env {
	t.Helper()
	store, err := artifact.Open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return &toolkits.Env{Store: store, Places: gazetteer{}}
}

type gazetteer struct{}

func cities() map[string]toolkits.Place {
	return map[string]toolkits.Place{
		"origin":     {Name: "Origin", Country: "Boxland", Population: 1000},
		"midtown":    {Name: "Midtown", Country: "Boxland", Latitude: 5, Longitude: 5, Population: 50000},
		"northville": {Name: "Northville", Country: "Farland", Latitude: 60, Longitude: 10, Population: 200000},
	}
}

func boundaries() map[string]orb.Geometry {
	return map[string]orb.Geometry{
		"boxland": BoxPolygon(0, 0, 10, 10),
		"farland": orb.MultiPolygon{BoxPolygon(170, -20, 180, -10), BoxPolygon(-180, -20, -170, -10)},
	}
}

// BoxPolygon is the box as one ring, counter-clockwise from its south-west corner.
func BoxPolygon(west, south, east, north float64) orb.Polygon {
	return orb.Polygon{orb.Ring{{west, south}, {east, south}, {east, north}, {west, north}, {west, south}}}
}

// Zone is one shape as a vector artifact.
func Zone(g orb.Geometry) *vector.Features {
	return &vector.Features{CRS: vector.WGS84, Features: []vector.Feature{{ID: "zone", Geometry: g}}}
}

// Place finds a city, or the middle of a country.
func (gazetteer) Place(ctx context.Context, name string) (toolkits.Place, error) {
	key := strings.ToLower(name)
	if p, ok := cities()[key]; ok {
		return p, ctx.Err()
	}
	if g, ok := boundaries()[key]; ok {
		c := g.Bound().Center()
		return toolkits.Place{Name: name, Latitude: c.Lat(), Longitude: c.Lon()}, ctx.Err()
	}
	return toolkits.Place{}, unknown(name)
}

// Boundary finds a country.
func (gazetteer) Boundary(ctx context.Context, name string) (*vector.Features, error) {
	key := strings.ToLower(name)
	if g, ok := boundaries()[key]; ok {
		f := Zone(g)
		f.Features[0].ID = key
		f.Features[0].Properties = map[string]any{"name": strings.ToUpper(key[:1]) + key[1:]}
		return f, ctx.Err()
	}
	return nil, unknown(name)
}

func unknown(name string) error {
	var names []string
	for n := range cities() {
		names = append(names, n)
	}
	for n := range boundaries() {
		names = append(names, n)
	}
	sort.Strings(names)
	e := toolkits.Errorf(toolkits.NotFound, "no place is named %q", name)
	e.Legal = toolkits.Nearest(name, names, 3)
	return e
}
