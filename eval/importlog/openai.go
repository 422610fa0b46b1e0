package importlog

import (
	"fmt"

	"almanac/eval/internal/pyjson"
)

// ReadOpenAI reads chats as OpenAI's interface has them. A file holds records, one after another (JSON Lines) or in a
// list; a record is an object with `messages`, or a logged exchange with `request` and `response`; a file that is one
// list of messages is one record. A record's task is its `task`, `task_id`, `custom_id` or `id`, also in `metadata`; its
// repeat is `repeat`; `usage` counts the whole of it.
func ReadOpenAI(path string) ([]Record, error) {
	r, err := load(path)
	if err != nil {
		return nil, err
	}
	return openAI(path, r)
}

func openAI(path string, r *pyjson.Reader) ([]Record, error) {
	var out []Record
	for r.Kind() != pyjson.None {
		line := r.Line()
		v, err := r.Value()
		if err != nil {
			return nil, wrong(path, err)
		}
		records, err := several(pyjson.Node{Value: v})
		if err != nil {
			return nil, wrong(fmt.Sprintf("%s, record at line %d", path, line), err)
		}
		for i := range records {
			records[i].Place = fmt.Sprintf("%s, record at line %d", path, line)
			if len(records) > 1 {
				records[i].Place += fmt.Sprintf(", number %d", i+1)
			}
		}
		out = append(out, records...)
	}
	if err := r.End(); err != nil {
		return nil, wrong(path, err)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("importlog: %s: %w: it holds no record", path, ErrFormat)
	}
	return out, nil
}

// several reads a record, a list of records or a list of messages.
func several(n pyjson.Node) ([]Record, error) {
	entries, err := n.Entries()
	if err != nil {
		rec, err := openAIRecord(n)
		return []Record{rec}, err
	}
	if len(entries) > 0 && !entries[0].Get("role").Missing() {
		rec := Record{Repeat: -1}
		rec.Messages, err = openAIMessages(entries)
		rec.Question = asked(rec.Messages)
		return []Record{rec}, err
	}
	out := make([]Record, len(entries))
	for i, e := range entries {
		if out[i], err = openAIRecord(e); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func openAIRecord(n pyjson.Node) (Record, error) {
	rec := Record{Repeat: -1}
	if _, ok := n.Value.(map[string]any); !ok {
		return rec, n.Wants("an object with messages")
	}
	request, response := n, n
	if n.Get("messages").Missing() {
		request, response = n.Get("request"), n.Get("response")
	}
	for _, side := range []*pyjson.Node{&request, &response} { // the batch interface has the exchange in body
		if body := side.Get("body"); !body.Missing() {
			*side = body
		}
	}
	entries, err := request.Get("messages").Entries()
	if err != nil {
		return rec, err
	}
	if rec.Messages, err = openAIMessages(entries); err != nil {
		return rec, err
	}
	if choices := response.Get("choices"); !choices.Missing() {
		list, err := choices.Entries()
		if err != nil || len(list) == 0 {
			return rec, choices.Wants("a list with a choice")
		}
		last, err := openAIMessages([]pyjson.Node{list[0].Get("message")})
		if err != nil {
			return rec, err
		}
		rec.Messages = append(rec.Messages, last...)
	}
	rec.Question = asked(rec.Messages)
	return rec, rec.about(n, request, response)
}

// about reads what a record says of itself.
func (rec *Record) about(n, request, response pyjson.Node) error {
	names := []string{"task", "task_id", "custom_id", "id"}
	from := n.First(names...)
	if m := n.Get("metadata").First(names...); n.Get("task").Missing() && n.Get("task_id").Missing() && !m.Missing() {
		from = m
	}
	var err error
	if rec.Task, err = id(from); err != nil {
		return err
	}
	if repeat, err := count(n.Get("repeat")); err != nil {
		return err
	} else if repeat != nil {
		rec.Repeat = int(*repeat)
	}
	for _, side := range []pyjson.Node{response, request, n} {
		if m, ok := side.Get("model").Text(); ok && rec.Model == "" {
			rec.Model = m
		}
		if rec.Usage == nil {
			if rec.Usage, err = openAIUsage(side.Get("usage")); err != nil {
				return err
			}
		}
	}
	if e := n.Get("error"); !e.Missing() {
		rec.Error, _ = e.Text()
		if m, ok := e.Get("message").Text(); ok {
			rec.Error = m
		}
		if rec.Error == "" {
			rec.Error = "the record has an error"
		}
	}
	return nil
}

func openAIUsage(n pyjson.Node) (*Usage, error) {
	return counts(n, n.First("prompt_tokens", "input_tokens"), n.First("completion_tokens", "output_tokens"),
		n.At("completion_tokens_details", "reasoning_tokens"), n.Get("total_tokens"))
}

func openAIMessages(entries []pyjson.Node) ([]Message, error) {
	out := make([]Message, 0, len(entries))
	for _, n := range entries {
		m, err := message(n, func(s string) string { return s })
		if err != nil {
			return nil, err
		}
		if m.Reply, err = id(n.Get("tool_call_id")); err != nil {
			return nil, err
		}
		m.Tool, _ = n.Get("name").Text()
		if m.Usage, err = openAIUsage(n.Get("usage")); err != nil {
			return nil, err
		}
		if m.Role == "tool" {
			m.Failure = failureIn(m.Text)
		}
		if m.Role == "assistant" {
			if m.Calls, err = openAICalls(n); err != nil {
				return nil, err
			}
		}
		out = append(out, m)
	}
	return out, nil
}

func openAICalls(n pyjson.Node) ([]Call, error) {
	var out []Call
	if f := n.Get("function_call"); !f.Missing() { // before there were several
		c, err := openAICall(pyjson.Node{}, f)
		return append(out, c), err
	}
	if n.Get("tool_calls").Missing() {
		return nil, nil
	}
	list, err := n.Get("tool_calls").Entries()
	if err != nil {
		return nil, err
	}
	for _, e := range list {
		c, err := openAICall(e.Get("id"), e.Get("function"))
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

func openAICall(callID, f pyjson.Node) (Call, error) {
	var c Call
	var err error
	if c.ID, err = id(callID); err != nil {
		return c, err
	}
	var ok bool
	if c.Name, ok = f.Get("name").Text(); !ok || c.Name == "" {
		return c, f.Get("name").Wants("the tool's name")
	}
	switch v := f.Get("arguments").Value.(type) {
	case nil:
		c.Arguments = map[string]any{}
	case string:
		c.Raw, c.Arguments = v, object(v)
	case map[string]any: // some servers send the object itself
		c.Arguments = v
	default:
		return c, f.Get("arguments").Wants("JSON text or an object")
	}
	return c, nil
}

// asked is what the first user message asks.
func asked(messages []Message) string {
	for _, m := range messages {
		if m.Role == "user" {
			return m.Text
		}
	}
	return ""
}
