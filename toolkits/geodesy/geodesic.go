package geodesy

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"
)

// The WGS84 ellipsoid: semi-major axis in km and flattening.
const (
	SemiMajorAxis = 6378.137
	Flattening    = 1 / 298.257223563

	semiMinorAxis = SemiMajorAxis * (1 - Flattening)
	e2            = Flattening * (2 - Flattening)              // first eccentricity squared
	ep2           = e2 / ((1 - Flattening) * (1 - Flattening)) // second eccentricity squared
	degree        = math.Pi / 180
)

// Point is a position in degrees.
type Point struct {
	Latitude, Longitude float64
}

const nodes = 12

// gauss are the nodes and weights on [-1, 1]; read only.
var gaussX, gaussW = func() (x, w [nodes]float64) {
	quad.Legendre{}.FixedLocations(x[:], w[:], -1, 1)
	return x, w
}()

// integrate integrates f over [a, b].
func integrate(f func(float64) float64, a, b float64) float64 {
	mid, half := (a+b)/2, (b-a)/2
	sum := 0.0
	for i, x := range gaussX {
		sum += gaussW[i] * f(mid+half*x)
	}
	return sum * half
}

// great is the great circle on the auxiliary sphere that a geodesic is mapped to.
type great struct {
	salp0, calp0 float64 // azimuth where it crosses the equator
	k2           float64
}

func newGreat(salp0, calp0 float64) great { return great{salp0, calp0, ep2 * calp0 * calp0} }

func (g great) root(sigma float64) float64 {
	s := math.Sin(sigma)
	return math.Sqrt(1 + g.k2*s*s)
}

// length is the distance in km between two arguments (Karney 2013, eq. 7).
func (g great) length(from, to float64) float64 {
	return semiMinorAxis * integrate(g.root, from, to)
}

// longitude is the difference of longitude, given that on the sphere (eq. 8).
func (g great) longitude(omega, from, to float64) float64 {
	i3 := integrate(func(sigma float64) float64 {
		return (2 - Flattening) / (1 + (1-Flattening)*g.root(sigma))
	}, from, to)
	return omega - Flattening*g.salp0*i3
}

// reduced is sine and cosine of the reduced latitude.
func reduced(lat float64) (s, c float64) {
	sin, cos := math.Sincos(lat * degree)
	if math.Abs(lat) == 90 {
		cos = 0
	}
	s = (1 - Flattening) * sin
	h := math.Hypot(s, cos)
	return s / h, cos / h
}

// Direct walks distance km from p along the geodesic with the initial azimuth (degrees clockwise from north) and
// returns where that ends, with longitude within 180° of p's, and the azimuth there. The distance may be up to half the
// Earth's circumference, 20,003 km; beyond that the error grows.
func Direct(p Point, azimuth, distance float64) (end Point, azimuthThere float64) {
	sbet1, cbet1 := reduced(p.Latitude)
	cbet1 = max(cbet1, 1e-150) // at a pole: the limit along p's meridian
	salp1, calp1 := math.Sincos(azimuth * degree)
	g := newGreat(salp1*cbet1, math.Hypot(calp1, salp1*sbet1))
	sigma1 := math.Atan2(sbet1, calp1*cbet1)
	omega1 := math.Atan2(g.salp0*sbet1, calp1*cbet1)
	sigma2 := sigma1 + distance/semiMinorAxis
	for range 20 {
		step := (g.length(sigma1, sigma2) - distance) / (semiMinorAxis * g.root(sigma2))
		sigma2 -= step
		if math.Abs(step) < 1e-15 {
			break
		}
	}
	ssig2, csig2 := math.Sincos(sigma2)
	sbet2 := g.calp0 * ssig2
	cbet2 := math.Hypot(g.salp0, g.calp0*csig2)
	omega12 := math.Remainder(math.Atan2(g.salp0*ssig2, csig2)-omega1, 2*math.Pi)
	if g.salp0 != 0 && math.Signbit(omega12) != math.Signbit(g.salp0) && math.Abs(omega12) > 1e-9 {
		omega12 += math.Copysign(2*math.Pi, g.salp0) // more than half round the sphere
	}
	lambda := g.longitude(omega12, sigma1, sigma2)
	end = Point{
		Latitude:  math.Atan2(sbet2, (1-Flattening)*cbet2) / degree,
		Longitude: p.Longitude + math.Remainder(lambda/degree, 360),
	}
	return end, math.Atan2(g.salp0, g.calp0*csig2) / degree
}

// Inverse is the length in km of the shortest geodesic from p to q, and its azimuths at both ends in degrees clockwise
// from north, within ±180. Latitudes must lie within ±90; longitudes may be in any convention. For points that coincide
// both azimuths are 0.
func Inverse(p, q Point) (distance, azimuth, azimuthThere float64) {
	lambda := math.Remainder(q.Longitude-p.Longitude, 360)
	east := 1.0
	if lambda < 0 {
		lambda, east = -lambda, -1
	}
	lat1, lat2 := p.Latitude, q.Latitude
	swapped := math.Abs(lat1) < math.Abs(lat2)
	if swapped {
		lat1, lat2 = lat2, lat1
	}
	north := 1.0
	if lat1 > 0 {
		lat1, lat2, north = -lat1, -lat2, -1
	}
	// now lat1 <= 0, |lat1| >= |lat2|, 0 <= lambda <= 180
	distance, salp1, calp1, salp2, calp2 := inverse(lat1, lat2, lambda)
	if swapped { // solved from q to p with p in the east: mirrored and walked backwards
		salp1, calp1, salp2, calp2 = salp2, -calp2, salp1, -calp1
	}
	azimuth = math.Atan2(east*salp1, north*calp1) / degree
	azimuthThere = math.Atan2(east*salp2, north*calp2) / degree
	return distance, azimuth + 0, azimuthThere + 0
}

// inverse solves the problem in the canonical position: lat1 <= 0, |lat1| >= |lat2|, 0 <= lambda <= 180.
func inverse(lat1, lat2, lambda float64) (distance, salp1, calp1, salp2, calp2 float64) {
	sbet1, cbet1 := reduced(lat1)
	sbet2, cbet2 := reduced(lat2)
	if lat1 == 0 {
		sbet1 = math.Copysign(0, -1) // just south of the equator, so that angles lie in [-π, 0]
	}
	h := hybrid{sbet1, cbet1, sbet2, cbet2}
	switch {
	case lat1 == lat2 && lambda == 0:
		return 0, 0, 1, 0, 1
	case lat1 == -90: // along the meridian of the other point
		d, _ := h.line(0, 1)
		s, c := math.Sincos(lambda * degree)
		return d, s, c, 0, 1
	case lambda == 0:
		d, _ := h.line(0, 1)
		return d, 0, 1, 0, 1
	case lambda == 180:
		d, _ := h.line(0, -1)
		return d, 0, -1, 0, 1
	case lat1 == 0 && lambda <= 180*(1-Flattening): // along the equator
		return SemiMajorAxis * lambda * degree, 1, 0, 1, 0
	}
	target := lambda * degree
	alpha := root(func(alpha float64) float64 {
		s, c := math.Sincos(alpha)
		_, got := h.line(s, c)
		return got - target
	}, 0, math.Pi)
	salp1, calp1 = math.Sincos(alpha)
	distance, _ = h.line(salp1, calp1)
	salp2, calp2 = h.arrival(salp1, calp1)
	return distance, salp1, calp1, salp2, calp2
}

// hybrid holds the two reduced latitudes of the hybrid problem (Karney 2013, section 4): given the azimuth at the
// first, where does the geodesic reach the second latitude, going north.
type hybrid struct {
	sbet1, cbet1, sbet2, cbet2 float64
}

func (h hybrid) arrival(salp1, calp1 float64) (salp2, calp2 float64) {
	salp0 := salp1 * h.cbet1
	// (cos α2 cos β2)² = (cos α1 cos β1)² + cos²β2 - cos²β1, the difference without cancellation
	diff := (h.sbet1 - h.sbet2) * (h.sbet1 + h.sbet2)
	if h.cbet1 < -h.sbet1 {
		diff = (h.cbet2 - h.cbet1) * (h.cbet1 + h.cbet2)
	}
	c := math.Sqrt(max(0, calp1*calp1*h.cbet1*h.cbet1+diff))
	n := math.Hypot(salp0, c)
	if n == 0 {
		return 0, 1
	}
	return salp0 / n, c / n
}

// line gives length and difference of longitude of the geodesic that leaves with the azimuth.
func (h hybrid) line(salp1, calp1 float64) (distance, lambda float64) {
	_, calp2 := h.arrival(salp1, calp1)
	g := newGreat(salp1*h.cbet1, math.Hypot(calp1, salp1*h.sbet1))
	sigma1 := math.Atan2(h.sbet1, calp1*h.cbet1)
	sigma2 := math.Atan2(h.sbet2, calp2*h.cbet2)
	omega1 := math.Atan2(g.salp0*h.sbet1, calp1*h.cbet1)
	omega2 := math.Atan2(g.salp0*h.sbet2, calp2*h.cbet2)
	sigma2 = max(sigma1, sigma2) // they may differ by rounding when the latitudes are equal
	omega := max(0, omega2-omega1)
	return g.length(sigma1, sigma2), g.longitude(omega, sigma1, sigma2)
}

// root finds where the increasing function f crosses zero between a and b by Ridders' method with bisection (Press et
// al., Numerical Recipes, 9.2): it converges for any continuous f with f(a) <= 0 <= f(b).
func root(f func(float64) float64, a, b float64) float64 {
	fa, fb := f(a), f(b)
	if fa >= 0 {
		return a
	}
	if fb <= 0 {
		return b
	}
	for range 100 {
		m := (a + b) / 2
		if m <= a || m >= b {
			break
		}
		fm := f(m)
		s := math.Sqrt(fm*fm - fa*fb)
		if fm == 0 || s == 0 {
			return m
		}
		x := m - (m-a)*fm/s
		fx := f(x)
		lo, flo, hi, fhi := a, fa, b, fb
		for _, p := range [2][2]float64{{m, fm}, {x, fx}} {
			if p[1] < 0 && p[0] > lo {
				lo, flo = p[0], p[1]
			}
			if p[1] >= 0 && p[0] < hi {
				hi, fhi = p[0], p[1]
			}
		}
		if math.Abs(fx) <= 1e-15 {
			return x
		}
		a, fa, b, fb = lo, flo, hi, fhi
	}
	if -fa < fb {
		return a
	}
	return b
}
