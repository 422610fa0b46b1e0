package embed_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"almanac/memory/embed"
)

// vectorOf is what the fake servers make of a text: its length and its first byte.
func vectorOf(text string) []float32 { return []float32{float32(len(text)), float32(text[0])} }

// fake answers as an Ollama and as an OpenAI server, and keeps what it was asked.
type fake struct {
	mu     sync.Mutex
	inputs [][]string
	models []string
	window int // longest text, 0 for any
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Model    string   `json:"model"`
		Input    []string `json:"input"`
		Truncate *bool    `json:"truncate"`
	}
	switch {
	case r.URL.Path == "/api/tags":
		var list []map[string]any
		for _, m := range f.models {
			list = append(list, map[string]any{"name": m, "digest": "digest of " + m})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"models": list})
		return
	case json.NewDecoder(r.Body).Decode(&body) != nil:
		http.Error(w, "bad", http.StatusBadRequest)
		return
	}
	f.mu.Lock()
	f.inputs = append(f.inputs, body.Input)
	f.mu.Unlock()
	for _, text := range body.Input {
		switch {
		case f.window > 0 && len(text) > f.window && !*body.Truncate:
			http.Error(w, `{"error": "the input length exceeds the context length"}`, http.StatusBadRequest)
			return
		case strings.Contains(text, "empty"):
			_ = json.NewEncoder(w).Encode(map[string]any{"embeddings": make([][]float32, len(body.Input)), "data": []map[string]any{{"index": 0, "embedding": []float32{}}}})
			return
		}
	}
	var vs [][]float32
	var data []map[string]any
	for i, text := range body.Input {
		vs = append(vs, vectorOf(text))
		data = append([]map[string]any{{"index": i, "embedding": vectorOf(text), "object": "embedding"}}, data...) // the last first
	}
	if r.URL.Path == "/embeddings" {
		_ = json.NewEncoder(w).Encode(map[string]any{"data": data, "usage": map[string]any{"prompt_tokens": 3}})
		return
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"embeddings": vs, "prompt_eval_count": 3})
}

func serve(t *testing.T, models ...string) (*fake, *url.URL) {
	t.Helper()
	f := &fake{models: models}
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	return f, u
}

func TestOllama(t *testing.T) {
	f, base := serve(t, "other:latest", "almanac/all-minilm:latest")
	m, err := embed.OpenOllama(t.Context(), "all-minilm", base, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := embed.Identity{Name: "ollama:all-minilm", Digest: "digest of almanac/all-minilm:latest", Dimension: 2}
	if m.Identity() != want {
		t.Errorf("identity %+v", m.Identity())
	}
	var texts []string
	var vs [][]float32
	for i := range 150 {
		texts = append(texts, strings.Repeat("x", i+1))
		vs = append(vs, vectorOf(texts[i]))
	}
	f.inputs = nil
	got, err := m.EmbedDocuments(t.Context(), texts)
	if err != nil || !reflect.DeepEqual(got, vs) {
		t.Errorf("%d vectors, %v", len(got), err)
	}
	if len(f.inputs) != 3 || len(f.inputs[0]) != 64 || len(f.inputs[2]) != 22 {
		t.Errorf("%d requests", len(f.inputs))
	}
	if m.Tokens() != 4*3 { // the probe's and three batches'
		t.Errorf("%d tokens", m.Tokens())
	}
}

func TestPrefixes(t *testing.T) {
	f, base := serve(t, "nomic-embed-text:latest")
	m, err := embed.OpenOllama(t.Context(), "nomic-embed-text", base, nil)
	if err != nil {
		t.Fatal(err)
	}
	f.inputs = nil
	if _, err := m.EmbedDocuments(t.Context(), []string{"a"}); err != nil {
		t.Fatal(err)
	}
	if _, err := m.EmbedQuery(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(f.inputs); got != "[[search_document: a] [search_query: a]]" {
		t.Error(got)
	}
}

func TestUnavailable(t *testing.T) {
	_, base := serve(t, "qwen:latest")
	if _, err := embed.OpenOllama(t.Context(), "all-minilm", base, nil); !errors.Is(err, embed.ErrUnavailable) || !strings.Contains(err.Error(), "make model") || !strings.Contains(err.Error(), "qwen:latest") {
		t.Errorf("without the model: %v", err)
	}
	nowhere, _ := url.Parse("http://127.0.0.1:1")
	if _, err := embed.OpenOllama(t.Context(), "all-minilm", nowhere, nil); !errors.Is(err, embed.ErrUnavailable) {
		t.Errorf("without a server: %v", err)
	}
	if _, err := embed.OpenOpenAI(t.Context(), "m", nowhere.String(), ""); !errors.Is(err, embed.ErrUnavailable) {
		t.Errorf("openai without a server: %v", err)
	}
}

func TestOpenAIOrder(t *testing.T) {
	_, base := serve(t)
	m, err := embed.OpenOpenAI(t.Context(), "m", base.String(), "key")
	if err != nil {
		t.Fatal(err)
	}
	got, err := m.EmbedDocuments(t.Context(), []string{"a", "bb", "ccc"})
	if want := [][]float32{{1, 'a'}, {2, 'b'}, {3, 'c'}}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := m.EmbedDocuments(t.Context(), []string{"a", " \n"}); !errors.Is(err, embed.ErrEmpty) {
		t.Errorf("an empty text: %v", err)
	}
}

// counter counts what it embeds, and can be held up.
type counter struct {
	mu    sync.Mutex
	texts []string
	hold  chan struct{}
}

func (c *counter) EmbedDocuments(ctx context.Context, texts []string) ([][]float32, error) {
	c.mu.Lock()
	c.texts = append(c.texts, texts...)
	c.mu.Unlock()
	if c.hold != nil {
		select {
		case <-c.hold:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	var out [][]float32
	for _, t := range texts {
		out = append(out, vectorOf(t))
	}
	return out, nil
}

func (c *counter) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	vs, err := c.EmbedDocuments(ctx, []string{text})
	if err != nil {
		return nil, err
	}
	return vs[0], nil
}

func toy(c *counter, digest string) embed.Model {
	return embed.Named(c, embed.Identity{Name: "toy", Digest: digest, Dimension: 2})
}

func TestCacheEmbedsATextOnce(t *testing.T) {
	dir, c := t.TempDir(), &counter{}
	for range 2 { // a second process
		x := embed.NewCached(toy(c, "1"), dir)
		got, err := x.EmbedDocuments(t.Context(), []string{"a", "bb", "a"})
		if want := [][]float32{{1, 'a'}, {2, 'b'}, {1, 'a'}}; err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%v, %v", got, err)
		}
		if _, err := x.EmbedQuery(t.Context(), "a"); err != nil {
			t.Error(err)
		}
	}
	if got := strings.Join(c.texts, " "); got != "a bb a" { // two documents, one query
		t.Errorf("embedded %s", got)
	}
	if _, err := embed.NewCached(toy(c, "2"), dir).EmbedQuery(t.Context(), "a"); err != nil || len(c.texts) != 4 {
		t.Errorf("other weights have the same vectors: %d texts, %v", len(c.texts), err)
	}
}

func TestDamagedCacheIsEmbeddedAnew(t *testing.T) {
	dir, c := t.TempDir(), &counter{}
	x := embed.NewCached(toy(c, "1"), dir)
	if _, err := x.EmbedQuery(t.Context(), "abc"); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*", "*"))
	if len(files) != 1 {
		t.Fatal(files)
	}
	whole, _ := os.ReadFile(files[0])
	for n := range whole {
		if err := os.WriteFile(files[0], append(append([]byte(nil), whole[:n]...), whole[n]^1), 0o644); err != nil {
			t.Fatal(err)
		}
		if v, err := x.EmbedQuery(t.Context(), "abc"); err != nil || !reflect.DeepEqual(v, vectorOf("abc")) {
			t.Fatalf("cut at %d: %v, %v", n, v, err)
		}
	}
}

func TestCacheInAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if v, err := embed.NewCached(toy(&counter{}, "1"), file).EmbedQuery(t.Context(), "abc"); err != nil || v[0] != 3 {
		t.Errorf("%v, %v: a cache that cannot be written is no error", v, err)
	}
}

// Many at once ask for the same text: it is embedded once. One who gives up does not take the others along.
func TestAtOnce(t *testing.T) {
	c := &counter{hold: make(chan struct{})}
	x := embed.NewCached(toy(c, "1"), t.TempDir())
	first, giveUp := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		if _, err := x.EmbedQuery(first, "a"); !errors.Is(err, context.Canceled) {
			t.Errorf("the first: %v", err)
		}
	})
	for {
		c.mu.Lock()
		n := len(c.texts)
		c.mu.Unlock()
		if n == 1 {
			break
		}
	}
	for range 8 {
		wg.Go(func() {
			if v, err := x.EmbedQuery(t.Context(), "a"); err != nil || v[0] != 1 {
				t.Errorf("%v, %v", v, err)
			}
		})
	}
	giveUp()
	close(c.hold)
	wg.Wait()
	if len(c.texts) > 2 {
		t.Errorf("embedded %d times", len(c.texts))
	}
}

// An answer with an empty vector is an error that names the text, by either server.
func TestFieldC15EmptyEmbedding(t *testing.T) {
	_, base := serve(t, "all-minilm:latest")
	o, err := embed.OpenOllama(t.Context(), "all-minilm", base, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := embed.OpenOpenAI(t.Context(), "m", base.String(), "key")
	if err != nil {
		t.Fatal(err)
	}
	for name, m := range map[string]embed.Embedder{"ollama": o, "openai": p} {
		if vs, err := m.EmbedDocuments(t.Context(), []string{"empty one"}); !errors.Is(err, embed.ErrNoVector) || !strings.Contains(err.Error(), "empty one") || vs != nil {
			t.Errorf("%s: %v, %v", name, vs, err)
		}
	}
}

// A text beyond the model's window is cut, and named; the others of its batch are not.
func TestFieldC16SilentTruncation(t *testing.T) {
	f, base := serve(t, "all-minilm:latest")
	var notes []string
	m, err := embed.OpenOllama(t.Context(), "all-minilm", base, &embed.OllamaOptions{Note: func(s string) { notes = append(notes, s) }})
	if err != nil {
		t.Fatal(err)
	}
	f.window = 1000
	long := strings.Repeat("word ", 1800)
	vs, err := m.EmbedDocuments(t.Context(), []string{"short", long, "short too"})
	if err != nil || len(vs) != 3 || vs[0][0] != 5 || vs[2][0] != 9 {
		t.Errorf("%v, %v", vs, err)
	}
	if len(notes) != 1 || !strings.Contains(notes[0], "9000 characters") || !strings.Contains(notes[0], "word word") {
		t.Errorf("notes %q", notes)
	}
}
