package report

import (
	"almanac/eval"
	"almanac/eval/runlog"
	"almanac/eval/stats"
)

// maxTraces is the number of traces inside the page; further ones are files beside it.
const maxTraces = 100

// view is what sections are filled from.
type view struct {
	*eval.Results
	inside  map[string]bool // episodes whose trace is in the page
	byTask  map[string][]*eval.EpisodeResult
	message func(hash string) ([]byte, error) // nil where messages are not at hand
	err     error                             // of the first trace that could not be read again
}

// full is an episode with its trace.
func (v *view) full(e *eval.EpisodeResult) *eval.EpisodeResult {
	whole, err := e.Full()
	if err != nil {
		if v.err == nil {
			v.err = err
		}
		return e
	}
	return whole
}

func newView(r *eval.Results, opt Options) *view {
	v := &view{Results: r, inside: map[string]bool{}, byTask: map[string][]*eval.EpisodeResult{}, message: opt.Message}
	for _, e := range r.Episodes {
		v.byTask[e.Task.Task.ID] = append(v.byTask[e.Task.Task.ID], e)
	}
	v.choose()
	return v
}

// choose picks the traces for the page: first the tasks that the verdict's two setups solve differently, then task by
// task, so that setups stand beside each other.
func (v *view) choose() {
	take := func(task string) {
		for _, e := range v.byTask[task] {
			if len(v.inside) < maxTraces {
				v.inside[e.ID] = true
			}
		}
	}
	for _, c := range v.Verdicts() {
		for _, task := range apart(c) {
			take(task)
		}
	}
	for _, t := range v.Tasks {
		take(t.Task.ID)
	}
}

// link leads to an episode's trace, in the page or beside it.
func (v *view) link(e *eval.EpisodeResult) string {
	if v.inside[e.ID] {
		return "#ep-" + e.ID
	}
	return "episodes/" + e.ID + ".html"
}

// several says that the run has more than one model, so that a setup's name alone says too little.
func (v *view) several() bool {
	models := map[string]bool{}
	for _, a := range v.Manifest.Arms {
		if a.Model != "" {
			models[a.Model] = true
		}
	}
	return len(models) > 1
}

// label names an arm: by its setup, and by its model where there are several.
func (v *view) label(a runlog.Arm) string {
	if a.Model != "" && v.several() {
		return a.Setup + " · " + a.Model
	}
	return a.Setup
}

// labels are the arms' names, in order.
func (v *view) labels() []string {
	out := make([]string, len(v.Setups))
	for i, s := range v.Setups {
		out[i] = v.label(s.Arm)
	}
	return out
}

// contends says whether a setup competes: oracle is shown the gold schedule, none works without tools; they bound what
// can be reached.
func contends(a runlog.Arm) bool { return a.Setup != "oracle" && a.Setup != "none" }

// index is the place of a comparison in results.json.
func (v *view) index(c *eval.Comparison) int {
	for i, p := range v.Paired {
		if p == c {
			return i
		}
	}
	return -1
}

// reasonText says why there is no figure.
func reasonText(reason string) string {
	switch reason {
	case stats.NoVariation:
		return "no variation, no interval"
	case stats.NoData:
		return "no data"
	}
	return reason
}
