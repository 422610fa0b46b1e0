package netcdf

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
)

// Dataset is what Write lays out. Indices of variables' dimensions are into
// Dimensions.
type Dataset struct {
	// Version is 1, 2 or 5; 0 picks the oldest that holds the data.
	Version    int
	Dimensions []Dimension // one may be Unlimited; its Length is the number of records
	Attributes []Attribute
	Variables  []VariableData
}

// VariableData is a variable with its values as they are stored: row-major,
// already packed, fill values in place.
type VariableData struct {
	Variable
	Numbers []float64 // for numeric types; integers must be whole and in range
	Text    string    // for Char
}

// Write writes ds to w. It refuses data that the file could not hold exactly
// as meant: a length that does not fit the dimensions, NaN or a fraction in an
// integer type, a type that the version does not have.
func Write(w io.Writer, ds *Dataset) error {
	plan, err := planLayout(ds)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 1<<16)
	if _, err := out.Write(plan.header()); err != nil {
		return fmt.Errorf("netcdf: writing the header: %w", err)
	}
	if err := plan.writeData(out); err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("netcdf: writing: %w", err)
	}
	return nil
}

// layoutPlan is where everything goes.
type layoutPlan struct {
	ds      *Dataset
	version int
	records int64
	sizes   []int64 // bytes of each variable, or of one record of it
	begins  []int64
	lone    bool // one record variable: its records are not padded
}

func planLayout(ds *Dataset) (*layoutPlan, error) {
	p := &layoutPlan{ds: ds, version: ds.Version, sizes: make([]int64, len(ds.Variables)), begins: make([]int64, len(ds.Variables))}
	if err := p.checkDimensions(); err != nil {
		return nil, err
	}
	total, recordVariables := int64(0), 0
	for i := range ds.Variables {
		if err := p.measure(i); err != nil {
			return nil, err
		}
		if p.isRecord(i) {
			recordVariables++
		}
		total += p.sizes[i] + 4
	}
	p.lone = recordVariables == 1
	if err := p.pickVersion(total); err != nil {
		return nil, err
	}
	at := int64(len(p.header()))
	for _, record := range []bool{false, true} {
		for i := range ds.Variables {
			if p.isRecord(i) == record {
				p.begins[i] = at
				at += p.padded(i)
			}
		}
	}
	return p, nil
}

func (p *layoutPlan) checkDimensions() error {
	unlimited := false
	for _, d := range p.ds.Dimensions {
		switch {
		case d.Name == "":
			return fmt.Errorf("netcdf: writing: a dimension has no name")
		case d.Unlimited && unlimited:
			return fmt.Errorf("netcdf: writing: dimension %q is a second unlimited one", d.Name)
		case d.Length < 0 || !d.Unlimited && d.Length == 0:
			return fmt.Errorf("netcdf: writing: dimension %q has length %d", d.Name, d.Length)
		case d.Unlimited:
			unlimited, p.records = true, d.Length
		}
	}
	return nil
}

// measure checks one variable against its dimensions and its type.
func (p *layoutPlan) measure(i int) error {
	v := &p.ds.Variables[i]
	if v.Name == "" || v.Type.Size() == 0 {
		return fmt.Errorf("netcdf: writing variable %q: unknown type %d", v.Name, uint32(v.Type))
	}
	n := int64(1)
	for k, d := range v.Dimensions {
		if d < 0 || d >= len(p.ds.Dimensions) {
			return fmt.Errorf("netcdf: writing variable %q: dimension %d of %d", v.Name, d, len(p.ds.Dimensions))
		}
		dimension := p.ds.Dimensions[d]
		if dimension.Unlimited && k > 0 {
			return fmt.Errorf("netcdf: writing variable %q: the unlimited dimension %q is not the first", v.Name, dimension.Name)
		}
		if dimension.Unlimited {
			continue
		}
		if n > math.MaxInt32*int64(256)/dimension.Length {
			return fmt.Errorf("netcdf: writing variable %q: %w", v.Name, ErrTooLarge)
		}
		n *= dimension.Length
	}
	p.sizes[i] = n * v.Type.Size()
	if p.isRecord(i) {
		n *= p.records
	}
	have := int64(len(v.Numbers))
	if v.Type == Char {
		have = int64(len(v.Text))
	}
	if have != n {
		return fmt.Errorf("netcdf: writing variable %q: %d values for %d places", v.Name, have, n)
	}
	return checkNumbers(v.Name, v.Type, v.Numbers)
}

func checkNumbers(name string, t Type, numbers []float64) error {
	low, high, integer := limits(t)
	if !integer {
		return nil
	}
	for i, x := range numbers {
		if x != math.Trunc(x) || x < low || x > high {
			return fmt.Errorf("netcdf: writing %q: value %d is %g, which the type %s cannot hold", name, i, x, t)
		}
	}
	return nil
}

func limits(t Type) (low, high float64, integer bool) {
	bits := float64(8 * t.Size())
	switch t {
	case Byte, Short, Int:
		return -math.Exp2(bits - 1), math.Exp2(bits-1) - 1, true
	case UByte, UShort, UInt:
		return 0, math.Exp2(bits) - 1, true
	case Int64: // the largest float64 below 2^63
		return -math.Exp2(63), math.Nextafter(math.Exp2(63), 0), true
	case UInt64:
		return 0, math.Nextafter(math.Exp2(64), 0), true
	}
	return 0, 0, false
}

func (p *layoutPlan) isRecord(i int) bool {
	v := p.ds.Variables[i]
	return len(v.Dimensions) > 0 && p.ds.Dimensions[v.Dimensions[0]].Unlimited
}

func (p *layoutPlan) padded(i int) int64 {
	if p.lone && p.isRecord(i) {
		return p.sizes[i]
	}
	return p.sizes[i] + -p.sizes[i]&3
}

// pickVersion finds the oldest version that has the types and the offsets.
func (p *layoutPlan) pickVersion(total int64) error {
	need := 1
	if total > math.MaxInt32-1<<20 {
		need = 2
	}
	attributes := slices.Clone(p.ds.Attributes)
	for i, v := range p.ds.Variables {
		attributes = append(attributes, v.Attributes...)
		if v.Type > Double || p.sizes[i] > math.MaxInt32 {
			need = 5
		}
	}
	for _, a := range attributes {
		if a.Type.Size() == 0 || a.Name == "" {
			return fmt.Errorf("netcdf: writing attribute %q: unknown type %d", a.Name, uint32(a.Type))
		}
		if err := checkNumbers(a.Name, a.Type, a.Numbers); err != nil {
			return err
		}
		if a.Type > Double {
			need = 5
		}
	}
	switch {
	case p.version == 0:
		p.version = need
	case !slices.Contains([]int{1, 2, 5}, p.version):
		return fmt.Errorf("netcdf: writing: version %d; known are 1, 2 and 5", p.version)
	case p.version < need:
		return fmt.Errorf("netcdf: writing: the data needs version %d, not %d", need, p.version)
	}
	return nil
}

// headerWriter appends big-endian fields.
type headerWriter struct {
	b       []byte
	version int
}

func (h *headerWriter) uint32(n uint32) { h.b = binary.BigEndian.AppendUint32(h.b, n) }

func (h *headerWriter) count(n int64) {
	if h.version == 5 {
		h.b = binary.BigEndian.AppendUint64(h.b, uint64(n))
		return
	}
	h.uint32(uint32(n))
}

func (h *headerWriter) list(tag uint32, n int) {
	if n == 0 {
		tag = 0
	}
	h.uint32(tag)
	h.count(int64(n))
}

func (h *headerWriter) pad() {
	for len(h.b)%4 != 0 {
		h.b = append(h.b, 0)
	}
}

func (h *headerWriter) name(s string) {
	h.count(int64(len(s)))
	h.b = append(h.b, s...)
	h.pad()
}

func (h *headerWriter) attributes(attributes []Attribute) {
	h.list(tagAttribute, len(attributes))
	for _, a := range attributes {
		h.name(a.Name)
		h.uint32(uint32(a.Type))
		if a.Type == Char {
			h.name(a.Text) // a count, the bytes and padding, as a name
			continue
		}
		h.count(int64(len(a.Numbers)))
		for _, x := range a.Numbers {
			h.b = appendNumber(h.b, a.Type, x)
		}
		h.pad()
	}
}

func (p *layoutPlan) header() []byte {
	h := &headerWriter{b: []byte{'C', 'D', 'F', byte(p.version)}, version: p.version}
	h.count(p.records)
	h.list(tagDimension, len(p.ds.Dimensions))
	for _, d := range p.ds.Dimensions {
		h.name(d.Name)
		if d.Unlimited {
			h.count(0)
		} else {
			h.count(d.Length)
		}
	}
	h.attributes(p.ds.Attributes)
	h.list(tagVariable, len(p.ds.Variables))
	for i, v := range p.ds.Variables {
		h.name(v.Name)
		h.count(int64(len(v.Dimensions)))
		for _, d := range v.Dimensions {
			h.count(int64(d))
		}
		h.attributes(v.Attributes)
		h.uint32(uint32(v.Type))
		h.count(min(p.sizes[i]+-p.sizes[i]&3, p.largestSize()))
		if p.version == 1 {
			h.uint32(uint32(p.begins[i]))
		} else {
			h.b = binary.BigEndian.AppendUint64(h.b, uint64(p.begins[i]))
		}
	}
	return h.b
}

// largestSize is what the redundant size field holds for anything larger.
func (p *layoutPlan) largestSize() int64 {
	if p.version == 5 {
		return math.MaxInt64
	}
	return math.MaxUint32
}

func (p *layoutPlan) writeData(out *bufio.Writer) error {
	for i := range p.ds.Variables {
		if !p.isRecord(i) {
			if err := p.writeBlock(out, i, 0); err != nil {
				return err
			}
		}
	}
	for record := range p.records {
		for i := range p.ds.Variables {
			if p.isRecord(i) {
				if err := p.writeBlock(out, i, record); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// writeBlock writes a fixed variable or one record, with its padding.
func (p *layoutPlan) writeBlock(out *bufio.Writer, i int, record int64) error {
	v := &p.ds.Variables[i]
	n := p.sizes[i] / v.Type.Size()
	var err error
	if v.Type == Char {
		_, err = out.WriteString(v.Text[record*n : (record+1)*n])
	} else {
		b := make([]byte, 0, 8)
		for _, x := range v.Numbers[record*n : (record+1)*n] {
			if _, err = out.Write(appendNumber(b, v.Type, x)); err != nil {
				break
			}
		}
	}
	for range p.padded(i) - p.sizes[i] {
		if err == nil {
			err = out.WriteByte(0)
		}
	}
	if err != nil {
		return fmt.Errorf("netcdf: writing variable %q: %w", v.Name, err)
	}
	return nil
}

// appendNumber writes one number, which checkNumbers has found to fit.
func appendNumber(b []byte, t Type, x float64) []byte {
	be := binary.BigEndian
	switch t {
	case Byte:
		return append(b, byte(int8(x)))
	case Char, UByte:
		return append(b, byte(x))
	case Short:
		return be.AppendUint16(b, uint16(int16(x)))
	case UShort:
		return be.AppendUint16(b, uint16(x))
	case Int:
		return be.AppendUint32(b, uint32(int32(x)))
	case UInt:
		return be.AppendUint32(b, uint32(x))
	case Float:
		return be.AppendUint32(b, math.Float32bits(float32(x)))
	case Double:
		return be.AppendUint64(b, math.Float64bits(x))
	case Int64:
		return be.AppendUint64(b, uint64(int64(x)))
	}
	return be.AppendUint64(b, uint64(x))
}
