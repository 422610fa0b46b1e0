package stats

import "math"

// z975 is the standard normal quantile at 0.975.
const z975 = 1.959963984540054

// Wilson is the 95 % score interval of a share: successes (which may be fractional: a sum of template shares) out of
// n (Wilson, 1927).
func Wilson(successes float64, n int) (lo, hi float64) {
	if n <= 0 {
		return 0, 1
	}
	nn, p := float64(n), successes/float64(n)
	z2 := float64(z975 * z975)
	centre := (p + z2/(2*nn)) / (1 + z2/nn)
	half := z975 * math.Sqrt(float64(p*(1-p))/nn+z2/(4*nn*nn)) / (1 + z2/nn)
	lo, hi = centre-half, centre+half
	if successes <= 0 {
		lo = 0
	}
	if successes >= nn {
		hi = 1
	}
	return math.Max(0, lo), math.Min(1, hi)
}

// Cells are the four cells of a paired two by two table: both, only the first, only the second, neither. They may be
// fractional: sums of template shares.
type Cells struct{ Both, First, Second, Neither float64 }

// Newcombe is the 95 % interval of the difference of two paired shares, first less second: the hybrid score
// interval with the correlation term (Newcombe, 1998, method 10, with the continuity-corrected phi).
func Newcombe(c Cells) (lo, hi float64) {
	n := c.Both + c.First + c.Second + c.Neither
	if n <= 0 {
		return -1, 1
	}
	a, b := c.Both+c.First, c.Both+c.Second
	p1, p2 := a/n, b/n
	l1, u1 := wilsonN(p1, n)
	l2, u2 := wilsonN(p2, n)
	phi := newcombePhi(c, n, a, b)
	d := p1 - p2
	below := square(p1-l1) - float64(2*phi*float64((p1-l1)*(u2-p2))) + square(u2-p2)
	above := square(p2-l2) - float64(2*phi*float64((p2-l2)*(u1-p1))) + square(u1-p1)
	return math.Max(-1, d-math.Sqrt(math.Max(0, below))), math.Min(1, d+math.Sqrt(math.Max(0, above)))
}

func wilsonN(p, n float64) (lo, hi float64) {
	return Wilson(p*n, int(math.Round(n)))
}

func square(v float64) float64 { return float64(v * v) }

// newcombePhi is the correlation of the two ratings; a positive numerator is reduced by n/2, not below 0, as the
// method prescribes; 0 when a margin is empty.
func newcombePhi(c Cells, n, a, b float64) float64 {
	margins := float64(float64(a*(n-a)) * float64(b*(n-b)))
	if margins <= 0 {
		return 0
	}
	num := float64(c.Both*c.Neither) - float64(c.First*c.Second)
	if num > 0 {
		num = math.Max(num-n/2, 0)
	}
	return num / math.Sqrt(margins)
}
