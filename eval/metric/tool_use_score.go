package metric

var toolUseScore = Metric{
	Name: "tool_use_score", Title: "ToolUseScore",
	Definition: "0.30 tool_acc + 0.15 inst_acc + 0.20 arg_acc + 0.15 category_f1 + 0.15 order_score + 0.05 call_success",
	Source:     "TerraAgent (arXiv 2606.13148), ToolUseScore", High: 1,
	Compute: func(c *Case) Value {
		total := 0.0
		for _, part := range ToolUseParts() {
			v := part.Compute(c)
			if v.Value == nil {
				return v
			}
			total += float64(part.Weight * *v.Value)
		}
		return some(total)
	},
}

// Part is a metric inside tool_use_score with its weight; the weights sum to 1.
type Part struct {
	Metric
	Weight float64
}

// ToolUseParts are what tool_use_score is made of.
func ToolUseParts() []Part {
	return []Part{{toolAcc, 0.30}, {instAcc, 0.15}, {argAcc, 0.20}, {categoryF1, 0.15}, {orderScore, 0.15}, {callSuccess, 0.05}}
}
