//go:build oracles

package gis_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"almanac/internal/oracle"
	"almanac/toolkits/gis"
	"almanac/toolkits/toolstest"

	"github.com/paulmach/orb"
)

type areaCase struct {
	LonEdges  []float64      `json:"lon_edges"`
	LatEdges  []float64      `json:"lat_edges"`
	Values    [][]*float64   `json:"values"`
	Rings     [][][2]float64 `json:"rings"`
	Threshold float64        `json:"threshold"`
}

func TestOracleZonalTools(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 6))
	var in []areaCase
	var calls []args
	for range 24 {
		west, south := math.Round(rng.Float64()*300-150), math.Round(rng.Float64()*120-70)
		r := toolstest.Raster(toolstest.Axis(west, 1, 20), toolstest.Axis(south, 1, 20), nil)
		r.Unit = "m"
		c := areaCase{LonEdges: r.LonEdges, LatEdges: r.LatEdges, Values: make([][]*float64, 20), Threshold: rng.Float64() * 100}
		for i := range 400 {
			v := rng.Float64() * 100
			p := &v
			if rng.IntN(5) == 0 {
				p, v = nil, nan
			}
			r.Values = append(r.Values, v)
			c.Values[i/20] = append(c.Values[i/20], p)
		}
		var ring orb.Ring
		n := 3 + rng.IntN(20)
		for i := range n {
			angle, radius := 2*math.Pi*float64(i)/float64(n), 0.3+8*rng.Float64()
			ring = append(ring, orb.Point{west + 9.5 + radius*math.Cos(angle), south + 9.5 + radius*math.Sin(angle)})
		}
		ring = append(ring, ring[0])
		var points [][2]float64
		for _, p := range ring {
			points = append(points, p)
		}
		c.Rings = [][][2]float64{points}
		in = append(in, c)
		calls = append(calls, args{"raster": r, "zones": toolstest.Zone(orb.Polygon{ring})})
	}
	var want []struct {
		Mean, Std, Min, Max *float64
		Above               float64
		ValidArea           float64 `json:"valid_area"`
	}
	oracle.Run(t, "scripts/oracles/zonal.py", in, &want)
	env, kit := toolstest.NewEnv(t), gis.Toolkit(shipped(t))
	for i, a := range calls {
		w := want[i]
		if w.Mean == nil {
			continue
		}
		res := toolstest.Call(t, env, toolstest.Tool(t, kit, "gis.zonal_stats"), a)
		near(t, "mean", toolstest.Number(t, res, "mean"), *w.Mean, 1e-5)
		near(t, "std", toolstest.Number(t, res, "std"), *w.Std, 1e-5)
		near(t, "range", toolstest.Number(t, res, "range"), *w.Max-*w.Min, 1e-9)
		a["threshold"] = in[i].Threshold
		res = toolstest.Call(t, env, toolstest.Tool(t, kit, "gis.area_above"), a)
		near(t, "area", toolstest.Number(t, res, "area"), w.Above, 1e-5*w.ValidArea)
		near(t, "total_area", toolstest.Number(t, res, "total_area"), w.ValidArea, 1e-5*w.ValidArea)
		near(t, "fraction", toolstest.Number(t, res, "fraction"), w.Above/w.ValidArea, 1e-5)
	}
}
