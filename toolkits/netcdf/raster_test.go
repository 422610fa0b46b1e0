package netcdf_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"almanac/toolkits/cftime"
	"almanac/toolkits/grid"
	"almanac/toolkits/netcdf"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func ExampleReadRaster() {
	var file bytes.Buffer
	if err := netcdf.Write(&file, simple(nil, nil)); err != nil {
		fmt.Println(err)
		return
	}
	f, err := netcdf.New(bytes.NewReader(file.Bytes()), int64(file.Len()), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := netcdf.ReadRaster(f, "v", nil)
	fmt.Println(r.Lat, r.Values, r.Unit, err)
	// Output: [30 40 50] [3 2 1] m s-1 <nil>
}

// axisVariable is a coordinate variable over dimension d.
func axisVariable(name string, d int, units string, numbers ...float64) netcdf.VariableData {
	return netcdf.VariableData{
		Variable: netcdf.Variable{Name: name, Type: netcdf.Double, Dimensions: []int{d}, Attributes: []netcdf.Attribute{netcdf.TextAttribute("units", units)}},
		Numbers:  numbers,
	}
}

// simple is a field v(lat, lon) on latitudes 50, 40, 30 and one longitude with
// bounds; the caller may set the raw values and add attributes.
func simple(raw []float64, attributes []netcdf.Attribute) *netcdf.Dataset {
	if raw == nil {
		raw = []float64{1, 2, 3}
	}
	lon := axisVariable("lon", 1, "degrees_east", 0)
	lon.Attributes = append(lon.Attributes, netcdf.TextAttribute("bounds", "lon_bnds"))
	bounds := axisVariable("lon_bnds", 1, "degrees_east", -1, 1)
	bounds.Dimensions = []int{1, 2}
	v := axisVariable("v", 0, "m/s", raw...)
	v.Dimensions = []int{0, 1}
	v.Attributes = append(v.Attributes, attributes...)
	return &netcdf.Dataset{
		Dimensions: []netcdf.Dimension{{Name: "lat", Length: 3}, {Name: "lon", Length: 1}, {Name: "bnds", Length: 2}},
		Variables:  []netcdf.VariableData{axisVariable("lat", 0, "degrees_north", 50, 40, 30), lon, bounds, v},
	}
}

// packed reads three stored numbers through ReadValues.
func packed(t *testing.T, typ netcdf.Type, raw []float64, attributes ...netcdf.Attribute) []float64 {
	t.Helper()
	values, err := tryPacked(t, typ, raw, attributes...)
	if err != nil {
		t.Fatal(err)
	}
	return values
}

func tryPacked(t *testing.T, typ netcdf.Type, raw []float64, attributes ...netcdf.Attribute) ([]float64, error) {
	t.Helper()
	f := written(t, &netcdf.Dataset{
		Dimensions: []netcdf.Dimension{{Name: "x", Length: int64(len(raw))}},
		Variables:  []netcdf.VariableData{{Variable: netcdf.Variable{Name: "v", Type: typ, Dimensions: []int{0}, Attributes: attributes}, Numbers: raw}},
	})
	return f.ReadValues("v", nil, nil)
}

func same(a, b []float64) bool {
	return cmp.Equal(a, b, cmpopts.EquateNaNs(), cmpopts.EquateApprox(0, 1e-12))
}

var nan = math.NaN()

func TestFieldE01DescendingLatitudeFile(t *testing.T) {
	r, err := netcdf.ReadRaster(written(t, simple(nil, nil)), "v", nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.SelectBox(grid.Box{West: -1, South: 35, East: 1, North: 55})
	if err != nil || !slices.Equal(got.Values, []float64{2, 1}) {
		t.Errorf("%v, %v, want the values 1 and 2", got, err)
	}
}

func TestFieldE15ScaleAndOffset(t *testing.T) {
	scale, offset := netcdf.NumberAttribute("scale_factor", netcdf.Double, 0.01), netcdf.NumberAttribute("add_offset", netcdf.Double, 273.15)
	if got := packed(t, netcdf.Short, []float64{1500}, scale, offset); !same(got, []float64{288.15}) {
		t.Errorf("both: %v", got)
	}
	if got := packed(t, netcdf.Short, []float64{1500}, scale); !same(got, []float64{15}) {
		t.Errorf("scale alone: %v", got)
	}
	if got := packed(t, netcdf.Short, []float64{15}, offset); !same(got, []float64{288.15}) {
		t.Errorf("offset alone: %v", got)
	}
}

func TestFieldE17FillBeforeScaling(t *testing.T) {
	got := packed(t, netcdf.UByte, []float64{110, 255, 199},
		netcdf.NumberAttribute("scale_factor", netcdf.Double, 0.5), netcdf.NumberAttribute("_FillValue", netcdf.UByte, 255))
	if !same(got, []float64{55, nan, 99.5}) {
		t.Errorf("%v", got)
	}
	// The same bytes as signed ones with _Unsigned, as CDF-1 must store them.
	got = packed(t, netcdf.Byte, []float64{110, -1, -57},
		netcdf.NumberAttribute("scale_factor", netcdf.Double, 0.5), netcdf.NumberAttribute("_FillValue", netcdf.Byte, -1), netcdf.TextAttribute("_Unsigned", "true"))
	if !same(got, []float64{55, nan, 99.5}) {
		t.Errorf("_Unsigned: %v", got)
	}
}

func TestFieldE20FillOf1e20(t *testing.T) {
	for _, fill := range []netcdf.Attribute{
		netcdf.NumberAttribute("_FillValue", netcdf.Float, 1e20), netcdf.NumberAttribute("missing_value", netcdf.Double, 1e20),
	} {
		got := packed(t, netcdf.Float, []float64{1, 2, 1e20}, fill)
		if !same(got, []float64{1, 2, nan}) {
			t.Errorf("%s: %v", fill.Name, got)
		}
	}
	if got := packed(t, netcdf.Float, []float64{1, 9.969209968386869e36}); !same(got, []float64{1, nan}) {
		t.Errorf("never written: %v", got)
	}
}

func TestValidRange(t *testing.T) {
	stored := netcdf.NumberAttribute("valid_range", netcdf.Short, 0, 100)
	scale := netcdf.NumberAttribute("scale_factor", netcdf.Double, 0.1)
	if got := packed(t, netcdf.Short, []float64{-1, 0, 100, 101}, stored, scale); !same(got, []float64{nan, 0, 10, nan}) {
		t.Errorf("in stored numbers: %v", got)
	}
	values := netcdf.NumberAttribute("valid_range", netcdf.Double, 0, 10)
	if got := packed(t, netcdf.Short, []float64{-1, 0, 100, 101}, values, scale); !same(got, []float64{nan, 0, 10, nan}) {
		t.Errorf("in values: %v", got)
	}
	low := netcdf.NumberAttribute("valid_min", netcdf.Float, 0)
	if got := packed(t, netcdf.Float, []float64{-0.5, 0, 3}, low); !same(got, []float64{nan, 0, 3}) {
		t.Errorf("valid_min: %v", got)
	}
	for _, bad := range []netcdf.Attribute{
		netcdf.TextAttribute("scale_factor", "0.1"), netcdf.NumberAttribute("scale_factor", netcdf.Double, 0),
		netcdf.NumberAttribute("add_offset", netcdf.Double, nan), netcdf.NumberAttribute("valid_range", netcdf.Short, 1), netcdf.TextAttribute("_FillValue", "x"),
	} {
		if got, err := tryPacked(t, netcdf.Short, []float64{1}, bad); !errors.Is(err, netcdf.ErrFormat) {
			t.Errorf("%s %q %v: %v, %v", bad.Name, bad.Text, bad.Numbers, got, err)
		}
	}
}

func TestRasterRefuses(t *testing.T) {
	edit := func(change func(*netcdf.Dataset)) *netcdf.Dataset {
		ds := simple(nil, nil)
		change(ds)
		return ds
	}
	for name, c := range map[string]struct {
		ds      *netcdf.Dataset
		want    error
		message string
	}{
		"no unit":           {edit(func(d *netcdf.Dataset) { d.Variables[3].Attributes = nil }), netcdf.ErrNotFound, "units"},
		"projected":         {edit(func(d *netcdf.Dataset) { d.Variables[1].Attributes[0].Text = "m" }), netcdf.ErrUnsupported, "longitude"},
		"not monotonic":     {edit(func(d *netcdf.Dataset) { d.Variables[0].Numbers = []float64{50, 30, 40} }), netcdf.ErrFormat, "monotonic"},
		"beyond the pole":   {edit(func(d *netcdf.Dataset) { d.Variables[0].Numbers = []float64{95, 40, 30} }), grid.ErrInvalid, "95"},
		"bounds elsewhere":  {edit(func(d *netcdf.Dataset) { d.Variables[2].Numbers = []float64{50, 51} }), netcdf.ErrFormat, "bounds"},
		"missing bounds":    {edit(func(d *netcdf.Dataset) { d.Variables[1].Attributes[1].Text = "nowhere" }), netcdf.ErrNotFound, "nowhere"},
		"coordinate is NaN": {edit(func(d *netcdf.Dataset) { d.Variables[0].Numbers[0] = nan }), netcdf.ErrFormat, `"lat"`},
	} {
		_, err := netcdf.ReadRaster(written(t, c.ds), "v", nil)
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.message) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if r, err := netcdf.ReadRaster(written(t, simple(nil, nil)), "v", &netcdf.RasterOptions{Unit: "degC", Name: "sst"}); err != nil || r.Unit != "degC" || r.Variable != "sst" {
		t.Errorf("the caller's unit: %+v, %v", r, err)
	}
	level := 10.0
	if _, err := netcdf.ReadRaster(written(t, simple(nil, nil)), "v", &netcdf.RasterOptions{Level: &level}); !errors.Is(err, netcdf.ErrNotFound) {
		t.Errorf("a level of a surface field: %v", err)
	}
}

// cube is v(lon, time, level, lat): every axis in an unusual place.
func cube(timeUnits string, modulo bool) *netcdf.Dataset {
	lon := []float64{0, 90, 180, 270, 360} // the first column again
	lat := []float64{-45, 45}
	levels := []float64{0, 10}
	times := make([]float64, 12)
	for i := range times {
		times[i] = float64(i)
	}
	var values []float64
	for i := range lon {
		for k := range times {
			for l := range levels {
				for j := range lat {
					values = append(values, float64(i%4*1000+k*10+l*5+j))
				}
			}
		}
	}
	time := axisVariable("time", 1, timeUnits, times...)
	if modulo {
		time.Attributes = append(time.Attributes, netcdf.TextAttribute("modulo", " "))
	}
	depth := axisVariable("depth", 2, "meters", levels...)
	depth.Attributes = append(depth.Attributes, netcdf.TextAttribute("positive", "down"))
	v := axisVariable("v", 0, "Deg C", values...)
	v.Dimensions = []int{0, 1, 2, 3}
	return &netcdf.Dataset{
		Dimensions: []netcdf.Dimension{{Name: "lon", Length: 5}, {Name: "time", Length: 12}, {Name: "depth", Length: 2}, {Name: "lat", Length: 2}},
		Variables:  []netcdf.VariableData{axisVariable("lon", 0, "degrees_east", lon...), time, depth, axisVariable("lat", 3, "degrees_north", lat...), v},
	}
}

func TestAxesInAnyOrder(t *testing.T) {
	f := written(t, cube("months since 0000-01-15", true))
	level := 10.0
	r, err := netcdf.ReadRaster(f, "v", &netcdf.RasterOptions{Level: &level})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Lon) != 4 || !r.Climatology || r.Label(7) != "August" || r.Unit != "degC" || *r.Level != 10 || r.LevelUnit != "m" || !r.FullCircle() {
		t.Errorf("%+v", r)
	}
	for k := range 12 {
		for j := range 2 {
			for i := range 4 {
				if got, want := r.At(k, j, i), float64(i*1000+k*10+5+j); got != want {
					t.Fatalf("value at month %d, row %d, column %d is %v, want %v", k, j, i, got, want)
				}
			}
		}
	}
	if _, err := netcdf.ReadRaster(f, "v", nil); !errors.Is(err, netcdf.ErrNotFound) || !strings.Contains(err.Error(), "[0 10] m") {
		t.Errorf("no level asked for: %v", err)
	}
	if levels, unit, err := f.Levels("v"); err != nil || !slices.Equal(levels, []float64{0, 10}) || unit != "m" {
		t.Errorf("levels %v %s, %v", levels, unit, err)
	}
}

func TestFieldE33MonthsSinceInFile(t *testing.T) {
	level := 0.0
	r, err := netcdf.ReadRaster(written(t, cube("months since 1960-01-01", false)), "v", &netcdf.RasterOptions{Level: &level})
	if err != nil || r.Label(1) != "1960-02" {
		t.Errorf("%v, %v", r, err)
	}
	ds := cube("months since 1960-01-01", false)
	ds.Variables[1].Numbers[1] = 1.5
	_, err = netcdf.ReadRaster(written(t, ds), "v", &netcdf.RasterOptions{Level: &level})
	if !errors.Is(err, cftime.ErrAxis) || !strings.Contains(err.Error(), `"time"`) {
		t.Errorf("1.5: %v", err)
	}
}

// Climate models stamp a monthly mean with the end of the month.
func TestTimeAtTheEndOfItsBounds(t *testing.T) {
	level := 0.0
	ds := cube("days since 2001-01-01", false)
	ends := []float64{0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365}
	var pairs []float64
	for i := range 12 {
		pairs = append(pairs, ends[i], ends[i+1])
	}
	ds.Dimensions = append(ds.Dimensions, netcdf.Dimension{Name: "bnds", Length: 2})
	ds.Variables[1].Numbers = ends[1:]
	ds.Variables[1].Attributes = append(ds.Variables[1].Attributes, netcdf.TextAttribute("bounds", "time_bnds"))
	bounds := axisVariable("time_bnds", 1, "", pairs...)
	bounds.Dimensions = []int{1, 4}
	ds.Variables = append(ds.Variables, bounds)
	r, err := netcdf.ReadRaster(written(t, ds), "v", &netcdf.RasterOptions{Level: &level})
	if err != nil {
		t.Fatal(err)
	}
	if r.Label(0) != "2001-01" || r.Label(11) != "2001-12" || r.Times[0].String() != "2001-01-16T12:00" {
		t.Errorf("the first month is %s at %s, the last %s", r.Label(0), r.Times[0], r.Label(11))
	}
	bounds.Numbers[0], bounds.Numbers[1] = 400, 500
	if _, err := netcdf.ReadRaster(written(t, ds), "v", &netcdf.RasterOptions{Level: &level}); !errors.Is(err, netcdf.ErrFormat) {
		t.Errorf("a time outside its bounds: %v", err)
	}
}

func TestLongitudesThatJump(t *testing.T) {
	ds := simple(nil, nil)
	ds.Dimensions[1].Length = 4
	ds.Variables[1] = axisVariable("lon", 1, "degrees_east", 160, 170, 180, -170)
	ds.Variables = append(ds.Variables[:2], ds.Variables[3])
	ds.Variables[2].Numbers = []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
	r, err := netcdf.ReadRaster(written(t, ds), "v", nil)
	if err != nil || !slices.Equal(r.Lon, []float64{160, 170, 180, 190}) || r.Lat[0] != 30 || r.Values[3] != 12 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestWriteRasterReadsBack(t *testing.T) {
	level := 20.0
	times, _, err := cftime.Decode([]float64{0, 1, 2}, "months since 2000-01-01 06:00:00", "noleap")
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*grid.Raster){
		"monthly": func(*grid.Raster) {},
		"climatology": func(r *grid.Raster) {
			r.Climatology, r.TimeEdges, r.Values = true, nil, make([]float64, 48)
			r.Times, _, _ = cftime.Decode([]float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, "months since 0001-01-16", "noleap")
		},
		"no time": func(r *grid.Raster) { r.Times, r.TimeEdges, r.Calendar, r.Values = nil, nil, "", r.Values[:4] },
		"surface": func(r *grid.Raster) { r.Level, r.LevelUnit, r.Difference = nil, "", true },
	} {
		r := &grid.Raster{
			Variable: "v", StandardName: "sea_water_temperature", LongName: "temperature", Unit: "degC", CRS: "EPSG:4326",
			Calendar: "noleap", Times: times, TimeEdges: cftime.Edges(times, "month"), Level: &level, LevelUnit: "m",
			Lon: []float64{-170, -150}, LonEdges: []float64{-180, -160, -140}, Lat: []float64{80, 88}, LatEdges: []float64{75, 85, 90},
			CellMethods: "time: mean", Values: []float64{1, nan, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12},
		}
		change(r)
		var out bytes.Buffer
		if err := netcdf.WriteRaster(&out, r, false); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		back, err := netcdf.ReadRaster(open(t, out.Bytes()), "v", nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(r, back, cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
