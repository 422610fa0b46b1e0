//go:build oracles

package grid_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"almanac/internal/oracle"
	"almanac/toolkits/grid"
)

func TestOracleAreas(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 8))
	boxes := [][4]float64{{0, -90, 10, -80}, {0, 80, 2, 90}, {0, 0, 1, 1}, {170, -1, 190, 1}, {0, 59.999, 0.001, 60}}
	for range 60 {
		west, south := r.Float64()*340-170, r.Float64()*160-85
		boxes = append(boxes, [4]float64{west, south, west + 0.1 + r.Float64()*4, south + 0.1 + r.Float64()*4})
	}
	var want []float64
	oracle.Run(t, "scripts/oracles/grid_areas.py", boxes, &want)
	if len(want) != len(boxes) {
		t.Fatalf("%d replies for %d boxes", len(want), len(boxes))
	}
	for i, b := range boxes {
		if got := grid.BandArea(b[1], b[3], b[2]-b[0]); math.Abs(got-want[i]) > 2e-6*want[i] {
			t.Errorf("%v has %v km2, pyproj says %v", b, got, want[i])
		}
	}
}
