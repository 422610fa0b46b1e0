package zonal

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"almanac/toolkits/geodesy"
	"almanac/toolkits/grid"
	"almanac/toolkits/toolstest"
	"almanac/toolkits/vector"

	"github.com/paulmach/orb"
	"pgregory.net/rapid"
)

func degrees(west, south float64, cols, rows int, step float64) *grid.Raster {
	r := toolstest.Raster(toolstest.Axis(west+step/2, step, cols), toolstest.Axis(south+step/2, step, rows), nil, make([]float64, cols*rows)...)
	for i := range r.Values {
		r.Values[i] = float64(i)
	}
	return r
}

func box(west, south, east, north float64) *vector.Features {
	return toolstest.Zone(toolstest.BoxPolygon(west, south, east, north))
}

func cover(t testing.TB, r *grid.Raster, z *vector.Features) *Coverage {
	t.Helper()
	c, err := Cover(r, z)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestFieldE43PolygonSmallerThanACell(t *testing.T) {
	r := degrees(0, 0, 3, 3, 1)
	r.Values[4] = 7
	c := cover(t, r, box(1.4, 1.4, 1.5, 1.5))
	s := c.Field(r.Values)
	if s.Mean != 7 || s.Valid != 1 || s.Total != 1 || s.Min != 7 || s.Max != 7 || s.Std != 0 {
		t.Errorf("got %+v", s)
	}
}

// Triangle (0,0) (2,0) (0,2) over four cells of one degree: of the south-west cell all, of the two beside it half, of
// the north-east one nothing (it touches in one point).
func TestTriangleByHand(t *testing.T) {
	r := degrees(0, 0, 2, 2, 1)
	c := cover(t, r, toolstest.Zone(orb.Polygon{{{0, 0}, {2, 0}, {0, 2}, {0, 0}}}))
	if len(c.Cells) != 3 {
		t.Fatalf("got %+v", c.Cells)
	}
	for i, want := range []float64{1, 0.5, 0.5} { // halves but for the curvature
		if math.Abs(c.Cells[i].Share-want) > 1e-3 || c.Cells[i].Index != i {
			t.Errorf("cell %d: %+v, want share %g", i, c.Cells[i], want)
		}
	}
}

func TestFieldE03E05E07Longitudes(t *testing.T) {
	globe := degrees(0, -90, 360, 180, 1)
	for _, c := range []struct {
		name        string
		zone        *vector.Features
		cells, cols int
	}{
		{"-100..-80 on 0..360", box(-100, 0, -80, 1), 20, 20},
		{"over the antimeridian, drawn on", box(178, 0, 182, 1), 4, 4},
		{"over the antimeridian, cut", toolstest.Zone(orb.MultiPolygon{toolstest.BoxPolygon(178, 0, 180, 1), toolstest.BoxPolygon(-180, 0, -178, 1)}), 4, 4},
		{"over the seam of the grid", box(-2, 0, 2, 1), 4, 4},
		{"the whole circle", box(-180, -10, 180, 10), 7200, 360},
		{"the globe", box(-180, -90, 180, 90), 64800, 360},
	} {
		got := cover(t, globe, c.zone)
		if len(got.Cells) != c.cells || got.Outside > 1e-3 {
			t.Errorf("%s: %d cells, want %d; outside %g km2", c.name, len(got.Cells), c.cells, got.Outside)
		}
		for _, cell := range got.Cells {
			if math.Abs(cell.Share-1) > 1e-9 {
				t.Errorf("%s: share %g", c.name, cell.Share)
				break
			}
		}
	}
}

// Whatever the shape, the parts add up to the shape, on a grid that holds it.
func TestPartsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(3, 12).Draw(t, "corners")
		lon, lat := rapid.Float64Range(-300, 300).Draw(t, "lon"), rapid.Float64Range(-70, 70).Draw(t, "lat")
		var ring orb.Ring
		for i := range n { // a star is no shape that crosses itself
			angle := 2 * math.Pi * float64(i) / float64(n)
			radius := rapid.Float64Range(0.05, 15).Draw(t, "radius")
			ring = append(ring, orb.Point{lon + radius*math.Cos(angle), lat + radius*math.Sin(angle)})
		}
		ring = append(ring, ring[0])
		step := rapid.SampledFrom([]float64{0.5, 1, 2, 5}).Draw(t, "step")
		globe := degrees(rapid.SampledFrom([]float64{0, -180, 20}).Draw(t, "west"), -90, int(360/step), int(180/step), step)
		c, err := Cover(globe, toolstest.Zone(orb.Polygon{ring}))
		if err != nil {
			t.Fatal(err)
		}
		want := geodesy.PolygonArea(orb.Polygon{ring})
		if math.Abs(c.Inside-want) > 1e-6*want+1e-6 {
			t.Fatalf("parts %g km2, shape %g km2", c.Inside, want)
		}
	})
}

func TestHoleAndWinding(t *testing.T) {
	r := degrees(0, 0, 4, 4, 1)
	outer := orb.Ring{{0, 0}, {4, 0}, {4, 4}, {0, 4}, {0, 0}}
	hole := orb.Ring{{1, 1}, {3, 1}, {3, 3}, {1, 3}, {1, 1}}
	reversed := func(r orb.Ring) orb.Ring { c := r.Clone(); c.Reverse(); return c }
	for _, p := range []orb.Polygon{{outer, hole}, {reversed(outer), hole}, {outer, reversed(hole)}} {
		if c := cover(t, r, toolstest.Zone(p)); len(c.Cells) != 12 {
			t.Errorf("%d cells, want the 12 around the hole", len(c.Cells))
		}
	}
}

func TestWhatCannotBeCovered(t *testing.T) {
	r := degrees(0, 0, 4, 4, 1)
	mercator := box(24.9, 60.3, 25, 60.4)
	mercator.CRS = "EPSG:3857"
	for _, c := range []struct {
		name string
		zone *vector.Features
		want error
	}{
		{"elsewhere", box(50, 50, 51, 51), ErrOutside},
		{"a label that is wrong", mercator, ErrCRS},
		{"a point", toolstest.Zone(orb.Point{1, 1}), geodesy.ErrNoArea},
		{"nothing", &vector.Features{CRS: vector.WGS84}, ErrEmpty},
		{"a ring of one place", toolstest.Zone(orb.Polygon{{{1, 1}, {1, 1}, {1, 1}}}), ErrEmpty},
		{"the same place twice", toolstest.Zone(orb.MultiPolygon{toolstest.BoxPolygon(0, 0, 2, 2), toolstest.BoxPolygon(1, 1, 3, 3)}), ErrShape},
		{"swapped", box(60, 95, 61, 120), ErrCRS},
		{"not a number", toolstest.Zone(orb.Polygon{{{math.NaN(), 1}, {2, 1}, {1, 2}}}), ErrCRS},
	} {
		if _, err := Cover(r, c.zone); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, err, c.want)
		}
	}
}

// lat 0 and 60 with cells of equal height: 10, 40 and one missing (field report E22). The weight of the row at 60 N is
// the ellipsoid's, cos 60 = 0.5 on a sphere: (10 + 40 w)/(1 + w) with w = 0.5 is 20.0, with true areas about 20.07.
func TestFieldE22WeightsWithGaps(t *testing.T) {
	r := toolstest.Raster([]float64{0.5}, []float64{0, 60}, nil, 10, 40)
	r.LatEdges = []float64{-0.5, 0.5, 60.5} // no cell between: only the shape below is looked at
	r.Lat, r.LatEdges = []float64{0, 30, 60}, []float64{-0.5, 0.5, 59.5, 60.5}
	r.Values = []float64{10, math.NaN(), 40}
	s := cover(t, r, box(0, -0.5, 1, 60.5)).Field(r.Values)
	if math.Abs(s.Mean-20.07) > 0.01 || s.Valid != 2 || s.Total != 3 {
		t.Errorf("got %+v", s)
	}
}

func ExampleCover() {
	lon, lat := []float64{0.5, 1.5}, []float64{0.5}
	field := &grid.Raster{
		CRS: vector.WGS84, Lon: lon, Lat: lat, LonEdges: grid.MidEdges(lon, 1), LatEdges: grid.LatMidEdges(lat, 1),
		Values: []float64{10, 20},
	}
	zone := &vector.Features{CRS: vector.WGS84, Features: []vector.Feature{{Geometry: toolstest.BoxPolygon(0, 0, 1.5, 1)}}}
	c, err := Cover(field, zone)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.4f over %d cells\n", c.Field(field.Values).Mean, len(c.Cells))
	// Output: 13.3333 over 2 cells
}
