package importlog

import (
	"regexp"
	"strings"

	"almanac/eval/internal/pyjson"
	"almanac/eval/metric"
	"almanac/orchestrator/event"
	"almanac/scenarios"
)

// Tools by which a conversation ends: they say the answer and are no calls that count.
var (
	answerTools  = []string{"answer", "final_answer", "submit"}
	declineTools = []string{"decline"}
)

// Reasons of an answer's fields.
const (
	unread    = "format: the log's last message has no value for it that can be read"
	nothing   = "the log has no answer"
	notFinite = "the value is no finite number"
	unbound   = "imported: no result is recorded to follow it back to"
)

// answer is what a conversation ends with. The answer's own call comes first; else the last message of the assistant.
func answer(rec *Record, task scenarios.Task) *event.Answer {
	for i := len(rec.Messages) - 1; i >= 0; i-- {
		m := rec.Messages[i]
		if m.Role != "assistant" {
			continue
		}
		for _, c := range m.Calls {
			if isNamed(c.Name, declineTools) {
				reason, _ := c.Arguments["reason"].(string)
				return &event.Answer{Declined: true, Reason: reason, Fields: []event.AnswerField{}}
			}
			if isNamed(c.Name, answerTools) {
				return fromCall(c, task)
			}
		}
		if strings.TrimSpace(m.Text) != "" && len(m.Calls) == 0 {
			return fromText(m.Text, task)
		}
	}
	return without(task, nothing)
}

func isNamed(name string, names []string) bool {
	for _, n := range names {
		if strings.EqualFold(name, n) {
			return true
		}
	}
	return false
}

// fromCall reads the arguments of an answer's call: a value for each key, or one text that holds the answer.
func fromCall(c Call, task scenarios.Task) *event.Answer {
	if found := fields(c.Arguments, task); found != nil {
		return found
	}
	for _, name := range []string{"answer", "text", "value"} {
		if s, ok := c.Arguments[name].(string); ok {
			return fromText(s, task)
		}
	}
	if len(task.Answer) == 1 && len(c.Arguments) == 1 {
		for _, v := range c.Arguments {
			return fields(map[string]any{task.Answer[0].Key: v}, task)
		}
	}
	return without(task, unread)
}

// fields reads an object that has at least one key of the contract, or says that the request is declined; nil if it is
// neither.
func fields(object map[string]any, task scenarios.Task) *event.Answer {
	byKey := map[string]any{}
	for k, v := range object {
		byKey[metric.Fold(k)] = v
	}
	for _, name := range []string{"decline", "declined"} {
		switch v := byKey[name].(type) {
		case string:
			if v != "" {
				return &event.Answer{Declined: true, Reason: v, Fields: []event.AnswerField{}}
			}
		case bool:
			if v {
				return &event.Answer{Declined: true, Fields: []event.AnswerField{}}
			}
		}
	}
	out, found := without(task, unread), false
	for i := range out.Fields {
		f := &out.Fields[i]
		if v, ok := byKey[metric.Fold(f.Key)]; ok {
			found = true
			fill(f, v)
		}
	}
	if !found {
		return nil
	}
	return out
}

// without is an answer that has no value.
func without(task scenarios.Task, reason string) *event.Answer {
	out := &event.Answer{Fields: []event.AnswerField{}}
	for _, f := range task.Answer {
		out.Fields = append(out.Fields, event.AnswerField{Key: f.Key, Reason: reason})
	}
	return out
}

// fill gives a field its value: as it is, or an object of value and unit.
func fill(f *event.AnswerField, v any) {
	if m, ok := v.(map[string]any); ok {
		f.Unit, _ = m["unit"].(string)
		v = m["value"]
	}
	value, finite := plain(v)
	switch {
	case !finite:
		f.Reason = notFinite
	case value == nil:
		f.Reason = nothing
	default:
		f.Value, f.Reason = value, unbound
	}
}

// plain is a value as events hold it; finite is false where a number in it is not.
func plain(v any) (value any, finite bool) {
	switch x := v.(type) {
	case pyjson.Literal:
		f := x.Float()
		return f, f-f == 0
	case []any:
		out := make([]any, len(x))
		for i := range x {
			if out[i], finite = plain(x[i]); !finite {
				return nil, false
			}
		}
		return out, true
	case map[string]any:
		out := map[string]any{}
		for k := range x {
			if out[k], finite = plain(x[k]); !finite {
				return nil, false
			}
		}
		return out, true
	}
	return v, true
}

var (
	fenced    = regexp.MustCompile("(?s)```(?:json)?\\s*(\\{.*?\\})\\s*```")
	tagged    = regexp.MustCompile(`(?is)<answer>\s*(.*?)\s*</?answer>`)
	announced = regexp.MustCompile(`(?im)^\W*(?:final )?answer\W*:\s*(.+?)\s*$`)
)

// longest is how long a last message may be that is nothing but the answer.
const longest = 60

// fromText reads an answer out of text: an object of the contract's keys; lines of key and value; for a contract of one
// field also <Answer>…</Answer>, "Answer: …" or a short text that is nothing else. Nothing is searched for in prose.
func fromText(text string, task scenarios.Task) *event.Answer {
	candidates := []string{text}
	for _, m := range fenced.FindAllStringSubmatch(text, -1) {
		candidates = append(candidates, m[1])
	}
	if i, j := strings.IndexByte(text, '{'), strings.LastIndexByte(text, '}'); i >= 0 && j > i {
		candidates = append(candidates, text[i:j+1])
	}
	for _, c := range candidates {
		if o := object(c); len(o) > 0 {
			if found := fields(o, task); found != nil {
				return found
			}
		}
	}
	out, found := without(task, unread), false
	for i := range out.Fields {
		f := &out.Fields[i]
		line := regexp.MustCompile(`(?im)^\W*` + regexp.QuoteMeta(f.Key) + `\W*[:=]\s*(.+?)\s*$`)
		if all := line.FindAllStringSubmatch(text, -1); all != nil {
			found = true
			fill(f, strings.Trim(all[len(all)-1][1], "*`\""))
		}
	}
	if found || len(out.Fields) != 1 {
		return out
	}
	if value := only(text); value != "" {
		fill(&out.Fields[0], value)
	}
	return out
}

// only reads an answer that is one value.
func only(text string) string {
	for _, form := range []*regexp.Regexp{tagged, announced} {
		if all := form.FindAllStringSubmatch(text, -1); all != nil {
			return strings.Trim(all[len(all)-1][1], "*`\" ")
		}
	}
	if t := strings.TrimSpace(text); len([]rune(t)) <= longest && !strings.Contains(t, "\n") {
		return t
	}
	return ""
}
