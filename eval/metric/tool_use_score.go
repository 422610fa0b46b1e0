package metric

var toolUseScore = Metric{
	Name: "tool_use_score", Title: "ToolUseScore",
	Definition: "0.30 tool_acc + 0.15 inst_acc + 0.20 arg_acc + 0.15 category_f1 + 0.15 order_score + 0.05 call_success",
	Source:     "TerraAgent (arXiv 2606.13148), ToolUseScore", High: 1,
	Compute: func(c *Case) Value {
		parts := []struct {
			weight float64
			metric Metric
		}{{0.30, toolAcc}, {0.15, instAcc}, {0.20, argAcc}, {0.15, categoryF1}, {0.15, orderScore}, {0.05, callSuccess}}
		total := 0.0
		for _, part := range parts {
			v := part.metric.Compute(c)
			if v.Value == nil {
				return v
			}
			total += float64(part.weight * *v.Value)
		}
		return some(total)
	},
}
