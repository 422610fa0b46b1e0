package metric

var categoryF1 = Metric{
	Name: "category_f1", Title: "Groups, F1",
	Definition: "F1 of the multisets of tool groups: 2PR/(P+R) with P and R the common groups over the calls and over gold",
	Source:     "TerraAgent (arXiv 2606.13148), CategoryF1", High: 1,
	Compute: callMetric(func(c *Case) float64 {
		m := multiset(groups(c.Predicted), groups(c.Gold))
		if m == 0 {
			return 0
		}
		p, r := ratio(m, len(c.Predicted)), ratio(m, len(c.Gold))
		return 2 * p * r / (p + r)
	}),
}
