package schedule

import (
	"fmt"
	"strings"
)

// fitting tells whether a value may be given to a parameter.
type fitting struct {
	code Code // empty when it fits
	// field is the field that a bare step name stands for, typ its type.
	field string
	typ   Type
	// certain tells that a bare name does not fit as it stands but has exactly
	// one field that does.
	certain bool
}

// fit compares a value with a parameter whose unit is already resolved.
func (c *checker) fit(v value, p *Param, unit string) fitting {
	switch {
	case v.whole == nil && !v.known:
		return fitting{}
	case v.whole == nil:
		return c.fitType(v.typ, p, unit)
	case v.whole.unknown:
		return fitting{}
	}
	var natural, fits, ofKind []string
	listOnly := false
	for _, f := range v.whole.order {
		t := v.whole.fields[f]
		kind, list := paramFits(p, t)
		if kind && (t.Kind == "" || isArtifact(t.Kind) && (p.takes(t.Kind) || p.takes(KindAny))) {
			natural = append(natural, f)
		}
		if kind && list {
			ofKind = append(ofKind, f)
			if c.unitFits(t.Unit, unit) {
				fits = append(fits, f)
			}
		}
		listOnly = listOnly || kind && !list
	}
	if len(natural) == 1 {
		r := c.fitType(v.whole.fields[natural[0]], p, unit)
		r.field = natural[0]
		return r
	}
	// Among several fields of the kind, only a unit that is known picks one.
	if len(fits) == 1 && (len(ofKind) == 1 || v.whole.fields[fits[0]].Unit != "") {
		return fitting{code: WrongKind, field: fits[0], typ: v.whole.fields[fits[0]], certain: true}
	}
	if len(fits) == 0 && listOnly {
		return fitting{code: WrongType}
	}
	return fitting{code: WrongKind}
}

func (c *checker) fitType(t Type, p *Param, unit string) fitting {
	kind, list := paramFits(p, t)
	switch {
	case !kind:
		return fitting{code: WrongKind, typ: t}
	case !list:
		return fitting{code: WrongType, typ: t}
	case !c.unitFits(t.Unit, unit):
		return fitting{code: WrongUnit, typ: t}
	}
	return fitting{typ: t}
}

// argument checks one argument against its parameter.
func (c *checker) argument(x *bound, b *binding) {
	unit := c.unitOf(x.param.Unit, b)
	switch e := x.arg.Value.(type) {
	case *Ref:
		c.referenceArg(e, x, b, unit)
	case *Call, *Unary, *Binary, *Func, *Compare, *Logic:
		if f := c.fit(x.val, x.param, unit); f.code != "" && !f.certain {
			c.reportFit(f, e, x.val, x.param, unit)
		}
	default:
		c.literal(e, x.param, b, unit)
	}
}

func (c *checker) referenceArg(r *Ref, x *bound, b *binding, unit string) {
	f := c.fit(x.val, x.param, unit)
	if f.code != "" {
		c.reportFit(f, r, x.val, x.param, unit)
		return
	}
	if s, ok := x.val.slot.(string); ok && len(x.param.Enum) > 0 {
		c.enum(s, r, x.param, b)
	}
	if n, ok := x.val.slot.(float64); ok && onlyInteger(x.param) && n != float64(int64(n)) {
		c.report(Problem{Code: WrongType, Pos: r.Pos, Found: fmt.Sprint(n),
			Message: fmt.Sprintf("%s is a whole number, and %s is %g", x.param.Name, Text(r), n)})
	}
}

func onlyInteger(p *Param) bool {
	return p.takes(KindInteger) && !p.takes(KindNumber) && !p.takes(KindScalar)
}

// reportFit reports a reference that does not fit its parameter.
func (c *checker) reportFit(f fitting, e Expr, v value, p *Param, unit string) {
	if c.quiet {
		return
	}
	problem := Problem{Code: f.code, Pos: e.Position(), Found: firstLine(Text(e)), Legal: c.candidates(p, unit, Text(e))}
	wanted := strings.Join(p.Kinds, " or ")
	switch f.code {
	case WrongUnit:
		problem.Message = fmt.Sprintf("%s is in %s, and %s is wanted in %s", Text(e), f.typ.Unit, p.Name, unit)
	case WrongType:
		problem.Message = fmt.Sprintf("%s is a list, and %s takes one value", Text(e), p.Name)
		if takesList(p) {
			problem.Message = fmt.Sprintf("%s is one value, and %s takes a list", Text(e), p.Name)
			problem.Legal = []string{"[" + Text(e) + "]"}
		}
	default:
		problem.Message = fmt.Sprintf("%s is %s, and %s takes %s", Text(e), describe(v), p.Name, wanted)
		if f.certain {
			problem.Legal = []string{Text(e) + "." + f.field}
		}
		problem.Resolve = c.waysTo(v, p)
	}
	c.report(problem)
}

func describe(v value) string {
	if v.whole == nil {
		return v.typ.String()
	}
	if len(v.whole.order) == 0 {
		return "without a field"
	}
	return "the whole result (" + strings.Join(limited(v.whole.order), ", ") + ")"
}

// waysTo are the tools that lead from a value to what a parameter takes.
func (c *checker) waysTo(v value, p *Param) []string {
	var need []string
	for _, k := range p.Kinds {
		elem, _ := listKind(k)
		need = append(need, elem)
	}
	if v.whole == nil {
		return leads(c.signatures(), v.typ.Kind, need)
	}
	var ways []string
	for _, f := range v.whole.order {
		for _, way := range leads(c.signatures(), v.whole.fields[f].Kind, need) {
			ways = appendOnce(ways, way)
		}
	}
	return limited(ways)
}

// candidates are the values in reach that a parameter would take, the nearest to
// what was written first.
func (c *checker) candidates(p *Param, unit, found string) []string {
	if c.quiet {
		return nil
	}
	var list []string
	for _, name := range c.order {
		s := c.names[name]
		if s.unknown {
			continue
		}
		for _, f := range s.order {
			kind, ok := paramFits(p, s.fields[f])
			switch {
			case !kind || !ok || s.fields[f].Kind == "" || !c.unitFits(s.fields[f].Unit, unit):
			case s.value:
				list = appendOnce(list, name)
			case isArtifact(s.fields[f].Kind):
				list = appendOnce(list, name)
			default:
				list = appendOnce(list, name+"."+f)
			}
		}
		if len(list) > 4*maxLegal {
			break
		}
	}
	for _, slot := range sortedSlots(c.slots) {
		if kind, ok := paramFits(p, c.slots[slot].Type); kind && ok && c.unitFits(c.slots[slot].Type.Unit, unit) {
			list = append(list, "task."+slot)
		}
	}
	return c.near(found, list)
}
