package metric

var correctnessLenient = Metric{
	Name: "correctness_lenient", Title: "Correctness, lenient",
	Definition: "max(0, 1 − errors / gold calls); errors are the gold calls whose tool never occurs, and the calls whose " +
		"tool gold does not use, else whose arguments are no gold call's, else that repeat a call; for comparison only",
	Source: "after GeoLLM-Engine (arXiv 2404.15500), correctness rate, loosely read", High: 1,
	Compute: callMetric(func(c *Case) float64 {
		return max(0, 1-ratio(c.lenientErrors(), len(c.Gold)))
	}),
}

// lenientErrors counts each predicted call once, under the first error that applies.
func (c *Case) lenientErrors() int {
	errors := 0
	predicted, gold := map[string]bool{}, map[string]bool{}
	for _, p := range c.Predicted {
		predicted[p.Tool] = true
	}
	for _, g := range c.Gold {
		gold[g.Tool] = true
		if !predicted[g.Tool] {
			errors++
		}
	}
	taken := make([]bool, len(c.Gold))
	for i, p := range c.Predicted {
		if !gold[p.Tool] || !c.firstOf(i, taken) {
			errors++
		}
	}
	return errors
}

// firstOf reports whether predicted call i is a gold call that no earlier one was, and takes it.
func (c *Case) firstOf(i int, taken []bool) bool {
	for j := range c.Gold {
		if !taken[j] && c.same(i, j) {
			taken[j] = true
			return true
		}
	}
	return false
}
