package metric

// NoSchedule is the reason of an episode that has submitted no schedule: it works in a loop, or never came so far.
const NoSchedule = "no_schedule"

// Submitted is a version of a schedule as it was handed in: whether it passed the checker, and whether certain repairs
// were made first.
type Submitted struct{ Valid, Repaired bool }

var scheduleValid = Metric{
	Name: "schedule_valid", Title: "Schedule valid at once",
	Definition: "the first schedule passed the checker as it was written, without a repair",
	Source:     "own", High: 1, Share: true, Binary: true,
	Compute: scheduleMetric(func(s []Submitted) bool { return s[0].Valid && !s[0].Repaired }),
}

// scheduleMetric is a metric over the submitted versions, of which there is at least one.
func scheduleMetric(f func([]Submitted) bool) func(*Case) Value {
	return func(c *Case) Value {
		switch {
		case c.Decline:
			return none(DeclineTask)
		case len(c.Schedules) == 0:
			return none(NoSchedule)
		}
		return truth(f(c.Schedules))
	}
}
