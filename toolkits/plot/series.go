package plot

import (
	"context"
	"image"
	"math"

	"almanac/toolkits"
	"almanac/toolkits/plausible"
	"almanac/toolkits/series"
)

type seriesIn struct {
	Series *series.Series `arg:"series" doc:"the series" alias:"data,timeseries"`
	Title  string         `arg:"title,optional" doc:"text over the plot; left out: the variable and its place" verbatim:"true" alias:"heading,caption"`
}

func seriesTool() *toolkits.Tool {
	return toolkits.New("plot.series", drawSeries, toolkits.Doc{
		Group:   group,
		Purpose: "Draw a time series as a line over time.",
		Details: "Time runs to the right at its true spacing; the vertical axis spans the values and shows the unit. " +
			"A missing value interrupts the line, and a value between two missing ones is a dot; nothing is drawn across a gap. A series without any value is refused.",
		Examples: []string{
			"Show the carbon dioxide curve.",
			"Draw how the sea temperature went up and down.",
			"I would like a graph of the daily highs.",
			"Chart the forecast.",
			"Visualise the record over the years.",
		},
	})
}

func drawSeries(ctx context.Context, in seriesIn) (imageOut, error) {
	s := in.Series
	if s.Valid() == 0 {
		return imageOut{}, toolkits.Errorf(toolkits.EmptySelection, "all %d values of the series are missing", s.Len())
	}
	if err := plausible.Check(s.Values, s.Unit, s.Difference); err != nil {
		return imageOut{}, toolkits.Errorf(toolkits.OutOfDomain, "%w", err)
	}
	g, err := newGraph(s)
	if err != nil {
		return imageOut{}, err
	}
	title := in.Title
	if title == "" {
		title = seriesTitle(s)
	}
	g.axes(s)
	lines, dots := g.runs(s)
	g.strokes(lines, 1.6, curve)
	for _, d := range dots {
		g.fill(image.Rect(int(d.x)-2, int(d.y)-2, int(d.x)+2, int(d.y)+2).Intersect(g.frame), curve)
	}
	g.box(g.frame)
	g.heading(title)
	img, err := g.encode(title)
	if err != nil {
		return imageOut{}, err
	}
	return imageOut{img}, ctx.Err()
}

func seriesTitle(s *series.Series) string {
	title := s.LongName
	if title == "" {
		title = s.Variable
	}
	if s.Place != "" {
		title += ", " + s.Place
	}
	return title
}

// graph is a canvas whose frame shows a stretch of time and of values.
type graph struct {
	*canvas
	days      float64 // from the first to the last step
	low, high float64
}

func newGraph(s *series.Series) (*graph, error) {
	g := &graph{days: s.Times[s.Len()-1].DaysSince(s.Times[0])}
	low, high := plausible.Extremes(s.Values)
	room := (high - low) * 0.04
	var err error
	if g.low, g.high, err = widened(low-room, high+room); err != nil {
		return nil, err
	}
	if g.days <= 0 {
		g.days = 0
	}
	g.canvas, err = newCanvas(900, 420, image.Rect(90, 60, 850, 370))
	return g, err
}

// at is where a step's value lies; a single step lies in the middle.
func (g *graph) at(days, v float64) point {
	share := 0.5
	if g.days > 0 {
		share = days / g.days
	}
	return point{
		float64(g.frame.Min.X) + share*float64(g.frame.Dx()),
		float64(g.frame.Max.Y) - (v-g.low)/(g.high-g.low)*float64(g.frame.Dy()),
	}
}

// runs are the lines between missing values; a run of one value is a dot.
func (g *graph) runs(s *series.Series) (lines [][]point, dots []point) {
	var run []point
	flush := func() {
		switch len(run) {
		case 0:
		case 1:
			dots = append(dots, run[0])
		default:
			lines = append(lines, run)
		}
		run = nil
	}
	for i, v := range s.Values {
		if v != v {
			flush()
			continue
		}
		run = append(run, g.at(s.Times[i].DaysSince(s.Times[0]), v))
	}
	flush()
	return lines, dots
}

// axes draws the lines of round values, the unit, and the labels of some steps.
func (g *graph) axes(s *series.Series) {
	values, decimals := ticks(g.low, g.high, 6)
	for _, v := range values {
		y := g.at(0, v).y
		g.fill(image.Rect(g.frame.Min.X, int(y), g.frame.Max.X, int(y)+1).Intersect(g.frame), gridded)
		g.text(g.face, number(v, decimals), float64(g.frame.Min.X-8), y, 1, 0.5)
	}
	if s.Unit != "" && s.Unit != "1" {
		g.text(g.face, s.Unit, float64(g.frame.Min.X-8), float64(g.frame.Min.Y-12), 1, 1)
	}
	n := min(6, s.Len())
	for k := range n {
		i := 0
		if n > 1 {
			i = int(math.Round(float64(k) / float64(n-1) * float64(s.Len()-1)))
		}
		x := g.at(s.Times[i].DaysSince(s.Times[0]), g.low).x
		g.fill(image.Rect(int(x), g.frame.Max.Y, int(x)+1, g.frame.Max.Y+5), ink)
		g.text(g.face, s.Label(i), x, float64(g.frame.Max.Y+9), 0.5, 0)
	}
}
