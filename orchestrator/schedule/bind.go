package schedule

import (
	"errors"
	"fmt"
)

// ErrProblems is returned by Bind for a program that the checker does not pass.
var ErrProblems = errors.New("schedule: the program has problems")

// Bind makes a checked program explicit, in a copy: every argument of a tool call
// has its parameter's name, and every bare step name is replaced by the field
// that it stands for (`raster=sst` becomes `raster=sst.data`, `layers=parts` of a
// mapped step `layers=parts.zone`, and the name of an expression `far.value`).
// What stays bare are the names in first(…), the mapped step that another one
// goes over, whose items have its fields, the loop name where an item is a plain
// value, and names given to an objective step that have no single artifact. In a
// guard, name.is_empty may stand for any step.
//
// Bind returns ErrProblems when Check reports an error; warnings do not count.
// It never fails for a program that Check passes.
func Bind(p *Program, catalog Catalog, contract Contract, slots Slots, opt *Options) (*Program, error) {
	if errs := Errors(Check(p, catalog, contract, slots, opt)); len(errs) > 0 {
		return nil, fmt.Errorf("%w: %s", ErrProblems, errs[0])
	}
	out := p.Clone()
	c := newChecker(out, catalog, contract, slots, opt)
	c.quiet = true
	for _, s := range out.Statements {
		c.bindStatement(s)
		c.statement(s)
	}
	return out, nil
}

func (c *checker) bindStatement(s *Statement) {
	switch b := s.Body.(type) {
	case *Call:
		c.bindCall(b)
	case *Mapped:
		// A mapped step that is gone over again stays bare: its items have fields.
		if r, ok := b.Over.(*Ref); !ok || c.names[r.Name] != nil && c.names[r.Name].value {
			c.bindExpr(b.Over, listParam)
		}
		c.item, c.itemVal = b.Var, c.itemOf(b.Over)
		c.bindCall(b.Call)
		c.item, c.itemVal = "", value{}
	case *Guarded:
		c.bindExpr(b.Cond, scalarParam)
		for _, e := range []Expr{b.Then, b.Else} {
			if call, ok := e.(*Call); ok {
				c.bindCall(call)
			} else {
				c.bindExpr(e, plainParam)
			}
		}
	case *Computed:
		c.bindExpr(b.Expr, plainParam)
	case *Answer:
		for _, f := range b.Fields {
			p := &Param{Kinds: []string{KindAny}}
			if field, ok := c.contract.field(f.Name); ok {
				p = answerParam(field)
			}
			c.bindExpr(f.Value, p)
		}
	}
}

var listParam = &Param{Name: "the list", Kinds: []string{KindAny}, List: true}

func (c *checker) bindCall(call *Call) {
	if call.IsAsk() {
		for i := range call.Args {
			c.bindExpr(call.Args[i].Value, &Param{Kinds: []string{KindAny}})
		}
		return
	}
	sig, ok := c.catalog.Signature(call.FullName())
	if !ok {
		return
	}
	for i, x := range c.bind(call, &sig).args {
		if x.param == nil {
			continue
		}
		call.Args[i].Name = x.param.Name
		c.bindExpr(call.Args[i].Value, x.param)
	}
}

// bindExpr makes the references in a value explicit, in place.
func (c *checker) bindExpr(e Expr, p *Param) {
	switch e := e.(type) {
	case *Ref:
		c.bindRef(e, p)
	case *List:
		elem := elementParam(p)
		if len(elem.Kinds) == 0 {
			elem.Kinds = []string{KindAny}
		}
		for _, item := range e.Items {
			c.bindExpr(item, &elem)
		}
	case *Dict:
		for _, entry := range e.Entries {
			c.bindExpr(entry.Value, &Param{Kinds: []string{KindAny}})
		}
	case *Func:
		inner := *scalarParam
		inner.List = len(e.Args) == 1
		for _, a := range e.Args {
			c.bindExpr(a, &inner)
		}
	case *Unary:
		c.bindExpr(e.X, scalarParam)
	case *Binary:
		c.bindExpr(e.X, scalarParam)
		c.bindExpr(e.Y, scalarParam)
	case *Compare:
		c.bindExpr(e.X, scalarParam)
		c.bindExpr(e.Y, scalarParam)
	case *Logic:
		c.bindExpr(e.X, scalarParam)
		c.bindExpr(e.Y, scalarParam)
	}
}

func (c *checker) bindRef(r *Ref, p *Param) {
	if r.Field != "" {
		// A field of a plain value that bears the kind's name is the value itself.
		if s := c.names[r.Name]; s != nil && s.value && r.Field != EmptyField && r.Name != c.item {
			r.Field = ValueField
		}
		return
	}
	if r.IsTask() {
		return
	}
	if s := c.names[r.Name]; s != nil && s.value && r.Name != c.item {
		r.Field = ValueField
		return
	}
	v := c.ref(r, true)
	if v.whole == nil {
		return
	}
	if f := c.fit(v, p, ""); f.field != "" && f.code == "" {
		r.Field = f.field
	}
}
