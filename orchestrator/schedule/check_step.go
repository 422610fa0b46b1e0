package schedule

import (
	"fmt"
	"reflect"
)

// guarded checks `THEN if COND else ELSE`.
func (c *checker) guarded(g *Guarded) *shape {
	c.guard(g.Cond)
	then := c.branch(g.Then)
	if _, none := g.Else.(*None); none {
		return then
	}
	els := c.branch(g.Else)
	if then.unknown || els.unknown {
		return unknownShape
	}
	both := c.merge(then, els)
	if len(both.order) == 0 || then.value != els.value {
		c.report(Problem{Code: WrongKind, Pos: g.Pos, Found: firstLine(Text(g.Then) + " … " + Text(g.Else)),
			Message: "the two branches have no field of the same kind and unit in common"})
		return unknownShape
	}
	return both
}

func (c *checker) branch(e Expr) *shape {
	if call, ok := e.(*Call); ok {
		return c.call(call)
	}
	return c.rightSide(e)
}

// guard checks a condition: comparisons of values, or booleans.
func (c *checker) guard(e Expr) {
	switch e := e.(type) {
	case *Logic:
		c.guard(e.X)
		c.guard(e.Y)
	case *Compare:
		c.guardOperand(e.X)
		c.guardOperand(e.Y)
		c.compare(e)
	case *Ref:
		v := c.ref(e, true)
		if v.whole != nil || v.known && (v.typ.List || v.typ.Kind != "" && v.typ.Kind != KindBoolean) {
			c.report(Problem{Code: WrongType, Pos: e.Pos, Found: Text(e), Legal: []string{e.Name + "." + EmptyField, Text(e) + " > 0"},
				Message: fmt.Sprintf("a guard is a comparison or a boolean, and %s is %s", Text(e), describe(v))})
		}
	}
}

// guardOperand reports arithmetic inside a guard.
func (c *checker) guardOperand(e Expr) {
	switch e.(type) {
	case *Unary, *Binary, *Func, *Logic, *Compare, *Call:
		c.report(Problem{Code: SyntaxError, Pos: e.Position(), Found: firstLine(Text(e)),
			Message: "a guard compares values: give the expression a name in a statement of its own"})
	}
}

// mapped checks `[CALL for VAR in OVER]`.
func (c *checker) mapped(m *Mapped) *shape {
	item := c.itemOf(m.Over)
	c.spend(m.Pos, c.items(m))
	if _, taken := c.names[m.Var]; taken || m.Var == TaskName {
		c.report(Problem{Code: RedefinedName, Pos: m.Pos, Found: m.Var,
			Message: fmt.Sprintf("%s is bound already; the loop name of a mapped step is a new one", m.Var)})
	}
	c.item, c.itemVal = m.Var, item
	result := c.call(m.Call)
	c.item, c.itemVal = "", value{}
	return mappedShape(result)
}

// itemOf gives what one item of a mapped step is.
func (c *checker) itemOf(over Expr) value {
	if list, ok := over.(*List); ok {
		return c.listItem(list)
	}
	r, ok := over.(*Ref)
	if !ok {
		return value{}
	}
	v := c.ref(r, false)
	switch {
	case v.whole != nil && v.whole.mapped:
		first := 0
		return c.pick(&Ref{Pos: r.Pos, Name: r.Name, Index: &first}, v)
	case v.whole != nil:
		c.notAList(r, v)
		return value{}
	case !v.known || v.typ.Kind == "" && !v.typ.List:
		return value{}
	case !v.typ.List:
		c.notAList(r, v)
		return value{}
	}
	t := v.typ
	t.List = false
	return value{typ: t, known: true}
}

func (c *checker) notAList(r *Ref, v value) {
	if c.quiet {
		return
	}
	var lists []string
	for _, name := range c.order {
		s := c.names[name]
		for _, f := range s.order {
			if s.fields[f].List {
				lists = append(lists, name+"."+f)
			}
		}
	}
	for _, slot := range sortedSlots(c.slots) {
		if c.slots[slot].Type.List {
			lists = append(lists, "task."+slot)
		}
	}
	c.report(Problem{Code: WrongType, Pos: r.Pos, Found: Text(r), Legal: c.near(Text(r), lists),
		Message: fmt.Sprintf("a mapped step goes over a list, and %s is %s", Text(r), describe(v))})
}

// listItem is the common type of a written list.
func (c *checker) listItem(list *List) value {
	item := value{}
	for i, e := range list.Items {
		v := c.computed(e)
		if v.unknown {
			return value{}
		}
		if !v.value {
			return value{whole: v, known: true}
		}
		t := v.fields[ValueField]
		if i == 0 {
			item = value{typ: t, known: true}
			continue
		}
		if !kindFits(item.typ.Kind, t.Kind) || t.List != item.typ.List {
			c.report(Problem{Code: WrongType, Pos: e.Position(), Found: Text(e), Message: "the items of a list are of one kind"})
			return value{}
		}
	}
	return item
}

// items counts the items of a mapped step where they are known before the run,
// and is 1 otherwise. More than the limit is reported, never cut.
func (c *checker) items(m *Mapped) int {
	n := -1
	switch over := m.Over.(type) {
	case *List:
		n = len(over.Items)
	case *Ref:
		if s, ok := c.slots[over.Field]; ok && over.IsTask() && over.Index == nil {
			if v := reflect.ValueOf(s.Value); v.Kind() == reflect.Slice {
				n = v.Len()
			}
		}
	}
	if n > c.opt.maxMap() {
		c.report(Problem{Code: OverBudget, Pos: m.Pos, Found: fmt.Sprintf("%d items", n), Legal: []string{fmt.Sprint(c.opt.maxMap())},
			Message: fmt.Sprintf("a mapped step has at most %d items, and this one has %d", c.opt.maxMap(), n)})
	}
	if n < 0 {
		return 1
	}
	return n
}

// first checks `first(a, b, …)`.
func (c *checker) first(f *First) *shape {
	var both *shape
	for _, r := range f.Names {
		v := c.ref(r, false)
		s := unknownShape
		switch {
		case v.whole != nil:
			s = v.whole
		case v.known:
			s = valueShape(v.typ)
		}
		if both == nil {
			both = s
		} else {
			both = c.merge(both, s)
		}
	}
	if !both.unknown && len(both.order) == 0 {
		c.report(Problem{Code: WrongKind, Pos: f.Pos, Found: firstLine(Text(f.Names[0])),
			Message: "the steps of first have no field of the same kind and unit in common"})
		return unknownShape
	}
	return both
}
