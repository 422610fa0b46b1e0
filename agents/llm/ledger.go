package llm

import (
	"fmt"
	"strings"
)

// Ledger remembers the calls of one conversation and notices when it turns in
// a circle: the same call again, or one call after another that cannot be run.
// It is for one goroutine. The zero value is ready for use.
type Ledger struct {
	// Limit is how many rounds in a row may bring nothing new before the
	// conversation counts as stalled. 0 means 3.
	Limit int

	results map[string]string
	barren  int
	last    string
}

// Answer decides what to do with a call. If run is true it is to be run, and
// its result reported to [Ledger.Ran]. Else result is what the model is told:
// why the call cannot be run, or that it was made before and what came of it.
func (l *Ledger) Answer(call ToolCall) (result string, run bool) {
	if call.Problem != "" {
		l.barren++
		l.last = fmt.Sprintf("%d calls in a row could not be run, the last: %s", l.barren, call.Problem)
		return "error: " + call.Problem, false
	}
	if before, done := l.results[callKey(call)]; done {
		l.barren++
		l.last = fmt.Sprintf("%d calls in a row brought nothing new, the last: %s again with the same arguments", l.barren, call.Name)
		return "already called with these arguments, the result was: " + shorten(before, 300), false
	}
	return "", true
}

// Ran notes a call that was run and its result as the model sees it.
func (l *Ledger) Ran(call ToolCall, result string) {
	if l.results == nil {
		l.results = map[string]string{}
	}
	l.results[callKey(call)] = result
	l.barren, l.last = 0, ""
}

// Stalled says why the conversation should be ended; "" if it should not.
func (l *Ledger) Stalled() string {
	limit := l.Limit
	if limit == 0 {
		limit = 3
	}
	if l.barren < limit {
		return ""
	}
	return l.last
}

// callKey is the same for equal calls, however their arguments are written.
func callKey(call ToolCall) string {
	args := call.Arguments
	if canonical, err := CanonicalJSON(args); err == nil {
		args = canonical
	}
	return call.Name + "\x00" + string(args)
}

// shorten cuts text after limit characters, and says so.
func shorten(text string, limit int) string {
	runes := []rune(text)
	if len(runes) <= limit {
		return text
	}
	return strings.TrimSpace(string(runes[:limit])) + fmt.Sprintf(" … (first %d of %d characters)", limit, len(runes))
}
