package metric

import "slices"

// Dependencies are the pairs of calls in Gold of which the second uses a result of the first, also through calls that
// do not count: conversions, resolvers, expressions inside expressions. Pairs are in the order of Gold.
func (c *Case) Dependencies() [][2]int {
	if c.m == nil {
		return nil
	}
	t := c.m.g
	var out [][2]int
	for k, i := range t.counted {
		sources := map[int]bool{}
		t.sources(i, sources, map[int]bool{})
		for l, j := range t.counted {
			if sources[j] {
				out = append(out, [2]int{l, k})
			}
		}
	}
	return out
}

// sources collects the counted calls that call i takes its inputs from.
func (t *Trace) sources(i int, into, seen map[int]bool) {
	if seen[i] {
		return
	}
	seen[i] = true
	for _, a := range t.calls[i].Arguments {
		for _, o := range a.Origins {
			switch j, ok := t.byID[o.Call]; {
			case !ok:
			case slices.Contains(t.counted, j):
				into[j] = true
			default:
				t.sources(j, into, seen)
			}
		}
	}
}
