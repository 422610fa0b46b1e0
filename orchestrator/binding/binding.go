// Package binding decides whether an answer field is bound: whether its value was made by a chain of tool calls whose
// every number comes from data, the request, a tool's default or the list of constants.
//
// It looks at logged calls only, so that the finding made during an episode can be derived again from the log.
package binding

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"almanac/orchestrator/event"
)

// Request answers what the words of the request contain.
type Request interface {
	// Number reports whether the request states this number; unit is the parameter's unit, "" for none. A number
	// counts in its own unit converted to it.
	Number(value float64, unit string) bool
	// Period reports whether the request states this period, in canonical form.
	Period(canonical string) bool
}

// Call is a logged call with its result.
type Call struct {
	Call   *event.ToolCall
	Result *event.ToolResult
}

// Calls finds a call by its id.
type Calls func(id string) (Call, bool)

// Constants are numbers that a schedule may use though no request states them: small whole numbers for means and
// halves, and the factors between common units of time, length and share.
func Constants() []float64 {
	return []float64{0, 1, 2, 3, 4, 10, 12, 24, 30, 60, 100, 273.15, 360, 365, 365.25, 366, 1000, 3600, 86400, 1e6}
}

// Check follows the chain of one answer field. An unbound field has a reason.
func Check(f event.AnswerField, calls Calls, req Request) (bound bool, reason string) {
	if f.Call == "" {
		return false, "a literal: no call made it"
	}
	w := walker{calls: calls, req: req, done: map[string]string{}}
	c, ok := calls(f.Call)
	if !ok || c.Result == nil || !c.Result.OK {
		return false, fmt.Sprintf("call %s has no result", f.Call)
	}
	if !made(c.Result, f.Output, f.Artifact, f.Value) {
		return false, fmt.Sprintf("call %s did not make this value", f.Call)
	}
	if reason := w.call(f.Call); reason != "" {
		return false, reason
	}
	return true, ""
}

// made reports whether the result has the output with this artifact, and this value where the output has one.
func made(r *event.ToolResult, output, artifact string, value any) bool {
	for _, o := range r.Outputs {
		if o.Name == output && o.Artifact == artifact && artifact != "" {
			return o.Value == nil || same(o.Value, value)
		}
	}
	return false
}

func same(a, b any) bool {
	x, okX := number(a)
	y, okY := number(b)
	if okX && okY {
		return x == y
	}
	return fmt.Sprint(a) == fmt.Sprint(b)
}

func number(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case int64:
		return float64(v), true
	case int:
		return float64(v), true
	case json.Number:
		f, err := v.Float64()
		return f, err == nil
	}
	return 0, false
}

// walker goes from a call back to those without inputs. done holds the finding of each call, "" for a good one.
type walker struct {
	calls Calls
	req   Request
	done  map[string]string
}

func (w *walker) call(id string) string {
	if found, ok := w.done[id]; ok {
		return found
	}
	w.done[id] = fmt.Sprintf("call %s is its own input", id) // as long as its inputs are looked at; only a damaged log has that
	c, ok := w.calls(id)
	if !ok || c.Result == nil || !c.Result.OK {
		w.done[id] = fmt.Sprintf("call %s has no result", id)
		return w.done[id]
	}
	for _, a := range c.Call.Arguments {
		if reason := w.argument(a); reason != "" {
			w.done[id] = fmt.Sprintf("%s of %s (%s): %s", a.Name, id, c.Call.Tool, reason)
			return w.done[id]
		}
	}
	w.done[id] = ""
	return ""
}

func (w *walker) argument(a event.Argument) string {
	from := map[string]bool{}
	for _, in := range a.Inputs {
		from[in.Member] = true
		c, ok := w.calls(in.Call)
		if !ok || c.Result == nil || !hasHash(c.Result, in.Output, string(in.Hash)) {
			return fmt.Sprintf("its input %s.%s is not in the log", in.Call, in.Output)
		}
		if reason := w.call(in.Call); reason != "" {
			return reason
		}
	}
	if a.Default || a.Rule == "null" || !a.Literal && a.Rule != "record" {
		return ""
	}
	return w.literal(a, from)
}

func hasHash(r *event.ToolResult, output, hash string) bool {
	for _, o := range r.Outputs {
		if o.Name == output && o.Artifact == hash {
			return true
		}
	}
	return hash == "" // a list output has no hash of its own: its items have
}

// literal checks the numbers that were written, not made.
func (w *walker) literal(a event.Argument, made map[string]bool) string {
	switch a.Rule {
	case "number", "integer":
		return w.number(a.Value, a.Unit)
	case "period":
		text, _ := a.Value.(string)
		if !w.req.Period(text) {
			return fmt.Sprintf("the request names no period %s", text)
		}
	case "place":
		if a.Given == "" {
			return w.numbers(a.Value, "degree")
		}
	case "expression":
		text, _ := a.Value.(string)
		for _, lit := range numbersIn(text) {
			if reason := w.number(lit, ""); reason != "" {
				return reason
			}
		}
	case "record":
		rec, _ := a.Value.(map[string]any)
		for name, v := range rec {
			q, _ := v.(map[string]any)
			if made[name] {
				continue
			}
			if reason := w.number(q["value"], ""); reason != "" {
				return name + ": " + reason
			}
		}
	case "box":
		return w.numbers(a.Value, "degree")
	case "list":
		return w.numbers(a.Value, a.Unit)
	}
	return ""
}

func (w *walker) numbers(v any, unit string) string {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			if _, ok := number(x); !ok {
				continue
			}
			if reason := w.number(x, unit); reason != "" {
				return reason
			}
		}
	case []float64:
		for _, x := range v {
			if reason := w.number(x, unit); reason != "" {
				return reason
			}
		}
	}
	return ""
}

func (w *walker) number(v any, unit string) string {
	x, ok := number(v)
	if !ok {
		return fmt.Sprintf("%v is no number", v)
	}
	if unit == "" || unit == "1" {
		for _, c := range Constants() {
			if math.Abs(x) == c {
				return ""
			}
		}
	}
	if w.req.Number(x, unit) {
		return ""
	}
	return strings.TrimSpace(fmt.Sprintf("the request does not state the number %v %s", v, unit))
}

var (
	quoted  = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
	numeral = regexp.MustCompile(`(?:^|[^\w.])(\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)`)
)

// numbersIn lists the numbers written in an expression, without those in quoted text or in names.
func numbersIn(expression string) []any {
	var out []any
	for _, m := range numeral.FindAllStringSubmatch(quoted.ReplaceAllString(expression, `""`), -1) {
		if x, err := strconv.ParseFloat(m[1], 64); err == nil {
			out = append(out, x)
		}
	}
	return out
}
