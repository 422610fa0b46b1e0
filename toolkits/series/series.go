package series

import (
	"errors"
	"fmt"
	"math"

	"almanac/toolkits/cftime"
)

// ErrEmpty marks a selection without a step.
var ErrEmpty = errors.New("empty selection")

// ErrInvalid marks a series that breaks its rules.
var ErrInvalid = errors.New("invalid series")

// Series is one variable over time.
type Series struct {
	Variable   string // the data set's short name, "co2"
	LongName   string
	Unit       string // UDUNITS-like; "1" is dimensionless
	Difference bool   // values are differences: no temperature offset on conversion

	Times     []cftime.Time
	TimeEdges [][2]cftime.Time // start and end of every step; nil when they follow from Frequency
	Calendar  string           // CF calendar of Times
	Frequency string           // a frequency of package cftime: "day", "month", "climatological_month", "irregular"

	Values      []float64 // one for every time; NaN is missing
	CellMethods string    // CF, "time: sum" for accumulated values
	Place       string    // where, as a label

	Source, Licence     string
	Latitude, Elevation *float64 // degrees_north and m, where known
}

// Len is the number of steps.
func (s *Series) Len() int { return len(s.Values) }

// Label names step i as an answer would: "August", "1998-08", "2014-07-06".
func (s *Series) Label(i int) string { return s.Times[i].Label(s.Frequency) }

// PeriodLabel names the whole axis: "1959-01/2020-12"; "" when empty.
func (s *Series) PeriodLabel() string {
	if len(s.Times) == 0 {
		return ""
	}
	first, last := s.Label(0), s.Label(len(s.Times)-1)
	if first == last {
		return first
	}
	return first + "/" + last
}

// Valid is the number of values that are not missing.
func (s *Series) Valid() int {
	n := 0
	for _, v := range s.Values {
		if v == v {
			n++
		}
	}
	return n
}

// Climatological reports whether the steps have no year.
func (s *Series) Climatological() bool {
	return s.Frequency == cftime.FrequencyClimatologicalMonth || s.Frequency == cftime.FrequencyClimatologicalSeason
}

// InferFrequency sets Frequency from the edges or the spacing of the times.
func (s *Series) InferFrequency() {
	s.Frequency = cftime.FrequencyOfEdges(s.TimeEdges)
	if s.Frequency == cftime.FrequencyIrregular {
		s.Frequency = cftime.InferFrequency(s.Times)
	}
}

// Select keeps the steps in the period, both ends included. The error wraps
// ErrEmpty when there are none, cftime.ErrDate when the calendar lacks a day
// of the period.
func (s *Series) Select(p cftime.Period) (*Series, error) {
	if s.Climatological() && !p.AnyYear() {
		return nil, fmt.Errorf("series: selecting period %s of %s: %w: the data is a climatology without years; ask for months, as August or JJA", p, s.Variable, ErrEmpty)
	}
	if err := p.CheckCalendar(s.Calendar); err != nil {
		return nil, fmt.Errorf("series: selecting from %s: %w", s.Variable, err)
	}
	var steps []int
	for i, t := range s.Times {
		if p.Contains(t) {
			steps = append(steps, i)
		}
	}
	if steps == nil {
		return nil, fmt.Errorf("series: selecting period %s of %s: %w: the data covers %s", p, s.Variable, ErrEmpty, s.PeriodLabel())
	}
	return s.SelectSteps(steps), nil
}

// SelectSteps keeps the steps with the given indices, in that order. The
// frequency stays what it was.
func (s *Series) SelectSteps(steps []int) *Series {
	out := *s
	out.Times, out.TimeEdges, out.Values = nil, nil, nil
	for _, i := range steps {
		out.Times = append(out.Times, s.Times[i])
		out.Values = append(out.Values, s.Values[i])
		if s.TimeEdges != nil {
			out.TimeEdges = append(out.TimeEdges, s.TimeEdges[i])
		}
	}
	return &out
}

// StepDays is the length of every step in days, for weights; a single step
// has the weight 1.
func (s *Series) StepDays() ([]float64, error) {
	if len(s.Times) == 1 {
		return []float64{1}, nil
	}
	days, err := cftime.StepDays(s.Times, s.TimeEdges, s.Frequency)
	if err != nil {
		return nil, fmt.Errorf("series: weighting the steps of %s: %w", s.Variable, err)
	}
	return days, nil
}

// Validate says whether the series keeps the rules of the package; the error
// wraps ErrInvalid and names the field.
func (s *Series) Validate() error {
	switch {
	case len(s.Values) != len(s.Times):
		return fmt.Errorf("series: %w: %d values for %d times", ErrInvalid, len(s.Values), len(s.Times))
	case s.TimeEdges != nil && len(s.TimeEdges) != len(s.Times):
		return fmt.Errorf("series: %w: %d time edges for %d times", ErrInvalid, len(s.TimeEdges), len(s.Times))
	}
	for i, t := range s.Times {
		if err := t.Valid(); err != nil {
			return fmt.Errorf("series: %w: time %d: %w", ErrInvalid, i, err)
		}
		if t.Calendar != s.Calendar {
			return fmt.Errorf("series: %w: time %d has calendar %q, the series %q", ErrInvalid, i, t.Calendar, s.Calendar)
		}
		if i > 0 && !s.Times[i-1].Before(t) && !s.Climatological() {
			return fmt.Errorf("series: %w: times are not ascending at %s", ErrInvalid, t)
		}
		if math.IsInf(s.Values[i], 0) {
			return fmt.Errorf("series: %w: value %d is infinite", ErrInvalid, i)
		}
	}
	return nil
}
