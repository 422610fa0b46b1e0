// Package memory picks the few tools that a step needs.
//
// [Lexical] ranks tools by BM25 over what their authors wrote: names, parameters, purpose, and the example questions
// in the words of users. It needs no download and no model. A tool is as good as its best entry: its description is
// one entry, each example question another, so that many examples do not outweigh one that fits.
//
// BM25 is Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, with k1 = 1.2 and
// b = 0.75; words are stemmed (Porter's English stemmer) and stop words left out.
package memory

import (
	"context"
	"math"
	"sort"
	"strings"
	"unicode"

	"almanac/toolkits"

	"github.com/kljensen/snowball/english"
)

const (
	k1 = 1.2
	b  = 0.75
)

// Lexical is an index of tools by their words. It is safe for concurrent use.
type Lexical struct {
	entries []entry
	inverse map[string]float64 // stem → inverse document frequency
	length  float64            // mean number of stems of an entry
	post    map[string][]posting
	tools   int
}

type entry struct {
	tool   string
	text   string
	length float64
}

type posting struct {
	entry int
	count float64
}

// Hit is a tool with its score and the entry that matched best.
type Hit struct {
	Tool  string
	Score float64
	Entry string
}

// NewLexical indexes tools.
func NewLexical(tools []*toolkits.Tool) *Lexical {
	x := &Lexical{inverse: map[string]float64{}, post: map[string][]posting{}, tools: len(tools)}
	for _, t := range tools {
		x.add(t.Name, description(t))
		for _, q := range t.Examples {
			x.add(t.Name, q)
		}
	}
	total := 0.0
	for _, e := range x.entries {
		total += e.length
	}
	x.length = total / max(1, float64(len(x.entries)))
	n := float64(len(x.entries))
	for stem, list := range x.post {
		df := float64(len(list))
		x.inverse[stem] = math.Log(1 + (n-df+0.5)/(df+0.5))
	}
	return x
}

// description is what a tool's author wrote of it, without the example questions.
func description(t *toolkits.Tool) string {
	parts := []string{strings.NewReplacer(".", " ", "_", " ").Replace(t.Name), t.Purpose}
	for _, p := range t.Params {
		parts = append(parts, strings.ReplaceAll(p.Name, "_", " "))
	}
	for _, o := range t.Outputs {
		parts = append(parts, strings.ReplaceAll(o.Name, "_", " ")+" "+o.Doc)
	}
	return strings.Join(parts, ". ")
}

func (x *Lexical) add(tool, text string) {
	counts := map[string]float64{}
	n := 0.0
	for _, s := range Stems(text) {
		counts[s]++
		n++
	}
	i := len(x.entries)
	x.entries = append(x.entries, entry{tool, text, n})
	for s, c := range counts {
		x.post[s] = append(x.post[s], posting{i, c})
	}
}

// size is the number of tools.
func (x *Lexical) size() int { return x.tools }

// Name says which index this is.
func (x *Lexical) Name() string { return "lexical" }

// Query returns the k best tools for the text out of those that keep accepts (nil: all), best first, ties by name. A
// tool that shares no word with the text has score 0 and comes last; a k above the number of tools returns all.
func (x *Lexical) Query(ctx context.Context, text string, k int, keep func(tool string) bool) ([]Hit, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	scores := make([]float64, len(x.entries))
	seen := map[string]bool{}
	for _, s := range Stems(text) {
		if seen[s] {
			continue
		}
		seen[s] = true
		for _, p := range x.post[s] {
			norm := k1 * (1 - b + b*x.entries[p.entry].length/x.length)
			scores[p.entry] += x.inverse[s] * p.count * (k1 + 1) / (p.count + norm)
		}
	}
	best := map[string]Hit{}
	for i, e := range x.entries {
		if keep != nil && !keep(e.tool) {
			continue
		}
		if h, ok := best[e.tool]; !ok || scores[i] > h.Score {
			best[e.tool] = Hit{e.tool, scores[i], e.text}
		}
	}
	out := make([]Hit, 0, len(best))
	for _, h := range best {
		out = append(out, h)
	}
	sort.Slice(out, func(i, j int) bool {
		if out[i].Score != out[j].Score {
			return out[i].Score > out[j].Score
		}
		return out[i].Tool < out[j].Tool
	})
	return out[:max(0, min(k, len(out)))], nil
}

// Stems splits a text into stemmed words, stop words left out.
func Stems(text string) []string {
	var out []string
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	known := map[string]string{} // a long text says the same words again
	for _, w := range words {
		if len(w) < 2 || english.IsStopWord(w) {
			continue
		}
		stem, ok := known[w]
		if !ok {
			stem = english.Stem(w, false)
			known[w] = stem
		}
		out = append(out, stem)
	}
	return out
}
