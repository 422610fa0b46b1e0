package judge

import (
	"fmt"

	"almanac/eval/metric"
	"almanac/toolkits/table"
)

// table compares columns by name, whatever their order, and rows in order unless the options name keys.
func (c *comparer) table(where string, got, want *table.Table) error {
	if len(got.Columns) != len(want.Columns) {
		return differs(where, "has %d columns, not %d", len(got.Columns), len(want.Columns))
	}
	if got.Rows() != want.Rows() {
		return differs(where, "has %d rows, not %d", got.Rows(), want.Rows())
	}
	for _, t := range []*table.Table{got, want} {
		for i := range t.Columns {
			if t.Columns[i].Len() != t.Rows() {
				return differs(where, "column %s has %d cells, the table %d rows", t.Columns[i].Name, t.Columns[i].Len(), t.Rows())
			}
		}
	}
	order, err := c.matching(where, want.Rows(), func(k int) map[string]any { return row(got, k) },
		func(k int) map[string]any { return row(want, k) })
	if err != nil {
		return err
	}
	for i := range want.Columns {
		w := &want.Columns[i]
		g, err := got.Column(w.Name)
		if err != nil {
			return differs(where, "lacks the column %s", w.Name)
		}
		if err := c.column(fmt.Sprintf("%scolumn %s", prefix(where), w.Name), g, w, order); err != nil {
			return err
		}
	}
	return nil
}

func row(t *table.Table, k int) map[string]any {
	out := map[string]any{}
	for i := range t.Columns {
		if col := &t.Columns[i]; col.Numeric() {
			out[col.Name] = col.Numbers[k]
		} else {
			out[col.Name] = col.Texts[k]
		}
	}
	return out
}

// kindOfColumn takes integers for numbers.
func kindOfColumn(c *table.Column) string {
	if c.Type == table.Integer {
		return table.Number
	}
	return c.Type
}

func (c *comparer) column(where string, got, want *table.Column, order []int) error {
	if g, w := kindOfColumn(got), kindOfColumn(want); g != w {
		return differs(where, "holds %s, not %s", g, w)
	}
	if !want.Numeric() {
		for k, w := range want.Texts {
			g := got.Texts[order[k]]
			if want.Type == table.Instant && metric.SameInstant(g, w) {
				continue
			}
			if err := c.text(fmt.Sprintf("%s, row %d", where, k), g, w); err != nil {
				return err
			}
		}
		return nil
	}
	convert, err := converter(got.Unit, want.Unit, false)
	if err != nil {
		return differs(where, "%v", err)
	}
	made := make([]float64, len(order))
	for k, j := range order {
		made[k] = got.Numbers[j]
	}
	return c.values(where, made, want.Numbers, convert, func(k int) string { return fmt.Sprintf("row %d", k) })
}
