package forecast_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"almanac/scenarios/data"
	"almanac/toolkits"
	"almanac/toolkits/catalog"
	"almanac/toolkits/cftime"
	"almanac/toolkits/forecast"
	"almanac/toolkits/series"
	"almanac/toolkits/toolstest"

	"pgregory.net/rapid"
)

type args = toolstest.Args

var nan = math.NaN()

func tool(t testing.TB, name string) *toolkits.Tool {
	t.Helper()
	return toolstest.Tool(t, forecast.Toolkit(), "forecast."+name)
}

func near(t testing.TB, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s: got %v, want %v ± %g", what, got, want, tolerance)
	}
}

func months(year, month int, values ...float64) *series.Series {
	return toolstest.Series("degC", cftime.FrequencyMonth, toolstest.Months(year, month, len(values)), values...)
}

// run makes a forecast and returns its series.
func run(t testing.TB, name string, a args) (*series.Series, *toolkits.Result) {
	t.Helper()
	env := toolstest.NewEnv(t)
	res := toolstest.Call(t, env, tool(t, name), a)
	return toolstest.Artifact[*series.Series](t, env, res, "series"), res
}

func TestPersistence(t *testing.T) {
	s, res := run(t, "persistence", args{"series": months(2001, 10, 1, 2, 7, nan), "steps": 3})
	if got := s.PeriodLabel(); got != "2002-02/2002-04" {
		t.Errorf("the future of a series up to 2002-01 is %s", got)
	}
	for _, f := range []string{"first", "last", "mean", "max", "min"} {
		near(t, f, toolstest.Number(t, res, f), 7, 0)
	}
	if got := toolstest.Text(t, res, "argmax"); got != "2002-02" {
		t.Errorf("argmax %s: the first of equal ones is 2002-02", got)
	}
	if s.Unit != "degC" || s.Frequency != cftime.FrequencyMonth || s.Calendar != cftime.Standard {
		t.Errorf("the forecast is in %s, by %s, calendar %s", s.Unit, s.Frequency, s.Calendar)
	}
	s, _ = run(t, "persistence", args{"series": toolstest.Series("mm", cftime.FrequencyDay, toolstest.Days(2000, 2, 27, 2), 3, 0), "steps": 2})
	if s.PeriodLabel() != "2000-02-29/2000-03-01" || s.Values[0] != 0 {
		t.Errorf("%s, %v: a last value of zero is a value", s.PeriodLabel(), s.Values)
	}
}

func TestClimatology(t *testing.T) {
	// Two years and a half: means of July 1 and 3, August 5 and missing, September 2 and 4 … of the two Julys.
	values := make([]float64, 27)
	for i := range values {
		values[i] = 10
	}
	values[0], values[12], values[24] = 1, 3, 8   // July: mean 4
	values[1], values[13], values[25] = 5, nan, 0 // August: mean 2.5, zero being a value
	s, res := run(t, "climatology", args{"series": months(2001, 7, values...), "steps": 12})
	if got := s.PeriodLabel(); got != "2003-10/2004-09" {
		t.Errorf("the future is %s", got)
	}
	near(t, "first", toolstest.Number(t, res, "first"), 10, 0)
	near(t, "July", s.Values[9], 4, 1e-12)
	near(t, "August", s.Values[10], 2.5, 1e-12)
	near(t, "min", toolstest.Number(t, res, "min"), 2.5, 1e-12)
	near(t, "mean", toolstest.Number(t, res, "mean"), (10*10+4+2.5)/12, 1e-12)
	// Days: 2 January 2002 is the mean of 2 January 2000 and 2001.
	times := append(toolstest.Days(2000, 1, 1, 366), toolstest.Days(2001, 1, 1, 365)...)
	daily := make([]float64, len(times))
	daily[1], daily[367] = 4, 6
	s, _ = run(t, "climatology", args{"series": toolstest.Series("mm", cftime.FrequencyDay, times, daily...), "steps": 2})
	if s.Label(1) != "2002-01-02" || s.Values[1] != 5 {
		t.Errorf("%s has %v", s.Label(1), s.Values[1])
	}
}

func TestClimatologyNeverMovesTheLeapDay(t *testing.T) {
	env := toolstest.NewEnv(t)
	year := toolstest.Series("mm", cftime.FrequencyDay, toolstest.Days(2003, 1, 1, 365), make([]float64, 365)...)
	text := toolstest.Fails(t, env, tool(t, "climatology"), args{"series": year, "steps": 60}, toolkits.NotEnoughData)
	if !strings.Contains(text, "2004-02-29") {
		t.Errorf("%q does not name the day", text)
	}
	toolstest.Call(t, env, tool(t, "climatology"), args{"series": year, "steps": 59})
}

func TestTrendForecast(t *testing.T) {
	// Days 0, 1, 3 with 1, 2, 6: means 4/3 and 3; slope = Σdxdy/Σdx² with dx -4/3, -1/3, 5/3 and dy -2, -1, 3:
	// (8/3 + 1/3 + 5)/(16/9 + 1/9 + 25/9) = 8/(42/9) = 12/7. At day 4: 3 + 12/7·(4 - 4/3) = 3 + 32/7.
	s := toolstest.Series("mm", cftime.FrequencyDay, toolstest.Days(2001, 1, 1, 4), 1, 2, nan, 6)
	f, res := run(t, "trend_forecast", args{"series": s, "steps": 2})
	near(t, "first", toolstest.Number(t, res, "first"), 3+32.0/7, 1e-12)
	near(t, "last", toolstest.Number(t, res, "last"), 3+44.0/7, 1e-12)
	if got := toolstest.Text(t, res, "argmax"); got != "2001-01-06" || f.Len() != 2 {
		t.Errorf("argmax %s, %d steps", got, f.Len())
	}
	// By the series' own time: a year of 360 days has equal months.
	var times []cftime.Time
	for m := 1; m <= 4; m++ {
		times = append(times, cftime.Time{Year: 2001, Month: m, Day: 30, Calendar: cftime.Day360})
	}
	_, res = run(t, "trend_forecast", args{"series": toolstest.Series("m", cftime.FrequencyMonth, times, 1, 2, 3, 4), "steps": 9})
	near(t, "360 days", toolstest.Number(t, res, "last"), 13, 1e-9)
}

func TestFutureKeepsMonthsApart(t *testing.T) {
	// Months dated on their last day: the future must not skip February nor repeat March.
	times := []cftime.Time{{Year: 2001, Month: 11, Day: 30, Calendar: cftime.Standard}, {Year: 2001, Month: 12, Day: 31, Calendar: cftime.Standard}}
	s, _ := run(t, "persistence", args{"series": toolstest.Series("mm", cftime.FrequencyMonth, times, 1, 2), "steps": 14})
	for i := range s.Values {
		if want := fmt.Sprintf("%04d-%02d", 2002+i/12, i%12+1); s.Label(i) != want {
			t.Errorf("step %d is %s, want %s", i, s.Label(i), want)
		}
	}
}

func TestFutureContinuesTheAxis(t *testing.T) {
	frequencies := []string{cftime.FrequencyHour, cftime.FrequencyDay, cftime.FrequencyWeek, cftime.FrequencyMonth, cftime.FrequencySeason, cftime.FrequencyYear}
	calendars := []string{cftime.Standard, cftime.NoLeap, cftime.Day360, cftime.AllLeap, cftime.Julian}
	env := toolstest.NewEnv(t)
	rapid.Check(t, func(r *rapid.T) {
		start := cftime.Time{
			Year: rapid.IntRange(1900, 2100).Draw(r, "year"), Month: rapid.IntRange(1, 12).Draw(r, "month"),
			Day: rapid.IntRange(1, 28).Draw(r, "day"), Calendar: rapid.SampledFrom(calendars).Draw(r, "calendar"),
		}
		frequency := rapid.SampledFrom(frequencies).Draw(r, "frequency")
		s := toolstest.Series("mm", frequency, []cftime.Time{start}, 1)
		res, err := toolstest.Try(t, env, tool(t, "persistence"), args{"series": s, "steps": rapid.IntRange(2, 60).Draw(r, "steps")})
		if err != nil {
			r.Fatal(err)
		}
		f := toolstest.Artifact[*series.Series](t, env, res, "series")
		if err := f.Validate(); err != nil {
			r.Fatal(err)
		}
		whole := append([]cftime.Time{start}, f.Times...)
		if got := cftime.InferFrequency(whole); got != frequency {
			r.Fatalf("%s from %s on is %s", frequency, start, got)
		}
	})
}

func TestHoltWintersContinuesWhatIsExact(t *testing.T) {
	// A line of 0.5 a step with a season of 4: 3, -1, 0, -2. The start is exact, so every one-step error is zero and
	// the forecast is the same line and season.
	season := []float64{3, -1, 0, -2}
	values := make([]float64, 18)
	for i := range values {
		values[i] = 20 + 0.5*float64(i) + season[i%4]
	}
	f, _ := run(t, "holt_winters", args{"series": months(2001, 1, values...), "steps": 7, "season_length": 4})
	for h, got := range f.Values {
		i := len(values) + h
		near(t, fmt.Sprintf("step %d", h), got, 20+0.5*float64(i)+season[i%4], 1e-9)
	}
	if f.PeriodLabel() != "2002-07/2003-01" {
		t.Errorf("the future is %s", f.PeriodLabel())
	}
}

func TestHoltWintersMissing(t *testing.T) {
	values := make([]float64, 26)
	for i := range values {
		values[i] = float64(i % 12)
	}
	env := toolstest.NewEnv(t)
	values[0] = nan // before the first value: passed over
	toolstest.Call(t, env, tool(t, "holt_winters"), args{"series": months(2001, 1, values...), "steps": 1})
	values[7] = nan
	if text := toolstest.Fails(t, env, tool(t, "holt_winters"), args{"series": months(2001, 1, values...), "steps": 1}, toolkits.NotEnoughData); !strings.Contains(text, "2001-08") {
		t.Errorf("%q does not name the gap", text)
	}
	whole := months(2001, 1, make([]float64, 30)...)
	keep := []int{}
	for i := range 30 {
		if i != 10 {
			keep = append(keep, i)
		}
	}
	toolstest.Fails(t, env, tool(t, "holt_winters"), args{"series": whole.SelectSteps(keep), "steps": 1}, toolkits.NotEnoughData)
}

func TestErrors(t *testing.T) {
	env := toolstest.NewEnv(t)
	clim := toolstest.Series("degC", cftime.FrequencyClimatologicalMonth, toolstest.Months(2001, 1, 12), make([]float64, 12)...)
	odd := toolstest.Series("degC", cftime.FrequencyIrregular, toolstest.Days(2001, 1, 1, 3), 1, 2, 3)
	lost := months(2001, 1, nan, nan, nan)
	daily := toolstest.Series("degC", cftime.FrequencyDay, toolstest.Days(2001, 1, 1, 40), make([]float64, 40)...)
	for name, c := range map[string]struct {
		tool string
		args args
		code toolkits.Code
	}{
		"climatological year":        {"persistence", args{"series": clim, "steps": 1}, toolkits.Unsupported},
		"irregular":                  {"trend_forecast", args{"series": odd, "steps": 1}, toolkits.Unsupported},
		"all missing":                {"persistence", args{"series": lost, "steps": 1}, toolkits.NotEnoughData},
		"two values, no line":        {"trend_forecast", args{"series": months(2001, 1, 1, nan, 2), "steps": 1}, toolkits.NotEnoughData},
		"no such month":              {"climatology", args{"series": months(2001, 1, 1, 2), "steps": 1}, toolkits.NotEnoughData},
		"less than two seasons":      {"holt_winters", args{"series": months(2001, 1, make([]float64, 23)...), "steps": 1}, toolkits.NotEnoughData},
		"days without season length": {"holt_winters", args{"series": daily, "steps": 1}, toolkits.BadArgument},
		"no steps":                   {"persistence", args{"series": daily, "steps": 0}, toolkits.BadArgument},
		"labelled kelvin":            {"persistence", args{"series": toolstest.Series("K", cftime.FrequencyDay, toolstest.Days(2001, 1, 1, 2), 26, 27), "steps": 1}, toolkits.OutOfDomain},
	} {
		t.Run(name, func(t *testing.T) { toolstest.Fails(t, env, tool(t, c.tool), c.args, c.code) })
	}
}

func TestFieldE24RunningTotals(t *testing.T) {
	hours := toolstest.Days(2001, 1, 1, 3)
	s := toolstest.Series("mm", cftime.FrequencyHour, hours, 0.5, 1.2, 1.2)
	s.CellMethods = "time: sum"
	start := hours[0]
	for i := range hours {
		s.Times[i] = start.AddSeconds(float64(3600 * (i + 1)))
		s.TimeEdges = append(s.TimeEdges, [2]cftime.Time{start, s.Times[i]})
	}
	toolstest.Fails(t, toolstest.NewEnv(t), tool(t, "persistence"), args{"series": s, "steps": 1}, toolkits.Unsupported)
}

// The El Niño months of the tasks: of 1997 the no-change forecast from December 1996 on, and the usual year.
func TestRealRecord(t *testing.T) {
	cat, err := catalog.Open(data.Files, "")
	if err != nil {
		t.Fatal(err)
	}
	whole, err := cat.OpenSeries(t.Context(), "el_nino_sst", "sst")
	if err != nil {
		t.Fatal(err)
	}
	past, err := whole.Select(period(t, "1978/1997"))
	if err != nil {
		t.Fatal(err)
	}
	f, _ := run(t, "climatology", args{"series": past, "steps": 12})
	sum := 0.0
	for i := range past.Values {
		if past.Times[i].Month == 3 {
			sum += past.Values[i] / 20
		}
	}
	near(t, "March", f.Values[2], sum, 1e-9)
	if f.PeriodLabel() != "1998-01/1998-12" {
		t.Errorf("the future is %s", f.PeriodLabel())
	}
	hw, _ := run(t, "holt_winters", args{"series": past, "steps": 12})
	for i, v := range hw.Values {
		near(t, "Holt-Winters", v, f.Values[i], 6) // the sea off Peru stays within 6 degrees of the usual
	}
}

func period(t testing.TB, text string) cftime.Period {
	t.Helper()
	p, err := cftime.ParsePeriod(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func ExampleToolkit() {
	for _, tool := range forecast.Toolkit() {
		fmt.Println(tool.Name)
	}
	// Output:
	// forecast.persistence
	// forecast.climatology
	// forecast.trend_forecast
	// forecast.holt_winters
}
