package report

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"
)

// costPoint is a setup in the plane of tokens and score.
type costPoint struct {
	Name          string
	Tokens, Score float64 // tokens an episode; a share
	Lo, Hi        *float64
	Control       bool // matched in tokens to another setup
	Oracle        bool // is shown gold: bounds what can be reached
	Matches       int  // the point whose tokens it matches, -1 for none
	Pareto        bool
}

// pareto marks the points that no other one beats at as few tokens or fewer. Oracle is shown the answer and beats
// nobody.
func pareto(points []costPoint) {
	for i := range points {
		p := &points[i]
		p.Pareto = !p.Oracle && !slices.ContainsFunc(points, func(q costPoint) bool {
			return !q.Oracle && q.Tokens <= p.Tokens && q.Score >= p.Score && (q.Tokens < p.Tokens || q.Score > p.Score)
		})
	}
}

// The plot's box, in units of its viewBox: small enough to be read on a phone.
const (
	plotWidth, plotHeight                    = 460.0, 330.0
	plotLeft, plotRight, plotTop, plotBottom = 46.0, 12.0, 14.0, 46.0
	zeroBand                                 = 40.0 // for setups that use no tokens, which no log axis can hold
)

// costPlot draws score against tokens.
type costPlot struct {
	points     []costPoint
	least, top float64 // decades of the axis, as powers of ten
	zero       bool    // some points use no tokens
}

func newCostPlot(points []costPoint) *costPlot {
	p := &costPlot{points: points, least: math.Inf(1), top: math.Inf(-1)}
	for _, q := range points {
		if q.Tokens <= 0 {
			p.zero = true
			continue
		}
		p.least, p.top = min(p.least, math.Log10(q.Tokens)), max(p.top, math.Log10(q.Tokens))
	}
	if math.IsInf(p.least, 0) {
		p.least, p.top = 2, 4 // nobody uses tokens: an axis all the same
	}
	p.least, p.top = p.least-0.15, p.top+0.15
	if p.top-p.least < 1 {
		middle := (p.top + p.least) / 2
		p.least, p.top = middle-0.5, middle+0.5
	}
	return p
}

func (p *costPlot) left() float64 {
	if p.zero {
		return plotLeft + zeroBand
	}
	return plotLeft
}

func (p *costPlot) x(tokens float64) float64 {
	if tokens <= 0 {
		return plotLeft + zeroBand/2
	}
	return p.left() + (math.Log10(tokens)-p.least)/(p.top-p.least)*(plotWidth-plotRight-p.left())
}

func (p *costPlot) y(share float64) float64 {
	return plotTop + (1-min(1, max(0, share)))*(plotHeight-plotTop-plotBottom)
}

// svg draws it. title is what a reader who cannot see it is told.
func (p *costPlot) svg(title string) template.HTML {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="plot" viewBox="0 0 %.0f %.0f" role="img" aria-label="%s">`, plotWidth, plotHeight, template.HTMLEscapeString(title))
	p.axes(&b)
	p.line(&b)
	for _, q := range p.points {
		p.mark(&b, q)
	}
	p.names(&b)
	b.WriteString("</svg>")
	return template.HTML(b.String()) // names are escaped, the rest is numbers
}

func (p *costPlot) axes(b *strings.Builder) {
	for _, s := range []float64{0, 0.25, 0.5, 0.75, 1} {
		fmt.Fprintf(b, `<line class="track" x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f"/><text x="%.1f" y="%.1f" text-anchor="end">%.0f %%</text>`,
			plotLeft, plotWidth-plotRight, p.y(s), p.y(s), plotLeft-6, p.y(s)+4, s*100)
	}
	floor := plotHeight - plotBottom
	if p.zero {
		fmt.Fprintf(b, `<line class="zero" x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f"/><text x="%.1f" y="%.1f" text-anchor="middle">0</text>`,
			p.left(), p.left(), plotTop, floor, plotLeft+zeroBand/2, floor+16)
	}
	for _, t := range p.ticks() {
		if p.zero && p.x(t) < p.left()+22 {
			continue // its label would run into that of 0
		}
		fmt.Fprintf(b, `<line class="track" x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f"/><text x="%.1f" y="%.1f" text-anchor="middle">%s</text>`,
			p.x(t), p.x(t), floor, floor+4, p.x(t), floor+16, thousands(int64(t)))
	}
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="middle">tokens an episode, log scale</text>`,
		(p.left()+plotWidth-plotRight)/2, plotHeight-8)
}

// ticks are round numbers on the axis: decades, with 2 and 5 where there are few.
func (p *costPlot) ticks() []float64 {
	steps := []float64{1}
	if p.top-p.least < 2.2 {
		steps = []float64{1, 2, 5}
	}
	var out []float64
	for d := math.Floor(p.least); d <= p.top; d++ {
		for _, s := range steps {
			t := s * math.Pow(10, d)
			if l := math.Log10(t); l >= p.least && l <= p.top && t >= 1 {
				out = append(out, t)
			}
		}
	}
	return out
}

// line draws the Pareto line as steps: what the best setup reaches with at most so many tokens. And a line from each
// control to what it is matched with.
func (p *costPlot) line(b *strings.Builder) {
	var best []costPoint
	for _, q := range p.points {
		if q.Pareto {
			best = append(best, q)
		}
	}
	slices.SortFunc(best, func(a, b costPoint) int { return int(math.Copysign(1, a.Tokens-b.Tokens)) })
	if len(best) > 0 {
		fmt.Fprintf(b, `<path class="pareto" d="M%.1f %.1f`, p.x(best[0].Tokens), p.y(best[0].Score))
		for _, q := range best[1:] {
			fmt.Fprintf(b, " H%.1f V%.1f", p.x(q.Tokens), p.y(q.Score))
		}
		fmt.Fprintf(b, ` H%.1f"/>`, plotWidth-plotRight)
	}
	for _, q := range p.points {
		if q.Matches >= 0 {
			m := p.points[q.Matches]
			fmt.Fprintf(b, `<line class="matched" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`, p.x(q.Tokens), p.y(q.Score), p.x(m.Tokens), p.y(m.Score))
		}
	}
}

func (p *costPlot) mark(b *strings.Builder, q costPoint) {
	x, y := p.x(q.Tokens), p.y(q.Score)
	class := "dot"
	if !q.Pareto {
		class = "dot off"
	}
	if q.Oracle {
		class = "dot bound"
	}
	fmt.Fprintf(b, `<g><title>%s: %.1f %% at %s tokens</title>`, template.HTMLEscapeString(q.Name), q.Score*100, thousands(int64(q.Tokens+0.5)))
	if q.Lo != nil && q.Hi != nil {
		fmt.Fprintf(b, `<line class="whisker" x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f"/>`, x, x, p.y(*q.Lo), p.y(*q.Hi))
	}
	if q.Control {
		fmt.Fprintf(b, `<path class="%s" d="M%.1f %.1f l6 6 l-6 6 l-6 -6 z"/></g>`, class, x, y-6)
		return
	}
	fmt.Fprintf(b, `<circle class="%s" cx="%.1f" cy="%.1f" r="5"/></g>`, class, x, y)
}

// box is a rectangle that text must keep clear of.
type box struct{ x0, y0, x1, y1 float64 }

func (a box) meets(b box) bool { return a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1 }

// names writes the names beside the points, where they cover neither points nor each other: near if there is room,
// else further off with a line that leads there.
func (p *costPlot) names(b *strings.Builder) {
	var taken []box
	for _, q := range p.points {
		taken = append(taken, box{p.x(q.Tokens) - 6, p.y(q.Score) - 6, p.x(q.Tokens) + 6, p.y(q.Score) + 6})
	}
	order := make([]int, len(p.points))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return int(math.Copysign(1, p.points[j].Score-p.points[i].Score)) })
	for _, i := range order {
		q := p.points[i]
		x, y := p.x(q.Tokens), p.y(q.Score)
		width := 7.3*float64(len([]rune(q.Name))) + 2
		at, far := place(x, y, width, taken)
		taken = append(taken, at)
		if far {
			fmt.Fprintf(b, `<line class="lead" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`, x, y, min(max(x, at.x0), at.x1), min(max(y, at.y0+2), at.y1-2))
		}
		fmt.Fprintf(b, `<text class="name" x="%.1f" y="%.1f">%s</text>`, at.x0+1, at.y1-3.5, template.HTMLEscapeString(q.Name))
	}
}

// place finds room for a name.
func place(x, y, width float64, taken []box) (at box, far bool) {
	const height = 14.0
	var first box
	for ring := range 12 {
		d := 8 + 13*float64(ring)
		for k, c := range [][2]float64{{x + d, y - height/2}, {x - d - width, y - height/2}, {x - width/2, y - d - height}, {x - width/2, y + d},
			{x + d*0.7, y - d}, {x + d*0.7, y + d - height}, {x - d*0.7 - width, y - d}, {x - d*0.7 - width, y + d - height}} {
			at = box{c[0], c[1], c[0] + width, c[1] + height}
			if ring == 0 && k == 0 {
				first = at
			}
			inside := at.x0 >= plotLeft && at.x1 <= plotWidth && at.y0 >= 0 && at.y1 <= plotHeight-plotBottom
			if inside && !slices.ContainsFunc(taken, at.meets) {
				return at, ring > 0
			}
		}
	}
	return first, false
}
