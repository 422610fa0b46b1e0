package pyjson

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
)

// Node is a value of a document with the path that leads to it, so that what is wrong with it can be said.
type Node struct {
	Value any // as [Reader.Value] returns it
	Path  string
}

// Wants is the error that something else was expected here.
func (n Node) Wants(what string) error {
	path := n.Path
	if path == "" {
		path = "the document"
	}
	found := fmt.Sprint(n.Value)
	if r := []rune(found); len(r) > 40 {
		found = string(r[:40]) + "…"
	}
	switch n.Value.(type) {
	case nil:
		found = "nothing"
	case map[string]any:
		found = "an object"
	case []any:
		found = "a list"
	}
	return fmt.Errorf("%s: expected %s, found %s", path, what, found)
}

// Get is the member of that name, with a nil value where there is none.
func (n Node) Get(name string) Node {
	m, _ := n.Value.(map[string]any)
	path := name
	if n.Path != "" {
		path = n.Path + "." + name
	}
	return Node{m[name], path}
}

// At follows names one after another.
func (n Node) At(names ...string) Node {
	for _, name := range names {
		n = n.Get(name)
	}
	return n
}

// First is the first of the members that is there.
func (n Node) First(names ...string) Node {
	for _, name := range names {
		if m := n.Get(name); m.Value != nil {
			return m
		}
	}
	return n.Get(names[0])
}

// Missing reports whether there is no value, or null.
func (n Node) Missing() bool { return n.Value == nil }

// Text is the value as text; ok is false where it is something else.
func (n Node) Text() (text string, ok bool) {
	text, ok = n.Value.(string)
	return text, ok
}

// Entries are those of a list.
func (n Node) Entries() ([]Node, error) {
	list, ok := n.Value.([]any)
	if !ok {
		return nil, n.Wants("a list")
	}
	out := make([]Node, len(list))
	for i, v := range list {
		out[i] = Node{v, fmt.Sprintf("%s[%d]", n.Path, i)}
	}
	return out, nil
}

// Members calls each for the members of an object, sorted by key.
func (n Node) Members(each func(key string, v Node) error) error {
	m, ok := n.Value.(map[string]any)
	if !ok {
		return n.Wants("an object")
	}
	for _, key := range slices.Sorted(maps.Keys(m)) {
		if err := each(key, n.Get(key)); err != nil {
			return err
		}
	}
	return nil
}

// Line is the line on which the next value begins, counted from 1.
func (r *Reader) Line() int {
	r.space()
	return bytes.Count(r.data[:r.pos], []byte("\n")) + 1
}
