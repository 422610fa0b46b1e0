package scripted_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"almanac/agents/llm"
	"almanac/agents/llm/scripted"
)

const script = `
replies:
  - plain text
  - content: Looking.
    tool_calls:
      - {name: data.open, arguments: {dataset: sst, id: 9007199254740993, on: true, from: 2001-01-01, none: null, list: [1, 2.50]}}
      - {name: raw, arguments: '{"cut'}
      - name: now
    usage: {prompt: 120, completion: 9}
    delay: 50ms
  - logprobs: {B: -2.4, A: -0.1}
  - error: overloaded
  - error: 413
by_setup:
  single: [from single]
  squad:
    replies: [from squad]
    by_task: {t1: [from squad on t1]}
by_task:
  t1: [from t1]
`

func parse(t testing.TB, text string) *scripted.Script {
	s, err := scripted.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var ask = &llm.Request{Role: "supervisor", Messages: []llm.Message{{Role: llm.RoleUser, Content: "How warm is it?"}}}

func TestReplies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := scripted.New("scripted:x", parse(t, script))
		resp, err := m.Generate(t.Context(), ask)
		if err != nil || resp.Message.Content != "plain text" || !resp.Usage.Estimated || !resp.Usage.Known() {
			t.Fatalf("%+v, %v", resp, err)
		}
		start := time.Now()
		resp, err = m.Generate(t.Context(), ask)
		if err != nil || time.Since(start) != 50*time.Millisecond || resp.Usage.Tokens() != 129 || resp.Usage.Estimated || resp.Finish != llm.FinishTools {
			t.Fatalf("%+v, %v", resp, err)
		}
		var args []string
		for _, c := range resp.Message.ToolCalls {
			args = append(args, c.Name+" "+string(c.Arguments))
		}
		want := `data.open {"dataset":"sst","from":"2001-01-01","id":9007199254740993,"list":[1,2.50],"none":null,"on":true}|raw "{\"cut"|now {}`
		if got := strings.Join(args, "|"); got != want {
			t.Errorf("calls\n%s\nwant\n%s", got, want)
		}
		resp, err = m.Generate(t.Context(), ask)
		if err != nil || len(resp.Logprobs) != 2 || resp.Logprobs[0] != (llm.TokenProb{Token: "A", Logprob: -0.1}) {
			t.Errorf("%+v, %v", resp, err)
		}
		if _, err = m.Generate(t.Context(), ask); !errors.Is(err, llm.ErrOverloaded) || llm.UsageOf(nil, err).Tokens() != 0 {
			t.Errorf("err = %v", err)
		}
		if _, err = m.Generate(t.Context(), ask); !errors.Is(err, llm.ErrContextOverflow) || !strings.Contains(err.Error(), "line 13") {
			t.Errorf("err = %v", err)
		}
		_, err = m.Generate(t.Context(), ask)
		if !errors.Is(err, llm.ErrScriptEnd) || !strings.Contains(err.Error(), "How warm is it?") || !strings.Contains(err.Error(), "supervisor") || !strings.Contains(err.Error(), "5 replies") {
			t.Errorf("past the end: %v", err)
		}
	})
}

func TestSessions(t *testing.T) {
	m := scripted.New("scripted:x", parse(t, script))
	for _, tt := range []struct{ setup, task, want string }{
		{"single", "t1", "from single"}, {"squad", "t1", "from squad on t1"}, {"squad", "t2", "from squad"},
		{"magentic", "t1", "from t1"}, {"magentic", "t2", "plain text"}, {"", "", "plain text"},
	} {
		for range 2 { // each episode starts at the first
			resp, err := llm.Session(m, tt.setup, tt.task).Generate(t.Context(), ask)
			if err != nil || resp.Message.Content != tt.want {
				t.Errorf("%s on %s: %+v, %v, want %s", tt.setup, tt.task, resp, err, tt.want)
			}
		}
	}
}

func TestParseErrorsNameTheLine(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"- ok\n- contents: x\n", `line 2, column 3: unknown key "contents"; there are: content, tool_calls`},
		{"by_setups:\n  a: []\n", `line 1, column 1: unknown key "by_setups"`},
		{"- error: tired\n", `line 1, column 10: "tired" is none of: bad_reply`},
		{"- error: 200\n", `line 1, column 10: "200" is none of`},
		{"- logprobs: {A: 0.9}\n", `line 1, column 17: expected the natural logarithm of a probability`},
		{"- logprobs: {A: .nan}\n", `line 1, column 17: expected the natural logarithm`},
		{"- usage: {prompt: -1}\n", `line 1, column 19: expected a number of tokens`},
		{"- usage: {prompts: 1}\n", `line 1, column 11: unknown key "prompts"`},
		{"- delay: soon\n", `line 1, column 10: expected a duration`},
		{"- tool_calls:\n  - arguments: {}\n", `line 2, column 5: a call needs a name`},
		{"- tool_calls: {}\n", `line 1, column 15: expected a list of calls`},
		{"- finish: never\n", `line 1, column 11: "never" is none of: stop, length, tool_calls`},
		{"- [a]\n", `line 1, column 3: expected a reply`},
		{"replies: x\n", `line 1, column 10: expected a list of replies`},
		{"just text\n", `line 1, column 1: expected a list of replies, or a mapping`},
		{"- content: a\n  content: b\n", "content"},
		{"- 'x\n", "parsing YAML"},
		{"- tool_calls: [{name: a, arguments: &b [*b, *b]}]\n", "an alias may stand for a whole reply only"},
		{"by_setup: &a {x: *a}\n", "an alias may stand for a whole reply only"},
		{"", ""},
	} {
		_, err := scripted.Parse([]byte(tt.text))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %s", tt.text, err, tt.want)
		}
	}
}

func TestOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.yaml")
	if err := os.WriteFile(path, []byte("- one\n- two: 2\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := scripted.Open(path); err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("err = %v", err)
	}
	if _, err := scripted.Open(path + ".none"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("err = %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(script))
	f.Add([]byte("- &a {content: x}\n- *a\n"))
	f.Add([]byte("- tool_calls: [{name: a, arguments: &b [*b]}]\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := scripted.Parse(data)
		if (s == nil) == (err == nil) && err == nil {
			t.Fatal("neither a script nor an error")
		}
	})
}

func ExampleParse() {
	script, err := scripted.Parse([]byte(`
- It is warm.
- tool_calls: [{name: data.open, arguments: {dataset: sst}}]
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	m := scripted.New("scripted:example", script)
	for range 3 {
		resp, err := m.Generate(context.Background(), &llm.Request{Role: "single", Messages: []llm.Message{{Role: llm.RoleUser, Content: "And now?"}}})
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(resp.Message.Content, len(resp.Message.ToolCalls), resp.Finish)
	}
	// Output:
	// It is warm. 0 stop
	//  1 tool_calls
	// scripted: scripted:example: script (script end): the script has 2 replies and this is request 3, by "single": "And now?"; add a reply
}
