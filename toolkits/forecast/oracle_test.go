//go:build oracles

package forecast

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"almanac/internal/oracle"
	"almanac/toolkits"
	"almanac/toolkits/cftime"
	"almanac/toolkits/series"
)

type oracleCase struct {
	Method    string      `json:"method"`
	Start     string      `json:"start"`
	Frequency string      `json:"frequency"`
	Values    []*float64  `json:"values"`
	Steps     int         `json:"steps"`
	Season    int         `json:"season"`
	Smoothing *[3]float64 `json:"smoothing"`

	series *series.Series
}

type oracleReply struct {
	Forecast []*float64 `json:"forecast"`
	Given    []float64  `json:"given"`
	Found    []float64  `json:"found"`
	SSE      float64    `json:"sse"`
	Times    []string   `json:"times"`
}

// newCase draws a series with trend, season and noise; holes is the share of missing values.
func newCase(r *rand.Rand, method string, k int, holes float64) oracleCase {
	frequency := []string{"MS", "D", "YS"}[k%3]
	n := map[string]int{"MS": 48 + r.IntN(100), "D": 800 + r.IntN(400), "YS": 5 + r.IntN(40)}[frequency]
	if method == "holt_winters" {
		frequency, n = "MS", 36+r.IntN(160)
	}
	start := cftime.Time{Year: 1990 + r.IntN(20), Month: 1, Day: 1, Calendar: cftime.Standard}
	if frequency == "MS" {
		start.Month = 1 + r.IntN(12)
	}
	name := map[string]string{"MS": cftime.FrequencyMonth, "D": cftime.FrequencyDay, "YS": cftime.FrequencyYear}[frequency]
	c := oracleCase{Method: method, Start: start.String(), Frequency: frequency, Steps: 1 + r.IntN(30), Season: 12}
	s := &series.Series{Variable: "x", Unit: "mm", Calendar: cftime.Standard, Frequency: name}
	slope, swing, noise := r.NormFloat64(), 5*r.Float64(), math.Pow(10, -3*r.Float64())
	level := 1000 * r.NormFloat64()
	for i := range n {
		v := level + slope*float64(i)/12 + swing*math.Sin(float64(i)*math.Pi/6) + noise*r.NormFloat64()
		t := start.AddDays(i)
		switch name {
		case cftime.FrequencyMonth:
			t, _ = start.AddMonths(i)
		case cftime.FrequencyYear:
			t, _ = start.AddMonths(12 * i)
		}
		s.Times = append(s.Times, t)
		if i > 400 && r.Float64() < holes || i > n-3 && holes > 0 && i > 5 {
			s.Values, c.Values = append(s.Values, math.NaN()), append(c.Values, nil)
			continue
		}
		s.Values, c.Values = append(s.Values, v), append(c.Values, &v)
	}
	c.series = s
	return c
}

func TestOracleForecasts(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	var cases []oracleCase
	for k := range 24 {
		for _, method := range []string{"persistence", "climatology", "trend_forecast"} {
			cases = append(cases, newCase(r, method, k, float64(k%2)*0.1))
		}
	}
	var want []oracleReply
	oracle.Run(t, "scripts/oracles/forecast.py", cases, &want)
	for i, c := range cases {
		var got futureOut
		var err error
		switch c.Method {
		case "persistence":
			got, err = persistence(t.Context(), persistenceIn{c.series, c.Steps})
		case "climatology":
			got, err = climatology(t.Context(), climatologyIn{c.series, c.Steps})
		default:
			got, err = trendForecast(t.Context(), trendIn{c.series, c.Steps})
		}
		if undefined(want[i].Forecast) {
			if err == nil || toolkits.AsError(err).Code != toolkits.NotEnoughData {
				t.Errorf("case %d, %s by %s: no value is known for some step, and the error is %v", i, c.Method, c.Frequency, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("case %d, %s by %s: %v", i, c.Method, c.Frequency, err)
			continue
		}
		for h := range want[i].Forecast {
			w := *want[i].Forecast[h]
			if g := got.Series.Values[h]; math.Abs(g-w) > 1e-9*math.Max(1, math.Abs(w)) || got.Series.Times[h].String() != want[i].Times[h] {
				t.Errorf("case %d, %s by %s, step %d: got %v at %s, want %v at %s", i, c.Method, c.Frequency, h, g, got.Series.Times[h], w, want[i].Times[h])
				break
			}
		}
	}
}

// With the same smoothing and the same start the forecasts of statsmodels are ours to rounding. Of the two searches for
// the smoothing ours must not end with a larger sum of squares (up to one part in 10,000); where both reach the same
// sum to one part in a million, the forecasts differ by at most a hundredth of the series' spread.
func TestOracleHoltWinters(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 2))
	var cases []oracleCase
	for k := range 30 {
		c := newCase(r, "holt_winters", k, 0)
		c.Season = []int{12, 4, 6}[k%3]
		alpha := 0.05 + 0.9*r.Float64()
		c.Smoothing = &[3]float64{alpha, alpha * r.Float64(), (1 - alpha) * r.Float64()}
		cases = append(cases, c)
	}
	var want []oracleReply
	oracle.Run(t, "scripts/oracles/forecast.py", cases, &want)
	same := 0
	for i, c := range cases {
		w := newSmoother(c.series.Values, c.Season)
		w.alpha, w.beta, w.gamma = c.Smoothing[0], c.Smoothing[1], c.Smoothing[2]
		spread := deviation(c.series.Values)
		for h, g := range w.ahead(c.Steps) {
			if math.Abs(g-want[i].Given[h]) > 1e-8*math.Max(1, math.Abs(g)) {
				t.Errorf("case %d: with smoothing %v step %d is %v, statsmodels says %v", i, *c.Smoothing, h, g, want[i].Given[h])
				break
			}
		}
		if err := w.fit(context.Background()); err != nil {
			t.Fatal(err)
		}
		sse, _, _ := w.pass()
		if sse > want[i].SSE*(1+1e-4) {
			t.Errorf("case %d: sum of squares %v with %v, statsmodels finds %v with %v", i, sse, []float64{w.alpha, w.beta, w.gamma}, want[i].SSE, want[i].Found)
		}
		if sse < want[i].SSE*(1-1e-6) {
			continue // a better minimum has other forecasts
		}
		same++
		for h, g := range w.ahead(c.Steps) {
			if math.Abs(g-*want[i].Forecast[h]) > 0.01*spread {
				t.Errorf("case %d: step %d is %v, statsmodels says %v", i, h, g, *want[i].Forecast[h])
				break
			}
		}
	}
	if same < 10 {
		t.Errorf("only %d of %d searches end at the same minimum", same, len(cases))
	}
}

func undefined(values []*float64) bool { return slices.Contains(values, nil) }

func deviation(y []float64) float64 {
	mean, square := 0.0, 0.0
	for _, v := range y {
		mean += v / float64(len(y))
	}
	for _, v := range y {
		square += (v - mean) * (v - mean) / float64(len(y))
	}
	return math.Sqrt(square)
}
