package langchain_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"almanac/agents/llm"
	"almanac/agents/llm/langchain"
	"almanac/agents/llm/scripted"

	"github.com/tmc/langchaingo/llms"
)

// fixed is a langchaingo model with one reply, which keeps what it was asked.
type fixed struct {
	reply    *llms.ContentResponse
	err      error
	messages []llms.MessageContent
	opts     llms.CallOptions
}

func (f *fixed) GenerateContent(_ context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	f.messages = messages
	for _, set := range options {
		set(&f.opts)
	}
	return f.reply, f.err
}

func (f *fixed) Call(context.Context, string, ...llms.CallOption) (string, error) {
	return "", errors.New("not used")
}

func Example() {
	theirs := &fixed{reply: &llms.ContentResponse{Choices: []*llms.ContentChoice{{
		Content: "12 degC", GenerationInfo: map[string]any{"PromptTokens": 7, "CompletionTokens": 2},
	}}}}
	m, err := langchain.New("own/model", theirs, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	resp, err := m.Generate(context.Background(), &llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: "How warm is it?"}}})
	fmt.Println(resp.Message.Content, *resp.Usage.Total, err)
	// Output: 12 degC 9 <nil>
}

func TestRequestAndCalls(t *testing.T) {
	zero, seed := 0.0, int64(5)
	theirs := &fixed{reply: &llms.ContentResponse{Choices: []*llms.ContentChoice{
		{Content: "Looking. "}, // some providers give each part as a choice of its own
		{ToolCalls: []llms.ToolCall{{FunctionCall: &llms.FunctionCall{Name: "mean", Arguments: `{"id": 9007199254740993}`}}}},
	}}}
	m, err := langchain.New("x/y", theirs, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := m.Generate(t.Context(), &llm.Request{
		Messages: []llm.Message{
			{Role: llm.RoleSystem, Content: "Be brief."}, {Role: llm.RoleUser, Content: "Mean?"},
			{Role: llm.RoleAssistant, ToolCalls: []llm.ToolCall{{ID: "a", Name: "mean"}}},
			{Role: llm.RoleTool, ToolCallID: "a", ToolName: "mean", Content: "no"},
		},
		Tools:       []llm.ToolSpec{{Name: "mean", Description: "d", Schema: json.RawMessage(`{"type":"object","properties":{"id":{"type":"integer"}}}`)}},
		Temperature: &zero, Seed: &seed, MaxTokens: 33,
	})
	if err != nil {
		t.Fatal(err)
	}
	c := resp.Message.ToolCalls
	if len(c) != 1 || c[0].Name != "mean" || string(c[0].Arguments) != `{"id": 9007199254740993}` || c[0].ID == "" || resp.Finish != llm.FinishTools {
		t.Errorf("%+v", resp)
	}
	if resp.Usage.Known() {
		t.Errorf("a count that was not given is known: %+v", resp.Usage)
	}
	if theirs.opts.MaxTokens != 33 || theirs.opts.Seed != 5 || len(theirs.opts.Tools) != 1 || len(theirs.messages) != 4 {
		t.Errorf("%+v", theirs.opts)
	}
	call, ok := theirs.messages[2].Parts[0].(llms.ToolCall)
	if !ok || call.FunctionCall.Arguments != "{}" || theirs.messages[3].Role != llms.ChatMessageTypeTool {
		t.Errorf("%+v", theirs.messages)
	}
}

func TestFailures(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want error
	}{
		{llms.NewError(llms.ErrCodeRateLimit, "p", "slow down"), llm.ErrOverloaded},
		{llms.NewError(llms.ErrCodeTokenLimit, "p", "too long"), llm.ErrContextOverflow},
		{llms.NewError(llms.ErrCodeAuthentication, "p", "key"), llm.ErrRequest},
		{errors.New("connection refused"), llm.ErrTransport},
	} {
		m, err := langchain.New("x/y", &fixed{err: tt.err}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Generate(t.Context(), &llm.Request{}); !errors.Is(err, tt.want) {
			t.Errorf("%v became %v, want %v", tt.err, err, tt.want)
		}
	}
	m, err := langchain.New("x/y", &fixed{reply: &llms.ContentResponse{}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Generate(t.Context(), &llm.Request{}); !errors.Is(err, llm.ErrEmptyReply) {
		t.Errorf("%v", err)
	}
	small, err := langchain.New("x/y", &fixed{}, &langchain.Options{NumCtx: 10})
	if err != nil {
		t.Fatal(err)
	}
	long := &llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: strings.Repeat("word ", 400)}}}
	if _, err := small.Generate(t.Context(), long); !errors.Is(err, llm.ErrContextOverflow) {
		t.Errorf("%v", err)
	}
}

// langchain:openai/NAME asks an OpenAI-compatible server: temperature 0 and the tools arrive there.
func TestOpenAI(t *testing.T) {
	var body string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		body = string(data)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"choices":[{"index":0,"message":{"role":"assistant","content":"","tool_calls":[{"id":"q","type":"function",
			"function":{"name":"mean","arguments":"{\"layer\":\"sst\"}"}}]},"finish_reason":"tool_calls"}],
			"usage":{"prompt_tokens":20,"completion_tokens":5,"total_tokens":25}}`)
	}))
	defer s.Close()
	m, err := langchain.Open("openai/local", langchain.Server{BaseURL: s.URL}, nil)
	if err != nil {
		t.Fatal(err)
	}
	zero := 0.0
	resp, err := m.Generate(t.Context(), &llm.Request{
		Messages: []llm.Message{{Role: llm.RoleUser, Content: "Mean?"}}, Temperature: &zero, Tools: []llm.ToolSpec{{Name: "mean"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(resp.Message.ToolCalls) != 1 || resp.Message.ToolCalls[0].Name != "mean" || *resp.Usage.Total != 25 {
		t.Errorf("%+v", resp)
	}
	for _, want := range []string{`"temperature":0`, `"model":"local"`, `"name":"mean"`} {
		if !strings.Contains(body, want) {
			t.Errorf("the server was not sent %s: %s", want, body)
		}
	}
}

func TestProviders(t *testing.T) {
	for name, want := range map[string]string{
		"ollama/qwen": "use ollama:qwen", "bedrock/x": "anthropic, openai", "openai": "PROVIDER/NAME", "openai/": "PROVIDER/NAME",
	} {
		if _, err := langchain.Open(name, langchain.Server{}, nil); !errors.Is(err, llm.ErrRequest) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	for _, p := range langchain.Providers() {
		if _, err := langchain.Open(p+"/x", langchain.Server{}, nil); err != nil {
			t.Errorf("%s: %v", p, err)
		}
	}
}

// Our model seen from langchaingo: text goes in and out, the reply is cut at a stop word, parts that are no text are
// refused, and what our model's error is stays readable.
func TestOutward(t *testing.T) {
	ours := scripted.New("s", &scripted.Script{Replies: []scripted.Reply{{Content: "Action: a\nObservation: made up"}, {Error: "overloaded"}}})
	m := langchain.Outward(ours, 50)
	text, err := llms.GenerateFromSinglePrompt(t.Context(), m, "go", llms.WithStopWords([]string{"\nObservation:"}))
	if err != nil || text != "Action: a" {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := llms.GenerateFromSinglePrompt(t.Context(), m, "go"); !errors.Is(err, llm.ErrOverloaded) {
		t.Errorf("%v", err)
	}
	image := []llms.MessageContent{{Role: llms.ChatMessageTypeHuman, Parts: []llms.ContentPart{llms.ImageURLContent{URL: "x"}}}}
	if _, err := m.GenerateContent(t.Context(), image); err == nil {
		t.Error("an image was taken")
	}
	if _, err := m.GenerateContent(t.Context(), nil, llms.WithTools([]llms.Tool{{}})); err == nil {
		t.Error("tools were taken")
	}
}
