//go:build oracles

package geodesy

import (
	"math"
	"math/rand/v2"
	"testing"

	"almanac/internal/oracle"

	"github.com/paulmach/orb"
)

func TestOraclePyproj(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	lat := func() float64 { return rng.Float64()*180 - 90 }
	lon := func() float64 { return rng.Float64()*540 - 180 }
	in := struct {
		Pairs  [][4]float64   `json:"pairs"`
		Walks  [][4]float64   `json:"walks"`
		Shapes [][][2]float64 `json:"shapes"`
	}{Pairs: [][4]float64{
		{0, 0, 0, 180}, {0, 0, 0, 179.5}, {0, 0, 0.5, 179.7}, {-30, 0, 29.9, 179.8}, {90, 0, -90, 40}, {90, 10, 45, 50}, {-90, 10, 45, 50},
		{10, 20, 10, 20}, {10, 20, 10, 20.0000001}, {40, 179.9, 40, -179.9}, {5, 0, -5, 180}, {0, 10, 60, 10}, {60, 10, 0, 10}, {45, 0, 45, 180},
	}}
	for range 60 {
		in.Pairs = append(in.Pairs, [4]float64{lat(), lon(), lat(), lon()})
		a, b := lat(), lon()
		in.Pairs = append(in.Pairs, [4]float64{a, b, -a + rng.Float64()*0.4 - 0.2, b + 180 + rng.Float64() - 0.5}) // nearly antipodal
		in.Walks = append(in.Walks, [4]float64{lat(), lon(), rng.Float64()*360 - 180, rng.Float64() * 19000})
	}
	for range 30 {
		x, y, n := rng.Float64()*300-150, rng.Float64()*140-70, 3+rng.IntN(9)
		var ring [][2]float64
		for i := range n {
			angle, radius := 2*math.Pi*float64(i)/float64(n), 0.2+rng.Float64()*15
			ring = append(ring, [2]float64{x + radius*math.Cos(angle), y + radius*math.Sin(angle)})
		}
		in.Shapes = append(in.Shapes, append(ring, ring[0]))
	}
	var want struct{ Pairs, Walks, Shapes [][2]float64 }
	oracle.Run(t, "scripts/oracles/geodesics.py", in, &want)
	for i, p := range in.Pairs {
		km, azimuth, _ := Inverse(Point{p[0], p[1]}, Point{p[2], p[3]})
		if math.Abs(km-want.Pairs[i][0]) > 1e-9 {
			t.Errorf("%v: %.12f km, pyproj %.12f", p, km, want.Pairs[i][0])
		}
		if d := math.Remainder(azimuth-want.Pairs[i][1], 360); math.Abs(d) > 1e-6 && km > 1 && km < 19900 {
			t.Errorf("%v: azimuth %.10f, pyproj %.10f", p, azimuth, want.Pairs[i][1])
		}
	}
	for i, w := range in.Walks {
		end, _ := Direct(Point{w[0], w[1]}, w[2], w[3])
		if off, _, _ := Inverse(end, Point{want.Walks[i][0], want.Walks[i][1]}); off > 2e-9 {
			t.Errorf("walk %v ends %g km from pyproj's end", w, off)
		}
	}
	for i, s := range in.Shapes {
		var ring orb.Ring
		for _, p := range s {
			ring = append(ring, p)
		}
		area, length := PolygonArea(orb.Polygon{ring}), Perimeter([]orb.Polygon{{ring}})
		if math.Abs(area-want.Shapes[i][0]) > 2e-7*area || math.Abs(length-want.Shapes[i][1]) > 1e-7*length {
			t.Errorf("shape %d: %v km2, %v km; pyproj %v, %v", i, area, length, want.Shapes[i][0], want.Shapes[i][1])
		}
	}
}
