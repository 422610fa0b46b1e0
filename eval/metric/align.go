package metric

// worth orders alignments in one number: first by score (in halves: an exact name is worth 2, the same group 1), then
// by exact pairs, then by pairs. An episode has far fewer than 2^20 calls.
type worth int64

const (
	exactPair worth = 2<<40 + 1<<20 + 1
	groupPair worth = 1<<40 + 1
)

// named are the tools and groups of two lists of calls as numbers; a call without a group has -1.
type named struct{ tools, groups [2][]int }

func newNamed(p, g []Call) *named {
	n := &named{}
	ids := map[string]int{}
	id := func(s string) int {
		if _, ok := ids[s]; !ok {
			ids[s] = len(ids)
		}
		return ids[s]
	}
	for side, list := range [][]Call{p, g} {
		for _, c := range list {
			group := -1
			if c.Group != "" {
				group = id(c.Group)
			}
			n.tools[side], n.groups[side] = append(n.tools[side], id(c.Tool)), append(n.groups[side], group)
		}
	}
	return n
}

// pair is what pairing p's call i with g's call j is worth; 0 if they do not pair.
func (n *named) pair(i, j int) worth {
	switch {
	case n.tools[0][i] == n.tools[1][j]:
		return exactPair
	case n.groups[0][i] >= 0 && n.groups[0][i] == n.groups[1][j]:
		return groupPair
	}
	return 0
}

// align finds the order-keeping pairing of p with g that is worth most; of equals the leftmost. Pairs are indices
// into p and g.
func align(p, g []Call) [][2]int {
	n := newNamed(p, g)
	best := make([][]worth, len(p)+1)
	for i := range best {
		best[i] = make([]worth, len(g)+1)
	}
	for i := len(p) - 1; i >= 0; i-- {
		for j := len(g) - 1; j >= 0; j-- {
			best[i][j] = max(best[i+1][j], best[i][j+1])
			if w := n.pair(i, j); w > 0 {
				best[i][j] = max(best[i][j], w+best[i+1][j+1])
			}
		}
	}
	var out [][2]int
	j := 0
	for i := range p {
		for k := j; k < len(g); k++ {
			if w := n.pair(i, k); w > 0 && w+best[i+1][k+1] == best[i][j] {
				out, j = append(out, [2]int{i, k}), k+1
				break
			}
		}
	}
	return out
}

// lcs is the length of the longest common subsequence of n and m things.
func lcs(n, m int, same func(i, j int) bool) int {
	row := make([]int, m+1)
	for i := range n {
		diagonal := 0
		for j := range m {
			above := row[j+1]
			row[j+1] = max(row[j], above)
			if same(i, j) {
				row[j+1] = max(row[j+1], diagonal+1)
			}
			diagonal = above
		}
	}
	return row[m]
}
