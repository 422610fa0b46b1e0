package metric

var toolAcc = Metric{
	Name: "tool_acc", Title: "Tools",
	Definition: "the calls are aligned in order with gold (exact name 1, same group ½, the alignment worth most); " +
		"aligned pairs of at least the same group / gold calls",
	Source: "TerraAgent (arXiv 2606.13148), ToolAcc", High: 1, Share: true,
	Compute: callMetric(func(c *Case) float64 { return ratio(len(c.aligned), len(c.Gold)) }),
}
