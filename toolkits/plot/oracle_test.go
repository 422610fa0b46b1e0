//go:build oracles

package plot_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"almanac/internal/oracle"
	"almanac/toolkits/cftime"
	"almanac/toolkits/toolstest"
)

type mapCase struct {
	PNG      []byte       `json:"png"`
	LonEdges []float64    `json:"lon_edges"`
	LatEdges []float64    `json:"lat_edges"`
	Values   [][]*float64 `json:"values"`
}

type lineCase struct {
	PNG    []byte    `json:"png"`
	Days   []float64 `json:"days"`
	Values []float64 `json:"values"`
}

func drawMap(t *testing.T, r *rand.Rand) mapCase {
	cols, rows := 2+r.IntN(12), 2+r.IntN(8)
	step := 0.2 + r.Float64()
	west, south := -150+10*r.Float64(), -50+10*r.Float64() // the South Pacific, where there are few islands
	if r.IntN(2) == 0 {
		west += 360
	}
	raster := toolstest.Raster(toolstest.Axis(west, step, cols), toolstest.Axis(south, step, rows), nil, make([]float64, cols*rows)...)
	raster.Unit = "mm"
	for i := 1; i < cols; i++ { // cells of unequal width
		raster.LonEdges[i] += step * 0.4 * (r.Float64() - 0.5)
	}
	c := mapCase{LonEdges: raster.LonEdges, LatEdges: raster.LatEdges}
	for j := range rows {
		row := make([]*float64, cols)
		for i := range cols {
			v := 10 * r.NormFloat64()
			if raster.Values[j*cols+i] = v; r.IntN(6) == 0 && i+j > 1 {
				raster.Values[j*cols+i] = math.NaN()
				continue
			}
			row[i] = &v
		}
		c.Values = append(c.Values, row)
	}
	m, _ := picture(t, "plot.map", toolstest.Args{"raster": raster})
	c.PNG = m.Data
	return c
}

func drawLine(t *testing.T, r *rand.Rand) lineCase {
	n := 4 + r.IntN(20)
	var c lineCase
	times, at := make([]cftime.Time, n), 0
	start := toolstest.Days(1999, 12, 25, 1)[0]
	for i := range n {
		times[i] = start.AddDays(at)
		c.Days, c.Values = append(c.Days, float64(at)), append(c.Values, float64(i)*0.5+r.Float64())
		at += 3 + r.IntN(3) // irregular, and of gentle slope
	}
	m, _ := picture(t, "plot.series", toolstest.Args{"series": toolstest.Series("mm", cftime.FrequencyIrregular, times, c.Values...)})
	c.PNG = m.Data
	return c
}

// Off the coast at most one pixel in 200 may have another colour than its cell: those where rounding puts the middle of
// a pixel on the other side of an edge, and those of small islands. A line is drawn within three pixels of its values,
// which is what its corners round off.
func TestOraclePictures(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	var q struct {
		Maps  []mapCase  `json:"maps"`
		Lines []lineCase `json:"lines"`
	}
	for range 20 {
		q.Maps, q.Lines = append(q.Maps, drawMap(t, r)), append(q.Lines, drawLine(t, r))
	}
	var want struct{ Maps, Lines []float64 }
	oracle.Run(t, "scripts/oracles/plot.py", q, &want)
	if len(want.Maps) != 20 || len(want.Lines) != 20 {
		t.Fatalf("%d and %d replies", len(want.Maps), len(want.Lines))
	}
	for k := range want.Maps {
		if !(want.Maps[k] <= 0.005) {
			t.Errorf("map %d: %.2f %% of the pixels have another colour than their cell", k, 100*want.Maps[k])
		}
		if !(want.Lines[k] <= 3) {
			t.Errorf("line %d: %.1f pixels off", k, want.Lines[k])
		}
	}
}
