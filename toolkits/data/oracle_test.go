//go:build oracles

package data_test

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

type seriesCase struct {
	Start     string     `json:"start"`
	Freq      string     `json:"freq"`
	Values    []*float64 `json:"values"`
	Percent   float64    `json:"percent"`
	Threshold float64    `json:"threshold"`

	series *series.Series
}

type seriesAnswer struct {
	Stats                     map[string]float64
	Percentile                float64
	Events                    map[string][2]float64
	OLS                       [2]float64 `json:"ols"`
	TheilSen                  [2]float64 `json:"theil_sen"`
	Monthly, Seasonal, Yearly map[string][]*float64
	Anomaly, Standardized     []*float64
}

// seriesCases are 24 seeded series: daily and monthly, with trends, ties, gaps, whole months missing; thresholds that
// values meet exactly.
func seriesCases() []seriesCase {
	rng := rand.New(rand.NewPCG(11, 4))
	var out []seriesCase
	for i := range 24 {
		n, freq, name := 150+rng.IntN(600), "D", "day"
		times := toolstest.Days(1999+i%3, 1, 1, n)
		if i%2 == 1 {
			n, freq, name = 30+rng.IntN(200), "MS", "month"
			times = toolstest.Months(1980+i, 1, n)
		}
		c := seriesCase{Start: times[0].String(), Freq: freq, Percent: float64(rng.IntN(1001)) / 10}
		values := make([]float64, n)
		for k := range values {
			v := math.Round(10*(10+8*math.Sin(float64(k)/30)+float64(i-12)*float64(k)/500+rng.NormFloat64())) / 10
			if rng.IntN(9) == 0 || k > 40 && k < 75 && i%3 == 0 {
				values[k] = nan
				c.Values = append(c.Values, nil)
				continue
			}
			values[k] = v
			c.Values = append(c.Values, &v)
		}
		c.Threshold = math.Round(10*rng.Float64()*20) / 10
		if first := c.Values[n-1]; first != nil {
			c.Threshold = *first
		}
		c.series = toolstest.Series("mm", name, times, values...)
		out = append(out, c)
	}
	return out
}

func TestOracleSeriesTools(t *testing.T) {
	in := seriesCases()
	var want []seriesAnswer
	oracle.Run(t, "scripts/oracles/series_tools.py", in, &want)
	kit := kit(t)
	env := toolstest.NewEnv(t)
	for i, c := range in {
		o := &against{t: t, env: env, kit: kit, i: i, s: c.series}
		o.stats(c, want[i])
		o.trend("ols", want[i].OLS)
		o.trend("theil_sen", want[i].TheilSen)
		for _, method := range []string{"mean", "sum", "min", "max"} {
			o.aggregate("month", method, want[i].Monthly[method])
			o.aggregate("season", method, want[i].Seasonal[method])
			o.aggregate("year", method, want[i].Yearly[method])
		}
		res := o.call("anomaly", args{"data": c.series})
		o.equal("anomaly", toolstest.Artifact[*series.Series](t, env, res, "data").Values, want[i].Anomaly)
		o.equal("standardized", toolstest.Artifact[*series.Series](t, env, res, "standardized").Values, want[i].Standardized)
	}
}

type against struct {
	t   *testing.T
	env *toolkits.Env
	kit []*toolkits.Tool
	i   int
	s   *series.Series
}

func (o *against) call(name string, a args) *toolkits.Result {
	o.t.Helper()
	return toolstest.Call(o.t, o.env, toolstest.Tool(o.t, o.kit, "data."+name), a)
}

func (o *against) close(what string, got, want, relative float64) {
	o.t.Helper()
	if !(math.Abs(got-want) <= relative*max(1, math.Abs(want))) {
		o.t.Errorf("series %d: %s %v, oracle %v", o.i, what, got, want)
	}
}

func (o *against) equal(what string, got []float64, want []*float64) {
	o.t.Helper()
	if len(got) != len(want) {
		o.t.Errorf("series %d: %s has %d steps, oracle %d", o.i, what, len(got), len(want))
		return
	}
	for k, w := range want {
		if w == nil {
			if !math.IsNaN(got[k]) {
				o.t.Errorf("series %d: %s step %d is %v, oracle missing", o.i, what, k, got[k])
			}
			continue
		}
		o.close(what, got[k], *w, 1e-9)
	}
}

func (o *against) stats(c seriesCase, want seriesAnswer) {
	o.t.Helper()
	res := o.call("series_stats", args{"series": c.series})
	for _, name := range []string{"mean", "std", "sum", "min", "max", "count"} {
		o.close(name, toolstest.Number(o.t, res, name), want.Stats[name], 1e-10)
	}
	for _, name := range []string{"argmin", "argmax"} {
		if got, label := toolstest.Text(o.t, res, name), c.series.Label(int(want.Stats[name])); got != label {
			o.t.Errorf("series %d: %s %s, oracle %s", o.i, name, got, label)
		}
	}
	res = o.call("percentile", args{"series": c.series, "percent": c.Percent})
	o.close("percentile", toolstest.Number(o.t, res, "value"), want.Percentile, 1e-10)
	for comparison, w := range want.Events {
		res = o.call("count_events", args{"series": c.series, "comparison": comparison, "threshold": c.Threshold})
		o.close(comparison, toolstest.Number(o.t, res, "count"), w[0], 0)
		o.close("run "+comparison, toolstest.Number(o.t, res, "longest_run"), w[1], 0)
	}
}

func (o *against) trend(method string, want [2]float64) {
	o.t.Helper()
	res := o.call("trend", args{"series": o.s, "method": method})
	o.close(method, toolstest.Number(o.t, res, "slope"), want[0], 1e-9)
	o.close("p of "+method, toolstest.Number(o.t, res, "p_value"), want[1], 1e-8)
}

// aggregate compares new steps; xarray has empty ones in gaps, which the tool has too, as missing.
func (o *against) aggregate(by, method string, want []*float64) {
	o.t.Helper()
	if by == "month" && o.s.Frequency == cftime.FrequencyMonth && method == "sum" {
		return // nothing to join
	}
	res := o.call("aggregate_time", args{"data": o.s, "by": by, "method": method})
	o.equal(by+" "+method, toolstest.Artifact[*series.Series](o.t, o.env, res, "data").Values, want)
}
