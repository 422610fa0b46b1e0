package schedule

import (
	"fmt"
	"strings"
)

// Evaluation is the one compute.evaluate call that an expression stands for.
type Evaluation struct {
	// Expression is in terms of Variables, with + - * / comparisons, and the
	// functions abs, min, max, round, mean and sum.
	Expression string
	Variables  []Variable
}

// Variable is one variable of an Evaluation: a reference, or a bare number that
// is in the unit of another part of the expression.
type Variable struct {
	Name string
	Ref  *Ref
	// Number and Like stand for `26.5` in `a.mean - 26.5`: the number, and the
	// variable whose unit it is in. Ref is nil then.
	Number *Number
	Like   string
}

// Lower turns the expression of a computed step into a call of compute.evaluate.
// It expects an expression as Bind leaves it. A bare number that is added to,
// taken from or compared with a reference, or stands beside one in min or max,
// becomes a variable in that reference's unit, as the checker reads it; every
// other number stays in the text.
func Lower(e Expr) Evaluation {
	l := &lowering{names: map[string]string{}, taken: map[string]bool{}}
	for name := range functions {
		l.taken[name] = true
	}
	var text strings.Builder
	l.write(&text, e, 0)
	return Evaluation{Expression: text.String(), Variables: l.vars}
}

type lowering struct {
	names map[string]string // variable of each reference
	taken map[string]bool
	vars  []Variable
}

func (l *lowering) variable(r *Ref) string {
	key := Text(r)
	if name, ok := l.names[key]; ok {
		return name
	}
	base := strings.Map(func(c rune) rune {
		switch {
		case c == '.' || c == '[' || c == '-':
			return '_'
		case c == ']':
			return -1
		}
		return c
	}, key)
	name := l.free(base)
	l.names[key] = name
	l.vars = append(l.vars, Variable{Name: name, Ref: r})
	return name
}

func (l *lowering) free(base string) string {
	name := base
	for i := 2; l.taken[name]; i++ {
		name = fmt.Sprintf("%s_%d", base, i)
	}
	l.taken[name] = true
	return name
}

func (l *lowering) number(n *Number, like string) string {
	name := l.free("number")
	l.vars = append(l.vars, Variable{Name: name, Number: n, Like: like})
	return name
}

func (l *lowering) write(b *strings.Builder, e Expr, outer int) {
	switch e := e.(type) {
	case *Ref:
		b.WriteString(l.variable(e))
	case *Unary:
		b.WriteString("-")
		l.write(b, e.X, bindUnary+1)
	case *Func:
		b.WriteString(e.Name + "(")
		like := firstRef(e)
		for i, a := range e.Args {
			if i > 0 {
				b.WriteString(", ")
			}
			if n, ok := a.(*Number); ok && like != nil && (e.Name == "min" || e.Name == "max") {
				b.WriteString(l.number(n, l.variable(like)))
				continue
			}
			l.write(b, a, 0)
		}
		b.WriteString(")")
	case *List:
		b.WriteString("[")
		for i, x := range e.Items {
			if i > 0 {
				b.WriteString(", ")
			}
			l.write(b, x, 0)
		}
		b.WriteString("]")
	case *Binary:
		l.infix(b, e.Op, e.X, e.Y, binaryStrength(e.Op), outer, e.Op == "+" || e.Op == "-")
	case *Compare:
		l.infix(b, e.Op, e.X, e.Y, bindCompare, outer, true)
	case *Logic:
		strength := bindOr
		if e.Op == "and" {
			strength = bindAnd
		}
		l.infix(b, e.Op, e.X, e.Y, strength, outer, false)
	default:
		b.WriteString(Text(e))
	}
}

func binaryStrength(op string) int {
	if op == "*" || op == "/" {
		return bindProduct
	}
	return bindSum
}

// infix writes one operator; alike tells that both sides are in one unit.
func (l *lowering) infix(b *strings.Builder, op string, x, y Expr, strength, outer int, alike bool) {
	if strength < outer {
		b.WriteString("(")
		defer b.WriteString(")")
	}
	left := strength
	if strength == bindCompare {
		left++
	}
	l.side(b, x, y, left, alike)
	b.WriteString(" " + op + " ")
	l.side(b, y, x, strength+1, alike)
}

func (l *lowering) side(b *strings.Builder, e, other Expr, outer int, alike bool) {
	n, isNumber := e.(*Number)
	like := firstRef(other)
	if isNumber && alike && like != nil && sameUnitAs(other) {
		b.WriteString(l.number(n, l.variable(like)))
		return
	}
	l.write(b, e, outer)
}

// firstRef is the first reference in an expression, or nil.
func firstRef(e Expr) *Ref {
	var found *Ref
	walk(e, func(e Expr) {
		if r, ok := e.(*Ref); ok && found == nil {
			found = r
		}
	})
	return found
}

// sameUnitAs tells whether an expression is surely in the unit of its first
// reference: it multiplies and divides by bare numbers only.
func sameUnitAs(e Expr) bool {
	switch e := e.(type) {
	case *Ref:
		return true
	case *Unary:
		return sameUnitAs(e.X)
	case *Func:
		return len(e.Args) > 0 && sameUnitAs(e.Args[0])
	case *List:
		return len(e.Items) > 0 && sameUnitAs(e.Items[0])
	case *Binary:
		switch {
		case isBare(e.X):
			return e.Op != "/" && sameUnitAs(e.Y)
		case isBare(e.Y) || e.Op == "+" || e.Op == "-":
			return sameUnitAs(e.X)
		}
	}
	return false
}
