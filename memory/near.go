package memory

import (
	"slices"

	"almanac/toolkits"
)

// tooNear is the share of the stems of two purposes together that both have, from which a reader cannot tell them apart.
const tooNear = 0.7

// Near are two tools whose one-line purposes say nearly the same.
type Near struct {
	A, B   string
	Shared float64 // stems of both over stems of either, 0 to 1 (Jaccard)
}

// TooNear finds the tools that cannot be told apart by their purposes, the nearest first.
func TooNear(tools []*toolkits.Tool) []Near {
	stems := make([]map[string]bool, len(tools))
	for i, t := range tools {
		stems[i] = map[string]bool{}
		for _, s := range Stems(t.Purpose) {
			stems[i][s] = true
		}
	}
	var out []Near
	for i := range tools {
		for j := range i {
			both := 0
			for s := range stems[i] {
				if stems[j][s] {
					both++
				}
			}
			if either := len(stems[i]) + len(stems[j]) - both; either > 0 && float64(both) >= tooNear*float64(either) {
				out = append(out, Near{tools[j].Name, tools[i].Name, float64(both) / float64(either)})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Near) int {
		switch {
		case a.Shared > b.Shared:
			return -1
		case a.Shared < b.Shared:
			return 1
		}
		return 0
	})
	return out
}
