package schedule

import (
	"fmt"
	"sort"
	"strings"
)

// ref finds what a reference stands for, and reports it when there is no such
// name, slot, field or item. inGuard allows is_empty.
func (c *checker) ref(r *Ref, inGuard bool) value {
	if r.IsTask() {
		return c.slot(r)
	}
	base, ok := c.base(r)
	if !ok {
		return value{}
	}
	if r.Field == "" {
		return c.pick(r, base)
	}
	if base.whole == nil {
		return c.fieldOfValue(r, base)
	}
	s := base.whole
	if s.unknown {
		return value{}
	}
	if t, ok := s.fields[r.Field]; ok {
		return c.pick(r, value{typ: t, known: true})
	}
	if r.Field == EmptyField && inGuard && r.Index == nil {
		return value{typ: Type{Kind: KindBoolean}, known: true}
	}
	c.unknownField(r, s)
	return value{}
}

// base finds what the name of a reference stands for. The loop name of a mapped
// step hides a step of the same name.
func (c *checker) base(r *Ref) (value, bool) {
	if c.item != "" && r.Name == c.item {
		return c.itemVal, c.itemVal.known
	}
	c.used[r.Name] = true
	s, ok := c.names[r.Name]
	switch {
	case !ok:
		c.undefined(r)
		return value{}, false
	case s.unknown:
		return value{}, false
	case s.value:
		return value{typ: s.fields[ValueField], whole: nil, known: true}, true
	}
	return value{whole: s, known: true}, true
}

// fieldOfValue reads a field of a plain value: only value itself, and is_empty.
func (c *checker) fieldOfValue(r *Ref, base value) value {
	switch {
	case r.Field == ValueField || r.Field == base.typ.Kind:
		return c.pick(r, base)
	case r.Field == EmptyField && r.Index == nil:
		return value{typ: Type{Kind: KindBoolean}, known: true}
	case base.typ.Kind == "" || base.typ.Kind == KindRecord:
		return value{}
	}
	if !c.quiet {
		var have []string
		if base.typ.Kind != "" {
			have = []string{base.typ.Kind}
		}
		c.report(Problem{Code: UnknownField, Pos: r.Pos, Found: Text(r), Legal: []string{r.Name},
			Resolve: producers(c.signatures(), r.Field, have),
			Message: fmt.Sprintf("%s is one value (%s) and has no field %s", r.Name, base.typ, r.Field)})
	}
	return value{}
}

// pick applies the index of a reference.
func (c *checker) pick(r *Ref, v value) value {
	if r.Index == nil {
		return v
	}
	if v.whole != nil && v.whole.mapped {
		item := *v.whole
		item.mapped = false
		item.fields = make(map[string]Type, len(v.whole.fields))
		for f, t := range v.whole.fields {
			t.List = false
			item.fields[f] = t
		}
		return value{whole: &item, known: true}
	}
	if v.whole == nil && (v.typ.List || v.typ.Kind == "") {
		t := v.typ
		t.List = false
		return value{typ: t, known: true}
	}
	what := v.typ.String()
	if v.whole != nil {
		what = "a step's whole result"
	}
	plain := *r
	plain.Index = nil
	c.report(Problem{Code: WrongType, Pos: r.Pos, Found: Text(r), Legal: []string{Text(&plain)},
		Message: fmt.Sprintf("only a list has items, and %s is %s", Text(&plain), what)})
	return value{}
}

func (c *checker) slot(r *Ref) value {
	if c.slots == nil {
		return value{}
	}
	s, ok := c.slots[r.Field]
	if !ok {
		names := make([]string, 0, len(c.slots))
		for name := range c.slots {
			names = append(names, "task."+name)
		}
		sort.Strings(names)
		message := fmt.Sprintf("the request has no %s", r.Field)
		if r.Field == "" {
			message = "task is the request; one of its slots is read as task.place"
		}
		c.report(Problem{Code: UnknownSlot, Pos: r.Pos, Found: Text(r), Legal: c.near(Text(r), names), Message: message})
		return value{}
	}
	if r.Index != nil {
		return c.pick(r, value{typ: s.Type, known: true})
	}
	return value{typ: s.Type, known: true, slot: s.Value}
}

func (c *checker) undefined(r *Ref) {
	if c.quiet {
		return
	}
	p := Problem{Code: UndefinedName, Pos: r.Pos, Found: r.Name, Message: fmt.Sprintf("no step is named %s", r.Name)}
	if later, ok := c.defined[r.Name]; ok {
		p.Message = fmt.Sprintf("%s is bound later, in line %d; a name stands before its uses", r.Name, later.Line)
		if r.Name == c.step {
			p.Message = fmt.Sprintf("%s is bound by this very statement", r.Name)
		}
		if cycle := cycleFrom(c.program, r.Name, c.step); len(cycle) > 0 {
			p.Message += fmt.Sprintf("; this is the cycle %s", strings.Join(cycle, " > "))
		}
	}
	p.Legal = c.near(r.Name, c.order)
	if c.item != "" {
		p.Legal = c.near(r.Name, append([]string{c.item}, c.order...))
	}
	c.report(p)
}

func (c *checker) unknownField(r *Ref, s *shape) {
	if c.quiet {
		return
	}
	legal := make([]string, 0, len(s.order))
	for _, f := range s.order {
		legal = append(legal, r.Name+"."+f)
	}
	legal = c.near(r.Name+"."+r.Field, legal)
	if name, ok := aliasedField(s, r.Field); ok {
		legal = appendOnce([]string{r.Name + "." + name}, r.Name+"."+name)
		for _, f := range s.order {
			legal = appendOnce(legal, r.Name+"."+f)
		}
		legal = limited(legal)
	}
	kinds := make([]string, 0, len(s.order))
	for _, f := range s.order {
		kinds = appendOnce(kinds, s.fields[f].Kind)
	}
	p := Problem{Code: UnknownField, Pos: r.Pos, Found: Text(r), Legal: legal,
		Message: fmt.Sprintf("%s has no field %s", r.Name, r.Field)}
	if s.sig != nil {
		p.Message = fmt.Sprintf("%s does not give %s", s.sig.Name, r.Field)
		p.Resolve = without(producers(c.signatures(), r.Field, kinds), s.sig.Name)
	}
	c.report(p)
}

func without(list []string, name string) []string {
	var out []string
	for _, s := range list {
		if s != name {
			out = append(out, s)
		}
	}
	return out
}

// aliasedField finds the field that a tool declares under another name, or in
// another letter case.
func aliasedField(s *shape, name string) (string, bool) {
	found := ""
	for _, f := range s.order {
		match := strings.EqualFold(f, name)
		if s.sig != nil && !match {
			for i := range s.sig.Outputs {
				o := &s.sig.Outputs[i]
				if o.Name == f && hasAlias(o.Aliases, name) {
					match = true
				}
			}
		}
		if match {
			if found != "" && found != f {
				return "", false
			}
			found = f
		}
	}
	return found, found != ""
}
