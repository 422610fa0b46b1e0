package schedule

import (
	"fmt"
	"strings"
)

// call checks one tool call and gives the shape of its result.
func (c *checker) call(call *Call) *shape {
	if call.IsAsk() {
		return c.ask(call)
	}
	sig, ok := c.catalog.Signature(call.FullName())
	if !ok {
		c.unknownTool(call)
		for _, a := range call.Args {
			c.visit(a.Value)
		}
		return unknownShape
	}
	b := c.bind(call, &sig)
	c.missing(call, b)
	for i := range b.args {
		x := &b.args[i]
		if x.param != nil {
			c.argument(x, b)
		}
	}
	return c.result(b)
}

// bind assigns the arguments of a call to parameters and resolves their values.
// What belongs to no parameter is reported; an alias, a difference in letter case
// and a near spelling are reported too, and then taken as meant, so that nothing
// is reported twice.
func (c *checker) bind(call *Call, sig *Signature) *binding {
	b := &binding{sig: sig, args: make([]bound, len(call.Args))}
	for i := range call.Args {
		a := &call.Args[i]
		x := &b.args[i]
		x.arg = a
		x.param = c.paramFor(call, sig, i)
		if x.param != nil && b.firstWith(x.param.Name) != i {
			c.report(Problem{Code: UnknownParam, Pos: a.Pos, Found: x.param.Name,
				Message: fmt.Sprintf("%s is given twice", x.param.Name)})
			x.param = nil
		}
		x.val = c.argValue(a.Value)
		x.typ = x.val.typ
		switch e := a.Value.(type) {
		case *String:
			x.literal, x.isLiteral = e.Value, true
		default:
			if s, ok := x.val.slot.(string); ok {
				x.literal, x.isLiteral = s, true
			}
		}
	}
	for i := range b.args {
		x := &b.args[i]
		if x.param == nil {
			continue
		}
		if x.isLiteral && len(x.param.Enum) > 0 {
			x.choice = legalChoice(x.param, x.literal, b)
		}
		c.typeOf(x, b)
	}
	return b
}

func (b *binding) firstWith(param string) int {
	for i := range b.args {
		if b.args[i].param != nil && b.args[i].param.Name == param {
			return i
		}
	}
	return -1
}

// typeOf settles the type that a parameter gets: the field behind a bare step
// name, or the literal with the unit that the parameter declares.
func (c *checker) typeOf(x *bound, b *binding) {
	if x.val.whole != nil {
		if f := c.fit(x.val, x.param, ""); f.code == "" || f.certain {
			x.field, x.typ = f.field, f.typ
		}
		return
	}
	switch e := x.arg.Value.(type) {
	case *Number:
		x.typ = Type{Kind: KindNumber, Unit: plainUnit(x.param.Unit)}
	case *List:
		if len(e.Items) == 0 {
			return
		}
		if _, ok := e.Items[0].(*Number); ok {
			x.typ = Type{Kind: KindNumber, Unit: plainUnit(x.param.Unit), List: true}
			return
		}
		elem := elementParam(x.param)
		if r, ok := e.Items[0].(*Ref); ok {
			saved := c.quiet
			c.quiet = true
			f := c.fit(c.ref(r, false), &elem, "")
			c.quiet = saved
			x.typ = f.typ
			x.typ.List = true
		}
	}
}

func plainUnit(unit string) string {
	if strings.Contains(unit, "@") {
		return ""
	}
	return unit
}

// paramFor finds the parameter of the i-th argument, exactly or as it was
// plainly meant, and reports the latter.
func (c *checker) paramFor(call *Call, sig *Signature, i int) *Param {
	a := &call.Args[i]
	if a.Name == "" {
		if p := sig.soleRequired(); p != nil && i == 0 {
			return p
		}
		if !c.quiet {
			c.report(Problem{Code: UnknownParam, Pos: a.Pos, Found: Text(a.Value), Legal: c.near("", c.freeParams(call, sig)),
				Message: fmt.Sprintf("%s takes its arguments by name", sig.Name)})
		}
		return c.positionalParam(call, sig, i)
	}
	if p := sig.param(a.Name); p != nil {
		return p
	}
	meant := meantParam(sig, a.Name)
	if !c.quiet {
		legal := make([]string, 0, len(sig.Params))
		for j := range sig.Params {
			legal = append(legal, sig.Params[j].Name)
		}
		legal = c.near(a.Name, legal)
		if meant != nil {
			legal = append([]string{meant.Name}, without(legal, meant.Name)...)
		}
		c.report(Problem{Code: UnknownParam, Pos: a.Pos, Found: a.Name, Legal: legal,
			Message: fmt.Sprintf("%s has no parameter %s", sig.Name, a.Name)})
	}
	if meant == nil {
		for j := range sig.Params {
			if sameSpelling(a.Name, sig.Params[j].Name) {
				return &sig.Params[j]
			}
		}
	}
	return meant
}

// meantParam finds the one parameter that a name means by letter case or by a
// declared alias.
func meantParam(sig *Signature, name string) *Param {
	var found *Param
	for i := range sig.Params {
		p := &sig.Params[i]
		if strings.EqualFold(p.Name, name) || hasAlias(p.Aliases, name) {
			if found != nil {
				return nil
			}
			found = p
		}
	}
	return found
}

func (c *checker) freeParams(call *Call, sig *Signature) []string {
	var free []string
	for i := range sig.Params {
		if _, ok := call.Arg(sig.Params[i].Name); !ok {
			free = append(free, sig.Params[i].Name)
		}
	}
	return free
}

// missing reports the required parameters that no argument gives.
func (c *checker) missing(call *Call, b *binding) {
	for i := range b.sig.Params {
		p := &b.sig.Params[i]
		x := b.find(p.Name)
		if x != nil {
			if _, none := x.arg.Value.(*None); !none || !p.Required {
				continue
			}
		}
		if !p.Required {
			continue
		}
		pos := call.Pos
		if x != nil {
			pos = x.arg.Pos
		}
		if c.quiet {
			continue
		}
		c.report(Problem{Code: MissingParam, Pos: pos, Found: call.FullName(), Legal: c.candidates(p, plainUnit(p.Unit), ""), Resolve: c.makers(p),
			Message: fmt.Sprintf("%s needs %s (%s)", call.FullName(), p.Name, strings.Join(p.Kinds, " or "))})
	}
}

// makers are the tools that give an artifact which a parameter takes.
func (c *checker) makers(p *Param) []string {
	var tools []string
	for _, s := range c.signatures() {
		for _, kind := range s.outputKinds() {
			if isArtifact(kind) && p.takes(kind) {
				tools = appendOnce(tools, s.Name)
			}
		}
	}
	return limited(tools)
}

// unknownTool reports a call of a tool that does not exist.
func (c *checker) unknownTool(call *Call) {
	if c.quiet {
		return
	}
	var agents, all, same, own []string
	for _, s := range c.signatures() {
		agents = appendOnce(agents, agentOf(s.Name))
		all = append(all, s.Name)
		if toolOf(s.Name) == call.Tool {
			same = append(same, s.Name)
		}
		if agentOf(s.Name) == call.Agent {
			own = append(own, s.Name)
		}
	}
	p := Problem{Pos: call.Pos, Found: call.FullName(), Resolve: same}
	switch {
	case call.Agent == "" && len(same) > 0:
		p.Code, p.Legal = UnknownAgent, same
		p.Message = fmt.Sprintf("the call of %s names no agent", call.Tool)
	case call.Agent == "":
		p.Code, p.Legal = UnknownTool, c.near(call.Tool, all)
		p.Message = fmt.Sprintf("no agent has a tool %s", call.Tool)
	case len(own) == 0:
		p.Code, p.Legal = UnknownAgent, c.near(call.Agent, agents)
		p.Message = fmt.Sprintf("there is no agent %s", call.Agent)
	default:
		p.Code, p.Legal = UnknownTool, c.near(call.FullName(), own)
		for i := len(same) - 1; i >= 0; i-- {
			p.Legal = append([]string{same[i]}, without(p.Legal, same[i])...)
		}
		p.Message = fmt.Sprintf("%s has no tool %s", call.Agent, call.Tool)
	}
	p.Legal = limited(p.Legal)
	c.report(p)
}

// ask checks an objective step.
func (c *checker) ask(call *Call) *shape {
	if !c.isAgent(call.Agent) {
		c.unknownTool(call)
	}
	objectives := 0
	var promise *String
	for _, a := range call.Args {
		switch a.Name {
		case "", "objective":
			objectives++
			if s, ok := a.Value.(*String); !ok || strings.TrimSpace(s.Value) == "" {
				c.report(Problem{Code: WrongType, Pos: a.Pos, Found: Text(a.Value), Message: "the objective is a text in quotes"})
			}
			if objectives > 1 {
				c.report(Problem{Code: UnknownParam, Pos: a.Pos, Found: Text(a.Value),
					Message: "an objective step has one objective; further values are given by name"})
			}
		case "returns":
			s, ok := a.Value.(*String)
			if !ok {
				c.report(Problem{Code: WrongType, Pos: a.Pos, Found: Text(a.Value), Message: `returns is a kind in quotes: returns="scalar[degC]"`})
				continue
			}
			promise = s
		default:
			c.visit(a.Value)
		}
	}
	if objectives == 0 {
		c.report(Problem{Code: MissingParam, Pos: call.Pos, Found: call.FullName(), Message: "an objective step needs its objective"})
	}
	if promise == nil {
		if _, given := call.Arg("returns"); !given {
			c.report(Problem{Code: MissingParam, Pos: call.Pos, Found: call.FullName(), Legal: []string{`returns="scalar[degC]"`},
				Message: "an objective step says what it returns"})
		}
		return valueShape(Type{})
	}
	t, err := ParseType(promise.Value)
	if err != nil {
		c.report(Problem{Code: WrongType, Pos: promise.Pos, Found: promise.Value, Message: strings.TrimPrefix(err.Error(), "schedule: "),
			Legal: []string{"scalar[unit]", KindRaster, KindVector, KindTable, KindSeries, KindText, KindImage}})
		return valueShape(Type{})
	}
	if t.Unit != "" && !c.units.Convertible(t.Unit, t.Unit) {
		c.report(Problem{Code: WrongUnit, Pos: promise.Pos, Found: t.Unit, Message: fmt.Sprintf("%q is no unit", t.Unit)})
		t.Unit = ""
	}
	return valueShape(t)
}

// visit resolves the references in a value of which nothing is known, so that
// undefined names are reported and steps count as read.
func (c *checker) visit(e Expr) {
	switch e := e.(type) {
	case *Ref:
		c.ref(e, false)
	case *List:
		for _, item := range e.Items {
			c.visit(item)
		}
	case *Dict:
		for _, entry := range e.Entries {
			c.visit(entry.Value)
		}
	case *Call, *Unary, *Binary, *Func, *Compare, *Logic:
		c.argValue(e)
	}
}

// argValue resolves the value of an argument. Calls and expressions have no
// place there: they are reported, and so is what is wrong inside them.
func (c *checker) argValue(e Expr) value {
	switch e := e.(type) {
	case *Ref:
		return c.ref(e, false)
	case *List, *Dict:
		return value{}
	case *Call:
		c.report(Problem{Code: SyntaxError, Pos: e.Pos, Found: firstLine(Text(e)),
			Message: "a call inside an argument: give it a name in a statement of its own"})
		result := c.call(e)
		switch {
		case result.unknown:
			return value{}
		case result.value:
			return value{typ: result.fields[ValueField], known: true}
		}
		return value{whole: result, known: true}
	case *Unary, *Binary, *Func, *Compare, *Logic:
		c.report(Problem{Code: SyntaxError, Pos: e.Position(), Found: firstLine(Text(e)),
			Message: "an expression inside an argument: give it a name in a statement of its own"})
		return value{typ: c.exprType(e), known: true}
	}
	return value{}
}

// positionalParam finds the parameter that a positional argument can only mean:
// the one that is not given by name and takes its kind, when no other does.
func (c *checker) positionalParam(call *Call, sig *Signature, i int) *Param {
	assigned, ok := c.positionalParams(call, sig)
	if !ok {
		return nil
	}
	return assigned[i]
}

// positionalParams assigns the positional arguments of a call to its required
// parameters, by kind, when there is exactly one way.
func (c *checker) positionalParams(call *Call, sig *Signature) (map[int]*Param, bool) {
	saved := c.quiet
	c.quiet = true
	defer func() { c.quiet = saved }()
	var free []*Param
	for j := range sig.Params {
		if _, given := call.Arg(sig.Params[j].Name); !given && sig.Params[j].Required {
			free = append(free, &sig.Params[j])
		}
	}
	assigned := map[int]*Param{}
	taken := map[string]bool{}
	for i, a := range call.Args {
		if a.Name != "" {
			continue
		}
		if !c.isKnown(a.Value) {
			return nil, false
		}
		var only *Param
		for _, p := range free {
			if !c.couldBe(a.Value, p, sig) {
				continue
			}
			if only != nil {
				return nil, false
			}
			only = p
		}
		if only == nil || taken[only.Name] {
			return nil, false
		}
		taken[only.Name] = true
		assigned[i] = only
	}
	return assigned, true
}

// isKnown tells whether the kind of a value is known.
func (c *checker) isKnown(e Expr) bool {
	switch e.(type) {
	case *Ref, *Call, *Unary, *Binary, *Func, *Compare, *Logic:
		v := c.argValue(e)
		return v.whole != nil && !v.whole.unknown || v.known && v.typ.Kind != ""
	}
	return true
}

// couldBe tells whether a value may be given to a parameter, as far as it is
// known by itself.
func (c *checker) couldBe(e Expr, p *Param, sig *Signature) bool {
	switch e.(type) {
	case *Ref, *Call, *Unary, *Binary, *Func, *Compare, *Logic:
		v := c.argValue(e)
		f := c.fit(v, p, plainUnit(p.Unit))
		return f.code == "" || f.certain
	}
	probe := &checker{program: c.program, catalog: c.catalog, units: c.units, names: c.names, slots: c.slots, used: map[string]bool{}}
	probe.literal(e, p, &binding{sig: sig}, plainUnit(p.Unit))
	return len(probe.problems) == 0
}
