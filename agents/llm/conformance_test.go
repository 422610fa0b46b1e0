package llm_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"almanac/agents/llm"
	"almanac/agents/llm/exchange"
	"almanac/agents/llm/llmtest"
	"almanac/agents/llm/ollama"
	"almanac/agents/llm/openai"
	"almanac/agents/llm/replay"
	"almanac/agents/llm/scripted"
)

var quick = &exchange.Options{FirstWait: time.Microsecond, MaxWait: time.Microsecond}

func wrapped(t *testing.T, m llm.Model) llm.Model {
	t.Helper()
	w, err := exchange.New(m, quick)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestConformanceOllama(t *testing.T) {
	for _, noStream := range []bool{false, true} {
		t.Run(fmt.Sprintf("noStream=%v", noStream), func(t *testing.T) {
			llmtest.Run(t, func(t *testing.T, turns ...llmtest.Turn) (llm.Model, *llmtest.Server) {
				s := llmtest.NewOllama(t, []string{"fake"}, flatErrors(turns)...)
				m, err := ollama.New("fake", &ollama.Options{Host: s.URL, NoStream: noStream})
				if err != nil {
					t.Fatal(err)
				}
				return wrapped(t, m), s
			})
		})
	}
}

// flatErrors puts the turns' error bodies into Ollama's form.
func flatErrors(turns []llmtest.Turn) []llmtest.Turn {
	out := append([]llmtest.Turn(nil), turns...)
	for i := range out {
		if _, message, ok := strings.Cut(out[i].Body, `{"message":`); ok {
			out[i].Body = `{"error":` + strings.TrimSuffix(message, "}")
		}
	}
	return out
}

func TestConformanceOpenAI(t *testing.T) {
	for _, noStream := range []bool{false, true} {
		t.Run(fmt.Sprintf("noStream=%v", noStream), func(t *testing.T) {
			llmtest.Run(t, func(t *testing.T, turns ...llmtest.Turn) (llm.Model, *llmtest.Server) {
				s := llmtest.NewOpenAI(t, []string{"fake"}, turns...)
				m, err := openai.New("fake", &openai.Options{BaseURL: s.URL, NoStream: noStream})
				if err != nil {
					t.Fatal(err)
				}
				return wrapped(t, m), s
			})
		})
	}
}

// scriptOf is the turns as a script.
func scriptOf(turns []llmtest.Turn) *scripted.Script {
	s := &scripted.Script{}
	for _, turn := range turns {
		r := scripted.Reply{Content: turn.Content, Thinking: turn.Thinking, Finish: turn.Finish, Logprobs: turn.Logprobs}
		prompt, output := turn.Prompt, turn.Output
		if prompt == 0 {
			prompt = 11
		}
		if output == 0 {
			output = 7
		}
		if turn.Status == 0 {
			u := llm.Spent(prompt, output)
			r.Usage = &u
		} else {
			r.Error = fmt.Sprint(turn.Status)
			if strings.Contains(turn.Body, "context") {
				r.Error = "context_overflow"
			}
		}
		if turn.Hang {
			r.Delay = time.Hour
		}
		for _, c := range turn.Calls {
			r.Calls = append(r.Calls, scripted.Call{ID: c.ID, Name: c.Name, Arguments: json.RawMessage(c.Arguments)})
		}
		s.Replies = append(s.Replies, r)
	}
	return s
}

func TestConformanceScripted(t *testing.T) {
	llmtest.Run(t, func(t *testing.T, turns ...llmtest.Turn) (llm.Model, *llmtest.Server) {
		return wrapped(t, scripted.New("scripted:suite", scriptOf(turns))), nil
	})
}

func TestConformanceRecord(t *testing.T) {
	llmtest.Run(t, func(t *testing.T, turns ...llmtest.Turn) (llm.Model, *llmtest.Server) {
		m, err := replay.Record(t.Context(), t.TempDir(), "scripted:a", scripted.New("scripted:suite", scriptOf(turns)))
		if err != nil {
			t.Fatal(err)
		}
		return wrapped(t, m), nil
	})
}

// A recording answers like the model that was recorded.
func TestConformanceReplay(t *testing.T) {
	dir := t.TempDir()
	recorder, err := replay.Record(t.Context(), dir, "scripted:a", scripted.New("scripted:suite", &scripted.Script{Replies: []scripted.Reply{
		{Content: `{"name":"mean_of","arguments":{"layer":"sst"}}`}, {Error: "empty_reply"}, {Content: "12.4"},
	}}))
	if err != nil {
		t.Fatal(err)
	}
	req := &llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: "mean of sst?"}}, Tools: meanOf}
	live := []string{outcome(wrapped(t, recorder), t.Context(), req)}
	other := &llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: "and in words?"}}}
	live = append(live, outcome(wrapped(t, recorder), t.Context(), other))

	player, err := replay.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	played := []string{outcome(wrapped(t, player), t.Context(), req), outcome(wrapped(t, player), t.Context(), other)}
	for i := range live {
		if live[i] != played[i] {
			t.Errorf("live:   %s\nreplay: %s", live[i], played[i])
		}
	}
	info, err := player.Describe(t.Context())
	if err != nil || info.Name != "scripted:suite" {
		t.Errorf("describe = %+v, %v", info, err)
	}
}

var meanOf = []llm.ToolSpec{{Name: "mean_of", Schema: json.RawMessage(`{"type":"object","properties":{"layer":{"type":"string"}},"required":["layer"]}`)}}

func outcome(m llm.Model, ctx context.Context, req *llm.Request) string {
	resp, err := m.Generate(ctx, req)
	if err != nil {
		return "error " + err.Error()
	}
	data, err := json.Marshal([]any{resp.Message, resp.Finish, resp.Usage, resp.Repairs})
	if err != nil {
		return err.Error()
	}
	return string(data)
}
