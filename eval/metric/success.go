package metric

var success = Metric{
	Name: "success", Title: "Success",
	Definition: "every field of the answer is within its tolerance and every required effect is there; " +
		"for a task whose right answer is to decline: the episode declined",
	Source: "GeoLLM-Engine (arXiv 2404.15500), success rate", High: 1, Share: true, Binary: true,
	Compute: func(c *Case) Value { return truth(c.Succeeded()) },
}

// Succeeded reports whether the episode did what the task asked for.
func (c *Case) Succeeded() bool {
	if c.Decline {
		return c.Declined
	}
	if c.Declined || len(c.Fields) == 0 || len(c.Missing) > 0 {
		return false
	}
	for _, f := range c.Fields {
		if !f.Hit {
			return false
		}
	}
	return true
}
