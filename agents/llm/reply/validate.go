package reply

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"almanac/agents/llm"
)

// Arguments checks one call's arguments, already JSON, against a tool's schema
// with the certain repairs of types. It returns the arguments as one JSON
// object, the ids of the repairs, and what is wrong, each fault with its JSON
// pointer; with a fault the call must not be run.
func (r *Reader) Arguments(schema, args json.RawMessage) (out json.RawMessage, repairs, faults []string) {
	n, err := parseSchema(schema)
	if err != nil {
		return args, nil, []string{err.Error()}
	}
	f := r.fixes()
	obj, p := argumentObject(args, f)
	if p != nil {
		return args, f.used, []string{p.message}
	}
	return checked(n, obj, "", f)
}

func checked(n *schemaNode, obj map[string]any, tool string, f *fixes) (out json.RawMessage, repairs, faults []string) {
	v := coerce(n, unnest(n, obj, tool, f), f)
	out, err := encode(v)
	if err != nil {
		return nil, f.used, []string{err.Error()}
	}
	return out, f.used, validate(n, v)
}

// unnest takes {"arguments": {…}} off, where the tool has no such argument. Beside it may stand the name of the
// same tool once more; another tool's name is a fault.
func unnest(n *schemaNode, obj map[string]any, tool string, f *fixes) any {
	var inner map[string]any
	for key, v := range obj {
		if _, declared := n.property(key); declared {
			return obj
		}
		args, isObj := v.(map[string]any)
		name, isText := v.(string)
		switch {
		case isObj && inner == nil && slices.Contains(argumentKeys, key):
			inner = args
		case isText && slices.Contains(nameKeys, key) && names(name, tool):
		default:
			return obj
		}
	}
	if inner != nil && f.use(FixNested) {
		return inner
	}
	return obj
}

func names(text, tool string) bool {
	_, same := foldedName(text, []string{tool})
	return same && tool != ""
}

// argumentObject reads arguments as one object: an object, a JSON string that
// holds one, or nothing at all. Arguments that are cut off are not completed:
// a shorter path is another file.
func argumentObject(raw json.RawMessage, f *fixes) (map[string]any, *problem) {
	text := string(bytes.TrimSpace(raw))
	v, err := any(nil), error(nil)
	if text != "" {
		if v, err = parseWhole(text, f, false); err != nil {
			return nil, unreadable(err)
		}
	}
	for range 2 { // a string that holds a string that holds the object has been seen
		s, ok := v.(string)
		if !ok {
			break
		}
		if inner := strings.TrimSpace(s); inner == "" || inner == "null" || inner == "None" {
			v = nil
			break
		}
		body, _ := stripFence(s, f)
		if v, err = parseWhole(body, f, false); err != nil {
			return nil, unreadable(err)
		}
		if !f.use(FixStringArgs) {
			return nil, &problem{llm.ReasonUnreadable, "the arguments are a string, not an object"}
		}
	}
	switch v := v.(type) {
	case map[string]any:
		return v, nil
	case nil:
		if f.use(FixEmpty) {
			return map[string]any{}, nil
		}
	case []any:
		if len(v) == 0 && f.use(FixEmpty) {
			return map[string]any{}, nil
		}
	}
	return nil, &problem{llm.ReasonUnreadable, fmt.Sprintf("the arguments are a value of type %s, not an object", typeOf(v))}
}

func unreadable(err error) *problem {
	if e, ok := err.(*syntaxError); ok && e.cut {
		return &problem{llm.ReasonTruncated, "the reply was cut off within a call's arguments: " + e.Error()}
	}
	return &problem{llm.ReasonUnreadable, "the arguments are not JSON: " + err.Error()}
}

// validate lists what is wrong with v, each fault with a JSON pointer. Types,
// required names and unknown names are found here, all at once; the rest of
// the schema (patterns, limits) is checked by the schema library.
func validate(n *schemaNode, v any) []string {
	var faults []string
	walk(n, v, "", &faults)
	if len(faults) > 0 {
		return faults
	}
	plain, fault := plainNumbers(v, "")
	if fault != "" {
		return []string{fault}
	}
	if err := n.resolved.Validate(plain); err != nil {
		return []string{lastPart(err)}
	}
	return nil
}

// lastPart drops the library's repeated preambles, which name Go types and no
// path that a model could use.
func lastPart(err error) string {
	s := err.Error()
	if i := strings.LastIndex(s, "validating "); i >= 0 {
		s = strings.TrimPrefix(s[i:], "validating ")
	}
	return strings.ReplaceAll(s, "/properties/", "/")
}

func walk(n *schemaNode, v any, at string, faults *[]string) {
	t := typeOf(v)
	if !n.allows(t) {
		want := strings.Join(n.types(), " or ")
		*faults = append(*faults, fmt.Sprintf("expected %s at %s, got %s", want, pointer(at), shown(v)))
		return
	}
	switch v := v.(type) {
	case json.Number:
		walkNumber(n, v, at, faults)
	case string:
		walkString(n, v, at, faults)
	case []any:
		if n.schema.Items != nil {
			for i := range v {
				walk(n.items(), v[i], at+"/"+strconv.Itoa(i), faults)
			}
		}
	case map[string]any:
		walkObject(n, v, at, faults)
	}
}

func walkNumber(n *schemaNode, num json.Number, at string, faults *[]string) {
	if typeOf(num) == "integer" && slices.Contains(n.types(), "integer") {
		if _, err := strconv.ParseInt(string(num), 10, 64); err != nil {
			*faults = append(*faults, fmt.Sprintf("the integer %s at %s is beyond 64 bits", num, pointer(at)))
		}
	}
}

func walkString(n *schemaNode, s, at string, faults *[]string) {
	for _, r := range s {
		if r < 0x20 && r != '\n' && r != '\r' && r != '\t' || r >= 0x7f && r < 0xa0 {
			*faults = append(*faults, fmt.Sprintf("control character U+%04X at %s: write the letter itself", r, pointer(at)))
			return
		}
		if r == utf8.RuneError {
			*faults = append(*faults, fmt.Sprintf("a character that was lost (U+FFFD) at %s: write the letter itself", pointer(at)))
			return
		}
	}
	if len(n.schema.Enum) > 0 && !slices.Contains(n.schema.Enum, any(s)) {
		values := make([]string, len(n.schema.Enum))
		for i, e := range n.schema.Enum {
			values[i] = fmt.Sprint(e)
		}
		*faults = append(*faults, fmt.Sprintf("%.60q at %s is none of: %s", s, pointer(at), strings.Join(values, ", ")))
	}
}

func walkObject(n *schemaNode, obj map[string]any, at string, faults *[]string) {
	for _, name := range n.schema.Required {
		if _, ok := obj[name]; !ok {
			*faults = append(*faults, fmt.Sprintf("missing required %q at %s%s", name, pointer(at), wanted(n, name)))
		}
	}
	for _, name := range sortedKeys(obj) {
		prop, known := n.property(name)
		switch {
		case known:
			walk(prop, obj[name], at+"/"+escapePointer(name), faults)
		case n.closed():
			*faults = append(*faults, fmt.Sprintf("unknown %q at %s; there are: %s",
				name, pointer(at), strings.Join(n.properties(), ", ")))
		}
	}
}

// wanted describes a property for the model that left it out.
func wanted(n *schemaNode, name string) string {
	prop, ok := n.property(name)
	if !ok {
		return ""
	}
	kind := strings.Join(prop.types(), " or ")
	if d := prop.schema.Description; d != "" {
		return fmt.Sprintf(" (%s: %s)", kind, d)
	}
	if kind == "" {
		return ""
	}
	return fmt.Sprintf(" (%s)", kind)
}

func pointer(at string) string {
	if at == "" {
		return "/"
	}
	return at
}

func escapePointer(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

func shown(v any) string {
	data, err := encode(v)
	if err != nil {
		return typeOf(v)
	}
	return fmt.Sprintf("%s %.60s", typeOf(v), data)
}

// plainNumbers turns json.Number into int64 or float64, which the schema
// library takes for numbers.
func plainNumbers(v any, at string) (any, string) {
	switch v := v.(type) {
	case json.Number:
		if i, err := strconv.ParseInt(string(v), 10, 64); err == nil {
			return i, ""
		}
		x, err := strconv.ParseFloat(string(v), 64)
		if err != nil {
			return nil, fmt.Sprintf("the number %.40s at %s is out of range", v, pointer(at))
		}
		return x, ""
	case []any:
		out := make([]any, len(v))
		for i := range v {
			x, fault := plainNumbers(v[i], at+"/"+strconv.Itoa(i))
			if fault != "" {
				return nil, fault
			}
			out[i] = x
		}
		return out, ""
	case map[string]any:
		out := make(map[string]any, len(v))
		for k := range v {
			x, fault := plainNumbers(v[k], at+"/"+escapePointer(k))
			if fault != "" {
				return nil, fault
			}
			out[k] = x
		}
		return out, ""
	}
	return v, ""
}
