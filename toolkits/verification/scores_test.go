package verification_test

import (
	"math"
	"testing"

	"almanac/toolkits"
	"almanac/toolkits/cftime"
	"almanac/toolkits/series"
	"almanac/toolkits/toolstest"
)

func near(t testing.TB, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-12*math.Max(1, math.Abs(want))) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func months(unit string, month int, values ...float64) *series.Series {
	return toolstest.Series(unit, cftime.FrequencyMonth, toolstest.Months(2001, month, len(values)), values...)
}

func TestErrorScoresWorkedExample(t *testing.T) {
	env := toolstest.NewEnv(t)
	// Errors 1, -1, 3, 1: mean 1, mean absolute 1.5, mean square (1 + 1 + 9 + 1)/4 = 3.
	// Deviations: forecast 2, 1, 7, 6 from 4: -2, -3, 3, 2; observed 1, 2, 4, 5 from 3: -2, -1, 1, 2.
	// r = (4 + 3 + 3 + 4)/sqrt((4+9+9+4)(4+1+1+4)) = 14/sqrt(260).
	res := toolstest.Call(t, env, tool(t, "error_scores"), args{"forecast": months("degC", 1, 2, 1, 7, 6), "observed": months("degC", 1, 1, 2, 4, 5)})
	near(t, "bias", toolstest.Number(t, res, "bias"), 1)
	near(t, "mae", toolstest.Number(t, res, "mae"), 1.5)
	near(t, "rmse", toolstest.Number(t, res, "rmse"), math.Sqrt(3))
	near(t, "correlation", toolstest.Number(t, res, "correlation"), 14/math.Sqrt(260))
	near(t, "count", toolstest.Number(t, res, "count"), 4)
	if v := toolstest.Get(t, res, "bias"); v.Unit != "degC" || !v.Difference {
		t.Errorf("the bias is in %q, difference %v", v.Unit, v.Difference)
	}
}

func TestFieldE13KelvinAgainstCelsius(t *testing.T) {
	env := toolstest.NewEnv(t)
	res := toolstest.Call(t, env, tool(t, "error_scores"), args{"forecast": months("degC", 1, 15), "observed": months("K", 1, 288.15)})
	if got := toolstest.Number(t, res, "bias"); math.Abs(got) > 1e-9 {
		t.Errorf("15 degC against 288.15 K: bias %v", got)
	}
	if _, ok := res.Get("correlation"); ok {
		t.Error("one pair has no correlation")
	}
	// A bias of anomalies is converted without offset: 2 K above 1 degC is 1.
	a, b := months("K", 1, 2), months("degC", 1, 1)
	a.Difference, b.Difference = true, true
	res = toolstest.Call(t, env, tool(t, "error_scores"), args{"forecast": a, "observed": b})
	near(t, "bias of anomalies", toolstest.Number(t, res, "bias"), 1)
}

func TestErrorScoresPairsByLabel(t *testing.T) {
	env := toolstest.NewEnv(t)
	// Forecast January to April, observed March to June: March 3 against 1, April 4 against 2.
	res := toolstest.Call(t, env, tool(t, "error_scores"), args{"forecast": months("mm", 1, 1, 2, 3, 4), "observed": months("mm", 3, 1, 2, 100, 100)})
	near(t, "bias", toolstest.Number(t, res, "bias"), 2)
	near(t, "count", toolstest.Number(t, res, "count"), 2)
	near(t, "correlation", toolstest.Number(t, res, "correlation"), 1)
	// A month dated on its first and on its sixteenth day is the same month.
	mid := months("mm", 3, 1, 2)
	for i := range mid.Times {
		mid.Times[i].Day = 16
	}
	res = toolstest.Call(t, env, tool(t, "error_scores"), args{"forecast": months("mm", 1, 1, 2, 3, 4), "observed": mid})
	near(t, "bias", toolstest.Number(t, res, "bias"), 2)
}

func TestErrorScoresMissingAndConstant(t *testing.T) {
	env := toolstest.NewEnv(t)
	// Zero is a value, NaN none: pairs (0, 0) and (3, 1).
	res := toolstest.Call(t, env, tool(t, "error_scores"), args{"forecast": months("mm", 1, 0, nan, 3, 4), "observed": months("mm", 1, 0, 9, 1, nan)})
	near(t, "count", toolstest.Number(t, res, "count"), 2)
	near(t, "bias", toolstest.Number(t, res, "bias"), 1)
	// Persistence has no correlation and every other score.
	res = toolstest.Call(t, env, tool(t, "error_scores"), args{"forecast": months("mm", 1, 0.1, 0.1, 0.1), "observed": months("mm", 1, 1, 2, 3)})
	near(t, "bias of persistence", toolstest.Number(t, res, "bias"), -1.9)
	if _, ok := res.Get("correlation"); ok {
		t.Error("a constant forecast has a correlation")
	}
}

func TestErrorScoresErrors(t *testing.T) {
	env := toolstest.NewEnv(t)
	anomaly := months("degC", 1, 1, 2)
	anomaly.Difference = true
	day := toolstest.Series("degC", cftime.FrequencyDay, toolstest.Days(2001, 1, 1, 2), 1, 2)
	twice := months("degC", 1, 1, 2)
	twice.Times[1] = twice.Times[0].AddDays(3)
	for name, c := range map[string]struct {
		forecast, observed *series.Series
		code               toolkits.Code
	}{
		"other dimension":          {months("mm", 1, 1, 2), months("degC", 1, 1, 2), toolkits.BadUnit},
		"nothing in common":        {months("degC", 1, 1, 2), months("degC", 5, 1, 2), toolkits.EmptySelection},
		"all missing":              {months("degC", 1, nan, nan), months("degC", 1, 1, 2), toolkits.EmptySelection},
		"days against months":      {day, months("degC", 1, 1, 2), toolkits.BadArgument},
		"anomalies against values": {anomaly, months("degC", 1, 1, 2), toolkits.BadArgument},
		"a step twice":             {twice, months("degC", 1, 1, 2), toolkits.BadArgument},
		"labelled kelvin":          {months("K", 1, 26, 27), months("degC", 1, 26, 27), toolkits.OutOfDomain},
	} {
		t.Run(name, func(t *testing.T) {
			toolstest.Fails(t, env, tool(t, "error_scores"), args{"forecast": c.forecast, "observed": c.observed}, c.code)
		})
	}
}
