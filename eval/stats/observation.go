package stats

import (
	"cmp"
	"math"
	"slices"
)

// Observation is one measured value: one repeat of one task by one setup. Value must be finite; observations that
// are not are left out by [Groups].
type Observation struct {
	Template string
	Task     string
	Repeat   int
	Value    float64
}

// Group is the mean of one template: over its tasks of the means over their repeats.
type Group struct {
	Template string
	Mean     float64
	Tasks    int
}

// taskMean is one task's mean over its repeats.
type taskMean struct {
	template, task string
	mean           float64
}

// taskMeans averages repeats within tasks; the result is sorted by template and task.
func taskMeans(obs []Observation) []taskMean {
	type key struct{ template, task string }
	byTask := map[key][]Observation{}
	for _, o := range obs {
		if math.IsNaN(o.Value) || math.IsInf(o.Value, 0) {
			continue
		}
		k := key{o.Template, o.Task}
		byTask[k] = append(byTask[k], o)
	}
	out := make([]taskMean, 0, len(byTask))
	for k, list := range byTask {
		slices.SortFunc(list, func(a, b Observation) int {
			return cmp.Or(cmp.Compare(a.Repeat, b.Repeat), cmp.Compare(a.Value, b.Value))
		})
		sum := 0.0
		for _, o := range list {
			sum += o.Value
		}
		out = append(out, taskMean{k.template, k.task, sum / float64(len(list))})
	}
	slices.SortFunc(out, func(a, b taskMean) int {
		return cmp.Or(cmp.Compare(a.template, b.template), cmp.Compare(a.task, b.task))
	})
	return out
}

// Groups returns the template means, sorted by template name.
func Groups(obs []Observation) []Group {
	var out []Group
	for _, t := range taskMeans(obs) {
		if n := len(out); n > 0 && out[n-1].Template == t.template {
			out[n-1].Mean += t.mean
			out[n-1].Tasks++
			continue
		}
		out = append(out, Group{t.template, t.mean, 1})
	}
	for i := range out {
		out[i].Mean /= float64(out[i].Tasks)
	}
	return out
}

// TaskMean is the headline mean: over tasks of their means over repeats. It differs from the mean of [Groups] when
// templates have different numbers of tasks. ok is false without an observation.
func TaskMean(obs []Observation) (mean float64, ok bool) {
	list := taskMeans(obs)
	if len(list) == 0 {
		return 0, false
	}
	sum := 0.0
	for _, t := range list {
		sum += t.mean
	}
	return sum / float64(len(list)), true
}

func means(groups []Group) []float64 {
	out := make([]float64, len(groups))
	for i, g := range groups {
		out[i] = g.Mean
	}
	return out
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// stdDev is the sample standard deviation (n−1). Each square is rounded before it is added.
func stdDev(x []float64) float64 {
	if len(x) < 2 {
		return 0
	}
	m, sum := mean(x), 0.0
	for _, v := range x {
		d := v - m
		sum += float64(d * d)
	}
	return math.Sqrt(sum / float64(len(x)-1))
}

// allEqual treats differences that are rounding noise of the averages as equal.
func allEqual(x []float64) bool {
	if len(x) == 0 {
		return true
	}
	lo, hi := slices.Min(x), slices.Max(x)
	return hi-lo <= 1e-12*math.Max(1, math.Max(math.Abs(lo), math.Abs(hi)))
}

func pointer(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}
