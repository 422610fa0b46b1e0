package reply

import (
	"regexp"
	"strings"

	"almanac/agents/llm"
)

var (
	thinkOpen  = regexp.MustCompile(`^\s*<(think|thinking|thought|reasoning)>`)
	loneCloser = regexp.MustCompile(`(?m)^[ \t]*</(think|thinking|thought|reasoning)>[ \t]*$`)
)

// maxMentions bounds how often a closing tag is looked at again.
const maxMentions = 100

// splitThinking takes the thoughts off the start of a reply and puts them into
// msg.Thinking. Nothing is ever executed from them. It returns the text that
// is left, and whether the thoughts have no end.
//
// A closing tag ends the thoughts, unless a later one stands outside of any
// JSON: then the earlier was a mention. A closing tag alone on its line ends
// thoughts that had no opening tag, since some templates put it in the prompt.
func splitThinking(content string, msg *llm.Message, f *fixes) (rest string, unclosed bool) {
	if !f.may(FixThinking) {
		return content, false
	}
	open := thinkOpen.FindStringSubmatchIndex(content)
	if open == nil {
		lone := loneCloser.FindStringIndex(content)
		if lone == nil || inQuotedPart(content, lone[0]) {
			return content, false
		}
		f.use(FixThinking)
		addThought(msg, content[:lone[0]])
		return strings.TrimSpace(content[lone[1]:]), false
	}
	f.use(FixThinking)
	closer := "</" + content[open[2]:open[3]] + ">"
	body := content[open[1]:]
	end := strings.Index(body, closer)
	if end < 0 {
		addThought(msg, body)
		return "", true
	}
	after := body[end+len(closer):]
	for range maxMentions {
		next := strings.Index(after, closer)
		if next < 0 || inQuotedPart(after, next) {
			break
		}
		end = len(body) - len(after) + next
		after = after[next+len(closer):]
	}
	addThought(msg, body[:end])
	return strings.TrimSpace(after), false
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
