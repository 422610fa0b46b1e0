package schedule

import (
	"regexp"
	"strings"
)

// call repairs one tool call: its name, its parameters, their values.
func (r *repairer) call(call *Call) {
	r.callee(call)
	sig, ok := r.c.catalog.Signature(call.FullName())
	if call.IsAsk() || !ok {
		for i := range call.Args {
			r.plain(call.Args[i].Value)
		}
		return
	}
	r.params(call, &sig)
	for i := range call.Args {
		if p := sig.param(call.Args[i].Name); p != nil {
			// The values of the other arguments bear on units and vocabularies,
			// and may have been repaired just now: bind anew for each.
			b := r.c.bind(call, &sig)
			call.Args[i].Value = r.value(call.Args[i].Value, p, b, r.c.unitOf(p.Unit, b))
		} else {
			r.plain(call.Args[i].Value)
		}
	}
}

// callee repairs the name of the tool and of its agent.
func (r *repairer) callee(call *Call) {
	if _, ok := r.c.catalog.Signature(call.FullName()); ok {
		return
	}
	if call.Agent != "" && !r.c.isAgent(call.Agent) {
		name, ok := AgentByName(call.Agent, r.agents())
		id := AgentVariant
		if ok && strings.EqualFold(name, call.Agent) {
			id = LetterCase
		}
		if !ok || !r.opt.on(id) {
			return
		}
		r.record(id, call.Pos, call.Agent, name)
		call.Agent = name
	}
	if call.IsAsk() || call.Agent == "" && !r.opt.on(AddAgent) {
		return
	}
	if _, ok := r.c.catalog.Signature(call.FullName()); ok {
		return
	}
	exact, folded := r.toolsNamed(call)
	found := exact
	if len(exact) == 0 {
		if found = folded; len(found) != 1 || !r.opt.on(LetterCase) {
			return
		}
	}
	if len(found) != 1 {
		return
	}
	before := call.FullName()
	if call.Agent == "" {
		call.Agent = agentOf(found[0])
		r.record(AddAgent, call.Pos, before, call.FullName())
	}
	if call.Tool != toolOf(found[0]) {
		before = call.FullName()
		call.Tool = toolOf(found[0])
		r.record(LetterCase, call.Pos, before, call.FullName())
	}
}

// toolsNamed finds the tools of that name, of the agent that is written or of
// all, exactly and apart from letter case.
func (r *repairer) toolsNamed(call *Call) (exact, folded []string) {
	for _, s := range r.c.signatures() {
		if call.Agent != "" && agentOf(s.Name) != call.Agent {
			continue
		}
		switch tool := toolOf(s.Name); {
		case tool == call.Tool:
			exact = append(exact, s.Name)
		case strings.EqualFold(tool, call.Tool):
			folded = append(folded, s.Name)
		}
	}
	return exact, folded
}

func (r *repairer) agents() []string {
	var names []string
	for _, s := range r.c.signatures() {
		names = appendOnce(names, agentOf(s.Name))
	}
	return names
}

// AgentByName finds the agent that a reply means: apart from letter case,
// spaces, underscores and hyphens, and the quotes and brackets that models put
// around a name. It finds none rather than the first one, and none when two fit.
func AgentByName(written string, agents []string) (string, bool) {
	for _, a := range agents {
		if a == written {
			return a, true
		}
	}
	key := plainName(strings.Trim(written, " \t\r\n\"'`[](){}<>.,:;"))
	found := ""
	for _, a := range agents {
		if key == "" || plainName(a) != key {
			continue
		}
		if found != "" {
			return "", false
		}
		found = a
	}
	return found, found != ""
}

// params gives arguments the names of the parameters that they can only mean:
// first the named ones, then the positional ones, for which the named ones leave
// fewer parameters.
func (r *repairer) params(call *Call, sig *Signature) {
	for i := range call.Args {
		a := &call.Args[i]
		p := meantParam(sig, a.Name)
		if a.Name == "" || sig.param(a.Name) != nil || p == nil || given(call, p.Name) {
			continue
		}
		id := ParamAlias
		if strings.EqualFold(p.Name, a.Name) {
			id = LetterCase
		}
		if r.opt.on(id) {
			r.record(id, a.Pos, a.Name, p.Name)
			a.Name = p.Name
		}
	}
	r.positional(call, sig)
}

func (r *repairer) positional(call *Call, sig *Signature) {
	if len(call.Args) == 0 {
		return
	}
	if p := sig.soleRequired(); p != nil && call.Args[0].Name == "" && !given(call, p.Name) {
		call.Args[0].Name = p.Name // legal as it is; the name is only written out
	}
	if !r.opt.on(PositionalKind) {
		return
	}
	for _, a := range call.Args {
		if a.Name == "" {
			r.plain(a.Value)
		}
	}
	assigned, _ := r.c.positionalParams(call, sig)
	for i, p := range assigned {
		if given(call, p.Name) {
			delete(assigned, i)
		}
	}
	for i := range call.Args {
		if p := assigned[i]; p != nil {
			a := &call.Args[i]
			r.record(PositionalKind, a.Pos, Text(a.Value), p.Name+"="+Text(a.Value))
			a.Name = p.Name
		}
	}
}

func given(call *Call, param string) bool {
	_, ok := call.Arg(param)
	return ok
}

var decimal = regexp.MustCompile(`^-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,17})?$`)

// value repairs the value of one argument and gives what stands there after.
func (r *repairer) value(e Expr, p *Param, b *binding, unit string) Expr {
	switch v := e.(type) {
	case *Ref:
		if plain, ok := r.unquoted(v, p, b); ok {
			return r.listOf(plain, p, b, unit)
		}
		r.reference(v, p, unit)
	case *String:
		e = r.text(v, p, b)
	case *List:
		elem := elementParam(p)
		if len(elem.Kinds) == 0 && len(v.Items) == 1 && !p.takes(KindAny) && r.opt.on(ListToOne) {
			r.record(ListToOne, v.Pos, Text(v), Text(v.Items[0]))
			return r.value(v.Items[0], p, b, unit)
		}
		if len(elem.Kinds) > 0 {
			for i := range v.Items {
				v.Items[i] = r.value(v.Items[i], &elem, b, unit)
			}
		}
		return v
	case *Dict:
		for i := range v.Entries {
			v.Entries[i].Value = r.value(v.Entries[i].Value, anyParam, &binding{sig: &Signature{}}, "")
		}
	}
	if zone, ok := r.zone(e, p); ok {
		return zone
	}
	return r.listOf(e, p, b, unit)
}

// unquoted reads a bare word that no step before binds as what it can only be:
// a value of the parameter's closed vocabulary without its quotes, or True, False
// or None in other letters.
func (r *repairer) unquoted(ref *Ref, p *Param, b *binding) (Expr, bool) {
	_, bound := r.c.names[ref.Name]
	if bound || ref.Field != "" || ref.Index != nil || ref.Name == r.c.item || ref.IsTask() {
		return nil, false
	}
	if len(p.Enum) > 0 && legalChoice(p, ref.Name, b) != nil && r.opt.on(QuoteValue) {
		r.record(QuoteValue, ref.Pos, ref.Name, quote(ref.Name))
		return &String{Pos: ref.Pos, Value: ref.Name}, true
	}
	if _, later := r.c.defined[ref.Name]; later || !r.opt.on(LetterCase) {
		return nil, false
	}
	var constant Expr
	switch strings.ToLower(ref.Name) {
	case "true", "false":
		constant = &Bool{Pos: ref.Pos, Value: strings.EqualFold(ref.Name, "true")}
	case "none":
		constant = &None{Pos: ref.Pos}
	default:
		return nil, false
	}
	r.record(LetterCase, ref.Pos, ref.Name, Text(constant))
	return constant, true
}

var anyParam = &Param{Name: "the record", Kinds: []string{KindAny}}

// text repairs a string: a vocabulary's value by its case or alias, a number in
// quotes, a reference in the clothes of a template.
func (r *repairer) text(s *String, p *Param, b *binding) Expr {
	if inner, ok := templateName(s.Value); ok && r.opt.on(UnquoteRef) {
		name, field, _ := strings.Cut(inner, ".")
		if _, defined := r.c.names[name]; defined {
			ref := &Ref{Pos: s.Pos, Name: name, Field: field}
			r.record(UnquoteRef, s.Pos, Text(s), Text(ref))
			r.reference(ref, p, "")
			return ref
		}
	}
	elem := p
	if takesList(p) {
		e := elementParam(p)
		elem = &e
	}
	if len(elem.Enum) > 0 {
		if legalChoice(elem, s.Value, b) != nil {
			return s
		}
		meant, ok := meantChoice(elem, s.Value, b)
		if !ok {
			return s
		}
		id := ValueAlias
		if strings.EqualFold(meant, s.Value) {
			id = LetterCase
		}
		if r.opt.on(id) {
			r.record(id, s.Pos, Text(s), quote(meant))
			return &String{Pos: s.Pos, Value: meant}
		}
		return s
	}
	numeric := elem.takes(KindNumber) || elem.takes(KindScalar) || elem.takes(KindInteger)
	if !numeric || elem.takes(KindString) || !r.opt.on(NumberText) || !decimal.MatchString(strings.TrimSpace(s.Value)) {
		return s
	}
	n := &Number{Pos: s.Pos, Text: strings.TrimSpace(s.Value)}
	switch {
	case n.Text == "-0":
		n.Text = "0"
	case !n.IsInteger():
		n.Text = floatText(n.Float())
	}
	r.record(NumberText, s.Pos, Text(s), n.Text)
	return n
}

// listOf wraps a single value where a list is needed and the value is one that
// its items may be.
func (r *repairer) listOf(e Expr, p *Param, b *binding, unit string) Expr {
	if !takesList(p) || !r.opt.on(OneToList) {
		return e
	}
	elem := elementParam(p)
	switch v := e.(type) {
	case *List, *None:
		return e
	case *Ref:
		val := r.c.ref(v, false)
		if val.whole == nil && (!val.known || val.typ.List || val.typ.Kind == "") {
			return e
		}
		if f := r.c.fit(val, &elem, unit); f.code != "" {
			return e
		}
		if val.whole != nil && r.c.fit(val, p, unit).code == "" {
			return e // a mapped step is a list already
		}
	case *Call, *Unary, *Binary, *Func, *Compare, *Logic:
		return e
	default:
		probe := &checker{program: r.c.program, catalog: r.c.catalog, units: r.c.units, names: r.c.names, slots: r.c.slots, used: map[string]bool{}}
		probe.literal(e, &elem, b, unit)
		if len(probe.problems) > 0 {
			return e
		}
	}
	list := &List{Pos: e.Position(), Items: []Expr{e}}
	r.record(OneToList, e.Position(), Text(e), Text(list))
	return list
}

// zone puts the boundary step in where a zone is needed and a place, a box or
// a slot of the request with one of these stands. A text that is the name of a
// step is no place: it may as well be the step in quotes.
func (r *repairer) zone(e Expr, p *Param) (Expr, bool) {
	if !p.takes(KindVector) || takesList(p) || !r.opt.on(InsertBoundary) {
		return nil, false
	}
	kind := ""
	switch v := e.(type) {
	case *String:
		_, isStep := r.taken[v.Value]
		_, isTemplate := templateName(v.Value)
		if !isStep && !isTemplate && strings.TrimSpace(v.Value) != "" && !p.takes(KindString) {
			kind = KindPlace
		}
	case *Dict:
		if hasKeys(v, "west", "south", "east", "north") {
			kind = KindBox
		}
	case *Ref:
		if val := r.c.slotValue(v); v.IsTask() && !val.List && (val.Kind == KindPlace || val.Kind == KindBox) {
			kind = val.Kind
		}
	}
	if kind == "" || p.takes(kind) {
		return nil, false
	}
	tool, param, ok := r.resolver(kind)
	if !ok {
		return nil, false
	}
	call := &Call{Pos: e.Position(), Agent: agentOf(tool), Tool: toolOf(tool), Args: []Arg{{Pos: e.Position(), Name: param, Value: e}}}
	for _, s := range r.out.Statements {
		if have, isCall := s.Body.(*Call); isCall && s.Name != "" && Text(have) == Text(call) {
			r.record(InsertBoundary, e.Position(), Text(e), s.Name)
			return &Ref{Pos: e.Position(), Name: s.Name}, true
		}
	}
	return r.insert(InsertBoundary, "zone", e.Position(), call, Text(e)), true
}

// slotValue is the type behind task.x, unknown for everything else.
func (c *checker) slotValue(r *Ref) Type {
	if s, ok := c.slots[r.Field]; ok && r.IsTask() {
		t := s.Type
		if r.Index != nil {
			t.List = false
		}
		return t
	}
	return Type{}
}

// resolver is the one tool, and its one parameter, that turns a place or a box
// into a zone.
func (r *repairer) resolver(kind string) (tool, param string, ok bool) {
	for _, s := range r.c.signatures() {
		if !s.Resolver {
			continue
		}
		for i := range s.Params {
			p := &s.Params[i]
			if !p.takes(kind) || takesList(p) || !s.needsOnly(p.Name) {
				continue
			}
			if tool != "" {
				return "", "", false
			}
			tool, param = s.Name, p.Name
		}
	}
	return tool, param, tool != ""
}

// needsOnly tells whether a call may give that parameter alone.
func (s *Signature) needsOnly(param string) bool {
	for i := range s.Params {
		if s.Params[i].Required && s.Params[i].Name != param {
			return false
		}
	}
	return true
}
