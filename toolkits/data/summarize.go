package data

import (
	"math"

	"almanac/toolkits"
	"almanac/toolkits/cftime"
	"almanac/toolkits/series"
)

// lengths are the weights of steps in a mean over time: their lengths in days, or 1 each where no length is known.
func lengths(times []cftime.Time, edges [][2]cftime.Time, frequency string) []float64 {
	if len(times) > 1 {
		if days, err := cftime.StepDays(times, edges, frequency); err == nil {
			return days
		}
	}
	days := make([]float64, max(1, len(times)))
	for i := range days {
		days[i] = 1
	}
	return days
}

// summarized are the numbers that describe a series.
type summarized struct {
	mean, std, sum float64
	low, high      int // index of the smallest and the largest value, the first of equal ones
	first, last    int // index of the first and the last value that is there
	count          int
}

// summarize looks at the values that are there. Without any it is an error.
func summarize(s *series.Series) (summarized, error) {
	days := lengths(s.Times, s.TimeEdges, s.Frequency)
	m := summarized{low: -1, high: -1, first: -1}
	weight, weighted, origin := 0.0, 0.0, 0.0
	for i, v := range s.Values {
		if v != v {
			continue
		}
		if m.first < 0 {
			m.first, m.low, m.high, origin = i, i, i, v
		}
		if v < s.Values[m.low] {
			m.low = i
		}
		if v > s.Values[m.high] {
			m.high = i
		}
		m.last = i
		m.count++
		m.sum += v
		weight += days[i]
		weighted += days[i] * (v - origin)
	}
	if m.count == 0 {
		return m, toolkits.Errorf(toolkits.EmptySelection, "all %d values of the series are missing", s.Len())
	}
	m.mean = min(max(origin+weighted/weight, s.Values[m.low]), s.Values[m.high])
	squares := 0.0
	for i, v := range s.Values {
		if v == v {
			squares += days[i] * (v - m.mean) * (v - m.mean)
		}
	}
	m.std = math.Sqrt(squares / weight)
	return m, nil
}

// in is a number in the series' unit.
func in(s *series.Series, v float64) toolkits.Quantity {
	return toolkits.Quantity{Value: v, Unit: s.Unit, Difference: s.Difference, Variable: s.Variable}
}

// selected is the part of a series in a period, all of it when there is none.
func selected(s *series.Series, p cftime.Period) (*series.Series, error) {
	if p.IsZero() {
		return s, nil
	}
	s, err := s.Select(p)
	return s, fault(err)
}
