package reply

import (
	"regexp"
	"strings"

	"almanac/agents/llm"
)

// thinkTags are the marks around thoughts.
var thinkTags = []struct{ open, closer string }{
	{"<think>", "</think>"},
	{"<thinking>", "</thinking>"},
	{"<thought>", "</thought>"},
	{"<thoughts>", "</thoughts>"},
	{"<reasoning>", "</reasoning>"},
	{"<reflection>", "</reflection>"},
	{"<seed:think>", "</seed:think>"},
	{"[THINK]", "[/THINK]"},
	{"◁think▷", "◁/think▷"},
	{"<|begin_of_thought|>", "<|end_of_thought|>"},
	{"<|channel|>analysis<|message|>", "<|end|>"},
}

var loneCloser = regexp.MustCompile(`(?m)^[ \t]*</(think|thinking|thought|reasoning)>[ \t]*$`)

// maxMentions bounds how often a closing tag is looked at again, and how many
// thoughts are taken off one reply.
const maxMentions = 100

// splitThinking takes thoughts out of a reply and puts them into msg.Thinking.
// Nothing is ever executed from them. It returns the text that is left, and
// whether the reply is nothing but thoughts without an end.
//
// Thoughts begin at the start of the text or of a line: elsewhere a tag is
// spoken of. A closing tag ends them, unless a later one stands outside of
// any JSON: then the earlier was a mention. A closing tag alone on its line
// ends thoughts that had no opening tag, since some templates put it in the
// prompt.
func splitThinking(content string, msg *llm.Message, f *fixes) (rest string, unclosed bool) {
	if !f.may(FixThinking) {
		return content, false
	}
	rest = content
	for range maxMentions {
		start, open, closer := nextThought(rest, true)
		if start < 0 {
			break
		}
		f.use(FixThinking)
		before, body := rest[:start], rest[start+len(open):]
		end, closed := thoughtEnd(body, closer)
		addThought(msg, body[:end])
		if !closed {
			before = strings.TrimSpace(before)
			return before, before == ""
		}
		rest = strings.TrimSpace(before + body[end+len(closer):])
	}
	if rest != content {
		return rest, false
	}
	if lone := loneCloser.FindStringIndex(content); lone != nil && !inQuotedPart(content, lone[0]) {
		f.use(FixThinking)
		before := ""
		from := 0
		if start, open, _ := nextThought(content[:lone[0]], false); start >= 0 {
			before, from = content[:start], start+len(open)
		}
		addThought(msg, content[from:lone[0]])
		return strings.TrimSpace(before + content[lone[1]:]), false
	}
	return content, false
}

// nextThought finds the first opening tag outside of JSON and code; with
// lineStart only one that begins a line.
func nextThought(text string, lineStart bool) (start int, open, closer string) {
	start = -1
	for _, t := range thinkTags {
		at := 0
		for range maxMentions {
			i := strings.Index(text[at:], t.open)
			if i < 0 || start >= 0 && at+i > start {
				break
			}
			at += i
			line := text[strings.LastIndexByte(text[:at], '\n')+1 : at]
			if (!lineStart || strings.TrimSpace(line) == "") && !inQuotedPart(text, at) {
				start, open, closer = at, t.open, t.closer
				break
			}
			at += len(t.open)
		}
	}
	return start, open, closer
}

// thoughtEnd finds where thoughts end in the text after their opening tag.
func thoughtEnd(body, closer string) (end int, closed bool) {
	end = strings.Index(body, closer)
	if end < 0 {
		return len(body), false
	}
	after := body[end+len(closer):]
	for range maxMentions {
		next := strings.Index(after, closer)
		if next < 0 || inQuotedPart(after, next) {
			break
		}
		if start, _, _ := nextThought(after[:next], true); start >= 0 {
			break // the next closing tag belongs to other thoughts
		}
		end = len(body) - len(after) + next
		after = after[next+len(closer):]
	}
	return end, true
}

// maskThoughts blanks out what stands between thinking tags anywhere, so that
// no call is found in it, also where the tags are no thoughts of their own.
func maskThoughts(text string) string {
	for range maxMentions {
		start, open, closer := nextThought(text, false)
		if start < 0 {
			break
		}
		end, _ := thoughtEnd(text[start+len(open):], closer)
		stop := min(len(text), start+len(open)+end+len(closer))
		text = text[:start] + strings.Repeat(" ", stop-start) + text[stop:]
	}
	return text
}

func addThought(msg *llm.Message, s string) {
	if s = strings.TrimSpace(s); s == "" {
		return
	}
	if msg.Thinking != "" {
		msg.Thinking += "\n"
	}
	msg.Thinking += s
}

// inQuotedPart reports whether position at stands inside a JSON value, a fence
// or inline code, where a tag is text.
func inQuotedPart(s string, at int) bool {
	before := s[:at]
	if strings.Count(before, "```")%2 == 1 {
		return true
	}
	line := before[strings.LastIndexByte(before, '\n')+1:]
	if strings.Count(line, "`")%2 == 1 {
		return true
	}
	for i := 0; i < at; i++ {
		if s[i] != '{' && s[i] != '[' {
			continue
		}
		_, end, err := parsePrefix(s[i:], &fixes{}, false)
		if err != nil {
			continue
		}
		if i+end > at {
			return true
		}
		i += end - 1
	}
	return false
}
