package orchestrator

import (
	"encoding/json"

	"almanac/orchestrator/event"
	"almanac/orchestrator/schedule"
	"almanac/toolkits"
)

// submittedCalls lists the call statements of a program, as the log of a version that never runs needs them: what was
// to be called counts, though nothing came of it. Objective steps are no calls.
func submittedCalls(p *schedule.Program, tools *toolkits.Registry) []event.SubmittedCall {
	var out []event.SubmittedCall
	for _, s := range p.Statements {
		for _, c := range s.Calls() {
			if c.IsAsk() {
				continue
			}
			call := event.SubmittedCall{Tool: c.FullName(), Step: s.Name, Statement: s.String(), Raw: rawArguments(c)}
			if t, err := tools.Tool(call.Tool); err == nil {
				call.Group, call.Check, call.Resolver = t.Group, t.Check, t.Resolver
			}
			out = append(out, call)
		}
	}
	return out
}

// rawArguments are a call's arguments as JSON: literals as they are, everything else as its text.
func rawArguments(c *schedule.Call) string {
	plain := map[string]any{}
	for _, a := range c.Args {
		if a.Name != "" {
			plain[a.Name] = plainExpr(a.Value)
		}
	}
	data, err := json.Marshal(plain)
	if err != nil {
		return "" // a number that JSON cannot hold: the call is told by its statement
	}
	return string(data)
}

func plainExpr(e schedule.Expr) any {
	switch e := e.(type) {
	case *schedule.Number:
		return e.Float()
	case *schedule.String:
		return e.Value
	case *schedule.Bool:
		return e.Value
	case *schedule.None:
		return nil
	case *schedule.List:
		list := make([]any, len(e.Items))
		for i, x := range e.Items {
			list[i] = plainExpr(x)
		}
		return list
	}
	return schedule.Text(e)
}
