package openai_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"almanac/agents/llm"
	"almanac/agents/llm/llmtest"
	"almanac/agents/llm/openai"
)

var ask = &llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: "How warm is it?"}}}

func open(t testing.TB, s *llmtest.Server, opts openai.Options) *openai.Model {
	opts.BaseURL = s.URL
	m, err := openai.New("q", &opts)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestDescribe(t *testing.T) {
	if info, err := open(t, llmtest.NewOpenAI(t, []string{"p", "q"}), openai.Options{NumCtx: 100}).Describe(t.Context()); err != nil || info.Name != "q" || info.NumCtx != 100 {
		t.Errorf("%+v, %v", info, err)
	}
	if _, err := open(t, llmtest.NewOpenAI(t, []string{"p"}), openai.Options{}).Describe(t.Context()); !errors.Is(err, llm.ErrModelMissing) || !strings.Contains(err.Error(), "it has: p") {
		t.Errorf("err = %v", err)
	}
	if _, err := openai.New("", nil); err == nil {
		t.Error("a model without a name")
	}
}

func TestSortingOfFailures(t *testing.T) {
	for _, tt := range []struct {
		status    int
		body      string
		want      error
		reason    string
		transient bool
	}{
		{401, `{"error":{"message":"Incorrect API key"}}`, llm.ErrRequest, llm.ReasonUnauthorized, false},
		{404, `{"error":{"message":"The model q does not exist","code":"model_not_found"}}`, llm.ErrModelMissing, "", false},
		{404, `page not found`, llm.ErrModelMissing, "", false},
		{400, `{"error":{"message":"This model's maximum context length is 4096 tokens","code":"context_length_exceeded"}}`, llm.ErrContextOverflow, "", false},
		{400, `{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}`, llm.ErrContextOverflow, "", false},
		{503, `{"error":{"code":503,"message":"Loading model"}}`, llm.ErrOverloaded, "", true},
		{429, `{"error":{"message":"rate limit"}}`, llm.ErrOverloaded, "", true},
		{500, `{"error":{"message":"Failed to parse tool call arguments as JSON"}}`, llm.ErrBadReply, llm.ReasonUnreadable, false},
		{500, `{"error":"crashed"}`, llm.ErrServer, "", true},
		{502, `<html>bad gateway</html>`, llm.ErrTransport, "", true},
		{400, `{"error":{"message":"bad field"}}`, llm.ErrRequest, "", false},
	} {
		for _, noStream := range []bool{false, true} {
			s := llmtest.NewOpenAI(t, nil, llmtest.Turn{Status: tt.status, Body: tt.body})
			_, err := open(t, s, openai.Options{NoStream: noStream}).Generate(t.Context(), ask)
			e := llm.AsError(err)
			if !errors.Is(err, tt.want) || e.Reason != tt.reason || e.Transient() != tt.transient || e.Status != tt.status {
				t.Errorf("%d %s (whole %v): %v", tt.status, tt.body, noStream, err)
			}
		}
	}
}

func TestErrorInTheStream(t *testing.T) {
	s := llmtest.NewOpenAI(t, nil,
		llmtest.Turn{Lines: []string{`data: {"choices":[{"index":0,"delta":{"content":"The"}}]}` + "\n", `data: {"error":{"message":"out of slots","code":500}}` + "\n"}},
		llmtest.Turn{Lines: []string{`data: {"choices":[{"index":0,"delta":{"content":"The"}}]}` + "\n"}},
		llmtest.Turn{Lines: []string{"data: nonsense\n"}})
	m := open(t, s, openai.Options{})
	for i, want := range []error{llm.ErrServer, llm.ErrTransport, llm.ErrServer} {
		if resp, err := m.Generate(t.Context(), ask); !errors.Is(err, want) {
			t.Errorf("%d: %+v, %v", i, resp, err)
		}
	}
}

func TestNoServer(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close()
	m, err := openai.New("q", &openai.Options{BaseURL: s.URL + "/v1"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Generate(t.Context(), ask); !errors.Is(err, llm.ErrTransport) || !strings.Contains(err.Error(), s.URL) {
		t.Errorf("err = %v", err)
	}
}

// Names with dots go out without them and come back with them.
func TestToolNames(t *testing.T) {
	s := llmtest.NewOpenAI(t, nil, llmtest.Turn{Calls: []llmtest.Call{{Name: "gis_area_", Arguments: "{}"}, {Name: "gis_area", Arguments: "{}"}, {Name: "made_up", Arguments: "{}"}}})
	req := &llm.Request{Messages: ask.Messages, Tools: []llm.ToolSpec{{Name: "gis.area"}, {Name: "gis_area"}}}
	resp, err := open(t, s, openai.Options{}).Generate(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range resp.Message.ToolCalls {
		got = append(got, c.Name)
	}
	if diff := cmp.Diff([]string{"gis.area", "gis_area", "made_up"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestReasoningTokensAreThinking(t *testing.T) {
	lines := []string{
		`data: {"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":"stop"}]}` + "\n",
		`data: {"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":8,"total_tokens":18,"completion_tokens_details":{"reasoning_tokens":6}}}` + "\n", "data: [DONE]\n"}
	resp, err := open(t, llmtest.NewOpenAI(t, nil, llmtest.Turn{Lines: lines}), openai.Options{}).Generate(t.Context(), ask)
	if err != nil || resp.Usage.Thinking == nil || *resp.Usage.Thinking != 6 || resp.Usage.Tokens() != 18 {
		t.Errorf("%+v, %v", resp, err)
	}
}

func TestImagesOnTheWire(t *testing.T) {
	s := llmtest.NewOpenAI(t, nil, llmtest.Turn{Content: "x"})
	req := &llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: "Look.", Images: []llm.Image{{Type: "image/png", Data: []byte("hello")}}}}}
	if _, err := open(t, s, openai.Options{}).Generate(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	want := []any{
		map[string]any{"type": "text", "text": "Look."},
		map[string]any{"type": "image_url", "image_url": map[string]any{"url": "data:image/png;base64,aGVsbG8="}}, // base64 of "hello"
	}
	if diff := cmp.Diff(want, s.Bodies()[0]["messages"].([]any)[0].(map[string]any)["content"]); diff != "" {
		t.Error(diff)
	}
}

func Example() {
	m, err := openai.New("local-model", &openai.Options{BaseURL: "http://127.0.0.1:8080/v1", NumCtx: 2048})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = m.Generate(context.Background(), &llm.Request{Messages: []llm.Message{
		{Role: llm.RoleUser, Content: strings.Repeat("sea surface temperature ", 1000)},
	}})
	fmt.Println(errors.Is(err, llm.ErrContextOverflow))
	// Output: true
}
