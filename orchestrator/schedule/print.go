package schedule

import (
	"crypto/sha256"
	"encoding/hex"
	"sort"
	"strconv"
	"strings"

	"go.starlark.net/syntax"
)

// Print writes a program in its one canonical form: a statement a line,
// arguments in the order given, the fewest parentheses. Parse(Print(p)) is p,
// positions apart, for every program that Parse or Repair made.
func Print(p *Program) string {
	w := &printer{}
	for _, s := range p.Statements {
		for _, c := range s.Comments {
			w.text(c + "\n")
		}
		w.statement(s)
		if s.Note != "" {
			w.text("  " + s.Note)
		}
		w.text("\n")
	}
	for _, c := range p.Comments {
		w.text(c + "\n")
	}
	return w.b.String()
}

// String is the statement on one line, without its comments.
func (s *Statement) String() string {
	w := &printer{}
	w.statement(s)
	return w.b.String()
}

// Text is a value or expression as it is written in a schedule.
func Text(e Expr) string {
	w := &printer{}
	w.expr(e, 0)
	return w.b.String()
}

// Equal tells whether two programs are the same, comments included and positions
// apart.
func Equal(a, b *Program) bool { return Print(a) == Print(b) }

// Hash is the SHA-256, in hex, of what a program does: comments, positions and
// the order of named arguments do not count; names and the order of statements
// do.
func Hash(p *Program) string {
	w := &printer{sorted: true}
	for _, s := range p.Statements {
		w.statement(s)
		w.text("\n")
	}
	sum := sha256.Sum256([]byte(w.b.String()))
	return hex.EncodeToString(sum[:])
}

type printer struct {
	b      strings.Builder
	sorted bool // arguments and keys in the order of their names
}

func (w *printer) text(s string) { w.b.WriteString(s) }

func (w *printer) statement(s *Statement) {
	if s.Name != "" {
		w.text(s.Name + " = ")
	}
	switch b := s.Body.(type) {
	case *Call:
		w.call(b)
	case *Guarded:
		w.expr(b.Then, 0)
		w.text(" if ")
		w.expr(b.Cond, 0)
		w.text(" else ")
		w.expr(b.Else, 0)
	case *Mapped:
		w.text("[")
		w.call(b.Call)
		w.text(" for " + b.Var + " in ")
		w.expr(b.Over, 0)
		w.text("]")
	case *First:
		w.text("first(")
		for i, r := range b.Names {
			w.comma(i)
			w.expr(r, 0)
		}
		w.text(")")
	case *Computed:
		w.expr(b.Expr, 0)
	case *Answer:
		w.text("answer")
		w.args(b.Fields)
	case *Decline:
		w.decline(b)
	}
}

func (w *printer) decline(d *Decline) {
	w.text("decline(reason=" + quote(d.Reason))
	if len(d.Missing) > 0 {
		w.text(", missing=[")
		for i, m := range d.Missing {
			w.comma(i)
			w.text(quote(m))
		}
		w.text("]")
	}
	w.text(")")
}

func (w *printer) comma(i int) {
	if i > 0 {
		w.text(", ")
	}
}

func (w *printer) call(c *Call) {
	if c.Agent != "" {
		if isWord(c.Agent) {
			w.text(c.Agent)
		} else {
			w.text(quote(c.Agent))
		}
		w.text(".")
	}
	w.text(c.Tool)
	w.args(c.Args)
}

func (w *printer) args(args []Arg) {
	if w.sorted {
		args = append([]Arg(nil), args...)
		sort.SliceStable(args, func(i, j int) bool { return args[i].Name < args[j].Name })
	}
	w.text("(")
	for i, a := range args {
		w.comma(i)
		if a.Name != "" {
			w.text(a.Name + "=")
		}
		w.expr(a.Value, 0)
	}
	w.text(")")
}

// The binding strengths of operators.
const (
	bindOr = iota + 1
	bindAnd
	bindCompare
	bindSum
	bindProduct
	bindUnary
)

// expr writes an expression, in parentheses when it binds less than outer.
func (w *printer) expr(e Expr, outer int) {
	switch e := e.(type) {
	case *Number:
		w.text(e.Text)
	case *String:
		w.text(quote(e.Value))
	case *Bool:
		if e.Value {
			w.text("True")
		} else {
			w.text("False")
		}
	case *None:
		w.text("None")
	case *List:
		w.list("[", e.Items, "]")
	case *Dict:
		w.dict(e)
	case *Ref:
		w.ref(e)
	case *Call:
		w.call(e)
	case *Func:
		w.list(e.Name+"(", e.Args, ")")
	case *Unary:
		w.text("-")
		w.expr(e.X, bindUnary+1)
	case *Binary:
		strength := bindSum
		if e.Op == "*" || e.Op == "/" {
			strength = bindProduct
		}
		w.infix(e.Op, e.X, e.Y, strength, outer)
	case *Compare:
		w.infix(e.Op, e.X, e.Y, bindCompare, outer)
	case *Logic:
		strength := bindOr
		if e.Op == "and" {
			strength = bindAnd
		}
		w.infix(e.Op, e.X, e.Y, strength, outer)
	}
}

func (w *printer) infix(op string, x, y Expr, strength, outer int) {
	if strength < outer {
		w.text("(")
		defer w.text(")")
	}
	left := strength
	if strength == bindCompare {
		left++ // comparisons do not chain
	}
	w.expr(x, left)
	w.text(" " + op + " ")
	w.expr(y, strength+1)
}

func (w *printer) list(open string, items []Expr, end string) {
	w.text(open)
	for i, item := range items {
		w.comma(i)
		w.expr(item, 0)
	}
	w.text(end)
}

func (w *printer) dict(d *Dict) {
	entries := d.Entries
	if w.sorted {
		entries = append([]Entry(nil), entries...)
		sort.SliceStable(entries, func(i, j int) bool { return entries[i].Key < entries[j].Key })
	}
	w.text("{")
	for i, entry := range entries {
		w.comma(i)
		w.text(quote(entry.Key) + ": ")
		w.expr(entry.Value, 0)
	}
	w.text("}")
}

func (w *printer) ref(r *Ref) {
	w.text(r.Name)
	if r.Field != "" {
		w.text("." + r.Field)
	}
	if r.Index != nil {
		w.text("[" + strconv.Itoa(*r.Index) + "]")
	}
}

func quote(s string) string { return syntax.Quote(s, false) }
