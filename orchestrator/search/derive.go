package search

import (
	"cmp"
	"slices"
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
	own    terms
	facts  uint64 // facts used, here and below
	unit   string // of the output, "" unknown
	key    string // canonical text
	call   string // the same without the output
	callID int32  // a number for it
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
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(promise[j], promise[i]) })
	slices.SortStableFunc(order[beam/2:], func(i, j int) int { return cmp.Compare(list[j].score, list[i].score) })
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
	return strings.HasPrefix(out.Unit, "@") || g.unit == "" || out.Unit == "" || s.answers(out.Unit, g.unit)
}

// answers reports whether a number in one unit is what is wanted in another. Counts and shares have the unit 1, and can
// be wanted in percent; that 1000 places are 1e9 ppm is arithmetic, but no answer to how much salt the sea holds.
func (s *searcher) answers(unit, wanted string) bool {
	if unit == "1" && !has([]string{"1", "%", "percent"}, wanted) {
		return false
	}
	return s.units.Convertible(unit, wanted)
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

// finish closes a call whose parameters are filled.
func (s *searcher) finish(sig *schedule.Signature, out *schedule.Output, part partial, g goal) *derivation {
	unit := s.unitOf(out, part)
	if g.unit != "" && unit != "" && !s.answers(unit, g.unit) {
		return nil
	}
	d := &derivation{
		sig: sig, output: out, args: part.args.list(), facts: part.facts, unit: unit, choice: part.picks.list(),
	}
	cost := s.costs(sig)
	d.own = append(append(make(terms, 0, 8), cost[:]...), part.own.list()...)
	if g.unit != "" && unit == "" {
		d.own = append(d.own, term{s.names.of(vagueOutput), ofOutput, -s.w.Vague})
	}
	s.identify(d)
	d.frequency = s.frequency(d.args, part)
	s.methodFits(d, part)
	if s.cutTwice(d) {
		d.own = append(d.own, term{s.names.of("cut to two of a kind"), ofCall, -2 * s.w.Period})
	}
	d.score = s.worth(d)
	return d
}

// cutTwice tells of a call whose data were cut to one place or period before, and are now cut to another: nothing is left
// of March in September, and nothing of Kenya in Chile.
func (s *searcher) cutTwice(d *derivation) bool {
	for _, same := range []func(i int) bool{s.isPlace, s.isPeriod} {
		var before uint64
		for _, a := range d.args {
			now := s.factsOf(a, same)
			if now == 0 {
				continue
			}
			if before != 0 && now&before == 0 && (a.from != nil || s.hasData(d)) {
				return true
			}
			before |= now
		}
	}
	return false
}

func (s *searcher) isPlace(i int) bool {
	k := s.in.Facts[i].Kind
	return k == schedule.KindPlace || k == schedule.KindBox
}

func (s *searcher) isPeriod(i int) bool { return s.in.Facts[i].Kind == schedule.KindPeriod }

// factsOf are the facts of a kind that an argument is made of.
func (s *searcher) factsOf(a argument, kind func(int) bool) uint64 {
	facts := uint64(0)
	switch {
	case a.from != nil:
		facts = a.from.facts
	case a.fact >= 0 && a.param.Name != "baseline": // a base period is another one
		facts = 1 << a.fact
	}
	for i := range s.in.Facts {
		if !kind(i) {
			facts &^= 1 << i
		}
	}
	return facts
}

// hasData tells whether a call works on what another one made: the distance of two places does not.
func (s *searcher) hasData(d *derivation) bool {
	for _, a := range d.args {
		if a.from != nil {
			return true
		}
	}
	return false
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

// costs are what a call of a tool costs by itself.
func (s *searcher) costs(sig *schedule.Signature) [2]term {
	c, ok := s.callCosts[sig]
	if !ok {
		c = [2]term{
			{s.names.of("call " + sig.Name), ofCall, -s.w.Step},
			{s.names.of("fit of " + sig.Name), ofChoice, -s.w.Misfit * (1 - s.in.Scores[sig.Name])},
		}
		s.callCosts[sig] = c
	}
	return c
}

// identify sets what tells a derivation from others: the call in canonical text, its number, and the output.
func (s *searcher) identify(d *derivation) {
	d.call = d.callText()
	d.callID = s.calls.of(d.call)
	d.key = d.call
	if d.composed == nil {
		d.key += "." + d.output.Name
	}
}

func (d *derivation) callText() string {
	if d.composed != nil {
		return d.composed.key()
	}
	var b strings.Builder
	b.WriteString(d.sig.Name)
	for _, a := range d.args { // in the tool's own order, whichever way they were found
		b.WriteString(" ")
		b.WriteString(a.param.Name)
		b.WriteString("=")
		if a.from != nil {
			b.WriteString("(" + a.from.call + ").")
			b.WriteString(a.from.output.Name)
		} else {
			b.WriteString(schedule.Text(a.expr))
		}
	}
	return b.String()
}

// frequency is the time step of what a call makes: that of the data set that it opens, the one that it aggregates to,
// or that of its input.
func (s *searcher) frequency(args []argument, part partial) string {
	if by, ok := part.chosen.of("by"); ok {
		return by.Value
	}
	if set, ok := part.chosen.of("dataset"); ok {
		return s.in.Frequency[set.Value]
	}
	for _, a := range args {
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
	for _, a := range d.args {
		if a.from != nil && d.variable == "" {
			d.variable = a.from.variable
		}
	}
	method, ok := part.chosen.of("method")
	if _, joins := part.chosen.of("by"); !ok || !joins || d.variable == "" {
		return
	}
	if amount := s.in.Amounts[d.variable]; amount != (method.Value == "sum") && (amount || method.Value == "sum") {
		d.own = d.own.add(s.names.of("method does not fit "+d.variable), ofChoice, -s.w.Choice)
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
	for a := p.args; a != nil; a = a.before {
		if a.from != nil {
			return true
		}
	}
	return false
}
