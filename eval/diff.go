package eval

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"almanac/eval/metric"
	"almanac/eval/runlog"
	"almanac/eval/stats"
	"almanac/scenarios"
)

// ErrOtherTasks is a pair of runs whose tasks are not the same.
var ErrOtherTasks = errors.New("the runs have other tasks")

// DiffOptions of [Diff].
type DiffOptions struct {
	// Common compares the tasks that both runs have, unchanged, and leaves the others out. Without it runs of other
	// tasks are refused.
	Common bool
}

// Difference is one setup in two runs, on one metric. Paired.Diff is the first run's less the second's.
type Difference struct {
	A, B   runlog.Arm
	Metric string
	stats.Paired
	Tokens stats.Estimate // ratio of A's mean tokens to B's
}

// RunDiff is the paired comparison of two runs.
type RunDiff struct {
	A, B        *Results
	Tasks       int      // compared
	LeftOut     []string // tasks that only one of the runs has, or that are not the same in both
	Differences []*Difference
	Unpaired    []string // setups of one run that the other lacks
	// Settings lists what else is different: version, models, budgets.
	Settings []string
}

// Diff compares run A with run B, setup by setup, paired by task: two models, or two versions of the program. Setups are
// paired by name; one that a run has on several models is paired by model too. The tests of one metric are one family.
func Diff(a, b *Results, opt DiffOptions) (*RunDiff, error) {
	d := &RunDiff{A: a, B: b}
	common := d.common()
	if len(d.LeftOut) > 0 && !opt.Common {
		return nil, fmt.Errorf("eval: %w: %d of one are not in the other, or are not the same, such as %s; compare the %d that both have with --common",
			ErrOtherTasks, len(d.LeftOut), d.LeftOut[0], len(common))
	}
	if len(common) == 0 {
		return nil, fmt.Errorf("eval: %w: they have none in common", ErrOtherTasks)
	}
	d.Tasks = len(common)
	for _, name := range compared {
		var family []*stats.Paired
		for _, p := range d.pairs() {
			x := d.compare(p[0], p[1], name, common)
			d.Differences = append(d.Differences, x)
			family = append(family, &x.Paired)
		}
		stats.Judge(family)
	}
	d.settings()
	return d, nil
}

// common are the ids of the tasks that both runs have with equal contents.
func (d *RunDiff) common() map[string]bool {
	hash := func(list []Task) map[string]string {
		out := map[string]string{}
		for _, t := range list {
			out[t.Task.ID] = scenarios.HashTasks([]scenarios.Task{t.Task})
		}
		return out
	}
	ha, hb := hash(d.A.Tasks), hash(d.B.Tasks)
	common := map[string]bool{}
	for id, h := range ha {
		if hb[id] == h {
			common[id] = true
		} else {
			d.LeftOut = append(d.LeftOut, id)
		}
	}
	for id := range hb {
		if _, there := ha[id]; !there {
			d.LeftOut = append(d.LeftOut, id)
		}
	}
	slices.Sort(d.LeftOut)
	return common
}

// pairs are the setups of both runs.
func (d *RunDiff) pairs() [][2]runlog.Arm {
	var out [][2]runlog.Arm
	d.Unpaired = nil
	used := map[runlog.Arm]bool{}
	for _, a := range d.A.Manifest.Arms {
		var fits []runlog.Arm
		for _, b := range d.B.Manifest.Arms {
			if b.Setup == a.Setup {
				fits = append(fits, b)
			}
		}
		if len(fits) > 1 || d.several(a.Setup) {
			fits = slices.DeleteFunc(fits, func(b runlog.Arm) bool { return b.Model != a.Model })
		}
		if len(fits) != 1 {
			d.Unpaired = append(d.Unpaired, armName(a))
			continue
		}
		used[fits[0]] = true
		out = append(out, [2]runlog.Arm{a, fits[0]})
	}
	for _, b := range d.B.Manifest.Arms {
		if !used[b] {
			d.Unpaired = append(d.Unpaired, armName(b))
		}
	}
	return out
}

// several tells whether the first run has a setup on more than one model.
func (d *RunDiff) several(setup string) bool {
	n := 0
	for _, a := range d.A.Manifest.Arms {
		if a.Setup == setup {
			n++
		}
	}
	return n > 1
}

func (d *RunDiff) compare(a, b runlog.Arm, name string, common map[string]bool) *Difference {
	m, _ := metric.Find(name)
	within := func(list []*EpisodeResult) []*EpisodeResult {
		return slices.DeleteFunc(slices.Clone(list), func(e *EpisodeResult) bool { return !common[e.Task.Task.ID] })
	}
	la, lb := within(d.A.of(a)), within(d.B.of(b))
	x := &Difference{A: a, B: b, Metric: name}
	x.Paired = stats.Compare(observations(la, metricOf(name)), observations(lb, metricOf(name)), m.Binary, stats.Options{Share: m.Share})
	x.Lo, x.Hi = stats.Clip(x.Lo, x.Hi, -1, 1)
	x.Tokens = stats.Estimate{Reason: stats.Unknown}
	ta, tb := observations(la, totalTokens), observations(lb, totalTokens)
	if len(ta) == counted(la) && len(tb) == counted(lb) {
		x.Tokens = stats.Ratio(ta, tb)
	}
	return x
}

// settings names what else differs between the runs, so that nobody takes its effect for the setups'.
func (d *RunDiff) settings() {
	a, b := d.A.Manifest, d.B.Manifest
	say := func(what, x, y string) {
		if x != y {
			d.Settings = append(d.Settings, fmt.Sprintf("%s: %s, %s", what, orNone(x), orNone(y)))
		}
	}
	say("version", a.Version+" "+a.Commit, b.Version+" "+b.Commit)
	say("seed", fmt.Sprint(a.Seed), fmt.Sprint(b.Seed))
	say("repeats", fmt.Sprint(a.Repeats), fmt.Sprint(b.Repeats))
	models := func(list []runlog.Model) string {
		s := ""
		for _, m := range list {
			s += fmt.Sprintf("%s %.12s context %d; ", m.Name, m.Digest, m.Context)
		}
		return s
	}
	say("models", models(a.Models), models(b.Models))
	keys := map[string]bool{}
	for k := range a.Settings {
		keys[k] = true
	}
	for k := range b.Settings {
		keys[k] = true
	}
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		say(k, a.Settings[k], b.Settings[k])
	}
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// JSON is the comparison as `almanac eval diff --json` prints it.
func (d *RunDiff) JSON() any {
	list := []object{}
	for _, x := range d.Differences {
		o := object{
			{"setup", x.A.Setup}, {"model_a", orNull(x.A.Model)}, {"model_b", orNull(x.B.Model)}, {"metric", x.Metric},
			{"mean_a", rounded(x.MeanA)}, {"mean_b", rounded(x.MeanB)}, {"diff", rounded(x.Diff)}, {"lo", rounded(x.Lo)}, {"hi", rounded(x.Hi)},
			{"relative", rounded(x.Relative)}, {"p", rounded(x.P)}, {"p_holm", rounded(x.PHolm)}, {"test", x.Test}, {"n", x.Templates},
			{"tasks", x.Paired.Tasks}, {"detectable", rounded(x.Detectable)}, {"verdict", x.Paired.Verdict}, {"tokens_ratio", estimate(x.Tokens)},
		}
		list = append(list, o)
	}
	return object{{"tasks", d.Tasks}, {"left_out", orEmpty(d.LeftOut)}, {"unpaired", orEmpty(d.Unpaired)}, {"settings", orEmpty(d.Settings)}, {"paired", list}}
}
