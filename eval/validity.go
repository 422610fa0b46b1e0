package eval

import (
	"almanac/eval/metric"
	"almanac/eval/stats"
)

// Validity says whether the process metrics mean anything: whether episodes that call better also answer better.
type Validity struct {
	Episodes     int
	Correlations []Correlated
	Model        stats.Logistic // of success on the process metrics
}

// Correlated is Pearson's r of a process metric with num_score over the episodes that have both.
type Correlated struct {
	Metric string
	R      *float64
	N      int
	Reason string
}

// processMetrics are those of calls, which say nothing of the answer. tool_use_score is a sum of others and
// correctness_rate nearly one of them, so the regression is on its parts.
func processMetrics() []string {
	names := []string{"correctness_rate", "correctness_strict", "tool_use_score"}
	for _, p := range metric.ToolUseParts() {
		names = append(names, p.Name)
	}
	return names
}

// validity is over the episodes of all contenders. An episode without a value for one of the metrics, such as one of a task
// to decline, counts in none of them.
func (r *Results) validity() *Validity {
	v := &Validity{}
	var parts []string
	for _, p := range metric.ToolUseParts() {
		parts = append(parts, p.Name)
	}
	var rows [][]float64
	var outcome []bool
	pairs := map[string][2][]float64{}
	for _, e := range r.Episodes {
		if e.Harness || outside(e.Arm.Setup) {
			continue
		}
		v.Episodes++
		if score, ok := metricOf("num_score")(e); ok {
			for _, name := range processMetrics() {
				if x, ok := metricOf(name)(e); ok {
					p := pairs[name]
					pairs[name] = [2][]float64{append(p[0], x), append(p[1], score)}
				}
			}
		}
		row := make([]float64, 0, len(parts))
		for _, name := range parts {
			if x, ok := metricOf(name)(e); ok {
				row = append(row, x)
			}
		}
		if len(row) == len(parts) {
			rows, outcome = append(rows, row), append(outcome, e.Scores.Success())
		}
	}
	if v.Episodes == 0 {
		return nil
	}
	for _, name := range processMetrics() {
		c := Correlated{Metric: name, N: len(pairs[name][0])}
		c.R, c.Reason = stats.Pearson(pairs[name][0], pairs[name][1])
		v.Correlations = append(v.Correlations, c)
	}
	v.Model = stats.Regress(parts, rows, outcome)
	return v
}

func (v *Validity) object() any {
	if v == nil {
		return nil
	}
	rs := []object{}
	for _, c := range v.Correlations {
		o := object{{"metric", c.Metric}, {"pearson", rounded(c.R)}, {"n", c.N}}
		if c.Reason != "" {
			o.set("reason", c.Reason)
		}
		rs = append(rs, o)
	}
	coefficients := object{}
	for i, name := range v.Model.Columns {
		if i < len(v.Model.Coefficients) {
			coefficients.set(name, rounded(&v.Model.Coefficients[i]))
		}
	}
	m := object{{"auc", rounded(v.Model.AUC)}, {"mcfadden_r2", rounded(v.Model.McFadden)}, {"coefficients", coefficients}, {"dropped", orEmpty(v.Model.Dropped)}}
	if v.Model.Reason != "" {
		m.set("reason", v.Model.Reason)
	}
	return object{{"episodes", v.Episodes}, {"with_num_score", rs}, {"logistic", m}}
}
