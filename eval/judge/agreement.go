package judge

import (
	"strconv"

	"almanac/eval/stats"
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
	mine, theirs := make([]string, n), make([]string, n)
	x, y := make([]float64, n), make([]float64, n)
	for i := range scores {
		mine[i], theirs[i] = strconv.Itoa(scores[i]), strconv.Itoa(labels[i])
		x[i], y[i] = float64(scores[i]), float64(labels[i])
	}
	both := stats.Agree(mine, theirs)
	a.Accuracy, a.Kappa = &both.Raw, both.Kappa
	if both.Kappa == nil {
		a.Reasons["kappa"] = both.Reason
	}
	rank, why := stats.Spearman(x, y)
	if a.Spearman = rank; rank == nil {
		a.Reasons["spearman"] = why
	}
	return a
}
