// Package canonical writes plain values to bytes in one way only, so that
// equal data has equal bytes and one hash, and reads them back from bytes
// that nobody vouches for.
//
// Integers are varints, floats are 8 little-endian bytes with every NaN and
// every zero written as one bit pattern, strings and slices carry their
// length first. The Reader never allocates more than the bytes it was given
// can fill, and stops at the first fault.
package canonical

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// ErrFormat marks bytes that do not decode.
var ErrFormat = errors.New("malformed bytes")

// Writer appends values to Bytes. The zero Writer is ready.
type Writer struct {
	// Bytes is what was written so far.
	Bytes []byte
}

// Int writes a signed integer.
func (w *Writer) Int(v int) { w.Bytes = binary.AppendVarint(w.Bytes, int64(v)) }

// Bool writes a truth value.
func (w *Writer) Bool(v bool) {
	b := byte(0)
	if v {
		b = 1
	}
	w.Bytes = append(w.Bytes, b)
}

// String writes a string with its length.
func (w *Writer) String(s string) {
	w.Bytes = binary.AppendUvarint(w.Bytes, uint64(len(s)))
	w.Bytes = append(w.Bytes, s...)
}

// Float writes one number; NaN and -0 lose their bits.
func (w *Writer) Float(v float64) {
	switch {
	case v != v:
		v = math.NaN()
	case v == 0:
		v = 0
	}
	w.Bytes = binary.LittleEndian.AppendUint64(w.Bytes, math.Float64bits(v))
}

// Floats writes a slice with its length.
func (w *Writer) Floats(v []float64) {
	w.Bytes = binary.AppendUvarint(w.Bytes, uint64(len(v)))
	for _, x := range v {
		w.Float(x)
	}
}

// OptionalFloat writes a number that may be absent.
func (w *Writer) OptionalFloat(v *float64) {
	w.Bool(v != nil)
	if v != nil {
		w.Float(*v)
	}
}

// Reader takes values from bytes in the order they were written. After the
// first fault every method gives a zero value and Err tells the fault.
type Reader struct {
	data []byte
	pos  int
	err  error
}

// NewReader reads from data, which it does not copy or change.
func NewReader(data []byte) *Reader { return &Reader{data: data} }

// Err is the first fault; it wraps ErrFormat.
func (r *Reader) Err() error { return r.err }

// End is Err, or a fault when bytes are left over.
func (r *Reader) End() error {
	if r.err == nil && r.pos < len(r.data) {
		r.fail("%d bytes left over", len(r.data)-r.pos)
	}
	return r.err
}

func (r *Reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%w at byte %d: %s", ErrFormat, r.pos, fmt.Sprintf(format, args...))
	}
}

// Fail records a fault that the caller found in a value.
func (r *Reader) Fail(format string, args ...any) { r.fail(format, args...) }

// Length reads a count of items of at least size bytes each, and refuses one
// that the remaining bytes cannot hold.
func (r *Reader) Length(size int) int {
	if r.err != nil {
		return 0
	}
	v, n := binary.Uvarint(r.data[r.pos:])
	if n <= 0 {
		r.fail("length cut short")
		return 0
	}
	if v > uint64(len(r.data)-r.pos-n)/uint64(max(size, 1)) {
		r.fail("length %d is more than the bytes that follow", v)
		return 0
	}
	r.pos += n
	return int(v)
}

// Int reads a signed integer.
func (r *Reader) Int() int {
	if r.err != nil {
		return 0
	}
	v, n := binary.Varint(r.data[r.pos:])
	if n <= 0 {
		r.fail("integer cut short")
		return 0
	}
	r.pos += n
	return int(v)
}

// Bool reads a truth value.
func (r *Reader) Bool() bool {
	if r.err == nil && r.pos >= len(r.data) {
		r.fail("cut short")
	}
	if r.err != nil {
		return false
	}
	b := r.data[r.pos]
	if b > 1 {
		r.fail("truth value %d", b)
		return false
	}
	r.pos++
	return b == 1
}

// String reads a string.
func (r *Reader) String() string {
	n := r.Length(1)
	if r.err != nil {
		return ""
	}
	s := string(r.data[r.pos : r.pos+n])
	r.pos += n
	return s
}

// Float reads one number.
func (r *Reader) Float() float64 {
	if r.err == nil && len(r.data)-r.pos < 8 {
		r.fail("number cut short")
	}
	if r.err != nil {
		return 0
	}
	v := math.Float64frombits(binary.LittleEndian.Uint64(r.data[r.pos:]))
	r.pos += 8
	return v
}

// Floats reads a slice; an empty one comes back nil.
func (r *Reader) Floats() []float64 {
	n := r.Length(8)
	if r.err != nil || n == 0 {
		return nil
	}
	v := make([]float64, n)
	for i := range v {
		v[i] = r.Float()
	}
	return v
}

// OptionalFloat reads a number that may be absent.
func (r *Reader) OptionalFloat() *float64 {
	if !r.Bool() {
		return nil
	}
	v := r.Float()
	return &v
}

// Remaining is the number of bytes not read yet.
func (r *Reader) Remaining() int { return len(r.data) - r.pos }
