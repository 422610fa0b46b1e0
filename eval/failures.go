package eval

import (
	"slices"

	"almanac/eval/metric"
	"almanac/orchestrator/event"
)

// FailureLabel is one way to fail: a predicate over an episode's events. An episode may have several.
type FailureLabel struct {
	Name       string
	Definition string
	holds      func(*Scores) bool
}

// FailureLabels returns every label, in the order in which they are shown. They are looked at for failed episodes
// only; failures of the harness are no failed episodes.
func FailureLabels() []FailureLabel {
	return []FailureLabel{
		{"tool_not_retrieved", "a tool that gold needs was never among the tools shown, though tools were selected", toolNotRetrieved},
		{"wrong_tool", "a call that counts is of a tool that gold does not use", wrongTool},
		{"wrong_order", "every call of a tool came before any call of a tool whose result gold uses in it", wrongOrder},
		{"wrong_argument", "a call aligned with a gold call of the same tool differs from it in an argument", wrongArgument},
		{"schema_invalid", "a call, or the schedule that it stands in, was refused before it ran: no such tool, or arguments against the rules", schemaInvalid},
		{"reply_unreadable", "a reply of the model could not be used", replyUnreadable},
		{"tool_error", "a call that was run ended in an error", toolError},
		{"missing_call", "a tool was called less often than gold calls it", missingCall},
		{"repeated_call", "the same call with the same inputs was made twice", repeatedCall},
		{"context_overflow", "a prompt did not fit the model's window", hasError("context_overflow", "prompt_cut")},
		{"budget", "a budget was used up", func(s *Scores) bool { return len(s.Trace.Budgets) > 0 }},
		{"stalled", "the setup gave up because nothing new came", hasError("stalled", "handoff_loop")},
		{"premature_answer", "an answer was given before every tool that gold needs had been called", prematureAnswer},
		{"wrong_decline", "a request that can be answered was declined, or one that cannot was not", func(s *Scores) bool {
			return s.Declined != s.Case.Decline
		}},
		{"claim_without_call", "a field has a value though no tool call succeeded", claimWithoutCall},
		{"format", "a value could not be read as the field's type", fieldReason(metric.Unreadable)},
		{"unit", "a value has a unit that cannot be converted to the field's", fieldReason(metric.WrongUnit)},
		{"numeric_miss", "a value is outside the tolerance, or another than the one expected", fieldReason(metric.Miss)},
		{"unbound", "a field has a value without an intact chain to data", unbound},
	}
}

func failures(s *Scores) []string {
	out := []string{}
	for _, l := range FailureLabels() {
		if l.holds(s) {
			out = append(out, l.Name)
		}
	}
	return out
}

func tools(calls []metric.Call) map[string]int {
	out := map[string]int{}
	for _, c := range calls {
		out[c.Tool]++
	}
	return out
}

func toolNotRetrieved(s *Scores) bool {
	if len(s.Trace.Selected) == 0 {
		return false
	}
	for tool := range tools(s.Case.Gold) {
		shown := false
		for _, sel := range s.Trace.Selected {
			shown = shown || slices.Contains(sel.Chosen, tool)
		}
		if !shown {
			return true
		}
	}
	return false
}

func wrongTool(s *Scores) bool {
	if len(s.Case.Gold) == 0 {
		return false
	}
	gold := tools(s.Case.Gold)
	return slices.ContainsFunc(s.Case.Predicted, func(c metric.Call) bool { return gold[c.Tool] == 0 })
}

func missingCall(s *Scores) bool {
	have := tools(s.Case.Predicted)
	for tool, n := range tools(s.Case.Gold) {
		if have[tool] < n {
			return true
		}
	}
	return false
}

// wrongOrder goes by what gold's calls need of each other: an order that gold only happens to have binds nobody.
func wrongOrder(s *Scores) bool {
	first, last := map[string]int{}, map[string]int{}
	for i, p := range s.Case.Predicted {
		if _, seen := first[p.Tool]; !seen {
			first[p.Tool] = i
		}
		last[p.Tool] = i
	}
	for _, d := range s.Case.Dependencies() {
		before, after := s.Case.Gold[d[0]].Tool, s.Case.Gold[d[1]].Tool
		made, ok := first[before]
		used, also := last[after]
		if ok && also && before != after && used < made {
			return true
		}
	}
	return false
}

func wrongArgument(s *Scores) bool {
	pairs, different := s.Case.AlignedArguments()
	return pairs > 0 && different > 0
}

func schemaInvalid(s *Scores) bool {
	return slices.ContainsFunc(s.Case.Predicted, func(c metric.Call) bool { return !c.Valid && !c.Refused }) ||
		slices.ContainsFunc(s.Trace.Schedules, func(v *event.Schedule) bool { return !v.Valid })
}

func toolError(s *Scores) bool {
	for _, c := range s.Trace.Calls {
		if r := s.Trace.Results[c.ID]; c.Valid && r != nil && !r.OK {
			return true
		}
	}
	return false
}

var unreadable = []string{"bad_reply", "empty_reply", "runaway", "truncated", "unreadable", "schema_invalid", "tool_choice",
	"unclosed_thinking", "control_character"}

func replyUnreadable(s *Scores) bool {
	for _, r := range s.Trace.Replies {
		if slices.Contains(unreadable, r.Error) {
			return true
		}
	}
	return hasError("unreadable_plan", "unreadable_ledger")(s)
}

func repeatedCall(s *Scores) bool {
	seen := map[string]bool{}
	for _, c := range s.Case.Predicted {
		key := c.Key
		if key == "" {
			key = c.Tool + " " + c.Raw
		}
		if seen[key] {
			return true
		}
		seen[key] = true
	}
	return false
}

// hasError looks for a code among the errors of the setup and of the model's replies.
func hasError(codes ...string) func(*Scores) bool {
	return func(s *Scores) bool {
		for _, e := range s.Trace.Errors {
			if slices.Contains(codes, e.Code) {
				return true
			}
		}
		for _, r := range s.Trace.Replies {
			if slices.Contains(codes, r.Error) {
				return true
			}
		}
		return false
	}
}

func hasValue(s *Scores) bool {
	return slices.ContainsFunc(s.Fields, func(f metric.FieldScore) bool { return f.Value != nil })
}

func succeeded(s *Scores) int {
	n := 0
	for _, r := range s.Trace.Results {
		if r.OK {
			n++
		}
	}
	return n
}

func prematureAnswer(s *Scores) bool {
	return !s.Declined && hasValue(s) && missingCall(s)
}

func claimWithoutCall(s *Scores) bool { return hasValue(s) && succeeded(s) == 0 }

func fieldReason(reason string) func(*Scores) bool {
	return func(s *Scores) bool {
		return slices.ContainsFunc(s.Fields, func(f metric.FieldScore) bool { return f.Reason == reason })
	}
}

func unbound(s *Scores) bool {
	return slices.ContainsFunc(s.Fields, func(f metric.FieldScore) bool { return f.Value != nil && !f.Bound })
}
