//go:build oracles

package verification_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"almanac/internal/oracle"
	"almanac/toolkits"
	"almanac/toolkits/cftime"
	"almanac/toolkits/series"
	"almanac/toolkits/toolstest"
)

type scoreCase struct {
	Forecast     map[string]*float64 `json:"forecast"`
	Observed     map[string]*float64 `json:"observed"`
	UnitForecast string              `json:"unit_forecast"`
	UnitObserved string              `json:"unit_observed"`

	forecast, observed *series.Series
}

type rangeCase struct {
	Value  float64 `json:"value"`
	Unit   string  `json:"unit"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	Bounds string  `json:"bounds_unit"`
}

type sameCase struct {
	A         float64 `json:"a"`
	B         float64 `json:"b"`
	Tolerance float64 `json:"tolerance"`
}

type regionCase struct {
	Grid [4]float64 `json:"grid"`
	Zone [4]float64 `json:"zone"`
}

type periodCase struct {
	Start     string     `json:"start"`
	Frequency string     `json:"frequency"`
	Values    []*float64 `json:"values"`
	From      string     `json:"from"`
	To        string     `json:"to"`

	series *series.Series
}

type questions struct {
	Scores  []scoreCase  `json:"scores"`
	Ranges  []rangeCase  `json:"ranges"`
	Units   [][2]string  `json:"units"`
	Same    []sameCase   `json:"same"`
	Regions []regionCase `json:"regions"`
	Periods []periodCase `json:"periods"`
	Empty   [][]*float64 `json:"empty"`
}

type answers struct {
	Scores []*struct {
		RMSE, MAE, Bias float64
		Correlation     *float64
		Count           float64
	} `json:"scores"`
	Ranges, Units, Same, Regions, Periods, Empty []bool
}

// holed draws values, some missing.
func holed(r *rand.Rand, n int, holes float64, draw func() float64) (values []float64, plain []*float64) {
	for range n {
		v := draw()
		if r.Float64() < holes {
			values, plain = append(values, math.NaN()), append(plain, nil)
			continue
		}
		values, plain = append(values, v), append(plain, &v)
	}
	return values, plain
}

func drawScores(r *rand.Rand, k int) scoreCase {
	c := scoreCase{Forecast: map[string]*float64{}, Observed: map[string]*float64{}, UnitForecast: []string{"degC", "K", "degF"}[k%3], UnitObserved: []string{"degC", "K"}[k%2]}
	offset := map[string]float64{"degC": 10, "K": 283, "degF": 50}
	make := func(unit string, month int, into map[string]*float64) *series.Series {
		values, plain := holed(r, 1+r.IntN(40), 0.2, func() float64 { return offset[unit] + 5*r.NormFloat64() })
		if k%5 == 0 { // persistence
			for i := range values {
				if unit == c.UnitForecast && plain[i] != nil {
					values[i], plain[i] = offset[unit], &[]float64{offset[unit]}[0]
				}
			}
		}
		s := months(unit, month, values...)
		for i := range values {
			into[s.Label(i)] = plain[i]
		}
		return s
	}
	c.forecast, c.observed = make(c.UnitForecast, 1+r.IntN(12), c.Forecast), make(c.UnitObserved, 1+r.IntN(12), c.Observed)
	return c
}

func drawPeriod(r *rand.Rand, k int) periodCase {
	c := periodCase{Start: "2003-11-01", Frequency: []string{"MS", "D"}[k%2]}
	n := 20 + r.IntN(100)
	values, plain := holed(r, n, 0.02, r.NormFloat64)
	times, frequency := toolstest.Months(2003, 11, n), cftime.FrequencyMonth
	if c.Frequency == "D" {
		times, frequency = toolstest.Days(2003, 11, 1, n), cftime.FrequencyDay
	}
	c.Values, c.series = plain, toolstest.Series("mm", frequency, times, values...)
	from := r.IntN(n)
	to := from + r.IntN(30)
	label := func(i int) string {
		if c.Frequency == "D" {
			return times[0].AddDays(i).Label(frequency)
		}
		t, _ := times[0].AddMonths(i)
		return t.Label(frequency)
	}
	c.From, c.To = label(from-r.IntN(2)), label(to)
	return c
}

func drawAll() questions {
	r := rand.New(rand.NewPCG(8, 9))
	q := questions{Units: [][2]string{
		{"m s-1", "m/s"}, {"degC", "K"}, {"degC", "celsius"}, {"mm", "m"}, {"km2", "km^2"}, {"hPa", "mbar"}, {"1", "%"}, {"kg m-2 s-1", "kg/m2/s"},
		{"day", "h"}, {"W", "J s-1"}, {"m", "metre"}, {"g kg-1", "1e-3"}, {"K", "degF"}, {"mm day-1", "mm/day"}, {"Pa", "N m-2"}, {"ppm", "1e-6"},
		{"s", "sec"}, {"km h-1", "m s-1"}, {"kW h", "J"}, {"degree", "radian"},
	}}
	for k := range 30 {
		q.Scores = append(q.Scores, drawScores(r, k))
		q.Periods = append(q.Periods, drawPeriod(r, k))
		low := -20 + 40*r.Float64()
		q.Ranges = append(q.Ranges, rangeCase{300 * r.Float64(), []string{"K", "degC"}[k%2], low, low + 200*r.Float64(), []string{"degC", "degF", "K"}[k%3]})
		a := r.NormFloat64()
		q.Same = append(q.Same, sameCase{a, a * (1 + 0.02*r.NormFloat64()), []float64{0.01, 0.02, 0}[k%3]})
		corner := func(span float64) [4]float64 {
			w, s := -40+40*r.Float64(), -40+40*r.Float64()
			return [4]float64{w, s, w + 1 + span*r.Float64(), s + 1 + span*r.Float64()}
		}
		q.Regions = append(q.Regions, regionCase{[4]float64{-30, -30, 30, 30}, corner(40)})
		_, plain := holed(r, 1+r.IntN(3), 0.6, func() float64 { return 0 })
		q.Empty = append(q.Empty, plain)
	}
	q.Regions = append(q.Regions, regionCase{[4]float64{-30, -30, 30, 30}, [4]float64{-30, -30, 30, 30}}, regionCase{[4]float64{-30, -30, 30, 30}, [4]float64{-30.005, 0, 0, 10}})
	q.Same = append(q.Same, sameCase{0, 0, 0}, sameCase{1, -1, 1})
	return q
}

// asked returns what a check said.
func asked(t *testing.T, env *toolkits.Env, check string, a args) bool {
	t.Helper()
	return toolstest.Get(t, toolstest.Call(t, env, tool(t, check), a), "passed").Bool
}

func TestOracleChecks(t *testing.T) {
	q := drawAll()
	var want answers
	oracle.Run(t, "scripts/oracles/verification.py", q, &want)
	env := toolstest.NewEnv(t)
	agree := func(what string, k int, got, want bool) {
		if got != want {
			t.Errorf("%s, case %d: passed %v, want %v", what, k, got, want)
		}
	}
	for k, c := range q.Ranges {
		agree("in_range", k, asked(t, env, "in_range", args{"value": scalar(c.Value, c.Unit), "low": scalar(c.Low, c.Bounds), "high": scalar(c.High, c.Bounds)}), want.Ranges[k])
	}
	for k, c := range q.Units {
		agree("unit_is "+c[0]+" "+c[1], k, asked(t, env, "unit_is", args{"value": scalar(1, c[0]), "unit": c[1]}), want.Units[k])
	}
	for k, c := range q.Same {
		agree("recompute", k, asked(t, env, "recompute", args{"value": scalar(c.A, "m"), "other": scalar(c.B, "m"), "tolerance": c.Tolerance}), want.Same[k])
	}
	r := toolstest.Raster(toolstest.Axis(-29.5, 1, 60), toolstest.Axis(-29.5, 1, 60), nil, make([]float64, 3600)...)
	for k, c := range q.Regions {
		box := map[string]any{"west": c.Zone[0], "south": c.Zone[1], "east": c.Zone[2], "north": c.Zone[3]}
		agree("covers_region", k, asked(t, env, "covers_region", args{"raster": r, "zones": box}), want.Regions[k])
	}
	for k, c := range q.Periods {
		agree("covers_period "+c.From+" "+c.To, k, asked(t, env, "covers_period", args{"data": c.series, "period": c.From + "/" + c.To}), want.Periods[k])
	}
	for k, plain := range q.Empty {
		values := make([]float64, len(plain))
		for i := range plain {
			if values[i] = math.NaN(); plain[i] != nil {
				values[i] = *plain[i]
			}
		}
		agree("non_empty", k, asked(t, env, "non_empty", args{"data": months("mm", 1, values...)}), want.Empty[k])
	}
}

func TestOracleScores(t *testing.T) {
	q := drawAll()
	var want answers
	oracle.Run(t, "scripts/oracles/verification.py", q, &want)
	env := toolstest.NewEnv(t)
	for k, c := range q.Scores {
		a := args{"forecast": c.forecast, "observed": c.observed}
		w := want.Scores[k]
		if w == nil {
			toolstest.Fails(t, env, tool(t, "error_scores"), a, toolkits.EmptySelection)
			continue
		}
		res := toolstest.Call(t, env, tool(t, "error_scores"), a)
		for name, v := range map[string]float64{"rmse": w.RMSE, "mae": w.MAE, "bias": w.Bias, "count": w.Count} {
			if got := toolstest.Number(t, res, name); math.Abs(got-v) > 1e-9*math.Max(1, math.Abs(v)) {
				t.Errorf("case %d: %s is %v, scores says %v", k, name, got, v)
			}
		}
		got, ok := res.Get("correlation")
		if ok != (w.Correlation != nil) || ok && math.Abs(got.Number-*w.Correlation) > 1e-9 {
			t.Errorf("case %d: correlation %v (%v), scores says %v", k, got.Number, ok, w.Correlation)
		}
	}
}
