package judge

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"almanac/toolkits/artifact"
	"almanac/toolkits/cftime"
	"almanac/toolkits/grid"
	"almanac/toolkits/series"
	"almanac/toolkits/table"
	"almanac/toolkits/vector"

	"github.com/paulmach/orb"
)

type comparison struct {
	name      string
	got, want any
	opt       Options
	reason    string // part of it; empty: equal
}

func check(t *testing.T, cases []comparison) {
	t.Helper()
	for _, c := range cases {
		v := Exact(c.got, c.want, &c.opt)
		if v.Equal != (c.reason == "") || !strings.Contains(v.Reason, c.reason) || v.Equal != (v.Reason == "") {
			t.Errorf("%s: %+v, want %q", c.name, v, c.reason)
		}
	}
}

func TestExactPlain(t *testing.T) {
	noon := time.Date(2020, 5, 1, 12, 0, 0, 0, time.UTC)
	check(t, []comparison{
		{"integer as float", 3, 3.0, Options{}, ""},
		{"float as integer", 3.0, int64(3), Options{}, ""},
		{"1e-10 relative", 1 + 1e-10, 1.0, Options{}, ""},
		{"1e-8 relative", 1 + 1e-8, 1.0, Options{}, "not 1 within"},
		{"within a tolerance", 10.4, 10.0, Options{AbsTol: 0.5}, ""},
		{"beyond it", 10.6, 10.0, Options{AbsTol: 0.5}, "is 10.6, not 10 within 0.5"},
		{"relative tolerance", 104.0, 100.0, Options{RelTol: 0.05}, ""},
		{"missing and missing", math.NaN(), math.NaN(), Options{}, ""},
		{"missing and 0", math.NaN(), 0.0, Options{AbsTol: 1}, "is NaN"},
		{"infinite", math.Inf(1), 1e308, Options{RelTol: 1}, "is +Inf"},
		{"number as text", "3", 3.0, Options{}, "is of kind text, not number"},
		{"truth as number", true, 1.0, Options{}, "is of kind boolean, not number"},
		{"nothing as 0", nil, 0.0, Options{}, "is of kind null, not number"},
		{"text, folded", " Nairobi", "NAIROBI", Options{}, ""},
		{"text, verbatim", "nairobi", "Nairobi", Options{Verbatim: true}, `is "nairobi"`},
		{"instants of two zones", noon.In(time.FixedZone("", 3600)), noon, Options{}, ""},
		{"instants a second apart", noon.Add(time.Second), noon, Options{}, "12:00:01"},
		{"list of another type", []int{1, 2}, []any{1.0, 2.0}, Options{}, ""},
		{"list in another order", []float64{2, 1}, []float64{1, 2}, Options{}, "[0]: is 2"},
		{"list too long", []float64{1, 2, 3}, []float64{1, 2}, Options{}, "has 3 items, not 2"},
		{"map", map[string]any{"a": 1, "b": []any{"x"}}, map[string]any{"b": []string{"x"}, "a": 1.0}, Options{}, ""},
		{"map, deep", map[string]any{"a": []any{1, 2}}, map[string]any{"a": []any{1, 3}}, Options{}, ".a[1]: is 2, not 3"},
		{"map lacks", map[string]any{}, map[string]any{"a": 1}, Options{}, "lacks a"},
		{"map has more", map[string]any{"a": 1, "z": 1}, map[string]any{"a": 1}, Options{}, "has z"},
		{"scalar in another unit", &artifact.Scalar{Value: 300, Type: "number", Unit: "K"}, &artifact.Scalar{Value: 26.85, Type: "number", Unit: "degC"}, Options{}, ""},
		{"a difference has no offset", &artifact.Scalar{Value: 1.2, Type: "number", Unit: "K", Difference: true}, &artifact.Scalar{Value: 1.2, Type: "number", Unit: "degC", Difference: true}, Options{}, ""},
		{"integer scalar", &artifact.Scalar{Value: 3, Type: "integer", Unit: "1"}, &artifact.Scalar{Value: 3, Type: "number", Unit: "1"}, Options{}, ""},
		{"scalar of another dimension", &artifact.Scalar{Value: 3, Type: "number", Unit: "m"}, &artifact.Scalar{Value: 3, Type: "number", Unit: "s"}, Options{}, "does not convert"},
		{"truth as a scalar", &artifact.Scalar{Value: 1, Type: "boolean", Unit: "1"}, &artifact.Scalar{Value: 1, Type: "number", Unit: "1"}, Options{}, "is of type boolean"},
		{"a scalar is no number", &artifact.Scalar{Value: 3, Type: "number", Unit: "1"}, 3.0, Options{}, "is of kind scalar, not number"},
		{"instant label", &artifact.Text{Text: "1998-08", Type: "instant"}, &artifact.Text{Text: "1998-08-01", Type: "instant"}, Options{}, ""},
		{"text label", &artifact.Text{Text: "1998-08", Type: "text"}, &artifact.Text{Text: "1998-08-01", Type: "text"}, Options{}, `is "1998-08"`},
	})
}

func raster(change func(*grid.Raster)) *grid.Raster {
	r := &grid.Raster{
		Variable: "sst", Unit: "degC", CRS: "EPSG:4326", Lon: []float64{0.5, 1.5, 2.5}, Lat: []float64{10.5, 11.5},
		LonEdges: []float64{0, 1, 2, 3}, LatEdges: []float64{10, 11, 12}, Values: []float64{1, 2, 3, 4, math.NaN(), 6},
	}
	if change != nil {
		change(r)
	}
	return r
}

func TestExactRaster(t *testing.T) {
	level := 5.0
	check(t, []comparison{
		{"same", raster(nil), raster(nil), Options{}, ""},
		{"other names", raster(func(r *grid.Raster) { r.Variable, r.Source = "x", "y" }), raster(nil), Options{}, ""},
		{"every cell counts: a corner", raster(func(r *grid.Raster) { r.Values[5] = 6.2 }), raster(nil), Options{AbsTol: 0.1}, "step 0, row 1, column 2 is 6.2, not 6 within 0.1"},
		{"within the tolerance", raster(func(r *grid.Raster) { r.Values[5] = 6.2 }), raster(nil), Options{AbsTol: 0.25}, ""},
		{"a cell filled in", raster(func(r *grid.Raster) { r.Values[4] = 5 }), raster(nil), Options{AbsTol: 99}, "column 1 is 5, not missing"},
		{"a cell lost", raster(func(r *grid.Raster) { r.Values[0] = math.NaN() }), raster(nil), Options{AbsTol: 99}, "column 0 is missing, not 1"},
		{"in kelvin", raster(func(r *grid.Raster) {
			r.Unit = "K"
			for i := range r.Values {
				r.Values[i] += 273.15
			}
		}), raster(nil), Options{AbsTol: 1e-9}, ""},
		{"kelvin without the offset", raster(func(r *grid.Raster) { r.Unit = "K" }), raster(nil), Options{AbsTol: 1}, "within 1"},
		{"other system", raster(func(r *grid.Raster) { r.CRS = "EPSG:3857" }), raster(nil), Options{}, "is in EPSG:3857"},
		{"shifted by half a cell", raster(func(r *grid.Raster) { r.Lon = []float64{1, 2, 3}; r.LonEdges = []float64{0.5, 1.5, 2.5, 3.5} }), raster(nil), Options{}, "longitude 0 is at 1"},
		{"transposed", raster(func(r *grid.Raster) { r.Lon, r.Lat = r.Lat, r.Lon }), raster(nil), Options{}, "3 × 2 cells, not 6 on 2 × 3"},
		{"other edges", raster(func(r *grid.Raster) { r.LatEdges = []float64{10, 11, 12.5} }), raster(nil), Options{}, "latitude edge 2"},
		{"other level", raster(func(r *grid.Raster) { r.Level = &level }), raster(nil), Options{}, "another level"},
		{"other time", raster(func(r *grid.Raster) { r.Times = []cftime.Time{{Year: 1998, Month: 8, Day: 1}} }), raster(nil), Options{}, "has 1 times, not 0"},
		{"a list of its values", []float64{1, 2, 3, 4, math.NaN(), 6}, raster(nil), Options{}, "is of kind list, not raster"},
	})
}

func line(values ...float64) *series.Series {
	s := &series.Series{Unit: "mm", Values: values}
	for i := range values {
		s.Times = append(s.Times, cftime.Time{Year: 2000, Month: 1, Day: i + 1, Calendar: "standard"})
	}
	return s
}

func TestExactSeries(t *testing.T) {
	later := line(1, 2)
	later.Times[1].Day = 3
	metres := line(0.001, 0.002)
	metres.Unit = "m"
	check(t, []comparison{
		{"same", line(1, math.NaN()), line(1, math.NaN()), Options{}, ""},
		{"in metres", metres, line(1, 2), Options{}, ""},
		{"another value", line(1, 3), line(1, 2), Options{}, "value 1 is 3"},
		{"another time", later, line(1, 2), Options{}, "time 1 is"},
		{"shorter", line(1), line(1, 2), Options{}, "has 1 values, not 2"},
	})
}

func shapes(list ...orb.Geometry) *vector.Features {
	f := &vector.Features{CRS: vector.WGS84}
	for i, g := range list {
		f.Features = append(f.Features, vector.Feature{Geometry: g, Properties: map[string]any{"n": float64(i)}})
	}
	return f
}

func ring(points ...float64) orb.Ring {
	var r orb.Ring
	for i := 0; i+1 < len(points); i += 2 {
		r = append(r, orb.Point{points[i], points[i+1]})
	}
	return append(r, r[0])
}

func TestExactGeometry(t *testing.T) {
	square := orb.Polygon{ring(0, 0, 10, 0, 10, 10, 0, 10)}
	turned := orb.Polygon{ring(10, 10, 10, 0, 0, 0, 0, 10)} // another first corner, wound the other way
	more := orb.Polygon{ring(0, 0, 5, 0, 10, 0, 10, 10, 3, 10, 0, 10)}
	moved := orb.Polygon{ring(0.1, 0, 10.1, 0, 10.1, 10, 0.1, 10)}
	dented := orb.Polygon{ring(0, 0, 5, 2, 10, 0, 10, 10, 0, 10)} // a corner pushed in by 2
	holed := orb.Polygon{square[0], ring(4, 4, 6, 4, 6, 6, 4, 6)}
	thin := orb.Polygon{square[0], ring(0.1, 0.1, 9.9, 0.1, 9.9, 9.9, 0.1, 9.9)} // a frame of 0.1
	other := shapes(square)
	other.Features[0].Properties["n"] = 7.0
	metres := shapes(square)
	metres.CRS = "EPSG:3857"
	swapped := shapes(square, orb.Point{1, 2})
	slices.Reverse(swapped.Features)
	check(t, []comparison{
		{"same", shapes(square), shapes(square), Options{}, ""},
		{"wound otherwise", shapes(turned), shapes(square), Options{}, ""},
		{"more corners on the sides", shapes(more), shapes(square), Options{}, ""},
		{"as one of many", shapes(orb.MultiPolygon{square}), shapes(square), Options{}, ""},
		{"moved", shapes(moved), shapes(square), Options{}, "further apart"},
		{"moved within the tolerance", shapes(moved), shapes(square), Options{Hausdorff: 0.11}, ""},
		{"moved beyond it", shapes(moved), shapes(square), Options{Hausdorff: 0.09}, "further apart than 0.09"},
		{"dented in the middle of a side", shapes(dented), shapes(square), Options{Hausdorff: 1.9}, "further apart"},
		{"dented within the tolerance", shapes(dented), shapes(square), Options{Hausdorff: 2.1}, ""},
		{"the side of the dent", shapes(square), shapes(dented), Options{Hausdorff: 1.5}, "further apart"},
		{"a hole", shapes(holed), shapes(square), Options{}, "further apart"},
		{"a frame is no square, though its outline is near", shapes(thin), shapes(square), Options{Hausdorff: 0.15}, "encloses"},
		{"a line is no area", shapes(orb.LineString(square[0])), shapes(square), Options{}, "is a LineString, not a Polygon"},
		{"points", shapes(orb.Point{1, 2}), shapes(orb.Point{1, 2}), Options{}, ""},
		{"points apart", shapes(orb.Point{1, 2.5}), shapes(orb.Point{1, 2}), Options{Hausdorff: 0.4}, "further apart"},
		{"a part left out", shapes(orb.MultiPoint{{1, 2}}), shapes(orb.MultiPoint{{1, 2}, {3, 4}}), Options{}, "at 3, 4"},
		{"another property", other, shapes(square), Options{}, ".n: is 7, not 0"},
		{"another system", metres, shapes(square), Options{}, "is in EPSG:3857"},
		{"fewer", shapes(square), shapes(square, square), Options{}, "has 1 features, not 2"},
		{"another order", swapped, shapes(square, orb.Point{1, 2}), Options{}, "feature 0"},
		{"another order, keyed", swapped, shapes(square, orb.Point{1, 2}), Options{Keys: []string{"n"}}, ""},
		{"not a number", shapes(orb.Point{math.NaN(), 0}), shapes(orb.Point{1, 2}), Options{}, "further apart"},
	})
}

func rows(change func(*table.Table)) *table.Table {
	t := &table.Table{Columns: []table.Column{
		{Name: "place", Type: table.Text, Texts: []string{"Kisumu", "Nairobi", "Mombasa"}},
		{Name: "rain", Type: table.Number, Unit: "mm", Numbers: []float64{5, math.NaN(), 7}},
		{Name: "day", Type: table.Instant, Texts: []string{"2020-01-01", "2020-01-02", ""}},
	}}
	if change != nil {
		change(t)
	}
	return t
}

func TestExactTable(t *testing.T) {
	reversed := func(t *table.Table) {
		for i := range t.Columns {
			slices.Reverse(t.Columns[i].Numbers)
			slices.Reverse(t.Columns[i].Texts)
		}
	}
	twice := func(t *table.Table) { t.Columns[0].Texts[1] = "Kisumu" }
	check(t, []comparison{
		{"same", rows(nil), rows(nil), Options{}, ""},
		{"columns in another order", rows(func(t *table.Table) { slices.Reverse(t.Columns) }), rows(nil), Options{}, ""},
		{"rows in another order", rows(reversed), rows(nil), Options{}, "column place, row 0"},
		{"rows in another order, keyed", rows(reversed), rows(nil), Options{Keys: []string{"place"}}, ""},
		{"a key twice", rows(twice), rows(nil), Options{Keys: []string{"place"}}, "both have the keys"},
		{"a key that is not there", rows(nil), rows(twice), Options{Keys: []string{"place"}}, "no row has the keys"},
		{"another value", rows(func(t *table.Table) { t.Columns[1].Numbers[2] = 7.5 }), rows(nil), Options{AbsTol: 0.4}, "column rain: row 2 is 7.5"},
		{"a missing value filled", rows(func(t *table.Table) { t.Columns[1].Numbers[1] = 0 }), rows(nil), Options{}, "row 1 is 0, not missing"},
		{"another name", rows(func(t *table.Table) { t.Columns[1].Name = "Rain" }), rows(nil), Options{}, "lacks the column rain"},
		{"a column more", rows(func(t *table.Table) { t.Columns = append(t.Columns, t.Columns[1]) }), rows(nil), Options{}, "has 4 columns, not 3"},
		{"numbers as text", rows(func(t *table.Table) {
			t.Columns[1] = table.Column{Name: "rain", Type: table.Text, Texts: []string{"5", "", "7"}}
		}), rows(nil), Options{}, "holds text, not number"},
		{"integers", rows(func(t *table.Table) { t.Columns[1].Type = table.Integer }), rows(nil), Options{}, ""},
		{"the same day, spelt otherwise", rows(func(t *table.Table) { t.Columns[2].Texts[0] = "2020-01-01T00:00:00Z" }), rows(nil), Options{}, ""},
		{"ragged", rows(func(t *table.Table) { t.Columns[1].Numbers = t.Columns[1].Numbers[:2] }), rows(nil), Options{}, "has 2 cells"},
	})
}

func picture(t *testing.T, level png.CompressionLevel, mark bool) *artifact.Image {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 8, 8))
	if mark {
		img.Set(7, 7, color.RGBA{255, 0, 0, 255})
	}
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: level}).Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return &artifact.Image{Format: "png", Width: 8, Height: 8, Data: b.Bytes()}
}

func TestExactImage(t *testing.T) {
	check(t, []comparison{
		{"encoded otherwise", picture(t, png.NoCompression, true), picture(t, png.BestCompression, true), Options{}, ""},
		{"a pixel", picture(t, png.DefaultCompression, false), picture(t, png.DefaultCompression, true), Options{}, "pixel 7, 7"},
		{"no image", &artifact.Image{Format: "png", Data: []byte("x")}, picture(t, png.DefaultCompression, true), Options{}, "no PNG"},
		{"another format", &artifact.Image{Format: "gif"}, picture(t, png.DefaultCompression, true), Options{}, `a "gif" image`},
	})
}
