package data_test

import (
	"math"
	"testing"

	"almanac/toolkits/series"
	"almanac/toolkits/toolstest"

	"pgregory.net/rapid"
)

func drawSeries(t *rapid.T) *series.Series {
	n := rapid.IntRange(3, 200).Draw(t, "n")
	values := make([]float64, n)
	for i := range values {
		values[i] = rapid.Float64Range(-50, 50).Draw(t, "value")
		if rapid.IntRange(0, 5).Draw(t, "missing") == 0 {
			values[i] = nan
		}
	}
	values[0] = 1
	return toolstest.Series("mm", "day", toolstest.Days(2000, rapid.IntRange(1, 12).Draw(t, "month"), 1, n), values...)
}

// What joins steps loses nothing: the months' sums add up to the sum, the mean of everything is the series' mean, and
// extremes stay.
func TestJoiningKeepsTotals(t *testing.T) {
	env, kit := toolstest.NewEnv(t), kit(t)
	join, stats := toolstest.Tool(t, kit, "data.aggregate_time"), toolstest.Tool(t, kit, "data.series_stats")
	joined := func(s *series.Series, by, method, of string) float64 {
		res := toolstest.Call(t, env, join, args{"data": s, "by": by, "method": method})
		return toolstest.Number(t, toolstest.Call(t, env, stats, args{"series": toolstest.Get(t, res, "data")}), of)
	}
	rapid.Check(t, func(rt *rapid.T) {
		s := drawSeries(rt)
		whole := toolstest.Call(t, env, stats, args{"series": s})
		near(t, "sum of months", joined(s, "month", "sum", "sum"), toolstest.Number(t, whole, "sum"), 1e-9)
		near(t, "mean of all", joined(s, "all", "mean", "mean"), toolstest.Number(t, whole, "mean"), 1e-9)
		near(t, "largest of seasons", joined(s, "season", "max", "max"), toolstest.Number(t, whole, "max"), 0)
		near(t, "median between", toolstest.Number(t, toolstest.Call(t, env, toolstest.Tool(t, kit, "data.percentile"), args{"series": s, "percent": 0}), "value"), toolstest.Number(t, whole, "min"), 0)
	})
}

// A trend follows a change of scale and of origin, by both methods.
func TestTrendFollowsScale(t *testing.T) {
	env, trend := toolstest.NewEnv(t), tool(t, "trend")
	rapid.Check(t, func(rt *rapid.T) {
		s := drawSeries(rt)
		if s.Valid() < 3 {
			return
		}
		a, b := rapid.Float64Range(0.1, 10).Draw(rt, "scale"), rapid.Float64Range(-5, 5).Draw(rt, "origin")
		scaled := *s
		scaled.Values = make([]float64, s.Len())
		for i, v := range s.Values {
			scaled.Values[i] = a*v + b
		}
		for _, method := range []string{"ols", "theil_sen"} {
			one := toolstest.Number(t, toolstest.Call(t, env, trend, args{"series": s, "method": method}), "slope")
			two := toolstest.Number(t, toolstest.Call(t, env, trend, args{"series": &scaled, "method": method}), "slope")
			near(t, method, two, a*one, 1e-6*max(1, math.Abs(a*one)))
		}
	})
}

// A field converted and converted back is the same.
func TestConvertThereAndBack(t *testing.T) {
	env, convert := toolstest.NewEnv(t), tool(t, "convert_units")
	rapid.Check(t, func(rt *rapid.T) {
		s := drawSeries(rt)
		units := rapid.SampledFrom([][2]string{{"mm", "inch"}, {"degC", "degF"}, {"m s-1", "knot"}, {"hPa", "Pa"}}).Draw(rt, "units")
		s.Unit = units[0]
		there := toolstest.Call(t, env, convert, args{"value": s, "to": units[1]})
		back := toolstest.Call(t, env, convert, args{"value": toolstest.Get(t, there, "value"), "to": units[0]})
		for i, v := range toolstest.Artifact[*series.Series](t, env, back, "value").Values {
			if math.IsNaN(v) != math.IsNaN(s.Values[i]) || math.Abs(v-s.Values[i]) > 1e-9 {
				t.Fatalf("%v %s came back as %v", s.Values[i], units[0], v)
			}
		}
	})
}
