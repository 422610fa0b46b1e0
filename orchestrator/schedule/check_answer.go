package schedule

import (
	"fmt"
	"strings"
)

// answerParam is the parameter that a field of the contract amounts to.
func answerParam(f Field) *Param {
	p := &Param{Name: f.Key, Required: true}
	switch f.Type {
	case "number", "angle":
		p.Kinds = []string{KindScalar}
	case "integer":
		p.Kinds = []string{KindInteger}
	case "text":
		p.Kinds = []string{KindString, KindText, KindPeriod}
	case "boolean":
		p.Kinds = []string{KindBoolean}
	case "instant":
		p.Kinds = []string{KindInstant}
	case "period":
		p.Kinds = []string{KindPeriod}
	case "place":
		p.Kinds = []string{KindPlace}
	case "list":
		p.Kinds, p.List = []string{KindAny}, true
	default:
		p.Kinds = []string{KindAny}
	}
	p.Unit = f.Unit
	return p
}

// answer checks that every field of the contract is bound, by a value of its
// type in a unit that converts.
func (c *checker) answer(a *Answer) {
	seen := map[string]bool{}
	for _, f := range a.Fields {
		v := c.answerValue(f.Value)
		if f.Name == "" {
			c.report(Problem{Code: ExtraAnswer, Pos: f.Pos, Found: Text(f.Value), Legal: c.contract.keys(),
				Message: "the fields of an answer are bound by name: answer(field=name.field)"})
			continue
		}
		if seen[f.Name] {
			c.report(Problem{Code: RedefinedName, Pos: f.Pos, Found: f.Name, Message: fmt.Sprintf("the field %s is bound twice", f.Name)})
			continue
		}
		seen[f.Name] = true
		field, ok := c.contract.field(f.Name)
		switch {
		case c.contract == nil:
			c.answerWhole(f, v)
		case !ok:
			c.report(Problem{Code: ExtraAnswer, Pos: f.Pos, Found: f.Name, Legal: c.near(f.Name, c.contract.keys()),
				Message: fmt.Sprintf("the answer has no field %s", f.Name)})
		default:
			c.answerField(f, v, field)
		}
	}
	for _, field := range c.contract {
		if seen[field.Key] {
			continue
		}
		p := answerParam(field)
		c.report(Problem{Code: UnboundAnswer, Pos: a.Pos, Found: field.Key, Legal: c.candidates(p, p.Unit, field.Key),
			Resolve: c.answerTools(field),
			Message: fmt.Sprintf("the field %s (%s%s) is not bound", field.Key, field.Type, unitText(field.Unit))})
	}
}

func unitText(unit string) string {
	if unit == "" {
		return ""
	}
	return " in " + unit
}

func (ct Contract) field(key string) (Field, bool) {
	for _, f := range ct {
		if f.Key == key {
			return f, true
		}
	}
	return Field{}, false
}

func (ct Contract) keys() []string {
	keys := make([]string, len(ct))
	for i, f := range ct {
		keys[i] = f.Key
	}
	return keys
}

// answerTools are the tools with a field of that name.
func (c *checker) answerTools(f Field) []string {
	if c.quiet {
		return nil
	}
	return producers(c.signatures(), f.Key, nil)
}

func (c *checker) answerValue(e Expr) value {
	switch e := e.(type) {
	case *Ref, *Call, *Unary, *Binary, *Func, *Compare, *Logic:
		return c.argValue(e)
	case *None:
		return value{}
	}
	s := c.computed(e)
	return value{typ: s.fields[ValueField], known: true}
}

// answerWhole checks a field when no contract is known: it is one value.
func (c *checker) answerWhole(f Arg, v value) {
	if v.whole != nil && !v.whole.unknown {
		c.reportFit(c.fit(v, &Param{Name: f.Name, Kinds: []string{KindScalar, KindString, KindBoolean, KindInstant}}, ""), f.Value, v,
			&Param{Name: f.Name, Kinds: []string{KindScalar, KindString, KindBoolean, KindInstant}}, "")
	}
}

func (c *checker) answerField(f Arg, v value, field Field) {
	p := answerParam(field)
	if _, none := f.Value.(*None); none {
		c.report(Problem{Code: UnboundAnswer, Pos: f.Pos, Found: f.Name, Legal: c.candidates(p, p.Unit, field.Key),
			Resolve: c.answerTools(field), Message: fmt.Sprintf("the field %s is bound to nothing", f.Name)})
		return
	}
	unit := p.Unit
	if isBare(f.Value) {
		unit = "" // a bare number is in the field's unit
	}
	r := c.fit(v, p, unit)
	if r.code == "" {
		return
	}
	if _, isCall := f.Value.(*Call); isCall && r.certain {
		return
	}
	if _, isText := f.Value.(*String); isText && strings.TrimSpace(field.Type) == "instant" {
		if isInstant(f.Value.(*String).Value) {
			return
		}
	}
	if isLiteral(f.Value) && r.code == WrongKind {
		r.code = WrongType
	}
	c.reportFit(r, f.Value, v, p, unit)
}

func isLiteral(e Expr) bool {
	switch e.(type) {
	case *Number, *String, *Bool, *None, *List, *Dict:
		return true
	}
	return false
}
