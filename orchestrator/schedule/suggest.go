package schedule

import (
	"sort"
	"strings"
)

// maxLegal is how many legal alternatives a problem names.
const maxLegal = 8

// maxRanked bounds the work of ranking alternatives in a text full of problems.
const maxRanked = 200

// nearest sorts names by how near they are to what was written: spelling first,
// then the alphabet.
func nearest(found string, names []string, limit int) []string {
	type ranked struct {
		name string
		d    float64
	}
	list := make([]ranked, 0, len(names))
	seen := map[string]bool{}
	key := plainName(found)
	for _, n := range names {
		if seen[n] {
			continue
		}
		seen[n] = true
		list = append(list, ranked{n, nameDistance(key, plainName(n))})
	}
	sort.Slice(list, func(i, j int) bool {
		if list[i].d != list[j].d {
			return list[i].d < list[j].d
		}
		return list[i].name < list[j].name
	})
	if limit > 0 && len(list) > limit {
		list = list[:limit]
	}
	out := make([]string, len(list))
	for i, r := range list {
		out[i] = r.name
	}
	return out
}

// nameDistance is the edit distance over the longer length, less for a name that
// holds the other one.
func nameDistance(a, b string) float64 {
	if a == b {
		return 0
	}
	longer := max(len(a), len(b))
	if longer == 0 {
		return 1
	}
	if longer > 64 {
		return 1
	}
	d := float64(editDistance(a, b)) / float64(longer)
	if len(a) > 2 && len(b) > 2 && (strings.Contains(a, b) || strings.Contains(b, a)) {
		d /= 2
	}
	return d
}

// editDistance counts insertions, deletions, substitutions and swaps of
// neighbours (optimal string alignment; Damerau 1964, Boytsov 2011).
func editDistance(a, b string) int {
	x, y := []rune(a), []rune(b)
	before := make([]int, len(y)+1)
	prev := make([]int, len(y)+1)
	cur := make([]int, len(y)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(x); i++ {
		cur[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				cur[j] = min(cur[j], before[j-2]+1)
			}
		}
		before, prev, cur = prev, cur, before
	}
	return prev[len(y)]
}

// plainName is a name without what spelling leaves open: case, underscores,
// hyphens and spaces.
func plainName(s string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '_', '-', ' ':
			return -1
		}
		return r
	}, strings.ToLower(s))
}

// sameSpelling tells whether two different names are one word misspelt. It is
// strict: names that a writer tells apart by a digit, by one letter at the end
// (wind_u, wind_v), or by another word (heat, head) are not the same.
func sameSpelling(a, b string) bool {
	if d := len(a) - len(b); d < -4 || d > 4 || len(a) > 64 {
		return false
	}
	x, y := wordsOf(a), wordsOf(b)
	if len(x) != len(y) {
		return plainName(a) == plainName(b)
	}
	differ := 0
	for i := range x {
		if x[i] == y[i] {
			continue
		}
		if differ++; differ > 1 || !sameWord(x[i], y[i]) {
			return false
		}
	}
	return true
}

func wordsOf(name string) []string {
	return strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '_' || r == '-' || r == ' ' })
}

func sameWord(a, b string) bool {
	if strings.ContainsAny(a+b, "0123456789") {
		return false
	}
	if isPlural(a, b) || isPlural(b, a) {
		return true
	}
	if min(len(a), len(b)) < 5 || a[0] != b[0] || editDistance(a, b) != 1 {
		return false
	}
	if len(a) != len(b) {
		return a[len(a)-1] == b[len(b)-1] // a letter lost or doubled inside
	}
	x, y := []rune(a), []rune(b)
	diff := -1
	for i := range min(len(x), len(y)) {
		if x[i] == y[i] {
			continue
		}
		if diff >= 0 {
			return true // two neighbours swapped
		}
		diff = i
	}
	return diff >= 0 && strings.ContainsRune("aeiou", x[diff]) && strings.ContainsRune("aeiou", y[diff]) && len(a) >= 6
}

func isPlural(many, one string) bool {
	if len(one) < 3 {
		return false
	}
	return many == one+"s" || many == one+"es" || strings.HasSuffix(one, "y") && many == one[:len(one)-1]+"ies"
}

// producers are the tools that have a field of this name, the ones that take a
// kind at hand first.
func producers(sigs []Signature, field string, have []string) []string {
	var near, far []string
	for i := range sigs {
		s := &sigs[i]
		if !s.hasOutput(field) {
			continue
		}
		if s.takesAny(have) {
			near = append(near, s.Name)
		} else {
			far = append(far, s.Name)
		}
	}
	return limited(append(near, far...))
}

func limited(names []string) []string {
	if len(names) > maxLegal {
		return names[:maxLegal]
	}
	return names
}

func (s *Signature) hasOutput(name string) bool {
	for i := range s.Outputs {
		if s.Outputs[i].Name == name || hasAlias(s.Outputs[i].Aliases, name) {
			return true
		}
	}
	return false
}

func (s *Signature) takesAny(kinds []string) bool {
	for i := range s.Params {
		for _, k := range kinds {
			if k != "" && s.Params[i].takes(k) {
				return true
			}
		}
	}
	return false
}

// leads finds the shortest chains of tools from the kind at hand to one of the
// kinds needed, at most three tools long: "gis.zonal_stats" or
// "data.region_series → data.trend".
func leads(sigs []Signature, have string, need []string) []string {
	if have == "" || len(need) == 0 {
		return nil
	}
	type path struct{ kind, text string }
	seen := map[string]bool{have: true}
	front := []path{{kind: have}}
	for range 3 {
		var found []string
		var next []path
		reached := map[string]bool{}
		for _, p := range front {
			for i := range sigs {
				if sigs[i].Check || !sigs[i].takesAny([]string{p.kind}) {
					continue
				}
				text := sigs[i].Name
				if p.text != "" {
					text = p.text + " → " + text
				}
				for _, kind := range sigs[i].outputKinds() {
					switch {
					case contains(need, kind):
						found = appendOnce(found, text)
					case !seen[kind] && !reached[kind]:
						reached[kind] = true
						next = append(next, path{kind, text})
					}
				}
			}
		}
		if len(found) > 0 {
			return limited(found)
		}
		for kind := range reached {
			seen[kind] = true
		}
		front = next
	}
	return nil
}

// outputKinds are the kinds that a tool can give; "@param" stands for every kind
// that the parameter, or its vocabulary, may have.
func (s *Signature) outputKinds() []string {
	var kinds []string
	for i := range s.Outputs {
		name, derived := strings.CutPrefix(s.Outputs[i].Kind, "@")
		if !derived {
			kinds = appendOnce(kinds, s.Outputs[i].Kind)
			continue
		}
		p := s.param(name)
		if p == nil {
			continue
		}
		for _, k := range p.Kinds {
			if isArtifact(k) || k == KindScalar {
				kinds = appendOnce(kinds, k)
			}
		}
		for _, c := range p.Enum {
			if c.Kind != "" {
				kinds = appendOnce(kinds, c.Kind)
			}
		}
	}
	return kinds
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

func appendOnce(list []string, s string) []string {
	if contains(list, s) {
		return list
	}
	return append(list, s)
}
