package scenarios

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"
)

func (d *decoder) paraphrases(n *yaml.Node) (list []Phrase) {
	d.sequence(n, "paraphrases", func(n *yaml.Node) {
		var p Phrase
		if n.Kind == yaml.ScalarNode {
			p.Text = d.text(n, "a paraphrase")
		} else {
			d.mapping(n, "a paraphrase", fields{
				"text": func(n *yaml.Node) { p.Text = d.text(n, "text") },
				"far":  func(n *yaml.Node) { p.Far = d.boolean(n, "far") },
			})
			if p.Text == "" {
				d.fail(n, "a paraphrase needs its text")
			}
		}
		list = append(list, p)
	})
	return list
}

// answer reads the contract.
func (d *decoder) answer(n *yaml.Node) (list []Field) {
	types := []string{Number, Integer, Angle, Text, Boolean, Instant, Period, Place, List}
	d.sequence(n, "answer", func(n *yaml.Node) {
		var f Field
		str := func(to *string, what string) func(*yaml.Node) {
			return func(n *yaml.Node) { *to = d.text(n, what) }
		}
		tolerance := func(to *float64, what string) func(*yaml.Node) {
			return func(n *yaml.Node) {
				if *to = d.number(n, what); *to < 0 {
					d.fail(n, "%s is negative", what)
				}
			}
		}
		d.mapping(n, "a field", fields{
			"key":         str(&f.Key, "key"),
			"type":        func(n *yaml.Node) { f.Type = d.oneOf(n, "type", types...) },
			"item":        func(n *yaml.Node) { f.Item = d.oneOf(n, "item", types[:len(types)-1]...) },
			"quantity":    str(&f.Quantity, "quantity"),
			"unit":        str(&f.Unit, "unit"),
			"abs_tol":     tolerance(&f.AbsTol, "abs_tol"),
			"rel_tol":     tolerance(&f.RelTol, "rel_tol"),
			"floor":       tolerance(&f.Floor, "floor"),
			"description": str(&f.Description, "description"),
		})
		if f.Key == "" || f.Type == "" {
			d.fail(n, "a field needs a key and a type")
		}
		if (f.Type == List) != (f.Item != "") {
			d.fail(n, "field %q: item is for lists, and a list needs it", f.Key)
		}
		if slices.ContainsFunc(list, func(g Field) bool { return g.Key == f.Key }) {
			d.fail(n, "field %q is given twice", f.Key)
		}
		list = append(list, f)
	})
	return list
}

func (d *decoder) required(n *yaml.Node) (list []Effect) {
	kinds := []string{"raster", "vector", "table", "series", "scalar", "text", "image"}
	d.sequence(n, "required", func(n *yaml.Node) {
		var e Effect
		d.mapping(n, "a required effect", fields{
			"call":     func(n *yaml.Node) { e.Call = d.text(n, "call") },
			"artifact": func(n *yaml.Node) { e.Artifact = d.oneOf(n, "artifact", kinds...) },
		})
		if (e.Call == "") == (e.Artifact == "") {
			d.fail(n, "a required effect is a call or an artifact")
		}
		list = append(list, e)
	})
	return list
}

// gold reads one schedule or several. The line kept is that of the text, so that a fault inside a block scalar can
// be pointed at.
func (d *decoder) gold(n *yaml.Node) (list []Gold) {
	one := func(n *yaml.Node) {
		line := n.Line
		if n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
			line++
		}
		list = append(list, Gold{Text: d.text(n, "gold") + "\n", Line: line})
	}
	if n.Kind == yaml.SequenceNode {
		d.sequence(n, "gold", one)
	} else {
		one(n)
	}
	return list
}

// values reads a map from answer key to value.
func (d *decoder) values(n *yaml.Node, what string) map[string]any {
	m := map[string]any{}
	d.entries(n, what, func(key string, _, v *yaml.Node) { m[key] = d.value(v, what+" "+key) })
	return m
}

func (d *decoder) value(n *yaml.Node, what string) any {
	switch {
	case n.Kind == yaml.SequenceNode:
		list := []any{}
		d.sequence(n, what, func(n *yaml.Node) {
			if n.Kind == yaml.SequenceNode {
				d.fail(n, "%s: lists do not nest", what)
				return
			}
			list = append(list, d.value(n, what))
		})
		return list
	case n.Kind == yaml.ScalarNode && n.Tag == "!!bool":
		return d.boolean(n, what)
	case n.Kind == yaml.ScalarNode && (n.Tag == "!!int" || n.Tag == "!!float"):
		return d.number(n, what)
	default:
		return d.text(n, what)
	}
}

func (d *decoder) alternatives(n *yaml.Node) (list []map[string]any) {
	d.sequence(n, "alternatives", func(n *yaml.Node) { list = append(list, d.values(n, "an alternative")) })
	return list
}

func (d *decoder) evidence(n *yaml.Node) map[string]string {
	m := map[string]string{}
	d.entries(n, "evidence", func(key string, _, v *yaml.Node) { m[key] = d.text(v, "evidence "+key) })
	return m
}

// slots reads slots and merges them with those of the file: the same name replaces.
func (d *decoder) slots(n *yaml.Node, base []Slot) []Slot {
	d.entries(n, "slots", func(name string, k, v *yaml.Node) {
		s := d.slot(v, "slot "+name)
		s.Name = name
		if i := slices.IndexFunc(base, func(b Slot) bool { return b.Name == name }); i >= 0 {
			base[i] = s
		} else {
			base = append(base, s)
		}
	})
	return base
}

// slot reads a word, a number, a list, or a mapping of value, number and unit, start and end, or a box; `as` gives
// the words of the question that state it.
func (d *decoder) slot(n *yaml.Node, what string) Slot {
	switch n.Kind {
	case yaml.ScalarNode:
		if n.Tag == "!!int" || n.Tag == "!!float" {
			return Slot{Kind: NumberSlot, Number: d.number(n, what), As: []string{n.Value}}
		}
		s := d.text(n, what)
		return Slot{Kind: TextSlot, Text: s, As: []string{s}}
	case yaml.SequenceNode:
		s := Slot{Kind: ListSlot}
		var words []string
		d.sequence(n, what, func(n *yaml.Node) {
			if n.Kind == yaml.SequenceNode {
				d.fail(n, "%s: lists do not nest", what)
				return
			}
			item := d.slot(n, what)
			s.Items = append(s.Items, item)
			words = append(words, item.As...)
		})
		s.As = []string{strings.Join(words, " and ")}
		return s
	default:
		return d.structured(n, what)
	}
}

func (d *decoder) structured(n *yaml.Node, what string) (s Slot) {
	given := map[string]bool{}
	num := func(to *float64, key string) func(*yaml.Node) {
		return func(n *yaml.Node) { *to, given[key] = d.number(n, what+" "+key), true }
	}
	date := func(to *string, key string) func(*yaml.Node) {
		return func(n *yaml.Node) { *to, given[key] = d.date(n, what+" "+key), true }
	}
	d.mapping(n, what, fields{
		"value":  func(n *yaml.Node) { s.Text, given["value"] = d.text(n, what), true },
		"number": num(&s.Number, "number"),
		"unit":   func(n *yaml.Node) { s.Unit = d.text(n, what+" unit") },
		"start":  date(&s.Start, "start"), "end": date(&s.End, "end"),
		"west": num(&s.West, "west"), "south": num(&s.South, "south"), "east": num(&s.East, "east"), "north": num(&s.North, "north"),
		"as": func(n *yaml.Node) { s.As = d.texts(n, what+" as") },
	})
	kinds := map[string][]string{TextSlot: {"value"}, NumberSlot: {"number"}, PeriodSlot: {"start", "end"}, BoxSlot: {"west", "south", "east", "north"}}
	for kind, keys := range kinds {
		if len(given) == len(keys) && !slices.ContainsFunc(keys, func(k string) bool { return !given[k] }) {
			s.Kind = kind
		}
	}
	switch {
	case s.Kind == "":
		d.fail(n, "%s needs value, or number (and unit), or start and end, or west, south, east and north", what)
	case s.Unit != "" && s.Kind != NumberSlot:
		d.fail(n, "%s: only a number has a unit", what)
	case s.Kind == PeriodSlot && s.End < s.Start:
		d.fail(n, "%s ends (%s) before it starts (%s)", what, s.End, s.Start)
	case s.Kind == BoxSlot && (s.South >= s.North || s.South < -90 || s.North > 90):
		d.fail(n, "%s: south %v and north %v are not an interval of latitudes", what, s.South, s.North)
	}
	if len(s.As) == 0 {
		if s.Kind != TextSlot {
			d.fail(n, "%s needs as: the words of the question that state it", what)
		}
		s.As = []string{s.Text}
	}
	return s
}

func (d *decoder) date(n *yaml.Node, what string) string {
	if n.Kind != yaml.ScalarNode {
		d.fail(n, "%s must be a date like 1998-01-31, found %s", what, shown(n))
		return ""
	}
	if _, err := time.Parse(time.DateOnly, n.Value); err != nil {
		d.fail(n, "%s must be a date like 1998-01-31, found %s", what, shown(n))
		return ""
	}
	return n.Value
}

// finish fills the slots' words into the texts and refuses what every task must have and this one lacks.
func (d *decoder) finish(t draft) Task {
	at := &yaml.Node{Line: t.Line, Column: 1}
	need := []struct {
		missing bool
		key     string
	}{
		{t.ID == "", "id"}, {t.Template == "", "template"}, {t.Split == "", "split"}, {t.Track == "", "track"},
		{len(t.Domains) == 0, "domain"}, {t.Question == "", "question"}, {len(t.Answer) == 0, "answer"}, {len(t.Gold) == 0, "gold"},
	}
	for _, n := range need {
		if n.missing {
			d.fail(at, "task %q has no %s", t.ID, n.key)
		}
	}
	if strings.ContainsAny(t.ID, "/~*?[]\\ ") {
		d.fail(at, "id %q: use letters, digits and hyphens", t.ID)
	}
	fill := func(s string) string { return d.fill(at, s, t.Slots) }
	t.Question, t.Context = fill(t.Question), fill(t.Context)
	for i := range t.Paraphrases {
		t.Paraphrases[i].Text = fill(t.Paraphrases[i].Text)
	}
	for i := range t.Answer {
		t.Answer[i].Description = fill(t.Answer[i].Description)
	}
	return t.Task
}

// fill replaces {name} by the first words of the slot. Line breaks of the file become spaces.
func (d *decoder) fill(at *yaml.Node, s string, slots []Slot) string {
	s = strings.Join(strings.Fields(s), " ")
	var b strings.Builder
	for {
		open := strings.IndexByte(s, '{')
		if open < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:open])
		end := strings.IndexByte(s[open:], '}')
		if end < 0 {
			d.fail(at, "%q has a { without }", s)
			return b.String()
		}
		name := s[open+1 : open+end]
		i := slices.IndexFunc(slots, func(x Slot) bool { return x.Name == name })
		if i < 0 {
			d.fail(at, "{%s} is no slot of the task%s", name, nearest(name, slotNames(slots)))
		} else {
			b.WriteString(slots[i].As[0])
		}
		s = s[open+end+1:]
	}
}

func slotNames(slots []Slot) []string {
	names := make([]string, len(slots))
	for i, s := range slots {
		names[i] = fmt.Sprint(s.Name)
	}
	return names
}
