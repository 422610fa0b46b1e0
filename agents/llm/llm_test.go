package llm_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"testing"

	"almanac/agents/llm"
)

func TestUsageAdd(t *testing.T) {
	think := int64(3)
	with := llm.Spent(10, 5)
	with.Thinking = &think
	sum := with.Add(llm.Spent(1, 2))
	if *sum.Prompt != 11 || *sum.Completion != 7 || sum.Tokens() != 18 || *sum.Thinking != 3 {
		t.Errorf("sum = %+v", sum)
	}
	if *with.Prompt != 10 {
		t.Error("a term was changed")
	}
	if u := with.Add(llm.Usage{Estimated: true}); u.Known() || u.Prompt != nil || !u.Estimated {
		t.Errorf("with an unknown = %+v", u)
	}
}

func TestHash(t *testing.T) {
	base := func() *llm.Request {
		return &llm.Request{Messages: []llm.Message{{Role: "user", Content: "Tromsø <b>", ToolCalls: []llm.ToolCall{{ID: "a", Name: "n", Arguments: json.RawMessage(`{"b":1,"a":"\u00f8"}`)}}}}}
	}
	hash := func(r *llm.Request) string {
		h, err := r.Hash()
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	want := hash(base())
	zero, seed := 0.0, int64(1)
	for name, change := range map[string]func(*llm.Request){
		"role":           func(r *llm.Request) { r.Role = "ocean" },
		"meta":           func(r *llm.Request) { r.Meta.Task = "t1" },
		"thoughts":       func(r *llm.Request) { r.Messages[0].Thinking = "hm" },
		"how a call was": func(r *llm.Request) { r.Messages[0].ToolCalls[0].Obtained = "repaired" },
		"key order":      func(r *llm.Request) { r.Messages[0].ToolCalls[0].Arguments = json.RawMessage(`{ "a": "ø", "b": 1 }`) },
	} {
		r := base()
		change(r)
		if hash(r) != want {
			t.Errorf("%s changes the hash", name)
		}
	}
	for name, change := range map[string]func(*llm.Request){
		"content":     func(r *llm.Request) { r.Messages[0].Content += "." },
		"temperature": func(r *llm.Request) { r.Temperature = &zero },
		"seed":        func(r *llm.Request) { r.Seed = &seed },
		"tools":       func(r *llm.Request) { r.Tools = []llm.ToolSpec{{Name: "x"}} },
		"tool choice": func(r *llm.Request) { r.ToolChoice = "required" },
		"schema":      func(r *llm.Request) { r.Schema = json.RawMessage(`{}`) },
		"max tokens":  func(r *llm.Request) { r.MaxTokens = 1 },
		"logprobs":    func(r *llm.Request) { r.Logprobs = 1 },
		"an argument": func(r *llm.Request) { r.Messages[0].ToolCalls[0].Arguments = json.RawMessage(`{"a":"ø","b":1.0}`) },
		"a tool's id": func(r *llm.Request) { r.Messages[0].ToolCallID = "x" },
		"an image": func(r *llm.Request) {
			r.Messages[0].Images = []llm.Image{{Type: "image/png", Data: []byte("x")}}
		},
		"message role": func(r *llm.Request) { r.Messages[0].Role = "system" },
	} {
		r := base()
		change(r)
		if hash(r) == want {
			t.Errorf("%s does not change the hash", name)
		}
	}
	if _, err := (&llm.Request{Schema: json.RawMessage(`{`)}).Hash(); err == nil {
		t.Error("a broken schema has a hash")
	}
}

func TestErrors(t *testing.T) {
	e := &llm.Error{Kind: llm.KindBadReply, Reason: llm.ReasonTruncated, Op: "ollama: chat", Model: "m", Message: "cut", Err: io.ErrUnexpectedEOF}
	var err error = fmt.Errorf("squad: asking: %w", e)
	if !errors.Is(err, llm.ErrBadReply) || !errors.Is(err, llm.ErrTruncated) || errors.Is(err, llm.ErrServer) || errors.Is(err, llm.ErrRunaway) || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("errors.Is is wrong for %v", err)
	}
	if got := e.Error(); got != "ollama: chat: m: bad reply (truncated): cut: unexpected EOF" {
		t.Errorf("text = %s", got)
	}
	for kind, transient := range map[llm.Kind]bool{llm.KindOverloaded: true, llm.KindTransport: true, llm.KindServer: true,
		llm.KindContext: false, llm.KindBadReply: false, llm.KindModelMissing: false, llm.KindRequest: false, llm.KindScript: false} {
		if (&llm.Error{Kind: kind}).Transient() != transient || (&llm.Error{Kind: kind, Permanent: true}).Transient() {
			t.Errorf("%s: transient is wrong", kind)
		}
	}
	if llm.UsageOf(nil, io.EOF).Known() || llm.AsError(io.EOF) != nil {
		t.Error("a foreign error has an account")
	}
}

func TestEstimatesBracketRealCounts(t *testing.T) {
	// Counts of the qwen2.5-coder tokenizer: prompt_eval_count of a raw generate
	// request with nothing but the text.
	for _, tt := range []struct {
		text string
		real int
	}{
		{"Say hello in one word.", 6},
		{"The quick brown fox jumps over the lazy dog.", 10},
		{`{"type":"object","properties":{"layer":{"type":"string"},"years":{"type":"array","items":{"type":"integer"}}}}`, 26},
		{"Durchschnittliche Niederschlagsmenge im Einzugsgebiet", 18},
		{"过去三十年的平均海面温度是多少？", 9},
		{"x = data.open(dataset=\"sst\", region=\"North Sea\")\n    y = mean_of(x)\n", 20},
	} {
		if least := llm.LeastTokens(tt.text); least > tt.real {
			t.Errorf("%q: at least %d, and it has %d", tt.text, least, tt.real)
		}
		if guess := llm.EstimateTokens(tt.text); guess > 2*tt.real || guess*2 < tt.real {
			t.Errorf("%q: about %d, and it has %d", tt.text, guess, tt.real)
		}
	}
}

func TestCanonicalJSON(t *testing.T) {
	got, err := llm.CanonicalJSON([]byte(`{"b": 9007199254740993, "a": "\u00f8<", "c": [1.0, 1e5]}`))
	if err != nil || string(got) != `{"a":"ø<","b":9007199254740993,"c":[1.0,1e5]}` {
		t.Errorf("%s, %v", got, err)
	}
	for _, bad := range []string{``, `{`, `1 2`} {
		if got, err := llm.CanonicalJSON([]byte(bad)); err == nil {
			t.Errorf("%q gives %s", bad, got)
		}
	}
}
