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
	"sort"
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
	Step    float64 // cost of a call that fits the request best
	Misfit  float64 // further cost of a call that does not fit it at all
	Again   float64 // cost of using a fact once more
	Vague   float64 // cost of an output whose unit is known only when it has run
	Choice  float64 // what the words say for a choice
	Named   float64 // a variable or data set that the request names
	Output  float64 // what the words say for an output's name
	Place   float64 // penalty for a place that is not used
	Number  float64
	Period  float64
	Default float64 // cost of a value other than the default
}

func (w Weights) orDefaults() Weights {
	d := Weights{Step: 0.45, Misfit: 0.6, Again: 0.3, Vague: 0.3, Choice: 0.8, Named: 1.0, Output: 0.9, Place: 0.8, Number: 0.8, Period: 0.8, Default: 0.35}
	set := func(x *float64, def float64) {
		if *x == 0 {
			*x = def
		}
	}
	set(&w.Step, d.Step)
	set(&w.Misfit, d.Misfit)
	set(&w.Again, d.Again)
	set(&w.Vague, d.Vague)
	set(&w.Choice, d.Choice)
	set(&w.Named, d.Named)
	set(&w.Output, d.Output)
	set(&w.Place, d.Place)
	set(&w.Number, d.Number)
	set(&w.Period, d.Period)
	set(&w.Default, d.Default)
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
	in       Input
	opts     Options
	w        Weights
	words    *wordSet
	fields   map[string]*wordSet
	sigs     []schedule.Signature
	units    schedule.Units
	named    map[string]bool
	memo     map[string][]*derivation
	expanded int
}

func newSearcher(in Input, opts *Options) *searcher {
	s := &searcher{in: in, words: newWordSet(in.Text), units: in.Catalog.Units(), memo: map[string][]*derivation{}, fields: map[string]*wordSet{}, named: map[string]bool{}}
	if opts != nil {
		s.opts = *opts
	}
	if s.opts.MaxDepth == 0 {
		s.opts.MaxDepth = 4
	}
	if s.opts.Keep == 0 {
		s.opts.Keep = 12
	}
	if s.opts.Candidates == 0 {
		s.opts.Candidates = 8
	}
	s.w = s.opts.Weights.orDefaults()
	for _, n := range in.Named {
		s.named[strings.ToLower(n)] = true
	}
	for _, sig := range in.Catalog.Signatures() {
		if !sig.Check && !isPicture(sig) {
			s.sigs = append(s.sigs, sig)
		}
	}
	return s
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
	if depth <= 0 {
		return nil
	}
	key := g.key(depth)
	if found, ok := s.memo[key]; ok {
		return found
	}
	s.memo[key] = nil // a goal cannot be its own sub-goal at the same depth
	var all []*derivation
	for i := range s.sigs {
		sig := &s.sigs[i]
		for j := range sig.Outputs {
			all = append(all, s.byTool(sig, &sig.Outputs[j], g, depth)...)
		}
	}
	found := s.best(all, s.opts.Keep)
	s.memo[key] = found
	return found
}

// best keeps the n best derivations, at most a few of each set of facts used, so that one that uses more of the
// request is not crowded out by variants of one that uses less.
func (s *searcher) best(all []*derivation, n int) []*derivation {
	sort.SliceStable(all, func(i, j int) bool {
		a, b := s.promise(all[i]), s.promise(all[j])
		if a != b {
			return a > b
		}
		return all[i].key < all[j].key
	})
	var out []*derivation
	seen := map[string]bool{}
	for _, d := range all {
		if len(out) == n {
			break
		}
		if !seen[d.key] {
			seen[d.key] = true
			out = append(out, d)
		}
	}
	return out
}

// promise is a derivation's score with what it would be spared for the facts that it uses.
func (s *searcher) promise(d *derivation) float64 {
	p := d.score
	for i, f := range s.in.Facts {
		if d.facts&(1<<i) != 0 {
			p += s.penalty(f)
		}
	}
	return p
}

func (s *searcher) penalty(f Fact) float64 {
	switch f.Kind {
	case schedule.KindPlace, schedule.KindBox:
		return s.w.Place
	case schedule.KindPeriod:
		return s.w.Period
	case schedule.KindNumber, schedule.KindInteger:
		return s.w.Number
	}
	return 0
}
