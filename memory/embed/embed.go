// Package embed turns texts into vectors, so that texts of like meaning are near.
//
// An [Embedder] has the two methods of langchaingo's embeddings.Embedder: any of those is one. Beside it stands an
// [Identity], because vectors of two models, or of one model with other prefixes, cannot be compared.
//
// [Ollama] and [OpenAI] ask a server, in batches; [Cached] keeps what was embedded on disk.
package embed

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
)

// Embedder turns texts into vectors of one length. A document and a query are embedded differently by models that were
// trained so. The vectors are in the order of the texts.
type Embedder interface {
	EmbedDocuments(ctx context.Context, texts []string) ([][]float32, error)
	EmbedQuery(ctx context.Context, text string) ([]float32, error)
}

// Identity says which vectors an embedder makes: equal identities, comparable vectors.
type Identity struct {
	Name           string // "ollama:all-minilm"
	Digest         string // of the model's weights, or whatever changes with them
	Dimension      int
	DocumentPrefix string
	QueryPrefix    string
}

// Model is an embedder that knows what it is.
type Model interface {
	Embedder
	Identity() Identity
}

// Named gives an embedder, such as one of langchaingo's, its identity.
func Named(e Embedder, id Identity) Model { return named{e, id} }

type named struct {
	Embedder
	id Identity
}

func (n named) Identity() Identity { return n.id }

// Faults, for callers that go on without vectors.
var (
	// ErrUnavailable is a server that does not answer, or one without the model.
	ErrUnavailable = errors.New("no embedding model")
	// ErrNoVector is an answer without a vector for one of the texts: nothing of that batch is kept.
	ErrNoVector = errors.New("empty embedding")
	// ErrEmpty is a text without a letter or digit: it has no meaning to embed.
	ErrEmpty = errors.New("the text is empty")
)

// prefixes of models that were trained with instructions before the text, by the part of the name before its tag; from
// their model cards.
var prefixes = map[string][2]string{ // document, query
	"nomic-embed-text":       {"search_document: ", "search_query: "},
	"mxbai-embed-large":      {"", "Represent this sentence for searching relevant passages: "},
	"snowflake-arctic-embed": {"", "Represent this sentence for searching relevant passages: "},
	"bge-large":              {"", "Represent this sentence for searching relevant passages: "},
	"embeddinggemma":         {"title: none | text: ", "task: search result | query: "},
}

func prefixesOf(model string) (document, query string) {
	name, _, _ := strings.Cut(model, ":")
	if i := strings.LastIndex(name, "/"); i >= 0 {
		name = name[i+1:]
	}
	p := prefixes[name]
	return p[0], p[1]
}

// probe is embedded to learn the length of the vectors.
const probe = "sea surface temperature"

const maxBatch = 64 // texts of one request

// inBatches embeds texts a batch at a time.
func inBatches(ctx context.Context, texts []string, prefix string, once func(context.Context, []string) ([][]float32, error)) ([][]float32, error) {
	out := make([][]float32, 0, len(texts))
	for len(texts) > 0 {
		n := min(maxBatch, len(texts))
		batch := make([]string, n)
		for i, t := range texts[:n] {
			if strings.TrimSpace(t) == "" {
				return nil, fmt.Errorf("embed: text %d: %w", len(out)+i+1, ErrEmpty)
			}
			batch[i] = prefix + t
		}
		vs, err := once(ctx, batch)
		if err != nil {
			return nil, err
		}
		if len(vs) != n {
			return nil, fmt.Errorf("embed: the server gave %d vectors for %d texts", len(vs), n)
		}
		for i, v := range vs {
			if len(v) == 0 {
				return nil, fmt.Errorf("embed: %w for %q", ErrNoVector, beginning(texts[i]))
			}
		}
		out, texts = append(out, vs...), texts[n:]
	}
	return out, nil
}

// beginning is enough of a text to know it by.
func beginning(text string) string {
	const enough = 60
	runes := []rune(text)
	if len(runes) <= enough {
		return text
	}
	return string(runes[:enough]) + "…"
}

// served is what embedders on servers have in common: once asks for the vectors of one batch.
type served struct {
	id     Identity
	tokens atomic.Int64
	once   func(ctx context.Context, texts []string) ([][]float32, error)
}

// Identity says which model it is.
func (s *served) Identity() Identity { return s.id }

// Tokens are what the server has read so far.
func (s *served) Tokens() int64 { return s.tokens.Load() }

// EmbedDocuments embeds texts that are looked for.
func (s *served) EmbedDocuments(ctx context.Context, texts []string) ([][]float32, error) {
	return inBatches(ctx, texts, s.id.DocumentPrefix, s.once)
}

// EmbedQuery embeds a text to look with.
func (s *served) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	vs, err := inBatches(ctx, []string{text}, s.id.QueryPrefix, s.once)
	if err != nil {
		return nil, err
	}
	return vs[0], nil
}

// measure sets the identity of a model, and asks for one vector to learn their length.
func (s *served) measure(ctx context.Context, name, digest, model string) error {
	s.id = Identity{Name: name, Digest: digest}
	s.id.DocumentPrefix, s.id.QueryPrefix = prefixesOf(model)
	v, err := s.EmbedQuery(ctx, probe)
	s.id.Dimension = len(v)
	return err
}
