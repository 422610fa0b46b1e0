package units

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// ErrUnit marks a unit string that cannot be read; the message has the
// nearest known names.
var ErrUnit = errors.New("unknown unit")

// ErrIncompatible marks a conversion between units of different dimension.
var ErrIncompatible = errors.New("units are not convertible")

type dimensions [dimCount]int8

// factor is one symbol with its power, as it stands in the canonical string.
type factor struct {
	symbol string
	power  int
}

// Unit is a parsed unit. The zero Unit is not valid; Parse("1") is the
// dimensionless one. A Unit is immutable.
type Unit struct {
	dims    dimensions
	scale   float64 // SI value of one of this unit
	offset  float64 // SI value at this unit's zero; only for a bare temperature scale
	number  float64 // numeric coefficient of the canonical string
	factors []factor
}

// String is the canonical spelling, which Parse reads back to the same unit.
func (u Unit) String() string {
	var words []string
	if u.number != 1 || len(u.factors) == 0 {
		words = append(words, formatNumber(u.number))
	}
	for _, positive := range []bool{true, false} {
		for _, f := range u.factors {
			if (f.power > 0) != positive {
				continue
			}
			word := f.symbol
			if f.power != 1 {
				word += strconv.Itoa(f.power)
			}
			words = append(words, word)
		}
	}
	return strings.Join(words, " ")
}

func formatNumber(v float64) string {
	s := strconv.FormatFloat(v, 'g', -1, 64)
	if a := math.Abs(v); a < 0.1 && a > 0 || a >= 1e5 {
		s = strconv.FormatFloat(v, 'e', -1, 64)
	}
	mantissa, exponent, found := strings.Cut(s, "e")
	if !found {
		return s
	}
	n, err := strconv.Atoi(exponent)
	if err != nil {
		return s
	}
	return mantissa + "e" + strconv.Itoa(n)
}

// IsTemperature reports whether the unit is a scale whose zero is not the
// physical zero (degC, degF), so that values and differences convert apart.
func (u Unit) IsTemperature() bool { return u.offset != 0 }

// Dimensionless reports whether the unit is a plain number ("1", "%", "ppm").
func (u Unit) Dimensionless() bool { return u.dims == dimensions{} }

// Convertible reports whether values in u can be expressed in v.
func (u Unit) Convertible(v Unit) bool { return u.dims == v.dims }

// Equal reports whether u and v measure the same with the same numbers, as
// "m s-1" and "m/s", or "mb" and "hPa", do.
func (u Unit) Equal(v Unit) bool {
	return u.dims == v.dims && close12(u.scale, v.scale) && close12(u.offset, v.offset)
}

func close12(a, b float64) bool {
	return a == b || math.Abs(a-b) <= 1e-12*math.Max(math.Abs(a), math.Abs(b))
}

// Convert expresses a value of unit u in unit v. With difference true the
// value is a difference and no temperature offset is applied.
func (u Unit) Convert(value float64, v Unit, difference bool) (float64, error) {
	if !u.Convertible(v) {
		return 0, fmt.Errorf("%w: %q to %q", ErrIncompatible, u, v)
	}
	if u.scale == v.scale && u.offset == v.offset {
		return value, nil
	}
	if difference || u.offset == 0 && v.offset == 0 {
		return scaled(value, u.scale, v.scale), nil
	}
	return scaled(value*u.scale+(u.offset-v.offset), 1, v.scale), nil
}

// scaled multiplies by from/to, dividing by the inverse when that is the
// whole number: 5 hPa to Pa must be 500 exactly.
func scaled(value, from, to float64) float64 {
	if r := from / to; r >= 1 {
		return value * r
	}
	return value / (to / from)
}

// mul is the product with v raised to the power sign (1 or -1).
func (u Unit) mul(v Unit, sign int) Unit {
	out := Unit{
		scale:   u.scale * math.Pow(v.scale, float64(sign)),
		number:  u.number * math.Pow(v.number, float64(sign)),
		factors: append([]factor(nil), u.factors...),
	}
	for i := range out.dims {
		out.dims[i] = u.dims[i] + int8(sign)*v.dims[i]
	}
	for _, f := range v.factors {
		out.factors = addFactor(out.factors, factor{f.symbol, sign * f.power})
	}
	// A number times a temperature scale keeps the scale's zero; in any other
	// product the temperature is a difference.
	switch {
	case len(v.factors) == 0:
		out.offset = u.offset
	case len(u.factors) == 0 && sign > 0:
		out.offset = v.offset
	}
	return out
}

func addFactor(factors []factor, f factor) []factor {
	for i := range factors {
		if factors[i].symbol != f.symbol {
			continue
		}
		if factors[i].power += f.power; factors[i].power == 0 {
			return append(factors[:i], factors[i+1:]...)
		}
		return factors
	}
	return append(factors, f)
}

func (u Unit) pow(n int) Unit {
	out := Unit{scale: 1, number: 1}
	sign := 1
	if n < 0 {
		n, sign = -n, -1
	}
	for range n {
		out = out.mul(u, sign)
	}
	return out
}
