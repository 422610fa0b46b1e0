package metric

var hitAtTol = Metric{
	Name: "hit_at_tol", Title: "Hit@tol",
	Definition: "share of the answer's fields within their tolerance; text, instants and truth values must be equal",
	Source:     "TerraAgent (arXiv 2606.13148), Hit@tol", High: 1, Share: true,
	Compute: fieldMetric(func(f FieldScore) float64 {
		if f.Hit {
			return 1
		}
		return 0
	}),
}
