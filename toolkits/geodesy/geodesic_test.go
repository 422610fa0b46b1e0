package geodesy

import (
	"fmt"
	"math"
	"testing"

	"github.com/paulmach/orb"
	"pgregory.net/rapid"
)

// Reference values from GeographicLib's GeodSolve (through pyproj 3.7, WGS84): distance in m and azimuths.
func TestInversePublishedPairs(t *testing.T) {
	for _, c := range []struct {
		name                   string
		lat1, lon1, lat2, lon2 float64
		metres, azi1, azi2     float64
	}{
		// Karney (2013), table 2 (direct problem): lat1 40, azi1 30, s12 10,000,000 m.
		{"Karney table 2", 40, 0, 41.79331020506, 137.84490004377, 10000000, 30, 149.09016931807},
		// Karney (2013), table 3 and 4: lat1 -30, lat2 29.9, lon12 179.8 (nearly antipodal).
		{"Karney table 4", -30, 0, 29.9, 179.8, 19989832.82761, 161.89052473633, 18.09073724574},
		{"pole to pole", -90, 0, 90, 0, 20003931.458625, 0, 0},
		{"one degree on the equator", 0, 0, 0, 1, 111319.490793274, 90, 90},
	} {
		s, a1, a2 := Inverse(Point{c.lat1, c.lon1}, Point{c.lat2, c.lon2})
		if math.Abs(s*1000-c.metres) > 2e-5 || math.Abs(a1-c.azi1) > 1e-9 || math.Abs(a2-c.azi2) > 1e-9 {
			t.Errorf("%s: got %.6f m, %.11f, %.11f; want %.6f, %.11f, %.11f", c.name, s*1000, a1, a2, c.metres, c.azi1, c.azi2)
		}
	}
}

func TestDirectKarneyTable2(t *testing.T) {
	end, azi := Direct(Point{40, 0}, 30, 10000)
	if math.Abs(end.Latitude-41.79331020506) > 1e-10 || math.Abs(end.Longitude-137.84490004377) > 1e-10 || math.Abs(azi-149.09016931807) > 1e-10 {
		t.Errorf("got %.11f, %.11f, azimuth %.11f", end.Latitude, end.Longitude, azi)
	}
}

func TestInverseUndoesDirect(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Point{rapid.Float64Range(-90, 90).Draw(t, "lat"), rapid.Float64Range(-180, 360).Draw(t, "lon")}
		azimuth, distance := rapid.Float64Range(-180, 180).Draw(t, "azimuth"), rapid.Float64Range(0, 19900).Draw(t, "km")
		q, _ := Direct(p, azimuth, distance)
		got, _, _ := Inverse(p, q)
		back, _, _ := Inverse(q, p)
		if math.Abs(got-distance) > 1e-8 || math.Abs(got-back) > 1e-9 {
			t.Fatalf("from %v by %v at %v km: %v away, %v back", p, azimuth, distance, got, back)
		}
	})
}

// The field's numbers: 12308 and 6123 km2, on the ellipsoid.
func TestFieldE35SquareDegrees(t *testing.T) {
	for _, c := range []struct {
		south, want float64
	}{{0, 12308}, {60, 6123}} {
		got := PolygonArea(orb.Bound{Min: orb.Point{0, c.south}, Max: orb.Point{1, c.south + 1}}.ToPolygon())
		if math.Abs(got-c.want) > 1 {
			t.Errorf("box at %g N: %g km2, want about %g", c.south, got, c.want)
		}
	}
}

// The whole ellipsoid is 510,065,621.724 km2 (authalic radius 6371.0071809 km: 4 π R²).
func TestAreaOfTheEarth(t *testing.T) {
	globe := orb.Polygon{orb.Ring{{-180, -90}, {180, -90}, {180, 90}, {-180, 90}, {-180, -90}}}
	if got := PolygonArea(globe); math.Abs(got-510065621.724) > 0.01 {
		t.Errorf("got %.3f km2", got)
	}
	if got := Perimeter([]orb.Polygon{globe}); got > 1e-9 {
		t.Errorf("the globe has a border of %g km", got)
	}
}

func TestFieldE39WindingE40Hole(t *testing.T) {
	outer := orb.Ring{{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 0}}
	hole := orb.Ring{{0.25, 0.25}, {0.75, 0.25}, {0.75, 0.75}, {0.25, 0.75}, {0.25, 0.25}}
	turn := func(r orb.Ring) orb.Ring {
		c := r.Clone()
		c.Reverse()
		return c
	}
	want := RingArea(outer) - RingArea(hole)
	if math.Abs(RingArea(hole)/RingArea(outer)-0.25) > 1e-4 || want <= 0 {
		t.Fatalf("outer %g, hole %g", RingArea(outer), RingArea(hole))
	}
	for _, p := range []orb.Polygon{{outer, hole}, {turn(outer), hole}, {outer, turn(hole)}, {turn(outer), turn(hole)}} {
		if got := PolygonArea(p); math.Abs(got-want) > 1e-9 {
			t.Errorf("got %g, want %g", got, want)
		}
	}
}

// A box over the antimeridian, cut into two, has the border of the box drawn in one piece.
func TestPerimeterIgnoresTheCut(t *testing.T) {
	whole := []orb.Polygon{orb.Bound{Min: orb.Point{170, -5}, Max: orb.Point{190, 5}}.ToPolygon()}
	cut := []orb.Polygon{
		orb.Bound{Min: orb.Point{170, -5}, Max: orb.Point{180, 5}}.ToPolygon(),
		orb.Bound{Min: orb.Point{-180, -5}, Max: orb.Point{-170, 5}}.ToPolygon(),
	}
	if a, b := Perimeter(whole), Perimeter(cut); math.Abs(a-b) > 1e-6 {
		t.Errorf("whole %g km, cut %g km", a, b)
	}
	if a, b := Perimeter(cut[:1]), Perimeter(whole); a >= b {
		t.Errorf("half the box has %g km, the whole %g", a, b)
	}
}

func ExampleInverse() {
	// Kyiv to Nairobi.
	km, azimuth, _ := Inverse(Point{50.45, 30.52}, Point{-1.29, 36.82})
	fmt.Printf("%.0f km, towards %.0f°\n", km, azimuth)
	// Output: 5765 km, towards 172°
}
