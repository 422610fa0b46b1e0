package event

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// Schema is the JSON Schema (draft 2020-12) of a line of the log: what every event has, and for each type its body.
func Schema() (*jsonschema.Schema, error) {
	opts := &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{reflect.TypeFor[json.RawMessage](): {}}}
	var types []Type
	for t := range bodies {
		types = append(types, t)
	}
	slices.Sort(types)
	line, err := jsonschema.ForType(reflect.TypeFor[Event](), opts)
	if err != nil {
		return nil, fmt.Errorf("event: schema of an event: %w", err)
	}
	line.Schema = "https://json-schema.org/draft/2020-12/schema"
	line.Title = fmt.Sprintf("a line of events.jsonl, version %d", Version)
	line.Properties["type"] = &jsonschema.Schema{Type: "string"}
	for _, t := range types {
		line.Properties["type"].Enum = append(line.Properties["type"].Enum, string(t))
		body, err := jsonschema.ForType(reflect.TypeOf(bodies[t]()).Elem(), opts)
		if err != nil {
			return nil, fmt.Errorf("event: schema of %s: %w", t, err)
		}
		var name any = string(t)
		line.OneOf = append(line.OneOf, &jsonschema.Schema{
			Title:      string(t),
			Properties: map[string]*jsonschema.Schema{"type": {Const: &name}, "body": body},
		})
	}
	return line, nil
}
