package metric

var correctnessStrict = Metric{
	Name: "correctness_strict", Title: "Correctness, extra calls cost",
	Definition: "matched gold calls / max(gold calls, calls of the episode)",
	Source:     "own", High: 1, Share: true,
	Compute: callMetric(func(c *Case) float64 {
		return ratio(count(c.Matched), max(len(c.Gold), len(c.Predicted)))
	}),
}
