package toolkits

import (
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Nearest returns at most n of names, the most alike to asked first: by edit distance without letter case, a name
// that contains asked (or is contained in it) before others, ties by name.
func Nearest(asked string, names []string, n int) []string {
	a := strings.ToLower(asked)
	rank := make(map[string]int, len(names))
	for _, name := range names {
		b := strings.ToLower(name)
		d := levenshtein.ComputeDistance(a, b)
		if a != "" && (strings.Contains(b, a) || strings.Contains(a, b)) {
			d -= len(a) + len(b)
		}
		rank[name] = d
	}
	out := slices.Clone(names)
	slices.SortStableFunc(out, func(x, y string) int {
		if d := rank[x] - rank[y]; d != 0 {
			return d
		}
		return strings.Compare(x, y)
	})
	return out[:min(n, len(out))]
}
