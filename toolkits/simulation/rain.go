package simulation

import (
	"math"

	"almanac/toolkits"
	"almanac/toolkits/cftime"
	"almanac/toolkits/series"
	"almanac/toolkits/units"
)

// dailyRain is precipitation as amounts in mm of whole days.
func dailyRain(s *series.Series) (*series.Series, error) {
	if s.Climatological() {
		return nil, toolkits.Errorf(toolkits.Unsupported, "precipitation is a climatological year; daily or shorter values are needed")
	}
	unit, rate, err := rainUnit(s.Unit)
	if err != nil {
		return nil, err
	}
	values, err := complete(s, "precipitation", unit)
	if err != nil {
		return nil, err
	}
	edges := s.TimeEdges
	if edges == nil {
		if edges = stepEdges(s); edges == nil {
			return nil, toolkits.Errorf(toolkits.Unsupported, "precipitation has steps of frequency %s without bounds; daily or hourly values are needed", s.Frequency)
		}
	}
	edges = amounts(values, edges)
	for i, e := range edges {
		if rate {
			values[i] *= e[1].DaysSince(e[0])
		}
		if values[i] < -1e-9 {
			return nil, toolkits.Errorf(toolkits.OutOfDomain, "the precipitation of %s is negative, %g mm", s.Label(i), values[i])
		}
		values[i] = math.Max(0, values[i])
	}
	if days(edges) {
		return likeDays(s, values, edges)
	}
	return addUp(s, values, edges)
}

// days reports whether every step is 24 hours long, from whichever hour on.
func days(edges [][2]cftime.Time) bool {
	for _, e := range edges {
		if math.Abs(e[1].DaysSince(e[0])-1) > 1e-6 {
			return false
		}
	}
	return true
}

// likeDays is a series of days that is one already.
func likeDays(s *series.Series, values []float64, edges [][2]cftime.Time) (*series.Series, error) {
	for i := 1; i < len(edges); i++ {
		if edges[i][0].Compare(edges[i-1][1]) != 0 {
			return nil, toolkits.Errorf(toolkits.NotEnoughData, "precipitation is not known between %s and %s, so that a total would be wrong; choose a period without gaps", edges[i-1][1], edges[i][0])
		}
	}
	out := like(s, s.Variable, s.LongName, "mm", values)
	out.Frequency, out.CellMethods = cftime.FrequencyDay, "time: sum"
	return out, nil
}

// rainUnit is the unit to convert precipitation to: mm for an amount, mm day-1 for a rate. A kilogram of water on a
// square metre is a millimetre deep.
func rainUnit(unit string) (to string, rate bool, err error) {
	for _, c := range []struct {
		to   string
		rate bool
	}{{"mm", false}, {"kg m-2", false}, {"mm day-1", true}, {"kg m-2 day-1", true}} {
		if units.Convertible(unit, c.to) {
			return c.to, c.rate, nil
		}
	}
	return "", false, toolkits.Errorf(toolkits.BadUnit, "precipitation is in %q; a depth (mm, m), a mass on an area (kg m-2), or one of these per time is needed", unit)
}

// stepEdges are the bounds of days and hours.
func stepEdges(s *series.Series) [][2]cftime.Time {
	if s.Frequency != cftime.FrequencyHour {
		return cftime.Edges(s.Times, s.Frequency)
	}
	edges := make([][2]cftime.Time, s.Len())
	for i, t := range s.Times {
		edges[i] = [2]cftime.Time{t, t.AddSeconds(3600)}
	}
	return edges
}

// amounts turns running totals, whose steps begin together and end one after the other, into the amounts of the steps,
// in place, and returns the steps' bounds.
func amounts(values []float64, edges [][2]cftime.Time) [][2]cftime.Time {
	out := make([][2]cftime.Time, len(edges))
	copy(out, edges)
	for i := len(edges) - 1; i > 0; i-- {
		if edges[i][0].Compare(edges[i-1][0]) == 0 && edges[i-1][1].Before(edges[i][1]) {
			out[i][0] = edges[i-1][1]
			values[i] -= values[i-1]
		}
	}
	return out
}

// addUp sums steps to days. Every day must be covered by steps without gap or overlap, and days must follow each other.
func addUp(s *series.Series, values []float64, edges [][2]cftime.Time) (*series.Series, error) {
	out := like(s, s.Variable, s.LongName, "mm", nil)
	out.Times, out.TimeEdges, out.Frequency, out.CellMethods = nil, nil, cftime.FrequencyDay, "time: sum"
	hours := 0.0
	for i, e := range edges {
		day := e[0].DayStart()
		end := day.AddDays(1)
		length := e[1].DaysSince(e[0]) * 24
		if end.Before(e[1]) || length <= 0 {
			return nil, toolkits.Errorf(toolkits.Unsupported, "a step of precipitation runs from %s to %s; it must lie within a day", e[0], e[1])
		}
		if i > 0 && e[0].Compare(edges[i-1][1]) != 0 {
			return nil, toolkits.Errorf(toolkits.NotEnoughData, "precipitation is not known between %s and %s: %.4g of 24 hours of %s are covered, so that a total would be wrong", edges[i-1][1], e[0], coveredHours(edges, edges[i-1][0].DayStart()), edges[i-1][0].DayStart())
		}
		if n := len(out.Times); n == 0 || out.Times[n-1] != day {
			out.Times, out.Values = append(out.Times, day), append(out.Values, 0)
			hours = 0
		}
		out.Values[len(out.Values)-1] += values[i]
		hours += length
		if last := i == len(edges)-1 || edges[i+1][0].DayStart() != day; last && math.Abs(hours-24) > 1e-6 {
			return nil, toolkits.Errorf(toolkits.NotEnoughData, "%.4g of 24 hours of %s are covered, so that the day's precipitation is not known; choose whole days", hours, day)
		}
	}
	return out, nil
}

// coveredHours is how much of a day the steps cover.
func coveredHours(edges [][2]cftime.Time, day cftime.Time) float64 {
	hours := 0.0
	for _, e := range edges {
		if e[0].DayStart() == day {
			hours += e[1].DaysSince(e[0]) * 24
		}
	}
	return hours
}
