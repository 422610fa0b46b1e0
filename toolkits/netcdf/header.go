package netcdf

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

// The tags of the header's lists.
const (
	tagDimension = 0x0A
	tagVariable  = 0x0B
	tagAttribute = 0x0C
)

const (
	maxNameBytes  = 1 << 16 // libnetcdf writes 256 at most
	maxRank       = 1024
	maxHeaderSize = 1 << 28
	streaming     = -1 // the writer did not know the number of records
)

var hdf5Magic = []byte("\x89HDF\r\n\x1a\n")

// headerReader reads big-endian fields and knows where it is. After the first
// fault it returns zeros.
type headerReader struct {
	in      *bufio.Reader
	pos     int64
	size    int64
	version int
	err     error
}

func (h *headerReader) fail(format string, args ...any) {
	if h.err == nil {
		h.err = &FormatError{Offset: h.pos, Reason: fmt.Sprintf(format, args...)}
	}
}

func (h *headerReader) bytes(n int64) []byte {
	switch {
	case h.err != nil:
		return nil
	case n < 0 || n > h.size-h.pos:
		h.fail("the header needs %d more bytes, the file has %d", n, h.size-h.pos)
		return nil
	case h.pos+n > maxHeaderSize:
		h.fail("the header is larger than %d bytes", maxHeaderSize)
		return nil
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(h.in, b); err != nil {
		h.err = fmt.Errorf("netcdf: reading the header at byte %d: %w", h.pos, err)
		return nil
	}
	h.pos += n
	return b
}

func (h *headerReader) uint32() uint32 {
	if b := h.bytes(4); b != nil {
		return binary.BigEndian.Uint32(b)
	}
	return 0
}

func (h *headerReader) int64() int64 {
	if b := h.bytes(8); b != nil {
		return int64(binary.BigEndian.Uint64(b))
	}
	return 0
}

// count is a non-negative number: 4 bytes, 8 in CDF-5.
func (h *headerReader) count(what string) int64 {
	at := h.pos
	n := int64(0)
	if h.version == 5 {
		n = h.int64()
	} else {
		n = int64(int32(h.uint32()))
	}
	if n < 0 && h.err == nil {
		h.err = &FormatError{Offset: at, Reason: fmt.Sprintf("%s is %d", what, n)}
		return 0
	}
	return n
}

// list reads a tag and the number of elements, each of at least size bytes.
func (h *headerReader) list(tag uint32, what string, size int64) int64 {
	at := h.pos
	got := h.uint32()
	n := h.count("number of " + what)
	switch {
	case h.err != nil:
		return 0
	case got == 0 && n == 0:
		return 0
	case got != tag:
		h.err = &FormatError{Offset: at, Reason: fmt.Sprintf("tag %#x where the list of %s should begin", got, what)}
		return 0
	case n > (h.size-h.pos)/size:
		h.err = &FormatError{Offset: at, Reason: fmt.Sprintf("%d %s do not fit in the file", n, what)}
		return 0
	}
	return n
}

func (h *headerReader) name() string {
	at := h.pos
	n := h.count("length of a name")
	if n > maxNameBytes && h.err == nil {
		h.err = &FormatError{Offset: at, Reason: fmt.Sprintf("name of %d bytes", n)}
	}
	return string(h.padded(n))
}

// padded reads n bytes and the padding to a multiple of four.
func (h *headerReader) padded(n int64) []byte {
	b := h.bytes(n)
	if pad := -n & 3; pad > 0 {
		h.bytes(pad)
	}
	return b
}

// readHeader fills the File from its first bytes and gives the offset of the
// first byte after the header.
func (f *File) readHeader() (int64, error) {
	h := &headerReader{in: bufio.NewReader(io.NewSectionReader(f.r, 0, f.size)), size: f.size}
	if err := f.readMagic(h); err != nil {
		return 0, err
	}
	f.records = f.readRecordCount(h)
	f.readDimensions(h)
	f.Attributes = h.attributes("")
	f.readVariables(h)
	return h.pos, h.err
}

func (f *File) readMagic(h *headerReader) error {
	start, _ := h.in.Peek(8) // a shorter file is caught below
	if bytes.Equal(start, hdf5Magic) {
		return fmt.Errorf("netcdf: %w: this is a NetCDF-4 file (HDF5); convert it with `nccopy -k cdf5 in.nc out.nc`", ErrUnsupported)
	}
	magic := h.bytes(4)
	if h.err != nil {
		return h.err
	}
	if string(magic[:3]) != "CDF" {
		return &FormatError{Offset: 0, Reason: fmt.Sprintf("it begins with %q, not CDF", magic)}
	}
	switch magic[3] {
	case 1, 2, 5:
		f.Version = int(magic[3])
		h.version = f.Version
		return nil
	}
	return &FormatError{Offset: 3, Reason: fmt.Sprintf("version %d; known are 1, 2 and 5", magic[3])}
}

func (f *File) readRecordCount(h *headerReader) int64 {
	at := h.pos
	n := int64(0)
	if f.Version == 5 {
		n = h.int64()
	} else if v := h.uint32(); v == math.MaxUint32 {
		n = streaming
	} else {
		n = int64(v)
	}
	if n < streaming && h.err == nil {
		h.err = &FormatError{Offset: at, Reason: fmt.Sprintf("number of records is %d", n)}
	}
	return n
}

func (f *File) readDimensions(h *headerReader) {
	n := h.list(tagDimension, "dimensions", 8)
	unlimited := false
	for range n {
		at := h.pos
		d := Dimension{Name: h.name()}
		d.Length = h.count("length of dimension " + d.Name)
		if h.err != nil {
			return
		}
		if d.Length == 0 {
			if unlimited {
				h.err = &FormatError{Offset: at, Reason: fmt.Sprintf("dimension %q is a second unlimited one", d.Name)}
				return
			}
			unlimited = true
			d.Unlimited, d.Length = true, f.records
		}
		f.Dimensions = append(f.Dimensions, d)
	}
}

func (h *headerReader) attributes(variable string) []Attribute {
	n := h.list(tagAttribute, "attributes", 12)
	var attributes []Attribute
	for range n {
		a := Attribute{Name: h.name()}
		at := h.pos
		a.Type = Type(h.uint32())
		count := h.count("length of attribute " + a.Name)
		if h.err == nil && !h.knownType(a.Type) {
			h.err = &FormatError{Variable: variable, Offset: at, Reason: fmt.Sprintf("attribute %q has the unknown type %d", a.Name, uint32(a.Type))}
		}
		if h.err == nil && count > (h.size-h.pos)/a.Type.Size() {
			h.err = &FormatError{Variable: variable, Offset: at, Reason: fmt.Sprintf("attribute %q of %d values does not fit in the file", a.Name, count)}
		}
		if h.err != nil {
			return nil
		}
		b := h.padded(count * a.Type.Size())
		if h.err != nil {
			return nil
		}
		if a.Type == Char {
			a.Text = string(bytes.TrimRight(b, "\x00"))
		} else {
			a.Numbers = make([]float64, count)
			decode(a.Numbers, b, a.Type)
		}
		attributes = append(attributes, a)
	}
	return attributes
}

// knownType refuses the types of CDF-5 in older files.
func (h *headerReader) knownType(t Type) bool {
	return t.Size() != 0 && (h.version == 5 || t <= Double)
}

func (f *File) readVariables(h *headerReader) {
	n := h.list(tagVariable, "variables", 28)
	for range n {
		v := Variable{Name: h.name()}
		f.readShape(h, &v)
		v.Attributes = h.attributes(v.Name)
		at := h.pos
		v.Type = Type(h.uint32())
		if h.err == nil && !h.knownType(v.Type) {
			h.err = &FormatError{Variable: v.Name, Offset: at, Reason: fmt.Sprintf("unknown type %d", uint32(v.Type))}
		}
		// The stored size is redundant, and too small to tell the truth for
		// large variables: it is computed instead.
		if f.Version == 5 {
			h.int64()
		} else {
			h.uint32()
		}
		if f.Version == 1 {
			v.begin = int64(int32(h.uint32()))
		} else {
			v.begin = h.int64()
		}
		if h.err != nil {
			return
		}
		f.Variables = append(f.Variables, v)
	}
}

func (f *File) readShape(h *headerReader, v *Variable) {
	at := h.pos
	rank := h.count("number of dimensions of variable " + v.Name)
	if rank > maxRank && h.err == nil {
		h.err = &FormatError{Variable: v.Name, Offset: at, Reason: fmt.Sprintf("%d dimensions", rank)}
		return
	}
	for i := range rank {
		at := h.pos
		id := h.count("dimension of variable " + v.Name)
		switch {
		case h.err != nil:
			return
		case id >= int64(len(f.Dimensions)):
			h.err = &FormatError{Variable: v.Name, Offset: at, Reason: fmt.Sprintf("dimension %d of %d", id, len(f.Dimensions))}
			return
		case f.Dimensions[id].Unlimited && i > 0:
			h.err = &FormatError{Variable: v.Name, Offset: at, Reason: fmt.Sprintf("the unlimited dimension %q is not the first", f.Dimensions[id].Name)}
			return
		}
		v.Dimensions = append(v.Dimensions, int(id))
	}
}
