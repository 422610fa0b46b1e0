package search

import (
	"slices"
	"strings"

	"almanac/orchestrator/schedule"
)

// partial is a call whose first parameters are filled.
type partial struct {
	args   *argList // shared with the partial calls that it was made from
	score  float64
	own    *reason // of the call itself; what its inputs cost is theirs
	facts  uint64
	chosen *chosen
	unit   *unitOfInput // of the arguments whose unit others take
	picks  *pickList
}

// chosen is a value of a closed vocabulary that was taken for a parameter, and those taken before.
type chosen struct {
	name   string
	choice *schedule.Choice
	before *chosen
}

func (c *chosen) of(name string) (schedule.Choice, bool) {
	for ; c != nil; c = c.before {
		if c.name == name {
			return *c.choice, true
		}
	}
	return schedule.Choice{}, false
}

type unitOfInput struct {
	name, unit string
	before     *unitOfInput
}

func (u *unitOfInput) of(name string) string {
	for ; u != nil; u = u.before {
		if u.name == name {
			return u.unit
		}
	}
	return ""
}

// pickList is a decision and those before it.
type pickList struct {
	Decision
	before *pickList
}

func (l *pickList) list() []Decision {
	var out []Decision
	for ; l != nil; l = l.before {
		out = append(out, l.Decision)
	}
	slices.Reverse(out)
	return out
}

// argList is an argument and those filled before it.
type argList struct {
	argument
	before *argList
}

// list are the arguments in the order in which they were filled.
func (a *argList) list() []argument {
	n := 0
	for x := a; x != nil; x = x.before {
		n++
	}
	out := make([]argument, n)
	for ; a != nil; a = a.before {
		n--
		out[n] = a.argument
	}
	return out
}

// reason is a part of a partial call's score, and those before it: partial calls share what they have in common.
type reason struct {
	id     int32
	value  float64
	before *reason
}

// list are the reasons as terms, equal ones added up.
func (r *reason) list() terms {
	var out terms
	for ; r != nil; r = r.before {
		out = out.add(r.id, ofChoice, r.value)
	}
	return out
}

// fill adds one parameter to a partial call, in every way that fits, and appends what comes out to all.
func (s *searcher) fill(all []partial, sig *schedule.Signature, out *schedule.Output, p *schedule.Param, part partial, g goal, depth int) []partial {
	if len(p.Enum) > 0 {
		all = s.fillChoice(all, out, p, part, g)
		if !p.Required && !governs(out, p) {
			all = append(all, part)
		}
		return all
	}
	if !p.Required {
		all = append(all, part)
	}
	if has(p.Kinds, schedule.KindRecord) || p.List {
		return all
	}
	all = s.fillFacts(all, p, part)
	if p.Required || has(p.Kinds, schedule.KindVector) {
		all = s.fillCalls(all, sig, out, p, part, g, depth)
	}
	return all
}

// governs tells whether the output's kind or unit depends on the parameter.
func governs(out *schedule.Output, p *schedule.Param) bool {
	return strings.TrimPrefix(out.Kind, "@") == p.Name || strings.HasPrefix(out.Unit, "@"+p.Name)
}

// fillChoice tries the legal values of a closed vocabulary. A value other than the default must have words for it.
func (s *searcher) fillChoice(all []partial, out *schedule.Output, p *schedule.Param, part partial, g goal) []partial {
	for i := range p.Enum {
		c := p.Enum[i]
		if !legal(c, part.chosen) || governs(out, p) && !s.choiceFits(out, p, c, g) {
			continue
		}
		words := s.choiceScore(p, i)
		isDefault := p.Default != nil && strings.EqualFold(c.Value, defaultText(p.Default))
		if !isDefault && (p.Default != nil || !p.Required) && !words.said {
			continue // a value other than the default needs a word for it
		}
		next := part.with(argument{param: p, expr: &schedule.String{Value: c.Value}, fact: -1}, words.score, s.names.of("choice "+p.Name+"="+c.Value))
		if isDefault {
			next.args = part.args // the default need not be written
		}
		next.facts |= s.in.Implied[c.Value] | s.stringFact(p, c)
		next.chosen = &chosen{p.Name, &p.Enum[i], part.chosen}
		next.picks = &pickList{Decision{Kind: decisionKind(out, p), At: p.Name, Chosen: c.Value, Doc: c.Doc, Said: words.alone}, part.picks}
		all = append(all, next)
	}
	return all
}

func decisionKind(out *schedule.Output, p *schedule.Param) string {
	if governs(out, p) {
		return "variable"
	}
	return "option"
}

func defaultText(v any) string {
	s, _ := v.(string)
	return s
}

func legal(c schedule.Choice, made *chosen) bool {
	for name, want := range c.When {
		if got, _ := made.of(name); got.Value != want {
			return false
		}
	}
	return true
}

func (s *searcher) choiceFits(out *schedule.Output, p *schedule.Param, c schedule.Choice, g goal) bool {
	if strings.TrimPrefix(out.Kind, "@") == p.Name && !has(g.kinds, c.Kind) {
		return false
	}
	return !strings.HasPrefix(out.Unit, "@"+p.Name) || g.unit == "" || c.Unit == "" || s.units.Convertible(c.Unit, g.unit)
}

// with adds an argument to a copy.
func (p partial) with(a argument, score float64, why int32) partial {
	next := p
	next.args = &argList{a, p.args}
	next.score += score
	if a.fact >= 0 {
		next.facts |= 1 << a.fact
	}
	if score != 0 && a.from == nil {
		next.own = &reason{why, score, p.own}
	}
	return next
}

func (p partial) uses(fact int) bool {
	for a := p.args; a != nil; a = a.before {
		if a.fact == fact {
			return true
		}
	}
	return false
}

// fillFacts tries what the request states.
func (s *searcher) fillFacts(all []partial, p *schedule.Param, part partial) []partial {
	for i, f := range s.in.Facts {
		if part.uses(i) || !s.factFits(f, p, part) {
			continue
		}
		ref := f.Ref
		score := 0.0
		if !p.Required && (f.Kind == schedule.KindNumber || f.Kind == schedule.KindInteger) {
			// An optional number needs a word for it: 2000 m is a depth only where depth is spoken of.
			if s.words.said(p.Name, p.Aliases, "") < 0.5 {
				continue
			}
		}
		if !p.Required {
			score = -s.w.Optional
			if f.Kind == schedule.KindPlace || f.Kind == schedule.KindBox || part.hasInput() {
				score *= 2 // a period is best asked for where the data are opened, a place where it is used
			}
		}
		if f.HasArea && !has(p.Kinds, schedule.KindVector) {
			score -= s.w.Suits / 2 // an area is more than the point that stands for it
		}
		all = append(all, part.with(argument{param: p, expr: &ref, fact: i}, score, s.names.of("given "+p.Name)))
	}
	return all
}

func (s *searcher) factFits(f Fact, p *schedule.Param, part partial) bool {
	if f.Param != "" && f.Param != p.Name {
		return false
	}
	switch f.Kind {
	case schedule.KindPlace:
		// Where a boundary is wanted the place needs one.
		return has(p.Kinds, schedule.KindPlace) && (f.HasArea || !has(p.Kinds, schedule.KindVector))
	case schedule.KindNumber, schedule.KindInteger:
		return s.numberFits(f, p, part)
	}
	return has(p.Kinds, f.Kind)
}

// numberFits holds a number to the parameter's unit. A bare number fits where no unit is declared, or where the unit
// is that of another argument, which a request often leaves out.
func (s *searcher) numberFits(f Fact, p *schedule.Param, part partial) bool {
	if !has(p.Kinds, schedule.KindNumber) && !has(p.Kinds, schedule.KindInteger) {
		return false
	}
	want := p.Unit
	if name, ok := strings.CutPrefix(want, "@"); ok {
		want = part.unit.of(name)
		if f.Unit == "" {
			return true
		}
	}
	switch {
	case f.Unit == "":
		return want == "" || want == "1"
	case has(p.Kinds, schedule.KindInteger):
		return s.units.Convertible(f.Unit, "day") || f.Unit == "1"
	case want == "":
		return true
	}
	return s.units.Convertible(f.Unit, want)
}

// fillCalls tries the calls that make such an input.
func (s *searcher) fillCalls(all []partial, sig *schedule.Signature, out *schedule.Output, p *schedule.Param, part partial, g goal, depth int) []partial {
	sub := goal{kinds: artifactKinds(p.Kinds), unit: s.wantedUnit(out, p, g)}
	if len(sub.kinds) == 0 {
		return all
	}
	if strings.TrimPrefix(out.Kind, "@") == p.Name {
		sub.kinds = intersect(sub.kinds, g.kinds)
	}
	refers := referred(sig, p.Name)
	for _, d := range s.solve(sub, depth-1) {
		if d.sig == sig || s.repeats(part, d) {
			continue
		}
		next := part.with(argument{param: p, from: d, fact: -1}, d.score, 0)
		if v := s.suits(sig, p, d) - s.uneven(part, d); v != 0 {
			next.own, next.score = &reason{s.names.of("suits " + p.Name), v, next.own}, next.score+v
		}
		next.facts |= d.facts
		if refers {
			next.unit = &unitOfInput{p.Name, d.unit, part.unit}
		}
		all = append(all, next)
	}
	return all
}

// referred tells whether a unit of the tool is declared as that of the parameter.
func referred(sig *schedule.Signature, name string) bool {
	for i := range sig.Outputs {
		if strings.HasPrefix(sig.Outputs[i].Unit, "@"+name) {
			return true
		}
	}
	for i := range sig.Params {
		if strings.HasPrefix(sig.Params[i].Unit, "@"+name) {
			return true
		}
	}
	return false
}

// suits weighs an input against the parameter's name: the daily maximum is what temperature_max wants, and what its
// neighbour temperature_min does not.
func (s *searcher) suits(sig *schedule.Signature, p *schedule.Param, d *derivation) float64 {
	if d.variable == "" {
		return 0
	}
	if d.variable == p.Name || has(p.Aliases, d.variable) {
		return s.w.Suits
	}
	for i := range sig.Params {
		if q := &sig.Params[i]; q != p && q.Name == d.variable {
			return -2 * s.w.Suits
		}
	}
	return 0
}

// uneven weighs two inputs that the same tool makes of different facts: one cut to the period and one not do not go
// together.
func (s *searcher) uneven(part partial, d *derivation) float64 {
	for a := part.args; a != nil; a = a.before {
		if a.from != nil && a.from.sig == d.sig && a.from.facts != d.facts {
			return s.w.Suits
		}
	}
	return 0
}

// repeats tells whether the same value would be given twice to one call.
func (s *searcher) repeats(part partial, d *derivation) bool {
	for a := part.args; a != nil; a = a.before {
		if a.from != nil && a.from.key == d.key {
			return true
		}
	}
	return false
}

func artifactKinds(kinds []string) []string {
	var out []string
	for _, k := range kinds {
		switch k {
		case schedule.KindRaster, schedule.KindVector, schedule.KindTable, schedule.KindSeries:
			out = append(out, k)
		}
	}
	return out
}

func intersect(a, b []string) []string {
	var out []string
	for _, x := range a {
		if has(b, x) {
			out = append(out, x)
		}
	}
	return out
}

// wantedUnit is the unit that an input needs so that the output has the goal's: the parameter's own, or solved from
// "@param" and "@param factor".
func (s *searcher) wantedUnit(out *schedule.Output, p *schedule.Param, g goal) string {
	if rest, ok := strings.CutPrefix(out.Unit, "@"+p.Name); ok && g.unit != "" {
		rest = strings.TrimSpace(rest)
		if rest == "" {
			return g.unit
		}
		if u, err := s.units.Div(g.unit, rest); err == nil {
			return u
		}
	}
	if strings.HasPrefix(p.Unit, "@") {
		return ""
	}
	return p.Unit
}
