// Package langchain serves an index of package vectors as a vector store of langchaingo, so that its chains and retrievers
// can look in it.
package langchain

import (
	"context"
	"errors"
	"fmt"
	"math"

	"almanac/memory/embed"
	"almanac/memory/vectors"

	"github.com/tmc/langchaingo/schema"
	"github.com/tmc/langchaingo/vectorstores"
)

// ErrOption is an option of langchaingo's that the store does not have.
var ErrOption = errors.New("the store does not have this option")

// Store is a vector store over an index. It is safe for concurrent use.
type Store struct {
	model   embed.Model
	entries *vectors.Index
}

var _ vectorstores.VectorStore = (*Store)(nil)

// New serves the entries, which were embedded by model or will be.
func New(model embed.Model, entries *vectors.Index) *Store {
	return &Store{model: model, entries: entries}
}

// idKey is the metadata that has a document's id. One without an id gets its text for one, so that a document that is added
// twice is there once.
const idKey = "id"

// AddDocuments embeds documents and puts them in, all or none, and returns their ids. Metadata are kept as text.
func (s *Store) AddDocuments(ctx context.Context, docs []schema.Document, options ...vectorstores.Option) ([]string, error) {
	opts, err := read(options)
	if err != nil {
		return nil, err
	}
	var entries []vectors.Entry
	var texts, ids []string
	for _, d := range docs {
		if opts.Deduplicater != nil && opts.Deduplicater(ctx, d) {
			continue
		}
		e := vectors.Entry{ID: d.PageContent, Text: d.PageContent, Metadata: map[string]string{}}
		for key, v := range d.Metadata {
			e.Metadata[key] = fmt.Sprint(v)
		}
		if id := e.Metadata[idKey]; id != "" {
			e.ID = id
		}
		entries, texts, ids = append(entries, e), append(texts, d.PageContent), append(ids, e.ID)
	}
	if len(entries) == 0 {
		return nil, ctx.Err()
	}
	vs, err := s.model.EmbedDocuments(ctx, texts)
	if err != nil {
		return nil, fmt.Errorf("langchain: %w", err)
	}
	if len(vs) != len(entries) {
		return nil, fmt.Errorf("langchain: %s gave %d vectors for %d texts", s.model.Identity().Name, len(vs), len(entries))
	}
	for i := range entries {
		entries[i].Vector = vs[i]
	}
	if err := s.entries.Add(ctx, entries...); err != nil {
		return nil, fmt.Errorf("langchain: %w", err)
	}
	return ids, nil
}

// SimilaritySearch returns the documents nearest to a text, the nearest first, with their cosine similarity as score: the
// higher, the liker. A threshold keeps those of at least that score; filters are a map from names of metadata to values.
func (s *Store) SimilaritySearch(ctx context.Context, query string, k int, options ...vectorstores.Option) ([]schema.Document, error) {
	opts, err := read(options)
	if err != nil {
		return nil, err
	}
	where, err := filters(opts.Filters)
	if err != nil {
		return nil, err
	}
	v, err := s.model.EmbedQuery(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("langchain: %w", err)
	}
	found, err := s.entries.Query(ctx, v, k, where)
	if err != nil {
		return nil, fmt.Errorf("langchain: %w", err)
	}
	var out []schema.Document
	for _, m := range found {
		if opts.ScoreThreshold > 0 && m.Score < float64(opts.ScoreThreshold) {
			break
		}
		d := schema.Document{PageContent: m.Text, Metadata: map[string]any{}, Score: float32(m.Score)}
		for key, value := range m.Metadata {
			d.Metadata[key] = value
		}
		out = append(out, d)
	}
	return out, nil
}

// read takes the options and refuses those that would be passed over.
func read(options []vectorstores.Option) (vectorstores.Options, error) {
	var o vectorstores.Options
	for _, set := range options {
		set(&o)
	}
	switch t := float64(o.ScoreThreshold); {
	case o.NameSpace != "":
		return o, fmt.Errorf("langchain: %w: name space %q; make one store for each", ErrOption, o.NameSpace)
	case o.Embedder != nil:
		return o, fmt.Errorf("langchain: %w: another embedder; its vectors cannot be compared with those that are there", ErrOption)
	case math.IsNaN(t) || t < 0 || t > 1:
		return o, fmt.Errorf("langchain: %w: a threshold of %v; it is a cosine, 0 to 1", ErrOption, t)
	}
	return o, nil
}

func filters(given any) (map[string]string, error) {
	switch f := given.(type) {
	case nil:
		return nil, nil
	case map[string]string:
		return f, nil
	case map[string]any:
		out := map[string]string{}
		for key, v := range f {
			out[key] = fmt.Sprint(v)
		}
		return out, nil
	}
	return nil, fmt.Errorf("langchain: %w: filters of type %T; a map from names to values is wanted", ErrOption, given)
}
