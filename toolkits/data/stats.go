package data

import (
	"context"
	"slices"

	"almanac/toolkits"
	"almanac/toolkits/cftime"
	"almanac/toolkits/plausible"
	"almanac/toolkits/series"
	"almanac/toolkits/threshold"
)

type seriesStatsIn struct {
	Series *series.Series `arg:"series" doc:"the series" alias:"data,timeseries"`
	Period cftime.Period  `arg:"period,optional" doc:"look at these steps only, both ends included" alias:"time,date,dates"`
}

type seriesStatsOut struct {
	Mean   toolkits.Quantity `out:"mean" unit:"@series" doc:"mean, steps weighted by their length" alias:"average"`
	Min    toolkits.Quantity `out:"min" unit:"@series" doc:"smallest value" alias:"minimum"`
	Max    toolkits.Quantity `out:"max" unit:"@series" doc:"largest value" alias:"maximum"`
	Sum    toolkits.Quantity `out:"sum" unit:"@series" doc:"sum of the values" alias:"total"`
	Std    toolkits.Quantity `out:"std" unit:"@series" difference:"true" doc:"standard deviation of the population, steps weighted by their length"`
	First  toolkits.Quantity `out:"first" unit:"@series" doc:"first value that is there"`
	Last   toolkits.Quantity `out:"last" unit:"@series" doc:"last value that is there"`
	Range  toolkits.Quantity `out:"range" unit:"@series" difference:"true" doc:"largest less smallest value"`
	Argmin string            `out:"argmin" type:"instant" doc:"when the smallest value occurs, the first of equal ones"`
	Argmax string            `out:"argmax" type:"instant" doc:"when the largest value occurs, the first of equal ones"`
	Count  int               `out:"count" unit:"1" doc:"steps with a value"`
}

func seriesStatsTool() *toolkits.Tool {
	return toolkits.New("data.series_stats", seriesStats, toolkits.Doc{
		Group:   groupAnalysis,
		Purpose: "Summarize a time series: mean, extremes and when they occur, sum, spread, first and last value.",
		Details: "Missing values are left out, and count says how many steps have a value. " +
			"mean and std weight steps by their length in days; std divides by the weights (population). " +
			"Values that were accumulated from a common start (bounds that overlap) are differenced before anything else. " +
			"argmin and argmax are labels such as 2003-07-14, 2003-07, 2003 or July; of equal values the first.",
		Examples: []string{
			"What was the hottest afternoon of 2014 in Seattle, and when?",
			"How much rain came down altogether in 2015?",
			"What is the spread of the monthly values between 1980 and 1990?",
			"By how much do the extremes of the series differ?",
			"Average the wind of last winter's days.",
			"What was the last reading, and the first?",
		},
	})
}

func seriesStats(ctx context.Context, args seriesStatsIn) (seriesStatsOut, error) {
	s, err := selected(args.Series, args.Period)
	if err != nil {
		return seriesStatsOut{}, err
	}
	s = unrolledSeries(s)
	m, err := summarize(s)
	if err != nil {
		return seriesStatsOut{}, err
	}
	low, high := s.Values[m.low], s.Values[m.high]
	return seriesStatsOut{
		Mean: in(s, m.mean), Min: in(s, low), Max: in(s, high), Sum: in(s, m.sum), Std: in(s, m.std), First: in(s, s.Values[m.first]),
		Last: in(s, s.Values[m.last]), Range: in(s, high-low), Argmin: s.Label(m.low), Argmax: s.Label(m.high), Count: m.count,
	}, ctx.Err()
}

type percentileIn struct {
	Series  *series.Series `arg:"series" doc:"the series" alias:"data,timeseries"`
	Percent float64        `arg:"percent" doc:"which percentile; 50 is the median" unit:"%" min:"0" max:"100" alias:"percentile,q,quantile,p"`
	Period  cftime.Period  `arg:"period,optional" doc:"look at these steps only, both ends included" alias:"time,date,dates"`
}

type percentileOut struct {
	Value toolkits.Quantity `out:"value" unit:"@series" doc:"the percentile"`
	Count int               `out:"count" unit:"1" doc:"steps with a value"`
}

func percentileTool() *toolkits.Tool {
	return toolkits.New("data.percentile", percentile, toolkits.Doc{
		Group:   groupAnalysis,
		Purpose: "Give a percentile of a time series, such as the median or the 95th.",
		Details: "Linear interpolation between order statistics (Hyndman and Fan 1996, type 7, as numpy and R do). Every value counts once; missing ones are left out.",
		Examples: []string{
			"What is the median daily low in Seattle?",
			"Which value do only five percent of the days exceed?",
			"Give the 10th percentile of the wind record.",
			"How high is the threshold for the top 1 % of rainy days?",
			"Where does the lower quartile of the series lie?",
		},
	})
}

func percentile(ctx context.Context, args percentileIn) (percentileOut, error) {
	s, err := selected(args.Series, args.Period)
	if err != nil {
		return percentileOut{}, err
	}
	values := present(s.Values)
	if len(values) == 0 {
		return percentileOut{}, toolkits.Errorf(toolkits.EmptySelection, "all %d values of the series are missing", s.Len())
	}
	slices.Sort(values)
	at := args.Percent / 100 * float64(len(values)-1)
	i := min(int(at), len(values)-1)
	v := values[i]
	if next := min(i+1, len(values)-1); next > i && at > float64(i) {
		v += (at - float64(i)) * (values[next] - v)
	}
	return percentileOut{Value: in(s, v), Count: len(values)}, ctx.Err()
}

func present(values []float64) []float64 {
	out := make([]float64, 0, len(values))
	for _, v := range values {
		if v == v {
			out = append(out, v)
		}
	}
	return out
}

type countEventsIn struct {
	Series     *series.Series    `arg:"series" doc:"the series" alias:"data,timeseries"`
	Comparison string            `arg:"comparison" doc:"which side of the threshold counts" enum:"above,at_least,below,at_most" alias:"operator,condition,direction"`
	Threshold  toolkits.Quantity `arg:"threshold" doc:"the limit" unit:"@series" alias:"limit,value,level"`
	Period     cftime.Period     `arg:"period,optional" doc:"look at these steps only, both ends included" alias:"time,date,dates"`
}

type countEventsOut struct {
	Count      toolkits.Quantity `out:"count" unit:"?" doc:"steps on that side: in days for a daily series, else a plain number" alias:"days,events"`
	Fraction   float64           `out:"fraction" unit:"1" doc:"share of the steps with a value (0 to 1)"`
	LongestRun int               `out:"longest_run" unit:"1" doc:"most such steps one after another"`
}

func countEventsTool() *toolkits.Tool {
	return toolkits.New("data.count_events", countEvents, toolkits.Doc{
		Group:   groupAnalysis,
		Purpose: "Count the steps of a time series above or below a threshold, their share and the longest run of them.",
		Details: "above and below are strict, at_least and at_most include the threshold; values within 1e-9 of it count as equal to it. " +
			"A missing step counts on no side, is left out of the share and ends a run. A gap in the times ends a run too. Temperatures that no place has " +
			"(a wrong unit label) stop the tool.",
		Examples: []string{
			"How frequent was frost at night in Seattle in 2013?",
			"On what share of the days was there at least 10 mm of rain?",
			"What was the longest dry spell?",
			"How many months had CO2 over 350 ppm?",
			"Count the calm days, with wind below 2 m/s.",
		},
	})
}

func countEvents(ctx context.Context, args countEventsIn) (countEventsOut, error) {
	s, err := selected(args.Series, args.Period)
	if err != nil {
		return countEventsOut{}, err
	}
	if err := implausible(plausible.Check(s.Values, s.Unit, s.Difference)); err != nil {
		return countEventsOut{}, err
	}
	count, valid, run, longest := 0, 0, 0, 0
	for i, v := range s.Values {
		if v != v || i > 0 && gap(s, i) {
			run = 0
		}
		if v != v {
			continue
		}
		valid++
		if !threshold.Meets(v, args.Comparison, args.Threshold.Value) {
			run = 0
			continue
		}
		count++
		run++
		longest = max(longest, run)
	}
	if valid == 0 {
		return countEventsOut{}, toolkits.Errorf(toolkits.EmptySelection, "all %d values of the series are missing", s.Len())
	}
	unit := "1"
	if s.Frequency == cftime.FrequencyDay {
		unit = "day"
	}
	return countEventsOut{
		Count: toolkits.Quantity{Value: float64(count), Unit: unit}, Fraction: float64(count) / float64(valid), LongestRun: longest,
	}, ctx.Err()
}

// gap reports whether steps are left out between i-1 and i.
func gap(s *series.Series, i int) bool {
	days := s.Times[i].DaysSince(s.Times[i-1])
	switch s.Frequency {
	case cftime.FrequencyHour:
		return days > 1.5/24
	case cftime.FrequencyDay:
		return days > 1.5
	case cftime.FrequencyWeek:
		return days > 8
	case cftime.FrequencyMonth:
		return days > 45
	case cftime.FrequencySeason:
		return days > 130
	case cftime.FrequencyYear:
		return days > 500
	}
	return false
}
