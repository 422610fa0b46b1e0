package search

import (
	"sort"
	"strings"

	"almanac/orchestrator/schedule"
)

// field returns the derivations of one answer field, best first.
func (s *searcher) field(f schedule.Field) []*derivation {
	all := s.read(f, fieldGoal(f))
	switch f.Type {
	case "number", "integer":
		all = append(all, s.compose(f, s.best(all, s.opts.Keep))...)
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
	c.own = map[string]float64{}
	for k, v := range d.own {
		c.own[k] = v
	}
	for i := range d.sig.Outputs {
		if &d.sig.Outputs[i] == d.output {
			c.own["output order"] = -0.02 * float64(i)
		}
	}
	// The field's own words speak of this field alone, the question's of all of them.
	own := s.fieldWords(f).said(d.output.Name, d.output.Aliases, d.output.Doc)
	c.own["output "+d.output.Name] = s.w.Output * max(own, 0.6*s.words.said(d.output.Name, d.output.Aliases, d.output.Doc))
	c.own["output fits"] = s.namesFacts(f, d) + s.stepFits(f, d) + s.amountFits(d)
	c.score += c.own["output order"] + c.own["output "+d.output.Name] + c.own["output fits"]
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
	c.score -= c.own["output order"]
	c.own = map[string]float64{}
	for k, v := range d.own {
		if !strings.HasPrefix(k, "output ") {
			c.own[k] = v
		} else if k != "output order" {
			c.score -= v
		}
	}
	c.choice = nil
	for _, x := range d.choice {
		if x.Field == "" {
			c.choice = append(c.choice, x)
		}
	}
	c.key = c.callKey() + "." + out.Name
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

// tally is what a combination of derivations is worth: each distinct call once, each choice once, each field's output.
type tally struct {
	terms map[string]float64
	calls map[string]bool
	uses  map[int]map[string]bool // fact → parameters that it fills, whichever call's
	facts uint64
}

func (s *searcher) tally(combo []*derivation) *tally {
	t := &tally{terms: map[string]float64{}, calls: map[string]bool{}, uses: map[int]map[string]bool{}}
	s.count(t, combo)
	return t
}

// worth is the tally of one derivation. It is asked for with each derivation, so the tables are used again.
func (s *searcher) worth(d *derivation) float64 {
	t := &s.scratch
	if t.terms == nil {
		t.terms, t.calls, t.uses = map[string]float64{}, map[string]bool{}, map[int]map[string]bool{}
	}
	clear(t.terms)
	clear(t.calls)
	clear(t.uses)
	t.facts = 0
	s.count(t, []*derivation{d})
	return t.sum(nil)
}

func (s *searcher) count(t *tally, combo []*derivation) {
	for _, d := range combo {
		t.visit(d, true)
	}
	for i, params := range t.uses {
		if n := len(params); n > 1 {
			t.terms["again "+s.in.Facts[i].Text] = -s.w.Again * float64(n-1)
		}
	}
	t.pairs(s.w.Output, combo)
}

// pairs favours the value that goes with a time that is asked for: the highest value with the time of the highest.
func (t *tally) pairs(weight float64, combo []*derivation) {
	for _, a := range combo {
		extreme, ok := strings.CutPrefix(a.output.Name, "arg")
		for _, b := range combo {
			if ok && a.composed == nil && b.composed == nil && b.output.Name == extreme && a.callKey() == b.callKey() {
				t.terms["pair of "+a.output.Name+" and "+extreme] = weight
			}
		}
	}
}

func (t *tally) visit(d *derivation, top bool) {
	t.facts |= d.facts
	if c := d.composed; c != nil {
		for k, v := range d.own {
			t.terms[k] += v
		}
		t.visit(c.left, false) // the right side's calls are the left side's once more
		return
	}
	key := d.callKey()
	fresh := !t.calls[key]
	t.calls[key] = true
	for k, v := range d.own {
		output := strings.HasPrefix(k, "output")
		switch {
		case output && top, fresh && !output && strings.HasPrefix(k, "call "), fresh && k == "unit not known":
			t.terms[k] += v
		case fresh && !output:
			t.terms[k] = max(t.terms[k], v)
			if v < 0 {
				t.terms[k] = v
			}
		}
	}
	if !fresh {
		return
	}
	for _, a := range d.args {
		if a.from != nil {
			t.visit(a.from, false)
		} else if a.fact >= 0 {
			if t.uses[a.fact] == nil {
				t.uses[a.fact] = map[string]bool{}
			}
			t.uses[a.fact][d.sig.Name+" "+a.param.Name] = true
		}
	}
}

// sum adds the terms up, with the penalties for the facts that are not used; nil facts count none.
func (t *tally) sum(penalties map[string]float64) float64 {
	for k, v := range penalties {
		t.terms[k] += v
	}
	names := make([]string, 0, len(t.terms))
	for k := range t.terms {
		names = append(names, k)
	}
	sort.Strings(names) // floating-point sums must not depend on the map's order
	sum := 0.0
	for _, k := range names {
		sum += t.terms[k]
	}
	return sum
}

// total scores a combination with what it leaves unused.
func (s *searcher) total(combo []*derivation) (float64, map[string]float64) {
	t := s.tally(combo)
	unused := map[string]float64{}
	for i, f := range s.in.Facts {
		if p := s.penalty(f); p > 0 && t.facts&(1<<i) == 0 {
			unused["unused "+f.Text] -= p
		}
	}
	if s.namesVariable && !s.opensNamed(combo) {
		unused["unused quantity"] = -s.w.Named
	}
	return t.sum(unused), t.terms
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
	w := writer{names: map[string]string{}, taken: map[string]bool{schedule.TaskName: true}}
	answer := &schedule.Answer{}
	var decisions []Decision
	for i, d := range combo {
		ref := w.ref(d)
		answer.Fields = append(answer.Fields, schedule.Arg{Name: s.in.Contract[i].Key, Value: ref})
		decisions = append(decisions, all(d)...)
	}
	w.program.Statements = append(w.program.Statements, &schedule.Statement{Body: answer})
	score, terms := s.total(combo)
	return Candidate{Program: &w.program, Text: schedule.Print(&w.program), Score: score, Terms: terms, Decisions: decisions}
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
	key := d.callKey()
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
		score[i], _ = s.total(list[i])
		order[i] = i
	}
	sort.SliceStable(order, func(i, j int) bool { return score[order[i]] > score[order[j]] })
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
