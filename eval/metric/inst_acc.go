package metric

var instAcc = Metric{
	Name: "inst_acc", Title: "Valid calls",
	Definition: "share of the calls that name a tool that exists with arguments that satisfy its schema; " +
		"0 without a call",
	Source: "TerraAgent (arXiv 2606.13148), InstAcc", High: 1, Share: true,
	Compute: callMetric(func(c *Case) float64 {
		n := 0
		for _, p := range c.Predicted {
			if p.Valid {
				n++
			}
		}
		return ratio(n, len(c.Predicted))
	}),
}
