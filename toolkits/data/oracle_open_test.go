//go:build oracles

package data_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"almanac/internal/oracle"
	"almanac/toolkits/cftime"
	"almanac/toolkits/grid"
	"almanac/toolkits/toolstest"
)

type openCase struct {
	File     string   `json:"file"`
	Variable string   `json:"variable"`
	W        float64  `json:"west"`
	S        float64  `json:"south"`
	E        float64  `json:"east"`
	N        float64  `json:"north"`
	Month    int      `json:"month"`
	Level    *float64 `json:"level"`
}

// openCases are 32 seeded selections with the arguments of the tool.
func openCases() (in []openCase, calls []args) {
	rng := rand.New(rand.NewPCG(5, 9))
	levels := []float64{0, 50, 100, 200, 400, 1000}
	sets := []struct {
		dataset, variable string
		monthly, levels   bool
	}{
		{"coads_climatology", "sst", true, false}, {"coads_climatology", "wind_speed", true, false},
		{"levitus_climatology", "salinity", false, true}, {"etopo_relief", "elevation", false, false},
	}
	for i := range 32 {
		set := sets[i%len(sets)]
		west, south := math.Round(rng.Float64()*360-180)+0.25, math.Round(rng.Float64()*100-60)+0.25
		c := openCase{
			File: set.dataset + ".nc", Variable: set.variable, W: west, S: south, E: west + 20 + math.Round(rng.Float64()*150), N: south + 20,
		}
		if c.E > 180 {
			c.E -= 360
		}
		a := args{"dataset": set.dataset, "variable": set.variable, "region": map[string]any{"west": c.W, "south": c.S, "east": c.E, "north": c.N}}
		if set.monthly && i%3 > 0 {
			c.Month = 1 + rng.IntN(12)
			a["period"] = cftime.MonthName(c.Month)
		}
		if set.levels {
			c.Level = &levels[rng.IntN(len(levels))]
			a["level"] = *c.Level
		}
		in, calls = append(in, c), append(calls, a)
	}
	return in, calls
}

func TestOracleOpen(t *testing.T) {
	in, calls := openCases()
	var want []struct {
		Count int
		Sum   float64
		Shape [2]int
	}
	oracle.Run(t, "scripts/oracles/open_fields.py", in, &want)
	env := toolstest.NewEnv(t)
	open := tool(t, "open")
	opened := 0
	for i, a := range calls {
		res, err := toolstest.Try(t, env, open, a)
		if want[i].Count == 0 {
			if err == nil {
				t.Errorf("%v: opened, xarray finds no value", a)
			}
			continue
		}
		if err != nil {
			t.Errorf("%v: %v", a, err)
			continue
		}
		opened++
		r := toolstest.Artifact[*grid.Raster](t, env, res, "data")
		sum := 0.0
		for _, v := range r.Values {
			if v == v {
				sum += v
			}
		}
		if n := int(toolstest.Number(t, res, "count")); n != want[i].Count || math.Abs(sum-want[i].Sum) > 1e-6*math.Abs(want[i].Sum)+1e-6 || len(r.Lat) != want[i].Shape[0] || len(r.Lon) != want[i].Shape[1] {
			t.Errorf("%v: %d values, sum %v, %d × %d; xarray %+v", a, n, sum, len(r.Lat), len(r.Lon), want[i])
		}
	}
	if opened < 20 {
		t.Errorf("only %d selections had values", opened)
	}
}
