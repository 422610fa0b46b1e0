package importlog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"almanac/agents/llm"
	"almanac/eval"
	"almanac/orchestrator/event"
	"almanac/toolkits"
)

const agent = "agent"

// ErrNoRecord is wrapped where the log has no conversation of a task's repeat, or one that it calls invalid: that is no
// failure of the setup, and counts in no score.
var ErrNoRecord = errors.New("the log has no record that counts")

// Solver plays records back. It is an [eval.Solver] and an [eval.Clock].
type Solver struct {
	Log   *Log
	Tools *toolkits.Registry
	// Env resolves places and keeps zones that are named; nothing else is stored.
	Env *toolkits.Env
	// Put stores a message's bytes and returns their hash.
	Put func([]byte) (string, error)
}

// Solve emits the events of the record of the job's task and repeat.
func (s *Solver) Solve(ctx context.Context, job eval.Job, sink event.Sink) error {
	rec := s.Log.Record(job.Task.Task.ID, job.Repeat)
	if rec == nil {
		return fmt.Errorf("importlog: %s, repeat %d: %w", job.Task.Task.ID, job.Repeat, ErrNoRecord)
	}
	if rec.Invalid != "" {
		return fmt.Errorf("importlog: %s: %w: %s", rec.Place, ErrNoRecord, rec.Invalid)
	}
	p := &player{
		Solver: s, ctx: ctx, sink: sink, rec: rec, open: map[string]string{},
		caller: caller{tools: s.Tools, env: s.Env, ids: map[string]string{}, made: map[string]*toolkits.Tool{}},
	}
	p.last = -1
	for i, m := range rec.Messages {
		if m.Role == "assistant" {
			p.last = i
		}
		p.counted = p.counted || m.Usage != nil
	}
	for i := range rec.Messages {
		if err := p.message(i); err != nil {
			return err
		}
	}
	return p.end(answer(rec, job.Task.Task))
}

// Seconds is how long the recorded conversation took, 0 where the log does not say.
func (s *Solver) Seconds(job eval.Job) float64 {
	if rec := s.Log.Record(job.Task.Task.ID, job.Repeat); rec != nil {
		return rec.Seconds
	}
	return 0
}

// player plays one record.
type player struct {
	*Solver
	ctx  context.Context
	sink event.Sink
	rec  *Record

	caller  caller
	said    []string // hashes of the messages so far
	bytes   int64
	calls   int
	open    map[string]string // ids of the log's calls without a reply, to ours
	order   []string          // of the open calls
	last    int               // the last message of the assistant
	counted bool              // messages have counts of their own
}

func (p *player) emit(parent int64, t event.Type, body any) (int64, error) {
	return p.sink.Emit(event.Event{Type: t, Agent: agent, Parent: parent, Body: body})
}

func (p *player) message(i int) error {
	m := &p.rec.Messages[i]
	asked := int64(0)
	var err error
	if m.Role == "assistant" {
		asked, err = p.emit(0, event.TypeModelRequest, &event.ModelRequest{
			Role: agent, Purpose: "turn", Model: p.rec.Model, Messages: append([]string{}, p.said...), Bytes: p.bytes,
		})
		if err != nil {
			return err
		}
	}
	hash, err := p.say(m)
	if err != nil {
		return err
	}
	switch m.Role {
	case "assistant":
		if err := p.reply(i, asked, hash); err != nil {
			return err
		}
		for _, c := range m.Calls {
			if isNamed(c.Name, answerTools) || isNamed(c.Name, declineTools) {
				continue
			}
			if err := p.call(c); err != nil {
				return err
			}
		}
	case "tool":
		return p.result(m)
	}
	return nil
}

// say stores a message as our own are stored.
func (p *player) say(m *Message) (string, error) {
	out := llm.Message{Role: m.Role, Content: m.Text, ToolCallID: m.Reply, ToolName: m.Tool}
	for _, c := range m.Calls {
		out.ToolCalls = append(out.ToolCalls, llm.ToolCall{ID: c.ID, Name: c.Name, Arguments: json.RawMessage(encoded(c.Arguments)), Obtained: "native"})
	}
	data, err := json.Marshal(out)
	if err != nil {
		return "", fmt.Errorf("importlog: %s: a message: %w", p.rec.Place, err)
	}
	hash, err := p.Put(data)
	p.said, p.bytes = append(p.said, hash), p.bytes+int64(len(data))
	return hash, err
}

// reply writes what the model answered. Counts of the whole conversation stand on its last reply.
func (p *player) reply(i int, asked int64, hash string) error {
	m := &p.rec.Messages[i]
	body := &event.ModelReply{Role: agent, Purpose: "turn", Message: hash, Attempts: 1}
	usage := m.Usage
	if !p.counted && p.rec.Usage != nil {
		usage = &Usage{Prompt: new(int64), Completion: new(int64), Total: new(int64)}
		if i == p.last {
			usage = p.rec.Usage
		}
		body.Notes = []string{"the log counts tokens for the whole conversation: they stand on its last reply"}
	}
	if usage != nil {
		body.Prompt, body.Completion, body.Thinking, body.Total = usage.Prompt, usage.Completion, usage.Thinking, usage.Total
	}
	for _, c := range m.Calls {
		body.Calls = append(body.Calls, event.ReplyCall{Name: c.Name, Arguments: json.RawMessage(encoded(c.Arguments)), Obtained: "native"})
	}
	_, err := p.emit(asked, event.TypeModelReply, body)
	return err
}

func (p *player) call(c Call) error {
	p.calls++
	ours := "c" + strconv.Itoa(p.calls)
	e := p.caller.call(p.ctx, ours, c)
	if err := p.ctx.Err(); err != nil {
		return context.Cause(p.ctx)
	}
	if c.ID != "" {
		p.caller.ids[c.ID] = ours
	}
	p.caller.made[ours] = p.caller.toolOf(c.Name)
	p.open[ours] = c.Name
	p.order = append(p.order, ours)
	_, err := p.emit(0, event.TypeToolCall, e)
	return err
}

// result writes a tool's reply: to the call that it names, else to the first open call of that tool, else to the first.
func (p *player) result(m *Message) error {
	ours := ""
	if m.Reply != "" {
		ours = p.caller.ids[m.Reply]
	} else {
		for _, id := range p.order {
			name, open := p.open[id]
			if open && (m.Tool == "" || m.Tool == name) {
				ours = id
				break
			}
		}
	}
	if _, open := p.open[ours]; !open { // a reply to the answer's own call, or to one that the log does not have
		return nil
	}
	delete(p.open, ours)
	body := &event.ToolResult{Call: ours, OK: m.Failure == ""}
	if m.Failure != "" {
		body.Code, body.Message = "tool_error", m.Failure
	}
	_, err := p.emit(0, event.TypeToolResult, body)
	return err
}

// end writes how the conversation ended, and its answer.
func (p *player) end(a *event.Answer) error {
	if p.rec.Limit != "" {
		if _, err := p.emit(0, event.TypeBudget, &event.Budget{Name: p.rec.Limit}); err != nil {
			return err
		}
	}
	if p.rec.Error != "" {
		if _, err := p.emit(0, event.TypeError, &event.Error{Code: "recorded", Message: p.rec.Error}); err != nil {
			return err
		}
	}
	_, err := p.emit(0, event.TypeAnswer, a)
	return err
}
