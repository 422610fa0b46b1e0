package metric

import (
	"math"
	"slices"
)

// NoSelection is the reason of a task whose gold opens no data.
const NoSelection = "no_selection"

var dataAccessError = Metric{
	Name: "data_access_error", Title: "Data access error",
	Definition: "1 − the share of gold's data selections (data set, variable, level, region, period) that a successful " +
		"call opened: with the same content, or a selection that contains it",
	Source: "after GeoLLM-Squad (arXiv 2501.16254), data access error", High: 1, LowerIsBetter: true, Share: true,
	Compute: func(c *Case) Value {
		v := callMetric(func(c *Case) float64 { return 0 })(c)
		if v.Value == nil {
			return v
		}
		wanted, opened := 0, 0
		for j := range c.m.g.calls {
			g := &c.m.g.calls[j]
			if !g.selects() {
				continue
			}
			wanted++
			if c.m.opened(j) {
				opened++
			}
		}
		if wanted == 0 {
			return none(NoSelection)
		}
		return some(1 - ratio(opened, wanted))
	},
}

// selects reports whether the call is a data selection: it names a data set and a variable.
func (c *Call) selects() bool {
	return !c.Check && c.argument("dataset") != nil && c.argument("variable") != nil
}

// opened reports whether a successful call gave gold's selection j or one that contains it.
func (m *matcher) opened(j int) bool {
	g := &m.g.calls[j]
	for i := range m.p.calls {
		p := &m.p.calls[i]
		if !p.Success || !p.selects() {
			continue
		}
		if m.same(i, j) || m.contains(p, g) {
			return true
		}
		for _, h := range p.Contents {
			if slices.Contains(g.Contents, h) {
				return true
			}
		}
	}
	return false
}

// contains compares two selections argument by argument: a region or period that p leaves out is the whole; everything
// else must be equal.
func (m *matcher) contains(p, g *Call) bool {
	if p.Tool != g.Tool {
		return false
	}
	names := map[string]bool{}
	for _, c := range []*Call{p, g} {
		for i := range c.Arguments {
			names[c.Arguments[i].Name] = true
		}
	}
	for name := range names {
		a, b := p.argument(name), g.argument(name)
		if a != nil && b != nil && m.equal(a, b) {
			continue
		}
		whole := name == "region" || name == "period"
		switch {
		case left(a) && left(b), left(a) && whole:
		case left(a) || left(b):
			return false
		case a.Rule == RulePeriod && b.Rule == RulePeriod && periodContains(text(a.Value), text(b.Value)):
		case a.Rule == RuleBox && b.Rule == RuleBox && boxContains(a.Value, b.Value):
		default:
			return false
		}
	}
	return true
}

// left reports whether an argument is left out.
func left(a *Argument) bool { return a == nil || a.Rule == RuleNull }

func periodContains(p, g string) bool {
	a1, a2, okA := periodSpan(p)
	b1, b2, okB := periodSpan(g)
	return okA && okB && !a1.After(b1) && !a2.Before(b2)
}

// boxContains compares west, south, east and north in degrees, each with the tolerance of equal boxes; boxes may cross
// the date line.
func boxContains(p, g any) bool {
	a, okA := numbers(p, "west", "south", "east", "north")
	b, okB := numbers(g, "west", "south", "east", "north")
	if !okA || !okB || b[1] < a[1]-boxTolerance || b[3] > a[3]+boxTolerance {
		return false
	}
	width := func(box []float64) float64 {
		if w := box[2] - box[0]; w >= 0 {
			return w
		}
		return box[2] - box[0] + 360
	}
	if width(a) >= 360-boxTolerance {
		return true
	}
	offset := math.Mod(b[0]-a[0], 360)
	if offset < -boxTolerance {
		offset += 360
	}
	if offset > 360-boxTolerance {
		offset -= 360
	}
	return offset+width(b) <= width(a)+2*boxTolerance
}
