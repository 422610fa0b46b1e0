package models_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"almanac/agents/llm"
	"almanac/agents/llm/exchange"
	"almanac/agents/llm/llmtest"
	"almanac/agents/llm/models"
)

var ask = &llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: "How warm is it?"}}}

func script(t testing.TB, text string) string {
	path := filepath.Join(t.TempDir(), "script.yaml")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestOpenEachProvider(t *testing.T) {
	dir := t.TempDir()
	yaml := script(t, "- It is warm.\n- never\n")
	ollama := llmtest.NewOllama(t, []string{"almanac/q:1.5b"}, llmtest.Turn{Content: "It is warm."})
	openai := llmtest.NewOpenAI(t, []string{"q"}, llmtest.Turn{Content: "It is warm."})
	for _, tt := range []struct{ name, model string }{
		{"ollama:q:1.5b", "almanac/q:1.5b"}, {"openai:q", "q"}, {"scripted:" + yaml, "scripted:" + yaml},
		{"record:" + dir + "/scripted:" + yaml, "scripted:" + yaml}, {"replay:" + dir, "scripted:" + yaml},
	} {
		m, err := models.Open(t.Context(), tt.name, &models.Options{Host: ollama.URL, BaseURL: openai.URL})
		if err != nil {
			t.Fatal(tt.name, err)
		}
		resp, err := m.Generate(t.Context(), ask)
		if err != nil || resp.Message.Content != "It is warm." {
			t.Errorf("%s: %+v, %v", tt.name, resp, err)
		}
		if info, err := m.Describe(t.Context()); err != nil || info.Name != tt.model {
			t.Errorf("%s: %+v, %v", tt.name, info, err)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	for _, name := range []string{"", "q", "ollama:", "mystery:google/gemini", "record:dir", "record:dir/replay:x", "record:/ollama:q", "Ollama:q"} {
		_, err := models.Open(t.Context(), name, nil)
		if !errors.Is(err, llm.ErrRequest) || !strings.Contains(err.Error(), "ollama:NAME") && !strings.Contains(err.Error(), "record:DIR") {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, err := models.Open(t.Context(), "langchain:google/gemini", nil); !errors.Is(err, llm.ErrRequest) || !strings.Contains(err.Error(), "anthropic, openai") {
		t.Errorf("a provider that is not built in: %v", err)
	}
	if _, err := models.Open(t.Context(), "scripted:none.yaml", nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if _, err := models.Open(t.Context(), "scripted:"+script(t, "- x"), &models.Options{Exchange: exchange.Options{Off: []string{"x"}}}); err == nil || !strings.Contains(err.Error(), "text_call") {
		t.Errorf("no such repair: %v", err)
	}
}

func Example() {
	dir, err := os.MkdirTemp("", "models")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "demo.yaml")
	if err := os.WriteFile(path, []byte("- It is warm.\n"), 0o644); err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	m, err := models.Open(ctx, "scripted:"+path, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	resp, err := llm.Session(m, "single", "t1").Generate(ctx, &llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: "How warm is it?"}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(resp.Message.Content)
	// Output: It is warm.
}
