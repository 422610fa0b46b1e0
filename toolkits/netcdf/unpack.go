package netcdf

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// ReadValues reads a slab like Read and gives the values that the file means:
// stored fill values, missing values and values outside the valid range are
// NaN, decided before any scaling; the rest is stored × scale_factor +
// add_offset, where either attribute may be absent. _Unsigned is honoured.
func (f *File) ReadValues(name string, start, count []int64) ([]float64, error) {
	values, err := f.Read(name, start, count)
	if err != nil {
		return nil, err
	}
	v, err := f.Variable(name)
	if err != nil {
		return nil, err
	}
	p, err := packingOf(v)
	if err != nil {
		return nil, err
	}
	for i, x := range values {
		values[i] = p.unpack(x)
	}
	return values, nil
}

// packing is how stored numbers become values.
type packing struct {
	unsigned      float64   // added to negative stored numbers, 0 when signed
	missing       []float64 // stored numbers that mean "no value"
	low, high     float64   // valid stored numbers
	scale, offset float64
	lowV, highV   float64 // valid values, when the range is given unpacked
}

// unpack decides "missing" on the stored number, then scales.
func (p *packing) unpack(x float64) float64 {
	if x < 0 {
		x += p.unsigned
	}
	if x != x || x < p.low || x > p.high || slices.Contains(p.missing, x) {
		return math.NaN()
	}
	if p.scale != 1 {
		x *= p.scale
	}
	x += p.offset
	if x < p.lowV || x > p.highV {
		return math.NaN()
	}
	return x
}

// defaultFill are the numbers that libnetcdf writes into space that was never
// written. Bytes have none by convention: every bit pattern may be data.
var defaultFill = map[Type]float64{
	Short: -32767, Int: -2147483647, Float: float64(float32(9.9692099683868690e+36)), Double: 9.9692099683868690e+36,
	UShort: 65535, UInt: 4294967295, Int64: -9223372036854775806, UInt64: 18446744073709551614,
}

func packingOf(v *Variable) (*packing, error) {
	p := &packing{
		low: math.Inf(-1), high: math.Inf(1), lowV: math.Inf(-1), highV: math.Inf(1), scale: 1,
	}
	if strings.EqualFold(v.Text("_Unsigned"), "true") && (v.Type == Byte || v.Type == Short || v.Type == Int) {
		p.unsigned = math.Exp2(float64(8 * v.Type.Size()))
	}
	for name, into := range map[string]*float64{"scale_factor": &p.scale, "add_offset": &p.offset} {
		x, ok, err := number(v, name)
		if err != nil {
			return nil, err
		}
		if ok {
			*into = x
		}
	}
	if p.scale == 0 || math.IsNaN(p.scale+p.offset) || math.IsInf(p.scale+p.offset, 0) {
		return nil, fmt.Errorf("netcdf: variable %q: %w: scale_factor %g, add_offset %g", v.Name, ErrFormat, p.scale, p.offset)
	}
	if err := p.setMissing(v); err != nil {
		return nil, err
	}
	return p, p.setRange(v)
}

func (p *packing) setMissing(v *Variable) error {
	_, hasFill := v.Attribute("_FillValue")
	for _, name := range []string{"_FillValue", "missing_value"} {
		a, ok := v.Attribute(name)
		if !ok {
			continue
		}
		if a.Type == Char {
			return fmt.Errorf("netcdf: variable %q: %w: %s is the text %q", v.Name, ErrFormat, name, a.Text)
		}
		for _, x := range a.Numbers {
			p.missing = append(p.missing, p.stored(x, v.Type))
		}
	}
	if fill, ok := defaultFill[v.Type]; ok && !hasFill {
		p.missing = append(p.missing, p.stored(fill, v.Type))
	}
	return nil
}

// stored brings an attribute's number to the type of the data: 1e20 written
// as a double must match the float 1.00000002e20 in the file.
func (p *packing) stored(x float64, t Type) float64 {
	if t == Float {
		return float64(float32(x))
	}
	if x < 0 {
		x += p.unsigned
	}
	return x
}

// setRange reads valid_range, valid_min and valid_max. They are in stored
// numbers, unless the variable is packed and they have a floating type other
// than the data's: then they are in values (NetCDF User Guide, Appendix A).
func (p *packing) setRange(v *Variable) error {
	low, high := &p.low, &p.high
	if r, ok := v.Attribute("valid_range"); ok {
		if len(r.Numbers) != 2 {
			return fmt.Errorf("netcdf: variable %q: %w: valid_range has %d numbers", v.Name, ErrFormat, len(r.Numbers))
		}
		if p.unpackedRange(v, r) {
			low, high = &p.lowV, &p.highV
		}
		*low, *high = p.limit(v, r, r.Numbers[0]), p.limit(v, r, r.Numbers[1])
		return nil
	}
	for name, into := range map[string][2]*float64{"valid_min": {&p.low, &p.lowV}, "valid_max": {&p.high, &p.highV}} {
		a, ok := v.Attribute(name)
		if !ok {
			continue
		}
		if len(a.Numbers) != 1 {
			return fmt.Errorf("netcdf: variable %q: %w: %s has %d numbers", v.Name, ErrFormat, name, len(a.Numbers))
		}
		target := into[0]
		if p.unpackedRange(v, a) {
			target = into[1]
		}
		*target = p.limit(v, a, a.Numbers[0])
	}
	return nil
}

func (p *packing) unpackedRange(v *Variable, a Attribute) bool {
	packed := p.scale != 1 || p.offset != 0
	return packed && (a.Type == Float || a.Type == Double) && a.Type != v.Type
}

func (p *packing) limit(v *Variable, a Attribute, x float64) float64 {
	if p.unpackedRange(v, a) {
		return x
	}
	return p.stored(x, v.Type)
}

// number reads an attribute that must be one number.
func number(v *Variable, name string) (float64, bool, error) {
	a, ok := v.Attribute(name)
	if !ok {
		return 0, false, nil
	}
	if len(a.Numbers) != 1 {
		return 0, false, fmt.Errorf("netcdf: variable %q: %w: %s is not one number", v.Name, ErrFormat, name)
	}
	return a.Numbers[0], true, nil
}
