package forecast

import (
	"context"

	"almanac/toolkits"
	"almanac/toolkits/series"
)

type persistenceIn struct {
	Series *series.Series `arg:"series" doc:"the series to continue" alias:"data,timeseries,history"`
	Steps  int            `arg:"steps" unit:"1" min:"1" max:"10000" doc:"how many steps ahead, in the series' own steps" alias:"horizon,n,periods"`
}

func persistenceTool() *toolkits.Tool {
	return toolkits.New("forecast.persistence", persistence, toolkits.Doc{
		Group:   group,
		Purpose: "Continue a time series with its last value: the forecast of no change.",
		Details: "Every step ahead has the last value that is there; missing values at the end are passed over, and the future still begins after the series' last step. " +
			"The usual reference that a better forecast has to beat.",
		Examples: []string{
			"What if tomorrow is like today?",
			"Give me the no-change forecast for half a year.",
			"Carry the latest reading forward.",
			"What does the naive forecast say?",
			"Make a baseline prediction that assumes nothing changes.",
		},
	})
}

func persistence(ctx context.Context, in persistenceIn) (futureOut, error) {
	if err := ready(in.Series); err != nil {
		return futureOut{}, err
	}
	last := in.Series.Len() - 1
	for last >= 0 && in.Series.Values[last] != in.Series.Values[last] {
		last--
	}
	if last < 0 {
		return futureOut{}, toolkits.Errorf(toolkits.NotEnoughData, "all %d values of the series are missing", in.Series.Len())
	}
	values := make([]float64, in.Steps)
	for i := range values {
		values[i] = in.Series.Values[last]
	}
	out, err := forecastOf(in.Series, values)
	if err != nil {
		return out, err
	}
	return out, ctx.Err()
}
