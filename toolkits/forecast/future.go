package forecast

import (
	"almanac/toolkits"
	"almanac/toolkits/cftime"
	"almanac/toolkits/plausible"
	"almanac/toolkits/series"
)

// futureOut is what every forecast returns.
type futureOut struct {
	Series *series.Series    `out:"series" unit:"@series" doc:"the forecast" alias:"forecast,data"`
	First  toolkits.Quantity `out:"first" unit:"@series" doc:"forecast of the first step"`
	Last   toolkits.Quantity `out:"last" unit:"@series" doc:"forecast of the last step" alias:"value,final"`
	Mean   toolkits.Quantity `out:"mean" unit:"@series" doc:"mean of the forecast, every step counting once" alias:"average"`
	Max    toolkits.Quantity `out:"max" unit:"@series" doc:"largest forecast" alias:"maximum"`
	Min    toolkits.Quantity `out:"min" unit:"@series" doc:"smallest forecast" alias:"minimum"`
	Argmax string            `out:"argmax" type:"instant" doc:"when the largest forecast occurs, the first of equal ones"`
}

// ready refuses a series that cannot be continued.
func ready(s *series.Series) error {
	switch {
	case s.Len() == 0:
		return toolkits.Errorf(toolkits.NotEnoughData, "the series has no steps")
	case s.Climatological():
		return toolkits.Errorf(toolkits.Unsupported, "a climatological year has no future; use a series with years")
	case s.Frequency == cftime.FrequencyIrregular || s.Frequency == "":
		return toolkits.Errorf(toolkits.Unsupported, "the series has no regular steps, so that the next one is not known; aggregate it to months or years first")
	case runningTotal(s):
		return toolkits.Errorf(toolkits.Unsupported, "the values are totals that run on from a common start; aggregate them to amounts first")
	}
	if err := plausible.Check(s.Values, s.Unit, s.Difference); err != nil {
		return toolkits.Errorf(toolkits.OutOfDomain, "%w", err)
	}
	return nil
}

// runningTotal reports bounds that start together and end one after the other.
func runningTotal(s *series.Series) bool {
	for i := 1; i < len(s.TimeEdges); i++ {
		if s.TimeEdges[i][0].Compare(s.TimeEdges[i-1][0]) == 0 {
			return true
		}
	}
	return false
}

// ahead is the k-th time after the series' last one, k from 1.
func ahead(s *series.Series, k int) (cftime.Time, error) {
	last := s.Times[s.Len()-1]
	switch s.Frequency {
	case cftime.FrequencyHour:
		return last.AddSeconds(3600 * float64(k)), nil
	case cftime.FrequencyDay:
		return last.AddDays(k), nil
	case cftime.FrequencyWeek:
		return last.AddDays(7 * k), nil
	case cftime.FrequencyMonth:
		return addMonths(last, k), nil
	case cftime.FrequencySeason:
		return addMonths(last, 3*k), nil
	case cftime.FrequencyYear:
		return addMonths(last, 12*k), nil
	}
	return last, toolkits.Errorf(toolkits.Unsupported, "a series with steps of frequency %q cannot be continued; aggregate it to months or years first", s.Frequency)
}

// addMonths moves by months; where the month is too short for the day, to its last day, so that the step stays in it.
func addMonths(t cftime.Time, n int) cftime.Time {
	out, err := t.AddMonths(n)
	for day := t.Day - 1; err != nil && day >= 28; day-- {
		t.Day = day
		out, err = t.AddMonths(n)
	}
	return out
}

// continued is a series of steps values after s.
func continued(s *series.Series, values []float64) (*series.Series, error) {
	out := *s
	out.Values, out.Times, out.TimeEdges = values, make([]cftime.Time, len(values)), nil
	for i := range values {
		t, err := ahead(s, i+1)
		if err != nil {
			return nil, err
		}
		out.Times[i] = t
	}
	if s.TimeEdges != nil {
		out.TimeEdges = cftime.Edges(out.Times, s.Frequency)
	}
	return &out, nil
}

// forecastOf summarizes the forecast values of the steps after s.
func forecastOf(s *series.Series, values []float64) (futureOut, error) {
	f, err := continued(s, values)
	if err != nil {
		return futureOut{}, err
	}
	q := func(v float64) toolkits.Quantity {
		return toolkits.Quantity{Value: v, Unit: s.Unit, Difference: s.Difference, Variable: s.Variable}
	}
	low, high, sum := 0, 0, 0.0
	for i, v := range values {
		if v < values[low] {
			low = i
		}
		if v > values[high] {
			high = i
		}
		sum += v - values[0]
	}
	return futureOut{
		Series: f, First: q(values[0]), Last: q(values[len(values)-1]), Mean: q(values[0] + sum/float64(len(values))),
		Max: q(values[high]), Min: q(values[low]), Argmax: f.Label(high),
	}, nil
}
