// Package search builds schedules backwards from the answer contract, without a model.
//
// For each field of the contract it looks for the tools whose declared output can be that field: kind, unit, and the
// words of the request. For each of their inputs it takes what the request states (a place, a period, a number with a
// fitting unit) or the tools that make such an input, and so on back to the data. What comes out are well-typed
// programs, ranked.
//
// # Score
//
// Every call of a program costs something, less the better the tool fits the request (its retrieval score; the best tool
// has 1). What the words say for a choice (a variable, an output's name, a method) is added once, however often the
// choice is made. Each place, number or period of the request that the program does not use is a penalty, and so is one
// that it uses twice. Every term is kept with the candidate. The weights were set on the dev tasks; see docs.
//
// # Bounds
//
// Sub-goals are memoised by kind and unit, each keeps its best few derivations, and depth is bounded, so that the time
// grows with the number of tools, not with the number of programs. No tool is fed by itself, and no call is made twice.
// The result is the same for the same input, always.
package search

import (
	"cmp"
	"slices"
	"strings"

	"almanac/orchestrator/schedule"
)

// Fact is something the request states, that an argument can be filled with.
type Fact struct {
	Ref  schedule.Ref // how a schedule names it: task.place, task.numbers[1]
	Kind string       // place, box, period, number, string
	Unit string       // of a number
	Text string       // as the request has it
	Name string       // of a place: what tools are asked for
	// HasArea tells of a place that it has a boundary.
	HasArea bool
	// Param restricts the fact to parameters of this name (comparison); "" for any.
	Param string
	Value string // of a string fact: the choice that it stands for
	// Aside tells of a fact that the context states where the question has one of its kind: it may be of use, and need
	// not be.
	Aside bool
}

// Input is what a search works on.
type Input struct {
	Catalog  schedule.Catalog
	Contract schedule.Contract
	Facts    []Fact
	Text     string             // the request's words
	Scores   map[string]float64 // retrieval score of each tool, the best has 1; missing is 0
	// Named are variables and data sets that the request names, by choice value: they count above all other words.
	Named []string
	// Implied are facts that a choice takes care of by itself, as a set of indexes into Facts: a station's data set of
	// the station's place.
	Implied map[string]uint64
	// Frequency is the time step of each data set ("day", "month", …), and Amounts the variables that are amounts of a
	// time step, such as rain, and not states.
	Frequency map[string]string
	Amounts   map[string]bool
	// Written are calls that a schedule has already. What is found refers to them by their names.
	Written []Step
	// Legal drops candidates that cannot run for a reason that types do not show, such as a period outside the data.
	Legal func(*schedule.Program) error
}

// Options bound and weigh a search. The zero value is useful.
type Options struct {
	MaxDepth   int // calls in a chain; 0 means 4
	Keep       int // derivations kept for a sub-goal; 0 means 12
	Candidates int // programs returned; 0 means 8
	Weights    Weights
}

// Weights of the terms of a score. A zero weight means the default.
type Weights struct {
	Step       float64 // cost of a call that fits the request best
	Misfit     float64 // further cost of a call that does not fit it at all
	Optional   float64 // cost of filling a parameter that may be left out
	Resolution float64 // what the words say for a time step
	Again      float64 // cost of using a fact once more
	Vague      float64 // cost of an output whose unit is known only when it has run
	Suits      float64 // an input whose variable has the parameter's name
	Choice     float64 // what the words say for a choice
	Named      float64 // a variable or data set that the request names
	Output     float64 // what the words say for an output's name
	Place      float64 // penalty for a place that is not used
	Number     float64
	Comparison float64
	Period     float64
	Default    float64 // cost of a value other than the default
	Written    float64 // what a call that is written already is spared
}

func (w Weights) orDefaults() Weights {
	d := Weights{Step: 0.45, Misfit: 0.6, Again: 0.3, Optional: 0.1, Resolution: 0.6, Vague: 0.6, Suits: 0.4, Choice: 0.8, Named: 1.0, Output: 0.9, Place: 1.0, Number: 1.2, Period: 1.0, Comparison: 0.4, Default: 0.35, Written: 0.15}
	set := func(x *float64, def float64) {
		if *x == 0 {
			*x = def
		}
	}
	set(&w.Step, d.Step)
	set(&w.Misfit, d.Misfit)
	set(&w.Again, d.Again)
	set(&w.Optional, d.Optional)
	set(&w.Resolution, d.Resolution)
	set(&w.Vague, d.Vague)
	set(&w.Suits, d.Suits)
	set(&w.Choice, d.Choice)
	set(&w.Named, d.Named)
	set(&w.Output, d.Output)
	set(&w.Place, d.Place)
	set(&w.Number, d.Number)
	set(&w.Period, d.Period)
	set(&w.Comparison, d.Comparison)
	set(&w.Default, d.Default)
	set(&w.Written, d.Written)
	return w
}

// Candidate is a well-typed program with its score.
type Candidate struct {
	Program   *schedule.Program
	Text      string
	Score     float64
	Terms     map[string]float64
	Decisions []Decision
}

// Decision is a choice that a candidate made where others choose otherwise: a tool, an output, a variable, an option.
type Decision struct {
	Kind   string // tool, output, variable, option
	Field  string // answer field that it serves
	At     string // what was chosen for: the parameter's or the field's name
	Chosen string
	Doc    string
	Said   float64 // what the request's words say for it, of a variable or an option
}

// Result of a search: the candidates, best first. Reason says why there is none.
type Result struct {
	Candidates []Candidate
	Expanded   int // derivations looked at
	Reason     string
	Missing    []string
}

// Run searches. It does not run anything.
func Run(in Input, opts *Options) Result {
	s := newSearcher(in, opts)
	perField := make([][]*derivation, len(in.Contract))
	for i, f := range in.Contract {
		perField[i] = s.field(f)
		if len(perField[i]) == 0 {
			return Result{
				Expanded: s.expanded, Missing: []string{f.Key},
				Reason: "no tool's output can be " + describeField(f) + " with what the request states",
			}
		}
	}
	found, refusal := s.join(perField)
	res := Result{Candidates: found, Expanded: s.expanded}
	if len(found) == 0 {
		res.Reason = "no well-typed program is left"
		if refusal != nil {
			res.Reason = refusal.Error()
		}
	}
	return res
}

func describeField(f schedule.Field) string {
	s := f.Key + " (" + f.Type
	if f.Unit != "" {
		s += ", " + f.Unit
	}
	return s + ")"
}

type searcher struct {
	in            Input
	opts          Options
	w             Weights
	words         *wordSet
	step          string   // time step that the request speaks of
	all           *wordSet // the request's words with those of the fields
	fields        map[string]*wordSet
	bestSaid      map[saidKey]float64
	sigs          []schedule.Signature
	units         schedule.Units
	named         map[string]bool
	namesVariable bool // a variable is among them
	memo          map[string][]*derivation
	reach         reach
	choices       map[*schedule.Choice]choiceScore
	names         termNames
	calls         termNames // calls in canonical text
	callCosts     map[*schedule.Signature][2]term
	tally         tally
	one           [1]*derivation
	written       []*derivation     // what the written steps give
	stepNames     map[string]string // the steps' names, by call
	expanded      int
}

func newSearcher(in Input, opts *Options) *searcher {
	s := &searcher{in: in, words: newWordSet(in.Text), units: &rememberedUnits{Units: in.Catalog.Units(), convertible: map[[2]string]bool{}}, memo: map[string][]*derivation{}, fields: map[string]*wordSet{}, bestSaid: map[saidKey]float64{}, named: map[string]bool{}, choices: map[*schedule.Choice]choiceScore{}, callCosts: map[*schedule.Signature][2]term{}, stepNames: map[string]string{}}
	if opts != nil {
		s.opts = *opts
	}
	if s.opts.MaxDepth == 0 {
		s.opts.MaxDepth = 4
	}
	if s.opts.Keep == 0 {
		s.opts.Keep = 16
	}
	if s.opts.Candidates == 0 {
		s.opts.Candidates = 8
	}
	s.w = s.opts.Weights.orDefaults()
	text := in.Text
	for _, f := range in.Contract {
		text += " " + strings.ReplaceAll(f.Key, "_", " ") + " " + f.Description
	}
	s.all = s.words.with(text)
	s.step = resolution(in.Text, false)
	for _, f := range in.Contract {
		if f.Type == "instant" && s.step == "" {
			s.step = resolution(strings.ReplaceAll(f.Key, "_", " ")+" "+f.Description, true)
		}
	}
	for _, n := range in.Named {
		s.named[strings.ToLower(n)] = true
		s.namesVariable = s.namesVariable || isVariable(in.Catalog, n)
	}
	for _, sig := range in.Catalog.Signatures() {
		if !sig.Check && !isPicture(sig) {
			s.sigs = append(s.sigs, sig)
		}
	}
	s.reach = reachOf(s.sigs, s.units, s.opts.MaxDepth)
	s.readWritten()
	return s
}

// rememberedUnits remembers what is convertible: a search asks for few pairs of units many times.
type rememberedUnits struct {
	schedule.Units
	convertible map[[2]string]bool
}

func (r *rememberedUnits) Convertible(a, b string) bool {
	ok, known := r.convertible[[2]string{a, b}]
	if !known {
		ok = r.Units.Convertible(a, b)
		r.convertible[[2]string{a, b}] = ok
	}
	return ok
}

// isPicture tells of tools that make pictures only: no answer and no input comes of them.
func isPicture(sig schedule.Signature) bool {
	for _, o := range sig.Outputs {
		if o.Kind != schedule.KindImage {
			return false
		}
	}
	return true
}

// goal is what an argument or a field needs.
type goal struct {
	kinds []string
	unit  string // convertible to it; "" for any
}

func (g goal) key(depth int) string {
	return strings.Join(g.kinds, ",") + "|" + g.unit + "|" + string(rune('0'+depth))
}

func has(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// solve returns the best derivations of a value for the goal, best first.
func (s *searcher) solve(g goal, depth int) []*derivation {
	if depth <= 0 || artifactGoal(g) && !s.reach.can(s, g) {
		return nil
	}
	key := g.key(depth)
	if found, ok := s.memo[key]; ok {
		return found
	}
	s.memo[key] = nil // a goal cannot be its own sub-goal at the same depth
	found := s.best(s.derive(g, depth), s.opts.Keep)
	s.memo[key] = found
	return found
}

// derive makes what can meet a goal. An artifact of one of several kinds is one of those of each kind, which other goals
// share.
func (s *searcher) derive(g goal, depth int) []*derivation {
	var all []*derivation
	if artifactGoal(g) && len(g.kinds) > 1 {
		for _, kind := range g.kinds {
			all = append(all, s.solve(goal{kinds: []string{kind}, unit: g.unit}, depth)...)
		}
		return all
	}
	all = s.fromWritten(g)
	for i := range s.sigs {
		sig := &s.sigs[i]
		for j := range sig.Outputs {
			if !artifactGoal(g) && alike(sig.Outputs[:j], &sig.Outputs[j]) {
				continue // the same calls again; a field looks at every output of a call that is kept
			}
			all = append(all, s.byTool(sig, &sig.Outputs[j], g, depth)...)
		}
	}
	if !artifactGoal(g) {
		all = oncePerCall(all)
	}
	return all
}

// maxAlike is how many derivations are kept that open the same variable by the same tool at the same time step.
const maxAlike = 3

// best keeps the n best derivations, few of each group, so that another time step or variable is not crowded out by
// variants of one. Half are the best by what they cost, half by what they would be spared for the facts that they use:
// a field that is not cut to the place yet may be the better input of the call that averages over it.
func (s *searcher) best(all []*derivation, n int) []*derivation {
	byScore := sortedBy(all, func(d *derivation) float64 { return d.score })
	byPromise := sortedBy(all, s.promise)
	var out []*derivation
	seen, like := map[string]bool{}, map[string]int{}
	take := func(from []*derivation, limit int) {
		for _, d := range from {
			if len(out) >= limit {
				return
			}
			if group := d.group(); !seen[d.key] && like[group] < maxAlike {
				seen[d.key] = true
				like[group]++
				out = append(out, d)
			}
		}
	}
	take(byPromise, (n+1)/2)
	clear(like)
	take(byScore, n)
	return sortedBy(out, s.promise)
}

// sortedBy sorts a copy, the highest first, ties by text.
func sortedBy(all []*derivation, value func(*derivation) float64) []*derivation {
	type valued struct {
		d *derivation
		v float64
	}
	list := make([]valued, len(all))
	for i, d := range all {
		list[i] = valued{d, value(d)}
	}
	slices.SortStableFunc(list, func(a, b valued) int {
		return cmp.Or(cmp.Compare(b.v, a.v), strings.Compare(a.d.key, b.d.key))
	})
	out := make([]*derivation, len(all))
	for i, x := range list {
		out[i] = x.d
	}
	return out
}

// promise is a derivation's score with what it would be spared for the facts that it uses, and gain for its time step.
func (s *searcher) promise(d *derivation) float64 {
	p := d.score
	for i, f := range s.in.Facts {
		if d.facts&(1<<i) != 0 {
			p += s.penalty(f)
		}
	}
	if s.step != "" && d.frequency == s.step {
		p += s.w.Resolution
	}
	return p
}

func (s *searcher) penalty(f Fact) float64 {
	if f.Aside {
		return 0
	}
	switch f.Kind {
	case schedule.KindPlace, schedule.KindBox:
		return s.w.Place
	case schedule.KindPeriod:
		return s.w.Period
	case schedule.KindNumber, schedule.KindInteger:
		return s.w.Number
	case schedule.KindString:
		return s.w.Comparison
	}
	return 0
}

// alike tells whether one of the outputs has the kind and unit of another: then the calls that make them are the same.
func alike(outputs []schedule.Output, o *schedule.Output) bool {
	for i := range outputs {
		if p := &outputs[i]; p.Kind == o.Kind && p.Unit == o.Unit && p.List == o.List {
			return true
		}
	}
	return false
}

func artifactGoal(g goal) bool { return len(artifactKinds(g.kinds)) > 0 }

// oncePerCall keeps one derivation of each call, whichever of its outputs is read.
func oncePerCall(all []*derivation) []*derivation {
	var out []*derivation
	seen := map[int32]bool{}
	for _, d := range all {
		if k := d.callID; !seen[k] {
			seen[k] = true
			out = append(out, d)
		}
	}
	return out
}

// isVariable tells whether a name is a choice of a parameter that depends on another one, as a variable on its data set.
func isVariable(catalog schedule.Catalog, name string) bool {
	for _, sig := range catalog.Signatures() {
		for _, p := range sig.Params {
			for _, c := range p.Enum {
				if c.When != nil && strings.EqualFold(c.Value, name) {
					return true
				}
			}
		}
	}
	return false
}
