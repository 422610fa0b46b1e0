package simulation_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"almanac/scenarios/data"
	"almanac/toolkits"
	"almanac/toolkits/catalog"
	"almanac/toolkits/cftime"
	"almanac/toolkits/series"
	"almanac/toolkits/simulation"
	"almanac/toolkits/toolstest"
)

type args = toolstest.Args

var nan = math.NaN()

func tool(t testing.TB, name string) *toolkits.Tool {
	t.Helper()
	return toolstest.Tool(t, simulation.Toolkit(), "simulation."+name)
}

func near(t testing.TB, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s: got %v, want %v ± %g", what, got, want, tolerance)
	}
}

func daily(unit string, values ...float64) *series.Series {
	return toolstest.Series(unit, cftime.FrequencyDay, toolstest.Days(2014, 7, 1, len(values)), values...)
}

func call(t testing.TB, name string, a args) (*series.Series, *toolkits.Result) {
	t.Helper()
	env := toolstest.NewEnv(t)
	res := toolstest.Call(t, env, tool(t, name), a)
	return toolstest.Artifact[*series.Series](t, env, res, "series"), res
}

func fails(t *testing.T, name string, a args, code toolkits.Code, says string) {
	t.Helper()
	if text := toolstest.Fails(t, toolstest.NewEnv(t), tool(t, name), a, code); !strings.Contains(text, says) {
		t.Errorf("%q does not say %q", text, says)
	}
}

func TestDegreeDays(t *testing.T) {
	// Means 10, 20, 14: from 18 degC on heating 8 + 0 + 4, cooling 0 + 2 + 0; from 10 degC on growing 0 + 10 + 4.
	high, low := daily("degC", 15, 26, 20), daily("degC", 5, 14, 8)
	for _, c := range []struct {
		kind        string
		base, total float64
		days        float64
	}{{"heating", 18, 12, 2}, {"cooling", 18, 2, 1}, {"growing", 10, 14, 2}} {
		s, res := call(t, "degree_days", args{"temperature_max": high, "temperature_min": low, "base": c.base, "kind": c.kind})
		near(t, c.kind, toolstest.Number(t, res, "total"), c.total, 1e-12)
		near(t, c.kind+" days", toolstest.Number(t, res, "days"), c.days, 0)
		if v := toolstest.Get(t, res, "total"); v.Unit != "degC day" || s.Unit != "degC day" || s.Len() != 3 {
			t.Errorf("%s: total in %q, series in %q with %d steps", c.kind, v.Unit, s.Unit, s.Len())
		}
	}
	// Kelvin is kelvin: the same days as 288.15, 299.15, 293.15 and 278.15, 287.15, 281.15.
	_, res := call(t, "degree_days", args{"temperature_max": daily("K", 288.15, 299.15, 293.15), "temperature_min": daily("K", 278.15, 287.15, 281.15), "base": 18, "kind": "heating"})
	near(t, "kelvin", toolstest.Number(t, res, "total"), 12, 1e-9)
	_, res = call(t, "degree_days", args{"temperature_max": high, "temperature_min": low, "base": 18, "kind": "heating", "period": "2014-07-03"})
	near(t, "one day", toolstest.Number(t, res, "total"), 4, 1e-12)
}

func TestDegreeDaysErrors(t *testing.T) {
	high, low := daily("degC", 15, 26, 20), daily("degC", 5, 14, 8)
	monthly := toolstest.Series("degC", cftime.FrequencyMonth, toolstest.Months(2014, 1, 3), 1, 2, 3)
	with := func(h, l any) args {
		return args{"temperature_max": h, "temperature_min": l, "base": 18, "kind": "heating"}
	}
	fails(t, "degree_days", with(daily("degC", 15, nan, 20), low), toolkits.NotEnoughData, "2014-07-02")
	fails(t, "degree_days", with(high, daily("degC", 5, 14)), toolkits.BadArgument, "same days")
	fails(t, "degree_days", with(low, high), toolkits.OutOfDomain, "swapped")
	fails(t, "degree_days", with(monthly, monthly), toolkits.Unsupported, "daily")
	fails(t, "degree_days", with(daily("mm", 1, 2, 3), low), toolkits.BadUnit, "mm")
	fails(t, "degree_days", with(high.SelectSteps([]int{0, 2}), low), toolkits.NotEnoughData, "2014-07-01 and 2014-07-03")
	a := with(high, low)
	a["period"] = "1999"
	fails(t, "degree_days", a, toolkits.EmptySelection, "1999")
}

func TestFieldE11LabelledKelvin(t *testing.T) {
	fails(t, "degree_days", args{"temperature_max": daily("K", 26, 27), "temperature_min": daily("K", 15, 15), "base": 18, "kind": "cooling"}, toolkits.OutOfDomain, "-247")
}

func TestSCSRunoff(t *testing.T) {
	// CN 80: S = 317.5 - 254 = 63.5, 0.2 S = 12.7 mm. 12.7 mm gives nothing; 63.5 mm gives (50.8)²/(114.3) = 22.5778 mm.
	s, res := call(t, "scs_runoff", args{"precipitation": daily("mm", 0, 12.7, 63.5), "curve_number": 80})
	want := 50.8 * 50.8 / 114.3
	near(t, "total", toolstest.Number(t, res, "total"), want, 1e-9)
	near(t, "fraction", toolstest.Number(t, res, "fraction"), want/76.2, 1e-12)
	near(t, "days", toolstest.Number(t, res, "days"), 1, 0)
	if s.Values[1] != 0 || s.Unit != "mm" {
		t.Errorf("%v %s", s.Values, s.Unit)
	}
	// NEH 630 chapter 10, table 10-1 in inches: CN 75 and 4 inches of rain give 1.67 inches.
	_, res = call(t, "scs_runoff", args{"precipitation": daily("inch", 4), "curve_number": 75})
	near(t, "4 inches on CN 75", toolstest.Number(t, res, "total"), 1.67*25.4, 0.005*25.4)
	// Pavement that holds nothing gives back all of it, and a dry month has no fraction.
	_, res = call(t, "scs_runoff", args{"precipitation": daily("mm", 3, 0, 4), "curve_number": 100})
	near(t, "CN 100", toolstest.Number(t, res, "total"), 7, 1e-12)
	_, res = call(t, "scs_runoff", args{"precipitation": daily("mm", 0, 0), "curve_number": 90})
	if _, ok := res.Get("fraction"); ok || toolstest.Number(t, res, "total") != 0 {
		t.Error("no rain has no share that runs off")
	}
}

func TestSCSRunoffUnits(t *testing.T) {
	// 10 mm in a day, however it is written. A rate is multiplied by its seconds.
	for unit, v := range map[string]float64{"mm": 10, "m": 0.01, "kg m-2": 10, "mm day-1": 10, "kg m-2 s-1": 10.0 / 86400, "mm h-1": 10.0 / 24, "m s-1": 0.01 / 86400} {
		_, res := call(t, "scs_runoff", args{"precipitation": daily(unit, v), "curve_number": 100})
		near(t, unit, toolstest.Number(t, res, "total"), 10, 1e-9)
	}
	fails(t, "scs_runoff", args{"precipitation": daily("degC", 10), "curve_number": 80}, toolkits.BadUnit, "degC")
	fails(t, "scs_runoff", args{"precipitation": daily("mm", 1, -3), "curve_number": 80}, toolkits.OutOfDomain, "negative")
	fails(t, "scs_runoff", args{"precipitation": daily("mm", 1, nan, 2), "curve_number": 80}, toolkits.NotEnoughData, "2014-07-02")
	fails(t, "scs_runoff", args{"precipitation": daily("mm", 1), "curve_number": 0}, toolkits.BadArgument, "1 to 100")
	months := toolstest.Series("mm", cftime.FrequencyMonth, toolstest.Months(2001, 1, 2), 50, 60)
	fails(t, "scs_runoff", args{"precipitation": months, "curve_number": 80}, toolkits.Unsupported, "within a day")
}

// hours makes a series of n steps of one hour from midnight on.
func hours(unit string, values ...float64) *series.Series {
	start := cftime.Time{Year: 2001, Month: 1, Day: 1, Calendar: cftime.Standard}
	times := make([]cftime.Time, len(values))
	for i := range times {
		times[i] = start.AddSeconds(3600 * float64(i))
	}
	s := toolstest.Series(unit, cftime.FrequencyHour, times, values...)
	s.CellMethods = "time: sum"
	return s
}

func TestFieldE24DeAccumulate(t *testing.T) {
	// The first four hours of a running total in metres, which then stays: 3.0 mm in the day, not the sum of totals.
	values := make([]float64, 24)
	copy(values, []float64{0.0005, 0.0012, 0.0012, 0.0030})
	for i := 4; i < 24; i++ {
		values[i] = 0.0030
	}
	s := hours("m", values...)
	start := s.Times[0]
	for i := range values {
		s.TimeEdges = append(s.TimeEdges, [2]cftime.Time{start, start.AddSeconds(3600 * float64(i+1))})
	}
	out, res := call(t, "scs_runoff", args{"precipitation": s, "curve_number": 100})
	near(t, "total", toolstest.Number(t, res, "total"), 3.0, 1e-9)
	if out.Len() != 1 || out.Label(0) != "2001-01-01" {
		t.Errorf("%d days, the first %s", out.Len(), out.Label(0))
	}
}

func TestFieldE26Hourly(t *testing.T) {
	values := make([]float64, 48)
	for i := range values {
		values[i] = 0.001
	}
	s := hours("m", values...)
	out, _ := call(t, "scs_runoff", args{"precipitation": s, "curve_number": 100})
	if out.Len() != 2 {
		t.Fatalf("%d days", out.Len())
	}
	near(t, "24 hours", out.Values[0], 24, 1e-9)
	// Four of the 24 hours are refused, with bounds or without.
	sparse := s.SelectSteps([]int{0, 6, 12, 18})
	fails(t, "scs_runoff", args{"precipitation": sparse, "curve_number": 100}, toolkits.NotEnoughData, "4 of 24 hours")
	sparse.InferFrequency()
	fails(t, "scs_runoff", args{"precipitation": sparse, "curve_number": 100}, toolkits.Unsupported, "without bounds")
	fails(t, "scs_runoff", args{"precipitation": s.SelectSteps([]int{0, 1, 2}), "curve_number": 100}, toolkits.NotEnoughData, "3 of 24 hours")
}

func TestWindPower(t *testing.T) {
	// 1000 kW, 3 / 12 / 25 m s-1. 6 m s-1: (216 - 27)/(1728 - 27) = 189/1701 = 1/9 of the rated power.
	// Each bound belongs to what follows it: 3 gives 0 by the curve, 12 the rated power, 25 nothing.
	s, res := call(t, "wind_power", args{"wind_speed": daily("m s-1", 2.9, 3, 6, 12, 24.9, 25, 0), "rated_power": 1000})
	for i, want := range []float64{0, 0, 1000.0 / 9, 1000, 1000, 0, 0} {
		near(t, s.Label(i), s.Values[i], want, 1e-9)
	}
	near(t, "energy", toolstest.Number(t, res, "energy"), 24*(2000+1000.0/9), 1e-6)
	near(t, "capacity factor", toolstest.Number(t, res, "capacity_factor"), (2+1.0/9)/7, 1e-12)
	near(t, "mean power", toolstest.Number(t, res, "mean_power"), 1000*(2+1.0/9)/7, 1e-9)
	if v := toolstest.Get(t, res, "energy"); v.Unit != "kWh" || s.Unit != "kW" {
		t.Errorf("energy in %q, power in %q", v.Unit, s.Unit)
	}
}

func TestWindPowerHeightAndTime(t *testing.T) {
	// From 10 to 100 m over a roughness of 0.1 m: ln 1000 / ln 100 = 1.5. 4 m s-1 becomes 6, a ninth of the rated power.
	_, res := call(t, "wind_power", args{"wind_speed": daily("m s-1", 4), "rated_power": 900, "hub_height": 100, "roughness": 0.1})
	near(t, "mean power", toolstest.Number(t, res, "mean_power"), 100, 1e-9)
	// An hour is an hour, a month its days, a single step too: 12 m s-1 is 43.2 km/h.
	_, res = call(t, "wind_power", args{"wind_speed": hours("km h-1", 43.3, 43.3), "rated_power": 10})
	near(t, "two hours", toolstest.Number(t, res, "energy"), 20, 1e-9)
	february := toolstest.Series("m s-1", cftime.FrequencyMonth, toolstest.Months(2012, 2, 1), 13)
	_, res = call(t, "wind_power", args{"wind_speed": february, "rated_power": scalar(0.01, "MW")})
	near(t, "February 2012", toolstest.Number(t, res, "energy"), 29*24*10, 1e-9)
	fails(t, "wind_power", args{"wind_speed": daily("m s-1", 1, nan), "rated_power": 10}, toolkits.NotEnoughData, "2014-07-02")
	fails(t, "wind_power", args{"wind_speed": daily("m s-1", 1, -1), "rated_power": 10}, toolkits.OutOfDomain, "component")
	fails(t, "wind_power", args{"wind_speed": daily("m s-1", 1), "rated_power": 10, "cut_in": 13}, toolkits.BadArgument, "rise")
	fails(t, "wind_power", args{"wind_speed": daily("m s-1", 1), "rated_power": 10, "hub_height": 4, "roughness": 5}, toolkits.OutOfDomain, "roughness")
	odd := toolstest.Series("m s-1", cftime.FrequencyIrregular, toolstest.Days(2014, 1, 1, 1), 5)
	fails(t, "wind_power", args{"wind_speed": odd, "rated_power": 10}, toolkits.Unsupported, "length")
}

// FAO-56, example 18 (Uccle, 50°48'N, 100 m, 6 July) takes measured sunshine and humidity; with the temperatures and
// wind alone, by the same tables: Ra = 41.09 (example 18), Rs = 0.16 sqrt(21.5-12.3) 41.09 = 19.94, Rso = 0.752·41.09 =
// 30.90, Rns = 15.355; es = (2.564 + 1.431)/2 = 1.9975, ea = 1.431; sigma T⁴ of 21.5 and 12.3 degC is 36.96 and 32.56, mean
// 34.76; Rnl = 34.76 · (0.34 - 0.14·1.1962) · (1.35·0.6453 - 0.35) =
// 34.76·0.17253·0.52116 = 3.126; Rn = 12.23; Delta = 0.122, gamma = 0.0666 (example 18), u2 = 2.078:
// ET0 = (0.408·0.122·12.23 + 0.0666·900/289.9·2.078·0.5665)/(0.122 + 0.0666·(1 + 0.34·2.078)) = (0.6088 + 0.2434)/0.23566 = 3.616.
func TestReferenceETAsInThePaper(t *testing.T) {
	july6 := func(unit string, v float64) *series.Series {
		return toolstest.Series(unit, cftime.FrequencyDay, toolstest.Days(2001, 7, 6, 1), v)
	}
	site := args{"temperature_max": july6("degC", 21.5), "temperature_min": july6("degC", 12.3), "wind_speed": july6("m s-1", 2.078),
		"latitude": map[string]any{"latitude": 50.8, "longitude": 4.35}, "elevation": 100}
	s, res := call(t, "reference_et", site)
	near(t, "6 July", s.Values[0], 3.62, 0.02)
	near(t, "total", toolstest.Number(t, res, "total"), s.Values[0], 1e-12)
	if v := toolstest.Get(t, res, "total"); v.Unit != "mm" || s.Unit != "mm day-1" || toolstest.Text(t, res, "argmax") != "2001-07-06" {
		t.Errorf("total in %q, series in %q", v.Unit, s.Unit)
	}
	// The wind of example 18 was 10 km/h at 10 m, which is 2.078 m/s at 2 m by equation 47 (example 14: factor 0.748).
	site["wind_speed"], site["wind_height"] = july6("km h-1", 10), 10
	other, _ := call(t, "reference_et", site)
	near(t, "with the wind at 10 m", other.Values[0], s.Values[0], 0.002)
	// Kelvin and a place by name change nothing.
	site["temperature_max"], site["temperature_min"] = july6("K", 294.65), july6("K", 285.45)
	other, _ = call(t, "reference_et", site)
	near(t, "in kelvin", other.Values[0], s.Values[0], 0.002)
}

func TestReferenceETSite(t *testing.T) {
	high, low := daily("degC", 25, 26), daily("degC", 12, 13)
	base := args{"temperature_max": high, "temperature_min": low, "latitude": "Midtown"}
	fails(t, "reference_et", base, toolkits.BadArgument, "elevation")
	base["elevation"] = 10
	whole, _ := call(t, "reference_et", base)
	lat, z := 5.0, 10.0
	known := *high
	known.Latitude, known.Elevation = &lat, &z
	own, _ := call(t, "reference_et", args{"temperature_max": &known, "temperature_min": low})
	near(t, "place and height of the series", own.Values[0], whole.Values[0], 0)
	delete(base, "latitude")
	fails(t, "reference_et", base, toolkits.BadArgument, "latitude")
	// The equator and Greenwich are a place, not a place left out.
	base["latitude"] = map[string]any{"latitude": 0, "longitude": 0}
	call(t, "reference_et", base)
	base["latitude"] = map[string]any{"latitude": -80, "longitude": 0} // July is night there
	fails(t, "reference_et", base, toolkits.OutOfDomain, "sun does not rise")
	base["latitude"], base["wind_speed"] = "Midtown", daily("m s-1", 1, nan)
	fails(t, "reference_et", base, toolkits.NotEnoughData, "wind_speed")
	base["wind_speed"] = daily("m s-1", 1)
	fails(t, "reference_et", base, toolkits.BadArgument, "same days")
}

func scalar(v float64, unit string) toolkits.Value {
	return toolkits.Value{Kind: toolkits.KindNumber, Number: v, Unit: unit}
}

// The real record through every tool, with sums done here by hand over the same days.
func TestSeattleJanuary(t *testing.T) {
	cat, err := catalog.Open(data.Files, "")
	if err != nil {
		t.Fatal(err)
	}
	open := func(variable string) *series.Series {
		s, err := cat.OpenSeries(t.Context(), "seattle_weather", variable)
		if err != nil {
			t.Fatal(err)
		}
		p, err := cftime.ParsePeriod("2012-01")
		if err != nil {
			t.Fatal(err)
		}
		if s, err = s.Select(p); err != nil {
			t.Fatal(err)
		}
		return s
	}
	high, low := open("temperature_max"), open("temperature_min")
	_, res := call(t, "degree_days", args{"temperature_max": high, "temperature_min": low, "base": 18, "kind": "heating"})
	near(t, "heating", toolstest.Number(t, res, "total"), 424.75, 1e-9) // second implementation in scripts/audit
	s, _ := call(t, "reference_et", args{"temperature_max": high, "temperature_min": low, "latitude": map[string]any{"latitude": 47.6, "longitude": -122.3}, "elevation": 112.5})
	if s.Len() != 31 || s.Label(30) != "2012-01-31" {
		t.Errorf("%d days up to %s", s.Len(), s.Label(s.Len()-1))
	}
}

func ExampleToolkit() {
	for _, tool := range simulation.Toolkit() {
		fmt.Println(tool.Name)
	}
	// Output:
	// simulation.reference_et
	// simulation.scs_runoff
	// simulation.wind_power
	// simulation.degree_days
}
