// Package scripted is a model whose replies are written down beforehand, for
// tests, demonstrations and bug reports. A script is a YAML list of replies,
// each a string or a mapping:
//
//   - The mean is 12.4.
//   - content: Looking.
//     tool_calls:
//   - {name: data.open, arguments: {dataset: sst}}
//     usage: {prompt: 120, completion: 9}
//     delay: 50ms
//   - logprobs: {A: -0.1, B: -2.4}
//   - error: overloaded
//
// or a mapping of such lists by setup or task, which may be nested:
//
//	replies: [used where nothing below fits]
//	by_setup:
//	  single: [...]
//	  squad: {by_task: {t1: [...]}}
//	by_task:
//	  t2: [...]
//
// Each episode starts at the first reply of its list; see [Model.Session].
// Past the end is an error that names the request. A reply without usage is
// counted by the estimate of package llm, and marked so.
package scripted

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"almanac/agents/llm"
)

// Script is a tree of reply lists. The list of a setup goes before that of a
// task, and either before Replies. A variant of a setup that has no list of
// its own, such as squad-no-ts, takes that of the setup.
type Script struct {
	Replies []Reply
	BySetup map[string]*Script
	ByTask  map[string]*Script
}

// Reply is one scripted reply, or one scripted failure if Error is set.
type Reply struct {
	Content  string
	Thinking string
	Calls    []Call
	Logprobs []llm.TokenProb // likeliest first
	Error    string          // a name of [ErrorCodes] or an HTTP status of 400 and above
	Usage    *llm.Usage      // nil: estimated
	Delay    time.Duration
	Finish   string // "": by what there is
	Line     int    // in the script's file, 0 if made in Go
}

// Call is one scripted tool call. Arguments is any JSON value: a string holds
// what a server would have sent as text.
type Call struct {
	ID        string
	Name      string
	Arguments json.RawMessage
}

// Model replies from a script. It is safe for concurrent use; its replies are
// handed out in the order in which they are asked for.
type Model struct {
	name    string
	script  *Script
	replies []Reply

	mu   sync.Mutex
	next int
}

// New makes a model from a script. name is how it reports itself, such as
// "scripted:demo.yaml". Until [Model.Session] is called it plays the replies
// for no setup and no task.
func New(name string, script *Script) *Model {
	return &Model{name: name, script: script, replies: script.pick("", "")}
}

// Open reads a script from a YAML file. Errors name the line.
func Open(path string) (*Model, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("scripted: reading a script: %w", err)
	}
	script, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("scripted: %s: %w", path, err)
	}
	return New("scripted:"+path, script), nil
}

// Session is a fresh model at the first reply for one episode.
func (m *Model) Session(setup, task string) llm.Model {
	return &Model{name: m.name, script: m.script, replies: m.script.pick(setup, task)}
}

// Describe gives the script's name.
func (m *Model) Describe(context.Context) (llm.ModelInfo, error) {
	return llm.ModelInfo{Name: m.name, Provider: "scripted"}, nil
}

func (s *Script) pick(setup, task string) []Reply {
	for name := setup; name != ""; name = variantOf(name) {
		if sub, ok := s.BySetup[name]; ok {
			return sub.pick("", task)
		}
	}
	if sub, ok := s.ByTask[task]; ok {
		return sub.pick(setup, "")
	}
	return s.Replies
}

// variantOf is the setup of which another is a variant: squad-no of squad-no-ts, and squad of that; "" for none.
func variantOf(name string) string { return name[:max(0, strings.LastIndexAny(name, "+-"))] }

// Generate plays the next reply.
func (m *Model) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	m.mu.Lock()
	n := m.next
	m.next++
	m.mu.Unlock()
	if n >= len(m.replies) {
		return nil, m.fail(llm.KindScript, llm.ReasonScriptEnd, n, llm.Spent(0, 0),
			fmt.Sprintf("the script has %d replies and this is request %d, by %q: %.200q; add a reply",
				len(m.replies), n+1, req.Role, lastMessage(req)))
	}
	r := m.replies[n]
	started := time.Now()
	if r.Delay > 0 {
		timer := time.NewTimer(r.Delay)
		defer timer.Stop()
		select {
		case <-ctx.Done():
		case <-timer.C:
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, &llm.Error{Kind: llm.KindTransport, Reason: llm.ReasonInterrupted, Op: "scripted", Model: m.name,
			Message: "the caller gave up", Usage: llm.Spent(0, 0), Err: err}
	}
	usage := r.usage(req)
	if r.Error != "" {
		c := codeOf(r.Error)
		e := m.fail(c.kind, c.reason, n, usage, "scripted failure "+r.Error)
		e.Status = c.status
		return nil, e
	}
	return r.response(m.name, usage, time.Since(started)), nil
}

func (m *Model) fail(kind llm.Kind, reason string, n int, usage llm.Usage, message string) *llm.Error {
	if n < len(m.replies) && m.replies[n].Line > 0 {
		message = fmt.Sprintf("%s (line %d)", message, m.replies[n].Line)
	}
	return &llm.Error{Kind: kind, Reason: reason, Op: "scripted", Model: m.name, Message: message, Usage: usage}
}

func lastMessage(req *llm.Request) string {
	if len(req.Messages) == 0 {
		return ""
	}
	return req.Messages[len(req.Messages)-1].Content
}

// usage is what the script says; a failure that says nothing cost nothing.
func (r Reply) usage(req *llm.Request) llm.Usage {
	if r.Usage != nil {
		return *r.Usage
	}
	if r.Error != "" {
		return llm.Spent(0, 0)
	}
	written := r.Content + r.Thinking
	for _, c := range r.Calls {
		written += c.Name + string(c.Arguments)
	}
	u := llm.Spent(int64(llm.EstimateTokens(req.Text())), int64(max(1, llm.EstimateTokens(written))))
	u.Estimated = true
	return u
}

func (r Reply) response(name string, usage llm.Usage, took time.Duration) *llm.Response {
	resp := &llm.Response{
		Message:  llm.Message{Role: llm.RoleAssistant, Content: r.Content, Thinking: r.Thinking},
		Finish:   r.Finish,
		Usage:    usage,
		Timings:  llm.Timings{Generate: took, Total: took},
		Logprobs: slices.Clone(r.Logprobs),
		Model:    llm.ModelInfo{Name: name, Provider: "scripted"},
	}
	for i, c := range r.Calls {
		id := c.ID
		if id == "" {
			id = fmt.Sprintf("call_%d", i+1)
		}
		resp.Message.ToolCalls = append(resp.Message.ToolCalls,
			llm.ToolCall{ID: id, Name: c.Name, Arguments: slices.Clone(c.Arguments), Obtained: llm.ObtainedNative})
	}
	if resp.Finish == "" {
		resp.Finish = llm.FinishStop
		if len(r.Calls) > 0 {
			resp.Finish = llm.FinishTools
		}
	}
	return resp
}
