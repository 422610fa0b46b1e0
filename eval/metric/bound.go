package metric

var bound = Metric{
	Name: "bound", Title: "Bound",
	Definition: "share of the answer's fields with an intact chain from data to value: the artifact exists, the call " +
		"that made it succeeded, and no number on the way was made up",
	Source: "own", High: 1, Share: true,
	Compute: fieldMetric(func(f FieldScore) float64 {
		if f.Bound {
			return 1
		}
		return 0
	}),
}
