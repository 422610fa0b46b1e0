package report

import (
	"encoding/json"
	"fmt"
	"strings"

	"almanac/eval"
)

// modelRow is one exchange with a model.
type modelRow struct {
	Role, Purpose, Prompt, Completion, Seconds, Outcome string
	Said                                                []said
}

// said is a message, by whoever said it.
type said struct{ Role, Text string }

// maxSaid is the length to which a message is shown.
const maxSaid = 3000

func (v *view) modelRows(t *eval.Trace) []modelRow {
	var out []modelRow
	seen := map[string]bool{}
	for i, r := range t.Replies {
		show := func(v *int64) string {
			if v == nil {
				return "?"
			}
			return thousands(*v)
		}
		row := modelRow{Role: r.Role, Purpose: r.Purpose, Prompt: show(r.Prompt), Completion: show(r.Completion),
			Seconds: fmt.Sprintf("%.1f", r.PromptTime+r.Generate), Outcome: r.Finish}
		if r.Error != "" {
			row.Outcome = r.Error + ": " + cut(r.Detail)
		}
		for _, c := range r.Calls {
			row.Outcome += fmt.Sprintf(" %s (%s)", c.Name, c.Obtained)
		}
		if i < len(t.Requests) && len(t.Requests) == len(t.Replies) {
			for _, h := range t.Requests[i].Messages {
				row.Said = v.say(row.Said, h, seen)
			}
		}
		row.Said = v.say(row.Said, r.Message, seen)
		out = append(out, row)
	}
	return out
}

// say adds a message that has not been shown in this episode, so that a trace does not grow with the square of its
// length. A message that is gone or damaged is said to be.
func (v *view) say(list []said, hash string, seen map[string]bool) []said {
	if hash == "" || v.message == nil || seen[hash] {
		return list
	}
	seen[hash] = true
	data, err := v.message(hash)
	if err != nil {
		return append(list, said{"message", "cannot be read: " + err.Error()})
	}
	var m struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	if err := json.Unmarshal(data, &m); err != nil || m.Role == "" {
		return append(list, said{"message", limited(string(data))})
	}
	text := m.Content
	if text == "" { // a reply that only calls tools
		text = string(data)
	}
	return append(list, said{m.Role, limited(text)})
}

func limited(s string) string {
	r := []rune(strings.TrimSpace(s))
	if len(r) <= maxSaid {
		return string(r)
	}
	return string(r[:maxSaid]) + fmt.Sprintf("\n… %d characters more", len(r)-maxSaid)
}
