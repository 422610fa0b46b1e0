package earthbench

import (
	"encoding/json"
	"maps"
	"slices"

	"almanac/eval/internal/pyjson"
	"almanac/eval/metric"
)

// StrictReport is a run scored by Almanac's own metrics, as far as they apply to bare calls. A value is in [0, 1].
type StrictReport struct {
	Items StrictItems                `json:"items"`
	Means Scopes[map[string]float64] `json:"means"`
	// NotMeasured says of each metric that has no value here why.
	NotMeasured map[string]string `json:"not_measured"`
}

// StrictItem is one question of the gold, by metric. What has no value is left out.
type StrictItem struct {
	Key      string
	Position int
	Values   map[string]float64
}

// StrictItems are in the order of the gold; as JSON they are one object by key.
type StrictItems []StrictItem

// MarshalJSON writes the items by key, in order.
func (items StrictItems) MarshalJSON() ([]byte, error) {
	return ordered(len(items), func(i int) (string, any) { return items[i].Key, items[i].Values })
}

// notMeasured are the metrics that need what a recorded run does not say.
var notMeasured = map[string]string{
	"inst_acc":             "the run does not say which calls were valid",
	"call_success":         "the run does not say which calls succeeded",
	"tool_use_score":       "a weighted sum of metrics of which inst_acc and call_success have no value",
	"bound":                "the run holds no results to follow an answer back to",
	"schedule_valid":       "the run has no schedule",
	"schedule_valid_final": "the run has no schedule",
	"data_access_error":    "the run does not say which data were opened",
	"detection_f1":         "the run holds no detections",
}

// Strict scores a run by our own metrics. The run's tools have no schema and no group and its calls no result, so: each
// tool is a group of its own; a call whose input is an object, or text that is one, counts as successful; an argument is
// compared by what gold has there, a number within 1e-9, text in NFC and any case, lists in order. An item without an
// answer is answered wrong.
func Strict(gold *Gold, run *Run) *StrictReport {
	r := &StrictReport{NotMeasured: map[string]string{}}
	for i := range gold.items {
		g, run := &gold.items[i], &run.items[i]
		if !run.any() {
			continue
		}
		c := metric.NewCase(metric.Evidence{
			Calls: metricCalls(run.calls), Gold: []metric.Gold{{Calls: metricCalls(g.calls)}}, Fields: choice(g, run.answer),
		})
		item := StrictItem{Key: g.key, Position: i, Values: map[string]float64{}}
		for _, m := range metric.All() {
			if why, ok := notMeasured[m.Name]; ok {
				r.NotMeasured[m.Name] = why
				continue
			}
			if v := m.Compute(c); v.Value != nil && (run.hasCalls || m.Name == "success" || m.Name == "hit_at_tol" || m.Name == "num_score") {
				item.Values[m.Name] = *v.Value
			}
		}
		r.Items = append(r.Items, item)
	}
	from := 0
	for from < len(r.Items) && r.Items[from].Position < PublishedFrom {
		from++
	}
	r.Means.Published, r.Means.All = strictMeans(r.Items[from:]), strictMeans(r.Items)
	return r
}

// choice is the answer as a field of text; nothing where no letter was read.
func choice(g *goldItem, answer answerText) []metric.FieldScore {
	field := []metric.Field{{Key: "choice", Type: "text"}}
	given := []metric.Given{{Key: "choice"}}
	if letter := answer.letter(); letter != Fail && letter != Unknown {
		given[0].Value = letter
	}
	return metric.ScoreFields(field, given, []map[string]any{{"choice": g.answer}}, nil)
}

// metricCalls puts recorded calls into the form that metrics compare.
func metricCalls(calls []call) []metric.Call {
	out := make([]metric.Call, len(calls))
	for i, c := range calls {
		out[i] = metric.Call{Tool: c.name.text, Group: c.name.text, Raw: string(c.input)}
		args, ok := arguments(c.input)
		out[i].Valid, out[i].Success = ok, ok
		for _, name := range slices.Sorted(maps.Keys(args)) {
			value := pyjson.Plain(args[name])
			out[i].Arguments = append(out[i].Arguments, metric.Argument{Name: name, Rule: ruleOf(value), Value: value})
		}
	}
	return out
}

// arguments reads an input that is an object, or text that is one; null and nothing are no arguments.
func arguments(input []byte) (map[string]any, bool) {
	if isNull(input) {
		return nil, true
	}
	v, err := pyjson.Parse(input)
	if text, ok := v.(string); ok && err == nil {
		v, err = pyjson.Parse([]byte(text))
	}
	args, ok := v.(map[string]any)
	return args, ok && err == nil
}

func ruleOf(v any) string {
	switch v.(type) {
	case nil:
		return metric.RuleNull
	case bool:
		return metric.RuleBoolean
	case json.Number:
		return metric.RuleNumber
	case []any:
		return metric.RuleList
	case map[string]any:
		return metric.RuleRecord
	}
	return metric.RuleText
}

func strictMeans(items StrictItems) map[string]float64 {
	sum, n := map[string]float64{}, map[string]float64{}
	for i := range items {
		for name, v := range items[i].Values {
			sum[name], n[name] = sum[name]+v, n[name]+1
		}
	}
	for name := range sum {
		sum[name] /= n[name]
	}
	return sum
}

// Names are the metrics that have a mean over all items, in the order in which metrics are shown.
func (r *StrictReport) Names() []string {
	var names []string
	for _, m := range metric.All() {
		if _, ok := r.Means.All[m.Name]; ok {
			names = append(names, m.Name)
		}
	}
	return names
}
