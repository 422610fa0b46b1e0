package llmtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"almanac/agents/llm"
)

// Factory makes a model that answers by the turns, with retries (a wait of
// next to nothing) and repairs on. server is what it talks to; nil for a model
// without one.
type Factory func(t *testing.T, turns ...Turn) (m llm.Model, server *Server)

var (
	zero   = 0.0
	addAll = llm.ToolSpec{
		Name: "calc.add", Description: "Adds two whole numbers.",
		Schema: json.RawMessage(`{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"required":["a","b"],"additionalProperties":false}`),
	}
)

func question() *llm.Request {
	return &llm.Request{
		Messages:    []llm.Message{{Role: llm.RoleSystem, Content: "Be brief."}, {Role: llm.RoleUser, Content: "What is the mean?"}},
		Temperature: &zero, Role: "supervisor",
	}
}

// Run checks the contract of package llm on the models of a factory.
func Run(t *testing.T, factory Factory) {
	t.Run("text", func(t *testing.T) { testText(t, factory) })
	t.Run("calls", func(t *testing.T) { testCalls(t, factory) })
	t.Run("repaired call", func(t *testing.T) { testRepaired(t, factory) })
	t.Run("schema", func(t *testing.T) { testSchema(t, factory) })
	t.Run("empty reply", func(t *testing.T) { testEmpty(t, factory) })
	t.Run("transient failures", func(t *testing.T) { testTransient(t, factory) })
	t.Run("lasting failures", func(t *testing.T) { testLasting(t, factory) })
	t.Run("cancel", func(t *testing.T) { testCancel(t, factory) })
	t.Run("choose", func(t *testing.T) { testChoose(t, factory) })
	t.Run("concurrent", func(t *testing.T) { testConcurrent(t, factory) })
	t.Run("refused requests", func(t *testing.T) { testRefused(t, factory) })
}

func testText(t *testing.T, factory Factory) {
	m, _ := factory(t, Turn{Content: "The mean is 12,4 °C in Tromsø.", Prompt: 31, Output: 9})
	req := question()
	before, err := req.Canonical()
	if err != nil {
		t.Fatal(err)
	}
	resp, err := m.Generate(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if resp.Message.Content != "The mean is 12,4 °C in Tromsø." || resp.Finish != llm.FinishStop || resp.Message.Role != llm.RoleAssistant {
		t.Errorf("reply = %+v", resp.Message)
	}
	wantUsage(t, resp.Usage, 31, 9)
	if len(resp.Attempts) != 1 {
		t.Errorf("%d attempts, want 1", len(resp.Attempts))
	}
	after, err := req.Canonical()
	if err != nil || string(before) != string(after) {
		t.Error("the request was changed")
	}
}

func wantUsage(t *testing.T, u llm.Usage, prompt, completion int64) {
	t.Helper()
	if u.Prompt == nil || *u.Prompt != prompt || u.Completion == nil || *u.Completion != completion {
		t.Errorf("usage = %s, want %d and %d", show(u), prompt, completion)
	}
	if u.Tokens() != prompt+completion {
		t.Errorf("total = %d, want %d", u.Tokens(), prompt+completion)
	}
}

func show(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

func testCalls(t *testing.T, factory Factory) {
	m, _ := factory(t, Turn{Calls: []Call{
		{ID: "one", Name: "calc.add", Arguments: `{"a":9007199254740993,"b":1}`},
		{ID: "two", Name: "calc.add", Arguments: `{"a":2,"b":3}`},
	}})
	req := question()
	req.Tools = []llm.ToolSpec{addAll}
	resp, err := m.Generate(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range resp.Message.ToolCalls {
		got = append(got, fmt.Sprintf("%s %s %s %s %s", c.ID, c.Name, c.Arguments, c.Obtained, c.Problem))
	}
	want := []string{`one calc.add {"a":9007199254740993,"b":1} native `, `two calc.add {"a":2,"b":3} native `}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	if resp.Finish != llm.FinishTools {
		t.Errorf("finish = %q", resp.Finish)
	}
}

func testRepaired(t *testing.T, factory Factory) {
	m, _ := factory(t, Turn{Content: "```json\n{\"name\":\"calc.add\",\"arguments\":{\"a\":\"2\",\"b\":3}}\n```"})
	req := question()
	req.Tools = []llm.ToolSpec{addAll}
	resp, err := m.Generate(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if len(resp.Message.ToolCalls) != 1 || resp.Message.Content != "" {
		t.Fatalf("reply = %s", show(resp.Message))
	}
	c := resp.Message.ToolCalls[0]
	if string(c.Arguments) != `{"a":2,"b":3}` || c.Obtained != llm.ObtainedRepaired || len(c.Repairs) == 0 || c.ID == "" {
		t.Errorf("call = %s", show(c))
	}
}

func testSchema(t *testing.T, factory Factory) {
	m, _ := factory(t, Turn{Content: `{"month":"May"}`}, Turn{Content: `{"month":"2024-05"}`})
	req := question()
	req.Schema = json.RawMessage(`{"type":"object","properties":{"month":{"type":"string","pattern":"^\\d{4}-\\d{2}$"}},"required":["month"]}`)
	resp, err := m.Generate(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if resp.Message.Content != `{"month":"2024-05"}` || len(resp.Attempts) != 2 || resp.Attempts[0].Reason != llm.ReasonSchema {
		t.Errorf("reply = %s, attempts = %s", show(resp.Message), show(resp.Attempts))
	}
}

func testEmpty(t *testing.T, factory Factory) {
	m, _ := factory(t, Turn{Output: 29, Prompt: 10}, Turn{Output: 5, Prompt: 20})
	resp, err := m.Generate(t.Context(), question())
	if !errors.Is(err, llm.ErrEmptyReply) || !errors.Is(err, llm.ErrBadReply) {
		t.Fatalf("err = %v, response = %s", err, show(resp))
	}
	wantUsage(t, llm.UsageOf(resp, err), 30, 34)
}

func testTransient(t *testing.T, factory Factory) {
	m, _ := factory(t, Turn{Status: 503, Body: `{"error":"server busy"}`}, Turn{Status: 500, Body: `{"error":"crashed"}`}, Turn{Content: "Yes."})
	resp, err := m.Generate(t.Context(), question())
	if err != nil {
		t.Fatal(err)
	}
	var kinds []llm.Kind
	for _, a := range resp.Attempts {
		kinds = append(kinds, a.Kind)
	}
	if diff := cmp.Diff([]llm.Kind{llm.KindOverloaded, llm.KindServer, ""}, kinds); diff != "" {
		t.Errorf("attempts (-want +got):\n%s", diff)
	}
	wantUsage(t, resp.Usage, 11, 7)
}

func testLasting(t *testing.T, factory Factory) {
	for _, tt := range []struct {
		turn Turn
		want error
	}{
		{Turn{Status: 404, Body: `{"error":{"message":"model \"fake\" not found"}}`}, llm.ErrModelMissing},
		{Turn{Status: 400, Body: `{"error":{"message":"the input length exceeds the context length"}}`}, llm.ErrContextOverflow},
	} {
		m, _ := factory(t, tt.turn, Turn{Content: "never asked for"})
		_, err := m.Generate(t.Context(), question())
		if !errors.Is(err, tt.want) {
			t.Errorf("err = %v, want %v", err, tt.want)
		}
		if e := llm.AsError(err); e == nil || len(e.Attempts) != 1 {
			t.Errorf("attempts of %v, want one", err)
		}
	}
}

func testCancel(t *testing.T, factory Factory) {
	m, server := factory(t, Turn{Hang: true})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 1)
	go func() {
		_, err := m.Generate(ctx, question())
		done <- err
	}()
	if server != nil {
		<-server.Arrived()
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) || llm.AsError(err) == nil {
		t.Errorf("err = %v, want an *llm.Error around context.Canceled", err)
	}
	if server != nil {
		<-server.Left() // generation has ended there too
	}
}

func testChoose(t *testing.T, factory Factory) {
	turn := Turn{Content: "B", Logprobs: []llm.TokenProb{
		{Token: "B", Logprob: math.Log(0.6)}, {Token: " A", Logprob: math.Log(0.2)}, {Token: "The", Logprob: math.Log(0.2)},
	}, Prompt: 40, Output: 1}
	m, _ := factory(t, turn)
	choice, err := llm.Choose(t.Context(), m, llm.Question{
		Rules: "Pick a tool.", Ask: "Which?", Options: []llm.Option{{Name: "mean"}, {Name: "trend"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if choice.Name != "trend" || choice.Method != llm.MethodLetters || choice.Calls != 1 || math.Abs(choice.Probabilities[1]-0.75) > 1e-9 {
		t.Errorf("choice = %s", show(choice))
	}
	wantUsage(t, choice.Usage, 40, 1)
}

func testConcurrent(t *testing.T, factory Factory) {
	turns := make([]Turn, 8)
	for i := range turns {
		turns[i] = Turn{Content: "Yes."}
	}
	m, _ := factory(t, turns...)
	var wg sync.WaitGroup
	for range turns {
		wg.Go(func() {
			if _, err := m.Generate(t.Context(), question()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func testRefused(t *testing.T, factory Factory) {
	m, _ := factory(t, Turn{Content: "never asked for"})
	req := question()
	req.Tools, req.Schema = []llm.ToolSpec{addAll}, json.RawMessage(`{"type":"object"}`)
	if _, err := m.Generate(t.Context(), req); !errors.Is(err, llm.ErrRequest) {
		t.Errorf("tools with a schema: err = %v, want a refusal", err)
	}
	if _, err := m.Generate(t.Context(), &llm.Request{}); !errors.Is(err, llm.ErrRequest) {
		t.Errorf("no message: err = %v, want a refusal", err)
	}
}
