package data

import (
	"context"
	"math"
	"slices"

	"almanac/toolkits"
	"almanac/toolkits/cftime"
	"almanac/toolkits/series"
	"almanac/toolkits/units"

	"gonum.org/v1/gonum/stat/distuv"
)

type trendIn struct {
	Series *series.Series `arg:"series" doc:"the series" alias:"data,timeseries"`
	Method string         `arg:"method" doc:"least squares, or the median of pairwise slopes" enum:"ols,theil_sen" default:"ols" alias:"estimator"`
	Period cftime.Period  `arg:"period,optional" doc:"look at these steps only, both ends included" alias:"time,date,dates"`
}

type trendOut struct {
	Slope       toolkits.Quantity `out:"slope" unit:"@series year-1" difference:"true" doc:"change a year" alias:"trend,rate"`
	TotalChange toolkits.Quantity `out:"total_change" unit:"@series" difference:"true" doc:"slope times the years from the first to the last value"`
	PValue      float64           `out:"p_value" unit:"1" doc:"two-sided p-value of no trend: t-test for ols, Mann-Kendall for theil_sen"`
	Count       int               `out:"count" unit:"1" doc:"steps with a value"`
}

func trendTool() *toolkits.Tool {
	return toolkits.New("data.trend", trend, toolkits.Doc{
		Group:   groupAnalysis,
		Purpose: "Fit a linear trend to a time series: slope per year, total change and p-value.",
		Details: "Time is in years of 365.2425 days (of the mean length of a year in other calendars), from each step's time. " +
			"ols: least squares; p-value of the two-sided t-test with n-2 degrees of freedom, which takes residuals as independent. " +
			"theil_sen: median of the slopes of all pairs (Sen 1968); p-value of the Mann-Kendall test with correction for ties and continuity (Kendall 1975). " +
			"Missing values are left out. At least three values are needed; theil_sen takes up to 4,000.",
		Examples: []string{
			"Is the water off Peru getting warmer, and how fast?",
			"By how much has carbon dioxide gone up over the whole record?",
			"Is the change significant?",
			"Give a robust trend that outliers do not disturb.",
			"Per decade, how did the values drift in the 1980s?",
		},
	})
}

func trend(ctx context.Context, args trendIn) (trendOut, error) {
	s, err := selected(args.Series, args.Period)
	if err != nil {
		return trendOut{}, err
	}
	if s.Climatological() {
		return trendOut{}, toolkits.Errorf(toolkits.Unsupported, "a climatological year has no trend; use a series with years")
	}
	years, values := yearsAndValues(s)
	n := len(values)
	if n < 3 {
		return trendOut{}, toolkits.Errorf(toolkits.NotEnoughData, "a trend needs at least 3 values, the series has %d in the period", n)
	}
	var slope, p float64
	if args.Method == "theil_sen" {
		if n > 4000 {
			return trendOut{}, toolkits.Errorf(toolkits.TooLarge, "theil_sen takes up to 4000 values, not %d; aggregate to months first, or use ols", n)
		}
		slope, p = theilSen(years, values), mannKendall(values)
	} else {
		slope, p = leastSquares(years, values)
	}
	unit, err := units.Mul(s.Unit, "year-1")
	if err != nil {
		return trendOut{}, toolkits.Errorf(toolkits.BadUnit, "%w", err)
	}
	return trendOut{
		Slope:       toolkits.Quantity{Value: slope, Unit: unit, Difference: true, Variable: s.Variable},
		TotalChange: toolkits.Quantity{Value: slope * (years[n-1] - years[0]), Unit: s.Unit, Difference: true, Variable: s.Variable},
		PValue:      p, Count: n,
	}, ctx.Err()
}

// yearLength is the mean length of a year in days.
func yearLength(calendar string) float64 {
	switch calendar {
	case cftime.NoLeap:
		return 365
	case cftime.AllLeap:
		return 366
	case cftime.Day360:
		return 360
	case cftime.Julian:
		return 365.25
	}
	return 365.2425
}

// yearsAndValues are the values that are there and their times in years since the first step.
func yearsAndValues(s *series.Series) (years, values []float64) {
	length := yearLength(s.Calendar)
	for i, v := range s.Values {
		if v == v {
			years = append(years, s.Times[i].DaysSince(s.Times[0])/length)
			values = append(values, v)
		}
	}
	return years, values
}

// leastSquares is the slope of the ordinary least-squares line and the two-sided p-value of its t-test.
func leastSquares(x, y []float64) (slope, p float64) {
	n := float64(len(x))
	mx, my := mean(x), mean(y)
	var sxx, sxy, syy float64
	for i := range x {
		dx, dy := x[i]-mx, y[i]-my
		sxx += dx * dx
		sxy += dx * dy
		syy += dy * dy
	}
	slope = sxy / sxx
	residual := max(0, syy-slope*sxy)
	if syy == 0 {
		return 0, 1
	}
	if residual <= 1e-14*syy {
		return slope, 0
	}
	t := slope / math.Sqrt(residual/(n-2)/sxx)
	return slope, 2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 2}.CDF(-math.Abs(t))
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v - x[0]
	}
	return x[0] + sum/float64(len(x))
}

// theilSen is the median of the slopes of all pairs.
func theilSen(x, y []float64) float64 {
	slopes := make([]float64, 0, len(x)*(len(x)-1)/2)
	for i := range x {
		for j := i + 1; j < len(x); j++ {
			slopes = append(slopes, (y[j]-y[i])/(x[j]-x[i]))
		}
	}
	slices.Sort(slopes)
	m := len(slopes) / 2
	if len(slopes)%2 == 1 {
		return slopes[m]
	}
	return (slopes[m-1] + slopes[m]) / 2
}

// mannKendall is the two-sided p-value of the Mann-Kendall test.
func mannKendall(y []float64) float64 {
	n := float64(len(y))
	s := 0.0
	for i := range y {
		for j := i + 1; j < len(y); j++ {
			switch {
			case y[j] > y[i]:
				s++
			case y[j] < y[i]:
				s--
			}
		}
	}
	variance := n * (n - 1) * (2*n + 5)
	sorted := slices.Sorted(slices.Values(y))
	for i := 0; i < len(sorted); {
		j := i
		for j < len(sorted) && sorted[j] == sorted[i] {
			j++
		}
		t := float64(j - i)
		variance -= t * (t - 1) * (2*t + 5)
		i = j
	}
	variance /= 18
	if s == 0 || variance == 0 {
		return 1
	}
	z := (math.Abs(s) - 1) / math.Sqrt(variance)
	return 2 * distuv.UnitNormal.CDF(-z)
}
