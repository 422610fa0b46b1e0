package data_test

import (
	"math"
	"strings"
	"testing"

	"almanac/scenarios/data"
	"almanac/toolkits"
	"almanac/toolkits/catalog"
	"almanac/toolkits/cftime"
	tools "almanac/toolkits/data"
	"almanac/toolkits/grid"
	"almanac/toolkits/series"
	"almanac/toolkits/table"
	"almanac/toolkits/toolstest"
)

type args = toolstest.Args

var nan = math.NaN()

func kit(t testing.TB) []*toolkits.Tool {
	t.Helper()
	cat, err := catalog.Open(data.Files, "")
	if err != nil {
		t.Fatal(err)
	}
	return tools.Toolkit(cat)
}

func tool(t testing.TB, name string) *toolkits.Tool {
	t.Helper()
	return toolstest.Tool(t, kit(t), "data."+name)
}

func near(t testing.TB, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s: got %v, want %v ± %g", what, got, want, tolerance)
	}
}

func TestConform(t *testing.T) {
	for _, tool := range kit(t) {
		toolstest.Conform(t, tool)
	}
}

// openRaster opens and returns the field.
func openRaster(t testing.TB, a args) *grid.Raster {
	t.Helper()
	env := toolstest.NewEnv(t)
	return toolstest.Artifact[*grid.Raster](t, env, toolstest.Call(t, env, tool(t, "open"), a), "data")
}

func openSeries(t testing.TB, a args) *series.Series {
	t.Helper()
	env := toolstest.NewEnv(t)
	return toolstest.Artifact[*series.Series](t, env, toolstest.Call(t, env, tool(t, "open"), a), "data")
}

func TestOpenWorkedExample(t *testing.T) {
	// The Nino 3.4 box holds 25 × 6 centres of the 2° grid with odd degrees: 191 … 239 E, 5 S … 5 N.
	r := openRaster(t, args{"dataset": "coads_climatology", "variable": "sst", "period": "August", "region": map[string]any{"west": -170, "south": -5, "east": -120, "north": 5}})
	if len(r.Lon) != 25 || len(r.Lat) != 6 || r.Steps() != 1 || r.Label(0) != "August" {
		t.Errorf("got %d × %d, %d steps, label %q", len(r.Lon), len(r.Lat), r.Steps(), r.Label(0))
	}
	s := openSeries(t, args{"dataset": "seattle", "variable": "rain", "period": "2012-01"})
	if s.Len() != 31 || s.Values[1] != 10.9 || s.Unit != "mm" { // 2012-01-02,10.9 in the source
		t.Errorf("got %d values, %v %s", s.Len(), s.Values[1], s.Unit)
	}
}

func TestOpenARegionOverTheAntimeridian(t *testing.T) {
	// Farland, 170° E to 170° W and 20° S to 10° S, cut at 180°: 60 × 30 cells of a third of a degree.
	r := openRaster(t, args{"dataset": "etopo_relief", "variable": "elevation", "region": "Farland"})
	if len(r.Lon) != 60 && len(r.Lon) != 61 || len(r.Lat) != 30 && len(r.Lat) != 31 {
		t.Errorf("%d × %d cells", len(r.Lon), len(r.Lat))
	}
	if width := r.LonEdges[len(r.Lon)] - r.LonEdges[0]; width > 21 {
		t.Errorf("%g degrees wide", width)
	}
}

func TestOpenTablesAndShapes(t *testing.T) {
	env := toolstest.NewEnv(t)
	res := toolstest.Call(t, env, tool(t, "open"), args{"dataset": "natural_earth_places", "variable": "population", "region": map[string]any{"west": 36, "south": -2, "east": 37.5, "north": -1}})
	tab := toolstest.Artifact[*table.Table](t, env, res, "data")
	names, err := tab.Column("name")
	if err != nil || len(tab.Columns) != 5 {
		t.Fatalf("columns %d, %v", len(tab.Columns), err)
	}
	if !strings.Contains(strings.Join(names.Texts, " "), "Nairobi") {
		t.Errorf("places around Nairobi: %v", names.Texts)
	}
	res = toolstest.Call(t, env, tool(t, "open"), args{"dataset": "natural_earth_countries", "variable": "countries"})
	if n := toolstest.Number(t, res, "count"); n != 241 {
		t.Errorf("%g countries", n)
	}
}

func TestOpenErrors(t *testing.T) {
	env := toolstest.NewEnv(t)
	open := tool(t, "open")
	for _, c := range []struct {
		name string
		args args
		code toolkits.Code
		says string
	}{
		{"unknown data set", args{"dataset": "coads_climatolgy", "variable": "sst"}, toolkits.BadArgument, "coads_climatology"},
		{"variable of another data set", args{"dataset": "coads_climatology", "variable": "salinity"}, toolkits.NotFound, "sst"},
		{"no such level", args{"dataset": "levitus_climatology", "variable": "salinity", "level": 75}, toolkits.BadArgument, "50, 100"},
		{"no level", args{"dataset": "levitus_climatology", "variable": "salinity"}, toolkits.BadArgument, "0, 50"},
		{"a year of a climatology", args{"dataset": "coads_climatology", "variable": "sst", "period": "1998-08"}, toolkits.EmptySelection, "climatology"},
		{"outside the record", args{"dataset": "seattle_weather", "variable": "wind", "period": "1999"}, toolkits.EmptySelection, "2012-01-01/2015-12-31"},
		{"no such day", args{"dataset": "seattle_weather", "variable": "wind", "period": "2014-02-30"}, toolkits.BadArgument, "2014-02-30"},
		{"region of a station", args{"dataset": "mauna_loa_co2", "variable": "co2", "region": "Boxland"}, toolkits.BadArgument, "leave region out"},
		{"all land", args{"dataset": "coads_climatology", "variable": "sst", "region": map[string]any{"west": 85, "south": 40, "east": 95, "north": 45}}, toolkits.EmptySelection, "missing"},
	} {
		if text := toolstest.Fails(t, env, open, c.args, c.code); !strings.Contains(text, c.says) {
			t.Errorf("%s: %q does not say %q", c.name, text, c.says)
		}
	}
}

func TestFieldE01E02LatitudeOrder(t *testing.T) {
	// As the readers hand it over: ascending. 35..55 holds the two cells with 1 and 2 in whichever order it is asked.
	r := toolstest.Raster([]float64{0}, []float64{30, 40, 50}, toolstest.Days(2000, 1, 1, 1), 3, 2, 1)
	env := toolstest.NewEnv(t)
	box := grid.Box{West: -1, South: 55, East: 1, North: 35}
	cut, err := r.SelectBox(box)
	if err != nil || len(cut.Values) != 2 || cut.Values[0]+cut.Values[1] != 3 {
		t.Errorf("got %v, %v", cut, err)
	}
	res := toolstest.Call(t, env, tool(t, "region_series"), args{"raster": cut, "zones": map[string]any{"west": -0.5, "south": 35, "east": 0.5, "north": 55}})
	if got := toolstest.Number(t, res, "mean"); got <= 1.5 || got > 1.6 { // the southern cell, 2, is the larger one
		t.Errorf("got %v", got)
	}
	toolstest.Fails(t, env, tool(t, "region_series"), args{"raster": cut, "zones": map[string]any{"west": -0.5, "south": -35, "east": 0.5, "north": -30}}, toolkits.OutOfDomain)
}

func TestRegionSeriesWorkedExample(t *testing.T) {
	env := toolstest.NewEnv(t)
	// Two cells on one parallel, equal areas; the zone takes all of the first and half of the second.
	r := toolstest.Raster([]float64{0.5, 1.5}, []float64{0.5}, toolstest.Months(2001, 1, 3), 1, 4, nan, 7, nan, nan)
	res := toolstest.Call(t, env, tool(t, "region_series"), args{"raster": r, "zones": map[string]any{"west": 0, "south": 0, "east": 1.5, "north": 1}})
	s := toolstest.Artifact[*series.Series](t, env, res, "series")
	near(t, "January", s.Values[0], (1+0.5*4)/1.5, 1e-12)
	near(t, "February", s.Values[1], 7, 0)
	if !math.IsNaN(s.Values[2]) {
		t.Errorf("March: %v, want missing", s.Values[2])
	}
	near(t, "mean", toolstest.Number(t, res, "mean"), (31*2.0+28*7)/59, 1e-12)
	near(t, "count", toolstest.Number(t, res, "count"), 2, 0)
	if a, b := toolstest.Text(t, res, "argmin"), toolstest.Text(t, res, "argmax"); a != "2001-01" || b != "2001-02" {
		t.Errorf("argmin %s, argmax %s", a, b)
	}
	res = toolstest.Call(t, env, tool(t, "region_series"), args{"raster": r, "zones": map[string]any{"west": 0, "south": 0, "east": 1.5, "north": 1}, "statistic": "sum"})
	near(t, "sum", toolstest.Number(t, res, "min"), 1+0.5*4, 1e-12)
	plain := toolstest.Raster([]float64{0.5}, []float64{0.5}, nil, 1)
	toolstest.Fails(t, env, tool(t, "region_series"), args{"raster": plain, "zones": "Boxland"}, toolkits.BadArgument)
	big := args{"raster": r, "zones": "Boxland"}
	if text := toolstest.Fails(t, env, tool(t, "region_series"), big, toolkits.OutOfDomain); !strings.Contains(text, "98.0 %") {
		t.Errorf("2 of 100 cells: %s", text)
	}
}

func TestFieldE41NearestOutsideTheGrid(t *testing.T) {
	env := toolstest.NewEnv(t)
	r := toolstest.Raster(toolstest.Axis(120, 10, 3), toolstest.Axis(10, 10, 2), toolstest.Months(2001, 1, 1), 1, 2, 3, 4, 5, 6)
	text := toolstest.Fails(t, env, tool(t, "point_series"), args{"raster": r, "point": map[string]any{"latitude": 5, "longitude": 250}}, toolkits.OutOfDomain)
	if !strings.Contains(text, "outside the grid") || !strings.Contains(text, "km") {
		t.Error(text)
	}
	res := toolstest.Call(t, env, tool(t, "point_series"), args{"raster": r, "point": map[string]any{"latitude": 19, "longitude": -241}})
	near(t, "119 E", toolstest.Number(t, res, "max"), 4, 0)
}

func TestSeriesStatsWorkedExample(t *testing.T) {
	env := toolstest.NewEnv(t)
	s := toolstest.Series("degC", "day", toolstest.Days(2014, 7, 1, 5), 20, nan, 26, 23, 26)
	res := toolstest.Call(t, env, tool(t, "series_stats"), args{"series": s})
	for name, want := range map[string]float64{
		"mean": 23.75, "min": 20, "max": 26, "sum": 95, "first": 20, "last": 26, "range": 6, "count": 4,
		"std": math.Sqrt((3.75*3.75 + 2*2.25*2.25 + 0.75*0.75) / 4),
	} {
		near(t, name, toolstest.Number(t, res, name), want, 1e-12)
	}
	if a, b := toolstest.Text(t, res, "argmin"), toolstest.Text(t, res, "argmax"); a != "2014-07-01" || b != "2014-07-03" {
		t.Errorf("argmin %s, argmax %s", a, b)
	}
	if v := toolstest.Get(t, res, "range"); !v.Difference || v.Unit != "degC" {
		t.Errorf("the range of temperatures is a difference: %+v", v)
	}
}

func TestFieldE47MonthLengths(t *testing.T) {
	env := toolstest.NewEnv(t)
	for year, want := range map[int]float64{2023: (31*10.0 + 28*40) / 59, 2024: (31*10.0 + 29*40) / 60} {
		s := toolstest.Series("degC", "month", toolstest.Months(year, 1, 2), 10, 40)
		near(t, "mean", toolstest.Number(t, toolstest.Call(t, env, tool(t, "series_stats"), args{"series": s}), "mean"), want, 1e-12)
	}
	near(t, "24.24", (31*10.0+28*40)/59, 24.24, 0.005)
	clim := toolstest.Series("degC", "climatological_month", toolstest.Months(2001, 1, 2), 10, 40)
	near(t, "climatology", toolstest.Number(t, toolstest.Call(t, env, tool(t, "series_stats"), args{"series": clim}), "mean"), (31*10+28.2425*40)/59.2425, 1e-12)
}

func TestFieldE21SumOfNothing(t *testing.T) {
	env := toolstest.NewEnv(t)
	values := make([]float64, 60) // 30 days of April, missing, then 29 missing in May and one of 4, and the 31st missing
	for i := range values {
		values[i] = nan
	}
	values = append(values, nan)
	values[59] = 4
	s := toolstest.Series("mm", "day", toolstest.Days(2001, 4, 1, 61), values...)
	res := toolstest.Call(t, env, tool(t, "aggregate_time"), args{"data": s, "by": "month", "method": "sum"})
	got := toolstest.Artifact[*series.Series](t, env, res, "data")
	if got.Len() != 2 || !math.IsNaN(got.Values[0]) || got.Values[1] != 4 {
		t.Errorf("got %v", got.Values)
	}
	may := toolstest.Call(t, env, tool(t, "aggregate_time"), args{"data": s, "by": "month", "method": "sum", "period": "2001-05"})
	near(t, "coverage", toolstest.Number(t, may, "coverage"), 1.0/31, 1e-12)
	none := toolstest.Series("mm", "day", toolstest.Days(2001, 4, 1, 2), nan, nan)
	toolstest.Fails(t, env, tool(t, "aggregate_time"), args{"data": none, "by": "month", "method": "sum"}, toolkits.EmptySelection)
}

func TestFieldE24Deaccumulate(t *testing.T) {
	env := toolstest.NewEnv(t)
	start := cftime.Time{Year: 2020, Month: 5, Day: 1, Calendar: cftime.Standard}
	s := toolstest.Series("m", "hour", hoursFrom(start, 1, 4), 0.0005, 0.0012, 0.0012, 0.0030)
	s.CellMethods = "time: sum"
	for i := range s.Times {
		s.TimeEdges = append(s.TimeEdges, [2]cftime.Time{start, s.Times[i]})
	}
	res := toolstest.Call(t, env, tool(t, "series_stats"), args{"series": s})
	near(t, "total", toolstest.Number(t, res, "sum")*1000, 3.0, 1e-9)
	near(t, "wettest hour", toolstest.Number(t, res, "max")*1000, 1.8, 1e-9)
	near(t, "driest hour", toolstest.Number(t, res, "min")*1000, 0, 1e-9)
	res = toolstest.Call(t, env, tool(t, "aggregate_time"), args{"data": s, "by": "all", "method": "sum"})
	near(t, "joined", toolstest.Artifact[*series.Series](t, env, res, "data").Values[0]*1000, 3.0, 1e-9)
}

// hoursFrom are n hours from the first on.
func hoursFrom(start cftime.Time, first, n int) []cftime.Time {
	var times []cftime.Time
	for i := range n {
		times = append(times, start.AddSeconds(float64(first+i)*3600))
	}
	return times
}

func TestFieldE26HourlyNotAccumulated(t *testing.T) {
	env := toolstest.NewEnv(t)
	start := cftime.Time{Year: 2020, Month: 5, Day: 1, Calendar: cftime.Standard}
	hours := hoursFrom(start, 0, 24)
	values := make([]float64, 24)
	for i := range values {
		values[i] = 1
	}
	s := toolstest.Series("mm", "hour", hours, values...)
	s.CellMethods = "time: sum"
	for _, h := range hours {
		s.TimeEdges = append(s.TimeEdges, [2]cftime.Time{h, h.AddSeconds(3600)})
	}
	day := tool(t, "aggregate_time")
	res := toolstest.Call(t, env, day, args{"data": s, "by": "day", "method": "sum"})
	near(t, "rain", toolstest.Artifact[*series.Series](t, env, res, "data").Values[0], 24, 1e-9)
	near(t, "coverage", toolstest.Number(t, res, "coverage"), 1, 1e-9)
	res = toolstest.Call(t, env, day, args{"data": s.SelectSteps([]int{0, 6, 12, 18}), "by": "day", "method": "sum"})
	near(t, "coverage of four hours", toolstest.Number(t, res, "coverage"), 4.0/24, 1e-9)
}

func TestAggregateWorkedExample(t *testing.T) {
	env := toolstest.NewEnv(t)
	// Two cells over the months of winter 2001/02: December 2001 belongs to DJF 2002.
	r := toolstest.Raster([]float64{0.5, 1.5}, []float64{0.5}, toolstest.Months(2001, 12, 4), 1, nan, 2, 5, 3, 5, 9, 9)
	res := toolstest.Call(t, env, tool(t, "aggregate_time"), args{"data": r, "by": "season", "method": "mean"})
	got := toolstest.Artifact[*grid.Raster](t, env, res, "data")
	if got.Steps() != 2 || got.Label(0) != "DJF 2002" {
		t.Fatalf("%d steps, first %q", got.Steps(), got.Label(0))
	}
	near(t, "winter, first cell", got.Values[0], (31*1.0+31*2+28*3)/90, 1e-12)
	near(t, "winter, second cell", got.Values[1], 5, 0)
	near(t, "coverage", toolstest.Number(t, res, "coverage"), 31.0/92, 1e-12) // MAM has March only
	rates := toolstest.Series("mm day-1", "day", toolstest.Days(2001, 1, 1, 2), 1, 2)
	toolstest.Fails(t, env, tool(t, "aggregate_time"), args{"data": rates, "by": "month", "method": "sum"}, toolkits.BadUnit)
	toolstest.Fails(t, env, tool(t, "aggregate_time"), args{"data": r, "by": "day", "method": "mean"}, toolkits.BadArgument)
}

func TestAggregateOfAClimatology(t *testing.T) {
	env := toolstest.NewEnv(t)
	r := toolstest.Raster([]float64{0.5}, []float64{0.5}, toolstest.Months(2001, 1, 12), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)
	r.Climatology = true
	res := toolstest.Call(t, env, tool(t, "aggregate_time"), args{"data": r, "by": "all", "method": "mean"})
	got := toolstest.Artifact[*grid.Raster](t, env, res, "data")
	days := []float64{31, 28.2425, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}
	sum := 0.0
	for i, d := range days {
		sum += d * float64(i+1)
	}
	near(t, "year", got.Values[0], sum/365.2425, 1e-12)
	near(t, "coverage", toolstest.Number(t, res, "coverage"), 1, 1e-12)
	if got.Climatology || len(got.Times) != 0 {
		t.Errorf("a mean year has no date: %v", got.Times)
	}
	if whole, err := r.TimeMean(); err != nil || math.Abs(whole.Values[0]-got.Values[0]) > 1e-12 {
		t.Errorf("grid.TimeMean says %v, %v", whole, err)
	}
	toolstest.Fails(t, env, tool(t, "aggregate_time"), args{"data": r, "by": "season", "method": "mean"}, toolkits.Unsupported)
}

func TestFieldE32DayOfYear(t *testing.T) {
	env := toolstest.NewEnv(t)
	times := append(toolstest.Days(2023, 2, 28, 2), toolstest.Days(2024, 2, 28, 3)...)
	s := toolstest.Series("degC", "day", times, 0, 10, 4, 7, 20)
	res := toolstest.Call(t, env, tool(t, "anomaly"), args{"data": s})
	got := toolstest.Artifact[*series.Series](t, env, res, "data")
	for i, want := range []float64{-2, -5, 2, 0, 5} { // 1 March: 10 and 20, normal 15; 29 February stands alone
		near(t, got.Label(i), got.Values[i], want, 1e-12)
	}
	if !got.Difference || got.Unit != "degC" {
		t.Errorf("unit %s, difference %v", got.Unit, got.Difference)
	}
	scaled := toolstest.Artifact[*series.Series](t, env, res, "standardized")
	near(t, "1 March 2024", scaled.Values[4], 1, 1e-12)
	if !math.IsNaN(scaled.Values[3]) || scaled.Unit != "1" {
		t.Errorf("29 February: %v %s", scaled.Values[3], scaled.Unit)
	}
	base := toolstest.Call(t, env, tool(t, "anomaly"), args{"data": s, "baseline": "2023"})
	near(t, "against 2023", toolstest.Artifact[*series.Series](t, env, base, "data").Values[4], 10, 1e-12)
	toolstest.Fails(t, env, tool(t, "anomaly"), args{"data": s, "baseline": "1990"}, toolkits.EmptySelection)
}

func TestPercentileWorkedExample(t *testing.T) {
	env := toolstest.NewEnv(t)
	s := toolstest.Series("mm", "day", toolstest.Days(2001, 1, 1, 6), 4, 1, nan, 3, 2, 10)
	for percent, want := range map[float64]float64{0: 1, 25: 2, 50: 3, 90: 4 + 0.6*6, 100: 10} {
		res := toolstest.Call(t, env, tool(t, "percentile"), args{"series": s, "percent": percent})
		near(t, "percentile", toolstest.Number(t, res, "value"), want, 1e-12)
	}
	toolstest.Fails(t, env, tool(t, "percentile"), args{"series": s, "percent": 101}, toolkits.BadArgument)
}

func TestCountEventsWorkedExample(t *testing.T) {
	env := toolstest.NewEnv(t)
	times := append(toolstest.Days(2001, 1, 1, 6), toolstest.Days(2001, 1, 20, 2)...)
	s := toolstest.Series("degC", "day", times, 26, 25, 27, 28, nan, 29, 30, 31)
	for _, c := range []struct {
		comparison      string
		threshold       any
		count, fraction float64
		run             float64
	}{
		{"above", 25, 6, 6.0 / 7, 2},
		{"at_least", 25, 7, 1, 4}, // the missing day ends the first run, the gap until the 20th the next
		{"below", 28, 3, 3.0 / 7, 3},
		{"at_most", 28, 4, 4.0 / 7, 4},
		{"above", toolkits.Value{Kind: "scalar", Number: 298.15, Unit: "K"}, 6, 6.0 / 7, 2},
	} {
		res := toolstest.Call(t, env, tool(t, "count_events"), args{"series": s, "comparison": c.comparison, "threshold": c.threshold})
		near(t, c.comparison, toolstest.Number(t, res, "count"), c.count, 0)
		near(t, c.comparison+" share", toolstest.Number(t, res, "fraction"), c.fraction, 1e-12)
		near(t, c.comparison+" run", toolstest.Number(t, res, "longest_run"), c.run, 0)
		if v := toolstest.Get(t, res, "count"); v.Unit != "day" {
			t.Errorf("unit %q", v.Unit)
		}
	}
}

func TestFieldE11UnitLabelLies(t *testing.T) {
	env := toolstest.NewEnv(t)
	s := toolstest.Series("K", "day", toolstest.Days(2001, 1, 1, 3), 26, 27, 20)
	threshold := toolkits.Value{Kind: "scalar", Number: 25, Unit: "degC"}
	text := toolstest.Fails(t, env, tool(t, "count_events"), args{"series": s, "comparison": "above", "threshold": threshold}, toolkits.OutOfDomain)
	if !strings.Contains(text, "-253 degC") {
		t.Error(text)
	}
}

func TestTrendWorkedExample(t *testing.T) {
	env := toolstest.NewEnv(t)
	// A noleap calendar has years of 365 days: values 1, 3, 4, 8 at years 0 … 3. OLS by hand: Sxy 11, Sxx 5, slope 2.2;
	// residuals 0.3, 0.1, -1.1, 0.7 have squares 1.8, so t = 2.2/sqrt(0.9/5) = 5.1854, p = 0.03524 with 2 degrees.
	var times []cftime.Time
	for y := range 4 {
		times = append(times, cftime.Time{Year: 2000 + y, Month: 1, Day: 1, Calendar: cftime.NoLeap})
	}
	s := toolstest.Series("ppm", "year", times, 1, 3, 4, 8)
	res := toolstest.Call(t, env, tool(t, "trend"), args{"series": s})
	near(t, "slope", toolstest.Number(t, res, "slope"), 2.2, 1e-12)
	near(t, "change", toolstest.Number(t, res, "total_change"), 6.6, 1e-12)
	near(t, "p", toolstest.Number(t, res, "p_value"), 0.03524, 5e-6)
	if v := toolstest.Get(t, res, "slope"); v.Unit != "ppm year-1" || !v.Difference {
		t.Errorf("slope in %q", v.Unit)
	}
	// Slopes of the pairs: 2, 1.5, 7/3, 1, 2.5, 4: median (2 + 7/3)/2.
	res = toolstest.Call(t, env, tool(t, "trend"), args{"series": s, "method": "theil_sen"})
	near(t, "sen", toolstest.Number(t, res, "slope"), (2+7.0/3)/2, 1e-12)
	short := toolstest.Series("ppm", "year", times[:2], 1, 3)
	toolstest.Fails(t, env, tool(t, "trend"), args{"series": short}, toolkits.NotEnoughData)
}

func TestConvertWorkedExample(t *testing.T) {
	env := toolstest.NewEnv(t)
	s := toolstest.Series("degC", "day", toolstest.Days(2001, 1, 1, 2), 20, nan)
	got := toolstest.Artifact[*series.Series](t, env, toolstest.Call(t, env, tool(t, "convert_units"), args{"value": s, "to": "K"}), "value")
	near(t, "20 degC", got.Values[0], 293.15, 1e-9)
	warming := *s
	warming.Difference = true
	got = toolstest.Artifact[*series.Series](t, env, toolstest.Call(t, env, tool(t, "convert_units"), args{"value": &warming, "to": "K"}), "value")
	near(t, "a warming of 20 degC", got.Values[0], 20, 1e-9)
	toolstest.Fails(t, env, tool(t, "convert_units"), args{"value": s, "to": "mm"}, toolkits.BadUnit)
}

func TestListAndDescribe(t *testing.T) {
	env := toolstest.NewEnv(t)
	res := toolstest.Call(t, env, tool(t, "list_datasets"), nil)
	tab := toolstest.Artifact[*table.Table](t, env, res, "datasets")
	if n := toolstest.Number(t, res, "count"); int(n) != tab.Rows() || n < 8 {
		t.Errorf("count %g, rows %d", n, tab.Rows())
	}
	res = toolstest.Call(t, env, tool(t, "describe"), args{"dataset": "Levitus"})
	if text := toolstest.Text(t, res, "summary"); !strings.Contains(text, "levitus_climatology") || !strings.Contains(text, "1 degree") {
		t.Error(text)
	}
	near(t, "variables", toolstest.Number(t, res, "count"), 2, 0)
}

func TestRegionOfAnotherCRS(t *testing.T) {
	env := toolstest.NewEnv(t)
	zone := toolstest.Zone(toolstest.BoxPolygon(1e6, 1e6, 2e6, 2e6))
	zone.CRS = "EPSG:3857"
	text := toolstest.Fails(t, env, tool(t, "open"), args{"dataset": "etopo_relief", "variable": "elevation", "region": zone}, toolkits.BadCRS)
	if !strings.Contains(text, "EPSG:3857") {
		t.Error(text)
	}
}
