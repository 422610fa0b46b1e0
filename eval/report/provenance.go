package report

import (
	"fmt"
	"slices"
	"strings"

	"almanac/eval"
	"almanac/eval/metric"
	"almanac/orchestrator/event"
)

// chain is where a field's value comes from, call by call, from the one that made it back to data.
func chain(e *eval.EpisodeResult, f metric.FieldScore) []string {
	a := e.Scores.Trace.Answer
	if a == nil || f.Value == nil {
		return nil
	}
	for _, g := range a.Fields {
		if g.Key == f.Key && g.Call != "" {
			return ancestors(e.Scores.Trace, g.Call)
		}
	}
	return nil
}

// maxChain is the number of calls of a chain that are shown.
const maxChain = 12

// ancestors are the calls that a call's result was made from, itself first, each once.
func ancestors(t *eval.Trace, id string) []string {
	calls := map[string]*event.ToolCall{}
	for _, c := range t.Calls {
		calls[c.ID] = c
	}
	var out []string
	seen := map[string]bool{}
	for next := []string{id}; len(next) > 0 && len(out) < maxChain; {
		c := calls[next[0]]
		next = next[1:]
		if c == nil || seen[c.ID] {
			continue
		}
		seen[c.ID] = true
		var from, given []string
		for _, arg := range c.Arguments {
			for _, in := range arg.Inputs {
				if !slices.Contains(from, in.Call) {
					from = append(from, in.Call)
				}
			}
			if len(arg.Inputs) == 0 && !arg.Default && arg.Rule != "null" {
				given = append(given, arg.Name+"="+shownArgument(arg))
			}
		}
		next = append(next, from...)
		text := fmt.Sprintf("%s = %s(%s)", c.ID, c.Tool, strings.Join(given, ", "))
		if len(from) > 0 {
			text += " from " + strings.Join(from, ", ")
		}
		out = append(out, text)
	}
	return out
}
