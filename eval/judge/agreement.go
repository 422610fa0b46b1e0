package judge

import (
	"cmp"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Agreement says how well a judge agrees with the labels of people. A value that is not defined is nil, and Reasons
// says why, by its name.
type Agreement struct {
	Labels   int      `json:"labels"`   // exhibits with a label
	Scored   int      `json:"scored"`   // of them, with a score of the judge
	Nonsense int      `json:"nonsense"` // of them, with a reply that was no score
	Spearman *float64 `json:"spearman"` // rank correlation, ties at their mean rank; −1 to 1
	Kappa    *float64 `json:"kappa"`    // Cohen's κ of the four scores, unweighted; at most 1
	Accuracy *float64 `json:"accuracy"` // share of the scored with the label itself

	Reasons map[string]string `json:"reasons,omitempty"`
}

// agreement compares scores with labels, both from 0 to [MaxScore]; nonsense replies are in neither list.
func agreement(scores, labels []int, nonsense int) Agreement {
	a := Agreement{Labels: len(labels) + nonsense, Scored: len(scores), Nonsense: nonsense, Reasons: map[string]string{}}
	n := len(scores)
	if n == 0 {
		for _, name := range []string{"spearman", "kappa", "accuracy"} {
			a.Reasons[name] = "no_scores"
		}
		return a
	}
	same := 0
	var byScore, byLabel [MaxScore + 1]float64
	for i := range scores {
		if scores[i] == labels[i] {
			same++
		}
		byScore[scores[i]]++
		byLabel[labels[i]]++
	}
	observed, chance := float64(same)/float64(n), 0.0
	for s := range byScore {
		chance += byScore[s] / float64(n) * byLabel[s] / float64(n)
	}
	a.Accuracy = &observed
	if chance < 1 {
		k := (observed - chance) / (1 - chance)
		a.Kappa = &k
	} else {
		a.Reasons["kappa"] = "no_variation"
	}
	x, y := ranks(scores), ranks(labels)
	switch {
	case n < 3:
		a.Reasons["spearman"] = "fewer_than_3"
	case constant(scores) || constant(labels):
		a.Reasons["spearman"] = "no_variation"
	default:
		r := stat.Correlation(x, y, nil)
		a.Spearman = &r
	}
	return a
}

// ranks gives equal values the mean of their ranks.
func ranks(list []int) []float64 {
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(list[i], list[j]) })
	out := make([]float64, len(list))
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && list[order[j]] == list[order[i]] {
			j++
		}
		for k := i; k < j; k++ {
			out[order[k]] = float64(i+j+1) / 2
		}
		i = j
	}
	return out
}

func constant(list []int) bool { return len(slices.Compact(slices.Sorted(slices.Values(list)))) < 2 }
