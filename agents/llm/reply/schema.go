package reply

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// wireKeywords are the schema keywords that every server of interest takes.
// Others make one server refuse the schema and another ignore all of it, so
// they are removed for the wire and checked here.
var wireKeywords = []string{
	"type", "properties", "required", "items", "enum", "const", "anyOf", "oneOf", "description",
	"additionalProperties", "$ref", "$defs", "minItems", "maxItems",
}

// WireSchema is the form of a JSON schema that servers take: keywords that
// some refuse or ignore (pattern, format, minimum, …) are left out, and a
// union with null is reduced to what is not null. The whole schema is checked
// on this side when the reply comes. Keys are sorted. An empty schema gives
// that of an object without properties.
func WireSchema(schema json.RawMessage) (json.RawMessage, error) {
	if len(bytes.TrimSpace(schema)) == 0 {
		return json.RawMessage(`{"properties":{},"type":"object"}`), nil
	}
	var v any
	dec := json.NewDecoder(bytes.NewReader(schema))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		return nil, fmt.Errorf("reply: reading a schema: %w", err)
	}
	return encode(wireForm(v))
}

// wireForm reduces one schema.
func wireForm(v any) any {
	obj, ok := v.(map[string]any)
	if !ok {
		return v // true or false
	}
	out := map[string]any{}
	for _, key := range wireKeywords {
		sub, ok := obj[key]
		if !ok {
			continue
		}
		switch key {
		case "properties", "$defs":
			if m, ok := sub.(map[string]any); ok {
				props := map[string]any{}
				for name, s := range m {
					props[name] = wireForm(s)
				}
				sub = props
			}
		case "items", "additionalProperties":
			sub = wireForm(sub)
		case "anyOf", "oneOf":
			sub = wireUnion(sub)
		case "type":
			sub = withoutNull(sub)
		}
		out[key] = sub
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		if list, ok := out[key].([]any); ok && len(list) == 1 {
			if only, ok := list[0].(map[string]any); ok {
				delete(out, key)
				for k, s := range only {
					if _, taken := out[k]; !taken {
						out[k] = s
					}
				}
			}
		}
	}
	return out
}

func wireUnion(v any) any {
	list, ok := v.([]any)
	if !ok {
		return v
	}
	out := []any{}
	for _, s := range list {
		if m, ok := s.(map[string]any); ok && m["type"] == "null" && len(list) > 1 {
			continue
		}
		out = append(out, wireForm(s))
	}
	return out
}

func withoutNull(v any) any {
	list, ok := v.([]any)
	if !ok {
		return v
	}
	kept := slices.DeleteFunc(slices.Clone(list), func(t any) bool { return t == "null" })
	if len(kept) == 1 {
		return kept[0]
	}
	return kept
}

// schemaNode is a resolved schema with what is needed to walk it.
type schemaNode struct {
	root     *jsonschema.Schema
	schema   *jsonschema.Schema
	resolved *jsonschema.Resolved
}

func parseSchema(data json.RawMessage) (*schemaNode, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		data = json.RawMessage(`{"type":"object"}`)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, fmt.Errorf("reply: reading a schema: %w", err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		return nil, fmt.Errorf("reply: resolving a schema: %w", err)
	}
	return &schemaNode{root: &s, schema: &s, resolved: resolved}, nil
}

// at is the node of a sub-schema, local references followed.
func (n *schemaNode) at(s *jsonschema.Schema) *schemaNode {
	for range maxDepth {
		if s == nil || s.Ref == "" {
			break
		}
		name, local := strings.CutPrefix(s.Ref, "#/$defs/")
		if !local {
			name, local = strings.CutPrefix(s.Ref, "#/definitions/")
		}
		next := n.root.Defs[name]
		if next == nil {
			next = n.root.Definitions[name]
		}
		if !local || next == nil {
			break
		}
		s = next
	}
	if s == nil {
		s = &jsonschema.Schema{}
	}
	return &schemaNode{root: n.root, schema: s}
}

// types lists the JSON types that the schema allows; nil for any.
func (n *schemaNode) types() []string {
	s := n.schema
	switch {
	case s.Type != "":
		return []string{s.Type}
	case len(s.Types) > 0:
		return s.Types
	case len(s.Enum) > 0:
		return typesOf(s.Enum)
	case s.Const != nil:
		return typesOf([]any{*s.Const})
	}
	var all []string
	for _, sub := range append(slices.Clone(s.AnyOf), s.OneOf...) {
		types := n.at(sub).types()
		if types == nil {
			return nil
		}
		all = append(all, types...)
	}
	return all
}

func typesOf(values []any) []string {
	var types []string
	for _, v := range values {
		if t := typeOf(v); !slices.Contains(types, t) {
			types = append(types, t)
		}
	}
	return types
}

// allows reports whether a value of type t may stand here.
func (n *schemaNode) allows(t string) bool {
	types := n.types()
	return types == nil || slices.Contains(types, t) || t == "integer" && slices.Contains(types, "number")
}

// property is the node of an object's property; false if none is declared.
func (n *schemaNode) property(name string) (*schemaNode, bool) {
	if s, ok := n.schema.Properties[name]; ok {
		return n.at(s), true
	}
	for _, sub := range append(slices.Clone(n.schema.AnyOf), n.schema.OneOf...) {
		if s, ok := n.at(sub).schema.Properties[name]; ok {
			return n.at(s), true
		}
	}
	return nil, false
}

// properties lists the declared names, sorted.
func (n *schemaNode) properties() []string {
	names := make([]string, 0, len(n.schema.Properties))
	for name := range n.schema.Properties {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// closed reports whether names that are not declared are refused.
func (n *schemaNode) closed() bool {
	extra := n.schema.AdditionalProperties
	return extra != nil && extra.Not != nil && len(n.schema.PatternProperties) == 0
}

// items is the node of a list's items.
func (n *schemaNode) items() *schemaNode { return n.at(n.schema.Items) }
