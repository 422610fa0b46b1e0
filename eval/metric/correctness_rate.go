package metric

var correctnessRate = Metric{
	Name: "correctness_rate", Title: "Correctness rate",
	Definition: "share of the gold calls that a successful call of the episode is the same as; any order that keeps " +
		"dependencies scores 1; a task to decline scores 1 if the episode declined",
	Source: "GeoLLM-Engine (arXiv 2404.15500), correctness rate, without the order", High: 1, Share: true,
	Compute: func(c *Case) Value {
		if c.Decline {
			return truth(c.Declined)
		}
		return callMetric(func(c *Case) float64 { return ratio(count(c.Matched), len(c.Gold)) })(c)
	},
}
