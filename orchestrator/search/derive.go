package search

import (
	"sort"
	"strings"

	"almanac/orchestrator/schedule"
)

// derivation is one call with how each of its arguments is made, read at one of its outputs.
type derivation struct {
	sig    *schedule.Signature
	output *schedule.Output
	args   []argument
	score  float64 // of this call and all below it, shared calls counted once for each use
	own    map[string]float64
	facts  uint64 // facts used, here and below
	unit   string // of the output, "" unknown
	key    string // canonical text
	call   string // the same without the output; set by callKey
	choice []Decision

	frequency string // of a series or field, "" unknown
	variable  string // what the data are, where one data set was opened

	composed *composed // of a value made of two derivations; then sig is nil
}

type argument struct {
	param *schedule.Param
	expr  schedule.Expr // a literal or a slot
	from  *derivation   // or what another call makes
	fact  int           // index of the fact used, -1 for none
}

// partial is a call whose first parameters are filled.
type partial struct {
	args   []argument
	score  float64
	own    *term // of the call itself; what its inputs cost is theirs
	facts  uint64
	chosen *chosen
	unit   *unitOfInput // of the arguments whose unit others take
	picks  []Decision
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

// term is a part of a score with its reason, and those before it: partial calls share what they have in common.
type term struct {
	why    string
	value  float64
	before *term
}

const beam = 24

// byTool derives the goal from one output of one tool.
func (s *searcher) byTool(sig *schedule.Signature, out *schedule.Output, g goal, depth int) []*derivation {
	if !s.canBe(sig, out, g) {
		return nil
	}
	parts := []partial{{}}
	for _, p := range s.paramOrder(sig) {
		var next []partial
		for _, part := range parts {
			next = s.fill(next, sig, out, p, part, g, depth)
		}
		s.expanded += len(next)
		parts = s.narrow(next)
		if len(parts) == 0 {
			return nil
		}
	}
	var ds []*derivation
	for _, part := range parts {
		if d := s.finish(sig, out, part, g); d != nil {
			ds = append(ds, d)
		}
	}
	return ds
}

// narrow keeps the best partial calls: half by promise, half by cost, as [searcher.best] does.
func (s *searcher) narrow(list []partial) []partial {
	if len(list) <= beam {
		return list
	}
	promise := make([]float64, len(list))
	order := make([]int, len(list))
	for i := range list {
		promise[i], order[i] = s.partialPromise(&list[i]), i
	}
	sort.SliceStable(order, func(i, j int) bool { return promise[order[i]] > promise[order[j]] })
	rest := order[beam/2:]
	sort.SliceStable(rest, func(i, j int) bool { return list[rest[i]].score > list[rest[j]].score })
	out := make([]partial, beam)
	for i := range out {
		out[i] = list[order[i]]
	}
	return out
}

func (s *searcher) partialPromise(p *partial) float64 {
	v := p.score
	for i, f := range s.in.Facts {
		if p.facts&(1<<i) != 0 {
			v += s.penalty(f)
		}
	}
	return v
}

// paramOrder puts closed vocabularies that others depend on first, then artifacts, then the rest.
func (s *searcher) paramOrder(sig *schedule.Signature) []*schedule.Param {
	rank := func(p *schedule.Param) int {
		switch {
		case len(p.Enum) > 0 && p.Enum[0].When == nil:
			return 0
		case len(p.Enum) > 0:
			return 1
		case p.Required && !strings.HasPrefix(p.Unit, "@"):
			return 2
		case p.Required:
			return 3
		}
		return 4
	}
	out := make([]*schedule.Param, len(sig.Params))
	for i := range sig.Params {
		out[i] = &sig.Params[i]
	}
	sort.SliceStable(out, func(i, j int) bool { return rank(out[i]) < rank(out[j]) })
	return out
}

// canBe tells whether an output can be of the goal's kind at all.
func (s *searcher) canBe(sig *schedule.Signature, out *schedule.Output, g goal) bool {
	if out.List || sig.Resolver && has(g.kinds, schedule.KindScalar) && strings.HasPrefix(out.Unit, "@") {
		return false
	}
	if name, ok := strings.CutPrefix(out.Kind, "@"); ok {
		p := param(sig, name)
		if p == nil {
			return false
		}
		if len(p.Enum) > 0 {
			return true
		}
		return overlaps(p.Kinds, g.kinds)
	}
	if !has(g.kinds, out.Kind) {
		return false
	}
	return strings.HasPrefix(out.Unit, "@") || g.unit == "" || out.Unit == "" || s.units.Convertible(out.Unit, g.unit)
}

func overlaps(a, b []string) bool {
	for _, x := range a {
		if has(b, x) {
			return true
		}
	}
	return false
}

func param(sig *schedule.Signature, name string) *schedule.Param {
	for i := range sig.Params {
		if sig.Params[i].Name == name {
			return &sig.Params[i]
		}
	}
	return nil
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
		score, said := s.choiceScore(p, c)
		isDefault := p.Default != nil && strings.EqualFold(c.Value, defaultText(p.Default))
		if !isDefault && (p.Default != nil || !p.Required) && !said {
			continue // a value other than the default needs a word for it
		}
		next := part.with(argument{param: p, expr: &schedule.String{Value: c.Value}, fact: -1}, score, "choice "+p.Name+"="+c.Value)
		if isDefault {
			next.args = next.args[:len(next.args)-1] // the default need not be written
		}
		next.facts |= s.in.Implied[c.Value] | s.stringFact(p, c)
		next.chosen = &chosen{p.Name, &p.Enum[i], part.chosen}
		next.picks = append(append([]Decision(nil), part.picks...), Decision{Kind: decisionKind(out, p), At: p.Name, Chosen: c.Value, Doc: c.Doc, Said: s.saidChoice(p, c)})
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
func (p partial) with(a argument, score float64, why string) partial {
	next := p
	next.args = append(append(make([]argument, 0, len(p.args)+1), p.args...), a)
	next.score += score
	if a.fact >= 0 {
		next.facts |= 1 << a.fact
	}
	if score != 0 && a.from == nil {
		next.own = &term{why, score, p.own}
	}
	return next
}

func (p partial) uses(fact int) bool {
	for _, a := range p.args {
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
		all = append(all, part.with(argument{param: p, expr: &ref, fact: i}, score, "given "+p.Name))
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
		next := part.with(argument{param: p, from: d, fact: -1}, d.score, "")
		next = next.suits(s.suits(sig, p, d)-s.uneven(part, d), p)
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
	for _, a := range part.args {
		if a.from != nil && a.from.sig == d.sig && a.from.facts != d.facts {
			return s.w.Suits
		}
	}
	return 0
}

func (p partial) suits(v float64, param *schedule.Param) partial {
	if v == 0 {
		return p
	}
	p.own, p.score = &term{"suits " + param.Name, v, p.own}, p.score+v
	return p
}

// repeats tells whether the same value would be given twice to one call.
func (s *searcher) repeats(part partial, d *derivation) bool {
	for _, a := range part.args {
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

// finish closes a call whose parameters are filled.
func (s *searcher) finish(sig *schedule.Signature, out *schedule.Output, part partial, g goal) *derivation {
	unit := s.unitOf(out, part)
	if g.unit != "" && unit != "" && !s.units.Convertible(unit, g.unit) {
		return nil
	}
	d := &derivation{
		sig: sig, output: out, args: part.args, facts: part.facts, unit: unit, choice: part.picks,
		own: map[string]float64{"call " + sig.Name: -s.w.Step, "fit of " + sig.Name: -s.w.Misfit * (1 - s.in.Scores[sig.Name])},
	}
	for t := part.own; t != nil; t = t.before {
		d.own[t.why] += t.value
	}
	if g.unit != "" && unit == "" {
		d.own["output unit not known"] = -s.w.Vague
	}
	d.key = d.callKey() + "." + out.Name
	d.frequency = s.frequency(sig, part)
	s.methodFits(d, part)
	d.score = s.worth(d)
	return d
}

func (s *searcher) unitOf(out *schedule.Output, part partial) string {
	rest, ok := strings.CutPrefix(out.Unit, "@")
	if !ok {
		return out.Unit
	}
	name, factor, _ := strings.Cut(rest, " ")
	unit := part.unit.of(name)
	if c, ok := part.chosen.of(name); ok {
		unit = c.Unit
	}
	if unit == "" || factor == "" {
		return unit
	}
	product, err := s.units.Mul(unit, factor)
	if err != nil {
		return ""
	}
	return product
}

// callKey is the call in canonical text, without the output that is read.
func (d *derivation) callKey() string {
	if d.call != "" {
		return d.call
	}
	d.call = d.callText()
	return d.call
}

func (d *derivation) callText() string {
	if d.composed != nil {
		return d.composed.key()
	}
	parts := make([]string, len(d.args))
	for i, a := range d.args {
		if a.from != nil {
			parts[i] = a.param.Name + "=" + a.from.callKey() + "." + a.from.output.Name
		} else {
			parts[i] = a.param.Name + "=" + schedule.Text(a.expr)
		}
	}
	sort.Strings(parts)
	return d.sig.Name + "(" + strings.Join(parts, ",") + ")"
}

// frequency is the time step of what a call makes: that of the data set that it opens, the one that it aggregates to,
// or that of its input.
func (s *searcher) frequency(sig *schedule.Signature, part partial) string {
	if by, ok := part.chosen.of("by"); ok {
		return by.Value
	}
	if set, ok := part.chosen.of("dataset"); ok {
		return s.in.Frequency[set.Value]
	}
	for _, a := range part.args {
		if a.from != nil && a.from.frequency != "" {
			return a.from.frequency
		}
	}
	return ""
}

// methodFits follows the variable through a call, and weighs how its steps are joined: amounts such as rain are added
// up, states such as temperature are averaged.
func (s *searcher) methodFits(d *derivation, part partial) {
	if v, ok := part.chosen.of("variable"); ok {
		d.variable = v.Value
	}
	for _, a := range part.args {
		if a.from != nil && d.variable == "" {
			d.variable = a.from.variable
		}
	}
	method, ok := part.chosen.of("method")
	if _, joins := part.chosen.of("by"); !ok || !joins || d.variable == "" {
		return
	}
	if amount := s.in.Amounts[d.variable]; amount != (method.Value == "sum") && (amount || method.Value == "sum") {
		d.own["method does not fit "+d.variable] = -s.w.Choice
	}
}

// group tells derivations apart by what they make: tool, output, variable, time step.
func (d *derivation) group() string {
	tool := "computed"
	if d.sig != nil {
		tool = d.sig.Name
	}
	return tool + "." + d.output.Name + " " + d.variable + " " + d.frequency
}

// stringFact is the fact that a choice spells out, such as the comparison.
func (s *searcher) stringFact(p *schedule.Param, c schedule.Choice) uint64 {
	for i, f := range s.in.Facts {
		if f.Kind == schedule.KindString && f.Param == p.Name && strings.EqualFold(f.Value, c.Value) {
			return 1 << i
		}
	}
	return 0
}

// hasInput tells whether an argument is made by another call.
func (p partial) hasInput() bool {
	for _, a := range p.args {
		if a.from != nil {
			return true
		}
	}
	return false
}
