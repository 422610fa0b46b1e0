package executor

import (
	"fmt"
	"strconv"

	"almanac/orchestrator/schedule"
	"almanac/toolkits"
	"almanac/toolkits/artifact"
	"almanac/toolkits/units"
)

// scope is what names mean to a call: the run's steps, and the loop name of a mapped step.
type scope struct {
	run  *run
	loop string
	item toolkits.Value
}

// arguments evaluates a call's arguments. A bare name is read as the field that the parameter takes.
func (sc scope) arguments(tool *toolkits.Tool, c *schedule.Call) (map[string]toolkits.Value, error) {
	args := make(map[string]toolkits.Value, len(c.Args))
	for _, a := range c.Args {
		name := a.Name
		if name == "" {
			name = onlyRequired(tool)
		}
		p, ok := tool.Param(name)
		if !ok {
			e := toolkits.Errorf(toolkits.BadArgument, "%s has no parameter %q", tool.Name, a.Name)
			for _, q := range tool.Params {
				e.Legal = append(e.Legal, q.Name)
			}
			return args, e
		}
		v, err := sc.eval(a.Value, p.Kinds, p.List)
		if err != nil {
			return args, err
		}
		args[name] = v
	}
	return args, nil
}

func onlyRequired(t *toolkits.Tool) string {
	name := ""
	for _, p := range t.Params {
		if p.Required {
			if name != "" {
				return ""
			}
			name = p.Name
		}
	}
	return name
}

// eval reads an expression as a value of one of the kinds; nil kinds take any.
func (sc scope) eval(e schedule.Expr, kinds []string, list bool) (toolkits.Value, error) {
	switch e := e.(type) {
	case *schedule.Number:
		return number(e)
	case *schedule.String:
		return toolkits.Value{Kind: toolkits.KindString, Text: e.Value}, nil
	case *schedule.Bool:
		return toolkits.Value{Kind: toolkits.KindBoolean, Bool: e.Value}, nil
	case *schedule.None:
		return toolkits.Value{Kind: toolkits.KindNull}, nil
	case *schedule.List:
		return sc.list(e, kinds)
	case *schedule.Dict:
		v := toolkits.Value{Kind: toolkits.KindRecord, Record: map[string]toolkits.Value{}}
		for _, entry := range e.Entries {
			x, err := sc.eval(entry.Value, []string{toolkits.KindNumber, toolkits.KindString}, false)
			if err != nil {
				return v, err
			}
			v.Record[entry.Key] = x
		}
		return v, nil
	case *schedule.Ref:
		return sc.ref(e, kinds, list)
	}
	return toolkits.Value{}, toolkits.Errorf(toolkits.BadArgument, "%s is no value: give it a step of its own", schedule.Text(e))
}

func number(n *schedule.Number) (toolkits.Value, error) {
	if n.IsInteger() {
		i, ok := n.Int()
		if !ok {
			return toolkits.Value{}, toolkits.Errorf(toolkits.BadArgument, "the integer %s does not fit into 64 bits", n.Text)
		}
		return toolkits.Literal(i)
	}
	return toolkits.Literal(n.Float())
}

func (sc scope) list(l *schedule.List, kinds []string) (toolkits.Value, error) {
	v := toolkits.Value{Kind: toolkits.KindList, List: make([]toolkits.Value, len(l.Items))}
	for i, item := range l.Items {
		var err error
		if v.List[i], err = sc.eval(item, kinds, false); err != nil {
			return v, err
		}
	}
	return v, nil
}

func (sc scope) ref(r *schedule.Ref, kinds []string, list bool) (toolkits.Value, error) {
	if r.IsTask() {
		v, ok := sc.run.slots[r.Field]
		if !ok {
			e := toolkits.Errorf(toolkits.NotFound, "the request names no %s", r.Field)
			for name := range sc.run.slots {
				e.Legal = append(e.Legal, "task."+name)
			}
			return v, e
		}
		return pick(v, r.Index)
	}
	if r.Name == sc.loop && sc.loop != "" {
		if r.Field != "" {
			v, ok := sc.item.Record[r.Field]
			if !ok {
				return v, toolkits.Errorf(toolkits.NotFound, "an item of the list has no field %q", r.Field)
			}
			return v, nil
		}
		return sc.item, nil
	}
	n := sc.run.byName[r.Name]
	if n == nil || n.out == nil {
		return toolkits.Value{}, toolkits.Errorf(toolkits.Internal, "%s has no value", r.Name)
	}
	if r.Field == "" {
		v, err := whole(r.Name, n.out, kinds)
		if err != nil {
			return v, err
		}
		return pick(v, r.Index)
	}
	v, ok := n.out.get(r.Field)
	if !ok {
		e := toolkits.Errorf(toolkits.NotFound, "%s has no field %q", r.Name, r.Field)
		for _, f := range n.out.fields {
			e.Legal = append(e.Legal, r.Name+"."+f.Name)
		}
		return v, e
	}
	return pick(v, r.Index)
}

func pick(v toolkits.Value, index *int) (toolkits.Value, error) {
	if index == nil {
		return v, nil
	}
	if v.Kind != toolkits.KindList {
		return v, toolkits.Errorf(toolkits.BadArgument, "a %s has no items", v.Kind)
	}
	i := *index
	if i < 0 {
		i += len(v.List)
	}
	if i < 0 || i >= len(v.List) {
		return v, toolkits.Errorf(toolkits.OutOfDomain, "item %d of a list of %d", *index, len(v.List))
	}
	return v.List[i], nil
}

// whole reads a step's name without a field: its only field of a kind that is wanted; the only artifact when any kind
// will do; or its only field.
func whole(name string, o *outcome, kinds []string) (toolkits.Value, error) {
	var fits []toolkits.Field
	for _, f := range o.fields {
		v := f.Value
		if o.mapped && len(v.List) > 0 {
			v = v.List[0]
		}
		if accepts(kinds, v) {
			fits = append(fits, f)
		}
	}
	if len(fits) == 1 {
		return fits[0].Value, nil
	}
	if f, ok := o.get("value"); ok && len(fits) != 0 {
		return f, nil
	}
	e := toolkits.Errorf(toolkits.BadArgument, "%s has %d fields that fit here: name one", name, len(fits))
	for _, f := range o.fields {
		e.Legal = append(e.Legal, name+"."+f.Name)
	}
	return toolkits.Value{}, e
}

func accepts(kinds []string, v toolkits.Value) bool {
	if len(kinds) == 0 {
		return v.IsArtifact()
	}
	for _, k := range kinds {
		switch {
		case k == v.Kind:
			return true
		case k == toolkits.KindNumber && v.Kind == artifact.KindScalar:
			return true
		case k == toolkits.KindString && v.Kind == artifact.KindText:
			return true
		case k == toolkits.KindPlace && v.Kind == artifact.KindVector:
			return true
		}
	}
	return false
}

// available says whether every step that e names is done; if not, the error is the state that follows from it.
func (sc scope) available(e schedule.Expr) error {
	if e == nil {
		return nil
	}
	var needs []*node
	for _, name := range exprNames(e, nil) {
		if n := sc.run.byName[name]; n != nil {
			needs = append(needs, n)
		}
	}
	if state, reason := inherited(needs); state != "" {
		return &barredError{state, reason}
	}
	return nil
}

// truth evaluates a guard.
func (sc scope) truth(e schedule.Expr) (bool, error) {
	switch e := e.(type) {
	case *schedule.Logic:
		x, err := sc.truth(e.X)
		if err != nil {
			return false, err
		}
		if e.Op == "and" && !x || e.Op == "or" && x {
			return x, nil
		}
		return sc.truth(e.Y)
	case *schedule.Compare:
		return sc.compare(e)
	case *schedule.Ref:
		if e.Field == "is_empty" {
			return sc.isEmpty(e)
		}
		v, err := sc.ref(e, []string{toolkits.KindBoolean}, false)
		if err == nil && v.Kind != toolkits.KindBoolean {
			err = toolkits.Errorf(toolkits.BadArgument, "%s is no truth value", schedule.Text(e))
		}
		return v.Bool, err
	}
	return false, toolkits.Errorf(toolkits.BadArgument, "%s is no condition", schedule.Text(e))
}

func (sc scope) isEmpty(r *schedule.Ref) (bool, error) {
	n := sc.run.byName[r.Name]
	if n == nil || n.out == nil {
		return false, toolkits.Errorf(toolkits.Internal, "%s has no value", r.Name)
	}
	if count, ok := n.out.get("count"); ok && count.IsNumber() {
		return count.Number == 0, nil
	}
	for _, f := range n.out.fields {
		if f.Value.Kind == toolkits.KindList {
			return len(f.Value.List) == 0, nil
		}
	}
	return len(n.out.fields) == 0, nil
}

func (sc scope) compare(c *schedule.Compare) (bool, error) {
	plain := []string{toolkits.KindNumber, toolkits.KindString, toolkits.KindBoolean, toolkits.KindInstant}
	x, err := sc.eval(c.X, plain, false)
	if err != nil {
		return false, err
	}
	y, err := sc.eval(c.Y, plain, false)
	if err != nil {
		return false, err
	}
	if x.IsNumber() && y.IsNumber() {
		a, b, err := sameUnit(x, y)
		if err != nil {
			return false, err
		}
		return order(c.Op, a, b), nil
	}
	if x.IsNumber() || y.IsNumber() || c.Op != "==" && c.Op != "!=" {
		return false, toolkits.Errorf(toolkits.BadArgument, "%s cannot be compared with %s", schedule.Text(c.X), schedule.Text(c.Y))
	}
	equal := fmt.Sprint(x.Plain()) == fmt.Sprint(y.Plain())
	return equal == (c.Op == "=="), nil
}

// sameUnit brings two numbers to one unit. A bare number counts in the other's unit.
func sameUnit(x, y toolkits.Value) (float64, float64, error) {
	if x.Unit == "" || y.Unit == "" || x.Unit == y.Unit {
		return x.Number, y.Number, nil
	}
	b, err := units.Convert(y.Number, y.Unit, x.Unit, y.Difference)
	if err != nil {
		return 0, 0, toolkits.Errorf(toolkits.BadUnit, "%s cannot be compared with %s: %w", x.Unit, y.Unit, err)
	}
	return x.Number, b, nil
}

func order(op string, a, b float64) bool {
	switch op {
	case "<":
		return a < b
	case "<=":
		return a <= b
	case ">":
		return a > b
	case ">=":
		return a >= b
	case "!=":
		return a != b
	}
	return a == b
}

func quote(s string) string { return strconv.Quote(s) }
