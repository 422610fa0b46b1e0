package reply

import (
	"fmt"
	"regexp"
	"strings"

	"almanac/agents/llm"
)

var fence = regexp.MustCompile("(?ms)^[ \t]*(?:```+|~~~+|\x27\x27\x27)[ \t]*([A-Za-z0-9_+-]*)[^\n]*\n(.*?)(?:^[ \t]*(?:```+|~~~+|\x27\x27\x27)[ \t]*$|\\z)")

// stripFence takes a Markdown fence, or a single pair of backticks, off a text
// that is nothing but one fence.
func stripFence(s string, f *fixes) (body string, fenced bool) {
	text := strings.TrimSpace(s)
	m := fence.FindStringSubmatchIndex(text)
	if m != nil && m[0] == 0 && m[1] == len(text) && f.use(FixFence) {
		return strings.TrimSpace(text[m[4]:m[5]]), true
	}
	one, ok := strings.CutPrefix(text, "```") // a fence on a single line
	if one, end := strings.CutSuffix(one, "```"); ok && end && !strings.Contains(one, "```") && f.use(FixFence) {
		one = strings.TrimPrefix(strings.TrimSpace(one), "json")
		return strings.TrimSpace(one), true
	}
	if len(text) > 2 && text[0] == '`' && text[len(text)-1] == '`' && strings.Count(text, "`") == 2 && f.use(FixFence) {
		return strings.TrimSpace(text[1 : len(text)-1]), true
	}
	return text, false
}

// block is a piece of a reply that may be a call: a fence's body, or JSON that
// starts a line.
type block struct {
	start, end int // in the text
	body       string
	fenced     bool
}

// blocks finds the candidates in order. What is between them is prose.
func blocks(text string, f *fixes) []block {
	var found []block
	if f.may(FixFence) {
		for _, m := range fence.FindAllStringSubmatchIndex(text, -1) {
			found = append(found, block{m[0], m[1], strings.TrimSpace(text[m[4]:m[5]]), true})
		}
	}
	if len(found) > 0 {
		return found
	}
	if body, fenced := stripFence(text, &fixes{off: f.off}); fenced {
		return []block{{0, len(text), body, true}}
	}
	for at := 0; at < len(text); {
		line := text[at:]
		lead := len(line) - len(strings.TrimLeft(line, " \t"))
		if lead < len(line) && (line[lead] == '{' || line[lead] == '[') {
			start := at + lead
			_, n, err := parsePrefix(text[start:], &fixes{off: f.off}, false)
			if err != nil {
				n = len(text) - start // broken or open: the rest belongs to it
			}
			found = append(found, block{start, start + n, strings.TrimSpace(text[start : start+n]), false})
			at = start + n
			continue
		}
		next := strings.IndexByte(line, '\n')
		if next < 0 {
			break
		}
		at += next + 1
	}
	return found
}

// example matches prose that shows a call, considers one, forbids one or tells
// of one that was made, rather than making it.
var example = regexp.MustCompile(`(?i)\b(examples?|e\.g|for instance|such as|like (this|so)|format|syntax|schema|template|` +
	`would|could|might|must not|should(n't| not)|do(n't| not)|never|instead of|rather than|cannot|can't|without calling|` +
	`made|ran|executed|used|called|was computed|computed with|obtained|returned|documentation|how (to|you|one))\b`)

// isExample judges the prose around a candidate.
func isExample(prose string) bool {
	prose = strings.TrimSpace(strings.ReplaceAll(prose, "’", "'"))
	return example.MatchString(prose) || strings.HasSuffix(prose, "?") || strings.HasPrefix(prose, ">")
}

// findJSON reads the one JSON value that a reply to a schema holds.
func findJSON(text, finish string, f *fixes) (any, *problem) {
	closeOpen := finish == llm.FinishStop
	trial := &fixes{off: f.off}
	body, _ := stripFence(text, trial)
	v, err := parseWhole(body, trial, closeOpen)
	if err == nil {
		f.used = append(f.used, trial.used...)
		return v, nil
	}
	if e, ok := err.(*syntaxError); ok && e.cut && strings.HasPrefix(body, "{") {
		return nil, &problem{llm.ReasonTruncated, "the reply was cut off within the JSON: " + err.Error()}
	}
	if v, ok := soleJSON(text, f); ok {
		return v, nil
	}
	return nil, &problem{llm.ReasonSchema, fmt.Sprintf("the reply is not the JSON that was asked for: %v", err)}
}

// soleJSON finds a JSON object or list among prose, if there is just one.
func soleJSON(text string, f *fixes) (any, bool) {
	if !f.may(FixProse) {
		return nil, false
	}
	var found any
	var used []string
	count := 0
	for i := 0; i < len(text); i++ {
		if text[i] != '{' && text[i] != '[' {
			continue
		}
		trial := &fixes{off: f.off}
		v, end, err := parsePrefix(text[i:], trial, false)
		if err != nil {
			continue
		}
		if list, ok := v.([]any); ok && len(list) < 2 {
			continue // [1] in prose is a footnote
		}
		found, used = v, trial.used
		count++
		i += end - 1
	}
	if count != 1 {
		return nil, false
	}
	f.use(FixProse)
	f.used = append(f.used, used...)
	return found, true
}
