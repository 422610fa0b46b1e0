package metric

var scheduleValidFinal = Metric{
	Name: "schedule_valid_final", Title: "Schedule valid in the end",
	Definition: "the last schedule passed the checker, after repairs and revisions",
	Source:     "own", High: 1, Share: true, Binary: true,
	Compute: scheduleMetric(func(s []Submitted) bool { return s[len(s)-1].Valid }),
}
