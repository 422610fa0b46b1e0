package forecast

import (
	"context"

	"almanac/toolkits"
	"almanac/toolkits/series"

	"gonum.org/v1/gonum/stat"
)

type trendIn struct {
	Series *series.Series `arg:"series" doc:"the series to continue" alias:"data,timeseries,history"`
	Steps  int            `arg:"steps" unit:"1" min:"1" max:"10000" doc:"how many steps ahead, in the series' own steps" alias:"horizon,n,periods"`
}

func trendTool() *toolkits.Tool {
	return toolkits.New("forecast.trend_forecast", trendForecast, toolkits.Doc{
		Group:   group,
		Purpose: "Continue a time series along its straight line.",
		Details: "Ordinary least squares of the values on time, in days of the series' calendar from each step's own time; the line is then read at the times of the steps ahead. " +
			"The season is not modelled: take yearly means of a series with one, or use forecast.holt_winters. " +
			"Missing values are left out. At least three values are needed.",
		Examples: []string{
			"If it goes on like this, where are we in ten years?",
			"Extend the line of the yearly means.",
			"Extrapolate the warming to the end of the next decade.",
			"What does the linear fit predict for the year after the last?",
			"Prolong the trend by five steps.",
		},
	})
}

func trendForecast(ctx context.Context, in trendIn) (futureOut, error) {
	s := in.Series
	if err := ready(s); err != nil {
		return futureOut{}, err
	}
	var x, y []float64
	for i, v := range s.Values {
		if v == v {
			x = append(x, s.Times[i].DaysSince(s.Times[0]))
			y = append(y, v)
		}
	}
	if len(y) < 3 {
		return futureOut{}, toolkits.Errorf(toolkits.NotEnoughData, "a line needs at least 3 values, the series has %d", len(y))
	}
	base := y[0]
	for i := range y {
		y[i] -= base // keeps the digits of values that differ little
	}
	start, slope := stat.LinearRegression(x, y, nil, false)
	values := make([]float64, in.Steps)
	for i := range values {
		t, err := ahead(s, i+1)
		if err != nil {
			return futureOut{}, err
		}
		values[i] = base + start + slope*t.DaysSince(s.Times[0])
	}
	out, err := forecastOf(s, values)
	if err != nil {
		return out, err
	}
	return out, ctx.Err()
}
