package forecast

import (
	"context"

	"almanac/toolkits"
	"almanac/toolkits/cftime"
	"almanac/toolkits/series"
)

type climatologyIn struct {
	Series *series.Series `arg:"series" doc:"the series to continue" alias:"data,timeseries,history"`
	Steps  int            `arg:"steps" unit:"1" min:"1" max:"10000" doc:"how many steps ahead, in the series' own steps" alias:"horizon,n,periods"`
}

func climatologyTool() *toolkits.Tool {
	return toolkits.New("forecast.climatology", climatology, toolkits.Doc{
		Group:   group,
		Purpose: "Continue a time series with what is usual for the time of year.",
		Details: "A step ahead has the mean of all values of the series at the same time of year, every year counting once: the same calendar month of a monthly series, " +
			"the same season, the same date of a daily one (29 February has only leap years), the same date and hour of an hourly one, the same week of a weekly one " +
			"(weeks are counted from 1 January; the last days of December belong to week 52). A yearly series gets its mean. " +
			"Missing values are left out; a time of year without any value stops the tool.",
		Examples: []string{
			"Bet on an ordinary year: what comes out?",
			"What would be normal for the coming months?",
			"Fill the next twelve months with the average seasonal cycle.",
			"Predict next winter by the mean of all winters so far.",
			"Give the long-term average as the forecast.",
		},
	})
}

// timeOfYear is a place in the year; which fields count depends on the frequency.
type timeOfYear struct{ month, day, hour int }

// placeInYear tells what steps are averaged together.
func placeInYear(t cftime.Time, frequency string) timeOfYear {
	switch frequency {
	case cftime.FrequencyHour:
		return timeOfYear{t.Month, t.Day, t.Hour}
	case cftime.FrequencyDay:
		return timeOfYear{t.Month, t.Day, 0}
	case cftime.FrequencyWeek:
		return timeOfYear{0, min((t.DayOfYear()-1)/7, 51), 0}
	case cftime.FrequencyMonth:
		return timeOfYear{t.Month, 0, 0}
	case cftime.FrequencySeason:
		return timeOfYear{t.Month % 12 / 3, 0, 0}
	}
	return timeOfYear{}
}

func climatology(ctx context.Context, in climatologyIn) (futureOut, error) {
	s := in.Series
	if err := ready(s); err != nil {
		return futureOut{}, err
	}
	sums, counts := map[timeOfYear]float64{}, map[timeOfYear]int{}
	for i, v := range s.Values {
		if v == v {
			at := placeInYear(s.Times[i], s.Frequency)
			sums[at] += v
			counts[at]++
		}
	}
	values := make([]float64, in.Steps)
	for i := range values {
		t, err := ahead(s, i+1)
		if err != nil {
			return futureOut{}, err
		}
		at := placeInYear(t, s.Frequency)
		if counts[at] == 0 {
			return futureOut{}, toolkits.Errorf(toolkits.NotEnoughData, "the series, %s, has no value at the time of year of %s; use a longer history", s.PeriodLabel(), t.Label(s.Frequency))
		}
		values[i] = sums[at] / float64(counts[at])
	}
	out, err := forecastOf(s, values)
	if err != nil {
		return out, err
	}
	return out, ctx.Err()
}
