package schedule

import (
	"fmt"
)

// plainParam takes what an expression may be by itself: one number, text, truth
// value or instant.
var plainParam = &Param{Name: "an expression", Kinds: []string{KindScalar, KindString, KindBoolean, KindInstant, KindPeriod}}

// rightSide checks the right side of `x = EXPR`, or a branch of a choice: an
// expression over plain values. A second name for an artifact or for a whole step
// is not of the language; a repair puts the first name in its place.
func (c *checker) rightSide(e Expr) *shape {
	switch e := e.(type) {
	case *List, *Dict, *None:
		c.report(Problem{Code: SyntaxError, Pos: e.Position(), Found: firstLine(Text(e)),
			Message: "only one number, text or truth value is bound to a name: write lists and records where they are needed"})
		return unknownShape
	case *Ref:
		v := c.ref(e, false)
		f := c.fit(v, plainParam, "")
		if f.code != "" {
			c.reportFit(f, e, v, plainParam, "")
			if !f.certain {
				return unknownShape
			}
			return valueShape(f.typ)
		}
		if v.whole != nil || !v.known {
			return unknownShape
		}
		return valueShape(v.typ)
	}
	return c.computed(e)
}

// computed gives the shape of any value. A plain name has all fields of its step.
func (c *checker) computed(e Expr) *shape {
	switch e := e.(type) {
	case *Ref:
		v := c.ref(e, false)
		switch {
		case v.whole != nil:
			return v.whole
		case !v.known:
			return unknownShape
		}
		return valueShape(v.typ)
	case *Call:
		return c.call(e)
	case *None:
		return valueShape(Type{})
	case *String:
		return valueShape(Type{Kind: KindString})
	case *Bool:
		return valueShape(Type{Kind: KindBoolean})
	case *Number:
		return valueShape(Type{Kind: numberKind(e)})
	case *Dict:
		c.visit(e)
		return valueShape(Type{Kind: KindRecord})
	case *List:
		item := c.listItem(e)
		t := item.typ
		if item.whole != nil {
			for _, x := range e.Items {
				c.reportWhole(x)
			}
			t = Type{}
		}
		t.List = true
		return valueShape(t)
	}
	return valueShape(c.exprType(e))
}

func numberKind(n *Number) string {
	if n.IsInteger() {
		return KindInteger
	}
	return KindNumber
}

// reportWhole reports a step's whole result where one value is needed.
func (c *checker) reportWhole(e Expr) {
	r, ok := e.(*Ref)
	if !ok || c.quiet {
		return
	}
	v := c.ref(r, false)
	if v.whole == nil || v.whole.unknown {
		return
	}
	var fields []string
	for _, f := range v.whole.order {
		fields = append(fields, Text(r)+"."+f)
	}
	c.report(Problem{Code: WrongKind, Pos: r.Pos, Found: Text(r), Legal: limited(fields),
		Message: fmt.Sprintf("one value is needed, and %s is %s", Text(r), describe(v))})
}

// exprType checks an expression and gives its type. Units are checked: a sum
// needs units that convert into each other, and is in the unit of its first
// part; a product has the product's unit. A bare number takes the unit of the
// other part of a sum or comparison, and is a plain factor in a product.
func (c *checker) exprType(e Expr) Type {
	switch e := e.(type) {
	case *Number:
		return Type{Kind: numberKind(e)}
	case *Ref:
		return c.scalar(e)
	case *Unary:
		t := c.exprType(e.X)
		return c.numeric(e.X, t)
	case *Binary:
		return c.arithmetic(e)
	case *Func:
		return c.function(e)
	case *Compare:
		c.compare(e)
		return Type{Kind: KindBoolean}
	case *Logic:
		c.guard(e)
		return Type{Kind: KindBoolean}
	case *Call:
		return c.argScalar(e)
	case *String:
		return Type{Kind: KindString}
	case *Bool:
		return Type{Kind: KindBoolean}
	case *List:
		return c.computed(e).fields[ValueField]
	}
	c.report(Problem{Code: WrongType, Pos: e.Position(), Found: firstLine(Text(e)), Message: "an expression is over scalars and numbers"})
	return Type{}
}

// argScalar checks a call inside an expression, which has no place there.
func (c *checker) argScalar(call *Call) Type {
	v := c.argValue(call)
	if v.whole == nil {
		return v.typ
	}
	f := c.fit(v, scalarParam, "")
	if f.code != "" && !f.certain {
		c.reportFit(f, call, v, scalarParam, "")
	}
	return f.typ
}

var scalarParam = &Param{Name: "the expression", Kinds: []string{KindScalar}}

// scalar resolves a reference inside an expression.
func (c *checker) scalar(r *Ref) Type {
	v := c.ref(r, false)
	if v.whole == nil {
		return v.typ
	}
	if v.whole.unknown {
		return Type{}
	}
	f := c.fit(v, scalarParam, "")
	if f.code != "" {
		c.reportFit(f, r, v, scalarParam, "")
	}
	return Type{}
}

// numeric reports an operand that is not a number.
func (c *checker) numeric(e Expr, t Type) Type {
	switch {
	case t.List:
		c.report(Problem{Code: WrongType, Pos: e.Position(), Found: firstLine(Text(e)),
			Legal:   []string{"mean(" + Text(e) + ")", "sum(" + Text(e) + ")", "max(" + Text(e) + ")", "min(" + Text(e) + ")"},
			Message: fmt.Sprintf("%s is a list, and arithmetic is over single values", Text(e))})
		return Type{}
	case t.Kind == "" || isNumeric(t.Kind):
		return t
	}
	if !c.quiet {
		c.report(Problem{Code: WrongKind, Pos: e.Position(), Found: firstLine(Text(e)), Legal: c.candidates(scalarParam, "", Text(e)),
			Resolve: leads(c.signatures(), t.Kind, []string{KindScalar}),
			Message: fmt.Sprintf("%s is %s, and arithmetic is over scalars", Text(e), t)})
	}
	return Type{}
}

func (c *checker) arithmetic(e *Binary) Type {
	x := c.numeric(e.X, c.exprType(e.X))
	y := c.numeric(e.Y, c.exprType(e.Y))
	if x.Kind == "" || y.Kind == "" {
		return Type{Kind: KindScalar}
	}
	t := Type{Kind: KindScalar}
	bareX, bareY := isBare(e.X), isBare(e.Y)
	if bareX && bareY {
		return t
	}
	switch e.Op {
	case "+", "-":
		return c.sumType(e, x, y, bareX, bareY)
	case "*":
		switch {
		case bareX:
			return Type{Kind: KindScalar, Unit: y.Unit, Variable: y.Variable, Difference: y.Difference}
		case bareY:
			return Type{Kind: KindScalar, Unit: x.Unit, Variable: x.Variable, Difference: x.Difference}
		}
		t.Unit = c.combine(e, x, y, c.units.Mul)
	default:
		switch {
		case bareY:
			return Type{Kind: KindScalar, Unit: x.Unit, Variable: x.Variable, Difference: x.Difference}
		case bareX:
			t.Unit = c.combine(e, Type{Unit: "1"}, y, c.units.Div)
		default:
			t.Unit = c.combine(e, x, y, c.units.Div)
		}
	}
	return t
}

// isBare tells whether an expression is made of number literals only, which have
// no unit of their own.
func isBare(e Expr) bool {
	switch e := e.(type) {
	case *Number:
		return true
	case *Unary:
		return isBare(e.X)
	case *Binary:
		return isBare(e.X) && isBare(e.Y)
	case *Func:
		for _, a := range e.Args {
			if !isBare(a) {
				return false
			}
		}
		return true
	}
	return false
}

func (c *checker) sumType(e *Binary, x, y Type, bareX, bareY bool) Type {
	t := Type{Kind: KindScalar, Unit: x.Unit, Variable: x.Variable}
	switch {
	case bareX:
		t.Unit, t.Variable, t.Difference = y.Unit, y.Variable, y.Difference
		return t
	case bareY:
		t.Difference = x.Difference
		return t
	}
	if !c.unitFits(x.Unit, y.Unit) {
		c.unitClash(e.Y, x, y)
		return Type{Kind: KindScalar}
	}
	if x.Unit == "" || y.Unit == "" {
		t.Unit = ""
	}
	if x.Variable != y.Variable {
		t.Variable = ""
	}
	// The difference of two values, and the sum of two differences, is a
	// difference; a difference added to a value is a value.
	t.Difference = e.Op == "-" && x.Difference == y.Difference || e.Op == "+" && x.Difference && y.Difference
	return t
}

func (c *checker) unitClash(at Expr, x, y Type) {
	c.report(Problem{Code: WrongUnit, Pos: at.Position(), Found: firstLine(Text(at)),
		Message: fmt.Sprintf("%s is in %s, which does not convert to %s", Text(at), y.Unit, x.Unit)})
}

// combine gives the unit of a product or ratio.
func (c *checker) combine(e *Binary, x, y Type, op func(a, b string) (string, error)) string {
	if x.Unit == "" || y.Unit == "" {
		return ""
	}
	u, err := op(x.Unit, y.Unit)
	if scale, ok := c.units.(OffsetUnits); ok && x.Unit == y.Unit && !x.Difference && !y.Difference && scale.HasOffset(x.Unit) {
		err = fmt.Errorf("%s has an offset; convert to K first", x.Unit)
	}
	if err != nil {
		c.report(Problem{Code: WrongUnit, Pos: e.Y.Position(), Found: firstLine(Text(e)),
			Message: fmt.Sprintf("the units %s and %s cannot be combined by %s: %v", x.Unit, y.Unit, e.Op, err)})
		return ""
	}
	return u
}

// function checks abs, min, max, round, mean and sum.
func (c *checker) function(f *Func) Type {
	args := f.Args
	switch {
	case (f.Name == "abs" || f.Name == "round") && len(args) != 1, (f.Name == "mean" || f.Name == "sum") && len(args) != 1:
		c.report(Problem{Code: WrongType, Pos: f.Pos, Found: firstLine(Text(f)), Legal: []string{functionForm(f.Name)},
			Message: fmt.Sprintf("%s does not take %d arguments", f.Name, len(args))})
		for _, a := range args {
			c.exprType(a)
		}
		return Type{Kind: KindScalar}
	}
	if len(args) == 1 && f.Name != "abs" && f.Name != "round" {
		return c.overList(f, args[0])
	}
	var t Type
	for i, a := range args {
		x := c.numeric(a, c.exprType(a))
		switch {
		case i == 0 || isBare(args[0]) && t.Unit == "":
			t = x
		case isBare(a):
		case !c.unitFits(x.Unit, t.Unit):
			c.unitClash(a, t, x)
		}
	}
	if t.Kind != "" {
		t.Kind = KindScalar
	}
	return t
}

func functionForm(name string) string {
	switch name {
	case "abs", "round":
		return name + "(x)"
	}
	return name + "(list)"
}

// overList checks min, max, mean and sum over one list.
func (c *checker) overList(f *Func, arg Expr) Type {
	t := c.exprType(arg)
	if t.Kind == "" {
		return Type{Kind: KindScalar}
	}
	if !t.List {
		if isNumeric(t.Kind) {
			c.report(Problem{Code: WrongType, Pos: arg.Position(), Found: firstLine(Text(arg)), Legal: []string{Text(arg)},
				Message: fmt.Sprintf("%s is over a list, and %s is one value", f.Name, Text(arg))})
			return t
		}
		c.numeric(arg, t)
		return Type{Kind: KindScalar}
	}
	t.List = false
	if t = c.numeric(arg, t); t.Kind == "" {
		return Type{Kind: KindScalar}
	}
	t.Kind = KindScalar
	return t
}

// compare checks a comparison: both sides of one kind, in units that convert.
func (c *checker) compare(e *Compare) {
	x, y := c.exprType(e.X), c.exprType(e.Y)
	if x.Kind == "" || y.Kind == "" {
		return
	}
	comparable := isNumeric(x.Kind) && isNumeric(y.Kind) || kindFits(x.Kind, y.Kind) || kindFits(y.Kind, x.Kind)
	if x.Kind == KindInstant && y.Kind == KindString || y.Kind == KindInstant && x.Kind == KindString {
		comparable = true
	}
	ordered := e.Op != "==" && e.Op != "!="
	if ordered && !(isNumeric(x.Kind) && isNumeric(y.Kind)) {
		comparable = false // texts and instants are equal or not
	}
	if !comparable || x.List || y.List || isArtifact(x.Kind) && x.Kind != KindText {
		c.report(Problem{Code: WrongType, Pos: e.Y.Position(), Found: firstLine(Text(e)), Legal: nil,
			Message: fmt.Sprintf("%s and %s cannot be compared", x, y)})
		return
	}
	if !isBare(e.X) && !isBare(e.Y) && !c.unitFits(x.Unit, y.Unit) {
		c.unitClash(e.Y, x, y)
	}
}
