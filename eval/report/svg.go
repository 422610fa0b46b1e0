package report

import (
	"fmt"
	"html/template"
	"math"
	"strings"
)

// intervalBar draws a mean with its interval on a track from 0 to 1. Bounds beyond the track are drawn to its end.
func intervalBar(mean, lo, hi *float64) template.HTML {
	const width, height, pad = 132.0, 16.0, 5.0
	if mean == nil {
		return ""
	}
	x := func(v float64) float64 { return pad + min(1, max(0, v))*(width-2*pad) }
	var b strings.Builder
	fmt.Fprintf(&b, `<svg width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f" role="img" aria-label="mean %.3f"><line class="track" x1="%.1f" x2="%.1f" y1="8" y2="8"/>`,
		width, height, width, height, *mean, pad, width-pad)
	if lo != nil && hi != nil {
		fmt.Fprintf(&b, `<line class="span" x1="%.1f" x2="%.1f" y1="8" y2="8"/>`, x(*lo), x(*hi))
	}
	fmt.Fprintf(&b, `<circle class="dot" cx="%.1f" cy="8" r="4"/></svg>`, x(*mean))
	return template.HTML(b.String()) // numbers only: nothing of it comes from outside
}

// difference is one row of a forest plot.
type difference struct {
	diff, lo, hi *float64
	class        string // the verdict
}

// plotSpan is the width of a row of a forest plot.
const plotSpan = 170.0

// forest draws one difference on the scale of all of them, with a line at 0.
func forest(d difference, scale float64) template.HTML {
	const width, height, pad = plotSpan, 18.0, 8.0
	if d.diff == nil {
		return ""
	}
	x := func(v float64) float64 { return width/2 + min(scale, max(-scale, v))/scale*(width/2-pad) }
	var b strings.Builder
	fmt.Fprintf(&b, `<svg width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f" role="img" aria-label="difference %.3f"><g class="%s"><line class="track" x1="%.1f" x2="%.1f" y1="9" y2="9"/><line class="zero" x1="%.1f" x2="%.1f" y1="0" y2="18"/>`,
		width, height, width, height, *d.diff, template.HTMLEscapeString(d.class), pad, width-pad, width/2, width/2)
	if d.lo != nil && d.hi != nil {
		fmt.Fprintf(&b, `<line class="span" x1="%.1f" x2="%.1f" y1="9" y2="9"/>`, x(*d.lo), x(*d.hi))
	}
	fmt.Fprintf(&b, `<circle class="dot" cx="%.1f" cy="9" r="4.5"/></g></svg>`, x(*d.diff))
	return template.HTML(b.String())
}

// axis labels the scale of a forest plot.
func axis(scale float64) template.HTML {
	const width, pad = plotSpan, 8.0
	points := scale * 100
	return template.HTML(fmt.Sprintf(`<svg width="%.0f" height="14" viewBox="0 0 %.0f 14" role="img" aria-label="difference in points"><text x="%.0f" y="11">−%.0f</text><text x="%.0f" y="11" text-anchor="middle">0</text><text x="%.0f" y="11" text-anchor="end">+%.0f points</text></svg>`,
		width, width, pad-8, points, width/2, width, points))
}

// scaleOf is the smallest round scale that holds every bound.
func scaleOf(rows []difference) float64 {
	most := 0.0
	for _, r := range rows {
		for _, v := range []*float64{r.diff, r.lo, r.hi} {
			if v != nil {
				most = max(most, math.Abs(*v))
			}
		}
	}
	for _, s := range []float64{0.1, 0.25, 0.5, 0.75} {
		if most <= s {
			return s
		}
	}
	return 1
}
