package vector_test

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"almanac/toolkits/vector"

	"github.com/google/go-cmp/cmp"
	"github.com/paulmach/orb"
	"github.com/paulmach/orb/planar"
	"pgregory.net/rapid"
)

func read(t *testing.T, text string) *vector.Features {
	t.Helper()
	f, err := vector.ReadGeoJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func points(crs string, at ...orb.Point) *vector.Features {
	f := &vector.Features{CRS: crs}
	for _, p := range at {
		f.Features = append(f.Features, vector.Feature{Geometry: p})
	}
	return f
}

// square is counter-clockwise, of the given side, with its south-west corner at x, y.
func square(x, y, side float64) orb.Ring {
	return orb.Ring{{x, y}, {x + side, y}, {x + side, y + side}, {x, y + side}, {x, y}}
}

func backwards(r orb.Ring) orb.Ring {
	out := orb.Ring{}
	for i := len(r) - 1; i >= 0; i-- {
		out = append(out, r[i])
	}
	return out
}

func TestFieldE05AntimeridianBox(t *testing.T) {
	box := vector.Bound{West: 178, South: -10, East: -178, North: 10}
	if !box.Crosses() || box.Width() != 4 {
		t.Errorf("crosses %v, width %v; want true, 4", box.Crosses(), box.Width())
	}
	inside := 0
	for _, lon := range []float64{179.9, -179.9, 0} {
		if box.Contains(lon, 0) {
			inside++
		}
	}
	if inside != 2 {
		t.Errorf("%d points inside, want 2", inside)
	}
	drawnOn := &vector.Features{CRS: vector.WGS84, Features: []vector.Feature{{Geometry: orb.Polygon{square(178, -2, 4)}}}}
	cut := &vector.Features{CRS: vector.WGS84, Features: []vector.Feature{{Geometry: orb.MultiPolygon{
		{{{178, -2}, {180, -2}, {180, 2}, {178, 2}, {178, -2}}}, {{{-180, -2}, {-178, -2}, {-178, 2}, {-180, 2}, {-180, -2}}}}}}}
	want := vector.Bound{West: 178, South: -2, East: -178, North: 2}
	for name, f := range map[string]*vector.Features{"drawn on": drawnOn, "cut": cut} {
		got, err := f.Bound()
		if err != nil || got != want {
			t.Errorf("%s: bound %v, %v; want %v", name, got, err, want)
		}
		for lon, in := range map[float64]bool{179.9: true, -179.9: true, 180.1: true, 0: false, 177: false, -177: false, 539.9: true} {
			if f.Contains(lon, 0) != in {
				t.Errorf("%s: contains %g is %v", name, lon, !in)
			}
		}
	}
}

func TestFieldE07WholeGlobe(t *testing.T) {
	box := vector.Bound{West: -180, South: -10, East: 180, North: 10}
	if box.Crosses() || box.Width() != 360 || !box.Contains(0, 0) || !box.Contains(200, 0) || box.Contains(0, 11) {
		t.Errorf("%v is not taken as the full circle", box)
	}
	f := read(t, `{"type":"Polygon","coordinates":[[[-180,-10],[180,-10],[180,10],[-180,10],[-180,-10]]]}`)
	got, err := f.Bound()
	if err != nil || got != box {
		t.Errorf("bound %v, %v; want %v", got, err, box)
	}
}

func TestFieldE08LatitudeBeyond90(t *testing.T) {
	if err := points(vector.WGS84, orb.Point{24.89, 60.34}).Validate(); err != nil {
		t.Error(err)
	}
	err := points(vector.WGS84, orb.Point{60.34, 124.89}).Validate()
	if !errors.Is(err, vector.ErrInvalid) || !strings.Contains(err.Error(), "swapped") {
		t.Errorf("error %v does not suggest a swap", err)
	}
}

func TestFieldE36DegreesLabelledMetres(t *testing.T) {
	err := points("EPSG:3857", orb.Point{24.9, 60.3}).Validate()
	if !errors.Is(err, vector.ErrCRS) || !strings.Contains(err.Error(), "look like degrees") {
		t.Errorf("error %v does not say that the coordinates look like degrees", err)
	}
	// The same place in metres: x = R λ, y = R ln tan(π/4 + φ/2), R = 6378137.
	x := 6378137 * 24.9 * math.Pi / 180
	y := 6378137 * math.Log(math.Tan(math.Pi/4+60.3*math.Pi/360))
	if err := points("EPSG:3857", orb.Point{x, y}).Validate(); err != nil {
		t.Error(err)
	}
}

func TestFieldE37MixedSystems(t *testing.T) {
	zone := &vector.Features{CRS: vector.WGS84, Features: []vector.Feature{{Geometry: orb.Polygon{square(0, 0, 1)}}}}
	_, err := vector.Within(points("EPSG:3857", orb.Point{50000, 50000}), zone)
	if !errors.Is(err, vector.ErrCRS) || !strings.Contains(err.Error(), "EPSG:3857") || !strings.Contains(err.Error(), "EPSG:4326") {
		t.Errorf("error %v does not name both systems", err)
	}
	got, err := vector.Within(points(vector.WGS84, orb.Point{40, 40}), zone)
	if err != nil || len(got.Features) != 0 {
		t.Errorf("disjoint: %v, %v; want no features and no error", got, err)
	}
	got, err = vector.Within(points(vector.WGS84, orb.Point{40, 40}, orb.Point{0.5, 0.5}), zone)
	if err != nil || len(got.Features) != 1 {
		t.Errorf("one inside: %v, %v", got, err)
	}
}

func TestFieldE39Winding(t *testing.T) {
	for name, ring := range map[string]orb.Ring{"counter-clockwise": square(0, 0, 2), "clockwise": backwards(square(0, 0, 2))} {
		f, err := (&vector.Features{CRS: vector.WGS84, Features: []vector.Feature{{Geometry: orb.Polygon{ring}}}}).Normalize()
		if err != nil {
			t.Fatal(err)
		}
		p := f.Features[0].Geometry.(orb.Polygon)
		if p[0].Orientation() != orb.CCW || planar.Area(p) != 4 {
			t.Errorf("%s: orientation %v, area %v", name, p[0].Orientation(), planar.Area(p))
		}
		if !f.Contains(1, 1) || f.Contains(3, 1) {
			t.Errorf("%s: holds other points", name)
		}
	}
}

func TestFieldE40HoleWinding(t *testing.T) {
	outer, hole := square(0, 0, 1), square(0.25, 0.25, 0.5)
	for _, o := range []orb.Ring{outer, backwards(outer)} {
		for _, h := range []orb.Ring{hole, backwards(hole)} {
			f, err := (&vector.Features{CRS: vector.WGS84, Features: []vector.Feature{{Geometry: orb.Polygon{o, h}}}}).Normalize()
			if err != nil {
				t.Fatal(err)
			}
			p := f.Features[0].Geometry.(orb.Polygon)
			// Outer minus hole: 1 - 0.25.
			if got := planar.Area(p); got != 0.75 {
				t.Errorf("area %v, want 0.75", got)
			}
			if p[0].Orientation() != orb.CCW || p[1].Orientation() != orb.CW {
				t.Error("rings are not wound as RFC 7946 asks")
			}
			if f.Contains(0.5, 0.5) || !f.Contains(0.1, 0.1) {
				t.Error("the hole is not a hole")
			}
		}
	}
}

const islands = `{"type":"FeatureCollection","crs":{"type":"name","properties":{"name":"urn:ogc:def:crs:OGC:1.3:CRS84"}},"features":[
{"type":"Feature","id":7,"properties":{"name":"Twins","n":3,"big":9007199254740993,"flag":true,"none":null},
 "geometry":{"type":"MultiPolygon","coordinates":[[[[0,0],[0,4],[4,4],[4,0],[0,0]],[[1,1],[2,1],[2,2],[1,2],[1,1]]],[[[10,0,5],[11,0,5],[11,1,5]]]]}},
{"type":"Feature","properties":null,"geometry":{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[20,5]},{"type":"LineString","coordinates":[[1,2],[3,4]]}]}}]}`

func TestReadGeoJSON(t *testing.T) {
	f := read(t, islands)
	want := &vector.Features{CRS: vector.WGS84, Features: []vector.Feature{
		{ID: "7", Properties: map[string]any{"name": "Twins", "n": 3.0, "big": "9007199254740993", "flag": true, "none": nil},
			Geometry: orb.MultiPolygon{{{{0, 0}, {4, 0}, {4, 4}, {0, 4}, {0, 0}}, {{1, 1}, {1, 2}, {2, 2}, {2, 1}, {1, 1}}}, {{{10, 0}, {11, 0}, {11, 1}, {10, 0}}}}},
		{Properties: map[string]any{}, Geometry: orb.Collection{orb.Point{20, 5}, orb.LineString{{1, 2}, {3, 4}}}},
	}}
	if diff := cmp.Diff(want, f); diff != "" {
		t.Error(diff)
	}
	if err := f.Validate(); err != nil {
		t.Error(err)
	}
	if !f.Contains(3, 3) || f.Contains(1.5, 1.5) || !f.Contains(10.9, 0.5) {
		t.Error("parts or holes are lost")
	}
	var out bytes.Buffer
	if err := vector.WriteGeoJSON(&out, f); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(f, read(t, out.String())); diff != "" {
		t.Errorf("written and read again: %s", diff)
	}
}

func TestReadGeoJSONFaults(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"empty":              {"", "not GeoJSON"},
		"not JSON":           {"{\"type\":\n  oops}", "line 2, column 3"},
		"an array":           {"[1,2]", "not GeoJSON"},
		"no type":            {`{"features":[]}`, "type"},
		"no geometry":        {`{"type":"Feature","properties":{"name":"Atlantis"},"geometry":null}`, "Atlantis"},
		"unknown geometry":   {`{"type":"Circle","coordinates":[0,0]}`, "Circle"},
		"one number":         {`{"type":"Point","coordinates":[7]}`, "a position of 1 numbers"},
		"text for a number":  {`{"type":"Point","coordinates":["7","8"]}`, "expected a number"},
		"too deep":           {`{"type":"LineString","coordinates":[[[0,0],[1,1]]]}`, "expected a number"},
		"too shallow":        {`{"type":"Polygon","coordinates":[[0,0],[1,1],[2,0],[0,0]]}`, "expected ["},
		"coordinates null":   {`{"type":"Point","coordinates":null}`, "expected ["},
		"no coordinates":     {`{"type":"Point"}`, "expected ["},
		"two corners":        {`{"type":"Polygon","coordinates":[[[0,0],[1,1],[0,0]]]}`, "three corners"},
		"no area":            {`{"type":"Polygon","coordinates":[[[0,0],[1,1],[2,2],[0,0]]]}`, "no area"},
		"half the globe":     {`{"type":"Polygon","coordinates":[[[179,0],[-179,0],[-179,1],[179,1],[179,0]]]}`, "more than half"},
		"null in collection": {`{"type":"GeometryCollection","geometries":[null]}`, "null"},
		"deep collection":    {strings.Repeat(`{"type":"GeometryCollection","geometries":[`, 12) + strings.Repeat("]}", 12), "nested deeper"},
		"huge number":        {`{"type":"Point","coordinates":[1e999,0]}`, "expected a number"},
	} {
		f, err := vector.ReadGeoJSON(strings.NewReader(c.text))
		if !errors.Is(err, vector.ErrInvalid) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, %v; want an error with %q", name, f, err, c.want)
		}
	}
}

func TestValidate(t *testing.T) {
	polygon := func(r orb.Ring) *vector.Features {
		return &vector.Features{CRS: vector.WGS84, Features: []vector.Feature{{Geometry: orb.Polygon{r}}}}
	}
	for name, f := range map[string]*vector.Features{
		"no system":     {Features: []vector.Feature{{Geometry: orb.Point{1, 2}}}},
		"no geometry":   {CRS: vector.WGS84, Features: []vector.Feature{{}}},
		"not finite":    points(vector.WGS84, orb.Point{math.NaN(), 0}),
		"infinite":      points(vector.WGS84, orb.Point{0, math.Inf(1)}),
		"far longitude": points(vector.WGS84, orb.Point{541, 0}),
		"open ring":     polygon(orb.Ring{{0, 0}, {1, 0}, {1, 1}, {0, 1}}),
		"short ring":    polygon(orb.Ring{{0, 0}, {1, 0}, {0, 0}}),
		"empty ring":    polygon(nil),
	} {
		if f.Validate() == nil {
			t.Errorf("%s: valid", name)
		}
	}
	if err := (&vector.Features{CRS: vector.WGS84}).Validate(); err != nil {
		t.Errorf("no features: %v", err)
	}
}

func TestBoundOfPoints(t *testing.T) {
	for name, c := range map[string]struct {
		at   []orb.Point
		want vector.Bound
	}{
		"one":             {[]orb.Point{{5, 6}}, vector.Bound{West: 5, South: 6, East: 5, North: 6}},
		"around zero":     {[]orb.Point{{-10, 0}, {20, 5}}, vector.Bound{West: -10, South: 0, East: 20, North: 5}},
		"over the seam":   {[]orb.Point{{170, 0}, {-170, 5}}, vector.Bound{West: 170, South: 0, East: -170, North: 5}},
		"0 to 360":        {[]orb.Point{{350, 0}, {10, 0}}, vector.Bound{West: -10, South: 0, East: 10, North: 0}},
		"three, gap east": {[]orb.Point{{-100, 0}, {0, 0}, {100, 0}}, vector.Bound{West: -100, South: 0, East: 100, North: 0}},
	} {
		got, err := points(vector.WGS84, c.at...).Bound()
		if err != nil || got != c.want {
			t.Errorf("%s: %v, %v; want %v", name, got, err, c.want)
		}
	}
	if _, err := points(vector.WGS84).Bound(); err == nil {
		t.Error("no points have a bound")
	}
	if _, err := points("EPSG:3857", orb.Point{1e6, 1e6}).Bound(); !errors.Is(err, vector.ErrCRS) {
		t.Errorf("metres: %v", err)
	}
}

func TestEncoding(t *testing.T) {
	f := read(t, islands)
	f.Features = append(f.Features, vector.Feature{ID: "m", Geometry: orb.MultiPoint{{1, 2}, {3, 4}}},
		vector.Feature{Geometry: orb.MultiLineString{{{0, 0}, {1, 1}}}}, vector.Feature{Geometry: orb.Polygon{square(0, 0, 1)}})
	f.Source, f.Licence = "a test", "CC0-1.0"
	data, err := f.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var back vector.Features
	if err := back.UnmarshalBinary(data); err != nil {
		t.Fatal(err)
	}
	again, err := back.MarshalBinary()
	if err != nil || !bytes.Equal(data, again) {
		t.Errorf("decoded and encoded again: other bytes, %v", err)
	}
	if diff := cmp.Diff(f.Features[0], back.Features[0]); diff != "" {
		t.Error(diff)
	}
	if back.Source != f.Source || back.Licence != f.Licence || len(back.Features) != len(f.Features) {
		t.Error("source, licence or features are lost")
	}
	one, _ := f.Canonical()
	f.Source = "another"
	two, _ := f.Canonical()
	if !bytes.Equal(one, two) {
		t.Error("the source changes the canonical bytes")
	}
	f.CRS = "EPSG:4258"
	if three, _ := f.Canonical(); bytes.Equal(one, three) {
		t.Error("the reference system does not change the canonical bytes")
	}
	if _, err := (&vector.Features{CRS: vector.WGS84, Features: []vector.Feature{{}}}).MarshalBinary(); err == nil {
		t.Error("a feature without geometry is encoded")
	}
	for cut := range data {
		if err := new(vector.Features).UnmarshalBinary(data[:cut]); err == nil {
			t.Fatalf("the first %d of %d bytes are decoded", cut, len(data))
		}
	}
}

// TestWithinAnyConvention: a box holds a point whatever convention its
// longitude is in.
func TestWithinAnyConvention(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		west := rapid.Float64Range(-180, 180).Draw(t, "west")
		width := rapid.Float64Range(0.1, 350).Draw(t, "width")
		share := rapid.Float64Range(-0.02, 1.02).Draw(t, "share")
		turn := 360 * float64(rapid.IntRange(-1, 1).Draw(t, "turn"))
		inside := share > 0.001 && share < 0.999
		outside := share < -0.001 || share > 1.001
		ring := orb.Ring{{west, -1}, {west + width, -1}, {west + width, 1}, {west, 1}, {west, -1}}
		f := &vector.Features{CRS: vector.WGS84, Features: []vector.Feature{{Geometry: orb.Polygon{ring}}}}
		b, err := f.Bound()
		if err != nil {
			t.Fatal(err)
		}
		lon := west + share*width + turn
		if got := f.Contains(lon, 0); inside && !got || outside && got {
			t.Fatalf("polygon: contains %g is %v", lon, got)
		}
		if got := b.Contains(lon, 0); inside && !got || outside && got {
			t.Fatalf("bound %v: contains %g is %v", b, lon, got)
		}
	})
}

func FuzzReadGeoJSON(f *testing.F) {
	f.Add([]byte(islands))
	f.Add([]byte(`{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]]]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		features, err := vector.ReadGeoJSON(bytes.NewReader(data))
		if err != nil {
			return
		}
		features.Validate()
		features.Contains(1, 1)
		features.Bound()
		encoded, err := features.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		if err := new(vector.Features).UnmarshalBinary(encoded); err != nil {
			t.Fatal(err)
		}
	})
}

func FuzzUnmarshalBinary(f *testing.F) {
	seed, err := points(vector.WGS84, orb.Point{1, 2}).MarshalBinary()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(seed)
	f.Fuzz(func(t *testing.T, data []byte) { new(vector.Features).UnmarshalBinary(data) })
}
