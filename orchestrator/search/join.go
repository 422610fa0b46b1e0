package search

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"almanac/orchestrator/schedule"
)

// field returns the derivations of one answer field, best first.
func (s *searcher) field(f schedule.Field) []*derivation {
	all := s.read(f, fieldGoal(f))
	switch f.Type {
	case "number", "integer":
		parts := all
		if f.Quantity == "difference" { // is made of values that are none
			value := f
			value.Quantity = ""
			parts = s.read(value, fieldGoal(f))
		}
		all = append(all, s.compose(f, s.best(parts, s.opts.Keep))...)
	case "text", "place", "boolean":
		numbers := s.read(f, goal{kinds: []string{schedule.KindScalar}})
		all = append(all, s.compose(f, s.best(numbers, s.opts.Keep))...)
	}
	return s.best(all, 2*s.opts.Keep)
}

// read adds what the words say for the outputs. The best derivations of a goal were kept by what they cost; among the
// outputs of one call the words decide, so each call is looked at with every output that fits.
func (s *searcher) read(f schedule.Field, g goal) []*derivation {
	var all []*derivation
	seen := map[string]bool{}
	for _, d := range s.solve(g, s.opts.MaxDepth) {
		all = append(all, s.asField(d, f))
		seen[d.key] = true
	}
	for _, d := range all {
		for i := range d.sig.Outputs {
			if o := s.sibling(d, &d.sig.Outputs[i], f, g); o != nil && !seen[o.key] {
				seen[o.key] = true
				all = append(all, o)
			}
		}
	}
	return all
}

func fieldGoal(f schedule.Field) goal {
	switch f.Type {
	case "number", "integer", "angle":
		return goal{kinds: []string{schedule.KindScalar}, unit: f.Unit}
	case "instant", "period":
		return goal{kinds: []string{schedule.KindInstant}}
	case "boolean":
		return goal{kinds: []string{schedule.KindBoolean}}
	}
	return goal{kinds: []string{schedule.KindText, schedule.KindInstant, schedule.KindString}}
}

// asField adds what the words say for the output that is read.
func (s *searcher) asField(d *derivation, f schedule.Field) *derivation {
	c := *d
	order := 0.0
	for i := range d.sig.Outputs {
		if &d.sig.Outputs[i] == d.output {
			order = -0.02 * float64(i)
		}
	}
	// The field's own words speak of this field alone, the question's of all of them.
	own := s.fieldWords(f).said(d.output.Name, d.output.Aliases, d.output.Doc)
	said := s.w.Output * max(own, 0.6*s.words.said(d.output.Name, d.output.Aliases, d.output.Doc))
	fits, quantity := s.namesFacts(f, d)+s.stepFits(f, d)+s.amountFits(d), s.quantityFits(f, d)
	c.own = append(append(make(terms, 0, len(d.own)+4), d.own...),
		term{s.names.of(quantityOfOutput), ofOutput, quantity},
		term{s.names.of("output order"), ofOutput, order},
		term{s.names.of("output " + d.output.Name), ofOutput, said},
		term{s.names.of("output fits"), ofOutput, fits})
	c.score += order + said + fits + quantity
	c.choice = append(append([]Decision(nil), d.choice...),
		Decision{Kind: "tool", Field: f.Key, At: f.Key, Chosen: d.sig.Name, Doc: d.sig.Doc},
		Decision{Kind: "output", Field: f.Key, At: f.Key, Chosen: d.output.Name, Doc: d.output.Doc})
	return &c
}

// sibling is the same call read at another output, when that fits the field too.
func (s *searcher) sibling(d *derivation, out *schedule.Output, f schedule.Field, g goal) *derivation {
	if out == d.output || out.List || !has(g.kinds, out.Kind) || strings.HasPrefix(out.Kind, "@") {
		return nil
	}
	unit := out.Unit
	if strings.HasPrefix(unit, "@") {
		if out.Unit != d.output.Unit {
			return nil
		}
		unit = d.unit
	}
	if g.unit != "" && unit != "" && !s.answers(unit, g.unit) {
		return nil
	}
	c := *d
	c.output, c.unit = out, unit
	c.own = nil
	vague := s.names.of(vagueOutput)
	for _, t := range d.own {
		switch {
		case t.class != ofOutput, t.id == vague && unit == "" && g.unit != "":
			c.own = append(c.own, t)
		default:
			c.score -= t.value
		}
	}
	c.choice = nil
	for _, x := range d.choice {
		if x.Field == "" {
			c.choice = append(c.choice, x)
		}
	}
	s.identify(&c)
	return s.asField(&c, f)
}

// join combines one derivation for each field into programs. Calls that two fields share are made and paid once.
func (s *searcher) join(perField [][]*derivation) (out []Candidate, refusal error) {
	combos := [][]*derivation{nil}
	for _, ds := range perField {
		var next [][]*derivation
		for _, combo := range combos {
			for _, d := range ds {
				next = append(next, append(append([]*derivation(nil), combo...), d))
			}
		}
		combos = s.bestCombos(next, 3*s.opts.Candidates)
	}
	seen := map[string]bool{}
	var refused error // of a program that opens what the request names
	opens := false
	for _, combo := range combos {
		c := s.candidate(combo)
		if seen[c.Text] {
			continue
		}
		seen[c.Text] = true
		if s.in.Legal != nil {
			if err := s.in.Legal(c.Program); err != nil {
				if refusal == nil {
					refusal = err
				}
				if refused == nil && s.namesVariable && s.opensNamed(combo) {
					refused = err
				}
				continue
			}
		}
		opens = opens || s.opensNamed(combo)
		out = append(out, c)
		if len(out) == s.opts.Candidates {
			break
		}
	}
	if refused != nil && !opens {
		return nil, refused // what is named is not to be had: another variable is no answer
	}
	return out, refusal
}

// total scores a combination with what it leaves unused. The terms stay in the tally until the next one.
func (s *searcher) total(combo []*derivation) float64 {
	t := &s.tally
	t.reset()
	s.count(t, combo)
	for i, f := range s.in.Facts {
		if p := s.penalty(f); p > 0 && t.facts&(1<<i) == 0 {
			t.add(s.names.of("unused "+f.Text), -p)
		}
	}
	if s.namesVariable && !s.opensNamed(combo) {
		t.add(s.names.of("unused quantity"), -s.w.Named)
	}
	return t.sum()
}

// opensNamed tells whether a variable that the request names is opened on the way to some field.
func (s *searcher) opensNamed(combo []*derivation) bool {
	for _, d := range combo {
		if d.opens(s.named) {
			return true
		}
	}
	return false
}

func (d *derivation) opens(named map[string]bool) bool {
	if d.composed != nil {
		return d.composed.left.opens(named)
	}
	if d.variable != "" && named[strings.ToLower(d.variable)] {
		return true
	}
	for _, a := range d.args {
		if a.from != nil && a.from.opens(named) {
			return true
		}
	}
	return false
}

func (s *searcher) candidate(combo []*derivation) Candidate {
	w := writer{names: maps.Clone(s.stepNames), taken: map[string]bool{schedule.TaskName: true}}
	for _, step := range s.in.Written {
		w.taken[step.Name] = true
	}
	answer := &schedule.Answer{}
	var decisions []Decision
	for i, d := range combo {
		ref := w.ref(d)
		answer.Fields = append(answer.Fields, schedule.Arg{Name: s.in.Contract[i].Key, Value: ref})
		decisions = append(decisions, all(d)...)
	}
	w.program.Statements = append(w.program.Statements, &schedule.Statement{Body: answer})
	score := s.total(combo)
	return Candidate{Program: &w.program, Text: schedule.Print(&w.program), Score: score, Terms: s.tally.terms(&s.names), Decisions: decisions}
}

// all are the decisions of a derivation and of what it is made of.
func all(d *derivation) []Decision {
	out := append([]Decision(nil), d.choice...)
	if d.composed != nil {
		return append(out, all(d.composed.left)...)
	}
	for _, a := range d.args {
		if a.from != nil {
			out = append(out, Decision{Kind: "tool", At: a.param.Name, Chosen: a.from.sig.Name, Doc: a.from.sig.Doc})
			out = append(out, all(a.from)...)
		}
	}
	return out
}

// writer turns derivations into statements.
type writer struct {
	program schedule.Program
	names   map[string]string // call → name
	taken   map[string]bool
}

func (w *writer) ref(d *derivation) *schedule.Ref {
	key := d.call
	name, ok := w.names[key]
	if d.composed != nil {
		if !ok {
			body := d.composed.expr(w)
			name = w.unique("result")
			w.names[key] = name
			w.program.Statements = append(w.program.Statements, &schedule.Statement{Name: name, Body: body})
		}
		return &schedule.Ref{Name: name}
	}
	if !ok {
		call := &schedule.Call{}
		call.Agent, call.Tool, _ = strings.Cut(d.sig.Name, ".")
		for _, a := range d.args {
			arg := schedule.Arg{Name: a.param.Name, Value: a.expr}
			if a.from != nil {
				arg.Value = w.ref(a.from)
			}
			call.Args = append(call.Args, arg)
		}
		name = w.name(d)
		w.names[key] = name
		w.program.Statements = append(w.program.Statements, &schedule.Statement{Name: name, Body: call})
	}
	return &schedule.Ref{Name: name, Field: d.output.Name}
}

// name calls a step after the variable it opens, else after its tool.
func (w *writer) name(d *derivation) string {
	_, base, _ := strings.Cut(d.sig.Name, ".")
	for _, a := range d.args {
		if s, ok := a.expr.(*schedule.String); ok && a.param.Name == "variable" {
			base = s.Value
		}
	}
	return w.unique(base)
}

func (w *writer) unique(base string) string {
	name := base
	for i := 2; w.taken[name]; i++ {
		name = base + "_" + string(rune('0'+i%10))
	}
	w.taken[name] = true
	return name
}

// namesFacts favours a derivation that uses the facts that the field's own words name, and no other of their kind: the mean
// of Kenya for the field kenya_mean.
func (s *searcher) namesFacts(f schedule.Field, d *derivation) float64 {
	words := s.fieldWords(f)
	v := 0.0
	for i, fact := range s.in.Facts {
		if s.penalty(fact) == 0 || words.covers(fact.Text) < 1 {
			continue
		}
		if d.facts&(1<<i) != 0 {
			v += 0.5
		} else {
			v -= 0.5
		}
	}
	return v
}

const quantityOfOutput = "output's quantity"

// quantityFits favours a difference where one is asked for, and a value where none is: a temperature is no change of one. A
// count is no share.
func (s *searcher) quantityFits(f schedule.Field, d *derivation) float64 {
	v := 0.0
	if f.Quantity == "difference" {
		v = -s.w.Suits
		if d.output.Difference {
			v = s.w.Suits
		}
	}
	if d.output.Whole && f.Type == "number" && (f.Unit == "%" || s.words.any(optionShare)) {
		v -= s.w.Choice
	}
	return v
}

// optionShare are words that ask for a part of a whole.
var optionShare = []string{"share", "fraction", "percent", "percentage", "proportion"}

// amountFits favours the sum of amounts of a time step over their mean where the words do not ask for the mean: how much
// it rained in a month is the sum of its days.
func (s *searcher) amountFits(d *derivation) float64 {
	if !s.in.Amounts[d.variable] || s.words.any(optionWords["mean"]) {
		return 0
	}
	switch d.output.Name {
	case "sum":
		return s.w.Suits
	case "mean":
		return -s.w.Suits
	}
	return 0
}

// fieldWords are the words of a field's key and description.
func (s *searcher) fieldWords(f schedule.Field) *wordSet {
	w, ok := s.fields[f.Key]
	if !ok {
		w = s.words.with(strings.ReplaceAll(f.Key, "_", " ") + " " + f.Description)
		s.fields[f.Key] = w
	}
	return w
}

func (s *searcher) bestCombos(list [][]*derivation, n int) [][]*derivation {
	score := make([]float64, len(list))
	order := make([]int, len(list))
	for i := range list {
		score[i] = s.total(list[i])
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(score[j], score[i]) })
	out := make([][]*derivation, min(n, len(list)))
	for i := range out {
		out[i] = list[order[i]]
	}
	return out
}

// stepFits favours a time step that the request asks for: a month where it asks which month.
func (s *searcher) stepFits(f schedule.Field, d *derivation) float64 {
	want := resolution(s.in.Text, false)
	if f.Type == "instant" {
		if own := resolution(strings.ReplaceAll(f.Key, "_", " ")+" "+f.Description, true); own != "" {
			want = own
		}
	}
	got := strings.TrimPrefix(d.frequency, "climatological_")
	switch {
	case want == "" || got == "":
		return 0
	case want == got:
		return s.w.Resolution
	}
	if f.Type == "instant" {
		return -2 * s.w.Resolution // a day is no month
	}
	return -s.w.Resolution / 2
}
