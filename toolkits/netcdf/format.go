package netcdf

import (
	"errors"
	"fmt"
	"slices"
)

// ErrFormat marks a file that is not valid NetCDF classic.
var ErrFormat = errors.New("malformed NetCDF")

// ErrUnsupported marks a valid file that this package does not read.
var ErrUnsupported = errors.New("unsupported")

// ErrNotFound marks a variable, level or axis that the file does not have.
var ErrNotFound = errors.New("not found")

// ErrTooLarge marks a read of more values than Options.MaxValues.
var ErrTooLarge = errors.New("too large")

// FormatError says where a file is broken. It wraps ErrFormat.
type FormatError struct {
	Variable string // the variable concerned, "" for the header
	Offset   int64  // the byte of the file
	Reason   string
}

// Error names the variable, the byte and what is wrong there.
func (e *FormatError) Error() string {
	where := ""
	if e.Variable != "" {
		where = fmt.Sprintf(" variable %q", e.Variable)
	}
	return fmt.Sprintf("netcdf: %v:%s at byte %d: %s", ErrFormat, where, e.Offset, e.Reason)
}

// Unwrap gives ErrFormat.
func (e *FormatError) Unwrap() error { return ErrFormat }

// Type is an external data type.
type Type uint32

// The external types. The last five exist in CDF-5 only.
const (
	Byte   Type = 1
	Char   Type = 2
	Short  Type = 3
	Int    Type = 4
	Float  Type = 5
	Double Type = 6
	UByte  Type = 7
	UShort Type = 8
	UInt   Type = 9
	Int64  Type = 10
	UInt64 Type = 11
)

var typeNames = [...]string{"", "byte", "char", "short", "int", "float", "double", "ubyte", "ushort", "uint", "int64", "uint64"}
var typeSizes = [...]int64{0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8}

// String is the name that CDL uses.
func (t Type) String() string {
	if t < Byte || t > UInt64 {
		return fmt.Sprintf("type(%d)", uint32(t))
	}
	return typeNames[t]
}

// Size is the bytes of one value, 0 for an unknown type.
func (t Type) Size() int64 {
	if t < Byte || t > UInt64 {
		return 0
	}
	return typeSizes[t]
}

// Dimension is a named length. At most one is unlimited; its length is the
// number of records.
type Dimension struct {
	Name      string
	Length    int64
	Unlimited bool
}

// Attribute is a named text or list of numbers. Integers beyond 2^53 are
// rounded to the nearest float64.
type Attribute struct {
	Name    string
	Type    Type
	Text    string    // for Char
	Numbers []float64 // for all other types
}

// TextAttribute makes an attribute of type Char.
func TextAttribute(name, text string) Attribute {
	return Attribute{Name: name, Type: Char, Text: text}
}

// NumberAttribute makes an attribute of a numeric type.
func NumberAttribute(name string, t Type, numbers ...float64) Attribute {
	return Attribute{Name: name, Type: t, Numbers: numbers}
}

// Variable is an array over dimensions, the slowest first.
type Variable struct {
	Name       string
	Type       Type
	Dimensions []int // indices into the file's dimensions
	Attributes []Attribute

	begin int64 // byte of the first value
	size  int64 // bytes of all values, or of those of one record, without padding
}

// Attribute finds an attribute by name.
func (v *Variable) Attribute(name string) (Attribute, bool) {
	return findAttribute(v.Attributes, name)
}

// Text is the text of an attribute, "" when it is missing or numeric.
func (v *Variable) Text(name string) string {
	a, _ := v.Attribute(name)
	return a.Text
}

func findAttribute(attributes []Attribute, name string) (Attribute, bool) {
	i := slices.IndexFunc(attributes, func(a Attribute) bool { return a.Name == name })
	if i < 0 {
		return Attribute{}, false
	}
	return attributes[i], true
}
