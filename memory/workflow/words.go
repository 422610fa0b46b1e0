package workflow

import (
	"math"
	"regexp"
	"strings"

	"almanac/memory"
)

// words are the weights of the words of all entries: rare ones tell more.
type words struct {
	inverse map[string]float64
	have    []map[string]bool // of each entry
	entries int
}

var slot = regexp.MustCompile(`<(\w+)>`)

// stems are the words of a slotted request, its slots among them.
func stems(text string) map[string]bool {
	out := map[string]bool{}
	for _, m := range slot.FindAllStringSubmatch(text, -1) {
		out["<"+m[1]+">"] = true
	}
	for _, s := range memory.Stems(slot.ReplaceAllString(text, " ")) {
		out[s] = true
	}
	return out
}

func weigh(entries []Entry) *words {
	w := &words{inverse: map[string]float64{}, entries: len(entries)}
	count := map[string]int{}
	for _, e := range entries {
		s := stems(e.Request)
		w.have = append(w.have, s)
		for x := range s {
			count[x]++
		}
	}
	for x, n := range count {
		w.inverse[x] = math.Log(1 + float64(len(entries))/float64(n))
	}
	return w
}

// scores are, for each entry, the weight of the words that it shares with a request over the weight of the words of both.
// A word that no entry has weighs as one that a single entry has.
func (w *words) scores(slotted string) []float64 {
	asked := stems(strings.TrimSpace(slotted))
	weight := func(x string) float64 {
		if v, ok := w.inverse[x]; ok {
			return v
		}
		return math.Log(1 + float64(w.entries))
	}
	total := 0.0
	for _, x := range sortedKeys(asked) {
		total += weight(x)
	}
	out := make([]float64, len(w.have))
	for i, have := range w.have {
		shared, both := 0.0, total
		for _, x := range sortedKeys(have) {
			if asked[x] {
				shared += weight(x)
			} else {
				both += weight(x)
			}
		}
		if both > 0 {
			out[i] = shared / both
		}
	}
	return out
}
