package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"almanac/agents/llm"
	"almanac/agents/llm/exchange"
	"almanac/agents/llm/llmtest"
	"almanac/agents/llm/ollama"
	"almanac/agents/llm/openai"
)

// server is a fake of either kind and a model on it, without retries and
// re-asks unless opts say otherwise.
type server struct {
	*llmtest.Server
	model llm.Model
}

var never = &exchange.Options{Retries: -1, Reasks: -1}

func onOllama(t *testing.T, ex *exchange.Options, opts ollama.Options, turns ...llmtest.Turn) server {
	t.Helper()
	s := llmtest.NewOllama(t, []string{"fake"}, turns...)
	opts.Host = s.URL
	inner, err := ollama.New("fake", &opts)
	if err != nil {
		t.Fatal(err)
	}
	m, err := exchange.New(inner, ex)
	if err != nil {
		t.Fatal(err)
	}
	return server{s, m}
}

func onOpenAI(t *testing.T, ex *exchange.Options, opts openai.Options, turns ...llmtest.Turn) server {
	t.Helper()
	s := llmtest.NewOpenAI(t, []string{"fake"}, turns...)
	opts.BaseURL = s.URL
	inner, err := openai.New("fake", &opts)
	if err != nil {
		t.Fatal(err)
	}
	m, err := exchange.New(inner, ex)
	if err != nil {
		t.Fatal(err)
	}
	return server{s, m}
}

// onBoth runs a test on both protocols.
func onBoth(t *testing.T, ex *exchange.Options, turns []llmtest.Turn, f func(t *testing.T, s server)) {
	t.Run("ollama", func(t *testing.T) { f(t, onOllama(t, ex, ollama.Options{}, turns...)) })
	t.Run("openai", func(t *testing.T) { f(t, onOpenAI(t, ex, openai.Options{}, turns...)) })
}

func sstCalls(t *testing.T, s server) string {
	t.Helper()
	resp, err := s.model.Generate(t.Context(), ask(fieldTools...))
	if err != nil {
		return "error: " + err.Error()
	}
	return callLines(resp.Message.ToolCalls)
}

// The server's own failure to read its model's output is the model's fault.
func TestFieldA15ServerCannotReadItsModel(t *testing.T) {
	for _, body := range []string{
		`{"error":"error parsing tool call: raw='{\"layer\":\"sst\"}]', err=invalid character ']' after top-level value"}`,
		`{"error":"error parsing tool call: raw='{\"layer\":', err=unexpected end of JSON input"}`,
	} {
		s := onOllama(t, nil, ollama.Options{}, llmtest.Turn{Status: 500, Body: body},
			llmtest.Turn{Calls: []llmtest.Call{{Name: "mean_of", Arguments: `{"layer":"sst"}`}}})
		resp, err := s.model.Generate(t.Context(), ask(fieldTools...))
		if err != nil || callLines(resp.Message.ToolCalls) != sst || resp.Attempts[0].Kind != llm.KindBadReply || len(s.Bodies()) != 2 {
			t.Errorf("%+v, %v", resp, err)
		}
		again := onOllama(t, nil, ollama.Options{}, llmtest.Turn{Status: 500, Body: body}, llmtest.Turn{Status: 500, Body: body}, llmtest.Turn{Content: "never"})
		if _, err := again.model.Generate(t.Context(), ask(fieldTools...)); !errors.Is(err, llm.ErrBadReply) || len(again.Bodies()) != 2 {
			t.Errorf("again: %v after %d requests", err, len(again.Bodies()))
		}
	}
	crashed := onOllama(t, never, ollama.Options{}, llmtest.Turn{Status: 500, Body: `{"error":"llama runner process has terminated: signal: killed"}`})
	if _, err := crashed.model.Generate(t.Context(), ask()); !errors.Is(err, llm.ErrServer) || errors.Is(err, llm.ErrBadReply) {
		t.Errorf("a crash: %v", err)
	}
}

func TestFieldA17EmptyReply(t *testing.T) {
	onBoth(t, nil, []llmtest.Turn{{Output: 29, Prompt: 100}, {Content: "12.4", Prompt: 110, Output: 3}}, func(t *testing.T, s server) {
		resp, err := s.model.Generate(t.Context(), ask())
		if err != nil {
			t.Fatal(err)
		}
		first := resp.Attempts[0]
		if first.Reason != llm.ReasonEmpty || *first.Usage.Completion != 29 || resp.Usage.Tokens() != 100+29+110+3 {
			t.Errorf("attempts = %+v, usage %d", resp.Attempts, resp.Usage.Tokens())
		}
		if len(s.Bodies()) != 2 || resp.Message.Content != "12.4" {
			t.Errorf("%d requests, %+v", len(s.Bodies()), resp.Message)
		}
	})
	onBoth(t, never, []llmtest.Turn{{Thinking: "I wonder", Content: " \n", Output: 29}}, func(t *testing.T, s server) {
		if resp, err := s.model.Generate(t.Context(), ask(fieldTools...)); !errors.Is(err, llm.ErrEmptyReply) {
			t.Errorf("thoughts and blanks: %+v, %v", resp, err)
		}
	})
}

func TestFieldA17ThinkingIsOff(t *testing.T) {
	s := onOllama(t, never, ollama.Options{}, llmtest.Turn{Content: "x"})
	if _, err := s.model.Generate(t.Context(), ask()); err != nil {
		t.Fatal(err)
	}
	if s.Bodies()[0]["think"] != false {
		t.Errorf("think = %v, want false", s.Bodies()[0]["think"])
	}
}

func delta(call string) string {
	return `data: {"choices":[{"index":0,"delta":{"tool_calls":[` + call + `]}}]}` + "\n"
}

const toolsEnd = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}` + "\n\ndata: [DONE]\n"

func TestFieldA21StreamIndexAllZero(t *testing.T) {
	both := "mean_of {\"layer\":\"sst\"}\nmean_of {\"layer\":\"ice\"}"
	for name, lines := range map[string][]string{
		"as reported": {
			delta(`{"index":0,"id":"a","type":"function","function":{"name":"mean_of","arguments":"{\"layer\":\"sst\"}"}}`),
			delta(`{"index":0,"id":"b","type":"function","function":{"name":"mean_of","arguments":"{\"layer\":\"ice\"}"}}`)},
		"in pieces, ids once": {
			delta(`{"index":0,"id":"a","function":{"name":"mean_of","arguments":""}}`), delta(`{"index":0,"function":{"arguments":"{\"layer\":"}}`),
			delta(`{"index":0,"function":{"arguments":"\"sst\"}"}}`),
			delta(`{"index":0,"id":"b","function":{"name":"mean_of","arguments":"{\"layer\":"}}`), delta(`{"index":0,"function":{"arguments":"\"ice\"}"}}`)},
		"no ids": {
			delta(`{"index":0,"function":{"name":"mean_of","arguments":"{\"layer\":\"sst\"}"}}`),
			delta(`{"index":0,"function":{"name":"mean_of","arguments":"{\"layer\":\"ice\"}"}}`)},
		"no index": {
			delta(`{"id":"a","function":{"name":"mean_of","arguments":"{\"layer\":"}}`), delta(`{"function":{"arguments":"\"sst\"}"}}`),
			delta(`{"id":"b","function":{"name":"mean_of","arguments":"{\"layer\":\"ice\"}"}}`)},
		"honest indices, interleaved": {
			delta(`{"index":0,"id":"a","function":{"name":"mean_of","arguments":"{\"layer\":"}}`), delta(`{"index":1,"id":"b","function":{"name":"mean_of","arguments":"{\"layer\":"}}`),
			delta(`{"index":0,"function":{"arguments":"\"sst\"}"}}`), delta(`{"index":1,"function":{"arguments":"\"ice\"}"}}`)},
		"one id repeated in every piece": {
			delta(`{"index":0,"id":"a","function":{"name":"mean_of","arguments":"{\"layer\":"}}`), delta(`{"index":0,"id":"a","function":{"name":"mean_of","arguments":"\"sst\"}"}}`),
			delta(`{"index":1,"id":"b","function":{"name":"mean_of","arguments":"{\"layer\":\"ice\"}"}}`)},
	} {
		t.Run(name, func(t *testing.T) {
			s := onOpenAI(t, never, openai.Options{}, llmtest.Turn{Lines: append(lines, toolsEnd)})
			if got := sstCalls(t, s); got != both {
				t.Errorf("calls:\n%s", got)
			}
		})
	}
}

func TestFieldA23StreamEqualsNonStream(t *testing.T) {
	turns := []llmtest.Turn{
		{Content: `{"name":"mean_of","arguments":{"layer":"sst"}}`},
		{Calls: []llmtest.Call{{ID: "a", Name: "mean_of", Arguments: `{"layer":"sst"}`}}},
		{Content: "Checking.\n<tool_call>{\"name\":\"mean_of\",\"arguments\":{\"layer\":\"sst\"}}</tool_call>"},
		{Content: "It is 12 °C in Tromsø."},
	}
	trace := func(m llm.Model) []string {
		var got []string
		for range turns {
			got = append(got, outcome(m, t.Context(), ask(fieldTools...)))
		}
		return got
	}
	stream := trace(onOllama(t, never, ollama.Options{}, turns...).model)
	whole := trace(onOllama(t, never, ollama.Options{NoStream: true}, turns...).model)
	if diff := cmp.Diff(whole, stream); diff != "" {
		t.Errorf("ollama (-whole +stream):\n%s", diff)
	}
	if !strings.Contains(stream[0], `"name":"mean_of","arguments":{"layer":"sst"}`) {
		t.Errorf("no call in %s", stream[0])
	}
	openStream := trace(onOpenAI(t, never, openai.Options{}, turns...).model)
	openWhole := trace(onOpenAI(t, never, openai.Options{NoStream: true}, turns...).model)
	if diff := cmp.Diff(openWhole, openStream); diff != "" {
		t.Errorf("openai (-whole +stream):\n%s", diff)
	}
}

// words is a prompt of n words of which each is about one and a half tokens.
func words(n int) *llm.Request {
	return &llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: strings.Repeat("seasons ", n)}}}
}

func TestFieldA24PromptOverTheWindow(t *testing.T) {
	s := onOllama(t, nil, ollama.Options{NumCtx: 4096}, llmtest.Turn{Content: "never asked for"})
	_, err := s.model.Generate(t.Context(), words(4000)) // 32,000 characters: some 7,900 tokens as reported
	if !errors.Is(err, llm.ErrContextOverflow) || !strings.Contains(err.Error(), "4096") || !strings.Contains(err.Error(), "5333") || len(s.Bodies()) != 0 {
		t.Errorf("err = %v, %d requests", err, len(s.Bodies())) // 32,000 characters / 6
	}
	onBoth(t, nil, []llmtest.Turn{{Content: "a wrong answer", Prompt: 2050, Output: 9}}, func(t *testing.T, s server) {
		_, err := s.model.Generate(t.Context(), words(2900)) // at least 3,866 tokens: fits, and was cut
		e := llm.AsError(err)
		if !errors.Is(err, llm.ErrContextOverflow) || e.Reason != llm.ReasonPromptCut || e.Usage.Tokens() != 2059 ||
			!strings.Contains(err.Error(), "2050") || !strings.Contains(err.Error(), "3866") {
			t.Errorf("err = %v", err)
		}
	})
	onBoth(t, nil, []llmtest.Turn{{Content: "an answer", Prompt: 3900, Output: 9}}, func(t *testing.T, s server) {
		if _, err := s.model.Generate(t.Context(), words(2900)); err != nil {
			t.Errorf("a prompt that was read whole: %v", err)
		}
	})
	if _, err := onOllama(t, nil, ollama.Options{}, llmtest.Turn{Status: 400, Body: `{"error":"the input length exceeds the context length"}`}).model.Generate(t.Context(), ask()); !errors.Is(err, llm.ErrContextOverflow) {
		t.Errorf("the server's refusal: %v", err)
	}
}

func TestFieldA24NothingIsCutInSilence(t *testing.T) {
	s := onOllama(t, never, ollama.Options{}, llmtest.Turn{Content: "x"})
	if _, err := s.model.Generate(t.Context(), ask()); err != nil {
		t.Fatal(err)
	}
	if b := s.Bodies()[0]; b["truncate"] != false || b["shift"] != false {
		t.Errorf("truncate %v, shift %v", b["truncate"], b["shift"])
	}
}

func TestFieldA28KeywordsLeftOutOnTheWire(t *testing.T) {
	schema := json.RawMessage(`{"type":"object","properties":{"month":{"type":["string","null"],"pattern":"^\\d{4}-\\d{2}$","format":"date"}},"required":["month"]}`)
	onBoth(t, never, []llmtest.Turn{{Content: `{"month":"2024-05"}`}}, func(t *testing.T, s server) {
		req := ask()
		req.Schema = schema
		if _, err := s.model.Generate(t.Context(), req); err != nil {
			t.Fatal(err)
		}
		sent, err := json.Marshal(s.Bodies()[0])
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(sent), "pattern") || strings.Contains(string(sent), `"format":"date"`) || !strings.Contains(string(sent), `"month":{"type":"string"}`) {
			t.Errorf("sent %s", sent)
		}
	})
}

func chunk(content string) string {
	data, err := json.Marshal(map[string]any{"model": "fake", "message": map[string]any{"role": "assistant", "content": content}, "done": false})
	if err != nil {
		panic(err)
	}
	return string(data)
}

func TestFieldA30RunawayWhitespace(t *testing.T) {
	lines := []string{chunk("{")}
	for range 5000 {
		lines = append(lines, chunk("\n"))
	}
	for _, limit := range []int{0, 10_000} { // the guard, whatever the token limit
		s := onOllama(t, never, ollama.Options{MaxTokens: limit}, llmtest.Turn{Lines: lines})
		req := ask()
		req.Schema = json.RawMessage(`{"type":"object"}`)
		resp, err := s.model.Generate(t.Context(), req)
		e := llm.AsError(err)
		if !errors.Is(err, llm.ErrRunaway) || !strings.Contains(err.Error(), "runaway output") {
			t.Fatalf("%+v, %v", resp, err)
		}
		if n := *e.Usage.Completion; n != 402 || !e.Usage.Estimated || !strings.Contains(err.Error(), "402 tokens") {
			t.Errorf("%d tokens counted, %v", n, err) // the brace, the 400 blanks that are allowed, and one more
		}
	}
	onBoth(t, never, []llmtest.Turn{{Content: "```\n" + strings.Repeat(" ", 300) + "indented\n```"}}, func(t *testing.T, s server) {
		if _, err := s.model.Generate(t.Context(), ask()); err != nil {
			t.Errorf("deep indentation: %v", err)
		}
	})
}

func TestFieldA31RunawayRepetition(t *testing.T) {
	for _, piece := range []string{"the mean is ", "0, ", "a", "The sea is warm in May and the sea is warm in June, I think.\n"} {
		onBoth(t, never, []llmtest.Turn{{Endless: piece}}, func(t *testing.T, s server) {
			req := ask()
			req.MaxTokens = 100_000
			_, err := s.model.Generate(t.Context(), req)
			e := llm.AsError(err)
			if !errors.Is(err, llm.ErrRunaway) || e.Usage.Completion == nil || *e.Usage.Completion == 0 {
				t.Fatalf("%q: %v", piece, err)
			}
			select {
			case <-s.Left():
			case <-time.After(5 * time.Second):
				t.Errorf("%q: the server still generates", piece)
			}
		})
	}
	s := onOllama(t, never, ollama.Options{MaxTokens: 10}, llmtest.Turn{Endless: "x1y2"})
	if _, err := s.model.Generate(t.Context(), ask()); !errors.Is(err, llm.ErrRunaway) || !strings.Contains(err.Error(), "token limit") {
		t.Errorf("a server that ignores the limit: %v", err)
	}
	var table strings.Builder
	for i := range 60 {
		fmt.Fprintf(&table, "| %d | 0 | 0 | 0 |\n", i)
	}
	onBoth(t, never, []llmtest.Turn{{Content: table.String() + strings.Repeat("-", 120)}}, func(t *testing.T, s server) {
		if _, err := s.model.Generate(t.Context(), ask()); err != nil {
			t.Errorf("a table: %v", err)
		}
	})
}

func TestFieldA34ColdLoad(t *testing.T) {
	loaded := make(chan struct{}) // never closed: the first request finds the model loading
	quickRetry := &exchange.Options{FirstWait: time.Microsecond, MaxWait: time.Microsecond}
	turns := []llmtest.Turn{{Release: loaded}, {Content: "12.4", Prompt: 20, Output: 4}}
	for name, s := range map[string]server{
		"ollama": onOllama(t, quickRetry, ollama.Options{FirstByte: 30 * time.Millisecond, Idle: 5 * time.Second}, turns...),
		"openai": onOpenAI(t, quickRetry, openai.Options{FirstByte: 30 * time.Millisecond, Idle: 5 * time.Second}, turns...),
	} {
		resp, err := s.model.Generate(t.Context(), ask())
		if err != nil {
			t.Fatal(name, err)
		}
		first := resp.Attempts[0]
		if len(resp.Attempts) != 2 || first.Reason != llm.ReasonFirstByte || !strings.Contains(first.Error, "loading the model") || resp.Usage.Tokens() != 24 {
			t.Errorf("%s: attempts %+v, %d tokens", name, resp.Attempts, resp.Usage.Tokens())
		}
	}
}

func TestFieldA34IdleIsNotFirstByte(t *testing.T) {
	s := onOllama(t, never, ollama.Options{FirstByte: time.Hour, Idle: 30 * time.Millisecond}, llmtest.Turn{Lines: []string{chunk("The mean"), chunk(" is")}, Stall: true})
	_, err := s.model.Generate(t.Context(), ask())
	e := llm.AsError(err)
	if e == nil || e.Reason != llm.ReasonIdle || *e.Usage.Completion != 2 || !e.Usage.Estimated {
		t.Errorf("err = %v", err)
	}
}

func TestFieldA35SameWindowForAll(t *testing.T) {
	turn := llmtest.Turn{Content: "x", Prompt: 4000}
	s := onOllama(t, never, ollama.Options{NumCtx: 8192}, turn, turn, turn)
	for _, n := range []int{700, 2000, 1400} {
		if _, err := s.model.Generate(t.Context(), words(n)); err != nil {
			t.Fatal(err)
		}
	}
	for i, b := range s.Bodies() {
		options := b["options"].(map[string]any)
		if fmt.Sprint(options["num_ctx"]) != "8192" || b["keep_alive"] != "30m0s" {
			t.Errorf("request %d: num_ctx %v, keep_alive %v", i, options["num_ctx"], b["keep_alive"])
		}
	}
}

func TestFieldA39SplitUTF8(t *testing.T) {
	split := func(format string) []string {
		whole := fmt.Sprintf(format, "Troms\xc3") + "\n" + fmt.Sprintf(format, "\xb8")
		return strings.Split(whole, "\n")
	}
	lines := append(split(`{"model":"fake","message":{"role":"assistant","content":"%s"},"done":false}`), `{"model":"fake","done":true,"done_reason":"stop","message":{"role":"assistant","content":""}}`)
	s := onOllama(t, never, ollama.Options{}, llmtest.Turn{Lines: lines})
	if resp, err := s.model.Generate(t.Context(), ask()); err != nil || resp.Message.Content != "Tromsø" {
		t.Errorf("ollama: %+v, %v", resp, err)
	}
	events := []string{
		delta(`{"index":0,"id":"a","function":{"name":"find","arguments":"{\"query\":\"Troms` + "\xc3" + `"}}`),
		delta(`{"index":0,"function":{"arguments":"` + "\xb8" + `\"}"}}`), toolsEnd,
	}
	o := onOpenAI(t, never, openai.Options{}, llmtest.Turn{Lines: events})
	if got := sstCalls(t, o); got != `find {"query":"Tromsø"}` {
		t.Errorf("openai: %s", got)
	}
	lone := []string{`{"message":{"role":"assistant","tool_calls":[{"function":{"name":"find","arguments":{"query":"Ume` + "\xe5" + `"}}}]},"done":true,"done_reason":"stop"}`}
	l := onOllama(t, never, ollama.Options{}, llmtest.Turn{Lines: lone})
	if got := sstCalls(t, l); !strings.Contains(got, "a character that was lost (U+FFFD) at /query") {
		t.Errorf("a byte that never becomes a letter: %s", got)
	}
}

func TestFieldA40TemperatureZero(t *testing.T) {
	zero, warm, seed := 0.0, 0.7, int64(42)
	onBoth(t, never, []llmtest.Turn{{Content: "x"}, {Content: "x"}, {Content: "x"}}, func(t *testing.T, s server) {
		for _, temperature := range []*float64{&zero, &warm, nil} {
			req := ask()
			req.Temperature, req.Seed = temperature, &seed
			if temperature == nil {
				req.Seed = nil
			}
			if _, err := s.model.Generate(t.Context(), req); err != nil {
				t.Fatal(err)
			}
		}
		var got []string
		for _, b := range s.Bodies() {
			from := b
			if options, ok := b["options"].(map[string]any); ok {
				from = options
			}
			got = append(got, fmt.Sprint(from["temperature"], " ", from["seed"]))
		}
		if diff := cmp.Diff([]string{"0 42", "0.7 42", "<nil> <nil>"}, got); diff != "" {
			t.Errorf("temperature and seed (-want +got):\n%s", diff)
		}
	})
}

func TestFieldA42ArgumentsObjectOrString(t *testing.T) {
	schema := tool("f", `{"type":"object","properties":{"a":{"type":"integer"}}}`)
	call := func(s server) string {
		resp, err := s.model.Generate(t.Context(), ask(schema))
		if err != nil {
			return err.Error()
		}
		return callLines(resp.Message.ToolCalls)
	}
	for _, args := range []string{`{"a":1}`, `"{\"a\":1}"`} {
		event := delta(`{"index":0,"id":"x","function":{"name":"f","arguments":` + args + `}}`)
		whole := `{"choices":[{"index":0,"finish_reason":"tool_calls","message":{"role":"assistant","content":null,"tool_calls":[{"id":"x","type":"function","function":{"name":"f","arguments":` + args + `}}]}}]}`
		line := `{"message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"f","arguments":` + args + `}}]},"done":true,"done_reason":"stop"}`
		for name, s := range map[string]server{
			"openai stream": onOpenAI(t, never, openai.Options{}, llmtest.Turn{Lines: []string{event, toolsEnd}}),
			"openai whole":  onOpenAI(t, never, openai.Options{NoStream: true}, llmtest.Turn{Lines: []string{whole}}),
			"ollama":        onOllama(t, never, ollama.Options{}, llmtest.Turn{Lines: []string{line}}),
		} {
			if got := call(s); got != `f {"a":1}` {
				t.Errorf("%s, %s: %s", name, args, got)
			}
		}
	}
}

// The traps of the client library, appendix numbers 13 to 18, and D19.
func TestFieldAOpenAITraps(t *testing.T) {
	s := onOpenAI(t, never, openai.Options{}, llmtest.Turn{Content: "x", NoUsage: true})
	req := ask()
	req.Messages = append(req.Messages,
		llm.Message{Role: llm.RoleAssistant, ToolCalls: []llm.ToolCall{{ID: "a", Name: "gis.area", Arguments: json.RawMessage(`{"id":9007199254740993}`)}}},
		llm.Message{Role: llm.RoleTool, ToolCallID: "a", Content: ""})
	req.Tools = fieldTools
	resp, err := s.model.Generate(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if resp.Usage.Known() || resp.Usage.Prompt != nil {
		t.Errorf("usage = %+v, want unknown", resp.Usage)
	}
	body := s.Bodies()[0]
	for i, msg := range body["messages"].([]any) {
		if _, ok := msg.(map[string]any)["content"].(string); !ok {
			t.Errorf("message %d has no content: %v", i, msg)
		}
	}
	if options, ok := body["stream_options"].(map[string]any); !ok || options["include_usage"] != true {
		t.Errorf("stream_options = %v", body["stream_options"])
	}
	sent, err := json.Marshal(body)
	if err != nil || !strings.Contains(string(sent), `gis_area`) || strings.Contains(string(sent), `"name":"gis.area"`) || !strings.Contains(string(sent), `9007199254740993`) {
		t.Errorf("sent %s", sent)
	}
	for _, name := range []string{"o1", "o3-mini-local", "gpt-5-at-home"} {
		fake := llmtest.NewOpenAI(t, []string{name}, llmtest.Turn{Content: "x"})
		m, err := openai.New(name, &openai.Options{BaseURL: fake.URL})
		if err != nil {
			t.Fatal(err)
		}
		warm := 0.5
		if _, err := m.Generate(context.Background(), &llm.Request{Messages: ask().Messages, MaxTokens: 5, Temperature: &warm}); err != nil {
			t.Errorf("%s: %v", name, err)
		} else if got := fake.Bodies()[0]; got["model"] != name || fmt.Sprint(got["max_tokens"]) != "5" {
			t.Errorf("%s: sent model %v, max_tokens %v", name, got["model"], got["max_tokens"])
		}
	}
}

func TestFieldD19MissingUsageIsUnknown(t *testing.T) {
	onBoth(t, never, []llmtest.Turn{{Content: "x", NoUsage: true}}, func(t *testing.T, s server) {
		resp, err := s.model.Generate(t.Context(), ask())
		if err != nil || resp.Usage.Known() || resp.Usage.Completion != nil {
			t.Errorf("usage = %+v, %v", resp, err)
		}
	})
	if sum := llm.Spent(3, 4).Add(llm.Usage{}); sum.Known() {
		t.Errorf("a sum with an unknown part is %d", sum.Tokens())
	}
}
