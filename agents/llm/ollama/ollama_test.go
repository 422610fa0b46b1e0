package ollama_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"almanac/agents/llm"
	"almanac/agents/llm/llmtest"
	"almanac/agents/llm/ollama"
)

var ask = &llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: "How warm is it?"}}}

func TestOpenPrefersTheLibrarysModel(t *testing.T) {
	for _, tt := range []struct {
		have     []string
		want     string
		imported bool
	}{
		{[]string{"almanac/q:1.5b", "q:1.5b"}, "q:1.5b", false},
		{[]string{"almanac/q:1.5b", "q:0.5b"}, "almanac/q:1.5b", true},
	} {
		s := llmtest.NewOllama(t, tt.have)
		m, err := ollama.Open(t.Context(), "q:1.5b", &ollama.Options{Host: s.URL})
		if err != nil {
			t.Fatal(err)
		}
		info, err := m.Describe(t.Context())
		if err != nil || info.Name != tt.want || info.Imported != tt.imported || info.Digest == "" {
			t.Errorf("%v: %+v, %v", tt.have, info, err)
		}
	}
	s := llmtest.NewOllama(t, []string{"all-minilm:latest"})
	if m, err := ollama.Open(t.Context(), "all-minilm", &ollama.Options{Host: s.URL}); err != nil || m.Name() != "all-minilm:latest" {
		t.Errorf("a name without a tag: %v", err)
	}
	_, err := ollama.Open(t.Context(), "q:7b", &ollama.Options{Host: s.URL})
	if !errors.Is(err, llm.ErrModelMissing) || !strings.Contains(err.Error(), "all-minilm:latest") || !strings.Contains(err.Error(), "ollama pull q:7b") {
		t.Errorf("missing: %v", err)
	}
}

func TestNoServer(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close()
	_, err := ollama.Open(t.Context(), "q", &ollama.Options{Host: s.URL})
	if !errors.Is(err, llm.ErrTransport) || !strings.Contains(err.Error(), "ollama serve") || !strings.Contains(err.Error(), s.URL) {
		t.Errorf("open: %v", err)
	}
	m, err := ollama.New("q", &ollama.Options{Host: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.Generate(t.Context(), ask)
	if e := llm.AsError(err); !errors.Is(err, llm.ErrTransport) || !e.Transient() || e.Usage.Tokens() != 0 || !e.Usage.Known() {
		t.Errorf("generate: %v", err)
	}
}

func TestHosts(t *testing.T) {
	t.Setenv("OLLAMA_HOST", "http://env:1")
	for host, want := range map[string]string{
		"": "http://env:1", "box": "http://box:11434", "box:80": "http://box:80", "https://box/path": "https://box/path",
		"0.0.0.0:11500": "http://127.0.0.1:11500", "[::1]:5": "http://[::1]:5",
	} {
		if got, err := ollama.HostURL(host); err != nil || got.String() != want {
			t.Errorf("%q: %v, %v, want %s", host, got, err, want)
		}
	}
	for _, host := range []string{"http://", "a b", "http://%zz"} {
		if _, err := ollama.New("q", &ollama.Options{Host: host}); err == nil || !strings.Contains(err.Error(), "11434") {
			t.Errorf("%q: %v", host, err)
		}
	}
}

func TestDescribeFindsAMissingTemplate(t *testing.T) {
	s := llmtest.NewOllama(t, []string{"q"})
	m, err := ollama.New("q", &ollama.Options{Host: s.URL, NumCtx: 2048})
	if err != nil {
		t.Fatal(err)
	}
	for template, has := range map[string]bool{"{{ .Prompt }}": false, "": false, "{{ range .Messages }}{{ .Content }}{{ end }}": true} {
		s.SetTemplate(template)
		info, err := m.Describe(t.Context())
		if err != nil || info.HasTemplate == nil || *info.HasTemplate != has || !info.Can("tools") || info.Can("vision") ||
			info.ContextLength != 32768 || info.NumCtx != 2048 || info.Quantization != "Q4_K_M" || info.ServerVersion == "" {
			t.Errorf("%q: %+v, %v", template, info, err)
		}
	}
}

func TestBrokenStream(t *testing.T) {
	s := llmtest.NewOllama(t, []string{"q"}, llmtest.Turn{Content: "The mean", Break: true}, llmtest.Turn{Lines: []string{`{"message":{"content":"x"},"done":false}`}},
		llmtest.Turn{Lines: []string{`{"error":"an internal failure"}`}}, llmtest.Turn{Lines: []string{`not JSON`}})
	m, err := ollama.New("q", &ollama.Options{Host: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		err    error
		reason string
		tokens int64
	}{{llm.ErrTransport, llm.ReasonInterrupted, 2}, {llm.ErrTransport, llm.ReasonInterrupted, 1}, {llm.ErrServer, "", 0}, {llm.ErrServer, "", 0}} {
		resp, err := m.Generate(t.Context(), ask)
		e := llm.AsError(err)
		if !errors.Is(err, want.err) || e.Reason != want.reason || *e.Usage.Completion != want.tokens {
			t.Errorf("%d: %+v, %v", i, resp, err)
		}
	}
}

func TestSortingOfFailures(t *testing.T) {
	for _, tt := range []struct {
		status    int
		text      string
		want      error
		transient bool
	}{
		{500, "model requires more system memory (5.0 GiB) than is available (2.0 GiB)", llm.ErrServer, false},
		{500, "llama runner process has terminated: exit status 2", llm.ErrServer, true},
		{503, "server busy, please try again.  maximum pending requests exceeded", llm.ErrOverloaded, true},
		{404, "model 'q' not found", llm.ErrModelMissing, false},
		{400, "registry.ollama.ai/library/q does not support tools", llm.ErrRequest, false},
		{400, "invalid character 'x' looking for beginning of value", llm.ErrRequest, false},
		{429, "slow down", llm.ErrOverloaded, true},
		{502, "bad gateway", llm.ErrTransport, true},
		{500, "the prompt exceeds the available context size", llm.ErrContextOverflow, false},
	} {
		body, err := json.Marshal(map[string]string{"error": tt.text})
		if err != nil {
			t.Fatal(err)
		}
		s := llmtest.NewOllama(t, []string{"q"}, llmtest.Turn{Status: tt.status, Body: string(body), Header: map[string]string{"Retry-After": "7"}})
		m, err := ollama.New("q", &ollama.Options{Host: s.URL})
		if err != nil {
			t.Fatal(err)
		}
		_, err = m.Generate(t.Context(), ask)
		e := llm.AsError(err)
		if !errors.Is(err, tt.want) || e.Transient() != tt.transient || e.Status != tt.status || e.RetryAfter != 7*time.Second || !strings.Contains(err.Error(), strings.TrimSpace(tt.text)) {
			t.Errorf("%d %s: %v (transient %v, wait %s)", tt.status, tt.text, err, e.Transient(), e.RetryAfter)
		}
	}
}

// A conversation with calls and their results goes over the wire whole.
func TestHistoryOnTheWire(t *testing.T) {
	s := llmtest.NewOllama(t, []string{"q"}, llmtest.Turn{Content: "x"})
	m, err := ollama.New("q", &ollama.Options{Host: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	req := &llm.Request{Messages: append([]llm.Message{}, ask.Messages...), Tools: []llm.ToolSpec{{Name: "now"}}}
	req.Messages = append(req.Messages,
		llm.Message{Role: llm.RoleAssistant, Thinking: "secret", ToolCalls: []llm.ToolCall{{ID: "a", Name: "now", Arguments: json.RawMessage(`{"id":9007199254740993,"at":{"b":2,"a":1}}`)}}},
		llm.Message{Role: llm.RoleTool, ToolCallID: "a", ToolName: "now", Content: "noon"})
	if _, err := m.Generate(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	sent, err := json.Marshal(s.Bodies()[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"arguments":{"at":{"a":1,"b":2},"id":9007199254740993}`, `"tool_call_id":"a"`, `"tool_name":"now"`, `"parameters":{"properties":{},"type":"object"}`} {
		if !strings.Contains(string(sent), want) {
			t.Errorf("%s is not in %s", want, sent)
		}
	}
	if strings.Contains(string(sent), "secret") {
		t.Error("thoughts were sent")
	}
}

func TestImagesOnTheWire(t *testing.T) {
	s := llmtest.NewOllama(t, []string{"q"}, llmtest.Turn{Content: "x"})
	m, err := ollama.New("q", &ollama.Options{Host: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	req := &llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: "Look.", Images: []llm.Image{{Type: "image/png", Data: []byte("hello")}}}}}
	if _, err := m.Generate(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	sent, err := json.Marshal(s.Bodies()[0])
	if want := `"images":["aGVsbG8="]`; err != nil || !strings.Contains(string(sent), want) { // base64 of "hello"
		t.Errorf("%s is not in %s (%v)", want, sent, err)
	}
}

func Example() {
	m, err := ollama.New("qwen2.5-coder:0.5b", &ollama.Options{Host: "127.0.0.1:11434", NumCtx: 4096})
	if err != nil {
		fmt.Println(err)
		return
	}
	// A prompt that cannot fit is refused before it is sent.
	_, err = m.Generate(context.Background(), &llm.Request{Messages: []llm.Message{
		{Role: llm.RoleUser, Content: strings.Repeat("sea surface temperature ", 2000)},
	}})
	fmt.Println(errors.Is(err, llm.ErrContextOverflow))
	// Output: true
}
