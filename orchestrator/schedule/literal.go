package schedule

import (
	"fmt"
	"sort"
	"strings"
	"time"
)

func sortedSlots(slots Slots) []string {
	names := make([]string, 0, len(slots))
	for name := range slots {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// elementParam is the parameter that each item of a list parameter has.
func elementParam(p *Param) Param {
	e := *p
	e.List = false
	e.Kinds = make([]string, 0, len(p.Kinds))
	for _, k := range p.Kinds {
		if elem, list := listKind(k); list || p.List {
			e.Kinds = append(e.Kinds, elem)
		}
	}
	return e
}

// literal checks a written value against a parameter.
func (c *checker) literal(e Expr, p *Param, b *binding, unit string) {
	switch e := e.(type) {
	case *Bool:
		if !p.takes(KindBoolean) && !p.takes(KindAny) {
			c.wrongLiteral(e, p)
		}
	case *Number:
		c.number(e, p)
	case *String:
		c.text(e, p, b)
	case *List:
		c.listLiteral(e, p, b, unit)
	case *Dict:
		c.record(e, p)
	case *Ref, *Call, *Unary, *Binary, *Func, *Compare, *Logic: // an item of a list
		v := c.argValue(e)
		if f := c.fit(v, p, unit); f.code != "" {
			c.reportFit(f, e, v, p, unit)
		}
	}
}

func (c *checker) wrongLiteral(e Expr, p *Param) {
	if c.quiet {
		return
	}
	if takesList(p) {
		elem := elementParam(p)
		probe := &checker{program: c.program, catalog: c.catalog, units: c.units, names: c.names, used: map[string]bool{}}
		probe.literal(e, &elem, &binding{sig: &Signature{}}, "")
		if _, isList := e.(*List); !isList && len(probe.problems) == 0 {
			c.report(Problem{Code: WrongType, Pos: e.Position(), Found: firstLine(Text(e)), Legal: []string{"[" + Text(e) + "]"},
				Message: fmt.Sprintf("%s takes a list", p.Name)})
			return
		}
	}
	problem := Problem{Code: WrongType, Pos: e.Position(), Found: firstLine(Text(e)), Legal: c.candidates(p, plainUnit(p.Unit), Text(e)),
		Message: fmt.Sprintf("%s takes %s, not %s", p.Name, strings.Join(p.Kinds, " or "), firstLine(Text(e)))}
	_, isText := e.(*String)
	_, isDict := e.(*Dict)
	if p.takes(KindVector) && (isText || isDict) {
		for _, s := range c.signatures() {
			if s.Resolver {
				problem.Resolve = append(problem.Resolve, s.Name)
			}
		}
	} else {
		problem.Resolve = c.makers(p)
	}
	c.report(problem)
}

func (c *checker) number(e *Number, p *Param) {
	numeric := p.takes(KindNumber) || p.takes(KindScalar) || p.takes("angle") || p.takes(KindAny)
	switch {
	case takesList(p):
		c.wrongLiteral(e, p)
		return
	case numeric:
	case p.takes(KindInteger):
		if _, ok := e.Int(); !ok {
			c.report(Problem{Code: WrongType, Pos: e.Pos, Found: e.Text,
				Message: fmt.Sprintf("%s takes an integer, and %s is none that fits 64 bits", p.Name, e.Text)})
			return
		}
	case p.takes(KindPeriod):
		if year, ok := e.Int(); !ok || year < 1 || year > 9999 {
			c.wrongLiteral(e, p)
		}
		return
	default:
		c.wrongLiteral(e, p)
		return
	}
	v := e.Float()
	if p.Min != nil && v < *p.Min || p.Max != nil && v > *p.Max {
		c.report(Problem{Code: WrongType, Pos: e.Pos, Found: e.Text, Legal: []string{rangeText(p)},
			Message: fmt.Sprintf("%s lies outside of the range of %s", e.Text, p.Name)})
	}
}

func rangeText(p *Param) string {
	switch {
	case p.Min != nil && p.Max != nil:
		return fmt.Sprintf("%g to %g", *p.Min, *p.Max)
	case p.Min != nil:
		return fmt.Sprintf("at least %g", *p.Min)
	}
	return fmt.Sprintf("at most %g", *p.Max)
}

// text checks a string: against a closed vocabulary when there is one, else
// against the form that one of the parameter's kinds asks for.
func (c *checker) text(e *String, p *Param, b *binding) {
	if name, ok := templateName(e.Value); ok {
		c.report(Problem{Code: WrongType, Pos: e.Pos, Found: e.Value, Legal: []string{name},
			Message: fmt.Sprintf("%q is a text and is never filled in: a reference is written without quotes", e.Value)})
		return
	}
	if takesList(p) {
		c.wrongLiteral(e, p)
		return
	}
	if len(p.Enum) > 0 {
		c.enum(e.Value, e, p, b)
		return
	}
	filled := strings.TrimSpace(e.Value) != ""
	switch {
	case p.takes(KindString) || p.takes(KindAny):
		return
	case filled && (p.takes(KindPlace) || p.takes(KindPeriod)):
		return
	case p.takes(KindInstant) && isInstant(e.Value):
		return
	case p.takes(KindUnit):
		if !c.units.Convertible(e.Value, e.Value) {
			c.report(Problem{Code: WrongUnit, Pos: e.Pos, Found: e.Value,
				Message: fmt.Sprintf("%s takes a unit, and %q is none that is known", p.Name, e.Value)})
		}
		return
	}
	c.wrongLiteral(e, p)
}

// templateName recognises a reference in the clothes of a template: a text
// that is "{name}" or "{name.field}" and nothing else.
func templateName(text string) (string, bool) {
	inner, ok := strings.CutPrefix(text, "{")
	if !ok || !strings.HasSuffix(inner, "}") {
		return "", false
	}
	inner = strings.TrimSuffix(inner, "}")
	name, field, dotted := strings.Cut(inner, ".")
	if !isWord(name) || dotted && !isWord(field) {
		return "", false
	}
	return inner, true
}

// isInstant tells whether a text is an ISO 8601 date, with or without a time.
func isInstant(text string) bool {
	for _, layout := range []string{"2006-01-02", "2006-01", "2006", time.RFC3339, "2006-01-02T15:04", "2006-01-02T15:04:05", "2006-01-02 15:04:05"} {
		if _, err := time.Parse(layout, text); err == nil {
			return true
		}
	}
	return false
}

// enum checks a value of a closed vocabulary. Nothing is put in its place: a
// value that is not in the list, or not legal with the other arguments, is
// reported with those that are.
func (c *checker) enum(text string, e Expr, p *Param, b *binding) {
	if legalChoice(p, text, b) != nil {
		return
	}
	if c.quiet {
		return
	}
	var legal []string
	var elsewhere []string
	for i := range p.Enum {
		ch := &p.Enum[i]
		if b.holds(ch.When) {
			legal = appendOnce(legal, ch.Value)
		} else if ch.Value == text {
			elsewhere = append(elsewhere, conditionText(ch.When))
		}
	}
	legal = c.near(text, legal)
	if ch, ok := meantChoice(p, text, b); ok {
		legal = append([]string{ch}, without(legal, ch)...)
	}
	message := fmt.Sprintf("%q is not a value of %s", text, p.Name)
	if len(elsewhere) > 0 {
		message = fmt.Sprintf("%s %q needs %s", p.Name, text, strings.Join(elsewhere, " or "))
	}
	c.report(Problem{Code: WrongType, Pos: e.Position(), Found: text, Legal: legal, Message: message})
}

// meantChoice finds the one legal value that a text means by letter case or by a
// declared alias.
func meantChoice(p *Param, text string, b *binding) (string, bool) {
	found := ""
	for i := range p.Enum {
		ch := &p.Enum[i]
		if !b.holds(ch.When) || !strings.EqualFold(ch.Value, text) && !hasAlias(ch.Aliases, text) {
			continue
		}
		if found != "" && found != ch.Value {
			return "", false
		}
		found = ch.Value
	}
	return found, found != ""
}

func conditionText(when map[string]string) string {
	var parts []string
	for param, v := range when {
		parts = append(parts, fmt.Sprintf("%s=%q", param, v))
	}
	sort.Strings(parts)
	return strings.Join(parts, ", ")
}

func (c *checker) listLiteral(e *List, p *Param, b *binding, unit string) {
	if p.takes(KindAny) && !takesList(p) {
		c.entry(e, p)
		return
	}
	if !takesList(p) && !takesSomeList(p) {
		for _, item := range e.Items {
			c.visit(item)
		}
		c.wrongLiteral(e, p)
		return
	}
	elem := elementParam(p)
	for _, item := range e.Items {
		if _, none := item.(*None); none {
			c.wrongLiteral(item, &elem)
			continue
		}
		c.literal(item, &elem, b, unit)
	}
}

func takesSomeList(p *Param) bool {
	for _, k := range p.Kinds {
		if _, list := listKind(k); list {
			return true
		}
	}
	return false
}

// record checks {"key": value}: a box, a point, a period, or a record of any keys.
func (c *checker) record(e *Dict, p *Param) {
	if takesList(p) {
		for _, entry := range e.Entries {
			c.visit(entry.Value)
		}
		c.wrongLiteral(e, p)
		return
	}
	switch {
	case p.takes(KindBox) && hasKeys(e, "west", "south", "east", "north"):
		c.entries(e, &Param{Name: p.Name, Kinds: []string{KindNumber}})
	case p.takes(KindPlace) && hasKeys(e, "latitude", "longitude"):
		c.entries(e, &Param{Name: p.Name, Kinds: []string{KindNumber}})
	case p.takes(KindPeriod) && hasKeys(e, "start", "end"):
		c.entries(e, &Param{Name: p.Name, Kinds: []string{KindInstant}})
	case p.takes(KindRecord) || p.takes(KindAny):
		c.entries(e, &Param{Name: p.Name, Kinds: []string{KindAny}})
	default:
		for _, entry := range e.Entries {
			c.visit(entry.Value)
		}
		c.wrongLiteral(e, p)
	}
}

func hasKeys(d *Dict, keys ...string) bool {
	if len(d.Entries) != len(keys) {
		return false
	}
	for _, entry := range d.Entries {
		if !contains(keys, entry.Key) {
			return false
		}
	}
	return true
}

// entries checks the values of a record.
func (c *checker) entries(d *Dict, p *Param) {
	for _, entry := range d.Entries {
		c.entry(entry.Value, p)
	}
}

// entry checks one value inside a record or a free list. A bare step name in it
// stands for its only artifact, or is reported.
func (c *checker) entry(e Expr, p *Param) {
	switch e := e.(type) {
	case *None:
	case *Ref:
		v := c.ref(e, false)
		if f := c.fit(v, p, ""); f.code != "" {
			c.reportFit(f, e, v, p, "")
		}
	case *Dict:
		c.entries(e, &Param{Name: p.Name, Kinds: []string{KindAny}})
	case *List:
		for _, item := range e.Items {
			c.entry(item, &Param{Name: p.Name, Kinds: []string{KindAny}})
		}
	default:
		c.literal(e, p, &binding{sig: &Signature{}}, "")
	}
}
