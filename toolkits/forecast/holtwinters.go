package forecast

import (
	"context"
	"math"
	"slices"

	"almanac/toolkits"
	"almanac/toolkits/cftime"
	"almanac/toolkits/series"

	"gonum.org/v1/gonum/optimize"
)

type holtWintersIn struct {
	Series       *series.Series `arg:"series" doc:"the series to continue" alias:"data,timeseries,history"`
	Steps        int            `arg:"steps" unit:"1" min:"1" max:"10000" doc:"how many steps ahead, in the series' own steps" alias:"horizon,n,periods"`
	SeasonLength int            `arg:"season_length,optional" unit:"1" min:"2" max:"1000" doc:"steps in a season; left out: 12 for months, 52 for weeks, 24 for hours, 4 for seasons" alias:"season,period,seasonal_periods,cycle"`
}

func holtWintersTool() *toolkits.Tool {
	return toolkits.New("forecast.holt_winters", holtWinters, toolkits.Doc{
		Group:   group,
		Purpose: "Continue a time series by exponential smoothing with additive trend and season (Holt-Winters).",
		Details: "Level l, trend b and season s of m steps (Winters 1960; component form of Hyndman et al. 2008): forecast y'(t) = l(t-1) + b(t-1) + s(t-m); " +
			"l(t) = alpha (y(t) - s(t-m)) + (1-alpha)(l(t-1) + b(t-1)); b(t) = beta (l(t) - l(t-1)) + (1-beta) b(t-1); " +
			"s(t) = gamma (y(t) - l(t-1) - b(t-1)) + (1-gamma) s(t-m). " +
			"Start: b is the mean of the second season less that of the first, over m; l puts the line with this slope through the mean of the first season; " +
			"s is what the first season's values differ from the line. alpha, beta, gamma minimise the sum of squared one-step errors within " +
			"0 <= beta <= alpha <= 1 and gamma <= 1 - alpha. Two full seasons are needed. Missing values before the first value are passed over; any later gap stops the tool.",
		Examples: []string{
			"Continue the carbon dioxide curve with its yearly wiggle.",
			"Predict next year's months, season included.",
			"Forecast the next 24 months by exponential smoothing.",
			"What peak is to be expected, going by trend and seasonal cycle?",
			"Project the series ahead, letting recent years count more.",
		},
	})
}

func holtWinters(ctx context.Context, in holtWintersIn) (futureOut, error) {
	s := in.Series
	if err := ready(s); err != nil {
		return futureOut{}, err
	}
	m, err := seasonLength(s, in.SeasonLength)
	if err != nil {
		return futureOut{}, err
	}
	y, err := unbroken(s)
	if err != nil {
		return futureOut{}, err
	}
	if len(y) < 2*m {
		return futureOut{}, toolkits.Errorf(toolkits.NotEnoughData, "two seasons of %d steps are needed, the series has %d values", m, len(y))
	}
	origin := y[0]
	for i := range y {
		y[i] -= origin
	}
	w := newSmoother(y, m)
	if err := w.fit(ctx); err != nil {
		return futureOut{}, err
	}
	values := w.ahead(in.Steps)
	for i := range values {
		values[i] += origin
	}
	return forecastOf(s, values)
}

// seasonLength is what was asked, or what follows from the frequency.
func seasonLength(s *series.Series, asked int) (int, error) {
	if asked != 0 {
		return asked, nil
	}
	switch s.Frequency {
	case cftime.FrequencyHour:
		return 24, nil
	case cftime.FrequencyWeek:
		return 52, nil
	case cftime.FrequencyMonth:
		return 12, nil
	case cftime.FrequencySeason:
		return 4, nil
	}
	return 0, toolkits.Errorf(toolkits.BadArgument, "season_length is needed for steps of frequency %s, which have no season of their own; without a season use forecast.trend_forecast", s.Frequency)
}

// unbroken are the values from the first one on; any missing value or absent step is an error.
func unbroken(s *series.Series) ([]float64, error) {
	start := slices.IndexFunc(s.Values, func(v float64) bool { return v == v })
	if start < 0 {
		return nil, toolkits.Errorf(toolkits.NotEnoughData, "all %d values of the series are missing", s.Len())
	}
	for i := start; i < s.Len(); i++ {
		if v := s.Values[i]; v != v {
			return nil, toolkits.Errorf(toolkits.NotEnoughData, "the value of %s is missing and smoothing needs every step; aggregate to longer steps, or use a period without gaps", s.Label(i))
		}
		if i == start {
			continue
		}
		upTo := s.SelectSteps([]int{i - 1})
		next, err := ahead(upTo, 1)
		if err != nil {
			return nil, err
		}
		// Within a month or year the day may move; the labels must follow on each other.
		if next.Label(s.Frequency) != s.Label(i) {
			return nil, toolkits.Errorf(toolkits.NotEnoughData, "steps are absent between %s and %s and smoothing needs every one; use a period without gaps", s.Label(i-1), s.Label(i))
		}
	}
	return slices.Clone(s.Values[start:]), nil
}

// smoother is the model with its parameters and, after a pass over the values, its state at their end.
type smoother struct {
	y                  []float64
	m                  int
	level0, trend0     float64
	season0            []float64
	alpha, beta, gamma float64

	season []float64 // the last m seasonal values, by step modulo m
}

func newSmoother(y []float64, m int) *smoother {
	w := &smoother{y: y, m: m, season0: make([]float64, m), season: make([]float64, m)}
	first, second := 0.0, 0.0
	for i := range m {
		first += y[i] / float64(m)
		second += y[m+i] / float64(m)
	}
	w.trend0 = (second - first) / float64(m)
	w.level0 = first - w.trend0*float64(m+1)/2
	for i := range m {
		w.season0[i] = y[i] - (w.level0 + w.trend0*float64(i+1))
	}
	return w
}

// pass runs over the values and returns the sum of squared one-step errors and the state at the end.
func (w *smoother) pass() (sse, level, trend float64) {
	level, trend = w.level0, w.trend0
	copy(w.season, w.season0)
	for t, y := range w.y {
		k := t % w.m
		line, s := level+trend, w.season[k]
		e := y - line - s
		sse += e * e
		next := w.alpha*(y-s) + (1-w.alpha)*line
		trend = w.beta*(next-level) + (1-w.beta)*trend
		w.season[k] = w.gamma*(y-line) + (1-w.gamma)*s
		level = next
	}
	return sse, level, trend
}

// ahead is the forecast of the steps after the values.
func (w *smoother) ahead(steps int) []float64 {
	_, level, trend := w.pass()
	out := make([]float64, steps)
	for h := range out {
		out[h] = level + float64(h+1)*trend + w.season[(len(w.y)+h)%w.m]
	}
	return out
}

// set takes the parameters from three unbounded numbers, so that a search needs no bounds.
func (w *smoother) set(x []float64) {
	w.alpha = logistic(x[0])
	w.beta = w.alpha * logistic(x[1])
	w.gamma = (1 - w.alpha) * logistic(x[2])
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// The grid of starts: what alpha, beta and gamma may be, in the unbounded numbers of set.
var (
	levelStarts  = []float64{-6, -3, -1, 0.5, 1.5, 3, 6}
	trendStarts  = []float64{-8, -3, -1, 1, 5}
	seasonStarts = []float64{-8, -3, -1, 1, 5}
)

// fit finds alpha, beta and gamma: simplex searches (Nelder and Mead 1965) from every point of a grid that is lower than
// its neighbours, since the sum of squares has several minima.
func (w *smoother) fit(ctx context.Context) error {
	best, lowest := []float64(nil), math.Inf(1)
	for _, x := range w.starts() {
		if err := ctx.Err(); err != nil {
			return err
		}
		res, err := optimize.Minimize(optimize.Problem{Func: w.squares}, x, &optimize.Settings{
			FuncEvaluations: 800, Converger: &optimize.FunctionConverge{Absolute: 1e-14, Relative: 1e-12, Iterations: 60},
		}, &optimize.NelderMead{})
		if res == nil || math.IsNaN(res.F) {
			return toolkits.Errorf(toolkits.OutOfDomain, "the smoothing parameters cannot be found for these values: %w", err)
		}
		if res.F < lowest {
			best, lowest = res.X, res.F
		}
	}
	if best == nil {
		return toolkits.Errorf(toolkits.OutOfDomain, "the values are too large for their squares to be added")
	}
	w.set(best)
	return nil
}

// squares is the sum of squared one-step errors at three unbounded numbers.
func (w *smoother) squares(x []float64) float64 {
	w.set(x)
	sse, _, _ := w.pass()
	return sse
}

// starts are the points of the grid with no lower neighbour.
func (w *smoother) starts() [][]float64 {
	na, nb, nc := len(levelStarts), len(trendStarts), len(seasonStarts)
	at := func(i, j, k int) []float64 { return []float64{levelStarts[i], trendStarts[j], seasonStarts[k]} }
	sse := make([]float64, na*nb*nc)
	for i := range sse {
		sse[i] = w.squares(at(i/(nb*nc), i/nc%nb, i%nc))
	}
	lower := func(n int, i, j, k int) bool {
		return i >= 0 && j >= 0 && k >= 0 && i < na && j < nb && k < nc && sse[(i*nb+j)*nc+k] < sse[n]
	}
	var starts [][]float64
	for n := range sse {
		i, j, k := n/(nb*nc), n/nc%nb, n%nc
		if lower(n, i-1, j, k) || lower(n, i+1, j, k) || lower(n, i, j-1, k) || lower(n, i, j+1, k) || lower(n, i, j, k-1) || lower(n, i, j, k+1) {
			continue
		}
		if !math.IsInf(sse[n], 0) && !math.IsNaN(sse[n]) && len(starts) < 12 {
			starts = append(starts, at(i, j, k))
		}
	}
	return starts
}
