package scenarios

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// blueprint is a template file as the generator sees it: its text up to its tasks, and what its slots are drawn from.
type blueprint struct {
	file     string
	name     string // of the template
	split    string
	head     []byte // the file's text up to the line `tasks:`
	draw     int    // how many tasks are drawn
	vary     []variation
	hasTasks bool // a file without vary keeps its tasks as they are
}

// variation is one slot, or several that are drawn together, with the values to draw from.
type variation struct {
	slots []string
	pool  string     // name of the suite's pool; "" for a list in the file
	rows  [][]string // values as YAML in flow style, one for each slot
}

// defaultDraw is how many tasks are drawn of a template that does not say.
const defaultDraw = 5

// readVary reads `vary`: a mapping from a slot to the name of a pool or to a list of values. Slots that belong together
// are joined by "+", and then each value is a list with one value a slot.
func (d *decoder) readVary(n *yaml.Node, pools map[string][]*yaml.Node) (list []variation) {
	d.entries(n, "vary", func(key string, k, v *yaml.Node) {
		one := variation{slots: strings.Split(key, "+")}
		values := v.Content
		switch {
		case v.Kind == yaml.ScalarNode:
			one.pool = d.text(v, "vary "+key)
			var ok bool
			if values, ok = pools[one.pool]; !ok && pools != nil {
				d.fail(v, "vary %s: the suite has no pool %q", key, one.pool)
			}
		case v.Kind != yaml.SequenceNode:
			d.fail(v, "vary %s must be a list of values or the name of a pool, found %s", key, shown(v))
			return
		}
		for _, x := range values {
			row := []string{flow(x)}
			if len(one.slots) > 1 {
				if x.Kind != yaml.SequenceNode || len(x.Content) != len(one.slots) {
					d.fail(x, "vary %s: each value must be a list of %d", key, len(one.slots))
					continue
				}
				row = row[:0]
				for _, y := range x.Content {
					row = append(row, flow(y))
				}
			}
			one.rows = append(one.rows, row)
		}
		if len(one.rows) == 0 && pools != nil {
			d.fail(v, "vary %s has no value", key)
		}
		list = append(list, one)
	})
	return list
}

func (d *decoder) readDraw(n *yaml.Node) int {
	k := d.integer(n, "draw")
	if k < 2 {
		d.fail(n, "draw is how many tasks a template has: two or more")
	}
	return k
}

// readPools reads named lists of slot values.
func (d *decoder) readPools(n *yaml.Node) map[string][]*yaml.Node {
	pools := map[string][]*yaml.Node{}
	d.entries(n, "pools", func(name string, _, v *yaml.Node) {
		d.sequence(v, "pool "+name, func(x *yaml.Node) { pools[name] = append(pools[name], x) })
		if v.Kind == yaml.SequenceNode && len(v.Content) == 0 {
			d.fail(v, "pool %s is empty", name)
		}
	})
	return pools
}

// ParsePools reads a file of pools, such as private regions: a mapping from the name of a pool to its values.
func ParsePools(file string, src []byte) (map[string][]*yaml.Node, error) {
	d := &decoder{file: file}
	var pools map[string][]*yaml.Node
	if top := d.root(src); top != nil {
		pools = d.readPools(top)
	}
	return pools, errors.Join(d.errs...)
}

// tasksLine is where the tasks of a file begin; they must be its last key.
var tasksLine = regexp.MustCompile(`(?m)^tasks:`)

func readBlueprint(fsys fs.FS, name string, pools map[string][]*yaml.Node) (blueprint, error) {
	src, err := fs.ReadFile(fsys, name)
	if err != nil {
		return blueprint{}, fmt.Errorf("scenarios: reading a template: %w", err)
	}
	b := blueprint{file: path.Base(name), head: src, draw: defaultDraw}
	if at := tasksLine.FindIndex(src); at != nil {
		b.head, b.hasTasks = src[:at[0]], true
	}
	d := &decoder{file: name}
	top := d.root(src)
	if top == nil {
		return b, errors.Join(d.errs...)
	}
	if top.Kind != yaml.MappingNode {
		d.fail(top, "the file must be a mapping, found %s", shown(top))
		return b, errors.Join(d.errs...)
	}
	for i := 0; i+1 < len(top.Content); i += 2 {
		key, value := top.Content[i], top.Content[i+1]
		switch key.Value {
		case "template":
			b.name = d.text(value, "template")
		case "split":
			b.split = d.text(value, "split")
		case "draw":
			b.draw = d.readDraw(value)
		case "vary":
			b.vary = d.readVary(value, pools)
		case "tasks":
			if i+2 < len(top.Content) {
				d.fail(key, "tasks must be the last key of the file: what is drawn replaces them")
			}
		}
	}
	if b.vary == nil && !b.hasTasks {
		d.fail(top, "the file has neither tasks nor vary")
	}
	return b, errors.Join(d.errs...)
}

// with is the file with drawn rows for its tasks.
func (b blueprint) with(rows []string) []byte {
	var out bytes.Buffer
	out.Write(bytes.TrimRight(b.head, "\n"))
	out.WriteString("\ntasks:\n")
	for _, r := range rows {
		out.WriteString("  - {" + r + "}\n")
	}
	return out.Bytes()
}

// plainWord is a scalar that needs no quotes in flow style.
var plainWord = regexp.MustCompile(`^[\pL][\pL\d'°./ -]*$`)

// flow writes a node in flow style, on one line.
func flow(n *yaml.Node) string {
	var parts []string
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			parts = append(parts, flow(n.Content[i])+": "+flow(n.Content[i+1]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case yaml.SequenceNode:
		for _, x := range n.Content {
			parts = append(parts, flow(x))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	words := []string{"true", "false", "null", "yes", "no", "on", "off", "y", "n"}
	if n.Tag == "!!str" && (!plainWord.MatchString(n.Value) || slices.Contains(words, strings.ToLower(n.Value))) {
		return strconv.Quote(n.Value)
	}
	return n.Value
}
