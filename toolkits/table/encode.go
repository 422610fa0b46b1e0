package table

import (
	"encoding/binary"
	"fmt"

	"almanac/internal/canonical"
)

const encodingName = "almanac table 1"

// Canonical is the one encoding of the columns that an artifact's hash covers.
// Source and licence are not in it.
func (t *Table) Canonical() ([]byte, error) {
	w := &canonical.Writer{}
	if err := t.encode(w); err != nil {
		return nil, err
	}
	return w.Bytes, nil
}

func (t *Table) encode(w *canonical.Writer) error {
	if err := t.Validate(); err != nil {
		return err
	}
	w.String(encodingName)
	length(w, len(t.Columns))
	for i := range t.Columns {
		c := &t.Columns[i]
		w.String(c.Name)
		w.String(c.Unit)
		w.String(c.Type)
		if c.Numeric() {
			w.Floats(c.Numbers)
			continue
		}
		length(w, len(c.Texts))
		for _, s := range c.Texts {
			w.String(s)
		}
	}
	return nil
}

// MarshalBinary is Canonical followed by source and licence. The table must be
// valid.
func (t *Table) MarshalBinary() ([]byte, error) {
	w := &canonical.Writer{}
	if err := t.encode(w); err != nil {
		return nil, err
	}
	w.String(t.Source)
	w.String(t.Licence)
	return w.Bytes, nil
}

// UnmarshalBinary reads what MarshalBinary wrote. Bytes from anywhere are safe:
// a fault is an error.
func (t *Table) UnmarshalBinary(data []byte) error {
	r := canonical.NewReader(data)
	if name := r.String(); r.Err() == nil && name != encodingName {
		r.Fail("not a table")
	}
	var out Table
	for n := r.Length(4); n > 0 && r.Err() == nil; n-- {
		c := Column{Name: r.String(), Unit: r.String(), Type: r.String()}
		if c.Numeric() {
			c.Numbers = r.Floats()
		} else {
			for k := r.Length(1); k > 0 && r.Err() == nil; k-- {
				c.Texts = append(c.Texts, r.String())
			}
		}
		out.Columns = append(out.Columns, c)
	}
	out.Source, out.Licence = r.String(), r.String()
	if err := r.End(); err != nil {
		return fmt.Errorf("table: decoding: %w", err)
	}
	if err := out.Validate(); err != nil {
		return fmt.Errorf("table: decoding: %w", err)
	}
	*t = out
	return nil
}

// length writes a count as canonical.Reader.Length reads it.
func length(w *canonical.Writer, n int) { w.Bytes = binary.AppendUvarint(w.Bytes, uint64(n)) }
