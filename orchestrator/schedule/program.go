package schedule

import (
	"math"
	"strconv"
	"strings"
)

// Pos is a place in the text of a schedule. Lines and columns count from one;
// columns count characters, not bytes. The zero Pos marks something that no
// text holds, such as a statement that a repair put in.
type Pos struct {
	Line int `json:"line"`
	Col  int `json:"col"`
}

// Program is a schedule: its statements in the order of the text. The order
// means nothing for running, except that a name stands before its uses.
type Program struct {
	Statements []*Statement
	// Comments are the whole-line comments after the last statement, each with
	// its leading '#'.
	Comments []string
	// Broken are the statements that could not be read, so that the checker does
	// not report what follows from them.
	Broken []Fragment
}

// Fragment is what is left of a statement that could not be read: the name that
// it would have bound ("answer" and "decline" for these), and the words in it.
type Fragment struct {
	Name  string
	Words []string
}

// Statement is one line of a schedule: a named step, a bare check, an answer or
// a decline.
type Statement struct {
	Pos Pos
	// Name is what the statement binds; empty for a bare call, for answer and
	// for decline.
	Name string
	Body Body
	// Comments are the whole-line comments above the statement, Note is the one
	// behind it. Both keep their '#'.
	Comments []string
	Note     string
}

// Body is what stands right of the equals sign, or alone. It is one of *Call
// (a direct step, an objective step, or a bare check), *Guarded, *Mapped,
// *First, *Computed, *Answer and *Decline.
type Body interface {
	Position() Pos
	body()
}

// Expr is a value, a reference or an expression: one of *Number, *String,
// *Bool, *None, *List, *Dict, *Ref, *Unary, *Binary, *Func, *Compare, *Logic,
// and *Call, which stands inside an argument only until a repair has lifted it
// into a step of its own.
type Expr interface {
	Position() Pos
	expr()
}

// Call is one tool call, `agent.tool(p=v, …)`, or, with the tool name "ask", an
// objective that a specialist is to reach. Agent is empty when the text named
// no agent, which the checker reports and a repair may fill in.
type Call struct {
	Pos   Pos
	Agent string
	Tool  string
	Args  []Arg
}

// Arg is one argument of a call, or one field of an answer. Name is empty for a
// positional argument.
type Arg struct {
	Pos   Pos
	Name  string
	Value Expr
}

// AskTool is the tool name that marks an objective step.
const AskTool = "ask"

// FullName is "agent.tool", or the bare tool name when no agent was written.
func (c *Call) FullName() string {
	if c.Agent == "" {
		return c.Tool
	}
	return c.Agent + "." + c.Tool
}

// Arg finds an argument by its name.
func (c *Call) Arg(name string) (Expr, bool) {
	for _, a := range c.Args {
		if a.Name == name {
			return a.Value, true
		}
	}
	return nil, false
}

// IsAsk tells whether the call is an objective step.
func (c *Call) IsAsk() bool { return c.Tool == AskTool }

// Objective is the text of an objective step: its positional argument, or the
// one named objective. It is empty for other calls.
func (c *Call) Objective() string {
	if !c.IsAsk() {
		return ""
	}
	for _, a := range c.Args {
		if a.Name == "" || a.Name == "objective" {
			if s, ok := a.Value.(*String); ok {
				return s.Value
			}
		}
	}
	return ""
}

// Returns is the kind that an objective step promises, as written:
// "scalar[degC]". It is empty for other calls and when nothing is promised.
func (c *Call) Returns() string {
	if !c.IsAsk() {
		return ""
	}
	if v, ok := c.Arg("returns"); ok {
		if s, ok := v.(*String); ok {
			return s.Value
		}
	}
	return ""
}

// Given are the arguments of an objective step that are neither its text nor
// its promise: the values that the specialist is handed. For other calls it is
// all arguments.
func (c *Call) Given() []Arg {
	if !c.IsAsk() {
		return c.Args
	}
	var given []Arg
	for _, a := range c.Args {
		if a.Name != "" && a.Name != "objective" && a.Name != "returns" {
			given = append(given, a)
		}
	}
	return given
}

// Guarded is `THEN if COND else ELSE`. Then is a call or a value; Else is a
// call, a value or *None. The branch not taken is skipped. Cond is a *Compare, a
// *Ref to is_empty or to a boolean, or a *Logic of two of these.
type Guarded struct {
	Pos        Pos
	Cond       Expr
	Then, Else Expr
}

// Mapped is `[CALL for VAR in OVER]`: the call once for each item. Over is a
// *Ref or a *List.
type Mapped struct {
	Pos  Pos
	Call *Call
	Var  string
	Over Expr
}

// First is `first(a, b, …)`: the first of the named steps that was not skipped.
type First struct {
	Pos   Pos
	Names []*Ref
}

// Computed is `x = EXPR`: arithmetic, a comparison, or a plain value. Its
// result is read as x or x.value.
type Computed struct {
	Pos  Pos
	Expr Expr
}

// Answer binds the fields of the answer contract.
type Answer struct {
	Pos    Pos
	Fields []Arg
}

// Decline says that the request cannot be answered, why, and what is missing.
type Decline struct {
	Pos     Pos
	Reason  string
	Missing []string
}

// Number is a number literal. Text is its canonical form: decimal digits for an
// integer of any size, and the shortest decimal with a point or an exponent for
// a float, so that no digit of a large integer is lost.
type Number struct {
	Pos  Pos
	Text string
}

// Float is the value as a float64, infinite when it is out of range.
func (n *Number) Float() float64 {
	f, err := strconv.ParseFloat(n.Text, 64)
	if err != nil && !math.IsInf(f, 0) {
		return math.NaN()
	}
	return f
}

// Int is the value as an int64; false when the literal is a float or too large.
func (n *Number) Int() (int64, bool) {
	i, err := strconv.ParseInt(n.Text, 10, 64)
	return i, err == nil
}

// IsInteger tells whether the literal was written as an integer.
func (n *Number) IsInteger() bool { return !strings.ContainsAny(n.Text, ".eE") }

// String is a string literal.
type String struct {
	Pos   Pos
	Value string
}

// Bool is True or False.
type Bool struct {
	Pos   Pos
	Value bool
}

// None is the absent value.
type None struct{ Pos Pos }

// List is a list of values.
type List struct {
	Pos   Pos
	Items []Expr
}

// Dict is a record with string keys, in the order of the text.
type Dict struct {
	Pos     Pos
	Entries []Entry
}

// Entry is one key of a Dict.
type Entry struct {
	Pos   Pos
	Key   string
	Value Expr
}

// Ref names a value: name, name.field, name.list[0], name.list[-1], or
// task.slot, where Name is "task" and Field is the slot.
type Ref struct {
	Pos   Pos
	Name  string
	Field string
	// Index picks one item of a list; negative counts from the end. Nil picks
	// the whole value.
	Index *int
}

// TaskName is the name under which the slots of the request are read.
const TaskName = "task"

// IsTask tells whether the reference reads a slot of the request.
func (r *Ref) IsTask() bool { return r.Name == TaskName }

// Unary is a negated expression, `-x`. Negative numbers are Numbers.
type Unary struct {
	Pos Pos
	X   Expr
}

// Binary is arithmetic; Op is one of + - * /.
type Binary struct {
	Pos  Pos
	Op   string
	X, Y Expr
}

// Func is abs, min, max, round, mean or sum.
type Func struct {
	Pos  Pos
	Name string
	Args []Expr
}

// Compare is a comparison; Op is one of < <= == != > >=.
type Compare struct {
	Pos  Pos
	Op   string
	X, Y Expr
}

// Logic joins two comparisons; Op is "and" or "or".
type Logic struct {
	Pos  Pos
	Op   string
	X, Y Expr
}

// Each node knows where it stands in the text.

// Position is where the call starts.
func (n *Call) Position() Pos { return n.Pos }

// Position is where the guarded step's right side starts.
func (n *Guarded) Position() Pos { return n.Pos }

// Position is where the bracket opens.
func (n *Mapped) Position() Pos { return n.Pos }

// Position is where the call of first starts.
func (n *First) Position() Pos { return n.Pos }

// Position is where the expression starts.
func (n *Computed) Position() Pos { return n.Pos }

// Position is where the answer starts.
func (n *Answer) Position() Pos { return n.Pos }

// Position is where the decline starts.
func (n *Decline) Position() Pos { return n.Pos }

// Position is where the literal starts.
func (n *Number) Position() Pos { return n.Pos }

// Position is where the literal starts.
func (n *String) Position() Pos { return n.Pos }

// Position is where the literal starts.
func (n *Bool) Position() Pos { return n.Pos }

// Position is where the literal starts.
func (n *None) Position() Pos { return n.Pos }

// Position is where the bracket opens.
func (n *List) Position() Pos { return n.Pos }

// Position is where the brace opens.
func (n *Dict) Position() Pos { return n.Pos }

// Position is where the name starts.
func (n *Ref) Position() Pos { return n.Pos }

// Position is where the sign stands.
func (n *Unary) Position() Pos { return n.Pos }

// Position is where the left operand starts.
func (n *Binary) Position() Pos { return n.Pos }

// Position is where the function's name starts.
func (n *Func) Position() Pos { return n.Pos }

// Position is where the left operand starts.
func (n *Compare) Position() Pos { return n.Pos }

// Position is where the left operand starts.
func (n *Logic) Position() Pos { return n.Pos }

func (*Call) body()     {}
func (*Guarded) body()  {}
func (*Mapped) body()   {}
func (*First) body()    {}
func (*Computed) body() {}
func (*Answer) body()   {}
func (*Decline) body()  {}

func (*Call) expr()    {}
func (*Number) expr()  {}
func (*String) expr()  {}
func (*Bool) expr()    {}
func (*None) expr()    {}
func (*List) expr()    {}
func (*Dict) expr()    {}
func (*Ref) expr()     {}
func (*Unary) expr()   {}
func (*Binary) expr()  {}
func (*Func) expr()    {}
func (*Compare) expr() {}
func (*Logic) expr()   {}

// Statement finds the statement that binds a name.
func (p *Program) Statement(name string) (*Statement, bool) {
	for _, s := range p.Statements {
		if s.Name == name && name != "" {
			return s, true
		}
	}
	return nil, false
}

// Answer is the program's answer, or nil.
func (p *Program) Answer() *Answer {
	for _, s := range p.Statements {
		if a, ok := s.Body.(*Answer); ok {
			return a
		}
	}
	return nil
}

// Decline is the program's decline, or nil.
func (p *Program) Decline() *Decline {
	for _, s := range p.Statements {
		if d, ok := s.Body.(*Decline); ok {
			return d
		}
	}
	return nil
}

// Calls are the tool calls that the statement may make, in the order of the
// text: both branches of a guarded step, the one call of a mapped step.
func (s *Statement) Calls() []*Call {
	switch b := s.Body.(type) {
	case *Call:
		return []*Call{b}
	case *Mapped:
		return []*Call{b.Call}
	case *Guarded:
		var calls []*Call
		for _, e := range []Expr{b.Then, b.Else} {
			if c, ok := e.(*Call); ok {
				calls = append(calls, c)
			}
		}
		return calls
	}
	return nil
}
