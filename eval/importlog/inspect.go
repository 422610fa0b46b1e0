package importlog

import (
	"fmt"
	"strings"

	"almanac/eval/internal/pyjson"
)

// ReadInspect reads a JSON log of inspect_ai (format version 2): a record for each sample and epoch. A sample that the log
// marks as invalid is kept, with the reason.
func ReadInspect(path string) ([]Record, error) {
	r, err := load(path)
	if err != nil {
		return nil, err
	}
	return inspect(path, r)
}

func inspect(path string, r *pyjson.Reader) ([]Record, error) {
	v, err := r.Value()
	if err == nil {
		err = r.End()
	}
	if err != nil {
		return nil, wrong(path, err)
	}
	top := pyjson.Node{Value: v}
	if top.Get("eval").Missing() {
		return nil, wrong(path, top.Wants("an inspect_ai log: an object with version, status, eval and samples"))
	}
	if version := top.Get("version"); version.Value != pyjson.Literal("2") {
		return nil, wrong(path, version.Wants("version 2 of inspect_ai's log"))
	}
	samples := top.Get("samples")
	if samples.Missing() {
		return nil, wrong(path, samples.Wants("a list; the log was written without its samples (log_samples=false), or holds the header alone"))
	}
	list, err := samples.Entries()
	if err != nil {
		return nil, wrong(path, err)
	}
	model, _ := top.At("eval", "model").Text()
	out := make([]Record, 0, len(list))
	for _, n := range list {
		rec, err := sample(n)
		if err != nil {
			return nil, wrong(path, err)
		}
		rec.Model = model
		rec.Place = fmt.Sprintf("%s, sample %s", path, rec.Task)
		out = append(out, rec)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("importlog: %s: %w: it holds no sample", path, ErrFormat)
	}
	return out, nil
}

func sample(n pyjson.Node) (Record, error) {
	rec := Record{}
	var err error
	if rec.Task, err = id(n.Get("id")); err != nil {
		return rec, err
	}
	epoch, err := count(n.Get("epoch"))
	switch {
	case err != nil:
		return rec, err
	case epoch == nil:
	case *epoch == 0:
		return rec, n.Get("epoch").Wants("an epoch from 1")
	default:
		rec.Repeat = int(*epoch) - 1
	}
	attached := func(s string) string { return s }
	if a, ok := n.Get("attachments").Value.(map[string]any); ok {
		attached = func(s string) string {
			if whole, ok := a[strings.TrimPrefix(s, "attachment://")].(string); ok && strings.HasPrefix(s, "attachment://") {
				return whole
			}
			return s
		}
	}
	if !n.Get("messages").Missing() {
		entries, err := n.Get("messages").Entries()
		if err != nil {
			return rec, err
		}
		for _, e := range entries {
			m, err := inspectMessage(e, attached)
			if err != nil {
				return rec, err
			}
			rec.Messages = append(rec.Messages, m)
		}
	}
	rec.Question = asked(rec.Messages)
	if q, ok := n.Get("input").Text(); ok {
		rec.Question = attached(q)
	}
	return rec, rec.ended(n)
}

// ended reads usage, times and how the sample ended.
func (rec *Record) ended(n pyjson.Node) error {
	if usage := n.Get("model_usage"); !usage.Missing() {
		err := usage.Members(func(_ string, u pyjson.Node) error {
			one, err := inspectUsage(u)
			if err != nil || one == nil {
				return err
			}
			rec.Usage = rec.Usage.plus(one)
			return nil
		})
		if err != nil {
			return err
		}
	}
	for _, name := range []string{"working_time", "total_time"} {
		if l, ok := n.Get(name).Value.(pyjson.Literal); ok && l.Float() >= 0 && l.Float() < 1e12 {
			rec.Seconds = l.Float()
			break
		}
	}
	if e := n.Get("error"); !e.Missing() {
		if rec.Error, _ = e.Get("message").Text(); rec.Error == "" {
			rec.Error = "the sample has an error"
		}
	}
	rec.Limit, _ = n.At("limit", "type").Text()
	if invalid := n.Get("invalidation"); !invalid.Missing() {
		if rec.Invalid, _ = invalid.Get("reason").Text(); rec.Invalid == "" {
			rec.Invalid = "the log marks it as invalid"
		}
	}
	return nil
}

func inspectMessage(n pyjson.Node, attached func(string) string) (Message, error) {
	m, err := message(n, attached)
	if err != nil {
		return m, err
	}
	if m.Role == "tool" {
		if m.Reply, err = id(n.Get("tool_call_id")); err != nil {
			return m, err
		}
		m.Tool, _ = n.Get("function").Text()
		if e := n.First("error", "tool_error"); !e.Missing() {
			if m.Failure, _ = e.Text(); m.Failure == "" {
				m.Failure, _ = e.Get("message").Text()
			}
			if m.Failure == "" {
				m.Failure = "error"
			}
		}
	}
	if m.Role != "assistant" || n.Get("tool_calls").Missing() {
		return m, nil
	}
	list, err := n.Get("tool_calls").Entries()
	if err != nil {
		return m, err
	}
	for _, e := range list {
		c := Call{}
		if c.ID, err = id(e.Get("id")); err != nil {
			return m, err
		}
		var ok bool
		if c.Name, ok = e.Get("function").Text(); !ok || c.Name == "" {
			return m, e.Get("function").Wants("the tool's name")
		}
		if problem, _ := e.Get("parse_error").Text(); problem == "" {
			if c.Arguments, ok = e.Get("arguments").Value.(map[string]any); !ok {
				return m, e.Get("arguments").Wants("an object")
			}
		}
		m.Calls = append(m.Calls, c)
	}
	return m, nil
}

// inspectUsage counts what was read from a cache, or written to one, as read.
func inspectUsage(n pyjson.Node) (*Usage, error) {
	u, err := counts(n, n.Get("input_tokens"), n.Get("output_tokens"), n.Get("reasoning_tokens"), n.Get("total_tokens"))
	if err != nil || u == nil || u.Prompt == nil {
		return u, err
	}
	for _, name := range []string{"input_tokens_cache_read", "input_tokens_cache_write"} {
		cached, err := count(n.Get(name))
		if err != nil {
			return nil, err
		}
		if cached != nil {
			sum := *u.Prompt + *cached
			u.Prompt = &sum
		}
	}
	return u, nil
}

// plus adds counts; what one of them does not know is unknown.
func (u *Usage) plus(v *Usage) *Usage {
	if u == nil {
		return v
	}
	sum := func(a, b *int64) *int64 {
		if a == nil || b == nil {
			return nil
		}
		s := *a + *b
		return &s
	}
	return &Usage{sum(u.Prompt, v.Prompt), sum(u.Completion, v.Completion), sum(u.Thinking, v.Thinking), sum(u.Total, v.Total)}
}
