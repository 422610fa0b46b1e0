package langchain_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"almanac/memory/embed"
	"almanac/memory/langchain"
	"almanac/memory/vectors"

	"github.com/tmc/langchaingo/embeddings"
	"github.com/tmc/langchaingo/schema"
	"github.com/tmc/langchaingo/vectorstores"
)

// letters counts a and b: an embedder of langchaingo's by hand.
type letters struct{}

var _ embeddings.Embedder = letters{}

func (letters) EmbedDocuments(_ context.Context, texts []string) ([][]float32, error) {
	var out [][]float32
	for _, t := range texts {
		out = append(out, []float32{float32(strings.Count(t, "a")), float32(strings.Count(t, "b"))})
	}
	return out, nil
}

func (l letters) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	vs, err := l.EmbedDocuments(ctx, []string{text})
	return vs[0], err
}

func store(t testing.TB) *langchain.Store {
	t.Helper()
	x, err := vectors.New(2)
	if err != nil {
		t.Fatal(err)
	}
	s := langchain.New(embed.Named(letters{}, embed.Identity{Name: "letters", Dimension: 2}), x)
	docs := []schema.Document{
		{PageContent: "aaa bbbb", Metadata: map[string]any{"id": "both", "year": 1990}}, {PageContent: "a", Metadata: map[string]any{"year": 1991}}, {PageContent: "b"},
	}
	ids, err := s.AddDocuments(t.Context(), docs)
	if err != nil || strings.Join(ids, " ") != "both a b" {
		t.Fatalf("%q, %v", ids, err)
	}
	return s
}

// The cosine of (3, 4) with (1, 0) is 0.6, by hand.
func TestThroughLangchaingosRetriever(t *testing.T) {
	docs, err := vectorstores.ToRetriever(store(t), 9, vectorstores.WithScoreThreshold(0.5)).GetRelevantDocuments(t.Context(), "aa")
	if err != nil || len(docs) != 2 || docs[0].PageContent != "a" || docs[1].Metadata["year"] != "1990" {
		t.Fatalf("%+v, %v", docs, err)
	}
	if d := docs[1].Score - 0.6; d > 1e-6 || d < -1e-6 {
		t.Errorf("score %v, want 0.6", docs[1].Score)
	}
}

// A similarity is kept when it is above the threshold, a distance would be when below.
func TestFieldC20ThresholdKeepsTheLiker(t *testing.T) {
	docs, err := store(t).SimilaritySearch(t.Context(), "a", 9, vectorstores.WithScoreThreshold(0.9))
	if err != nil || len(docs) != 1 || docs[0].PageContent != "a" {
		t.Errorf("%+v, %v", docs, err)
	}
}

func TestOptions(t *testing.T) {
	s := store(t)
	docs, err := s.SimilaritySearch(t.Context(), "a", 9, vectorstores.WithFilters(map[string]any{"year": 1990}))
	if err != nil || len(docs) != 1 || docs[0].Metadata["id"] != "both" {
		t.Errorf("%+v, %v", docs, err)
	}
	for _, o := range []vectorstores.Option{
		vectorstores.WithNameSpace("x"), vectorstores.WithEmbedder(letters{}), vectorstores.WithScoreThreshold(2), vectorstores.WithFilters(3),
	} {
		if _, err := s.SimilaritySearch(t.Context(), "a", 1, o); !errors.Is(err, langchain.ErrOption) {
			t.Errorf("%v", err)
		}
	}
	if ids, err := s.AddDocuments(t.Context(), nil); err != nil || ids != nil {
		t.Errorf("%v, %v", ids, err)
	}
	if _, err := s.AddDocuments(t.Context(), []schema.Document{{PageContent: "xyz"}}); !errors.Is(err, vectors.ErrVector) {
		t.Errorf("a text without a direction: %v", err)
	}
}

func Example() {
	entries, _ := vectors.New(2)
	s := langchain.New(embed.Named(letters{}, embed.Identity{Name: "letters", Dimension: 2}), entries)
	_, err := s.AddDocuments(context.Background(), []schema.Document{{PageContent: "bab"}, {PageContent: "aa"}})
	docs, _ := s.SimilaritySearch(context.Background(), "a", 1)
	fmt.Println(docs[0].PageContent, err)
	// Output: aa <nil>
}
