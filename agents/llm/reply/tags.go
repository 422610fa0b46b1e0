package reply

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"almanac/agents/llm"
)

// callTags are the marks that models put around calls. An empty closer means
// that the call runs to the end.
var callTags = []struct{ open, closer string }{
	{"<tool_calls>", "</tool_calls>"},
	{"<tool_call>", "</tool_call>"},
	{"<function_call>", "</function_call>"},
	{"<functioncall>", "</functioncall>"},
	{"<function_calls>", "</function_calls>"},
	{"<tools>", "</tools>"},
	{"<|tool_call|>", "<|/tool_call|>"},
	{"<|tool_call>", "<tool_call|>"},
	{"<|python_tag|>", "<|eom_id|>"},
	{"[TOOL_CALLS]", "[/TOOL_CALLS]"},
	{"[TOOL_REQUEST]", "[END_TOOL_REQUEST]"},
	{"<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"},
}

var (
	functionTag  = regexp.MustCompile(`^<(?:function[=(]|function name=|invoke name=|tool name=|tool_call name=|function_call name=)["']?([A-Za-z0-9_.:-]+)["']?\)?\s*>?`)
	functionEnds = regexp.MustCompile(`^\s*</(?:function|invoke|tool|tool_call|function_call)>`)
	parameterTag = regexp.MustCompile(`^\s*<parameter(?:=| name=)["']?([^>"'\s]+)["']?\s*>`)
	channelCall  = regexp.MustCompile(`^<\|channel\|>commentary to=(?:functions\.)?([A-Za-z0-9_.-]+)[^{]{0,60}<\|message\|>\s*`)
	argKeyTag    = regexp.MustCompile(`^\s*<arg_key>\s*([^<]+?)\s*</arg_key>\s*<arg_value>`)
	deepSeekCall = regexp.MustCompile("(?s)^<｜tool▁call▁begin｜>(?:function<｜tool▁sep｜>)?([^\n<｜]+)(?:<｜tool▁sep｜>)?\\s*(?:```(?:json)?)?\\s*")
)

// tagged finds calls between tags, and functions named in a tag. It takes
// them out of the text; the rest is prose.
func (r *Reader) tagged(tools []llm.ToolSpec, text, finish string) (calls []rawCall, rest string, p *problem) {
	var prose strings.Builder
	at := 0
	for at < len(text) {
		start, open, closer := nextTag(text, at)
		if start < 0 || r.off[FixTaggedCall] && open != "" || r.off[FixFunctionTag] && open == "" {
			break
		}
		found, end, err := r.tagBody(tools, text[start+len(open):], open != "", finish)
		if err != nil {
			return nil, "", unreadable(err)
		}
		end += start + len(open)
		if len(found) == 0 || quotedTag(text, start) {
			prose.WriteString(text[at : start+1])
			at = start + 1
			continue
		}
		prose.WriteString(text[at:start])
		calls = append(calls, found...)
		after := strings.TrimLeft(text[end:], " \t\r\n")
		if closer != "" && strings.HasPrefix(after, closer) {
			end = len(text) - len(after) + len(closer)
		}
		at = end
	}
	prose.WriteString(text[at:])
	rest = prose.String()
	if len(calls) > 0 { // tags that were left over are no comment
		for _, t := range callTags {
			rest = strings.NewReplacer(t.open, "", t.closer, "").Replace(rest)
		}
	}
	rest = strings.TrimSpace(rest)
	if bare := strings.Trim(rest, "` \t\r\n"); bare == "" || bare == "xml" || bare == "json" {
		rest = ""
	}
	return calls, rest, nil
}

// anyTag finds where the next tag begins.
var anyTag = func() *regexp.Regexp {
	forms := []string{`<function[=(]`, `<(?:function|invoke|tool|tool_call|function_call) name=`, `<\|channel\|>commentary to=`}
	for _, t := range callTags {
		forms = append(forms, regexp.QuoteMeta(t.open))
	}
	return regexp.MustCompile(strings.Join(forms, "|"))
}()

// nextTag finds the first tag from position at on; -1 if there is none. open
// is empty for a tag that names a function itself.
func nextTag(text string, at int) (start int, open, closer string) {
	m := anyTag.FindStringIndex(text[at:])
	if m == nil {
		return -1, "", ""
	}
	start = at + m[0]
	for _, t := range callTags {
		if t.open == text[start:at+m[1]] {
			return start, t.open, t.closer
		}
	}
	return start, "", ""
}

// quotedTag reports whether a tag is spoken of and not used: inside inline
// code, or led in as an example.
func quotedTag(text string, start int) bool {
	before := text[:start]
	line := before[strings.LastIndexByte(before, '\n')+1:]
	if strings.Count(strings.ReplaceAll(line, "```", ""), "`")%2 == 1 {
		return true
	}
	lead := strings.TrimSpace(before)
	if i := strings.LastIndex(lead, "```"); i >= 0 && strings.Count(lead, "```")%2 == 1 {
		lead = strings.TrimSpace(lead[:i])
	}
	lead = lead[strings.LastIndexByte(lead, '\n')+1:]
	return lead != "" && isExample(lead)
}

// tagBody reads the calls after an opening tag, and where they end. No call
// means that the tag was not followed by one.
func (r *Reader) tagBody(tools []llm.ToolSpec, s string, inTag bool, finish string) ([]rawCall, int, error) {
	f := r.fixes()
	if inTag {
		f.use(FixTaggedCall)
	}
	var calls []rawCall
	at := 0
	for at < len(s) {
		body := strings.TrimLeft(s[at:], " \t\r\n,;")
		lead := len(s) - len(body)
		found, n, err := r.oneTagged(tools, body, f, finish)
		if err != nil {
			return nil, 0, err
		}
		if len(found) == 0 {
			break
		}
		calls = append(calls, found...)
		at = lead + n
		if !inTag {
			break
		}
	}
	return calls, at, nil
}

// oneTagged reads one call at the start of s in any of the forms that stand
// inside tags.
func (r *Reader) oneTagged(tools []llm.ToolSpec, s string, f *fixes, finish string) ([]rawCall, int, error) {
	if m := functionTag.FindStringSubmatch(s); m != nil {
		return r.functionBody(m[1], s, len(m[0]), f)
	}
	if m := channelCall.FindStringSubmatch(s); m != nil {
		return r.namedJSON(m[1], s, len(m[0]), f)
	}
	if m := deepSeekCall.FindStringSubmatch(s); m != nil {
		c, n, err := r.namedJSON(strings.TrimSpace(m[1]), s, len(m[0]), f)
		if i := strings.Index(s[n:], "<｜tool▁call▁end｜>"); err == nil && i >= 0 {
			n += i + len("<｜tool▁call▁end｜>")
		}
		return c, n, err
	}
	if strings.HasPrefix(s, "{") || strings.HasPrefix(s, "[") {
		trial := &fixes{off: r.off, used: slices.Clone(f.used)}
		v, end, err := parsePrefix(s, trial, finish == llm.FinishStop)
		if err != nil {
			return nil, 0, err
		}
		calls, ok := asCalls(v, tools)
		if !ok || r.usesOff(calls) {
			return nil, 0, nil
		}
		for i := range calls {
			calls[i].fixed = append(slices.Clone(trial.used), calls[i].fixed...)
		}
		return calls, end, nil
	}
	for _, t := range tools { // name, then JSON or <arg_key> pairs
		if rest, ok := strings.CutPrefix(s, t.Name); ok {
			trimmed := strings.TrimLeft(strings.TrimPrefix(rest, "[ARGS]"), " \t\r\n")
			n := len(s) - len(trimmed)
			if strings.HasPrefix(trimmed, "{") {
				return r.namedJSON(t.Name, s, n, f)
			}
			if args, end, ok := argPairs(trimmed); ok {
				return []rawCall{{name: t.Name, args: args, fixed: slices.Clone(f.used)}}, n + end, nil
			}
		}
	}
	if c, n, ok := r.pythonCall(tools, s, f); ok && r.usable(c) {
		return []rawCall{c}, n, nil
	}
	return nil, 0, nil
}

func (r *Reader) usable(c rawCall) bool { return !r.usesOff([]rawCall{c}) }

func (r *Reader) namedJSON(name, s string, at int, f *fixes) ([]rawCall, int, error) {
	trial := &fixes{off: r.off, used: slices.Clone(f.used)}
	v, n, err := parsePrefix(s[at:], trial, false)
	if err != nil {
		return nil, 0, err
	}
	data, err := encode(v)
	return []rawCall{{name: name, args: data, fixed: trial.used}}, at + n, err
}

// functionBody reads what follows a tag that names the function: JSON, or
// parameters in tags of their own.
func (r *Reader) functionBody(name, s string, at int, f *fixes) ([]rawCall, int, error) {
	call := rawCall{name: name, fixed: append(slices.Clone(f.used), FixFunctionTag)}
	body := strings.TrimLeft(s[at:], " \t\r\n")
	if strings.HasPrefix(body, "{") {
		start := len(s) - len(body)
		calls, n, err := r.namedJSON(name, s, start, &fixes{off: r.off, used: call.fixed})
		return calls, n + len(functionEnds.FindString(s[min(n, len(s)):])), err
	}
	args := map[string]any{}
	for {
		m := parameterTag.FindStringSubmatch(s[at:])
		if m == nil {
			break
		}
		at += len(m[0])
		end := strings.Index(s[at:], "</parameter>")
		if end < 0 {
			return nil, 0, &syntaxError{at: len(s), message: "the text ends within a parameter", cut: true}
		}
		args[m[1]] = oneNewlineOff(s[at : at+end])
		at += end + len("</parameter>")
	}
	closer := functionEnds.FindString(s[at:])
	if closer == "" && len(args) == 0 {
		return nil, 0, nil // a tag that is spoken of
	}
	data, err := encode(args)
	call.args = data
	return []rawCall{call}, at + len(closer), err
}

func oneNewlineOff(s string) string {
	return strings.TrimSuffix(strings.TrimPrefix(s, "\n"), "\n")
}

// argPairs reads <arg_key>k</arg_key><arg_value>v</arg_value> pairs.
func argPairs(s string) (json.RawMessage, int, bool) {
	args := map[string]any{}
	at := 0
	for {
		m := argKeyTag.FindStringSubmatch(s[at:])
		if m == nil {
			break
		}
		at += len(m[0])
		end := strings.Index(s[at:], "</arg_value>")
		if end < 0 {
			return nil, 0, false
		}
		args[m[1]] = s[at : at+end]
		at += end + len("</arg_value>")
	}
	data, err := encode(args)
	return data, at, len(args) > 0 && err == nil
}

var childTag = regexp.MustCompile(`^\s*<([A-Za-z_][A-Za-z0-9_]*)>`)

// toolTags reads <tool><argument>value</argument></tool>, where the outer tag
// is exactly a tool's name and each inner one an argument that it declares.
func (r *Reader) toolTags(tools []llm.ToolSpec, text string) ([]rawCall, string) {
	if r.off[FixFunctionTag] {
		return nil, ""
	}
	for _, t := range tools {
		start := strings.Index(text, "<"+t.Name+">")
		if start < 0 || quotedTag(text, start) {
			continue
		}
		body := text[start+len(t.Name)+2:]
		end := strings.Index(body, "</"+t.Name+">")
		if end < 0 {
			continue
		}
		if args, ok := childArguments(t, body[:end]); ok {
			rest := text[:start] + body[end+len(t.Name)+3:]
			return []rawCall{{name: t.Name, args: args, fixed: []string{FixFunctionTag}}}, strings.TrimSpace(rest)
		}
	}
	return nil, ""
}

func childArguments(t llm.ToolSpec, body string) (json.RawMessage, bool) {
	n, err := parseSchema(t.Schema)
	if err != nil {
		return nil, false
	}
	args := map[string]any{}
	for strings.TrimSpace(body) != "" {
		m := childTag.FindStringSubmatch(body)
		if m == nil {
			return nil, false
		}
		if _, declared := n.property(m[1]); !declared {
			return nil, false
		}
		inner := body[len(m[0]):]
		end := strings.Index(inner, "</"+m[1]+">")
		if end < 0 {
			return nil, false
		}
		args[m[1]] = oneNewlineOff(inner[:end])
		body = inner[end+len(m[1])+3:]
	}
	data, err := encode(args)
	return data, err == nil
}
