package verification_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"almanac/toolkits"
	"almanac/toolkits/artifact"
	"almanac/toolkits/cftime"
	"almanac/toolkits/table"
	"almanac/toolkits/toolstest"
	"almanac/toolkits/vector"
	"almanac/toolkits/verification"

	"github.com/paulmach/orb"
)

type args = toolstest.Args

var nan = math.NaN()

func tool(t testing.TB, name string) *toolkits.Tool {
	t.Helper()
	return toolstest.Tool(t, verification.Toolkit(), "verification."+name)
}

func scalar(v float64, unit string) *artifact.Scalar {
	return &artifact.Scalar{Value: v, Type: artifact.Number, Unit: unit}
}

func difference(v float64, unit string) *artifact.Scalar {
	return &artifact.Scalar{Value: v, Type: artifact.Number, Unit: unit, Difference: true}
}

type checkCase struct {
	name string
	args args
	pass bool
	says string
}

func runChecks(t *testing.T, check string, cases []checkCase) {
	t.Helper()
	env := toolstest.NewEnv(t)
	for _, c := range cases {
		res := toolstest.Call(t, env, tool(t, check), c.args)
		passed, reason := toolstest.Get(t, res, "passed").Bool, toolstest.Text(t, res, "reason")
		if passed != c.pass || !strings.Contains(reason, c.says) {
			t.Errorf("%s: passed %v because %q, want %v because of %q", c.name, passed, reason, c.pass, c.says)
		}
	}
}

func TestToolsAreChecks(t *testing.T) {
	for _, tool := range verification.Toolkit() {
		if want := tool.Name != "verification.error_scores"; tool.Check != want {
			t.Errorf("%s: is a check: %v", tool.Name, tool.Check)
		}
	}
}

func TestInRange(t *testing.T) {
	runChecks(t, "in_range", []checkCase{
		{"inside", args{"value": scalar(15, "degC"), "low": -2, "high": 40}, true, "15 degC"},
		{"on the lower bound", args{"value": scalar(-2, "degC"), "low": -2, "high": 40}, true, ""},
		{"on the upper bound", args{"value": scalar(40, "degC"), "low": -2, "high": 40}, true, ""},
		{"above", args{"value": scalar(40.5, "degC"), "low": -2, "high": 40}, false, "above 40 degC"},
		{"below", args{"value": scalar(-2.5, "degC"), "low": -2, "high": 40}, false, "below -2 degC"},
		{"zero is a number", args{"value": scalar(0, "1"), "low": 0, "high": 0}, true, "0"},
		// 288.15 K is 15 degC; the bounds 280 and 290 K are 6.85 and 16.85 degC.
		{"bounds in another unit", args{"value": scalar(15, "degC"), "low": scalar(280, "K"), "high": scalar(290, "K")}, true, "6.85 degC"},
		{"kelvin is not Celsius", args{"value": scalar(288.15, "K"), "low": scalar(0, "degC"), "high": scalar(20, "degC")}, true, "288.15 K"},
	})
	env := toolstest.NewEnv(t)
	toolstest.Fails(t, env, tool(t, "in_range"), args{"value": scalar(1, "m"), "low": 2, "high": 1}, toolkits.BadArgument)
	toolstest.Fails(t, env, tool(t, "in_range"), args{"value": scalar(1, "m"), "low": scalar(0, "s"), "high": 1}, toolkits.BadUnit)
}

func TestUnitIs(t *testing.T) {
	days := toolstest.Series("mm", "day", toolstest.Days(2001, 1, 1, 2), 1, 2)
	runChecks(t, "unit_is", []checkCase{
		{"same", args{"value": scalar(1, "degC"), "unit": "degC"}, true, "degC"},
		{"same, spelled differently", args{"value": scalar(1, "m s-1"), "unit": "m/s"}, true, ""},
		{"same dimension", args{"value": scalar(1, "K"), "unit": "degC"}, false, "convert_units"},
		{"other dimension", args{"value": days, "unit": "m2"}, false, "dimension"},
		{"series", args{"value": days, "unit": "millimeter"}, true, "mm"},
	})
}

func TestRecompute(t *testing.T) {
	runChecks(t, "recompute", []checkCase{
		{"equal", args{"value": scalar(100, "km"), "other": scalar(100000, "m")}, true, "differ by 0"},
		{"within one percent", args{"value": scalar(100, "km"), "other": scalar(99.5, "km")}, true, "0.005"},
		{"exactly on the tolerance", args{"value": scalar(100, "km"), "other": scalar(75, "km"), "tolerance": 0.25}, true, "0.25"},
		{"beyond", args{"value": scalar(100, "km"), "other": scalar(98, "km")}, false, "0.02"},
		{"two zeros", args{"value": scalar(0, "mm"), "other": scalar(0, "mm"), "tolerance": 0}, true, ""},
		{"opposite signs", args{"value": scalar(1, "mm"), "other": scalar(-1, "mm"), "tolerance": 1}, false, "2"},
		// 0.1 and -0.1 degC are 273.25 and 273.05 K: a share of 0.00073.
		{"temperatures count in kelvin", args{"value": scalar(0.1, "degC"), "other": scalar(-0.1, "degC")}, true, "0.00073"},
		{"differences do not", args{"value": difference(0.1, "degC"), "other": difference(-0.1, "degC")}, false, "2"},
		{"a temperature is no difference", args{"value": scalar(5, "degC"), "other": difference(5, "degC")}, false, "difference of temperatures"},
	})
}

func TestNonEmpty(t *testing.T) {
	lon, lat := toolstest.Axis(0.5, 1, 2), toolstest.Axis(0.5, 1, 1)
	runChecks(t, "non_empty", []checkCase{
		{"one cell", args{"data": toolstest.Raster(lon, lat, nil, nan, 0)}, true, "1 of 2"},
		{"no cell", args{"data": toolstest.Raster(lon, lat, nil, nan, nan)}, false, "0 of 2"},
		{"zero is a value", args{"data": toolstest.Series("mm", "day", toolstest.Days(2001, 1, 1, 1), 0)}, true, "1 steps"},
		{"all missing", args{"data": toolstest.Series("mm", "day", toolstest.Days(2001, 1, 1, 1), nan)}, false, "0 of 1"},
		{"no rows", args{"data": &table.Table{}}, false, "0 rows"},
		{"features", args{"data": toolstest.Zone(toolstest.BoxPolygon(0, 0, 1, 1))}, true, "1 features"},
		{"no shapes", args{"data": toolstest.Zone(orb.MultiPolygon{})}, false, "0 of 1"},
	})
}

func TestCoversRegion(t *testing.T) {
	r := toolstest.Raster(toolstest.Axis(0.5, 1, 10), toolstest.Axis(0.5, 1, 10), nil, make([]float64, 100)...)
	for i := range 50 {
		r.Values[i] = nan // the southern half, 0 to 5 N
	}
	west := func(w, s, e, n float64) map[string]any {
		return map[string]any{"west": w, "south": s, "east": e, "north": n}
	}
	seam := toolstest.Raster(toolstest.Axis(0.5, 1, 360), toolstest.Axis(-9.5, 1, 20), nil, make([]float64, 7200)...)
	runChecks(t, "covers_region", []checkCase{
		{"inside", args{"raster": r, "zones": "Boxland"}, true, "49.8 %"}, // (sin 10° - sin 5°)/sin 10° = 0.498
		{"a place name of an area elsewhere", args{"raster": r, "zones": "Farland"}, false, "outside"},
		{"half outside", args{"raster": r, "zones": west(5, 6, 15, 8)}, false, "50.0 %"},
		{"only missing cells", args{"raster": r, "zones": west(1, 1, 3, 3)}, false, "no cell"},
		{"smaller than a cell", args{"raster": r, "zones": west(1.2, 7.2, 1.4, 7.4)}, true, "100.0 %"},
		{"over the antimeridian on 0 to 360", args{"raster": seam, "zones": west(170, -5, -170, 5)}, true, "100.0 %"},
		{"over Greenwich on 0 to 360", args{"raster": seam, "zones": west(-10, -5, 10, 5)}, true, "100.0 %"},
	})
	env := toolstest.NewEnv(t)
	toolstest.Fails(t, env, tool(t, "covers_region"), args{"raster": r, "zones": toolstest.Zone(orb.Point{1, 1})}, toolkits.BadArgument)
	other := &vector.Features{CRS: "EPSG:3857", Features: toolstest.Zone(toolstest.BoxPolygon(1e6, 1e6, 2e6, 2e6)).Features}
	toolstest.Fails(t, env, tool(t, "covers_region"), args{"raster": r, "zones": other}, toolkits.BadCRS)
}

func TestCoversPeriod(t *testing.T) {
	months := toolstest.Series("degC", cftime.FrequencyMonth, toolstest.Months(2001, 1, 26), make([]float64, 26)...)
	hole := toolstest.Series("degC", cftime.FrequencyMonth, toolstest.Months(2001, 1, 26), make([]float64, 26)...)
	hole.Values[5] = nan
	absent := months.SelectSteps([]int{0, 1, 2, 4, 5})
	clim := toolstest.Series("degC", cftime.FrequencyClimatologicalMonth, toolstest.Months(2001, 6, 2), 1, 2)
	days := toolstest.Series("mm", cftime.FrequencyDay, toolstest.Days(2000, 2, 1, 29), make([]float64, 29)...)
	weird := toolstest.Series("mm", cftime.FrequencyIrregular, toolstest.Days(2000, 2, 1, 2), 1, 2)
	lon, lat := toolstest.Axis(0.5, 1, 1), toolstest.Axis(0.5, 1, 1)
	raster := toolstest.Raster(lon, lat, toolstest.Months(2001, 1, 12), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, nan)
	runChecks(t, "covers_period", []checkCase{
		{"whole years", args{"data": months, "period": "2001/2002"}, true, "all 24 steps"},
		{"a day within a month", args{"data": months, "period": "2003-02-28"}, true, "all 1 steps"},
		{"ends too early", args{"data": months, "period": "2001/2003"}, false, "ends with 2003-02"},
		{"starts too late", args{"data": months, "period": "DJF 2001"}, false, "starts at 2001-01"},
		{"elsewhere", args{"data": months, "period": "1999"}, false, "no step"},
		{"a missing value", args{"data": hole, "period": "2001"}, false, "2001-06"},
		{"around the missing value", args{"data": hole, "period": "2001-07/2001-12"}, true, "all 6"},
		{"an absent step", args{"data": absent, "period": "2001-01/2001-06"}, false, "between 2001-03 and 2001-05"},
		{"a leap February", args{"data": days, "period": "2000-02"}, true, "all 29"},
		{"years of a climatology", args{"data": clim, "period": "2001-06"}, false, "climatology"},
		{"months of a climatology", args{"data": clim, "period": "June"}, true, "all 1"},
		{"months that it lacks", args{"data": clim, "period": "JJA"}, false, "August"},
		{"months of every year", args{"data": months, "period": "JJA"}, true, "all 6"},
		{"a field", args{"data": raster, "period": "2001-01/2001-11"}, true, "all 11"},
		{"a field without a value", args{"data": raster, "period": "2001"}, false, "2001-12"},
	})
	env := toolstest.NewEnv(t)
	toolstest.Fails(t, env, tool(t, "covers_period"), args{"data": weird, "period": "2000"}, toolkits.Unsupported)
	toolstest.Fails(t, env, tool(t, "covers_period"), args{"data": days, "period": "2000-02-30"}, toolkits.BadArgument)
}

func TestFieldE01EmptyIsNoSuccess(t *testing.T) {
	// An ENSO box that meets no cell must not count as covered, nor its NaN as a value.
	r := toolstest.Raster(toolstest.Axis(1, 2, 180), toolstest.Axis(-9, 2, 10), nil, make([]float64, 1800)...)
	runChecks(t, "covers_region", []checkCase{
		{"Nino 3.4 on 0 to 360", args{"raster": r, "zones": map[string]any{"west": -170, "south": -5, "east": -120, "north": 5}}, true, "100.0 %"},
		{"poleward of the grid", args{"raster": r, "zones": map[string]any{"west": -170, "south": 30, "east": -120, "north": 40}}, false, "outside"},
	})
}

// Example shows a check; a schedule writes it as check verification.in_range(value=x, low=0, high=40).
func Example() {
	for _, tool := range verification.Toolkit() {
		if tool.Check {
			fmt.Println(tool.Name)
		}
	}
	// Output:
	// verification.in_range
	// verification.unit_is
	// verification.non_empty
	// verification.covers_region
	// verification.covers_period
	// verification.recompute
}
