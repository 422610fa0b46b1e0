package metric

var correctnessSequence = Metric{
	Name: "correctness_sequence", Title: "Correctness, in order",
	Definition: "longest common subsequence of the successful calls and the gold calls, both in the order of their text / " +
		"gold calls",
	Source: "GeoLLM-Engine (arXiv 2404.15500), correctness rate of a fixed sequence", High: 1, Share: true,
	Compute: callMetric(func(c *Case) float64 {
		n := lcs(len(c.Predicted), len(c.Gold), func(i, j int) bool { return c.Predicted[i].Success && c.same(i, j) })
		return ratio(n, len(c.Gold))
	}),
}
