package units

import (
	"fmt"
)

// Convert expresses value, in unit from, in unit to. With difference true the
// value is a difference, so 10 degC is 10 K; with false it is 283.15 K.
// Errors wrap ErrUnit (unreadable) or ErrIncompatible.
func Convert(value float64, from, to string, difference bool) (float64, error) {
	convert, err := Converter(from, to, difference)
	if err != nil {
		return 0, err
	}
	return convert(value), nil
}

// Converter gives the conversion of Convert as a function, for whole fields.
// NaN stays NaN.
func Converter(from, to string, difference bool) (func(float64) float64, error) {
	u, err := Parse(from)
	if err != nil {
		return nil, err
	}
	v, err := Parse(to)
	if err != nil {
		return nil, err
	}
	if !u.Convertible(v) {
		return nil, fmt.Errorf("units: %w: %q to %q", ErrIncompatible, from, to)
	}
	return func(x float64) float64 {
		y, _ := u.Convert(x, v, difference) // compatible, as checked above
		return y
	}, nil
}

// Convertible reports whether both strings are units of one dimension.
func Convertible(a, b string) bool {
	u, err := Parse(a)
	if err != nil {
		return false
	}
	v, err := Parse(b)
	return err == nil && u.Convertible(v)
}

// Same reports whether both strings mean the same unit ("m/s" and "m s-1").
func Same(a, b string) bool {
	u, err := Parse(a)
	if err != nil {
		return false
	}
	v, err := Parse(b)
	return err == nil && u.Equal(v)
}

// Canonical gives the canonical spelling of a unit string.
func Canonical(s string) (string, error) {
	u, err := Parse(s)
	if err != nil {
		return "", err
	}
	return u.String(), nil
}

// Mul is the canonical unit of a product: Mul("m s-1", "s") is "m".
// Temperatures in a product are differences.
func Mul(a, b string) (string, error) { return combine(a, b, 1) }

// Div is the canonical unit of a quotient: Div("mm", "day") is "mm day-1".
func Div(a, b string) (string, error) { return combine(a, b, -1) }

func combine(a, b string, sign int) (string, error) {
	u, err := Parse(a)
	if err != nil {
		return "", err
	}
	v, err := Parse(b)
	if err != nil {
		return "", err
	}
	if !u.fits(v, sign) {
		return "", fmt.Errorf("units: combining %q and %q: power too large", a, b)
	}
	return u.mul(v, sign).String(), nil
}

// Pow is the canonical unit of an integer power: Pow("km", 2) is "km2". The
// power must be within ±20.
func Pow(a string, n int) (string, error) {
	u, err := Parse(a)
	if err != nil {
		return "", err
	}
	if !u.powFits(n) {
		return "", fmt.Errorf("units: raising %q to %d: power too large", a, n)
	}
	return u.pow(n).String(), nil
}

const maxPower = 20

func (u Unit) fits(v Unit, sign int) bool {
	for i := range u.dims {
		if n := int(u.dims[i]) + sign*int(v.dims[i]); n > maxPower || n < -maxPower {
			return false
		}
	}
	return len(u.factors)+len(v.factors) <= maxPower
}

func (u Unit) powFits(n int) bool {
	if n > maxPower || n < -maxPower {
		return false
	}
	for _, d := range u.dims {
		if k := int(d) * n; k > maxPower || k < -maxPower {
			return false
		}
	}
	return true
}
