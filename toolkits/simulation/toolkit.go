// Package simulation has the tools that turn weather into what it does: water that grass uses, rain that runs off,
// power of a wind turbine, degree days.
//
// What holds for all of them:
//
//   - Their totals are over every step of the series. A missing value, or a day that is absent, would make a total too
//     small without anybody noticing: it stops the tool, which names the first one. A value of 0 is a value.
//   - Two series of one place are paired by the labels of their steps, never by their order.
//   - Units are converted from what the series says; values that cannot be what their unit says stop the tool (package
//     plausible).
//   - Totals are over the steps given, never per year or per any other time.
package simulation

import (
	"almanac/toolkits"
	"almanac/toolkits/cftime"
	"almanac/toolkits/plausible"
	"almanac/toolkits/series"
	"almanac/toolkits/units"
)

// group is the group of the published inventory that these tools belong to.
const group = "Simulation"

// Toolkit returns the tools simulation.*.
func Toolkit() []*toolkits.Tool {
	return []*toolkits.Tool{referenceETTool(), scsRunoffTool(), windPowerTool(), degreeDaysTool()}
}

// complete are the values of a series in a unit; a missing one is an error.
func complete(s *series.Series, name, unit string) ([]float64, error) {
	if s.Len() == 0 {
		return nil, toolkits.Errorf(toolkits.NotEnoughData, "%s has no steps", name)
	}
	if s.Difference {
		return nil, toolkits.Errorf(toolkits.BadArgument, "%s holds differences (anomalies), not values", name)
	}
	if err := plausible.Check(s.Values, s.Unit, s.Difference); err != nil {
		return nil, toolkits.Errorf(toolkits.OutOfDomain, "%s: %w", name, err)
	}
	convert, err := units.Converter(s.Unit, unit, false)
	if err != nil {
		return nil, toolkits.Errorf(toolkits.BadUnit, "%s: %w", name, err)
	}
	if missing := s.Len() - s.Valid(); missing > 0 {
		return nil, toolkits.Errorf(toolkits.NotEnoughData, "%d of %d values of %s are missing, the first for %s, so that a total would be too small; choose a period without gaps", missing, s.Len(), name, firstMissing(s))
	}
	values := make([]float64, s.Len())
	for i, v := range s.Values {
		values[i] = convert(v)
	}
	return values, nil
}

func firstMissing(s *series.Series) string {
	for i, v := range s.Values {
		if v != v {
			return s.Label(i)
		}
	}
	return ""
}

// completeDays are complete values of a daily series without absent days.
func completeDays(s *series.Series, name, unit string) ([]float64, error) {
	if s.Frequency != cftime.FrequencyDay {
		return nil, toolkits.Errorf(toolkits.Unsupported, "%s has steps of frequency %s; daily values are needed", name, s.Frequency)
	}
	for i := 1; i < s.Len(); i++ {
		if days := s.Times[i].DayNumber() - s.Times[i-1].DayNumber(); days != 1 {
			return nil, toolkits.Errorf(toolkits.NotEnoughData, "%s has no values between %s and %s, so that a total would be too small; choose a period without gaps", name, s.Label(i-1), s.Label(i))
		}
	}
	return complete(s, name, unit)
}

// sameDays refuses series that are not about the same days.
func sameDays(a, b *series.Series, nameA, nameB string) error {
	if a.Len() != b.Len() || a.Calendar != b.Calendar || a.Label(0) != b.Label(0) {
		return toolkits.Errorf(toolkits.BadArgument, "%s covers %s, %s covers %s: select the same days of both", nameA, a.PeriodLabel(), nameB, b.PeriodLabel())
	}
	return nil // both are daily and without gaps
}

// extremes are daily highs and lows of one place, in degC.
func extremes(high, low *series.Series) (tmax, tmin []float64, err error) {
	if tmax, err = completeDays(high, "temperature_max", "degC"); err != nil {
		return nil, nil, err
	}
	if tmin, err = completeDays(low, "temperature_min", "degC"); err != nil {
		return nil, nil, err
	}
	if err := sameDays(high, low, "temperature_max", "temperature_min"); err != nil {
		return nil, nil, err
	}
	for i := range tmax {
		if tmax[i] < tmin[i] {
			return nil, nil, toolkits.Errorf(toolkits.OutOfDomain, "on %s the maximum, %g degC, is below the minimum, %g degC: are the two swapped?", high.Label(i), tmax[i], tmin[i])
		}
	}
	return tmax, tmin, nil
}

// like is a series on the steps of s.
func like(s *series.Series, variable, longName, unit string, values []float64) *series.Series {
	out := *s
	out.Variable, out.LongName, out.Unit, out.Values, out.CellMethods = variable, longName, unit, values, "time: mean"
	return &out
}

func total(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum
}

// highest is the index of the largest value, the first of equal ones.
func highest(values []float64) int {
	k := 0
	for i, v := range values {
		if v > values[k] {
			k = i
		}
	}
	return k
}
