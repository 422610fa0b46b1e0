package reply

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"almanac/agents/llm"
)

// rawCall is a call as found, before its name and arguments are checked.
type rawCall struct {
	id    string
	name  string
	args  json.RawMessage // as written
	fixed []string        // repairs that were needed to find it
}

// nativeCalls reads the structured calls of the server.
func (r *Reader) nativeCalls(req *llm.Request, raw *llm.Response) ([]llm.ToolCall, *problem) {
	var calls []llm.ToolCall
	for _, c := range raw.Message.ToolCalls {
		call, p := r.check(req.Tools, rawCall{id: c.ID, name: c.Name, args: c.Arguments, fixed: c.Repairs}, false)
		if p != nil {
			return nil, p
		}
		calls = append(calls, call)
	}
	return calls, nil
}

// check resolves a call's name and arguments. A call that was cut off makes
// the whole reply useless; any other fault is put into the call's Problem.
// Text may lack its last brackets if the model ended its turn there.
func (r *Reader) check(tools []llm.ToolSpec, c rawCall, fromText bool) (llm.ToolCall, *problem) {
	f := &fixes{off: r.off, used: slices.Clone(c.fixed)}
	call := llm.ToolCall{ID: c.id, Name: c.name, Arguments: json.RawMessage("{}"), Obtained: llm.ObtainedNative}
	tool, known := findTool(tools, c.name, f)
	obj, p := argumentObject(c.args, f)
	switch {
	case p != nil && p.reason == llm.ReasonTruncated:
		return call, p
	case !known:
		call.ProblemKind = llm.ProblemUnknownTool
		call.Problem = fmt.Sprintf("there is no tool %q; there are: %s", c.name, strings.Join(toolNames(tools), ", "))
		if p == nil {
			if data, err := encode(obj); err == nil {
				call.Arguments = data
			}
		}
	case p != nil:
		call.Name = tool.Name
		call.ProblemKind, call.Problem = llm.ProblemInvalidArguments, fmt.Sprintf("%s: %s", tool.Name, p.message)
	default:
		call.Name = tool.Name
		r.checkArguments(tool, obj, f, &call)
	}
	call.Repairs = f.used
	if len(f.used) > 0 || fromText {
		call.Obtained = llm.ObtainedRepaired
	}
	return call, nil
}

func (r *Reader) checkArguments(tool llm.ToolSpec, obj map[string]any, f *fixes, call *llm.ToolCall) {
	n, err := r.schema(tool.Schema)
	if err != nil {
		call.ProblemKind, call.Problem = llm.ProblemInvalidArguments, fmt.Sprintf("%s: %v", tool.Name, err)
		return
	}
	args, _, faults := checked(n, obj, tool.Name, f)
	if args != nil {
		call.Arguments = args
	}
	if len(faults) > 0 {
		call.ProblemKind = llm.ProblemInvalidArguments
		call.Problem = fmt.Sprintf("%s: %s", tool.Name, strings.Join(faults, "; "))
	}
}

func toolNames(tools []llm.ToolSpec) []string {
	names := make([]string, len(tools))
	for i, t := range tools {
		names[i] = t.Name
	}
	return names
}

var namePrefix = regexp.MustCompile(`^(functions?|tools?|default_api)[.:]`)

// findTool finds a tool by its name, or, as a repair, by the one name that is
// equal but for case, separators, quotes, "()" or a "functions." in front.
func findTool(tools []llm.ToolSpec, name string, f *fixes) (llm.ToolSpec, bool) {
	for _, t := range tools {
		if t.Name == name {
			return t, true
		}
	}
	bare := strings.TrimSuffix(strings.Trim(name, " \t\r\n\"'`"), "()")
	for _, candidate := range []string{bare, namePrefix.ReplaceAllString(bare, "")} {
		if real, ok := foldedName(candidate, toolNames(tools)); ok && f.use(FixToolName) {
			i := slices.IndexFunc(tools, func(t llm.ToolSpec) bool { return t.Name == real })
			return tools[i], true
		}
	}
	return llm.ToolSpec{}, false
}

var (
	nameKeys     = []string{"name", "tool_name", "function_name", "tool", "function", "action", "recipient_name"}
	argumentKeys = []string{"arguments", "parameters", "args", "input", "params", "kwargs", "action_input", "tool_input"}
	besideKeys   = []string{"id", "type", "call_id", "tool_call_id", "index", "thought", "thoughts", "reasoning", "explanation"}
	wrapperKeys  = []string{"function", "function_call", "tool_call", "tool_calls", "calls", "tool_uses"}
)

// asCalls reads a parsed value as calls: one object, a list of them, or either
// inside a wrapper. It is all or nothing.
func asCalls(v any, tools []llm.ToolSpec) (calls []rawCall, ok bool) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			inner, ok := asCalls(item, tools)
			if !ok {
				return nil, false
			}
			calls = append(calls, inner...)
		}
		return calls, len(calls) > 0
	case map[string]any:
		if inner, wrapped := unwrapCall(v); wrapped {
			return asCalls(inner, tools)
		}
		c, ok := asCall(v, tools)
		return []rawCall{c}, ok
	}
	return nil, false
}

// unwrapCall opens {"function": {…}}, {"tool_calls": […]} and the like.
func unwrapCall(obj map[string]any) (any, bool) {
	for _, key := range wrapperKeys {
		inner, ok := obj[key]
		if !ok {
			continue
		}
		switch inner.(type) {
		case map[string]any, []any:
		default:
			continue
		}
		for other := range obj {
			if other != key && !slices.Contains(besideKeys, other) {
				return nil, false
			}
		}
		return inner, true
	}
	return nil, false
}

// asCall reads an object as a call. An object with any key that a call does
// not have is something else: a tool's description, a record of a result.
func asCall(obj map[string]any, tools []llm.ToolSpec) (rawCall, bool) {
	c := rawCall{}
	var nameKey, argsKey string
	for key, v := range obj {
		switch {
		case slices.Contains(argumentKeys, key):
			if argsKey != "" {
				return c, false
			}
			argsKey = key
		case slices.Contains(nameKeys, key):
			if _, isText := v.(string); !isText || nameKey != "" {
				return c, false
			}
			nameKey = key
		case !slices.Contains(besideKeys, key):
			return looseCall(obj, tools)
		}
	}
	if nameKey == "" {
		return c, false
	}
	c.name = obj[nameKey].(string)
	c.id, _ = obj["id"].(string)
	_, known := findTool(tools, c.name, &fixes{})
	if argsKey == "" {
		return c, known
	}
	if !known && (nameKey != "name" || argsKey != "arguments" && argsKey != "parameters") {
		return c, false
	}
	switch args := obj[argsKey].(type) {
	case map[string]any:
		if isSchema(args) {
			return c, false
		}
	case string, nil:
	default:
		return c, false
	}
	if nameKey != "name" || argsKey != "arguments" {
		c.fixed = append(c.fixed, FixCallKeys)
	}
	data, err := encode(obj[argsKey])
	c.args = data
	return c, err == nil
}

// isSchema recognises a tool's declaration repeated in place of arguments.
func isSchema(args map[string]any) bool {
	_, props := args["properties"].(map[string]any)
	return props && args["type"] == "object"
}

// looseCall reads {"tool": {…arguments}} and {"tool": "name", …arguments}: the
// name must be exactly a tool's, and the rest must satisfy its schema as it
// stands, with no key that the tool does not declare.
func looseCall(obj map[string]any, tools []llm.ToolSpec) (rawCall, bool) {
	for _, t := range tools {
		if args, ok := obj[t.Name].(map[string]any); ok && len(obj) == 1 {
			return exactCall(t, args)
		}
	}
	for _, key := range nameKeys[1:] { // "name" alone is too common in data
		name, ok := obj[key].(string)
		i := slices.IndexFunc(tools, func(t llm.ToolSpec) bool { return t.Name == name })
		if !ok || i < 0 {
			continue
		}
		args := map[string]any{}
		for k, v := range obj {
			if k != key && !slices.Contains(besideKeys, k) {
				args[k] = v
			}
		}
		return exactCall(tools[i], args)
	}
	return rawCall{}, false
}

func exactCall(t llm.ToolSpec, args map[string]any) (rawCall, bool) {
	n, err := parseSchema(t.Schema)
	if err != nil || len(validate(n, any(args))) > 0 {
		return rawCall{}, false
	}
	for name := range args {
		if _, declared := n.property(name); !declared {
			return rawCall{}, false
		}
	}
	data, err := encode(args)
	return rawCall{name: t.Name, args: data, fixed: []string{FixCallKeys}}, err == nil
}

// textCalls finds calls that came as text. rest is the prose around them; it
// is a comment and not an answer. Without calls the text is what it is.
func (r *Reader) textCalls(req *llm.Request, text, finish string, resp *llm.Response) ([]llm.ToolCall, string, *problem) {
	text = maskThoughts(text)
	found, rest, p := r.tagged(req.Tools, text, finish)
	if p != nil {
		return nil, "", p
	}
	if len(found) == 0 {
		if found, rest, p = r.blockCalls(req.Tools, text, finish, resp); p != nil {
			return nil, "", p
		}
	}
	if len(found) == 0 {
		found, rest = r.reactCall(req.Tools, text)
	}
	if len(found) == 0 {
		found, rest = r.toolTags(req.Tools, text)
	}
	if len(found) == 0 {
		rest = ""
		if found, p = r.pythonCalls(req.Tools, text, finish); p != nil {
			return nil, "", p
		}
	}
	calls := make([]llm.ToolCall, 0, len(found))
	for _, c := range found {
		call, p := r.check(req.Tools, c, true)
		if p != nil {
			return nil, "", p
		}
		calls = append(calls, call)
	}
	return calls, rest, nil
}

// blockCalls finds calls as JSON: the whole text, fences, or JSON that starts
// a line.
func (r *Reader) blockCalls(tools []llm.ToolSpec, text, finish string, resp *llm.Response) ([]rawCall, string, *problem) {
	if r.off[FixTextCall] {
		return nil, "", nil
	}
	candidates := blocks(text, r.fixes())
	var calls []rawCall
	var prose strings.Builder
	at := 0
	for _, b := range candidates {
		found, err := r.blockCall(tools, b, finish)
		if err != nil && strings.TrimSpace(text[:b.start]) == "" && looksLikeCall(b.body, tools) {
			return nil, "", unreadable(err)
		}
		if len(found) == 0 {
			continue
		}
		prose.WriteString(text[at:b.start])
		at = b.end
		calls = append(calls, found...)
	}
	prose.WriteString(text[at:])
	rest := strings.TrimSpace(prose.String())
	if len(calls) == 0 || rest == "" {
		return calls, rest, nil
	}
	if leftover := strings.Trim(rest, "]}) \t\r\n"); leftover == "" && !r.off[FixStrayCloser] {
		calls[len(calls)-1].fixed = append(calls[len(calls)-1].fixed, FixStrayCloser)
		return calls, "", nil
	}
	for _, c := range calls {
		if _, known := findTool(tools, c.name, &fixes{}); !known || isExample(rest) {
			resp.Notes = append(resp.Notes, fmt.Sprintf("JSON in the shape of a call of %s was left as text: the words around it do not make the call", c.name))
			return nil, "", nil
		}
	}
	return calls, rest, nil
}

// blockCall reads the calls of one block: one JSON value or several in a row.
func (r *Reader) blockCall(tools []llm.ToolSpec, b block, finish string) ([]rawCall, error) {
	f := r.fixes()
	if b.fenced {
		f.use(FixFence)
	}
	f.use(FixTextCall)
	var calls []rawCall
	for body := b.body; body != ""; {
		if body[0] != '{' && body[0] != '[' {
			if strings.Trim(body, "]}) \t\r\n") == "" && len(calls) > 0 && f.use(FixStrayCloser) {
				calls[len(calls)-1].fixed = append(calls[len(calls)-1].fixed, FixStrayCloser)
				break
			}
			return nil, nil
		}
		trial := &fixes{off: r.off, used: slices.Clone(f.used)}
		v, end, err := parsePrefix(body, trial, finish == llm.FinishStop)
		if err != nil {
			return nil, err
		}
		found, ok := asCalls(v, tools)
		if !ok || r.usesOff(found) {
			return nil, nil
		}
		for i := range found {
			found[i].fixed = append(slices.Clone(trial.used), found[i].fixed...)
		}
		calls = append(calls, found...)
		body = strings.TrimLeft(body[end:], " \t\r\n,;")
	}
	return calls, nil
}

// usesOff reports whether a call was found by a repair that is switched off.
func (r *Reader) usesOff(calls []rawCall) bool {
	return slices.ContainsFunc(calls, func(c rawCall) bool {
		return slices.ContainsFunc(c.fixed, func(id string) bool { return r.off[id] })
	})
}

// looksLikeCall reports whether broken JSON was meant to be a call of a tool
// that exists.
func looksLikeCall(body string, tools []llm.ToolSpec) bool {
	data := []byte(body)
	return slices.ContainsFunc(tools, func(t llm.ToolSpec) bool {
		return bytes.Contains(data, []byte(`"`+t.Name+`"`)) || bytes.Contains(data, []byte(`'`+t.Name+`'`))
	})
}
