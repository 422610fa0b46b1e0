package metric

var callSuccess = Metric{
	Name: "call_success", Title: "Successful calls",
	Definition: "share of the calls that gave a result; 0 without a call",
	Source:     "TerraAgent (arXiv 2606.13148)", High: 1, Share: true,
	Compute: callMetric(func(c *Case) float64 {
		n := 0
		for _, p := range c.Predicted {
			if p.Success {
				n++
			}
		}
		return ratio(n, len(c.Predicted))
	}),
}
