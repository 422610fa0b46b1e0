package metric

var numScore = Metric{
	Name: "num_score", Title: "NumScore",
	Definition: "mean over fields of 1 within the tolerance λ and 2^-(AE/λ − 1) beyond it; other types: 1 or 0",
	Source:     "TerraAgent (arXiv 2606.13148), NumScore", High: 1,
	Compute: fieldMetric(func(f FieldScore) float64 { return f.Score }),
}
