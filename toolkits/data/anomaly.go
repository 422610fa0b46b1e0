package data

import (
	"context"
	"math"
	"strings"

	"almanac/toolkits"
	"almanac/toolkits/artifact"
	"almanac/toolkits/cftime"
	"almanac/toolkits/grid"
	"almanac/toolkits/series"
)

// missing is a value that is not there.
var missing = math.NaN()

type anomalyIn struct {
	Data     artifact.Value `arg:"data" kind:"raster,series" doc:"a field or a series over time" alias:"raster,series,field,timeseries"`
	Baseline cftime.Period  `arg:"baseline,optional" doc:"years that are taken as normal; all of them when left out" alias:"reference,base_period,climatology"`
	Method   string         `arg:"method" doc:"how data departs from normal; departures in standard deviations are the output standardized" enum:"difference" default:"difference"`
}

type anomalyOut struct {
	Data         artifact.Value `out:"data" kind:"@data" unit:"@data" difference:"true" doc:"value less the normal of its time of the year" alias:"anomaly,difference"`
	Standardized artifact.Value `out:"standardized" kind:"@data" unit:"1" doc:"the same in standard deviations of the baseline; missing where these are 0"`
}

func anomalyTool() *toolkits.Tool {
	return toolkits.New("data.anomaly", anomaly, toolkits.Doc{
		Group:   groupAnalysis,
		Purpose: "Take the normal of the time of the year from a field or series: anomalies, plain and standardized.",
		Details: "The normal is the mean over the baseline of the same calendar month (monthly and weekly data), of the same month and day (daily; 29 February is a day of " +
			"its own) and hour (hourly), of the same season, or of all years (yearly data). Of a climatological year it is the mean of the year, months weighted by their length. " +
			"Standard deviations are those of the population around the normal. Where the baseline has no value for a time of the year the anomaly is missing.",
		Examples: []string{
			"How unusual was the winter of 1982 in the Niño region?",
			"By how much was each month warmer than its long-term mean?",
			"Show the seasonal cycle as departures from the yearly mean.",
			"Which month deviates most from normal, in standard deviations?",
			"Remove the seasonal cycle from the CO2 record.",
		},
	})
}

func anomaly(ctx context.Context, args anomalyIn) (anomalyOut, error) {
	switch data := args.Data.(type) {
	case *series.Series:
		n, err := newNormals(data.Times, data.TimeEdges, data.Calendar, data.Frequency, args.Baseline)
		if err != nil {
			return anomalyOut{}, err
		}
		plain, scaled := *data, *data
		if plain.Values, scaled.Values, err = n.depart(ctx, data.Values, 1); err != nil {
			return anomalyOut{}, err
		}
		plain.Difference, scaled.Difference, scaled.Unit = true, false, "1"
		return anomalyOut{&plain, &scaled}, nil
	case *grid.Raster:
		n, err := newNormals(data.Times, data.TimeEdges, data.Calendar, data.Frequency(), args.Baseline)
		if err != nil {
			return anomalyOut{}, err
		}
		plain, scaled := *data, *data
		if plain.Values, scaled.Values, err = n.depart(ctx, data.Values, len(data.Lat)*len(data.Lon)); err != nil {
			return anomalyOut{}, err
		}
		plain.Difference, scaled.Difference, scaled.Unit = true, false, "1"
		return anomalyOut{&plain, &scaled}, nil
	}
	return anomalyOut{}, toolkits.Errorf(toolkits.BadArgument, "a field or a series is wanted")
}

// normals says which steps share a normal, and which make it.
type normals struct {
	group  []int // of every step
	inBase []bool
	weight []float64
	groups int
}

func newNormals(times []cftime.Time, edges [][2]cftime.Time, calendar, frequency string, baseline cftime.Period) (*normals, error) {
	if len(times) < 2 {
		return nil, toolkits.Errorf(toolkits.NotEnoughData, "anomalies need more than one step in time, the data have %d", len(times))
	}
	climatological := strings.HasPrefix(frequency, "climatological")
	if climatological && !baseline.IsZero() && !baseline.AnyYear() {
		return nil, toolkits.Errorf(toolkits.BadArgument, "the data are a climatology without years; leave baseline out")
	}
	if err := baseline.CheckCalendar(calendar); err != nil && !baseline.IsZero() {
		return nil, fault(err)
	}
	n := &normals{weight: lengths(times, edges, frequency)}
	seen := map[[3]int]int{}
	found := false
	for i, t := range times {
		k := timeOfYear(t, frequency)
		if _, ok := seen[k]; !ok {
			seen[k] = len(seen)
		}
		base := baseline.IsZero() || baseline.Contains(t)
		found = found || base
		n.group = append(n.group, seen[k])
		n.inBase = append(n.inBase, base)
		if !climatological {
			n.weight[i] = 1
		}
	}
	n.groups = len(seen)
	if !found {
		return nil, toolkits.Errorf(toolkits.EmptySelection, "the baseline %s holds none of the steps, which go from %s to %s", baseline, times[0].Label(frequency), times[len(times)-1].Label(frequency))
	}
	return n, nil
}

// timeOfYear tells the steps apart that have normals of their own.
func timeOfYear(t cftime.Time, frequency string) [3]int {
	switch frequency {
	case cftime.FrequencyHour:
		return [3]int{t.Month, t.Day, t.Hour}
	case cftime.FrequencyDay:
		return [3]int{t.Month, t.Day}
	case cftime.FrequencySeason:
		return [3]int{t.Month % 12 / 3}
	case cftime.FrequencyYear, cftime.FrequencyClimatologicalMonth, cftime.FrequencyClimatologicalSeason:
		return [3]int{}
	}
	return [3]int{t.Month}
}

// depart takes the normals from values [step][width].
func (n *normals) depart(ctx context.Context, values []float64, width int) (plain, scaled []float64, err error) {
	plain, scaled = make([]float64, len(values)), make([]float64, len(values))
	mean, weight, std := make([]float64, n.groups), make([]float64, n.groups), make([]float64, n.groups)
	there := false
	for k := range width {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		clear(mean)
		clear(weight)
		clear(std)
		n.over(values, width, k, func(g int, v, w float64) { mean[g] += w * v; weight[g] += w })
		for g := range mean {
			mean[g] /= weight[g] // NaN, missing, without any value
		}
		n.over(values, width, k, func(g int, v, w float64) { std[g] += w * (v - mean[g]) * (v - mean[g]) })
		for step, g := range n.group {
			i := step*width + k
			plain[i] = values[i] - mean[g]
			there = there || plain[i] == plain[i]
			scaled[i] = missing
			if s := math.Sqrt(std[g] / weight[g]); s > 1e-12*math.Abs(mean[g]) {
				scaled[i] = plain[i] / s
			}
		}
	}
	if !there {
		return nil, nil, toolkits.Errorf(toolkits.EmptySelection, "no value has a normal: the baseline, or the data, are all missing")
	}
	return plain, scaled, nil
}

func (n *normals) over(values []float64, width, k int, add func(group int, v, weight float64)) {
	for step, g := range n.group {
		if v := values[step*width+k]; v == v && n.inBase[step] {
			add(g, v, n.weight[step])
		}
	}
}
