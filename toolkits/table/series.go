package table

import (
	"fmt"
	"strconv"
	"strings"

	"almanac/toolkits/cftime"
	"almanac/toolkits/series"
)

// Series makes a time series of a numeric column and a column of times, which
// are ISO 8601 months, days or moments (or whole years in an integer column),
// in the standard calendar, strictly ascending. Rows without a value stay, as
// missing. Errors wrap [ErrCSV] or [ErrNoColumn].
func (t *Table) Series(timeColumn, valueColumn string) (*series.Series, error) {
	times, err := t.Column(timeColumn)
	if err != nil {
		return nil, err
	}
	values, err := t.Column(valueColumn)
	if err != nil {
		return nil, err
	}
	if values.Type != Number && values.Type != Integer {
		return nil, fmt.Errorf("table: %w: column %s holds %s, a series needs numbers", ErrCSV, valueColumn, values.Type)
	}
	s := &series.Series{
		Variable: values.Name, Unit: values.Unit, Calendar: cftime.Standard,
		Values: append([]float64(nil), values.Numbers...), Source: t.Source, Licence: t.Licence,
	}
	for k := range times.Len() {
		m, err := moment(times.Cell(k))
		if err == nil && k > 0 && !s.Times[k-1].Before(m) {
			err = fmt.Errorf("it does not come after %s", s.Times[k-1])
		}
		if err != nil {
			return nil, fmt.Errorf("table: %w: row %d, column %s: %q: %v", ErrCSV, k+1, timeColumn, times.Cell(k), err)
		}
		s.Times = append(s.Times, m)
	}
	s.InferFrequency()
	return s, nil
}

// moment reads a year, a month, a day or a moment of a day.
func moment(text string) (cftime.Time, error) {
	day, clock, _ := strings.Cut(strings.Replace(text, " ", "T", 1), "T")
	fields := [3]int{1, 1, 1}
	for i, part := range strings.SplitN(day, "-", 3) {
		n, err := strconv.Atoi(part)
		if err != nil {
			return cftime.Time{}, fmt.Errorf("not a date; write 2014-07 or 2014-07-06")
		}
		fields[i] = n
	}
	m, err := cftime.New(cftime.Standard, fields[0], fields[1], fields[2])
	if err != nil || clock == "" {
		return m, err
	}
	seconds := 0
	for i, part := range strings.SplitN(strings.TrimSuffix(clock, "Z"), ":", 3) {
		n, err := strconv.Atoi(part)
		if err != nil || n < 0 || n > [3]int{23, 59, 59}[i] {
			return cftime.Time{}, fmt.Errorf("not a time of day")
		}
		seconds += n * [3]int{3600, 60, 1}[i]
	}
	return m.AddSeconds(float64(seconds)), nil
}
