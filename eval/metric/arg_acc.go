package metric

import "slices"

var argAcc = Metric{
	Name: "arg_acc", Title: "Arguments",
	Definition: "mean over aligned calls of the same tool of: (1 for each gold parameter with its value, ½ for one " +
		"with another) / (gold parameters and extra ones that are not at their default); 1 for a pair without " +
		"parameters, 0 without a pair",
	Source: "TerraAgent (arXiv 2606.13148), ArgAcc", High: 1,
	Compute: callMetric(func(c *Case) float64 {
		total, pairs := 0.0, 0
		for _, pair := range c.aligned {
			p, g := &c.Predicted[pair[0]], &c.Gold[pair[1]]
			if p.Tool == g.Tool {
				total, pairs = total+c.arguments(pair), pairs+1
			}
		}
		if pairs == 0 {
			return 0
		}
		return total / float64(pairs)
	}),
}

// arguments scores one aligned pair. Where two expressions are equal as trees their source and variables match,
// however they are written.
func (c *Case) arguments(pair [2]int) float64 {
	p, g := &c.Predicted[pair[0]], &c.Gold[pair[1]]
	if p.isExpression() && g.isExpression() {
		if equal, ok := c.m.equalExpressions(c.m.p.counted[pair[0]], c.m.g.counted[pair[1]]); ok && equal {
			return 1
		}
	}
	extra := extras(p, g)
	n := len(g.Arguments) + len(extra)
	if n == 0 {
		return 1
	}
	score := 0.0
	for i := range g.Arguments {
		switch c.m.argument(p, &g.Arguments[i]) {
		case valueMatches:
			score++
		case valueWrong:
			score += 0.5
		}
	}
	return score / float64(n)
}

// AlignedArguments counts the aligned pairs of the same tool, and those of them that differ in an argument.
func (c *Case) AlignedArguments() (pairs, different int) {
	for _, pair := range c.aligned {
		p, g := &c.Predicted[pair[0]], &c.Gold[pair[1]]
		if p.Tool != g.Tool {
			continue
		}
		pairs++
		if c.arguments(pair) < 1 {
			different++
		}
	}
	return pairs, different
}

// Aligned returns the pairs of the alignment, as indices into Predicted and Gold.
func (c *Case) Aligned() [][2]int { return slices.Clone(c.aligned) }
