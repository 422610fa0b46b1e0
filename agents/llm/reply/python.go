package reply

import (
	"regexp"
	"slices"
	"strings"

	"almanac/agents/llm"
)

var callHead = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.]*\(`)
var argHead = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*)\s*=`)

// pythonCalls reads a text that is nothing but calls written as
// name(key=value, …), alone, in a list, or printed. Text from a model is
// never evaluated: values are literals.
func (r *Reader) pythonCalls(tools []llm.ToolSpec, text, finish string) ([]rawCall, *problem) {
	if r.off[FixPythonCall] {
		return nil, nil
	}
	f := r.fixes()
	body, _ := stripFence(text, f)
	for _, wrap := range []struct{ open, closer string }{{"print(", ")"}, {"[", "]"}} {
		if inner, ok := strings.CutPrefix(body, wrap.open); ok {
			if inner, ok = strings.CutSuffix(inner, wrap.closer); ok {
				body = strings.TrimSpace(inner)
			}
		}
	}
	var calls []rawCall
	for body != "" {
		c, n, ok := r.pythonCall(tools, body, f)
		if !ok {
			if finish == llm.FinishLength && n > 0 {
				return nil, &problem{llm.ReasonTruncated, "the reply was cut off within a call of " + c.name}
			}
			return nil, nil
		}
		calls = append(calls, c)
		body = strings.TrimLeft(body[n:], " \t\r\n,;")
	}
	return calls, nil
}

// pythonCall reads one call at the start of s. If it is a tool's, but cannot
// be read to its end, n is more than 0.
func (r *Reader) pythonCall(tools []llm.ToolSpec, s string, f *fixes) (rawCall, int, bool) {
	head := callHead.FindString(s)
	if head == "" {
		return rawCall{}, 0, false
	}
	name := strings.TrimSuffix(head, "(")
	if _, known := findTool(tools, name, &fixes{off: r.off}); !known {
		return rawCall{}, 0, false
	}
	p := &parser{s: s, i: len(head), fix: &fixes{off: r.off, used: append(slices.Clone(f.used), FixPythonCall)}}
	args := map[string]any{}
	unread := func() (rawCall, int, bool) { return rawCall{name: name}, len(head), false }
	if p.space(); p.i < len(s) && s[p.i] == '{' { // name({…arguments})
		v, err := p.value()
		obj, isObj := v.(map[string]any)
		if err != nil || !isObj {
			return unread()
		}
		args = obj
	}
	for {
		p.space()
		if p.i < len(s) && s[p.i] == ')' {
			p.i++
			break
		}
		m := argHead.FindStringSubmatch(s[p.i:])
		if m == nil {
			return unread()
		}
		p.i += len(m[0])
		v, err := p.value()
		if _, twice := args[m[1]]; err != nil || twice {
			return unread()
		}
		args[m[1]] = v
		p.space()
		if p.i < len(s) && s[p.i] == ',' {
			p.i++
		} else if p.i >= len(s) || s[p.i] != ')' {
			return unread()
		}
	}
	data, err := encode(args)
	return rawCall{name: name, args: data, fixed: p.fix.used}, p.i, err == nil
}

var reactForm = regexp.MustCompile(`(?im)^[ \t*]*action[ \t*]*:[ \t*]*([A-Za-z_][A-Za-z0-9_.]*)[ \t*]*\n+[ \t*]*action input[ \t*]*:[ \t*]*`)

// reactCall reads "Action: name" and "Action Input: {…}" on lines of their
// own, the first such pair: what a model writes after it, it made up.
func (r *Reader) reactCall(tools []llm.ToolSpec, text string) ([]rawCall, string) {
	m := reactForm.FindStringSubmatchIndex(text)
	if m == nil || r.off[FixTaggedCall] {
		return nil, ""
	}
	f := r.fixes()
	f.use(FixTaggedCall)
	name := text[m[2]:m[3]]
	body := strings.TrimSpace(text[m[1]:])
	if inner := fence.FindStringSubmatch(body); inner != nil && strings.HasPrefix(body, inner[0]) {
		f.use(FixFence)
		body = strings.TrimSpace(inner[2])
	}
	v, _, err := parsePrefix(body, f, false)
	obj, isObj := v.(map[string]any)
	if _, known := findTool(tools, name, &fixes{off: r.off}); err != nil || !isObj || !known {
		return nil, ""
	}
	data, err := encode(obj)
	if err != nil {
		return nil, ""
	}
	return []rawCall{{name: name, args: data, fixed: f.used}}, strings.TrimSpace(text[:m[0]])
}
