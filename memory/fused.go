package memory

import (
	"context"
	"errors"
	"sort"
	"strings"
	"sync"
	"sync/atomic"

	"almanac/memory/embed"
)

// rankConstant of reciprocal rank fusion: Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and
// individual Rank Learning Methods", SIGIR 2009, who found 60.
const rankConstant = 60

// Fused ranks tools by their words and by their meaning: a tool's score is the sum of 1/(60 + rank) over both rankings,
// divided by what the first place in both would have, so that 1 is the best there is. Where the embedding model does not
// answer it goes on with the words alone, and says so once. It is safe for concurrent use.
type Fused struct {
	words   *Lexical
	meaning *Dense
	note    func(string)
	once    sync.Once
	failed  atomic.Bool // the embedding model; it is not asked again
}

// NewFused joins two indexes of the same tools. note is told when the embedding model fails; nil tells nobody.
func NewFused(words *Lexical, meaning *Dense, note func(string)) *Fused {
	if note == nil {
		note = func(string) {}
	}
	return &Fused{words: words, meaning: meaning, note: note}
}

// Name says which index this is: of the words alone once the embedding model has failed.
func (f *Fused) Name() string {
	if f.failed.Load() {
		return f.words.Name()
	}
	return f.words.Name() + "+" + f.meaning.Name()
}

// Query returns the k best tools for the text out of those that keep accepts (nil: all), best first, ties by name.
func (f *Fused) Query(ctx context.Context, text string, k int, keep func(tool string) bool) ([]Hit, error) {
	byWords, err := f.words.Query(ctx, text, f.words.size(), keep)
	if err != nil || strings.TrimSpace(text) == "" || f.failed.Load() {
		return byWords[:max(0, min(k, len(byWords)))], err
	}
	byMeaning, err := f.meaning.Query(ctx, text, f.words.size(), keep)
	switch {
	case errors.Is(err, embed.ErrUnavailable):
		f.failed.Store(true)
		f.once.Do(func() { f.note("tools are chosen by their words alone: " + err.Error()) })
		return byWords[:max(0, min(k, len(byWords)))], nil
	case err != nil:
		return nil, err
	}
	return fuse(k, byWords, byMeaning), nil
}

// fuse joins rankings. A tool that shares no word with the text has no rank among the words.
func fuse(k int, rankings ...[]Hit) []Hit {
	sum := map[string]Hit{}
	for _, hits := range rankings {
		for rank, h := range hits {
			if h.Score <= 0 {
				continue
			}
			s, there := sum[h.Tool]
			if !there {
				s = Hit{Tool: h.Tool, Entry: h.Entry}
			}
			s.Score += float64(rankConstant+1) / float64(rankConstant+1+rank) / float64(len(rankings))
			sum[h.Tool] = s
		}
	}
	out := make([]Hit, 0, len(sum))
	for _, h := range sum {
		out = append(out, h)
	}
	sort.Slice(out, func(i, j int) bool {
		if out[i].Score != out[j].Score {
			return out[i].Score > out[j].Score
		}
		return out[i].Tool < out[j].Tool
	})
	return out[:max(0, min(k, len(out)))]
}
