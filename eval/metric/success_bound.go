package metric

import "slices"

var successBound = Metric{
	Name: "success_bound", Title: "Success, bound",
	Definition: "success with every field of the answer bound; what success has beyond it was right without a chain to data",
	Source:     "own", High: 1, Share: true, Binary: true,
	Compute: func(c *Case) Value {
		loose := !c.Decline && slices.ContainsFunc(c.Fields, func(f FieldScore) bool { return !f.Bound })
		return truth(c.Succeeded() && !loose)
	},
}
