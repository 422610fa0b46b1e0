package plot

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"strconv"

	"almanac/toolkits"
)

// sequential is the colour map viridis (van der Walt and Smith 2015, CC0) at nine places.
var sequential = []color.RGBA{
	{68, 1, 84, 255}, {71, 44, 122, 255}, {59, 81, 139, 255}, {44, 113, 142, 255}, {33, 144, 141, 255},
	{39, 173, 129, 255}, {92, 200, 99, 255}, {170, 220, 50, 255}, {253, 231, 37, 255},
}

// diverging is ColorBrewer's RdBu, blue for what is below zero (Brewer 2003, Apache licence).
var diverging = []color.RGBA{
	{5, 48, 97, 255}, {33, 102, 172, 255}, {67, 147, 195, 255}, {146, 197, 222, 255}, {247, 247, 247, 255},
	{244, 165, 130, 255}, {214, 96, 77, 255}, {178, 24, 43, 255}, {103, 0, 31, 255},
}

// scale maps values from low to high to colours.
type scale struct {
	low, high float64
	colours   []color.RGBA
}

// newScale spans the values; a scale of differences has zero in its middle.
func newScale(low, high float64, difference bool) (scale, error) {
	s := scale{low: low, high: high, colours: sequential}
	if difference {
		s.colours = diverging
		s.high = math.Max(math.Abs(low), math.Abs(high))
		s.low = -s.high
	}
	var err error
	s.low, s.high, err = widened(s.low, s.high)
	return s, err
}

// widened makes room around a single value.
func widened(low, high float64) (float64, float64, error) {
	if low == high {
		room := math.Max(math.Abs(low)*0.05, 0.5)
		low, high = low-room, high+room
	}
	if math.IsInf(high-low, 0) || math.Abs(low) > 1e300 || math.Abs(high) > 1e300 {
		return 0, 0, toolkits.Errorf(toolkits.OutOfDomain, "values from %g to %g are too large for a scale", low, high)
	}
	return low, high, nil
}

func (s scale) at(v float64) color.RGBA {
	p := (v - s.low) / (s.high - s.low) * float64(len(s.colours)-1)
	i := min(max(int(p), 0), len(s.colours)-2)
	f := math.Min(1, math.Max(0, p-float64(i)))
	a, b := s.colours[i], s.colours[i+1]
	mix := func(x, y uint8) uint8 { return uint8(math.Round(float64(x) + f*(float64(y)-float64(x)))) }
	return color.RGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 255}
}

// bar draws the scale to the right of the frame, with numbers and unit.
func (c *canvas) bar(s scale, unit string) {
	r := image.Rect(c.frame.Max.X+24, c.frame.Min.Y+20, c.frame.Max.X+42, c.frame.Max.Y)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		share := 1 - (float64(y-r.Min.Y)+0.5)/float64(r.Dy())
		c.fill(image.Rect(r.Min.X, y, r.Max.X, y+1), s.at(s.low+share*(s.high-s.low)))
	}
	c.box(r)
	values, decimals := ticks(s.low, s.high, max(2, r.Dy()/45))
	for _, v := range values {
		y := float64(r.Max.Y) - (v-s.low)/(s.high-s.low)*float64(r.Dy())
		c.fill(image.Rect(r.Max.X, int(y), r.Max.X+4, int(y)+1), ink)
		c.text(c.face, number(v, decimals), float64(r.Max.X+8), y, 0, 0.5)
	}
	if unit != "" && unit != "1" {
		c.text(c.face, unit, float64(r.Min.X), float64(r.Min.Y-6), 0, 1)
	}
}

// ticks are round numbers from low to high, about n of them, and the decimals that they need.
func ticks(low, high float64, n int) (values []float64, decimals int) {
	power := math.Floor(math.Log10((high - low) / float64(n)))
	step := 0.0
	for _, nice := range []float64{1, 2, 5, 10} {
		if step = nice * math.Pow(10, power); (high-low)/step <= float64(n) {
			break
		}
	}
	first := math.Ceil(low/step - 1e-9)
	for k := range 2*n + 2 {
		v := (first + float64(k)) * step
		if v > high+step*1e-9 {
			break
		}
		values = append(values, v)
	}
	return values, max(0, int(-math.Floor(math.Log10(step)+1e-9)))
}

func number(v float64, decimals int) string {
	if math.Abs(v) >= 1e6 || decimals > 6 {
		return strconv.FormatFloat(v, 'g', 5, 64)
	}
	if s := strconv.FormatFloat(v, 'f', decimals, 64); s != "-0" {
		return s
	}
	return "0"
}

// degrees writes a longitude or latitude, as 60°E or 30°S.
func degrees(v float64, decimals int, positive, negative string) string {
	switch {
	case math.Abs(v) < 1e-9 || positive == "E" && math.Abs(math.Abs(v)-180) < 1e-9:
		return fmt.Sprintf("%s°", number(math.Abs(v), decimals))
	case v < 0:
		return number(-v, decimals) + "°" + negative
	}
	return number(v, decimals) + "°" + positive
}
