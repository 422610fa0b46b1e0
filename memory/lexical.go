// Package memory picks the few tools that a step needs.
//
// [Lexical] ranks tools by BM25 over what their authors wrote: names, parameters, purpose, and the example questions
// in the words of users. It needs no download and no model. A tool is as good as its best entry: its description is
// one entry, each example question another, so that many examples do not outweigh one that fits. To each entry counts,
// with less weight, how well all that was written of its tool fits: so that of two entries that fit equally well the one
// whose tool speaks of the rest of the question comes first.
//
// BM25 is Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, with k1 = 1.2 and
// b = 0.75. Its terms are stems (Porter's English stemmer), pairs of neighbouring words, and groups of words of like
// meaning; names and numbers count by their sort. Package recall measures what this is worth.
//
// [Dense] ranks by the vectors of the same entries, [Fused] by both.
package memory

import (
	"context"
	"math"
	"sort"
	"strings"

	"almanac/toolkits"

	"github.com/kljensen/snowball/english"
)

const (
	k1 = 1.2
	b  = 0.75
	// wholeWeight is what the fit of all that was written of a tool counts beside that of its best entry.
	wholeWeight = 0.8
)

// Lexical is an index of tools by their words. It is safe for concurrent use.
type Lexical struct {
	kin       thesaurus
	described map[string]bool // stems of the descriptions
	names     []string        // of the tools
	entries   postings        // the description and the examples of each tool
	whole     postings        // all of a tool in one text
}

// postings are texts by their terms.
type postings struct {
	texts   []entry
	inverse map[string]float64 // term → inverse document frequency
	length  float64            // mean length of the texts
	post    map[string][]posting
}

// entry is a text by which a tool is found.
type entry struct {
	tool   int
	shown  string
	length float64 // weights of its terms together
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
	x := &Lexical{kin: newThesaurus(), described: map[string]bool{}}
	for _, t := range tools {
		for _, w := range strings.FieldsFunc(description(t), notInWord) {
			x.described[english.Stem(strings.ToLower(w), true)] = true
		}
	}
	for i, t := range tools {
		x.names = append(x.names, t.Name)
		all := x.kin.termsOf(description(t), x.described)
		x.entries.add(entry{tool: i, shown: t.Purpose}, all)
		for _, q := range t.Examples {
			terms := x.kin.termsOf(q, x.described)
			x.entries.add(entry{tool: i, shown: q}, terms)
			all = append(all, terms...)
		}
		x.whole.add(entry{tool: i}, all)
	}
	x.entries.weigh()
	x.whole.weigh()
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

func (p *postings) add(e entry, terms []term) {
	counts := map[string]float64{}
	for _, t := range terms {
		counts[t.key] += t.weight
		e.length += t.weight
	}
	if p.post == nil {
		p.post = map[string][]posting{}
	}
	for key, c := range counts {
		p.post[key] = append(p.post[key], posting{len(p.texts), c})
	}
	p.texts = append(p.texts, e)
}

// weigh sets what depends on all texts. Nothing is added after it.
func (p *postings) weigh() {
	total := 0.0
	for _, e := range p.texts {
		total += e.length
	}
	p.length = total / max(1, float64(len(p.texts)))
	p.inverse = map[string]float64{}
	n := float64(len(p.texts))
	for key, list := range p.post {
		df := float64(len(list))
		p.inverse[key] = math.Log(1 + (n-df+0.5)/(df+0.5))
	}
}

// scores are the BM25 scores of all texts for the terms of a question, each of which counts once.
func (p *postings) scores(terms []term) []float64 {
	out := make([]float64, len(p.texts))
	seen := map[string]bool{}
	for _, t := range terms {
		if seen[t.key] {
			continue
		}
		seen[t.key] = true
		for _, at := range p.post[t.key] {
			norm := k1 * (1 - b + b*p.texts[at.entry].length/p.length)
			out[at.entry] += t.weight * p.inverse[t.key] * at.count * (k1 + 1) / (at.count + norm)
		}
	}
	return out
}

// size is the number of tools.
func (x *Lexical) size() int { return len(x.names) }

// Name says which index this is.
func (x *Lexical) Name() string { return "lexical" }

// Query returns the k best tools for the text out of those that keep accepts (nil: all), best first, ties by name. A
// tool that shares no word with the text has score 0 and comes last; a k above the number of tools returns all.
func (x *Lexical) Query(ctx context.Context, text string, k int, keep func(tool string) bool) ([]Hit, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	terms := x.kin.termsOf(text, x.described)
	scores, whole := x.entries.scores(terms), x.whole.scores(terms)
	best := map[int]Hit{}
	for i, e := range x.entries.texts {
		if keep != nil && !keep(x.names[e.tool]) {
			continue
		}
		s := scores[i] + wholeWeight*whole[e.tool]
		if h, ok := best[e.tool]; !ok || s > h.Score {
			best[e.tool] = Hit{x.names[e.tool], s, e.shown}
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
