package metric

// worth orders alignments: first by score (in halves: an exact name is worth 2, the same group 1), then by exact
// pairs, then by pairs.
type worth struct{ score, exact, pairs int }

func (w worth) plus(v worth) worth {
	return worth{w.score + v.score, w.exact + v.exact, w.pairs + v.pairs}
}

func (w worth) less(v worth) bool {
	if w.score != v.score {
		return w.score < v.score
	}
	if w.exact != v.exact {
		return w.exact < v.exact
	}
	return w.pairs < v.pairs
}

func pairWorth(p, g Call) (worth, bool) {
	switch {
	case p.Tool == g.Tool:
		return worth{2, 1, 1}, true
	case p.Group == g.Group && p.Group != "":
		return worth{1, 0, 1}, true
	}
	return worth{}, false
}

// align finds the order-keeping pairing of p with g that is worth most; of equals the leftmost. Pairs are indices
// into p and g.
func align(p, g []Call) [][2]int {
	best := make([][]worth, len(p)+1)
	for i := range best {
		best[i] = make([]worth, len(g)+1)
	}
	for i := len(p) - 1; i >= 0; i-- {
		for j := len(g) - 1; j >= 0; j-- {
			w := best[i+1][j]
			if w.less(best[i][j+1]) {
				w = best[i][j+1]
			}
			if v, ok := pairWorth(p[i], g[j]); ok {
				if v = v.plus(best[i+1][j+1]); w.less(v) {
					w = v
				}
			}
			best[i][j] = w
		}
	}
	var out [][2]int
	j := 0
	for i := range p {
		for k := j; k < len(g); k++ {
			v, ok := pairWorth(p[i], g[k])
			if ok && v.plus(best[i+1][k+1]) == best[i][j] {
				out, j = append(out, [2]int{i, k}), k+1
				break
			}
		}
	}
	return out
}

// lcs is the length of the longest common subsequence.
func lcs(a, b []string) int {
	row := make([]int, len(b)+1)
	for _, x := range a {
		diagonal := 0
		for j, y := range b {
			above := row[j+1]
			if x == y {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(row[j], above)
			}
			diagonal = above
		}
	}
	return row[len(b)]
}
