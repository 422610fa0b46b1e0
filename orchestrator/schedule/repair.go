package schedule

import (
	"strings"
)

// Repair mends what has one reading only, in a copy of the program, and records
// each repair. What it leaves is for Check to report: another variable, another
// value that merely has the right type, and any other guess is never put in.
// Repairing a repaired program changes nothing more.
func Repair(p *Program, catalog Catalog, contract Contract, slots Slots, opt *Options) (*Program, []RepairRecord) {
	r := newRepairer(p, catalog, contract, slots, opt)
	for _, s := range p.Clone().Statements {
		r.statement(s)
	}
	r.finish()
	return r.out, r.records
}

// RepairText reads a program out of a model's reply, with the prose, numbering
// and fences around it, repairs it, and checks what came out.
func RepairText(text string, catalog Catalog, contract Contract, slots Slots, opt *Options) (*Program, []RepairRecord, []Problem) {
	p, records, problems := ParseReply(text, opt)
	if len(p.Statements) == 0 && len(p.Broken) == 0 {
		return p, records, problems
	}
	p, more := Repair(p, catalog, contract, slots, opt)
	problems = append(problems, Check(p, catalog, contract, slots, opt)...)
	sortProblems(problems)
	return p, append(records, more...), problems
}

type repairer struct {
	c       *checker // quiet: it knows the steps so far
	out     *Program
	opt     *Options
	records []RepairRecord
	// taken are all names that the text binds or reads: an inserted step gets
	// none of these, so that it never gives a meaning to a name that had none.
	taken map[string]Pos
	// aliases are the second names that were dropped, and what they stand for.
	aliases map[string]*Ref
}

func newRepairer(p *Program, catalog Catalog, contract Contract, slots Slots, opt *Options) *repairer {
	r := &repairer{out: &Program{}, opt: opt, aliases: map[string]*Ref{}, taken: map[string]Pos{TaskName: {}}}
	for _, s := range p.Statements {
		r.taken[s.Name] = s.Pos
		for _, e := range exprsOf(s.Body) {
			walk(e, func(e Expr) {
				if ref, ok := e.(*Ref); ok {
					r.taken[ref.Name] = ref.Pos
				}
			})
		}
		if m, ok := s.Body.(*Mapped); ok {
			r.taken[m.Var] = m.Pos
		}
	}
	for _, f := range p.Broken {
		for _, w := range f.Words {
			r.taken[w] = Pos{}
		}
	}
	copied := p.Clone()
	r.out.Broken, r.out.Comments = copied.Broken, copied.Comments
	r.c = newChecker(p, catalog, contract, slots, opt)
	r.c.quiet = true
	return r
}

func (r *repairer) record(id RepairID, pos Pos, before, after string) {
	r.records = append(r.records, RepairRecord{ID: id, Pos: pos, Before: before, After: after})
}

// statement repairs one statement, puts it behind the ones already there, and
// makes its name known.
func (r *repairer) statement(s *Statement) {
	r.c.step = s.Name
	r.unalias(s)
	if r.alias(s) {
		return
	}
	if s.Name != "" && r.opt.on(AgentName) && r.c.isAgent(s.Name) {
		r.record(AgentName, s.Pos, s.Name, s.Name)
	}
	r.lift(s)
	switch b := s.Body.(type) {
	case *Call:
		r.call(b)
	case *Mapped:
		r.over(b)
		r.c.item, r.c.itemVal = b.Var, r.c.itemOf(b.Over)
		r.call(b.Call)
		r.c.item, r.c.itemVal = "", value{}
	case *Guarded:
		r.expression(b.Cond)
		for _, e := range []Expr{b.Then, b.Else} {
			if call, ok := e.(*Call); ok {
				r.call(call)
			} else {
				r.plain(e)
			}
		}
	case *First:
		for _, ref := range b.Names {
			r.reference(ref, nil, "")
		}
	case *Computed:
		r.plain(b.Expr)
	case *Answer:
		r.answer(b)
	}
	r.c.statement(s)
	r.out.Statements = append(r.out.Statements, s)
}

// alias drops `x = y` when y is a whole step, an artifact or a list, none of
// which is bound a second time, and remembers what x stands for. One plain value
// may have a second name.
func (r *repairer) alias(s *Statement) bool {
	b, isComputed := s.Body.(*Computed)
	if !isComputed || s.Name == TaskName || !r.opt.on(InlineAlias) {
		return false
	}
	ref, isRef := b.Expr.(*Ref)
	if _, twice := r.c.names[s.Name]; !isRef || twice || r.aliases[s.Name] != nil || r.c.defined[s.Name] != s.Pos {
		return false
	}
	r.reference(ref, nil, "")
	v := r.c.ref(ref, false)
	if v.whole == nil && (!v.known || v.typ.Kind == "") || r.c.fit(v, plainParam, "").code == "" {
		return false
	}
	if f := r.c.fit(v, plainParam, ""); f.certain {
		return false // x = y means the one plain value that y has
	}
	r.aliases[s.Name] = ref
	r.record(InlineAlias, s.Pos, s.String(), Text(ref))
	return true
}

// unalias puts the first name in the place of dropped ones.
func (r *repairer) unalias(s *Statement) {
	if len(r.aliases) == 0 {
		return
	}
	for _, ref := range References(s) {
		first := r.aliases[ref.Name]
		switch {
		case first == nil:
		case first.Field == "" && first.Index == nil:
			ref.Name = first.Name
		case ref.Field == "" && (ref.Index == nil || first.Index == nil):
			index := ref.Index
			if index == nil {
				index = first.Index
			}
			ref.Name, ref.Field, ref.Index = first.Name, first.Field, index
		}
	}
}

// plain repairs the right side of `x = EXPR`, where a bare name may stand for a
// whole step.
func (r *repairer) plain(e Expr) {
	if ref, ok := e.(*Ref); ok {
		r.reference(ref, nil, "")
		return
	}
	r.expression(e)
}

// expression repairs the references in an expression, each of which is a scalar,
// or a list where a function goes over one.
func (r *repairer) expression(e Expr) {
	switch e := e.(type) {
	case *Ref:
		r.reference(e, scalarParam, "")
	case *Unary:
		r.expression(e.X)
	case *Binary:
		r.expression(e.X)
		r.expression(e.Y)
	case *Compare:
		r.expression(e.X)
		r.expression(e.Y)
	case *Logic:
		r.condition(e.X)
		r.condition(e.Y)
	case *Func:
		inner := scalarParam
		if len(e.Args) == 1 && e.Name != "abs" && e.Name != "round" {
			inner = scalarListParam
		}
		for _, a := range e.Args {
			if ref, ok := a.(*Ref); ok {
				r.reference(ref, inner, "")
			} else {
				r.expression(a)
			}
		}
	case *List:
		for _, item := range e.Items {
			r.expression(item)
		}
	case *Dict:
		for _, entry := range e.Entries {
			r.expression(entry.Value)
		}
	}
}

var (
	scalarListParam = &Param{Name: "the function", Kinds: []string{KindScalar}, List: true}
	booleanParam    = &Param{Name: "the guard", Kinds: []string{KindBoolean}}
)

func (r *repairer) condition(e Expr) {
	if ref, ok := e.(*Ref); ok {
		r.reference(ref, booleanParam, "")
		return
	}
	r.expression(e)
}

// over repairs the list that a mapped step goes over: a step's name stands for
// its only list.
func (r *repairer) over(m *Mapped) {
	ref, ok := m.Over.(*Ref)
	if !ok {
		r.expression(m.Over)
		return
	}
	r.reference(ref, nil, "")
	v := r.c.ref(ref, false)
	if v.whole == nil || v.whole.unknown || v.whole.mapped || ref.Index != nil || !r.opt.on(NameToField) {
		return
	}
	list := ""
	for _, f := range v.whole.order {
		if v.whole.fields[f].List {
			if list != "" {
				return
			}
			list = f
		}
	}
	if list != "" {
		before := Text(ref)
		ref.Field = list
		r.record(NameToField, ref.Pos, before, Text(ref))
	}
}

// lift moves calls and expressions out of arguments into steps of their own, in
// front of the statement. Those in a branch of a guarded step stay: a step of
// their own would run whichever branch is taken. Those that read the loop name
// of a mapped step stay too.
func (r *repairer) lift(s *Statement) {
	switch b := s.Body.(type) {
	case *Call:
		r.liftArgs(b.Args, "")
	case *Mapped:
		r.liftArgs(b.Call.Args, b.Var)
	case *Answer:
		r.liftArgs(b.Fields, "")
	case *Computed:
		b.Expr = r.liftCalls(b.Expr, "part")
	case *Guarded:
		switch cond := b.Cond.(type) {
		case *Compare:
			r.liftCompare(cond)
		case *Logic:
			for _, e := range []Expr{cond.X, cond.Y} {
				if cmp, ok := e.(*Compare); ok {
					r.liftCompare(cmp)
				}
			}
		}
	}
}

func (r *repairer) liftCompare(e *Compare) {
	e.X = r.liftValue(e.X, "left", "")
	e.Y = r.liftValue(e.Y, "right", "")
}

func (r *repairer) liftArgs(args []Arg, loop string) {
	for i := range args {
		hint := args[i].Name
		if hint == "" {
			hint = "part"
		}
		args[i].Value = r.liftValue(args[i].Value, hint, loop)
	}
}

// liftValue replaces a call or an expression by a reference to a new step.
func (r *repairer) liftValue(e Expr, hint, loop string) Expr {
	switch e := e.(type) {
	case *Call:
		if mentions(e, loop) || !r.opt.on(LiftCall) {
			return e
		}
		return r.insert(LiftCall, hint, e.Pos, e, Text(e))
	case *Unary, *Binary, *Func, *Compare, *Logic:
		if mentions(e, loop) || !r.opt.on(LiftExpression) {
			return e
		}
		if lifted := r.liftCalls(e, hint); !holdsCall(lifted) {
			return r.insert(LiftExpression, hint, e.Position(), &Computed{Pos: e.Position(), Expr: lifted}, Text(lifted))
		}
		return e
	case *List:
		for i := range e.Items {
			e.Items[i] = r.liftValue(e.Items[i], hint, loop)
		}
	case *Dict:
		for i := range e.Entries {
			e.Entries[i].Value = r.liftValue(e.Entries[i].Value, hint, loop)
		}
	}
	return e
}

// liftCalls replaces the calls in an expression, which itself stays.
func (r *repairer) liftCalls(e Expr, hint string) Expr {
	switch e := e.(type) {
	case *Call:
		if r.opt.on(LiftCall) {
			return r.insert(LiftCall, hint, e.Pos, e, Text(e))
		}
	case *Unary:
		e.X = r.liftCalls(e.X, hint)
	case *Binary:
		e.X, e.Y = r.liftCalls(e.X, hint), r.liftCalls(e.Y, hint)
	case *Compare:
		e.X, e.Y = r.liftCalls(e.X, hint), r.liftCalls(e.Y, hint)
	case *Func:
		for i := range e.Args {
			e.Args[i] = r.liftCalls(e.Args[i], hint)
		}
	case *List:
		for i := range e.Items {
			e.Items[i] = r.liftCalls(e.Items[i], hint)
		}
	}
	return e
}

func holdsCall(e Expr) bool {
	found := false
	walk(e, func(e Expr) {
		if _, ok := e.(*Call); ok {
			found = true
		}
	})
	return found
}

func mentions(e Expr, name string) bool {
	found := false
	walk(e, func(e Expr) {
		if ref, ok := e.(*Ref); ok && name != "" && ref.Name == name {
			found = true
		}
	})
	return found
}

// insert puts a new step in front of the statement at hand and gives the
// reference to it.
func (r *repairer) insert(id RepairID, hint string, pos Pos, body Body, before string) Expr {
	name := hint
	if _, taken := r.taken[name]; taken || !isWord(name) || isConstant(name) {
		name = freeName(hint, r.taken)
	}
	r.taken[name] = pos
	s := &Statement{Pos: pos, Name: name, Body: body}
	r.record(id, pos, before, s.String())
	outer := r.c.step
	r.statement(s)
	r.c.step = outer
	return &Ref{Pos: pos, Name: name}
}

// finish adds what the answer lacks and puts it last.
func (r *repairer) finish() {
	r.answerLast()
	if r.opt.on(AddAnswer) {
		r.addAnswer()
	}
}

// answerLast moves the one ending behind the statements after it: the order of
// the text means nothing beyond names before uses.
func (r *repairer) answerLast() {
	at, endings := -1, 0
	for i, s := range r.out.Statements {
		switch s.Body.(type) {
		case *Answer, *Decline:
			at = i
			endings++
		}
	}
	last := len(r.out.Statements) - 1
	if endings != 1 || at == last || !r.opt.on(AnswerLast) {
		return
	}
	s := r.out.Statements[at]
	copy(r.out.Statements[at:], r.out.Statements[at+1:])
	r.out.Statements[last] = s
	r.record(AnswerLast, s.Pos, firstLine(s.String()), "the same, behind line "+strings.TrimSpace(firstLine(r.out.Statements[last-1].String())))
}
