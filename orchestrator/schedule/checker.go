package schedule

import (
	"fmt"
	"sort"
	"strings"
)

// Check reports everything that is wrong with a program, in the order of the
// text. A nil contract or nil slots are not known and give no problem. See the
// package comment for what a program without errors guarantees.
func Check(p *Program, catalog Catalog, contract Contract, slots Slots, opt *Options) []Problem {
	c := newChecker(p, catalog, contract, slots, opt)
	c.run()
	sortProblems(c.problems)
	return c.problems
}

// CheckText parses and checks a text, and returns the problems of both.
func CheckText(text string, catalog Catalog, contract Contract, slots Slots, opt *Options) (*Program, []Problem) {
	p, problems := Parse(text)
	if len(p.Statements) == 0 && len(p.Broken) == 0 {
		return p, problems
	}
	problems = append(problems, Check(p, catalog, contract, slots, opt)...)
	sortProblems(problems)
	return p, problems
}

func sortProblems(list []Problem) {
	sort.SliceStable(list, func(i, j int) bool {
		a, b := list[i], list[j]
		if a.Line != b.Line {
			return a.Line < b.Line
		}
		if a.Col != b.Col {
			return a.Col < b.Col
		}
		return a.Code < b.Code
	})
}

// Infer gives the type of every field of every step: Infer(…)["stats"]["mean"].
// The result of an expression, of a chosen value and of an objective is the
// field "value". Steps whose tool is unknown are left out; a unit or kind that no
// declaration states is empty.
func Infer(p *Program, catalog Catalog, slots Slots) map[string]map[string]Type {
	c := newChecker(p, catalog, nil, slots, nil)
	c.quiet = true
	c.run()
	out := make(map[string]map[string]Type, len(c.names))
	for name, s := range c.names {
		if s.unknown {
			continue
		}
		fields := make(map[string]Type, len(s.fields))
		for f, t := range s.fields {
			fields[f] = t
		}
		out[name] = fields
	}
	return out
}

// shape is what is known of one step's result.
type shape struct {
	fields map[string]Type
	order  []string // fields as declared
	sig    *Signature
	// value tells that the bare name is read as the field "value".
	value bool
	// mapped tells that every field is a list, one item for each call.
	mapped bool
	// unknown accepts every use: the step's own problem is reported already.
	unknown bool
}

func valueShape(t Type) *shape {
	return &shape{fields: map[string]Type{ValueField: t}, order: []string{ValueField}, value: true}
}

var unknownShape = &shape{unknown: true}

// value is what an expression in an argument stands for.
type value struct {
	typ Type
	// whole is set for the bare name of a step with several fields.
	whole *shape
	// known is false when a problem was reported or nothing can be said.
	known bool
	// slot is the literal behind task.x, nil otherwise.
	slot any
}

type checker struct {
	program  *Program
	catalog  Catalog
	units    Units
	contract Contract
	slots    Slots
	opt      *Options

	names   map[string]*shape
	order   []string       // names in the order of their definitions
	defined map[string]Pos // every name of the program, also later ones
	used    map[string]bool
	item    string // the loop name of a mapped step
	itemVal value
	step    string
	calls   int
	spent   bool // over_budget is reported once

	problems []Problem
	quiet    bool
	sigs     []Signature
	ranked   int
}

func newChecker(p *Program, catalog Catalog, contract Contract, slots Slots, opt *Options) *checker {
	n := len(p.Statements)
	c := &checker{program: p, catalog: catalog, units: catalog.Units(), contract: contract, slots: slots, opt: opt,
		names: make(map[string]*shape, n), defined: make(map[string]Pos, n), used: make(map[string]bool, n)}
	for _, s := range p.Statements {
		if _, ok := c.defined[s.Name]; !ok && s.Name != "" {
			c.defined[s.Name] = s.Pos
		}
	}
	for _, f := range p.Broken {
		if _, bound := c.defined[f.Name]; !bound && f.Name != "" {
			c.names[f.Name] = unknownShape
		}
		for _, w := range f.Words {
			c.used[w] = true
		}
	}
	return c
}

func (c *checker) run() {
	for _, s := range c.program.Statements {
		c.statement(s)
	}
	c.step = ""
	c.ending()
	c.unused()
}

func (c *checker) statement(s *Statement) {
	c.step = s.Name
	var result *shape
	switch b := s.Body.(type) {
	case *Call:
		result = c.call(b)
		c.spend(s.Pos, 1)
		if s.Name == "" {
			c.bareCall(b, result)
		}
	case *Guarded:
		result = c.guarded(b)
		c.spend(s.Pos, 1)
	case *Mapped:
		result = c.mapped(b)
	case *First:
		result = c.first(b)
	case *Computed:
		result = c.rightSide(b.Expr)
		if !isValue(b.Expr) {
			c.spend(s.Pos, 1)
		}
	case *Answer:
		c.answer(b)
	}
	if s.Name != "" {
		c.define(s, result)
	}
}

// isValue tells whether an expression needs no computing.
func isValue(e Expr) bool {
	switch e.(type) {
	case *Unary, *Binary, *Func, *Compare, *Logic, *Call:
		return false
	}
	return true
}

func (c *checker) define(s *Statement, result *shape) {
	if s.Name == TaskName {
		c.report(Problem{Code: RedefinedName, Pos: s.Pos, Found: s.Name, Message: "task is the request; give the step another name"})
		return
	}
	if !c.opt.on(AgentName) && c.isAgent(s.Name) {
		c.report(Problem{Code: RedefinedName, Pos: s.Pos, Found: s.Name,
			Message: fmt.Sprintf("%s is an agent; give the step another name", s.Name)})
	}
	if _, ok := c.names[s.Name]; ok {
		first := c.defined[s.Name]
		c.report(Problem{Code: RedefinedName, Pos: s.Pos, Found: s.Name, Legal: []string{c.freeName(s.Name)},
			Message: fmt.Sprintf("%s is bound already in line %d; a name is bound once", s.Name, first.Line)})
		return
	}
	if result == nil {
		result = unknownShape
	}
	c.names[s.Name] = result
	c.order = append(c.order, s.Name)
}

func (c *checker) freeName(base string) string { return freeName(base, c.defined) }

func freeName(base string, taken map[string]Pos) string {
	for i := 2; ; i++ {
		name := fmt.Sprintf("%s_%d", base, i)
		if _, ok := taken[name]; !ok {
			return name
		}
	}
}

func (c *checker) isAgent(name string) bool {
	prefix := name + "."
	for _, s := range c.signatures() {
		if strings.HasPrefix(s.Name, prefix) {
			return true
		}
	}
	return false
}

func (c *checker) signatures() []Signature {
	if c.sigs == nil {
		c.sigs = c.catalog.Signatures()
	}
	return c.sigs
}

func (c *checker) report(p Problem) {
	if c.quiet {
		return
	}
	p.Step = c.step
	c.problems = append(c.problems, p)
}

// near ranks alternatives by nearness, as long as that is affordable.
func (c *checker) near(found string, names []string) []string {
	if c.quiet {
		return nil
	}
	if c.ranked++; c.ranked > maxRanked {
		return limited(names)
	}
	return nearest(found, names, maxLegal)
}

// spend counts tool calls against the budget; the statement that breaks it is
// reported, the ones behind it are not.
func (c *checker) spend(pos Pos, n int) {
	c.calls += n
	if limit := c.opt.maxCalls(); limit > 0 && c.calls > limit && !c.spent {
		c.spent = true
		c.report(Problem{Code: OverBudget, Pos: pos, Found: fmt.Sprint(c.calls), Legal: []string{fmt.Sprint(limit)},
			Message: fmt.Sprintf("this is tool call %d, and the budget is %d", c.calls, limit)})
	}
}

// ending checks how a program ends.
func (c *checker) ending() {
	var end *Statement
	for i, s := range c.program.Statements {
		switch s.Body.(type) {
		case *Answer, *Decline:
			switch {
			case end != nil:
				c.report(Problem{Code: RedefinedName, Pos: s.Pos, Found: firstLine(s.String()),
					Message: fmt.Sprintf("the schedule ends once, and did so in line %d", end.Pos.Line)})
			case i+1 < len(c.program.Statements) && !c.onlyEndings(i+1):
				c.report(Problem{Code: SyntaxError, Pos: s.Pos, Found: firstLine(s.String()), Message: "answer and decline stand last"})
			}
			if end == nil {
				end = s
			}
		}
	}
	if end != nil {
		return
	}
	for _, f := range c.program.Broken {
		if f.Name == "answer" || f.Name == "decline" {
			return
		}
	}
	pos := Pos{1, 1}
	if n := len(c.program.Statements); n > 0 {
		pos = c.program.Statements[n-1].Pos
	}
	var fields []string
	for _, f := range c.contract {
		fields = append(fields, f.Key+"=…")
	}
	c.report(Problem{Code: NoAnswer, Pos: pos, Legal: []string{"answer(" + strings.Join(fields, ", ") + ")", `decline(reason="…")`},
		Message: "the schedule ends without answer(…) or decline(…)"})
}

func (c *checker) onlyEndings(from int) bool {
	for _, s := range c.program.Statements[from:] {
		switch s.Body.(type) {
		case *Answer, *Decline:
		default:
			return false
		}
	}
	return true
}

// unused warns of steps that nothing reads.
func (c *checker) unused() {
	if c.quiet || c.program.Decline() != nil {
		return
	}
	for _, s := range c.program.Statements {
		if s.Name == "" || c.used[s.Name] || c.speaksForItself(s) {
			continue
		}
		c.step = s.Name
		c.report(Problem{Code: UnusedStep, Pos: s.Pos, Found: s.Name, Warning: true,
			Message: fmt.Sprintf("nothing reads %s", s.Name)})
	}
}

// speaksForItself tells whether a step is of use without being read: a check
// that bears a name, or a figure.
func (c *checker) speaksForItself(s *Statement) bool {
	for _, call := range s.Calls() {
		if sig, ok := c.catalog.Signature(call.FullName()); ok && (sig.Check || givesImage(&sig)) {
			return true
		}
	}
	return false
}

func givesImage(sig *Signature) bool {
	for i := range sig.Outputs {
		if sig.Outputs[i].Kind == KindImage {
			return true
		}
	}
	return false
}

// bareCall warns of a call without a name that is no check.
func (c *checker) bareCall(call *Call, result *shape) {
	if result.unknown || result.sig != nil && (result.sig.Check || givesImage(result.sig)) {
		return
	}
	c.report(Problem{Code: UnusedStep, Pos: call.Pos, Found: call.FullName(), Warning: true,
		Message: fmt.Sprintf("%s is no check and its result has no name: nothing can read it", call.FullName())})
}
