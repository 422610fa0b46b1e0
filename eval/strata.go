package eval

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"almanac/eval/runlog"
	"almanac/eval/stats"
)

// Stratum is a comparison, or where there is none the mean of a setup, on a part of the tasks. Diff, Lo and Hi are the
// paired difference a − b in success with its 95 % interval over the part's templates: not adjusted for looking at many
// parts, so a hint where to look, never a verdict.
type Stratum struct {
	By, Value string
	stats.Paired
}

// StrataOf are the strata of one comparison of success.
type StrataOf struct {
	A, B  runlog.Arm
	Parts []Stratum
}

// dimensions say what tasks are sorted by. A task may stand in several parts of one dimension.
var dimensions = []struct {
	name  string
	parts func(*Task) []string
}{
	{"track", func(t *Task) []string { return []string{t.Task.Track} }},
	{"domain", func(t *Task) []string { return t.Task.Domains }},
	{"level", func(t *Task) []string { return []string{levelName(t.Task.Level)} }},
	{"length", func(t *Task) []string { return []string{lengthOf(t)} }},
	{"tools", func(t *Task) []string { return []string{toolsetOf(t)} }},
}

func levelName(level int) string {
	names := []string{"0 observe", "1 associate", "2 intervene", "3 counterfactual"}
	if level >= 0 && level < len(names) {
		return names[level]
	}
	return fmt.Sprint(level)
}

// lengthOf sorts tasks by the calls of their first gold schedule.
func lengthOf(t *Task) string {
	if len(t.Executed) == 0 {
		return "none: to decline"
	}
	switch n := len(t.Executed[0].Calls); {
	case n <= 1:
		return "1 call"
	case n <= 3:
		return "2–3 calls"
	case n <= 6:
		return "4–6 calls"
	}
	return "7 calls or more"
}

// toolsetOf sorts tasks by how many tools may be used.
func toolsetOf(t *Task) string {
	switch n := len(t.Task.Tools); {
	case n == 0:
		return "every tool"
	case n <= 10:
		return "up to 10"
	case n <= 50:
		return "11–50"
	case n <= 100:
		return "51–100"
	case n <= 200:
		return "101–200"
	}
	return "more than 200"
}

// strata splits the comparison that each model's verdict speaks of.
func (r *Results) strata() {
	for _, c := range r.Verdicts() {
		out := &StrataOf{A: c.A, B: c.B}
		la, lb := r.of(c.A), r.of(c.B)
		for _, d := range dimensions {
			values := map[string]bool{}
			for i := range r.Tasks {
				for _, v := range d.parts(&r.Tasks[i]) {
					values[v] = true
				}
			}
			for _, value := range slices.Sorted(maps.Keys(values)) {
				within := func(e *EpisodeResult) (float64, bool) {
					if !slices.Contains(d.parts(e.Task), value) {
						return 0, false
					}
					return metricOf("success")(e)
				}
				p := stats.Compare(observations(la, within), observations(lb, within), true, stats.Options{Share: true, Resamples: 2000})
				p.Lo, p.Hi = stats.Clip(p.Lo, p.Hi, -1, 1)
				out.Parts = append(out.Parts, Stratum{d.name, value, p})
			}
		}
		r.Strata = append(r.Strata, out)
	}
}

// Verdicts are the comparisons that verdicts speak of, one for each model: of squad with the reference where both are
// there, else the first of success.
func (r *Results) Verdicts() []*Comparison {
	var out []*Comparison
	for _, model := range r.modelNames() {
		part := *r
		part.Paired = nil
		for _, c := range r.Paired {
			if c.Model == model {
				part.Paired = append(part.Paired, c)
			}
		}
		if c := part.Verdict(); c != nil {
			out = append(out, c)
		}
	}
	return out
}

func (s *StrataOf) object() object {
	parts := []object{}
	for _, p := range s.Parts {
		parts = append(parts, object{{"by", p.By}, {"value", p.Value}, {"mean_a", rounded(p.MeanA)}, {"mean_b", rounded(p.MeanB)},
			{"diff", rounded(p.Diff)}, {"lo", rounded(p.Lo)}, {"hi", rounded(p.Hi)}, {"method", p.Method}, {"n", p.Templates}, {"tasks", p.Tasks}})
	}
	return object{{"a", s.A.Setup}, {"b", s.B.Setup}, {"model", orNull(cmp.Or(s.A.Model, s.B.Model))}, {"parts", parts}}
}
