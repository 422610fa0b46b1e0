package simulation

import (
	"context"
	"errors"

	"almanac/toolkits"
	"almanac/toolkits/cftime"
	"almanac/toolkits/series"
)

type degreeDaysIn struct {
	High   *series.Series    `arg:"temperature_max" doc:"daily maximum temperature" alias:"tmax,temp_max,high,highs,maximum"`
	Low    *series.Series    `arg:"temperature_min" doc:"daily minimum temperature" alias:"tmin,temp_min,low,lows,minimum"`
	Base   toolkits.Quantity `arg:"base" unit:"degC" min:"-50" max:"60" doc:"temperature from which degree days are counted" alias:"threshold,base_temperature"`
	Kind   string            `arg:"kind" enum:"heating,cooling,growing" doc:"below the base (heating) or above it (cooling, growing)" alias:"type"`
	Period cftime.Period     `arg:"period,optional" doc:"these days only, both ends included" alias:"time,date,dates"`
}

type degreeDaysOut struct {
	Total  toolkits.Quantity `out:"total" unit:"degC day" difference:"true" doc:"sum over the days" alias:"sum,degree_days"`
	Series *series.Series    `out:"series" unit:"degC day" doc:"degree days of every day" alias:"daily"`
	Days   int               `out:"days" unit:"1" doc:"days that add something to the sum" alias:"count"`
}

func degreeDaysTool() *toolkits.Tool {
	return toolkits.New("simulation.degree_days", degreeDays, toolkits.Doc{
		Group:   group,
		Purpose: "Sum heating, cooling or growing degree days from daily maximum and minimum temperature.",
		Details: "Mean method (ASHRAE Fundamentals; method 1 of McMaster and Wilhelm 1997): the day's mean is (maximum + minimum)/2; heating adds max(0, base - mean), " +
			"cooling and growing add max(0, mean - base). No upper limit is applied for growth, and extremes below the base are not raised to it. " +
			"days counts the days that add more than 0. Every day of the period must have both temperatures.",
		Examples: []string{
			"How cold was the winter for those who pay for gas?",
			"Did maize get enough warmth to ripen?",
			"Compare the air-conditioning load of two summers.",
			"Add up the thermal time since sowing.",
			"On how many days did the boiler have to run?",
		},
	})
}

func degreeDays(ctx context.Context, in degreeDaysIn) (degreeDaysOut, error) {
	high, err := selected(in.High, in.Period)
	if err != nil {
		return degreeDaysOut{}, err
	}
	low, err := selected(in.Low, in.Period)
	if err != nil {
		return degreeDaysOut{}, err
	}
	tmax, tmin, err := extremes(high, low)
	if err != nil {
		return degreeDaysOut{}, err
	}
	values := make([]float64, len(tmax))
	days := 0
	for i := range values {
		above := (tmax[i]+tmin[i])/2 - in.Base.Value
		if in.Kind == "heating" {
			above = -above
		}
		if above > 0 {
			values[i] = above
			days++
		}
	}
	name := in.Kind + "_degree_days"
	out := like(high, name, in.Kind+" degree days", "degC day", values)
	out.Difference, out.CellMethods = true, "time: sum"
	return degreeDaysOut{
		Total: toolkits.Quantity{Value: total(values), Unit: "degC day", Difference: true, Variable: name}, Series: out, Days: days,
	}, ctx.Err()
}

// selected is the part of a series in a period, all of it when there is none.
func selected(s *series.Series, p cftime.Period) (*series.Series, error) {
	if p.IsZero() {
		return s, nil
	}
	cut, err := s.Select(p)
	switch {
	case errors.Is(err, series.ErrEmpty):
		return nil, toolkits.Errorf(toolkits.EmptySelection, "%w", err)
	case err != nil:
		return nil, toolkits.Errorf(toolkits.BadArgument, "%w", err)
	}
	return cut, nil
}
