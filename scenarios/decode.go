package scenarios

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/agnivade/levenshtein"
	"go.yaml.in/yaml/v4"
)

// Error is a fault of a file, with its position. Line and Col count from 1.
type Error struct {
	File string
	Line int
	Col  int
	Msg  string
}

func (e *Error) Error() string { return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Col, e.Msg) }

// decoder walks a YAML tree and collects what is wrong with it. Its methods return a zero value after an error.
type decoder struct {
	file string
	errs []error
}

func (d *decoder) fail(n *yaml.Node, format string, args ...any) {
	d.errs = append(d.errs, &Error{File: d.file, Line: max(n.Line, 1), Col: max(n.Column, 1), Msg: fmt.Sprintf(format, args...)})
}

// root parses one YAML document into its top node. Anchors are refused because a small file can unfold to a huge one.
func (d *decoder) root(src []byte) *yaml.Node {
	if len(src) > maxFile {
		d.fail(&yaml.Node{}, "the file has %d bytes; at most %d are read", len(src), maxFile)
		return nil
	}
	var docs []yaml.Node
	if err := yaml.Load(src, &docs, yaml.WithAllDocuments()); err != nil {
		d.syntax(err)
		return nil
	}
	if len(docs) != 1 {
		d.fail(&yaml.Node{}, "expected one YAML document, found %d", len(docs))
		return nil
	}
	top := &docs[0]
	if top.Kind == yaml.DocumentNode {
		if len(top.Content) != 1 {
			d.fail(top, "the file is empty")
			return nil
		}
		top = top.Content[0]
	}
	if d.anchored(top) {
		return nil
	}
	return top
}

func (d *decoder) syntax(err error) {
	var le *yaml.LoadError
	if errors.As(err, &le) {
		d.fail(&yaml.Node{Line: le.Mark.Line, Column: le.Mark.Column}, "not YAML: %s", le.Message)
		return
	}
	d.fail(&yaml.Node{}, "not YAML: %v", err)
}

func (d *decoder) anchored(n *yaml.Node) bool {
	if n.Anchor != "" || n.Kind == yaml.AliasNode {
		d.fail(n, "anchors and aliases are not allowed")
		return true
	}
	return slices.ContainsFunc(n.Content, d.anchored)
}

// fields maps a key to what reads its value.
type fields map[string]func(*yaml.Node)

// mapping reads a mapping with known keys; an unknown or repeated key is an error that names the nearest known one.
func (d *decoder) mapping(n *yaml.Node, what string, known fields) {
	if n.Kind != yaml.MappingNode {
		d.fail(n, "%s must be a mapping, found %s", what, shown(n))
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		read, ok := known[key.Value]
		switch {
		case key.Kind != yaml.ScalarNode || !ok:
			d.fail(key, "unknown key %s in %s%s", shown(key), what, nearest(key.Value, sortedKeys(known)))
		case seen[key.Value]:
			d.fail(key, "key %q is given twice", key.Value)
		default:
			read(value)
		}
		seen[key.Value] = true
	}
}

// entries calls read for each key of a mapping with free keys.
func (d *decoder) entries(n *yaml.Node, what string, read func(key string, k, v *yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		d.fail(n, "%s must be a mapping, found %s", what, shown(n))
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind != yaml.ScalarNode || key.Value == "" {
			d.fail(key, "a key of %s must be a word", what)
			continue
		}
		if seen[key.Value] {
			d.fail(key, "key %q is given twice", key.Value)
			continue
		}
		seen[key.Value] = true
		read(key.Value, key, n.Content[i+1])
	}
}

func (d *decoder) sequence(n *yaml.Node, what string, read func(*yaml.Node)) {
	if n.Kind != yaml.SequenceNode {
		d.fail(n, "%s must be a list, found %s", what, shown(n))
		return
	}
	for _, item := range n.Content {
		read(item)
	}
}

// text reads a non-empty string. A bare word or number counts; a boolean or null does not.
func (d *decoder) text(n *yaml.Node, what string) string {
	if n.Kind != yaml.ScalarNode || (n.Tag != "!!str" && n.Tag != "!!int" && n.Tag != "!!float" && n.Tag != "!!timestamp") {
		d.fail(n, "%s must be text, found %s", what, shown(n))
		return ""
	}
	s := strings.TrimSpace(n.Value)
	if s == "" {
		d.fail(n, "%s is empty", what)
	}
	return s
}

func (d *decoder) number(n *yaml.Node, what string) float64 {
	v, err := strconv.ParseFloat(n.Value, 64)
	if n.Kind != yaml.ScalarNode || (n.Tag != "!!int" && n.Tag != "!!float") || err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		d.fail(n, "%s must be a finite number, found %s", what, shown(n))
		return 0
	}
	return v
}

func (d *decoder) integer(n *yaml.Node, what string) int {
	v, err := strconv.Atoi(n.Value)
	if n.Kind != yaml.ScalarNode || n.Tag != "!!int" || err != nil {
		d.fail(n, "%s must be a whole number, found %s", what, shown(n))
		return 0
	}
	return v
}

func (d *decoder) boolean(n *yaml.Node, what string) bool {
	if n.Kind != yaml.ScalarNode || n.Tag != "!!bool" || (n.Value != "true" && n.Value != "false") {
		d.fail(n, "%s must be true or false, found %s", what, shown(n))
		return false
	}
	return n.Value == "true"
}

// oneOf reads a word of a closed vocabulary.
func (d *decoder) oneOf(n *yaml.Node, what string, legal ...string) string {
	s := d.text(n, what)
	if s != "" && !slices.Contains(legal, s) {
		d.fail(n, "%s %q: there are %s", what, s, strings.Join(legal, ", "))
		return ""
	}
	return s
}

// texts reads one string or a list of strings.
func (d *decoder) texts(n *yaml.Node, what string) []string {
	if n.Kind == yaml.ScalarNode {
		return []string{d.text(n, what)}
	}
	var list []string
	d.sequence(n, what, func(item *yaml.Node) { list = append(list, d.text(item, what)) })
	return list
}

// shown names a node in an error: its kind, and what a scalar holds.
func shown(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	if n.Tag == "!!null" {
		return "nothing"
	}
	v := n.Value
	if len(v) > 40 {
		v = strings.ToValidUTF8(v[:40], "") + "…"
	}
	return strconv.Quote(v)
}

// nearest phrases what a wrong name may have meant: the close ones, or all where they are few.
func nearest(got string, names []string) string {
	if len(got) > 100 || len(names) == 0 {
		return ""
	}
	names = slices.Clone(names)
	slices.SortStableFunc(names, func(a, b string) int {
		return levenshtein.ComputeDistance(got, a) - levenshtein.ComputeDistance(got, b)
	})
	if levenshtein.ComputeDistance(got, names[0]) <= max(2, len(got)/3) {
		return fmt.Sprintf("; did you mean %q?", names[0])
	}
	if len(names) > 12 {
		return fmt.Sprintf("; the nearest are %s", strings.Join(names[:3], ", "))
	}
	slices.Sort(names)
	return "; there are " + strings.Join(names, ", ")
}

func sortedKeys(m fields) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
