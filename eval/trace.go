package eval

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"almanac/eval/metric"
	"almanac/orchestrator/event"
)

// Trace is an episode's events, sorted by what they are.
type Trace struct {
	Schedules []*event.Schedule
	Calls     []*event.ToolCall // in the order of the log
	Results   map[string]*event.ToolResult
	Requests  []*event.ModelRequest
	Replies   []*event.ModelReply
	Selected  []*event.ToolSelection
	Searches  []*event.Search
	Checks    []*event.Check
	Revisions []*event.Revision
	Budgets   []*event.Budget
	Errors    []*event.Error
	Answer    *event.Answer // nil if there is none
	Steps     []*event.Step
	Hits      []*event.MemoryHit
	// Spans says of each call, by its id, who asked for it and when it was made.
	Spans map[string]Span
}

// Span is when a call was made, and at whose request: the author of the schedule that it stands in, or of the reply. A
// call without a result has no end.
type Span struct {
	From         string
	Began, Ended time.Time
}

// NewTrace sorts the events of one attempt.
func NewTrace(events []event.Event) *Trace {
	t := &Trace{Results: map[string]*event.ToolResult{}, Spans: map[string]Span{}}
	authors, agents := map[int]string{}, map[int64]string{}
	for _, e := range events {
		agents[e.Seq] = e.Agent
		switch b := e.Body.(type) {
		case *event.Schedule:
			t.Schedules = append(t.Schedules, b)
			authors[b.Version] = e.Agent
		case *event.ToolCall:
			t.Calls = append(t.Calls, b)
			t.Spans[b.ID] = Span{From: cmp.Or(authors[b.Schedule], agents[e.Parent]), Began: e.Time}
		case *event.ToolResult:
			t.Results[b.Call] = b
			span := t.Spans[b.Call]
			span.Ended = e.Time
			t.Spans[b.Call] = span
		case *event.ModelRequest:
			t.Requests = append(t.Requests, b)
		case *event.ModelReply:
			t.Replies = append(t.Replies, b)
		case *event.ToolSelection:
			t.Selected = append(t.Selected, b)
		case *event.Step:
			t.Steps = append(t.Steps, b)
		case *event.MemoryHit:
			t.Hits = append(t.Hits, b)
		case *event.Search:
			t.Searches = append(t.Searches, b)
		case *event.Check:
			t.Checks = append(t.Checks, b)
		case *event.Revision:
			t.Revisions = append(t.Revisions, b)
		case *event.Budget:
			t.Budgets = append(t.Budgets, b)
		case *event.Error:
			t.Errors = append(t.Errors, b)
		case *event.Answer:
			t.Answer = b
		}
	}
	return t
}

// textOrder sorts calls by their place in the text: by schedule version, line and item; calls of a loop stay in the
// order of the log. texts gives the text of each version. Calls of steps that run side by side come into the log in
// any order: those that stand on no line of their own are sorted by id, so that equal runs give equal orders.
func textOrder(calls []*event.ToolCall, texts map[int]string) []*event.ToolCall {
	lines := map[int][]string{}
	for version, text := range texts {
		lines[version] = strings.Split(text, "\n")
	}
	line := func(c *event.ToolCall) int {
		for i, l := range lines[c.Schedule] {
			name, _, assigned := strings.Cut(l, "=")
			if strings.TrimSpace(l) == c.Statement || c.Step != "" && assigned && strings.TrimSpace(name) == c.Step {
				return i
			}
		}
		return len(lines[c.Schedule])
	}
	out := slices.Clone(calls)
	slices.SortStableFunc(out, func(a, b *event.ToolCall) int {
		if a.Schedule != b.Schedule || a.Schedule == 0 {
			return cmp.Compare(a.Schedule, b.Schedule)
		}
		return cmp.Or(cmp.Compare(line(a), line(b)), cmp.Compare(a.Item, b.Item), cmp.Compare(len(a.ID), len(b.ID)),
			cmp.Compare(a.ID, b.ID))
	})
	return out
}

// metricCalls puts the calls of a trace into the form that metrics compare.
func (t *Trace) metricCalls() []metric.Call {
	texts := map[int]string{}
	calls := slices.Clone(t.Calls)
	refused := map[string]bool{}
	for _, s := range t.Schedules {
		texts[s.Version] = s.Text
		for i, c := range s.Calls {
			id := fmt.Sprintf("refused %d.%d", s.Version, i)
			refused[id] = true
			calls = append(calls, &event.ToolCall{
				ID: id, Tool: c.Tool, Group: c.Group, Step: c.Step, Item: -1, Schedule: s.Version, Statement: c.Statement, Raw: c.Raw,
				Check: c.Check, Resolver: c.Resolver,
			})
		}
	}
	var out []metric.Call
	for _, c := range textOrder(calls, texts) {
		m := metricCall(c, t.Results[c.ID])
		m.Refused = refused[c.ID]
		out = append(out, m)
	}
	return out
}

// submitted lists the versions of the schedule in the order in which they were handed in.
func (t *Trace) submitted() []metric.Submitted {
	var out []metric.Submitted
	for _, s := range t.Schedules {
		out = append(out, metric.Submitted{Valid: s.Valid, Repaired: s.Repaired})
	}
	return out
}

func metricCall(c *event.ToolCall, r *event.ToolResult) metric.Call {
	m := metric.Call{
		ID: c.ID, Tool: c.Tool, Group: c.Group, Schedule: c.Schedule, Statement: c.Statement, Item: c.Item, Key: c.Key, Raw: c.Raw,
		Valid: c.Valid, Success: r != nil && r.OK, Check: c.Check, Resolver: c.Resolver,
	}
	if !c.Valid && len(c.Arguments) == 0 {
		m.Arguments = rawArguments(c.Raw)
	}
	if r != nil {
		for _, o := range r.Outputs {
			if o.Value == nil && o.Artifact != "" {
				m.Contents = append(m.Contents, o.Artifact)
			}
		}
	}
	for _, a := range c.Arguments {
		arg := metric.Argument{
			Name: a.Name, Rule: a.Rule, Value: a.Value, Unit: a.Unit, Tolerance: a.Tolerance, Default: a.Default, Hash: string(a.Hash),
		}
		for _, in := range a.Inputs {
			arg.Origins = append(arg.Origins, metric.Origin{Call: in.Call, Output: in.Output, Hash: string(in.Hash), Member: in.Member})
		}
		m.Arguments = append(m.Arguments, arg)
	}
	return m
}

// rawArguments reads the arguments of a call that could not be bound: they are there, and compare as plain values.
func rawArguments(raw string) []metric.Argument {
	var plain map[string]any
	if json.Unmarshal([]byte(raw), &plain) != nil {
		return nil
	}
	var out []metric.Argument
	for _, name := range slices.Sorted(maps.Keys(plain)) {
		a := metric.Argument{Name: name, Value: plain[name]}
		if a.Value == nil {
			a.Rule = metric.RuleNull
		}
		out = append(out, a)
	}
	return out
}

// metricGold puts an executed gold schedule into the form that metrics compare.
func (x Executed) metricGold() metric.Gold {
	calls := make([]*event.ToolCall, len(x.Calls))
	results := map[string]*event.ToolResult{}
	for i := range x.Calls {
		calls[i] = &x.Calls[i].Call
		results[calls[i].ID] = &x.Calls[i].Result
	}
	var g metric.Gold
	for _, c := range textOrder(calls, map[int]string{0: x.Text, 1: x.Text}) {
		g.Calls = append(g.Calls, metricCall(c, results[c.ID]))
	}
	g.Answered = answered(&x.Answer)
	return g
}

// answered lists the outputs that answer fields are bound to.
func answered(a *event.Answer) []metric.Origin {
	if a == nil {
		return nil
	}
	var out []metric.Origin
	for _, f := range a.Fields {
		if f.Call != "" {
			out = append(out, metric.Origin{Call: f.Call, Output: f.Output, Hash: f.Artifact})
		}
	}
	return out
}
