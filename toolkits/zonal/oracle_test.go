//go:build oracles

package zonal

import (
	"math"
	"math/rand/v2"
	"testing"

	"almanac/internal/oracle"
	"almanac/toolkits/grid"
	"almanac/toolkits/toolstest"

	"github.com/paulmach/orb"
)

type zonalCase struct {
	LonEdges []float64      `json:"lon_edges"`
	LatEdges []float64      `json:"lat_edges"`
	Values   [][]*float64   `json:"values"`
	Rings    [][][2]float64 `json:"rings"`

	raster *grid.Raster
	shape  orb.Polygon
}

type zonalAnswer struct {
	Mean, Min, Max, Std *float64
	Area                float64
	Cells, Valid        int
}

// cases are 30 seeded stars with and without a hole, over grids of several sizes, with missing values; the first ones
// are edges: smaller than a cell, on cell edges exactly, over the seam, at a pole, of one row.
func cases(seamless bool) []zonalCase {
	rng := rand.New(rand.NewPCG(7, 7))
	special := []orb.Polygon{
		toolstest.BoxPolygon(12.2, 3.2, 12.4, 3.3), toolstest.BoxPolygon(10, 0, 20, 10), toolstest.BoxPolygon(-20, 60, 20, 90),
		toolstest.BoxPolygon(-30, -0.1, 30, 0.1), toolstest.BoxPolygon(100, -90, 140, -80),
	}
	if seamless {
		special = append(special, toolstest.BoxPolygon(175, -10, 190, 10), toolstest.BoxPolygon(-190, 5, -170, 8))
	}
	var out []zonalCase
	for i := range 30 {
		step := []float64{0.5, 1, 2, 5}[i%4]
		r := toolstest.Raster(toolstest.Axis(-180+step/2, step, int(360/step)), toolstest.Axis(-90+step/2, step, int(180/step)), nil)
		c := zonalCase{LonEdges: r.LonEdges, LatEdges: r.LatEdges, Values: make([][]*float64, len(r.Lat)), raster: r}
		for row := range r.Lat {
			for range r.Lon {
				v := rng.Float64() * 30
				p := &v
				if rng.IntN(4) == 0 {
					p, v = nil, math.NaN()
				}
				r.Values = append(r.Values, v)
				c.Values[row] = append(c.Values[row], p)
			}
		}
		c.shape = star(rng)
		if i < len(special) {
			c.shape = special[i]
		}
		for _, ring := range c.shape {
			var points [][2]float64
			for _, p := range ring {
				points = append(points, p)
			}
			c.Rings = append(c.Rings, points)
		}
		out = append(out, c)
	}
	return out
}

func star(rng *rand.Rand) orb.Polygon {
	lon, lat, n := rng.Float64()*280-140, rng.Float64()*120-60, 5+rng.IntN(40)
	ring := func(scale float64) orb.Ring {
		var r orb.Ring
		for i := range n {
			angle := 2 * math.Pi * float64(i) / float64(n)
			radius := scale * (6 + 20*rng.Float64())
			r = append(r, orb.Point{lon + radius*math.Cos(angle), lat + radius*math.Sin(angle)})
		}
		return append(r, r[0])
	}
	p := orb.Polygon{ring(1)}
	if n >= 12 { // the hole's radius is at most 5.2, the outer ring's at least 6 cos(π/n) = 5.8
		p = append(p, ring(0.2))
	}
	return p
}

func TestOracleShapely(t *testing.T) {
	in := cases(true)
	var want []zonalAnswer
	oracle.Run(t, "scripts/oracles/zonal.py", in, &want)
	for i, c := range in {
		cover, err := Cover(c.raster, toolstest.Zone(c.shape))
		if err != nil {
			t.Fatalf("case %d: %v", i, err)
		}
		s, w := cover.Field(c.raster.Values), want[i]
		// The oracle follows sides in steps: a cell of which a ten-millionth is inside may be on either side.
		if absolute(s.Valid-w.Valid) > 2 || absolute(s.Total-w.Cells) > 2 || math.Abs(cover.Inside-w.Area) > 2e-6*w.Area {
			t.Errorf("case %d: %d of %d cells, %g km2; oracle %d of %d, %g", i, s.Valid, s.Total, cover.Inside, w.Valid, w.Cells, w.Area)
		}
		if w.Mean == nil {
			continue
		}
		for _, x := range []struct {
			name      string
			got, want float64
		}{{"mean", s.Mean, *w.Mean}, {"min", s.Min, *w.Min}, {"max", s.Max, *w.Max}, {"std", s.Std, *w.Std}} {
			if math.Abs(x.got-x.want) > 1e-5 {
				t.Errorf("case %d: %s %v, oracle %v", i, x.name, x.got, x.want)
			}
		}
	}
}

func absolute(n int) int { return max(n, -n) }

func TestOracleExactextract(t *testing.T) {
	in := cases(false)
	var want []zonalAnswer
	oracle.Run(t, "scripts/oracles/exactextract_mean.py", in, &want)
	compared := 0
	for i, c := range in {
		if c.LatEdges[1]-c.LatEdges[0] > 1 { // exactextract has no ellipsoid within a cell
			continue
		}
		cover, err := Cover(c.raster, toolstest.Zone(c.shape))
		if err != nil {
			t.Fatalf("case %d: %v", i, err)
		}
		s, w := cover.Field(c.raster.Values), want[i]
		if w.Mean == nil {
			if s.Valid != 0 {
				t.Errorf("case %d: %d cells, oracle none", i, s.Valid)
			}
			continue
		}
		compared++
		if math.Abs(s.Mean-*w.Mean) > 2e-4*math.Abs(*w.Mean) || s.Min != *w.Min || s.Max != *w.Max {
			t.Errorf("case %d: mean %v min %v max %v, oracle %v %v %v", i, s.Mean, s.Min, s.Max, *w.Mean, *w.Min, *w.Max)
		}
	}
	if compared < 12 {
		t.Errorf("only %d cases compared", compared)
	}
}
