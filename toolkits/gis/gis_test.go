package gis_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"almanac/scenarios/data"
	"almanac/toolkits"
	"almanac/toolkits/catalog"
	"almanac/toolkits/gis"
	"almanac/toolkits/grid"
	"almanac/toolkits/table"
	"almanac/toolkits/toolstest"
	"almanac/toolkits/vector"

	"github.com/paulmach/orb"
)

type args = toolstest.Args

var nan = math.NaN()

func shipped(t testing.TB) *catalog.Catalog {
	t.Helper()
	cat, err := catalog.Open(data.Files, "")
	if err != nil {
		t.Fatal(err)
	}
	return cat
}

func tool(t testing.TB, name string) *toolkits.Tool {
	t.Helper()
	return toolstest.Tool(t, gis.Toolkit(shipped(t)), "gis."+name)
}

func near(t testing.TB, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s: got %v, want %v ± %g", what, got, want, tolerance)
	}
}

func box(west, south, east, north float64) map[string]any {
	return map[string]any{"west": west, "south": south, "east": east, "north": north}
}

func at(lat, lon float64) map[string]any { return map[string]any{"latitude": lat, "longitude": lon} }

func TestConform(t *testing.T) {
	for _, tool := range gis.Toolkit(shipped(t)) {
		toolstest.Conform(t, tool)
	}
}

func TestGeocodeAndBoundaryWorkedExample(t *testing.T) {
	env := toolstest.NewEnv(t)
	res := toolstest.Call(t, env, tool(t, "geocode"), args{"place": "midtown"})
	near(t, "latitude", toolstest.Number(t, res, "latitude"), 5, 0)
	near(t, "population", toolstest.Number(t, res, "population"), 50000, 0)
	if c := toolstest.Text(t, res, "country"); c != "Boxland" {
		t.Errorf("country %q", c)
	}
	point := toolstest.Get(t, res, "point")
	back := toolstest.Call(t, env, tool(t, "geocode"), args{"place": point})
	near(t, "longitude of the point", toolstest.Number(t, back, "longitude"), 5, 0)
	if _, ok := back.Get("population"); ok {
		t.Error("a bare position has a population")
	}
	res = toolstest.Call(t, env, tool(t, "boundary"), args{"place": "farland"})
	if name := toolstest.Text(t, res, "name"); name != "Farland" {
		t.Errorf("name %q", name)
	}
	if text := toolstest.Fails(t, env, tool(t, "boundary"), args{"place": "Boxlan"}, toolkits.NotFound); !strings.Contains(text, "boxland") {
		t.Error(text)
	}
}

func TestZonalStatsWorkedExample(t *testing.T) {
	env := toolstest.NewEnv(t)
	// One parallel, equal cells: 10 all inside, 20 half, 40 not, one missing cell all inside.
	r := toolstest.Raster([]float64{0.5, 1.5, 2.5, 3.5}, []float64{0.5}, nil, nan, 10, 20, 40)
	res := toolstest.Call(t, env, tool(t, "zonal_stats"), args{"raster": r, "zones": box(0, 0, 2.5, 1)})
	mean := (10 + 0.5*20) / 1.5
	for name, want := range map[string]float64{
		"mean": mean, "min": 10, "max": 20, "range": 10, "valid_cells": 2, "total_cells": 3,
		"std": math.Sqrt(((10-mean)*(10-mean) + 0.5*(20-mean)*(20-mean)) / 1.5),
	} {
		near(t, name, toolstest.Number(t, res, name), want, 1e-9)
	}
	none := toolstest.Raster([]float64{0.5}, []float64{0.5}, nil, nan)
	toolstest.Fails(t, env, tool(t, "zonal_stats"), args{"raster": none, "zones": box(0, 0, 1, 1)}, toolkits.EmptySelection)
}

func TestZonalStatsOverTime(t *testing.T) {
	env := toolstest.NewEnv(t)
	r := toolstest.Raster([]float64{0.5}, []float64{0.5}, toolstest.Months(2001, 1, 3), 10, 40, nan)
	res := toolstest.Call(t, env, tool(t, "zonal_stats"), args{"raster": r, "zones": box(0, 0, 1, 1)})
	near(t, "mean by month length", toolstest.Number(t, res, "mean"), (31*10.0+28*40)/59, 1e-12)
	res = toolstest.Call(t, env, tool(t, "zonal_stats"), args{"raster": r, "zones": box(0, 0, 1, 1), "period": "2001-02"})
	near(t, "February", toolstest.Number(t, res, "mean"), 40, 0)
	toolstest.Fails(t, env, tool(t, "zonal_stats"), args{"raster": r, "zones": box(0, 0, 1, 1), "period": "2002"}, toolkits.EmptySelection)
}

func TestFieldE43PolygonSmallerThanACell(t *testing.T) {
	env := toolstest.NewEnv(t)
	r := toolstest.Raster(toolstest.Axis(0.5, 1, 3), toolstest.Axis(0.5, 1, 3), nil, 0, 0, 0, 0, 7, 0, 0, 0, 0)
	res := toolstest.Call(t, env, tool(t, "zonal_stats"), args{"raster": r, "zones": box(1.2, 1.2, 1.3, 1.3)})
	near(t, "mean", toolstest.Number(t, res, "mean"), 7, 0)
	near(t, "cells", toolstest.Number(t, res, "valid_cells"), 1, 0)
}

func TestFieldE03E05E07Longitudes(t *testing.T) {
	env := toolstest.NewEnv(t)
	quarter := toolstest.Raster([]float64{0, 90, 180, 270}, []float64{0}, nil, 1, 2, 3, 4)
	quarter.LatEdges = []float64{-10, 10}
	zonal := tool(t, "zonal_stats")
	res := toolstest.Call(t, env, zonal, args{"raster": quarter, "zones": box(-100, -5, -80, 5)})
	near(t, "E03", toolstest.Number(t, res, "mean"), 4, 0)
	degree := toolstest.Raster(toolstest.Axis(-179.5, 1, 360), []float64{0.5}, nil, make([]float64, 360)...)
	degree.LonEdges = grid.MidEdges(degree.Lon, 1)
	for i := range degree.Values {
		degree.Values[i] = math.Abs(degree.Lon[i])
	}
	degree.Unit = "1"
	res = toolstest.Call(t, env, zonal, args{"raster": degree, "zones": box(178, 0, -178, 1)})
	near(t, "E05 cells", toolstest.Number(t, res, "total_cells"), 4, 0)
	near(t, "E05 mean", toolstest.Number(t, res, "mean"), 179, 1e-9)
	res = toolstest.Call(t, env, zonal, args{"raster": degree, "zones": box(-180, 0, 180, 1)})
	near(t, "E07 cells", toolstest.Number(t, res, "total_cells"), 360, 0)
}

// Rows at 0 and 60 N over the whole circle, 30 and 0: 20.0 with cosine weights, about 19.93 with true areas.
func TestFieldE23UnweightedGlobalMean(t *testing.T) {
	env := toolstest.NewEnv(t)
	r := toolstest.Raster([]float64{0}, []float64{0, 30, 60}, nil, 30, nan, 0)
	r.LonEdges, r.LatEdges = []float64{-180, 180}, []float64{-0.5, 0.5, 59.5, 60.5}
	res := toolstest.Call(t, env, tool(t, "zonal_stats"), args{"raster": r, "zones": box(-180, -0.5, 180, 60.5)})
	near(t, "mean", toolstest.Number(t, res, "mean"), 19.93, 0.005)
}

func TestFieldE19NodataSummed(t *testing.T) {
	env := toolstest.NewEnv(t)
	r := toolstest.Raster([]float64{0.5, 1.5, 2.5}, []float64{0.5}, nil, 3, 5, -99999)
	r.Unit = "1"
	text := toolstest.Fails(t, env, tool(t, "zonal_stats"), args{"raster": r, "zones": box(0, 0, 3, 1)}, toolkits.OutOfDomain)
	if !strings.Contains(text, "-99999") {
		t.Error(text)
	}
	r.Values[2] = nan
	res := toolstest.Call(t, env, tool(t, "zonal_stats"), args{"raster": r, "zones": box(0, 0, 3, 1)})
	near(t, "valid", toolstest.Number(t, res, "valid_cells"), 2, 0)
	near(t, "total", toolstest.Number(t, res, "total_cells"), 3, 0)
	near(t, "mean", toolstest.Number(t, res, "mean"), 4, 1e-12)
}

func TestFieldE20DefaultFill(t *testing.T) {
	env := toolstest.NewEnv(t)
	r := toolstest.Raster([]float64{0.5, 1.5, 2.5}, []float64{0.5}, nil, 1, 2, nan)
	r.Unit = "1"
	res := toolstest.Call(t, env, tool(t, "zonal_stats"), args{"raster": r, "zones": box(0, 0, 3, 1)})
	near(t, "mean", toolstest.Number(t, res, "mean"), 1.5, 1e-12)
	lost := toolstest.Raster([]float64{0.5, 1.5, 2.5}, []float64{0.5}, nil, 1, 2, 1e20)
	lost.Unit = "1"
	toolstest.Fails(t, env, tool(t, "zonal_stats"), args{"raster": lost, "zones": box(0, 0, 3, 1)}, toolkits.OutOfDomain)
}

func TestFieldE11UnitLabelLies(t *testing.T) {
	env := toolstest.NewEnv(t)
	r := toolstest.Raster([]float64{0.5, 1.5}, []float64{0.5}, nil, 26, 20)
	r.Unit = "K"
	a := args{"raster": r, "zones": box(0, 0, 2, 1), "threshold": toolkits.Value{Kind: "scalar", Number: 25, Unit: "degC"}}
	toolstest.Fails(t, env, tool(t, "area_above"), a, toolkits.OutOfDomain)
}

func TestAreaAboveWorkedExample(t *testing.T) {
	env := toolstest.NewEnv(t)
	r := toolstest.Raster([]float64{0.5, 1.5, 2.5}, []float64{0.5}, nil, 10, 20, nan)
	r.Unit = "m"
	cell := r.CellArea(0, 0)
	for comparison, want := range map[string]float64{"above": 0.5 * cell, "at_least": 1.5 * cell, "below": 0, "at_most": cell} {
		res := toolstest.Call(t, env, tool(t, "area_above"), args{"raster": r, "zones": box(0, 0, 1.5, 1), "threshold": 10, "comparison": comparison})
		near(t, comparison, toolstest.Number(t, res, "area"), want, 1e-6)
		near(t, "total", toolstest.Number(t, res, "total_area"), 1.5*cell, 1e-6)
		near(t, "fraction", toolstest.Number(t, res, "fraction"), want/1.5/cell, 1e-9)
	}
	// The missing cell is in no denominator.
	res := toolstest.Call(t, env, tool(t, "area_above"), args{"raster": r, "zones": box(1, 0, 3, 1), "threshold": 10})
	near(t, "share of what has values", toolstest.Number(t, res, "fraction"), 1, 1e-12)
	months := toolstest.Raster([]float64{0.5}, []float64{0.5}, toolstest.Months(2001, 1, 2), 1, 2)
	toolstest.Fails(t, env, tool(t, "area_above"), args{"raster": months, "zones": box(0, 0, 1, 1), "threshold": 1}, toolkits.BadArgument)
}

func TestFieldE35SquareDegrees(t *testing.T) {
	env := toolstest.NewEnv(t)
	for south, want := range map[float64]float64{0: 12308, 60: 6123} {
		res := toolstest.Call(t, env, tool(t, "area"), args{"zones": box(0, south, 1, south+1)})
		near(t, "area", toolstest.Number(t, res, "area"), want, 1)
		near(t, "parts", toolstest.Number(t, res, "parts"), 1, 0)
	}
}

func TestFieldE39E40Winding(t *testing.T) {
	env := toolstest.NewEnv(t)
	outer := orb.Ring{{0, 0}, {0, 1}, {1, 1}, {1, 0}, {0, 0}} // clockwise
	hole := orb.Ring{{0.25, 0.25}, {0.75, 0.25}, {0.75, 0.75}, {0.25, 0.75}, {0.25, 0.25}}
	var areas []float64
	for _, p := range []orb.Polygon{{outer, hole}, {reversed(outer), hole}, {reversed(outer), reversed(hole)}} {
		res := toolstest.Call(t, env, tool(t, "area"), args{"zones": toolstest.Zone(p)})
		areas = append(areas, toolstest.Number(t, res, "area"))
	}
	near(t, "turned outer ring", areas[1], areas[0], 1e-9)
	near(t, "turned hole", areas[2], areas[0], 1e-9)
	near(t, "three quarters", areas[0], 0.75*12308.8, 1)
}

func reversed(r orb.Ring) orb.Ring {
	c := r.Clone()
	c.Reverse()
	return c
}

func TestAreaOverTheAntimeridian(t *testing.T) {
	env := toolstest.NewEnv(t)
	whole := toolstest.Call(t, env, tool(t, "area"), args{"zones": box(170, -20, -170, -10)})
	cut := toolstest.Call(t, env, tool(t, "area"), args{"zones": "Farland"})
	near(t, "area", toolstest.Number(t, cut, "area"), toolstest.Number(t, whole, "area"), 1e-6)
	near(t, "border", toolstest.Number(t, cut, "perimeter"), toolstest.Number(t, whole, "perimeter"), 1e-6)
	near(t, "parts", toolstest.Number(t, cut, "parts"), 2, 0)
}

func TestFieldE36LabelPastedOn(t *testing.T) {
	env := toolstest.NewEnv(t)
	point := &vector.Features{CRS: "EPSG:3857", Features: []vector.Feature{{Geometry: orb.Point{24.9, 60.3}}}}
	text := toolstest.Fails(t, env, tool(t, "distance"), args{"a": point, "b": "Midtown"}, toolkits.BadCRS)
	if !strings.Contains(text, "look like degrees") {
		t.Error(text)
	}
}

func TestFieldE37MixedSystems(t *testing.T) {
	env := toolstest.NewEnv(t)
	r := toolstest.Raster([]float64{0.5}, []float64{0.5}, nil, 1)
	zone := toolstest.Zone(toolstest.BoxPolygon(1e6, 1e6, 2e6, 2e6))
	zone.CRS = "EPSG:3857"
	text := toolstest.Fails(t, env, tool(t, "zonal_stats"), args{"raster": r, "zones": zone}, toolkits.BadCRS)
	if !strings.Contains(text, "EPSG:3857") || !strings.Contains(text, "EPSG:4326") {
		t.Error(text)
	}
	apart := toolstest.Fails(t, env, tool(t, "zonal_stats"), args{"raster": r, "zones": box(50, 50, 51, 51)}, toolkits.OutOfDomain)
	if !strings.Contains(apart, "covers 0, 0, 1, 1") {
		t.Error(apart)
	}
}

func TestDistanceWorkedExample(t *testing.T) {
	env := toolstest.NewEnv(t)
	// One degree of the equator: a × π/180 = 111.319490793 km, due east; and back.
	res := toolstest.Call(t, env, tool(t, "distance"), args{"a": at(0, 179.5), "b": at(0, -179.5)})
	near(t, "km", toolstest.Number(t, res, "distance"), 111.319490793, 1e-8)
	near(t, "bearing", toolstest.Number(t, res, "initial_bearing"), 90, 1e-9)
	res = toolstest.Call(t, env, tool(t, "distance"), args{"a": at(0, -179.5), "b": at(0, 179.5)})
	near(t, "bearing back", toolstest.Number(t, res, "initial_bearing"), 270, 1e-9)
	toolstest.Fails(t, env, tool(t, "distance"), args{"a": at(95, 10), "b": "Midtown"}, toolkits.BadArgument)
}

func TestNearestWorkedExample(t *testing.T) {
	env := toolstest.NewEnv(t)
	res := toolstest.Call(t, env, tool(t, "nearest"), args{"place": at(-1.28, 36.82), "min_population": 1e6, "count": 2})
	if name := toolstest.Text(t, res, "name"); name != "Nairobi" {
		t.Errorf("nearest large city: %s", name)
	}
	tab := toolstest.Artifact[*table.Table](t, env, res, "places")
	names, err := tab.Column("name")
	if err != nil || len(names.Texts) != 2 {
		t.Errorf("%v, %v", names, err)
	}
	toolstest.Fails(t, env, tool(t, "nearest"), args{"place": at(0, 0), "min_population": 1e9}, toolkits.EmptySelection)
	toolstest.Fails(t, env, tool(t, "nearest"), args{"place": at(0, 0), "count": 0}, toolkits.BadArgument)
}

func TestNearestLeavesItselfOut(t *testing.T) {
	env := toolstest.NewEnv(t)
	env.Places = named{toolkits.Place{Name: "Nairobi", Latitude: -1.28335, Longitude: 36.81666}}
	res := toolstest.Call(t, env, tool(t, "nearest"), args{"place": "Nairobi"})
	if name := toolstest.Text(t, res, "name"); name == "Nairobi" {
		t.Error("Nairobi is nearest to itself")
	}
}

func TestBufferWorkedExample(t *testing.T) {
	env := toolstest.NewEnv(t)
	res := toolstest.Call(t, env, tool(t, "buffer"), args{"place": "Midtown", "distance": 100})
	size := toolstest.Number(t, toolstest.Call(t, env, tool(t, "area"), args{"zones": toolstest.Get(t, res, "zone")}), "area")
	near(t, "a disc of 100 km", size, math.Pi*100*100, math.Pi*100*100*1e-4)
	toolstest.Fails(t, env, tool(t, "buffer"), args{"distance": 100}, toolkits.BadArgument)
	toolstest.Fails(t, env, tool(t, "buffer"), args{"place": "Midtown", "distance": 15000}, toolkits.TooLarge)
	point := toolstest.Zone(orb.Point{5, 5})
	again := toolstest.Call(t, env, tool(t, "buffer"), args{"zones": point, "distance": 100})
	if toolstest.Get(t, again, "zone").Hash != toolstest.Get(t, res, "zone").Hash {
		t.Error("a point and its position give different circles")
	}
}

func TestBufferOverThePole(t *testing.T) {
	env := toolstest.NewEnv(t)
	for _, lat := range []float64{85, 90, -88} {
		res := toolstest.Call(t, env, tool(t, "buffer"), args{"place": at(lat, 30), "distance": 1000})
		size := toolstest.Number(t, toolstest.Call(t, env, tool(t, "area"), args{"zones": toolstest.Get(t, res, "zone")}), "area")
		// on a sphere of 6371 km a cap of 1000 km has 2πR²(1-cos(1000/R)); the ellipsoid's differs by under 1 %
		near(t, "cap", size, 2*math.Pi*6371*6371*(1-math.Cos(1000.0/6371)), 0.01*3.1e6)
	}
}

func TestBufferAroundAShape(t *testing.T) {
	env := toolstest.NewEnv(t)
	// A box of side s widened by d: s² + 4 s d + π d², on a small box at the equator.
	b := toolstest.BoxPolygon(10, -0.5, 11, 0.5)
	res := toolstest.Call(t, env, tool(t, "buffer"), args{"zones": toolstest.Zone(b), "distance": 50})
	size := toolstest.Number(t, toolstest.Call(t, env, tool(t, "area"), args{"zones": toolstest.Get(t, res, "zone")}), "area")
	east, north := 111.3195, 110.574 // km a degree at the equator
	near(t, "widened box", size, east*north+2*50*(east+north)+math.Pi*50*50, 0.003*size)
	cut := toolstest.Call(t, env, tool(t, "buffer"), args{"zones": "Farland", "distance": 50})
	f := toolstest.Artifact[*vector.Features](t, env, cut, "zone")
	if _, ok := f.Features[0].Geometry.(orb.Polygon); !ok {
		t.Errorf("over the antimeridian: a %s, want one polygon", f.Features[0].Geometry.GeoJSONType())
	}
}

func TestTerrainWorkedExample(t *testing.T) {
	env := toolstest.NewEnv(t)
	// A plane at the equator that rises 1 m for each metre towards the east: 45° steep, facing west.
	degree := 6378137 * math.Pi / 180
	lon, lat := toolstest.Axis(10, 0.01, 4), toolstest.Axis(-0.01, 0.01, 3)
	r := toolstest.Raster(lon, lat, nil)
	r.Unit, r.Variable = "m", "elevation"
	for range lat {
		for _, x := range lon {
			r.Values = append(r.Values, (x-10)*degree)
		}
	}
	for name, want := range map[string]float64{"slope": 45, "aspect": 270, "hillshade": (0.5 + math.Sqrt2/2) / math.Sqrt2} {
		res := toolstest.Call(t, env, tool(t, "terrain"), args{"raster": r, "derivative": name})
		got := toolstest.Artifact[*grid.Raster](t, env, res, "data")
		near(t, name, got.At(0, 1, 1), want, 1e-6)
		if !math.IsNaN(got.At(0, 0, 1)) || !math.IsNaN(got.At(0, 1, 0)) {
			t.Errorf("%s: the edge has values", name)
		}
	}
	warm := toolstest.Raster(lon, lat, nil, slices.Repeat([]float64{1}, 12)...)
	toolstest.Fails(t, env, tool(t, "terrain"), args{"raster": warm, "derivative": "slope"}, toolkits.BadUnit)
}

func TestSampleWorkedExample(t *testing.T) {
	env := toolstest.NewEnv(t)
	r := toolstest.Raster(toolstest.Axis(120, 10, 3), toolstest.Axis(10, 10, 2), nil, 1, 2, 3, 4, nan, 6)
	res := toolstest.Call(t, env, tool(t, "sample"), args{"raster": r, "point": at(12, 141)})
	near(t, "value", toolstest.Number(t, res, "value"), 3, 0)
	toolstest.Fails(t, env, tool(t, "sample"), args{"raster": r, "point": at(20, 130)}, toolkits.EmptySelection)
	if text := toolstest.Fails(t, env, tool(t, "sample"), args{"raster": r, "point": at(5, 250)}, toolkits.OutOfDomain); !strings.Contains(text, "km") {
		t.Error(text)
	}
}
