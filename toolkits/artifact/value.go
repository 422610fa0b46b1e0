package artifact

import (
	"encoding"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"almanac/toolkits/grid"
	"almanac/toolkits/series"
	"almanac/toolkits/table"
	"almanac/toolkits/vector"
)

// The kinds of artifact.
const (
	KindRaster = "raster"
	KindVector = "vector"
	KindTable  = "table"
	KindSeries = "series"
	KindScalar = "scalar"
	KindText   = "text"
	KindImage  = "image"
)

// Value is one of [*grid.Raster], [*vector.Features], [*table.Table], [*series.Series], [*Scalar], [*Text] and
// [*Image]. A value must not be changed once it was put into a store or came out of one: stores share them.
type Value any

// Types of a [Scalar].
const (
	Number  = "number"
	Integer = "integer"
	Boolean = "boolean" // Value is 1 or 0
)

// Scalar is one number with its unit ("1" where it has none). It is never NaN or infinite.
type Scalar struct {
	Value      float64 `json:"value"`
	Type       string  `json:"type"` // [Number], [Integer] or [Boolean]
	Unit       string  `json:"unit"`
	Variable   string  `json:"variable,omitempty"`
	Difference bool    `json:"difference,omitempty"` // a difference: no offset on conversion
}

// MarshalBinary encodes s canonically. A value that is not finite is an error.
func (s *Scalar) MarshalBinary() ([]byte, error) {
	if math.IsNaN(s.Value) || math.IsInf(s.Value, 0) {
		return nil, fmt.Errorf("artifact: a scalar must be finite, not %v", s.Value)
	}
	c := *s
	if c.Value == 0 {
		c.Value = 0 // no negative zero: equal numbers are equal bytes
	}
	return json.Marshal(c)
}

// UnmarshalBinary decodes what MarshalBinary wrote.
func (s *Scalar) UnmarshalBinary(data []byte) error { return json.Unmarshal(data, s) }

// Text is a short text result: a name, a label of a time, a summary. Type is "text" or "instant".
type Text struct {
	Text string `json:"text"`
	Type string `json:"type"`
}

// MarshalBinary encodes t canonically.
func (t *Text) MarshalBinary() ([]byte, error) { return json.Marshal(t) }

// UnmarshalBinary decodes what MarshalBinary wrote.
func (t *Text) UnmarshalBinary(data []byte) error { return json.Unmarshal(data, t) }

// Image is a picture for people.
type Image struct {
	Format        string // "png"
	Width, Height int    // pixels
	Data          []byte
	Title         string
}

// MarshalBinary encodes m: the sizes, the lengths of format and title, then the bytes of all three.
func (m *Image) MarshalBinary() ([]byte, error) {
	b := make([]byte, 0, 16+len(m.Format)+len(m.Title)+len(m.Data))
	for _, n := range []int{m.Width, m.Height, len(m.Format), len(m.Title)} {
		b = binary.BigEndian.AppendUint32(b, uint32(n))
	}
	b = append(b, m.Format...)
	b = append(b, m.Title...)
	return append(b, m.Data...), nil
}

// UnmarshalBinary decodes what MarshalBinary wrote.
func (m *Image) UnmarshalBinary(data []byte) error {
	if len(data) < 16 {
		return errors.New("artifact: image: cut short")
	}
	word := func(i int) int { return int(binary.BigEndian.Uint32(data[4*i:])) }
	w, h, nf, nt := word(0), word(1), word(2), word(3)
	rest := data[16:]
	if nf > len(rest) || nt > len(rest)-nf {
		return errors.New("artifact: image: cut short")
	}
	*m = Image{Format: string(rest[:nf]), Width: w, Height: h, Title: string(rest[nf : nf+nt]), Data: append([]byte(nil), rest[nf+nt:]...)}
	return nil
}

// KindOf returns the kind of v, or "" if v is not an artifact.
func KindOf(v Value) string {
	switch v.(type) {
	case *grid.Raster:
		return KindRaster
	case *vector.Features:
		return KindVector
	case *table.Table:
		return KindTable
	case *series.Series:
		return KindSeries
	case *Scalar:
		return KindScalar
	case *Text:
		return KindText
	case *Image:
		return KindImage
	}
	return ""
}

// codec is what every kind of value can do.
type codec interface {
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}

func newValue(kind string) (codec, error) {
	switch kind {
	case KindRaster:
		return new(grid.Raster), nil
	case KindVector:
		return new(vector.Features), nil
	case KindTable:
		return new(table.Table), nil
	case KindSeries:
		return new(series.Series), nil
	case KindScalar:
		return new(Scalar), nil
	case KindText:
		return new(Text), nil
	case KindImage:
		return new(Image), nil
	}
	return nil, fmt.Errorf("artifact: unknown kind %q", kind)
}
