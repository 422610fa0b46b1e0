package verification

import (
	"context"
	"math"

	"almanac/toolkits"
	"almanac/toolkits/plausible"
	"almanac/toolkits/series"
	"almanac/toolkits/units"
)

type errorScoresIn struct {
	Forecast *series.Series `arg:"forecast" doc:"what was predicted" alias:"prediction,predicted,model,simulated"`
	Observed *series.Series `arg:"observed" doc:"what happened" alias:"observation,observations,truth,actual,reference"`
}

type errorScoresOut struct {
	RMSE        toolkits.Quantity `out:"rmse" unit:"@observed" difference:"true" doc:"root of the mean squared error" alias:"root_mean_square_error"`
	MAE         toolkits.Quantity `out:"mae" unit:"@observed" difference:"true" doc:"mean of the absolute error" alias:"mean_absolute_error"`
	Bias        toolkits.Quantity `out:"bias" unit:"@observed" difference:"true" doc:"mean of forecast less observed" alias:"mean_error"`
	Correlation *float64          `out:"correlation" unit:"1" doc:"Pearson's r; absent when either side does not vary" alias:"r,pearson"`
	Count       int               `out:"count" unit:"1" doc:"steps that both have"`
}

func errorScoresTool() *toolkits.Tool {
	return toolkits.New("verification.error_scores", errorScores, toolkits.Doc{
		Group:   groupScores,
		Purpose: "Score a forecast series against observations: RMSE, mean absolute error, bias, correlation.",
		Details: "Steps are paired by their labels, as 1998-08, and both series must have the same frequency; steps that only one of them has, and missing values, " +
			"are left out, and count says how many pairs there were. The forecast is converted to the unit of the observations first. " +
			"Errors are forecast minus observed; every pair counts once. correlation is absent when one side is constant, as in a persistence forecast, or with fewer than two pairs.",
		Examples: []string{
			"How far off was the prediction, on average?",
			"Is the model too warm or too cold?",
			"Does the forecast rise and fall together with reality?",
			"Rate the simulated flow against the gauge.",
			"Which of the two guesses has the smaller typical error?",
		},
	})
}

func errorScores(ctx context.Context, in errorScoresIn) (errorScoresOut, error) {
	var out errorScoresOut
	predicted, seen, err := pairs(in.Forecast, in.Observed)
	if err != nil {
		return out, err
	}
	var square, absolute, sum float64
	for i, p := range predicted {
		e := p - seen[i]
		square += e * e
		absolute += math.Abs(e)
		sum += e
	}
	n := float64(len(seen))
	q := func(v float64) toolkits.Quantity {
		return toolkits.Quantity{Value: v, Unit: in.Observed.Unit, Difference: true, Variable: in.Observed.Variable}
	}
	out.RMSE, out.MAE, out.Bias, out.Count = q(math.Sqrt(square/n)), q(absolute/n), q(sum/n), len(seen)
	if r, ok := pearson(predicted, seen); ok {
		out.Correlation = &r
	}
	return out, ctx.Err()
}

// pairs are the values of the steps that both series have, in the unit of the observations and in their order.
func pairs(forecast, observed *series.Series) (predicted, seen []float64, err error) {
	if err := sameKind(forecast, observed); err != nil {
		return nil, nil, err
	}
	convert, err := units.Converter(forecast.Unit, observed.Unit, forecast.Difference)
	if err != nil {
		return nil, nil, toolkits.Errorf(toolkits.BadUnit, "the forecast cannot be compared with the observations: %w", err)
	}
	at, err := steps(forecast, "forecast")
	if err != nil {
		return nil, nil, err
	}
	if _, err := steps(observed, "observed"); err != nil {
		return nil, nil, err
	}
	for i, o := range observed.Values {
		k, ok := at[observed.Label(i)]
		if !ok || o != o || forecast.Values[k] != forecast.Values[k] {
			continue
		}
		predicted = append(predicted, convert(forecast.Values[k]))
		seen = append(seen, o)
	}
	if len(seen) == 0 {
		return nil, nil, toolkits.Errorf(toolkits.EmptySelection, "forecast (%s) and observed (%s) have no step with a value in common", forecast.PeriodLabel(), observed.PeriodLabel())
	}
	return predicted, seen, nil
}

// sameKind refuses two series whose values or steps do not mean the same.
func sameKind(forecast, observed *series.Series) error {
	if forecast.Frequency != observed.Frequency {
		return toolkits.Errorf(toolkits.BadArgument, "forecast has steps of frequency %s, observed of %s: aggregate one of them first", forecast.Frequency, observed.Frequency)
	}
	if forecast.Difference != observed.Difference {
		return toolkits.Errorf(toolkits.BadArgument, "one of the two series holds differences (anomalies), the other values: make both the same")
	}
	for _, s := range []*series.Series{forecast, observed} {
		if err := plausible.Check(s.Values, s.Unit, s.Difference); err != nil {
			return toolkits.Errorf(toolkits.OutOfDomain, "%s: %w", s.Variable, err)
		}
	}
	return nil
}

// steps finds a step by its label.
func steps(s *series.Series, name string) (map[string]int, error) {
	at := make(map[string]int, s.Len())
	for i := range s.Values {
		label := s.Label(i)
		if _, twice := at[label]; twice {
			return nil, toolkits.Errorf(toolkits.BadArgument, "%s has the step %s twice", name, label)
		}
		at[label] = i
	}
	return at, nil
}

// pearson is the correlation; false when it is not defined.
func pearson(x, y []float64) (float64, bool) {
	var mx, my float64
	for i := range x {
		mx += x[i] / float64(len(x))
		my += y[i] / float64(len(y))
	}
	var xx, yy, xy float64
	for i := range x {
		dx, dy := x[i]-mx, y[i]-my
		xx, yy, xy = xx+dx*dx, yy+dy*dy, xy+dx*dy
	}
	if constant(x) || constant(y) || len(x) < 2 {
		return 0, false
	}
	r := xy / (math.Sqrt(xx) * math.Sqrt(yy))
	return math.Max(-1, math.Min(1, r)), r == r
}

func constant(x []float64) bool {
	for _, v := range x {
		if v != x[0] {
			return false
		}
	}
	return true
}
