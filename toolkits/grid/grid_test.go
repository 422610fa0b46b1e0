package grid_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"almanac/toolkits/cftime"
	"almanac/toolkits/grid"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

var nan = math.NaN()

// raster makes a field without time; edges are halfway between centres.
func raster(lon, lat, values []float64) *grid.Raster {
	return &grid.Raster{
		Variable: "x", Unit: "1", CRS: "EPSG:4326", Lon: lon, Lat: lat,
		LonEdges: grid.MidEdges(lon, 1), LatEdges: grid.LatMidEdges(lat, 1), Values: values,
	}
}

func steps(t *testing.T, units, calendar string, values ...float64) []cftime.Time {
	t.Helper()
	times, _, err := cftime.Decode(values, units, calendar)
	if err != nil {
		t.Fatal(err)
	}
	return times
}

func ExampleRaster_SelectBox() {
	r := raster([]float64{0, 90, 180, 270}, []float64{0}, []float64{1, 2, 3, 4})
	west, _ := r.SelectBox(grid.Box{West: -100, South: -10, East: -80, North: 10})
	fmt.Println(west.Lon, west.Values)
	// Output: [-90] [4]
}

func TestFieldE01DescendingLatitude(t *testing.T) {
	// Readers flip [50 40 30] with [1 2 3]; see also the test of package netcdf.
	r := raster([]float64{0}, []float64{30, 40, 50}, []float64{3, 2, 1})
	got, err := r.SelectBox(grid.Box{West: -1, South: 35, East: 1, North: 55})
	if err != nil || !slices.Equal(got.Values, []float64{2, 1}) {
		t.Errorf("35 to 55: %v, %v", got, err)
	}
	if _, err := r.SelectBox(grid.Box{West: -1, South: -80, East: 1, North: -70}); !errors.Is(err, grid.ErrEmpty) {
		t.Errorf("an empty selection: %v", err)
	}
}

func TestFieldE02ReversedRequest(t *testing.T) {
	r := raster([]float64{0}, []float64{30, 40, 50}, []float64{3, 2, 1})
	got, err := r.SelectBox(grid.Box{West: -1, South: 55, East: 1, North: 35})
	if err != nil || !slices.Equal(got.Values, []float64{2, 1}) {
		t.Errorf("55 to 35: %v, %v", got, err)
	}
}

func TestFieldE03LongitudeConventions(t *testing.T) {
	r := raster([]float64{0, 90, 180, 270}, []float64{0}, []float64{1, 2, 3, 4})
	for _, b := range []grid.Box{{West: -100, South: -1, East: -80, North: 1}, {West: 260, South: -1, East: 280, North: 1}} {
		got, err := r.SelectBox(b)
		if err != nil || !slices.Equal(got.Values, []float64{4}) {
			t.Errorf("box %s: %v, %v", b, got, err)
		}
	}
}

func TestFieldE05AntimeridianBox(t *testing.T) {
	b := grid.Box{West: 178, South: -1, East: -178, North: 1}
	if b.Width() != 4 {
		t.Errorf("width %g, want 4", b.Width())
	}
	n := 0
	for _, lon := range []float64{179.9, -179.9, 0} {
		if b.Contains(lon, 0) {
			n++
		}
	}
	if n != 2 {
		t.Errorf("%d points inside, want 2", n)
	}
}

func TestFieldE07WholeGlobe(t *testing.T) {
	r := raster([]float64{0, 90, 180, 270}, []float64{0}, []float64{1, 2, 3, 4})
	for _, b := range []grid.Box{{West: -180, South: -10, East: 180, North: 10}, {West: 0, South: -10, East: 360, North: 10}} {
		got, err := r.SelectBox(b)
		if err != nil || len(got.Values) != 4 || !b.FullCircle() {
			t.Errorf("box %s: %v, %v", b, got, err)
		}
	}
}

// oneDegreeRows is a column of cells from the equator to 60 N, all missing.
func oneDegreeRows() *grid.Raster {
	lat := make([]float64, 61)
	for i := range lat {
		lat[i] = float64(i)
	}
	r := raster([]float64{0}, lat, make([]float64, 61))
	for i := range r.Values {
		r.Values[i] = nan
	}
	return r
}

func TestFieldE08SwappedAxes(t *testing.T) {
	r := raster([]float64{0, 90, 180, 270}, []float64{0}, []float64{1, 2, 3, 4})
	if _, _, err := r.Nearest(139.7, 35.7); !errors.Is(err, grid.ErrOutside) || !strings.Contains(err.Error(), "swapped") {
		t.Errorf("Tokyo with its axes swapped: %v", err)
	}
	if _, err := r.SelectBox(grid.Box{West: 30, South: 120, East: 40, North: 150}); err == nil || !strings.Contains(err.Error(), "swapped") {
		t.Errorf("a box with its axes swapped: %v", err)
	}
}

func TestFieldE22WeightsWithGaps(t *testing.T) {
	r := oneDegreeRows()
	r.Values[0], r.Values[60] = 10, 40
	mean, valid, err := r.AreaMean(0)
	if err != nil || valid != 2 || math.Abs(mean-20.07) > 0.005 {
		t.Errorf("mean %v of %d, %v, want about 20.07 of 2", mean, valid, err)
	}
}

func TestFieldE23WeightedMean(t *testing.T) {
	r := oneDegreeRows()
	r.Values[0], r.Values[60] = 30, 0
	mean, _, err := r.AreaMean(0)
	if err != nil || math.Abs(mean-19.93) > 0.005 {
		t.Errorf("mean %v, %v, want about 19.93", mean, err)
	}
	if _, _, err := oneDegreeRows().AreaMean(0); !errors.Is(err, grid.ErrEmpty) {
		t.Errorf("mean of nothing: %v", err)
	}
}

func TestFieldE35SquareDegrees(t *testing.T) {
	for south, want := range map[float64]float64{0: 12308, 60: 6123} {
		if got := grid.BandArea(south, south+1, 1); math.Abs(got-want) > 1 {
			t.Errorf("1 × 1 degree at %g N is %v km2, want about %v", south, got, want)
		}
	}
	// The published surface of the WGS84 ellipsoid is 510,065,621.724 km2.
	if got := grid.BandArea(-90, 90, 360); math.Abs(got-510065621.724) > 0.01 {
		t.Errorf("the Earth has %v km2", got)
	}
}

func TestFieldE41NearestOutside(t *testing.T) {
	r := raster([]float64{120, 130, 140}, []float64{10, 15, 20}, make([]float64, 9))
	_, _, err := r.Nearest(5, 250)
	if !errors.Is(err, grid.ErrOutside) || !strings.Contains(err.Error(), "km") {
		t.Errorf("a point far outside: %v", err)
	}
	for _, c := range []struct {
		lat, lon float64
		row, col int
	}{{10, 120, 0, 0}, {19, -221, 2, 2}, {22.5, 145, 2, 2}, {7.5, 115, 0, 0}} {
		row, col, err := r.Nearest(c.lat, c.lon)
		if err != nil || row != c.row || col != c.col {
			t.Errorf("(%g, %g) is in cell %d, %d, %v, want %d, %d", c.lat, c.lon, row, col, err, c.row, c.col)
		}
	}
	if _, _, err := r.Nearest(22.6, 130); !errors.Is(err, grid.ErrOutside) {
		t.Errorf("more than half a cell outside: %v", err)
	}
	if _, _, err := r.Nearest(nan, 130); !errors.Is(err, grid.ErrOutside) {
		t.Errorf("NaN: %v", err)
	}
}

func TestFieldE47MonthlyMeans(t *testing.T) {
	for year, want := range map[int]float64{2023: (31*10 + 28*40) / 59.0, 2024: (31*10 + 29*40) / 60.0} {
		r := raster([]float64{0}, []float64{0}, []float64{10, 40})
		r.Calendar = "standard"
		r.Times = steps(t, fmt.Sprintf("months since %d-01-01", year), "standard", 0, 1)
		mean, err := r.TimeMean()
		if err != nil || math.Abs(mean.Values[0]-want) > 1e-12 {
			t.Errorf("%d: %v, %v, want %v", year, mean, err, want)
		}
		if mean.CellMethods != "time: mean" || mean.TimeEdges[0][1].String() != fmt.Sprintf("%d-03-01", year) {
			t.Errorf("%d: %q, %v", year, mean.CellMethods, mean.TimeEdges)
		}
	}
}

func TestSelectBoxAcrossTheSeam(t *testing.T) {
	lon, values := make([]float64, 36), make([]float64, 36)
	for i := range lon {
		lon[i], values[i] = float64(i)*10+5, float64(i)
	}
	r := raster(lon, []float64{0}, values)
	got, err := r.SelectBox(grid.Box{West: -20, South: -1, East: 20, North: 1})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]float64{-15, -5, 5, 15}, got.Lon); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]float64{-20, -10, 0, 10, 20}, got.LonEdges); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]float64{34, 35, 0, 1}, got.Values); diff != "" {
		t.Error(diff)
	}
	if err := got.Validate(); err != nil {
		t.Error(err)
	}
}

func TestSmallBoxTakesTheCellAroundIt(t *testing.T) {
	r := raster([]float64{0, 90, 180, 270}, []float64{-30, 0, 30}, []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
	got, err := r.SelectBox(grid.Box{West: -61, South: 20, East: -60, North: 21})
	if err != nil || !slices.Equal(got.Values, []float64{12}) || got.Lon[0] != -90 {
		t.Errorf("%+v, %v", got, err)
	}
	if err := got.Validate(); err != nil {
		t.Error(err)
	}
}

func TestSelectPeriod(t *testing.T) {
	r := raster([]float64{0}, []float64{0}, []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
	r.Calendar, r.Climatology = "standard", true
	r.Times = steps(t, "months since 0000-01-15", "standard", 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)
	summer, err := cftime.ParsePeriod("JJA")
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.SelectPeriod(summer)
	if err != nil || !slices.Equal(got.Values, []float64{6, 7, 8}) || got.Label(2) != "August" {
		t.Errorf("JJA: %+v, %v", got, err)
	}
	dated, _ := cftime.ParsePeriod("2015-08")
	if _, err := r.SelectPeriod(dated); !errors.Is(err, grid.ErrEmpty) || !strings.Contains(err.Error(), "climatology") {
		t.Errorf("a dated period of a climatology: %v", err)
	}
	// (30·6 + 31·7 + 31·8)/92 = 7.0108…
	mean, err := got.TimeMean()
	if err != nil || math.Abs(mean.Values[0]-645.0/92) > 1e-12 || mean.Times != nil {
		t.Errorf("mean of JJA: %+v, %v", mean, err)
	}
}

func TestSingleMonthKeepsItsLabel(t *testing.T) {
	r := raster([]float64{0}, []float64{0}, []float64{1, 2, 3})
	r.Calendar = "standard"
	r.Times = steps(t, "months since 1998-07-16", "standard", 0, 1, 2)
	got := r.SelectSteps([]int{1})
	if got.Label(0) != "1998-08" {
		t.Errorf("label %q", got.Label(0))
	}
}

func TestValidate(t *testing.T) {
	for name, spoil := range map[string]func(*grid.Raster){
		"values":     func(r *grid.Raster) { r.Values = r.Values[1:] },
		"descending": func(r *grid.Raster) { r.Lat[0], r.Lat[1] = r.Lat[1], r.Lat[0] },
		"edges":      func(r *grid.Raster) { r.LonEdges = nil },
		"span":       func(r *grid.Raster) { r.LonEdges[2] = 500 },
		"infinite":   func(r *grid.Raster) { r.Values[0] = math.Inf(1) },
		"latitude":   func(r *grid.Raster) { r.LatEdges[2] = 91 },
		"empty":      func(r *grid.Raster) { r.Lon, r.LonEdges = nil, []float64{0} },
		"calendar":   func(r *grid.Raster) { r.Times = []cftime.Time{{Year: 2000, Month: 1, Day: 1, Calendar: "noleap"}} },
	} {
		r := raster([]float64{0, 1}, []float64{0, 1}, []float64{1, 2, 3, nan})
		if err := r.Validate(); err != nil {
			t.Fatal(err)
		}
		spoil(r)
		if err := r.Validate(); !errors.Is(err, grid.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestBinaryRoundTrip(t *testing.T) {
	r := raster([]float64{0, 1}, []float64{0, 1}, []float64{1, 2, 3, nan, 5, 6, 7, 8})
	level := 10.0
	r.Calendar, r.Level, r.LevelUnit, r.Source, r.LongName = "360_day", &level, "m", "here", "a field"
	r.Times = steps(t, "months since 2000-01-01", "360_day", 0, 1)
	r.TimeEdges = cftime.Edges(r.Times, "month")
	data, err := r.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var back grid.Raster
	if err := back.UnmarshalBinary(data); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r, &back, cmpopts.EquateNaNs()); diff != "" {
		t.Error(diff)
	}
	other := back
	other.Source = "elsewhere"
	if string(other.Canonical()) != string(r.Canonical()) {
		t.Error("the source changes the canonical bytes")
	}
	for i := range data {
		var cut grid.Raster
		if err := cut.UnmarshalBinary(data[:i]); err == nil {
			t.Errorf("%d of %d bytes decode", i, len(data))
		}
	}
}

func TestSelectBoxKeepsWhatItShould(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 40).Draw(t, "columns")
		first := float64(rapid.IntRange(-360, 360).Draw(t, "first"))
		width := 360.0 / float64(n)
		lon, values := make([]float64, n), make([]float64, n)
		for i := range lon {
			lon[i], values[i] = first+(float64(i)+0.5)*width, float64(i)
		}
		edges := make([]float64, n+1)
		for i := range edges {
			edges[i] = first + float64(i)*width
		}
		r := raster(lon, []float64{0}, values)
		r.LonEdges = edges
		b := grid.Box{
			West: rapid.Float64Range(-360, 360).Draw(t, "west"), South: -1,
			East: rapid.Float64Range(-360, 360).Draw(t, "east"), North: 1,
		}
		got, err := r.SelectBox(b)
		if err != nil {
			t.Fatal(err)
		}
		if err := got.Validate(); err != nil {
			t.Fatalf("box %s: %v", b, err)
		}
		inside := 0
		for _, x := range lon {
			if b.Contains(x, 0) {
				inside++
			}
		}
		if inside > 0 && len(got.Values) != inside || inside == 0 && len(got.Values) > 2 {
			t.Fatalf("box %s: %d cells, %d centres are inside", b, len(got.Values), inside)
		}
	})
}

func FuzzUnmarshalBinary(f *testing.F) {
	data, err := raster([]float64{0, 1}, []float64{0, 1}, []float64{1, 2, 3, nan}).MarshalBinary()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		var r grid.Raster
		if r.UnmarshalBinary(data) != nil {
			return
		}
		if _, err := r.MarshalBinary(); err != nil {
			t.Errorf("a decoded raster does not encode: %v", err)
		}
	})
}
