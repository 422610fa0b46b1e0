package orchestrator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"almanac/agents"
	"almanac/agents/llm"
	"almanac/orchestrator/episode"
	"almanac/orchestrator/event"
	"almanac/toolkits"
)

const (
	boardResult   = 800  // bytes shown of one result to those who did not make it
	boardAll      = 6000 // bytes shown of all results; the oldest give way
	concludeTurns = 4    // replies that may be needed for an answer
	decideLimit   = 600  // tokens of a plan or a decision
	maxPlanned    = 12   // steps that a plan may have
)

// board is the work of an episode that several roles share. Each role has a conversation and tools of its own; results
// and their handles belong to all.
type board struct {
	*loop
	team *Team
}

func newBoard(team *Team, ep *episode.Episode) *board {
	return &board{newLoop(ep, "", nil), team}
}

// seat begins a conversation of a role with these tools. What was found before stays.
func (l *loop) seat(role string, tools []llm.ToolSpec, messages ...llm.Message) {
	l.role, l.ends, l.returns, l.purpose = role, false, false, ""
	l.messages = append([]llm.Message(nil), messages...)
	l.stalled, l.last, l.said, l.wanted = 0, "", "", ""
	l.reasked, l.reminded, l.stuck, l.warned, l.repeated = false, false, false, false, false
	l.failed, l.found = nil, len(l.handles)
	l.offer(tools)
}

func system(text string) llm.Message { return llm.Message{Role: llm.RoleSystem, Content: text} }
func user(text string) llm.Message   { return llm.Message{Role: llm.RoleUser, Content: text} }
func reply(text string) llm.Message  { return llm.Message{Role: llm.RoleAssistant, Content: text} }

// resultLines shows what every call so far gave, for a role that did not make them. Where it is too much the oldest give
// way, and the text says how many.
func (b *board) resultLines(ctx context.Context) string {
	records := b.ep.Records()
	var kept []string
	size := 0
	for i := len(records) - 1; i >= 0; i-- {
		line := b.recordLine(ctx, records[i])
		if size += len(line); size > boardAll {
			kept = append(kept, fmt.Sprintf("… the results of %d earlier calls are not shown\n", i+1))
			break
		}
		kept = append(kept, line)
	}
	if len(kept) == 0 {
		return "Results so far: none\n"
	}
	var out strings.Builder
	out.WriteString("Results so far:\n")
	for i := len(kept) - 1; i >= 0; i-- {
		out.WriteString(kept[i])
	}
	return out.String()
}

func (b *board) recordLine(ctx context.Context, r episode.Record) string {
	text := r.Call.Statement + "\n"
	switch {
	case r.Output != nil:
		text += show(ctx, b.ep, r.Call.ID, r.Output)
	case r.Result != nil:
		text += "error: " + r.Result.Message
	}
	return capped(strings.TrimRight(text, "\n"), boardResult) + "\n"
}

// lastFailed reports whether the last call of the episode failed.
func (b *board) lastFailed() bool {
	records := b.ep.Records()
	return len(records) > 0 && records[len(records)-1].Output == nil
}

// conclude lets a role end the episode: answer and decline are all that it can call.
func (b *board) conclude(ctx context.Context, role string, turns int, messages ...llm.Message) error {
	b.seat(role, endings(b.ep.Request.Contract), messages...)
	b.ends, b.purpose = true, "answer"
	for range turns {
		if done, err := b.turn(ctx); err != nil || done {
			return err
		}
	}
	return b.giveUp("no answer could be read, the last: " + b.last)
}

// decide asks a role for one JSON object. object is nil for a reply that is none; text is what was written.
func (b *board) decide(ctx context.Context, role, purpose string, schema json.RawMessage, messages ...llm.Message) (object map[string]any, text string, err error) {
	resp, err := b.ep.Ask(ctx, role, purpose, &llm.Request{Messages: messages, Schema: schema, MaxTokens: decideLimit})
	if errors.Is(err, llm.ErrBadReply) {
		if le := llm.AsError(err); le != nil && le.Reply != nil {
			text = le.Reply.Message.Content
		}
		return objectIn(text), text, nil
	}
	if err != nil {
		return nil, "", err
	}
	return objectIn(resp.Message.Content), resp.Message.Content, nil
}

// insist is decide with one more try: read says what is wrong with a reply, "" for nothing. It returns that of the last
// reply.
func (b *board) insist(ctx context.Context, role, purpose string, schema json.RawMessage, read func(object map[string]any, text string) string, messages ...llm.Message) (string, error) {
	problem := ""
	for try := range 2 {
		object, text, err := b.decide(ctx, role, purpose, schema, messages...)
		if err != nil {
			return "", err
		}
		if problem = read(object, text); problem == "" {
			break
		}
		if try == 0 {
			messages = append(append([]llm.Message(nil), messages...), reply(capped(text, 400)), user(problem))
		}
	}
	return problem, nil
}

// ranked are the tools that fit a text best out of those that keep accepts, and those of always; the choice is logged.
func (b *board) ranked(ctx context.Context, text string, k int, keep func(string) bool, always ...string) (*toolkits.Registry, error) {
	allowed := allowedIn(b.ep)
	hits, err := b.team.Index.Query(ctx, text, k, func(t string) bool { return allowed(t) && keep(t) })
	if err != nil {
		return nil, err
	}
	body := &event.ToolSelection{Query: text, Index: b.team.Index.Name()}
	for _, h := range hits {
		body.Chosen = append(body.Chosen, h.Tool)
		body.Scores = append(body.Scores, event.ToolScore{Tool: h.Tool, Score: h.Score, Entry: h.Entry})
	}
	for _, name := range always {
		if allowed(name) && keep(name) && !contains(body.Chosen, name) {
			body.Chosen = append(body.Chosen, name)
		}
	}
	if len(body.Chosen) == 0 { // the index knows none of them
		body.Index = "all tools"
		for _, name := range b.ep.Tools.Names() {
			if keep(name) {
				body.Chosen = append(body.Chosen, name)
			}
		}
	}
	if _, err := b.ep.Emit("engine", 0, event.TypeToolSelection, body); err != nil {
		return nil, err
	}
	return b.ep.Tools.Select(body.Chosen)
}

func anyTool(string) bool { return true }

// toolNamed finds a tool by its name in a plan, in either spelling.
func (b *board) toolNamed(name string) (string, bool) {
	bare := strings.ToLower(strings.Trim(strings.TrimSpace(name), "`'\"[]() "))
	for _, n := range b.ep.Tools.Names() {
		if bare == n || bare == wireName(n) {
			return n, true
		}
	}
	return "", false
}

// toolLines lists every tool with its purpose.
func toolLines(r *toolkits.Registry) string {
	var out strings.Builder
	for _, t := range r.Tools() {
		out.WriteString(wireName(t.Name) + ": " + t.Purpose + "\n")
	}
	return out.String()
}

// wireNames are the names of every tool as a model writes them.
func (b *board) wireNames() []string {
	var out []string
	for _, n := range b.ep.Tools.Names() {
		out = append(out, wireName(n))
	}
	return out
}

// teamLines lists the agents that have a tool here, and their names.
func (b *board) teamLines() (text string, names []string) {
	for _, a := range b.team.Agents {
		if len(b.own(a)) > 0 {
			text += a.Name + ": " + a.Purpose + "\n"
			names = append(names, a.Name)
		}
	}
	return text, names
}

// own are the tools that an agent may call in this task.
func (b *board) own(a agents.Agent) []string { return ownTools(b.ep.Tools, a) }

func ownTools(r *toolkits.Registry, a agents.Agent) []string {
	var names []string
	for _, n := range r.Names() {
		if a.Has(n) {
			names = append(names, n)
		}
	}
	return names
}

// revised logs that a plan was changed.
func (b *board) revised(role string, from int, reason string, steps []string) error {
	_, err := b.ep.Emit(role, 0, event.TypeRevision, &event.Revision{From: from, To: from + 1, Reason: reason, Statements: steps})
	return err
}

var listMark = regexp.MustCompile(`^\s*(?:\d+[.):]|[-*•])\s+`)

// listed are the lines of a text that are written as a list, without their marks.
func listed(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		if m := listMark.FindString(line); m != "" {
			out = append(out, strings.TrimSpace(line[len(m):]))
		}
	}
	return out
}

// textOf is the first of these keys that holds a text.
func textOf(object map[string]any, names ...string) string {
	for _, n := range names {
		if s, ok := object[n].(string); ok && strings.TrimSpace(s) != "" {
			return strings.TrimSpace(s)
		}
	}
	return ""
}

// declined is the reason for which a decision declines, "" for one that does not.
func declined(object map[string]any) string { return textOf(object, "decline") }
