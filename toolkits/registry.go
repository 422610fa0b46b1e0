package toolkits

import (
	"fmt"
	"sort"
)

// Registry is a fixed set of tools.
type Registry struct {
	byName map[string]*Tool
	sorted []*Tool
}

// NewRegistry makes a registry. Two tools of one name are an error.
func NewRegistry(tools ...*Tool) (*Registry, error) {
	r := &Registry{byName: make(map[string]*Tool, len(tools))}
	for _, t := range tools {
		if _, ok := r.byName[t.Name]; ok {
			return nil, fmt.Errorf("toolkits: two tools are named %q", t.Name)
		}
		r.byName[t.Name] = t
		r.sorted = append(r.sorted, t)
	}
	sort.Slice(r.sorted, func(i, j int) bool { return r.sorted[i].Name < r.sorted[j].Name })
	return r, nil
}

// Tools returns all tools by name. The slice must not be changed.
func (r *Registry) Tools() []*Tool { return r.sorted }

// Tool returns the tool of that name. The error is an [*Error] with code not_found and the nearest names.
func (r *Registry) Tool(name string) (*Tool, error) {
	if t, ok := r.byName[name]; ok {
		return t, nil
	}
	e := Errorf(NotFound, "no tool is named %q", name)
	e.Legal = Nearest(name, r.Names(), 5)
	return nil, e
}

// Names returns the names of all tools, sorted.
func (r *Registry) Names() []string {
	names := make([]string, len(r.sorted))
	for i, t := range r.sorted {
		names[i] = t.Name
	}
	return names
}

// Select returns a registry of the named tools only. An unknown name is an error.
func (r *Registry) Select(names []string) (*Registry, error) {
	tools := make([]*Tool, len(names))
	for i, n := range names {
		t, err := r.Tool(n)
		if err != nil {
			return nil, err
		}
		tools[i] = t
	}
	return NewRegistry(tools...)
}
