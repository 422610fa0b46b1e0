package importlog

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"almanac/eval/internal/pyjson"
	"almanac/eval/metric"
	"almanac/orchestrator/event"
	"almanac/toolkits"
)

// caller puts recorded calls into the form of our own.
type caller struct {
	tools *toolkits.Registry
	env   *toolkits.Env
	ids   map[string]string         // the log's ids of calls, to ours
	made  map[string]*toolkits.Tool // by our id: the tool that was called, nil for one that is not ours
}

// toolOf finds a tool by its name, or by the name that has "_" for its dot, as interfaces demand.
func (c *caller) toolOf(name string) *toolkits.Tool {
	for _, t := range c.tools.Tools() {
		if t.Name == name || strings.ReplaceAll(t.Name, ".", "_") == name {
			return t
		}
	}
	return nil
}

// call is the event of a recorded call. One of a tool that does not exist here, or whose arguments the tool's schema
// refuses, is not valid.
func (c *caller) call(ctx context.Context, id string, recorded Call) *event.ToolCall {
	tool := c.toolOf(recorded.Name)
	raw := recorded.Raw
	if raw == "" {
		raw = encoded(recorded.Arguments)
	}
	e := &event.ToolCall{
		ID: id, Tool: recorded.Name, Agent: agent, Item: -1, Arguments: []event.Argument{}, Effect: string(toolkits.Pure), Raw: raw,
		Statement: recorded.Name + "(" + raw + ")",
	}
	sum := sha256.Sum256([]byte(e.Statement))
	e.Key = hex.EncodeToString(sum[:])
	if tool == nil || recorded.Arguments == nil {
		if tool != nil {
			e.Tool, e.Group = tool.Name, tool.Group
		}
		return e
	}
	e.Tool, e.Version, e.Group, e.Check, e.Resolver, e.Effect = tool.Name, tool.Version, tool.Group, tool.Check, tool.Resolver, string(tool.Effect)
	if args, key, ok := c.bind(ctx, tool, recorded.Arguments); ok {
		e.Arguments, e.Valid, e.Raw = args, true, ""
		if key != "" {
			e.Key = key
		}
	}
	return e
}

// bind makes canonical arguments. An argument that names the result of an earlier call is that result, which the log
// does not hold; a number whose unit is that of such a result is taken as it stands; the rest is bound as our own calls
// are. key is empty where there is such a result.
func (c *caller) bind(ctx context.Context, tool *toolkits.Tool, given map[string]any) (args []event.Argument, key string, ok bool) {
	values := map[string]toolkits.Value{}
	results := map[string]event.Argument{}
	for name, v := range given {
		p, known := tool.Param(name)
		if !known {
			return nil, "", false
		}
		if in, ok := c.result(v, p.Kinds); ok {
			results[name] = event.Argument{Name: name, Rule: metric.RuleArtifact, Inputs: []toolkits.Input{in}}
		}
	}
	set := maps.Clone(results) // what is not for the binder
	for name, v := range given {
		p, _ := tool.Param(name)
		if _, ok := set[name]; ok {
			continue
		}
		if number, ok := v.(pyjson.Literal); ok && dependsOn(p, results) {
			set[name] = event.Argument{Name: name, Rule: metric.RuleNumber, Value: number.Float(), Literal: true, Tolerance: p.Tolerance}
			continue
		}
		value, err := toolkits.Literal(pyjson.Plain(v))
		if err != nil {
			return nil, "", false
		}
		values[name] = value
	}
	bound, err := lacking(tool, set).Bind(ctx, c.env, values)
	if err != nil {
		return nil, "", false
	}
	args = slices.Clone(bound.Arguments)
	for i := range args {
		if a, ok := set[args[i].Name]; ok {
			if a.Rule == metric.RuleNumber && !(a.Value.(float64)-a.Value.(float64) == 0) {
				return nil, "", false
			}
			args[i] = a
		}
	}
	if len(results) > 0 {
		return args, "", true
	}
	return args, bound.Key, true
}

// dependsOn reports whether the parameter's unit is that of an argument that is set.
func dependsOn(p *toolkits.Param, set map[string]event.Argument) bool {
	for name := range set {
		if strings.Contains(p.Unit, "@"+name) {
			return true
		}
	}
	return false
}

// lacking is the tool without what is set already: the binder is not to ask for it.
func lacking(tool *toolkits.Tool, set map[string]event.Argument) *toolkits.Tool {
	without := *tool
	without.Params = slices.Clone(tool.Params)
	for i := range without.Params {
		p := &without.Params[i]
		if _, ok := set[p.Name]; ok {
			p.Required, p.Default = false, nil
		}
	}
	return &without
}

// result reads the name of an earlier call's result: the call's id as the log has it, or c1, c2, … in order, with the
// name of an output after a dot, or alone where one output alone is of a kind that is wanted.
func (c *caller) result(v any, kinds []string) (toolkits.Input, bool) {
	s, ok := v.(string)
	if !ok {
		return toolkits.Input{}, false
	}
	s = strings.TrimPrefix(s, "$")
	id, output := s, ""
	tool, known := c.made[c.ours(id)]
	if !known {
		if i := strings.LastIndexByte(s, '.'); i > 0 {
			id, output = s[:i], s[i+1:]
			tool, known = c.made[c.ours(id)]
		}
	}
	if !known || tool == nil {
		return toolkits.Input{}, false
	}
	if output == "" {
		output = fitting(tool, kinds)
	}
	if _, ok := tool.Output(output); !ok {
		return toolkits.Input{}, false
	}
	return toolkits.Input{Call: c.ours(id), Output: output}, true
}

// fitting is the one output of a kind that is wanted, else the one whose kind depends on what was asked for; "" where
// there is no such one.
func fitting(tool *toolkits.Tool, kinds []string) string {
	var exact, open []string
	for _, o := range tool.Outputs {
		switch {
		case slices.Contains(kinds, o.Kind), o.Kind == "scalar" && slices.Contains(kinds, toolkits.KindNumber):
			exact = append(exact, o.Name)
		case strings.HasPrefix(o.Kind, "@"):
			open = append(open, o.Name)
		}
	}
	if len(exact) == 0 {
		exact = open
	}
	if len(exact) != 1 {
		return ""
	}
	return exact[0]
}

// ours is our id of a call: the log's own come first.
func (c *caller) ours(id string) string {
	if ours, ok := c.ids[id]; ok {
		return ours
	}
	return id
}

// encoded writes recorded arguments as JSON, sorted by key. Numbers that JSON has not are written as text.
func encoded(v any) string {
	data, err := json.Marshal(writable(v))
	if err != nil {
		return "{}" // plain values only: there is no such error
	}
	return string(data)
}

func writable(v any) any {
	switch x := v.(type) {
	case pyjson.Literal:
		if f := x.Float(); f-f != 0 {
			return string(x)
		}
		return json.Number(x)
	case []any:
		out := make([]any, len(x))
		for i := range x {
			out[i] = writable(x[i])
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for k := range x {
			out[k] = writable(x[k])
		}
		return out
	}
	return v
}
