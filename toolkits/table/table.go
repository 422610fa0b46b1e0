// Package table holds tables of typed columns with units, and reads and writes
// them as CSV.
//
// Numbers are read strictly: a cell either is a number in plain or exponent
// notation, with a point for the decimals, or it is an error that names line
// and column. "1,234.56" is not 1234, and "12 mm" is not 12. Missing values are
// NaN in number columns and "" in text columns.
package table

import (
	"errors"
	"fmt"
)

// Column types.
const (
	Number  = "number"  // float64, NaN where missing
	Integer = "integer" // whole numbers up to 2^53, NaN where missing
	Text    = "text"    // "" where missing
	Boolean = "boolean" // 1 and 0 in Numbers, NaN where missing
	Instant = "instant" // ISO 8601 labels in Texts, "" where missing
)

// ErrNoColumn is wrapped by the error of [Table.Column] for an unknown name.
var ErrNoColumn = errors.New("no such column")

// Table is a list of columns of equal length.
type Table struct {
	Columns []Column
	Source  string // where the table came from, in words
	Licence string // an SPDX identifier or a sentence
}

// Column is one typed column. Columns of type [Number], [Integer] and [Boolean]
// fill Numbers; columns of type [Text] and [Instant] fill Texts.
type Column struct {
	Name    string
	Unit    string // UDUNITS-like; "" where the column has none
	Type    string
	Numbers []float64
	Texts   []string
}

// Numeric reports whether the column's cells are in Numbers.
func (c *Column) Numeric() bool {
	return c.Type == Number || c.Type == Integer || c.Type == Boolean
}

// Len returns the number of cells.
func (c *Column) Len() int {
	if c.Numeric() {
		return len(c.Numbers)
	}
	return len(c.Texts)
}

// Rows returns the number of rows.
func (t *Table) Rows() int {
	if len(t.Columns) == 0 {
		return 0
	}
	return t.Columns[0].Len()
}

// Column returns the column of that exact name, or an error that wraps
// [ErrNoColumn] and lists the names that exist.
func (t *Table) Column(name string) (*Column, error) {
	names := make([]string, len(t.Columns))
	for i := range t.Columns {
		if t.Columns[i].Name == name {
			return &t.Columns[i], nil
		}
		names[i] = t.Columns[i].Name
	}
	return nil, fmt.Errorf("table: %w: %q; columns are %q", ErrNoColumn, name, names)
}

// Validate reports the first thing that makes the table unusable: no name, a
// name given twice, an unknown type, cells in the wrong field, or columns of
// different lengths.
func (t *Table) Validate() error {
	seen := make(map[string]bool, len(t.Columns))
	for i := range t.Columns {
		c := &t.Columns[i]
		switch {
		case c.Name == "":
			return fmt.Errorf("table: column %d has no name", i+1)
		case seen[c.Name]:
			return fmt.Errorf("table: two columns are named %q", c.Name)
		case !knownType(c.Type):
			return fmt.Errorf("table: column %q has the unknown type %q", c.Name, c.Type)
		case c.Numeric() && len(c.Texts) > 0, !c.Numeric() && len(c.Numbers) > 0:
			return fmt.Errorf("table: column %q of type %s has cells of another type", c.Name, c.Type)
		case c.Len() != t.Rows():
			return fmt.Errorf("table: column %q has %d rows, the first column has %d", c.Name, c.Len(), t.Rows())
		}
		seen[c.Name] = true
	}
	return nil
}

func knownType(t string) bool {
	switch t {
	case Number, Integer, Text, Boolean, Instant:
		return true
	}
	return false
}
