package eval

import (
	"slices"

	"almanac/eval/stats"
	"almanac/orchestrator/event"
)

// recallRanks are the k at which tool selection is judged.
var recallRanks = []int{1, 3, 5, 10}

// Selection is how well a setup's tool selection found the tools that gold uses, over the episodes whose task has
// gold calls and that selected tools at all. Each value is a mean over tasks of means over repeats, nil without such an
// episode.
type Selection struct {
	Episodes int // that selected tools
	Queries  int
	// RecallAt holds, beside each k of [RecallRanks], the share of gold's tools among the first k ranks of any of an
	// episode's queries.
	RecallAt []*float64
	// Recall is the share of gold's tools in the sets that were shown, SetSize the number of tools in such a set.
	Recall  *float64
	SetSize *float64
	// MRR is the mean over an episode's queries of 1/rank of the first tool that gold uses, 0 for none.
	MRR *float64
}

// RecallRanks returns the k of [Selection.RecallAt].
func RecallRanks() []int { return slices.Clone(recallRanks) }

// ranked lists a selection's tools, best first. Selections that log no score have their choice only.
func ranked(s *event.ToolSelection) []string {
	if len(s.Scores) == 0 {
		return s.Chosen
	}
	scores := slices.Clone(s.Scores)
	slices.SortStableFunc(scores, func(a, b event.ToolScore) int {
		switch {
		case a.Score > b.Score:
			return -1
		case a.Score < b.Score:
			return 1
		}
		return 0
	})
	out := make([]string, len(scores))
	for i, s := range scores {
		out[i] = s.Tool
	}
	return out
}

func goldTools(s *Scores) []string {
	var out []string
	for _, c := range s.Case.Gold {
		if !slices.Contains(out, c.Tool) {
			out = append(out, c.Tool)
		}
	}
	return out
}

// found is the share of gold that stands in any of the lists.
func found(gold []string, lists [][]string) float64 {
	n := 0
	for _, tool := range gold {
		if slices.ContainsFunc(lists, func(l []string) bool { return slices.Contains(l, tool) }) {
			n++
		}
	}
	return float64(n) / float64(len(gold))
}

func reciprocalRank(gold, ranks []string) float64 {
	for i, tool := range ranks {
		if slices.Contains(gold, tool) {
			return 1 / float64(i+1)
		}
	}
	return 0
}

func selection(list []*EpisodeResult) Selection {
	var out Selection
	recall := make([][]stats.Observation, len(recallRanks))
	var shown, size, mrr []stats.Observation
	for _, e := range list {
		queries := e.Scores.Trace.Selected
		if e.Harness || len(queries) == 0 {
			continue
		}
		out.Episodes++
		out.Queries += len(queries)
		total := 0
		var ranks, chosen [][]string
		for _, q := range queries {
			total += len(q.Chosen)
			ranks, chosen = append(ranks, ranked(q)), append(chosen, q.Chosen)
		}
		add := func(to *[]stats.Observation, v float64) {
			*to = append(*to, stats.Observation{Template: e.Task.Task.Template, Task: e.Task.Task.ID, Repeat: e.Repeat, Value: v})
		}
		add(&size, float64(total)/float64(len(queries)))
		gold := goldTools(e.Scores)
		if len(gold) == 0 {
			continue
		}
		add(&shown, found(gold, chosen))
		sum := 0.0
		for _, r := range ranks {
			sum += reciprocalRank(gold, r)
		}
		add(&mrr, sum/float64(len(ranks)))
		for i, k := range recallRanks {
			first := make([][]string, len(ranks))
			for j, r := range ranks {
				first[j] = r[:min(k, len(r))]
			}
			add(&recall[i], found(gold, first))
		}
	}
	for _, obs := range recall {
		out.RecallAt = append(out.RecallAt, taskMean(obs))
	}
	out.Recall, out.SetSize, out.MRR = taskMean(shown), taskMean(size), taskMean(mrr)
	return out
}

func taskMean(obs []stats.Observation) *float64 {
	m, ok := stats.TaskMean(obs)
	if !ok {
		return nil
	}
	return &m
}

func (s Selection) object() object {
	o := object{{"episodes", s.Episodes}, {"queries", s.Queries}}
	at := []object{}
	for i, k := range recallRanks {
		if i < len(s.RecallAt) {
			at = append(at, object{{"k", k}, {"recall", rounded(s.RecallAt[i])}})
		}
	}
	o.set("recall_at", at)
	o.set("recall", rounded(s.Recall))
	o.set("mrr", rounded(s.MRR))
	o.set("set_size", rounded(s.SetSize))
	if s.Episodes == 0 {
		o.set("reason", "no_selection")
	}
	return o
}
