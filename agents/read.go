package agents

import (
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"
)

// reader takes an agent out of a YAML tree; faults are said with file, line and column, and with what is expected.
type reader struct {
	file   string
	faults []error
}

func (r *reader) fail(n *yaml.Node, format string, args ...any) {
	r.faults = append(r.faults, fmt.Errorf("agents: %s:%d:%d: %s", r.file, max(1, n.Line), max(1, n.Column), fmt.Sprintf(format, args...)))
}

// read decodes one agent.
func read(file string, data []byte) (Agent, error) {
	r := &reader{file: file}
	var doc yaml.Node
	var a Agent
	if err := yaml.Load(data, &doc); err != nil {
		var at *yaml.LoadError
		if errors.As(err, &at) {
			return a, fmt.Errorf("agents: %s:%d:%d: not YAML: %s", file, max(1, at.Mark.Line), max(1, at.Mark.Column), at.Message)
		}
		return a, fmt.Errorf("agents: %s:1:1: not YAML: %w", file, err)
	}
	top := &doc
	if top.Kind == yaml.DocumentNode && len(top.Content) == 1 {
		top = top.Content[0]
	}
	r.mapping(top, "an agent", []string{"name", "purpose", "tools", "guidance", "examples"}, func(key string, v *yaml.Node) {
		switch key {
		case "name":
			a.Name = r.text(v, key)
		case "purpose":
			a.Purpose = r.text(v, key)
		case "guidance":
			a.Guidance = r.text(v, key)
		case "tools":
			r.list(v, key, func(x *yaml.Node) { a.Tools = append(a.Tools, r.text(x, "a tool")) })
		case "examples":
			r.list(v, key, func(x *yaml.Node) { a.Examples = append(a.Examples, r.example(x)) })
		}
	})
	if len(r.faults) == 0 {
		var missing []string
		for _, need := range []struct {
			key  string
			lack bool
		}{{"name", a.Name == ""}, {"purpose", a.Purpose == ""}, {"tools", len(a.Tools) == 0}} {
			if need.lack {
				missing = append(missing, need.key)
			}
		}
		if len(missing) > 0 {
			r.fail(top, "%s missing", strings.Join(missing, ", "))
		}
	}
	return a, errors.Join(r.faults...)
}

func (r *reader) example(n *yaml.Node) (e Example) {
	r.mapping(n, "an example", []string{"objective", "call"}, func(key string, v *yaml.Node) {
		if key == "call" {
			e.Call = r.text(v, key)
		} else {
			e.Objective = r.text(v, key)
		}
	})
	return e
}

// mapping reads the known keys of a mapping; any other, and a repeated one, is a fault.
func (r *reader) mapping(n *yaml.Node, what string, known []string, read func(key string, v *yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		r.fail(n, "%s is a mapping of %s", what, strings.Join(known, ", "))
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		ok := false
		for _, name := range known {
			ok = ok || name == k.Value
		}
		switch {
		case !ok:
			r.fail(k, "unknown key %q; %s has %s", k.Value, what, strings.Join(known, ", "))
		case seen[k.Value]:
			r.fail(k, "key %q is given twice", k.Value)
		default:
			read(k.Value, v)
		}
		seen[k.Value] = true
	}
}

func (r *reader) list(n *yaml.Node, what string, read func(*yaml.Node)) {
	if n.Kind != yaml.SequenceNode {
		r.fail(n, "%s is a list, such as [gis]", what)
		return
	}
	for _, x := range n.Content {
		read(x)
	}
}

func (r *reader) text(n *yaml.Node, what string) string {
	if n.Kind != yaml.ScalarNode || n.Tag != "!!str" {
		r.fail(n, "%s is a text", what)
		return ""
	}
	return n.Value
}
