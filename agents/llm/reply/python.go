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
func (r *Reader) pythonCalls(tools []llm.ToolSpec, text string) []rawCall {
	if r.off[FixPythonCall] {
		return nil
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
			return nil
		}
		calls = append(calls, c)
		body = strings.TrimLeft(body[n:], " \t\r\n,;")
	}
	return calls
}

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
	for {
		p.space()
		if p.i < len(s) && s[p.i] == ')' {
			p.i++
			break
		}
		m := argHead.FindStringSubmatch(s[p.i:])
		if m == nil {
			return rawCall{}, 0, false
		}
		p.i += len(m[0])
		v, err := p.value()
		if _, twice := args[m[1]]; err != nil || twice {
			return rawCall{}, 0, false
		}
		args[m[1]] = v
		p.space()
		if p.i < len(s) && s[p.i] == ',' {
			p.i++
		} else if p.i >= len(s) || s[p.i] != ')' {
			return rawCall{}, 0, false
		}
	}
	data, err := encode(args)
	return rawCall{name: name, args: data, fixed: p.fix.used}, p.i, err == nil
}
