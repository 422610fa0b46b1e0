package verification

import (
	"fmt"

	"almanac/toolkits/artifact"
	"almanac/toolkits/cftime"
	"almanac/toolkits/grid"
	"almanac/toolkits/series"
)

// axis is the time axis of a series or a field, and which of its steps have a value.
type axis struct {
	times     []cftime.Time
	edges     [][2]cftime.Time
	frequency string
	calendar  string
	has       []bool
}

func axisOf(v artifact.Value) *axis {
	a := &axis{}
	switch v := v.(type) {
	case *series.Series:
		a.times, a.edges, a.frequency, a.calendar = v.Times, v.TimeEdges, v.Frequency, v.Calendar
		for _, x := range v.Values {
			a.has = append(a.has, x == x)
		}
	case *grid.Raster:
		a.times, a.edges, a.frequency, a.calendar = v.Times, v.TimeEdges, v.Frequency(), v.Calendar
		for step := range v.Times {
			a.has = append(a.has, anyValue(v.Field(step)))
		}
	}
	return a
}

func anyValue(values []float64) bool {
	for _, v := range values {
		if v == v {
			return true
		}
	}
	return false
}

func (a *axis) climatology() bool {
	return a.frequency == cftime.FrequencyClimatologicalMonth || a.frequency == cftime.FrequencyClimatologicalSeason
}

// covers looks at a period with years.
func (a *axis) covers(p cftime.Period) verdict {
	var inside []int
	for i := range a.times {
		// A step overlaps the period unless it ends at or before its start, or starts after its end.
		if p.Start.Before(a.edges[i][1]) && !p.End.Before(a.edges[i][0]) {
			inside = append(inside, i)
		}
	}
	if len(inside) == 0 {
		return verdict{false, fmt.Sprintf("no step lies in %s; the data runs from %s to %s", p, a.label(0), a.label(len(a.times)-1))}
	}
	first, last := inside[0], inside[len(inside)-1]
	if p.Start.Before(a.edges[first][0]) {
		return verdict{false, fmt.Sprintf("the data starts at %s, after the start of %s", a.label(first), p)}
	}
	// The period's end is the last moment that it includes, a nanosecond before the end of a step that covers it; the
	// last day of a month is written 31 whatever its length, so months are compared by field order too.
	if end := a.edges[last][1]; !endsAfter(end, p.End) {
		return verdict{false, fmt.Sprintf("the data ends with %s, before the end of %s", a.label(last), p)}
	}
	return a.unbroken(inside, p)
}

// endsAfter reports whether a step that ends at end reaches over the moment last.
func endsAfter(end, last cftime.Time) bool {
	if last.Before(end) {
		return true
	}
	// Period ends such as 2015-02-31 stand for the end of the month.
	days := cftime.DaysInMonth(end.Calendar, last.Year, last.Month)
	if last.Day <= days {
		return false
	}
	last.Day = days
	return last.Before(end)
}

// unbroken looks for absent steps and missing values among the steps inside.
func (a *axis) unbroken(inside []int, p cftime.Period) verdict {
	missing, firstMissing := 0, ""
	for k, i := range inside {
		if k > 0 && a.edges[i-1][1].Before(a.edges[i][0]) {
			return verdict{false, fmt.Sprintf("steps are absent between %s and %s", a.label(i-1), a.label(i))}
		}
		if !a.has[i] {
			if missing++; firstMissing == "" {
				firstMissing = a.label(i)
			}
		}
	}
	if missing > 0 {
		return verdict{false, fmt.Sprintf("%d of %d steps in %s have no value, the first is %s", missing, len(inside), p, firstMissing)}
	}
	return verdict{true, fmt.Sprintf("all %d steps in %s have a value", len(inside), p)}
}

// coversMonths looks at months of any year.
func (a *axis) coversMonths(p cftime.Period) verdict {
	seen := map[int]bool{}
	var inside []int
	for i, t := range a.times {
		if p.Contains(t) {
			seen[t.Month] = true
			inside = append(inside, i)
		}
	}
	for _, m := range p.Months {
		if !seen[m] && !a.spans(m) {
			return verdict{false, fmt.Sprintf("the data has no %s", cftime.MonthName(m))}
		}
	}
	for _, i := range inside {
		if !a.has[i] {
			return verdict{false, fmt.Sprintf("%s has no value", a.label(i))}
		}
	}
	return verdict{true, fmt.Sprintf("all %d steps in %s have a value", len(inside), p)}
}

// spans reports whether some step longer than a month includes the month.
func (a *axis) spans(month int) bool {
	for _, e := range a.edges {
		for m := e[0].MonthStart(); m.Before(e[1]); {
			if m.Month == month && a.frequency != cftime.FrequencyClimatologicalMonth {
				return true
			}
			next, err := m.AddMonths(1)
			if err != nil {
				return false
			}
			m = next
		}
	}
	return false
}

func (a *axis) label(i int) string { return a.times[i].Label(a.frequency) }
