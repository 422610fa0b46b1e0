package netcdf

import (
	"encoding/binary"
	"fmt"
	"math"
)

// chunkBytes bounds the buffer between the file and the values.
const chunkBytes = 1 << 20

// Read reads a slab of a numeric variable as it is stored, without looking at
// fill values or scale factors: count[i] values from start[i] in every
// dimension, the last varying fastest. Nil start and count are the whole
// variable. Integers beyond 2^53 are rounded to the nearest float64.
func (f *File) Read(name string, start, count []int64) ([]float64, error) {
	v, err := f.Variable(name)
	if err != nil {
		return nil, err
	}
	if v.Type == Char {
		return nil, fmt.Errorf("netcdf: variable %q is text, not numbers", name)
	}
	start, count, total, err := f.slab(v, start, count)
	if err != nil {
		return nil, err
	}
	values := make([]float64, total)
	done := 0
	err = f.runs(v, start, count, func(b []byte) {
		n := len(b) / int(v.Type.Size())
		decode(values[done:done+n], b, v.Type)
		done += n
	})
	if err != nil {
		return nil, err
	}
	return values, nil
}

// ReadText reads a whole Char variable as rows of its last dimension, with
// trailing NULs and spaces cut; a variable without dimensions is one row.
func (f *File) ReadText(name string) ([]string, error) {
	v, err := f.Variable(name)
	if err != nil {
		return nil, err
	}
	if v.Type != Char {
		return nil, fmt.Errorf("netcdf: variable %q is %s, not text", name, v.Type)
	}
	start, count, total, err := f.slab(v, nil, nil)
	if err != nil {
		return nil, err
	}
	all := make([]byte, 0, total)
	if err := f.runs(v, start, count, func(b []byte) { all = append(all, b...) }); err != nil {
		return nil, err
	}
	width := 1
	if n := len(count); n > 0 {
		width = int(count[n-1])
	}
	var rows []string
	for width > 0 && len(all) >= width {
		rows = append(rows, cutPadding(all[:width]))
		all = all[width:]
	}
	return rows, nil
}

func cutPadding(b []byte) string {
	n := len(b)
	for n > 0 && (b[n-1] == 0 || b[n-1] == ' ') {
		n--
	}
	return string(b[:n])
}

// slab checks start and count against the shape and counts the values.
func (f *File) slab(v *Variable, start, count []int64) (_, _ []int64, total int64, err error) {
	shape := f.Shape(v)
	if start == nil && count == nil {
		start, count = make([]int64, len(shape)), shape
	}
	if len(start) != len(shape) || len(count) != len(shape) {
		return nil, nil, 0, fmt.Errorf("netcdf: variable %q has %d dimensions; start has %d, count %d", v.Name, len(shape), len(start), len(count))
	}
	total = 1
	for i, length := range shape {
		if start[i] < 0 || count[i] < 0 || start[i] > length || count[i] > length-start[i] {
			return nil, nil, 0, fmt.Errorf("netcdf: variable %q, dimension %q: %d values from %d of %d", v.Name, f.Dimensions[v.Dimensions[i]].Name, count[i], start[i], length)
		}
		if count[i] > 0 && total > f.maxValues/count[i] {
			return nil, nil, 0, fmt.Errorf("netcdf: variable %q: %w: more than %d values asked for at once", v.Name, ErrTooLarge, f.maxValues)
		}
		total *= count[i]
	}
	return start, count, total, nil
}

// runs calls use with every contiguous stretch of the slab, in order.
func (f *File) runs(v *Variable, start, count []int64, use func([]byte)) error {
	for _, n := range count {
		if n == 0 {
			return nil
		}
	}
	shape := f.Shape(v)
	strides := f.strides(v, shape)
	// Dimensions from `inner` on lie side by side in the file.
	inner := len(shape)
	run := v.Type.Size()
	for inner > 0 && strides[inner-1] == run {
		inner--
		run *= count[inner]
		if count[inner] != shape[inner] {
			break
		}
	}
	index := make([]int64, inner)
	buffer := make([]byte, min(run, chunkBytes))
	for {
		offset := v.begin
		for i := range shape {
			at := start[i]
			if i < inner {
				at += index[i]
			}
			offset += at * strides[i]
		}
		if err := f.readRun(v, offset, run, buffer, use); err != nil {
			return err
		}
		if !next(index, count) {
			return nil
		}
	}
}

// next counts the index up, the last place fastest; false after the last.
func next(index, count []int64) bool {
	for i := len(index) - 1; i >= 0; i-- {
		if index[i]++; index[i] < count[i] {
			return true
		}
		index[i] = 0
	}
	return false
}

// strides is the bytes between neighbours in every dimension.
func (f *File) strides(v *Variable, shape []int64) []int64 {
	strides := make([]int64, len(shape))
	step := v.Type.Size()
	for i := len(shape) - 1; i >= 0; i-- {
		strides[i] = step
		step *= shape[i]
	}
	if f.isRecord(v) {
		strides[0] = f.recordSize
	}
	return strides
}

func (f *File) readRun(v *Variable, offset, length int64, buffer []byte, use func([]byte)) error {
	for length > 0 {
		b := buffer[:min(length, int64(len(buffer)))]
		if n, err := f.r.ReadAt(b, offset); n < len(b) {
			return fmt.Errorf("netcdf: reading variable %q at byte %d: %w", v.Name, offset, err)
		}
		use(b)
		offset += int64(len(b))
		length -= int64(len(b))
	}
	return nil
}

// decode turns big-endian bytes into numbers; Char counts as an unsigned byte.
func decode(values []float64, b []byte, t Type) {
	be := binary.BigEndian
	for i := range values {
		switch t {
		case Byte:
			values[i] = float64(int8(b[i]))
		case Char, UByte:
			values[i] = float64(b[i])
		case Short:
			values[i] = float64(int16(be.Uint16(b[2*i:])))
		case UShort:
			values[i] = float64(be.Uint16(b[2*i:]))
		case Int:
			values[i] = float64(int32(be.Uint32(b[4*i:])))
		case UInt:
			values[i] = float64(be.Uint32(b[4*i:]))
		case Float:
			values[i] = float64(math.Float32frombits(be.Uint32(b[4*i:])))
		case Double:
			values[i] = math.Float64frombits(be.Uint64(b[8*i:]))
		case Int64:
			values[i] = float64(int64(be.Uint64(b[8*i:])))
		case UInt64:
			values[i] = float64(be.Uint64(b[8*i:]))
		}
	}
}
