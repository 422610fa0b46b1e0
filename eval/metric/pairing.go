package metric

// pairing is a largest one-to-one pairing of n left items with m right items that fit, by augmenting paths. It gives
// the left partner of each right item, -1 for none, and the number of pairs.
func pairing(n, m int, fits func(i, j int) bool) (owner []int, pairs int) {
	edges := make([][]int, n)
	for i := range n {
		for j := range m {
			if fits(i, j) {
				edges[i] = append(edges[i], j)
			}
		}
	}
	owner = make([]int, m)
	for j := range owner {
		owner[j] = -1
	}
	var place func(i int, tried []bool) bool
	place = func(i int, tried []bool) bool {
		for _, j := range edges[i] {
			if tried[j] {
				continue
			}
			tried[j] = true
			if owner[j] < 0 || place(owner[j], tried) {
				owner[j] = i
				return true
			}
		}
		return false
	}
	for i := range n {
		if place(i, make([]bool, m)) {
			pairs++
		}
	}
	return owner, pairs
}
