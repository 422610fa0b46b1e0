package metric

// Value is a metric's value, or the reason why it has none.
type Value struct {
	Value  *float64
	Reason string
}

// Reasons for a metric without a value.
const (
	DeclineTask = "decline_task" // the right answer is to decline: calls and fields say nothing
	NoGold      = "no_gold"
	NoFields    = "no_fields"
)

func some(v float64) Value    { return Value{Value: &v} }
func none(why string) Value   { return Value{Reason: why} }
func truth(v bool) Value      { return some(map[bool]float64{true: 1, false: 0}[v]) }
func ratio(n, of int) float64 { return share(n, of) }

// Metric is one metric: what it is called, what it means and how it is computed.
type Metric struct {
	Name       string
	Title      string // for people
	Definition string
	Source     string
	Low, High  float64
	// LowerIsBetter is the direction.
	LowerIsBetter bool
	// Share says that the value is a share of counted things; Binary that an episode has it or not.
	Share, Binary bool
	Compute       func(*Case) Value
}

// Direction says which values are better: higher or lower ones.
func (m Metric) Direction() string {
	if m.LowerIsBetter {
		return "lower"
	}
	return "higher"
}

// All returns every metric, in the order in which they are shown.
func All() []Metric {
	return []Metric{
		success, correctnessRate, correctnessStrict, toolUseScore, numScore, hitAtTol, bound,
		toolAcc, instAcc, argAcc, categoryF1, orderScore, callSuccess,
		correctnessSequence, correctnessLenient, scheduleValid, scheduleValidFinal, dataAccessError, detectionF1, successBound,
	}
}

// Find returns the metric of that name.
func Find(name string) (Metric, bool) {
	for _, m := range All() {
		if m.Name == name {
			return m, true
		}
	}
	return Metric{}, false
}

// callMetric is a metric over calls: without a value for a task to decline, and without gold.
func callMetric(f func(*Case) float64) func(*Case) Value {
	return func(c *Case) Value {
		switch {
		case c.Decline:
			return none(DeclineTask)
		case len(c.Gold) == 0:
			return none(NoGold)
		}
		return some(f(c))
	}
}

// fieldMetric is a mean over the fields of the contract.
func fieldMetric(f func(FieldScore) float64) func(*Case) Value {
	return func(c *Case) Value {
		switch {
		case c.Decline:
			return none(DeclineTask)
		case len(c.Fields) == 0:
			return none(NoFields)
		}
		sum := 0.0
		for _, s := range c.Fields {
			sum += f(s)
		}
		return some(sum / float64(len(c.Fields)))
	}
}
