//go:build oracles

package gis_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"almanac/internal/oracle"
	"almanac/toolkits"
	"almanac/toolkits/geodesy"
	"almanac/toolkits/gis"
	"almanac/toolkits/grid"
	"almanac/toolkits/toolstest"
	"almanac/toolkits/vector"

	"github.com/paulmach/orb"
)

type terrainCase struct {
	Lon    []float64   `json:"lon"`
	Lat    []float64   `json:"lat"`
	Values [][]float64 `json:"values"`
}

type widenCase struct {
	Ring [][2]float64 `json:"ring"`
	KM   float64      `json:"km"`
}

type gisQuestions struct {
	Terrain []terrainCase `json:"terrain"`
	Widen   []widenCase   `json:"widen"`
	Circle  [][3]float64  `json:"circle"`
	Nearest [][3]float64  `json:"nearest"`
}

type gisAnswers struct {
	Terrain []map[string][][]float64
	Widen   []float64
	Circle  [][][2]float64
	Nearest [][2]any
}

func gisCases() gisQuestions {
	rng := rand.New(rand.NewPCG(21, 12))
	var q gisQuestions
	for i := range 20 {
		step := []float64{0.01, 0.1, 1.0 / 3}[i%3]
		c := terrainCase{Lon: toolstest.Axis(rng.Float64()*300-150, step, 12), Lat: toolstest.Axis(rng.Float64()*150-80, step, 9)}
		for range c.Lat {
			row := make([]float64, len(c.Lon))
			for k := range row {
				row[k] = math.Round(3000*rng.Float64()) - 500
			}
			c.Values = append(c.Values, row)
		}
		q.Terrain = append(q.Terrain, c)
		lon, lat := rng.Float64()*280-140, rng.Float64()*120-60
		w := widenCase{KM: 5 + rng.Float64()*150}
		for k := range 6 + i {
			angle, radius := 2*math.Pi*float64(k)/float64(6+i), 0.3+rng.Float64()*1.5
			w.Ring = append(w.Ring, [2]float64{lon + radius*math.Cos(angle), lat + radius*math.Sin(angle)})
		}
		w.Ring = append(w.Ring, w.Ring[0])
		q.Widen = append(q.Widen, w)
		q.Circle = append(q.Circle, [3]float64{rng.Float64()*160 - 80, rng.Float64()*360 - 180, 1 + rng.Float64()*900})
		q.Nearest = append(q.Nearest, [3]float64{rng.Float64()*170 - 85, rng.Float64()*360 - 180, []float64{0, 1e5, 1e6, 5e6}[i%4]})
	}
	q.Nearest = append(q.Nearest, [3]float64{0, 180, 0}, [3]float64{90, 0, 0}, [3]float64{-90, 0, 1e6})
	return q
}

func TestOracleGIS(t *testing.T) {
	q := gisCases()
	var want gisAnswers
	oracle.Run(t, "scripts/oracles/gis_tools.py", q, &want)
	env, kit := toolstest.NewEnv(t), gis.Toolkit(shipped(t))
	for i, c := range q.Terrain {
		againstHorn(t, env, toolstest.Tool(t, kit, "gis.terrain"), c, want.Terrain[i])
	}
	buffer := toolstest.Tool(t, kit, "gis.buffer")
	for i, w := range q.Widen {
		var ring orb.Ring
		for _, p := range w.Ring {
			ring = append(ring, p)
		}
		f := toolstest.Artifact[*vector.Features](t, env, toolstest.Call(t, env, buffer, args{"zones": toolstest.Zone(orb.Polygon{ring}), "distance": w.KM}), "zone")
		polygons, err := geodesy.Polygons(f.Features[0].Geometry)
		if err != nil {
			t.Fatal(err)
		}
		size := 0.0
		for _, p := range polygons {
			size += geodesy.PolygonArea(p)
		}
		near(t, "widened shape", size, want.Widen[i], 0.005*want.Widen[i])
	}
	for i, c := range q.Circle {
		f := toolstest.Artifact[*vector.Features](t, env, toolstest.Call(t, env, buffer, args{"place": at(c[0], c[1]), "distance": c[2]}), "zone")
		ring := f.Features[0].Geometry.(orb.Polygon)[0]
		for k, w := range want.Circle[i] {
			p := ring[(720-180*k)%720] // counter-clockwise from north
			near(t, "latitude on the circle", p[1], w[1], 1e-9)
			near(t, "longitude on the circle", math.Remainder(p[0]-w[0], 360), 0, 1e-8)
		}
	}
	for i, c := range q.Nearest {
		res := toolstest.Call(t, env, toolstest.Tool(t, kit, "gis.nearest"), args{"place": at(c[0], c[1]), "min_population": c[2]})
		if name := toolstest.Text(t, res, "name"); name != want.Nearest[i][0] {
			t.Errorf("nearest to %v: %s, oracle %v", c, name, want.Nearest[i])
		}
		near(t, "distance", toolstest.Number(t, res, "distance"), want.Nearest[i][1].(float64), 1e-6)
	}
}

func againstHorn(t *testing.T, env *toolkits.Env, tool *toolkits.Tool, c terrainCase, want map[string][][]float64) {
	t.Helper()
	r := toolstest.Raster(c.Lon, c.Lat, nil)
	r.Unit, r.Variable = "m", "elevation"
	for _, row := range c.Values {
		r.Values = append(r.Values, row...)
	}
	for name, inner := range want {
		got := toolstest.Artifact[*grid.Raster](t, env, toolstest.Call(t, env, tool, args{"raster": r, "derivative": name}), "data")
		for row, values := range inner {
			for col, w := range values {
				d := got.At(0, row+1, col+1) - w
				if name == "aspect" {
					d = math.Remainder(d, 360)
				}
				if !(math.Abs(d) < 1e-4) {
					t.Fatalf("%s at latitude %g: %v, oracle %v", name, c.Lat[row+1], got.At(0, row+1, col+1), w)
				}
			}
		}
	}
}
