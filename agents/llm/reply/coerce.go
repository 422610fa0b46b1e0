package reply

import (
	"encoding/json"
	"math/big"
	"regexp"
	"slices"
	"sort"
	"strings"
)

// typeOf is the JSON type of a parsed value; "integer" for a number without a
// fraction as written.
func typeOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case json.Number:
		if integerText.MatchString(string(v)) {
			return "integer"
		}
		return "number"
	case float64:
		if v == float64(int64(v)) {
			return "integer"
		}
		return "number"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return "unknown"
}

var integerText = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)

// coerce brings v to the types of the schema where that has one meaning, and
// leaves it as it is otherwise: validate then says what is wrong.
func coerce(n *schemaNode, v any, f *fixes) any {
	v = coerceSelf(n, v, f)
	switch v := v.(type) {
	case map[string]any:
		return coerceObject(n, v, f)
	case []any:
		if n.schema.Items == nil {
			return v
		}
		items := n.items()
		out := make([]any, len(v))
		for i := range v {
			out[i] = coerce(items, v[i], f)
		}
		return out
	}
	return v
}

func coerceObject(n *schemaNode, obj map[string]any, f *fixes) any {
	out := map[string]any{}
	for _, name := range sortedKeys(obj) {
		v := obj[name]
		prop, known := n.property(name)
		if !known {
			if real, ok := foldedName(name, n.properties()); ok {
				if _, taken := obj[real]; !taken && f.use(FixKeyCase) {
					name = real
					prop, known = n.property(name)
				}
			}
		}
		if !known {
			out[name] = v
			continue
		}
		v = coerce(prop, v, f)
		if v == nil && !prop.allows("null") && !slices.Contains(n.schema.Required, name) && f.use(FixNullDropped) {
			continue
		}
		out[name] = v
	}
	return out
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// foldedName finds the one name that equals s but for case and separators.
func foldedName(s string, names []string) (string, bool) {
	found := ""
	for _, name := range names {
		if fold(name) == fold(s) {
			if found != "" {
				return "", false
			}
			found = name
		}
	}
	return found, found != ""
}

// separators is made once: a replacer holds tables of several kilobytes.
var separators = strings.NewReplacer("_", "", "-", "", " ", "", ".", "")

func fold(s string) string { return separators.Replace(strings.ToLower(s)) }

// coerceSelf changes the value's own type, not what is inside it.
func coerceSelf(n *schemaNode, v any, f *fixes) any {
	if num, ok := v.(json.Number); ok {
		return coerceNumber(n, num, f)
	}
	if n.allows(typeOf(v)) {
		if s, ok := v.(string); ok {
			return coerceEither(n, s, f)
		}
		return v
	}
	switch v := v.(type) {
	case string:
		return coerceString(n, v, f)
	case []any:
		if len(v) == 1 && !n.allows("array") && isScalar(v[0]) {
			trial := &fixes{off: f.off}
			inner := coerceSelf(n, v[0], trial)
			if n.allows(typeOf(inner)) && f.use(FixUnwrapList) {
				f.used = append(f.used, trial.used...)
				return inner
			}
		}
	case bool, map[string]any:
		return wrapList(n, v, f)
	}
	return v
}

// coerceEither reads a text where the schema wants a text or something else: a number or the handle of one, a box or the
// name of a place. What is a number or an object in full is meant as that.
func coerceEither(n *schemaNode, s string, f *fixes) any {
	text := strings.TrimSpace(s)
	if n.types() != nil && n.allows("number") && validNumber(strings.TrimPrefix(text, "+")) && f.use(FixScalar) {
		return json.Number(strings.TrimPrefix(text, "+"))
	}
	if n.types() != nil && n.allows("object") && strings.HasPrefix(text, "{") {
		if v, ok := unwrapString(n, text, f); ok {
			return v
		}
	}
	return coerceEnum(n, s, f)
}

func isScalar(v any) bool {
	switch v.(type) {
	case []any, map[string]any, nil:
		return false
	}
	return true
}

func coerceNumber(n *schemaNode, num json.Number, f *fixes) any {
	if n.allows("number") {
		return num
	}
	if n.allows("integer") {
		if typeOf(num) == "integer" {
			return num
		}
		if whole, ok := wholeNumber(string(num)); ok && f.use(FixInteger) {
			return json.Number(whole)
		}
		return num
	}
	if n.allows("string") && f.use(FixScalar) {
		return coerceEnum(n, string(num), f)
	}
	return wrapList(n, num, f)
}

// wholeNumber writes 3.0 or 1e3 as an integer, if it is one of at most 19 digits.
func wholeNumber(s string) (string, bool) {
	if e := strings.IndexAny(s, "eE"); e >= 0 && len(s)-e > 4 {
		return "", false // an exponent that no 64-bit integer has
	}
	r, ok := new(big.Rat).SetString(s)
	if !ok || !r.IsInt() || len(r.Num().String()) > 20 {
		return "", false
	}
	return r.Num().String(), true
}

func coerceString(n *schemaNode, s string, f *fixes) any {
	text := strings.TrimSpace(s)
	if n.allows("integer") || n.allows("number") {
		if num := strings.TrimPrefix(text, "+"); validNumber(num) {
			if n.allows("number") && f.use(FixScalar) {
				return json.Number(num)
			}
			if whole, ok := wholeNumber(num); ok && f.use(FixScalar) {
				return json.Number(whole)
			}
		}
	}
	if n.allows("boolean") {
		switch text {
		case "true", "True", "TRUE", "false", "False", "FALSE":
			if f.use(FixScalar) {
				return strings.EqualFold(text, "true")
			}
		}
	}
	if text == "null" || text == "None" {
		if f.use(FixScalar) {
			return nil
		}
	}
	if n.allows("object") || n.allows("array") {
		if v, ok := unwrapString(n, text, f); ok {
			return v
		}
	}
	return wrapList(n, s, f)
}

// unwrapString reads an object or list that stands as text where the schema
// wants one.
func unwrapString(n *schemaNode, text string, f *fixes) (any, bool) {
	if !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "[") || !f.may(FixStringValue) {
		return nil, false
	}
	trial := &fixes{off: f.off}
	v, err := parseWhole(text, trial, false)
	if err != nil || !n.allows(typeOf(v)) {
		return nil, false
	}
	f.use(FixStringValue)
	f.used = append(f.used, trial.used...)
	return v, true
}

// wrapList makes a list of a single value, if the schema wants a list of such.
// Text with a comma may be several values, and is left alone.
func wrapList(n *schemaNode, v any, f *fixes) any {
	if !n.allows("array") || n.types() == nil || n.schema.Items == nil {
		return v
	}
	if s, ok := v.(string); ok && strings.ContainsAny(s, ",;\n[]{}") {
		return v
	}
	trial := &fixes{off: f.off}
	inner := coerceSelf(n.items(), v, trial)
	if n.items().types() == nil || !n.items().allows(typeOf(inner)) || !f.use(FixWrapList) {
		return v
	}
	f.used = append(f.used, trial.used...)
	return []any{inner}
}

// coerceEnum finds the one value of an enum that equals s but for case and
// blanks around it.
func coerceEnum(n *schemaNode, s string, f *fixes) any {
	if len(n.schema.Enum) == 0 || slices.Contains(n.schema.Enum, any(s)) {
		return s
	}
	found := []string{}
	for _, e := range n.schema.Enum {
		if name, ok := e.(string); ok && strings.EqualFold(name, strings.TrimSpace(s)) {
			found = append(found, name)
		}
	}
	if len(found) == 1 && f.use(FixEnumCase) {
		return found[0]
	}
	return s
}
