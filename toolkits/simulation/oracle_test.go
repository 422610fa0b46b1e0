//go:build oracles

package simulation_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"almanac/internal/oracle"
	"almanac/toolkits/series"
	"almanac/toolkits/toolstest"
)

type etCase struct {
	High      []float64 `json:"tmax"`
	Low       []float64 `json:"tmin"`
	Day       []int     `json:"doy"`
	Latitude  float64   `json:"latitude"`
	Elevation float64   `json:"elevation"`
	Wind      []float64 `json:"wind"`
	Height    float64   `json:"height"`
}

type runoffCase struct {
	Rain  []float64 `json:"rain"`
	Curve float64   `json:"curve"`
}

type windCase struct {
	Speed     []float64 `json:"speed"`
	Rated     float64   `json:"rated"`
	CutIn     float64   `json:"cut_in"`
	RatedAt   float64   `json:"rated_speed"`
	CutOut    float64   `json:"cut_out"`
	Hub       float64   `json:"hub"`
	Mast      float64   `json:"mast"`
	Roughness float64   `json:"roughness"`
}

type degreeCase struct {
	High []float64 `json:"tmax"`
	Low  []float64 `json:"tmin"`
	Base float64   `json:"base"`
	Kind string    `json:"kind"`
}

type questions struct {
	ET      []etCase     `json:"et"`
	Runoff  []runoffCase `json:"runoff"`
	Wind    []windCase   `json:"wind"`
	Degrees []degreeCase `json:"degrees"`
}

type answers struct {
	ET      [][]float64 `json:"et"`
	RefET   [][]float64 `json:"refet"`
	Runoff  [][]float64 `json:"runoff"`
	Wind    [][]float64 `json:"wind"`
	Degrees [][]float64 `json:"degrees"`
}

func drawn(r *rand.Rand, n int, low, high float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = low + (high-low)*r.Float64()
	}
	return out
}

func lowsOf(r *rand.Rand, high []float64) []float64 {
	out := make([]float64, len(high))
	for i, v := range high {
		out[i] = v - 20*r.Float64()
	}
	return out
}

func draw() questions {
	r := rand.New(rand.NewPCG(5, 7))
	var q questions
	for k := range 25 {
		n := 5 + r.IntN(20)
		high := drawn(r, n, -10, 45)
		low := lowsOf(r, high)
		low[0] = high[0] // a day without range
		days := make([]int, n)
		for i := range days {
			days[i] = 182 + i // from 1 July on
		}
		q.ET = append(q.ET, etCase{high, low, days, -60 + 120*r.Float64(), 4000 * r.Float64(), drawn(r, n, 0, 12), []float64{2, 10}[k%2]})
		rain := drawn(r, n, 0, 150)
		rain[0] = 0
		q.Runoff = append(q.Runoff, runoffCase{rain, []float64{100, 98, 1, 35 + 60*r.Float64()}[min(k, 3)]})
		cut := 2 + 2*r.Float64()
		speed := drawn(r, n, 0, 35)
		speed[0], speed[1], speed[2] = cut, cut+8, cut+20 // exactly on the bounds
		q.Wind = append(q.Wind, windCase{speed, 3000 * (0.1 + r.Float64()), cut, cut + 8, cut + 20, []float64{0, 90}[k%2], 10, 0.03 + r.Float64()})
		q.Degrees = append(q.Degrees, degreeCase{high, low, 5 + 15*r.Float64(), []string{"heating", "cooling", "growing"}[k%3]})
	}
	return q
}

func close(t *testing.T, what string, k int, got *series.Series, want []float64, absolute, relative float64) {
	t.Helper()
	if got.Len() != len(want) {
		t.Errorf("%s, case %d: %d values, want %d", what, k, got.Len(), len(want))
		return
	}
	for i, w := range want {
		if math.Abs(got.Values[i]-w) > absolute+relative*math.Abs(w) {
			t.Errorf("%s, case %d, day %d: got %v, want %v", what, k, i, got.Values[i], w)
		}
	}
}

func TestOracleSimulation(t *testing.T) {
	q := draw()
	var want answers
	oracle.Run(t, "scripts/oracles/simulation.py", q, &want)
	for k, c := range q.ET {
		s, _ := call(t, "reference_et", args{"temperature_max": daily("degC", c.High...), "temperature_min": daily("degC", c.Low...), "wind_speed": daily("m s-1", c.Wind...),
			"wind_height": c.Height, "elevation": c.Elevation, "latitude": map[string]any{"latitude": c.Latitude, "longitude": 0}})
		close(t, "reference_et", k, s, want.ET[k], 1e-9, 1e-9)
		close(t, "reference_et by refet", k, s, want.RefET[k], 0.05, 0.01)
	}
	for k, c := range q.Runoff {
		s, _ := call(t, "scs_runoff", args{"precipitation": daily("mm", c.Rain...), "curve_number": c.Curve})
		close(t, "scs_runoff", k, s, want.Runoff[k], 1e-9, 1e-9)
	}
	for k, c := range q.Wind {
		a := args{"wind_speed": daily("m s-1", c.Speed...), "rated_power": c.Rated, "cut_in": c.CutIn, "rated_speed": c.RatedAt, "cut_out": c.CutOut}
		if c.Hub != 0 {
			a["hub_height"], a["measurement_height"], a["roughness"] = c.Hub, c.Mast, c.Roughness
		}
		s, res := call(t, "wind_power", a)
		close(t, "wind_power", k, s, want.Wind[k], 1e-9, 1e-9)
		sum := 0.0
		for _, p := range want.Wind[k] {
			sum += p
		}
		near(t, "energy", toolstest.Number(t, res, "energy"), 24*sum, 1e-6)
		near(t, "capacity factor", toolstest.Number(t, res, "capacity_factor"), sum/float64(len(c.Speed))/c.Rated, 1e-12)
	}
	for k, c := range q.Degrees {
		s, _ := call(t, "degree_days", args{"temperature_max": daily("degC", c.High...), "temperature_min": daily("degC", c.Low...), "base": c.Base, "kind": c.Kind})
		close(t, "degree_days", k, s, want.Degrees[k], 1e-9, 1e-9)
	}
}
