package data

import (
	"context"
	"strings"

	"almanac/toolkits"
	"almanac/toolkits/artifact"
	"almanac/toolkits/cftime"
	"almanac/toolkits/grid"
	"almanac/toolkits/series"
	"almanac/toolkits/units"
)

type aggregateIn struct {
	Data   artifact.Value `arg:"data" kind:"raster,series" doc:"a field or a series over time" alias:"raster,series,field,timeseries"`
	By     string         `arg:"by" doc:"length of the new steps; all makes one step of everything" enum:"year,season,month,day,all" alias:"freq,frequency,resolution,to"`
	Method string         `arg:"method" doc:"how steps are joined" enum:"mean,sum,min,max" alias:"statistic,how,reducer"`
	Period cftime.Period  `arg:"period,optional" doc:"use these steps only, both ends included" alias:"time,date,dates"`
}

type aggregateOut struct {
	Data     artifact.Value `out:"data" kind:"@data" unit:"@data" doc:"the field or series with the new steps" alias:"raster,series"`
	Coverage float64        `out:"coverage" unit:"1" doc:"of the new steps, the smallest share of its length that had values (0 to 1); of a field over all cells that have any value"`
}

func aggregateTool() *toolkits.Tool {
	return toolkits.New("data.aggregate_time", aggregate, toolkits.Doc{
		Group:   groupAnalysis,
		Purpose: "Join the steps of a field or series to months, seasons, years or one step, by mean, sum, minimum or maximum.",
		Details: "Means weight every step by its length in days. A new step without any value is missing, never 0; one with some values is made of those, " +
			"and coverage says how much of it they span. Seasons are DJF (of the year of its January), MAM, JJA, SON. Values accumulated from a common start " +
			"(bounds that overlap) are differenced first. A sum of a rate, such as mm day-1, is refused: it would lack the length of the steps; take the mean. " +
			"Steps cannot be made finer. A climatological year gives one step by year or all.",
		Examples: []string{
			"Turn the daily rain into yearly totals.",
			"What were the monthly mean temperatures in Seattle in 2015?",
			"Average the sea temperature field over the whole year.",
			"Make seasonal maxima from the daily wind.",
			"Give the annual mean of carbon dioxide for each year.",
		},
	})
}

func aggregate(ctx context.Context, args aggregateIn) (aggregateOut, error) {
	switch data := args.Data.(type) {
	case *series.Series:
		s, err := selected(data, args.Period)
		if err != nil {
			return aggregateOut{}, err
		}
		return aggregateSeries(unrolledSeries(s), args)
	case *grid.Raster:
		r := data
		if !args.Period.IsZero() {
			var err error
			if r, err = r.SelectPeriod(args.Period); err != nil {
				return aggregateOut{}, fault(err)
			}
		}
		return aggregateRaster(ctx, unrolledRaster(r), args)
	}
	return aggregateOut{}, toolkits.Errorf(toolkits.BadArgument, "a field or a series is wanted")
}

// axis is the time axis of what is aggregated.
type axis struct {
	times     []cftime.Time
	edges     [][2]cftime.Time
	frequency string
	unit      string
	days      []float64 // lengths of steps
}

// group is a new step: the old ones that it joins, its bounds and its length.
type group struct {
	steps []int
	edges [2]cftime.Time
	days  float64
}

var fineness = map[string]int{
	cftime.FrequencyHour: 1, cftime.FrequencyDay: 2, cftime.FrequencyWeek: 3, cftime.FrequencyMonth: 4, cftime.FrequencySeason: 5,
	cftime.FrequencyYear: 6,
}

// groups sorts the steps into new ones, in the order of time.
func (a axis) groups(by, method string) ([]group, error) {
	if len(a.times) == 0 {
		return nil, toolkits.Errorf(toolkits.BadArgument, "the data have no times to join")
	}
	if method == "sum" && rate(a.unit) {
		return nil, toolkits.Errorf(toolkits.BadUnit, "a sum of %s would lack the length of the steps; take the mean, or data whose values are amounts", a.unit)
	}
	climatological := strings.HasPrefix(a.frequency, "climatological")
	switch {
	case climatological && (by == "season" || by == "day" || by == "month" && a.frequency != cftime.FrequencyClimatologicalMonth):
		return nil, toolkits.Errorf(toolkits.Unsupported, "a climatological year cannot be joined by %s; choose the months by period, such as JJA, and join by all", by)
	case fineness[a.frequency] > fineness[by] && by != "all":
		return nil, toolkits.Errorf(toolkits.BadArgument, "the data have one value a %s; they cannot be made finer by %s", a.frequency, by)
	case by == "all" || climatological && by == "year":
		return []group{a.everything()}, nil
	}
	var out []group
	for i, t := range a.times {
		edges := cftime.Edges([]cftime.Time{t}, by)[0]
		if n := len(out); n > 0 && out[n-1].edges == edges {
			out[n-1].steps = append(out[n-1].steps, i)
			continue
		}
		g := group{steps: []int{i}, edges: edges, days: edges[1].DaysSince(edges[0])}
		if climatological {
			g.days = a.days[i]
		}
		out = append(out, g)
	}
	return out, nil
}

// everything joins all steps; its length is the span from the first to the last.
func (a axis) everything() group {
	g := group{steps: make([]int, len(a.times))}
	total := 0.0
	for i := range g.steps {
		g.steps[i] = i
		total += a.days[i]
	}
	edges := a.edges
	if edges == nil {
		edges = cftime.Edges(a.times, a.frequency)
	}
	g.days = total
	if len(edges) > 0 && !strings.HasPrefix(a.frequency, "climatological") {
		g.edges = [2]cftime.Time{edges[0][0], edges[len(edges)-1][1]}
		g.days = max(total, g.edges[1].DaysSince(g.edges[0]))
	}
	return g
}

// rate reports whether the unit has a time in its denominator.
func rate(unit string) bool {
	canonical, err := units.Canonical(unit)
	if err != nil {
		return false
	}
	for _, part := range strings.Fields(canonical) {
		switch part {
		case "s-1", "min-1", "h-1", "hour-1", "d-1", "day-1", "week-1", "month-1", "year-1":
			return true
		}
	}
	return false
}

// join makes one value of the values at the steps of a group: values[step*width+k]. filled is the length in days of the
// steps that have one; without any the value is missing.
func (a axis) join(values []float64, width, k int, g group, method string) (v, filled float64) {
	sum := 0.0
	for _, step := range g.steps {
		x := values[step*width+k]
		if x != x {
			continue
		}
		first := filled == 0
		w := a.days[step]
		filled += w
		switch {
		case method == "mean":
			sum += w * x
		case method == "sum":
			v += x
		case first || method == "min" && x < v || method == "max" && x > v:
			v = x
		}
	}
	if filled == 0 {
		return missing, 0
	}
	if method == "mean" {
		v = sum / filled
	}
	return v, filled
}

func aggregateSeries(s *series.Series, args aggregateIn) (aggregateOut, error) {
	a := axis{s.Times, s.TimeEdges, s.Frequency, s.Unit, lengths(s.Times, s.TimeEdges, s.Frequency)}
	groups, err := a.groups(args.By, args.Method)
	if err != nil {
		return aggregateOut{}, err
	}
	out := *s
	out.Times, out.TimeEdges, out.Values = nil, nil, nil
	out.CellMethods = grid.AddCellMethod(s.CellMethods, "time: "+cfMethod(args.Method))
	coverage := 1.0
	for _, g := range groups {
		v, filled := a.join(s.Values, 1, 0, g, args.Method)
		out.Values = append(out.Values, v)
		coverage = min(coverage, filled/g.days)
		out.Times, out.TimeEdges = g.stamp(a, out.Times, out.TimeEdges)
	}
	if out.Valid() == 0 {
		return aggregateOut{}, toolkits.Errorf(toolkits.EmptySelection, "all %d values of the series are missing", s.Len())
	}
	out.Frequency = newFrequency(args.By, s.Frequency)
	if out.Frequency == cftime.FrequencyIrregular && out.TimeEdges != nil {
		out.InferFrequency()
	}
	return aggregateOut{Data: &out, Coverage: coverage}, nil
}

// stamp adds a group's time and bounds.
func (g group) stamp(a axis, times []cftime.Time, edges [][2]cftime.Time) ([]cftime.Time, [][2]cftime.Time) {
	if g.edges[0].IsZero() {
		return append(times, a.times[g.steps[0]]), edges
	}
	return append(times, g.edges[0]), append(edges, g.edges)
}

// newFrequency names the new steps.
func newFrequency(by, old string) string {
	switch {
	case by == "month" && old == cftime.FrequencyClimatologicalMonth:
		return old
	case by == "all" || by == "year" && strings.HasPrefix(old, "climatological"):
		return cftime.FrequencyIrregular
	}
	return by
}

// cfMethod is the name of a method in CF's cell methods.
func cfMethod(method string) string {
	switch method {
	case "min":
		return "minimum"
	case "max":
		return "maximum"
	}
	return method
}

func aggregateRaster(ctx context.Context, r *grid.Raster, args aggregateIn) (aggregateOut, error) {
	a := axis{r.Times, r.TimeEdges, r.Frequency(), r.Unit, lengths(r.Times, r.TimeEdges, r.Frequency())}
	groups, err := a.groups(args.By, args.Method)
	if err != nil {
		return aggregateOut{}, err
	}
	out := *r
	width := len(r.Lat) * len(r.Lon)
	out.Values = make([]float64, len(groups)*width)
	out.Times, out.TimeEdges = nil, nil
	out.CellMethods = grid.AddCellMethod(r.CellMethods, "time: "+cfMethod(args.Method))
	everywhere := cellsWithValue(r, width)
	coverage, any := 1.0, false
	for n, g := range groups {
		if err := ctx.Err(); err != nil {
			return aggregateOut{}, err
		}
		for k := range width {
			v, filled := a.join(r.Values, width, k, g, args.Method)
			out.Values[n*width+k] = v
			if everywhere[k] {
				any = true
				coverage = min(coverage, filled/g.days)
			}
		}
		out.Times, out.TimeEdges = g.stamp(a, out.Times, out.TimeEdges)
	}
	if !any {
		return aggregateOut{}, toolkits.Errorf(toolkits.EmptySelection, "all %d values of the field are missing", len(r.Values))
	}
	if r.Climatology && args.By != "month" { // a mean year has no date
		out.Climatology, out.Times, out.TimeEdges, out.Calendar = false, nil, nil, ""
	}
	return aggregateOut{Data: &out, Coverage: coverage}, nil
}

// cellsWithValue marks the cells that have a value at any step.
func cellsWithValue(r *grid.Raster, width int) []bool {
	has := make([]bool, width)
	for i, v := range r.Values {
		if v == v {
			has[i%width] = true
		}
	}
	return has
}
