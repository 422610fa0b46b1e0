package eval

import (
	"fmt"

	"almanac/eval/stats"
)

// Reliability is how a setup does over the repeats of a task.
type Reliability struct {
	Repeats int
	Over    []stats.Repeated // for k of 1, 2, 3, 5 and the number of repeats
	stats.Stability
	TokenEfficiency *float64 // pass@5 over the mean tokens of an episode
	TimeEfficiency  *float64 // pass@5 over the mean working seconds; a measured time, so in timings.json alone
}

// reliability works it out of the episodes that count: a repeat that the harness failed is none.
func reliability(list []*EpisodeResult) Reliability {
	byTask := map[string]*stats.Tries{}
	var order []string
	seconds, episodes := 0.0, 0
	for _, e := range list {
		if e.Harness {
			continue
		}
		id := e.Task.Task.ID
		if byTask[id] == nil {
			byTask[id] = &stats.Tries{Template: e.Task.Task.Template, Task: id}
			order = append(order, id)
		}
		byTask[id].Solved = append(byTask[id].Solved, e.Scores.Success())
		seconds, episodes = seconds+e.Working(), episodes+1
	}
	var tries []stats.Tries
	r := Reliability{}
	for _, id := range order {
		tries = append(tries, *byTask[id])
		r.Repeats = max(r.Repeats, len(byTask[id].Solved))
	}
	for _, k := range []int{1, 2, 3, 5, r.Repeats} {
		if k <= r.Repeats && (len(r.Over) == 0 || r.Over[len(r.Over)-1].K < k) {
			r.Over = append(r.Over, stats.OverRepeats(tries, k))
		}
	}
	r.Stability = stats.Stable(tries)
	pass5 := stats.OverRepeats(tries, 5).Pass
	if tokens, ok := stats.TaskMean(observations(list, totalTokens)); ok {
		r.TokenEfficiency = stats.Efficiency(pass5, tokens)
	}
	if episodes > 0 {
		r.TimeEfficiency = stats.Efficiency(pass5, seconds/float64(episodes))
	}
	return r
}

func (r Reliability) object() object {
	pass, plug, all := object{}, object{}, object{}
	for _, o := range r.Over {
		k := fmt.Sprint(o.K)
		pass.set(k, rounded(o.Pass))
		plug.set(k, rounded(o.PlugIn))
		all.set(k, rounded(o.All))
	}
	out := object{
		{"n", r.Repeats}, {"pass_at", pass}, {"pass_at_plug_in", plug}, {"pass_hat", all}, {"cv_gain", rounded(r.Gain)}, {"cv_spread", rounded(r.Spread)},
		{"sa_gain", rounded(r.SAGain)}, {"sa_spread", rounded(r.SASpread)}, {"tok_e", rounded(r.TokenEfficiency)},
	}
	if r.Reason != "" {
		out.set("reason", r.Reason)
	}
	return out
}
