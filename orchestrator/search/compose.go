package search

import (
	"regexp"

	"almanac/orchestrator/schedule"
)

// How two values of one kind are put together.
const (
	opDifference = "-"
	opRatio      = "/"
	opGreater    = ">"
	opLess       = "<"
	opChoose     = "choose" // the name of the place with the larger (or smaller) value
)

// composed is a value made of two derivations of the same form, such as the mean of one place minus that of another.
type composed struct {
	op          string
	left, right *derivation
	names       [2]schedule.Expr // of opChoose: what is chosen between
	less        bool             // of opChoose: the smaller one is meant
	number      *argument        // of a comparison with a number of the request: it stands in place of right
}

// words that ask for two values to be put together. They are everyday English, as in saidFor.
var (
	wordsDifference = []string{"difference", "differ", "than", "gap", "contrast", "compare", "compared", "change", "changed", "rise", "risen", "rose", "fall", "fallen", "fell", "increase", "decrease", "minus", "between"}
	wordsRatio      = []string{"ratio", "times", "percent", "share", "proportion", "twice", "fold"}
	wordsLess       = []string{"colder", "cooler", "lower", "less", "drier", "fewer", "smaller", "weaker", "lowest", "coldest", "least", "smallest", "shorter", "nearer", "closer"}
	wordsChange     = []string{"change", "changed", "rise", "risen", "rose", "increase", "increased", "grow", "grown", "grew", "fall", "fallen", "fell", "decrease", "decreased", "since"}
)

// compose adds the derivations that put two values together where the request names two places or two periods, and the
// comparisons of a value with a number where a truth value is wanted.
func (s *searcher) compose(f schedule.Field, simple []*derivation) []*derivation {
	var out []*derivation
	for _, d := range simple {
		for i := range s.in.Facts {
			if d.facts&(1<<i) == 0 {
				continue
			}
			for j := i + 1; j < len(s.in.Facts); j++ {
				if d.facts&(1<<j) != 0 || !s.alike(i, j) {
					continue
				}
				if other := s.substitute(d, i, j); other != nil {
					out = append(out, s.pair(f, d, other, i, j)...)
				}
			}
		}
		if f.Type == "boolean" {
			out = append(out, s.against(d)...)
		}
	}
	return out
}

// alike tells whether one fact can stand where the other does.
func (s *searcher) alike(i, j int) bool {
	a, b := s.in.Facts[i], s.in.Facts[j]
	if a.Kind != b.Kind || a.Param != b.Param || a.Aside != b.Aside {
		return false
	}
	switch a.Kind {
	case schedule.KindPlace:
		return a.HasArea == b.HasArea
	case schedule.KindPeriod, schedule.KindBox:
		return true
	}
	return false
}

// substitute rewrites a derivation with fact j in the place of fact i; nil when a call takes care of i by itself.
func (s *searcher) substitute(d *derivation, i, j int) *derivation {
	c := *d
	c.args = make([]argument, len(d.args))
	found := false
	for k, a := range d.args {
		switch {
		case a.fact == i:
			ref := s.in.Facts[j].Ref
			a.expr, a.fact, found = &ref, j, true
		case a.from != nil && a.from.facts&(1<<i) != 0:
			if a.from = s.substitute(a.from, i, j); a.from == nil {
				return nil
			}
			found = true
		}
		c.args[k] = a
	}
	if !found {
		return nil
	}
	c.facts = d.facts&^(1<<i) | 1<<j
	s.identify(&c)
	return &c
}

// bounds are comparisons with a number. "at least 2,000,000" says nothing of which of two values is the lesser.
var bounds = regexp.MustCompile(`(?i)\b(at (least|most)|(less|more|fewer|greater|lower|higher|colder|warmer) than\s+[-\d])`)

// less tells whether the request asks for the lesser of two values, or how much less one is.
func (s *searcher) less() bool {
	return s.words.with(bounds.ReplaceAllString(s.in.Text, " ")).any(wordsLess)
}

// pair makes what the field's type allows of two values.
func (s *searcher) pair(f schedule.Field, a, b *derivation, i, j int) []*derivation {
	less := s.less()
	switch f.Type {
	case "number", "integer":
		return s.numbers(f, a, b, i, j, less)
	case "boolean":
		op := opGreater
		if less {
			op = opLess
		}
		return []*derivation{s.joined(composed{op: op, left: a, right: b}, 0.2, f.Unit)}
	case "text", "place":
		fa, fb := s.in.Facts[i], s.in.Facts[j]
		if fa.Kind != schedule.KindPlace {
			return nil
		}
		ra, rb := fa.Ref, fb.Ref
		return []*derivation{s.joined(composed{op: opChoose, left: a, right: b, less: less, names: [2]schedule.Expr{&ra, &rb}}, 0.2, "")}
	}
	return nil
}

func (s *searcher) numbers(f schedule.Field, a, b *derivation, i, j int, less bool) []*derivation {
	changes := s.in.Facts[i].Kind == schedule.KindPeriod && s.words.any(wordsChange)
	if changes || less {
		a, b = b, a // from the first period to the second; how much lower the first is
	}
	var out []*derivation
	if a.unit == "" || f.Unit == "" || s.units.Convertible(a.unit, f.Unit) {
		bonus := -0.5
		if f.Quantity == "difference" || s.words.any(wordsDifference) {
			bonus = 0.3
		}
		if f.Quantity == "difference" {
			bonus += s.w.Suits // as quantityFits has it
		}
		out = append(out, s.joined(composed{op: opDifference, left: a, right: b}, bonus, a.unit))
	}
	if s.words.any(wordsRatio) && (f.Unit == "" || s.units.Convertible(f.Unit, "1")) {
		out = append(out, s.joined(composed{op: opRatio, left: a, right: b}, 0.3, "1"))
	}
	return out
}

// against compares a value with a number that the request states.
func (s *searcher) against(d *derivation) []*derivation {
	var out []*derivation
	for i, f := range s.in.Facts {
		if f.Kind != schedule.KindNumber || d.facts&(1<<i) != 0 || d.output.Kind != schedule.KindScalar {
			continue
		}
		if f.Unit != "" && d.unit != "" && !s.units.Convertible(f.Unit, d.unit) {
			continue
		}
		op := opGreater
		if s.words.any(wordsLess) || s.words.any([]string{"below", "under"}) {
			op = opLess
		}
		ref := f.Ref
		c := s.joined(composed{op: op, left: d, number: &argument{expr: &ref, fact: i}}, 0.2, "")
		c.facts |= 1 << i
		out = append(out, c)
	}
	return out
}

// joined is the derivation of a composed value. The second value's calls are the first's once more: they are not paid
// again.
func (s *searcher) joined(c composed, bonus float64, unit string) *derivation {
	d := &derivation{output: c.left.output, composed: &c, facts: c.left.facts, unit: unit, choice: c.left.choice, variable: c.left.variable, frequency: c.op + c.left.frequency}
	d.score = c.left.score + bonus
	for _, t := range c.left.own {
		if t.class == ofOutput {
			d.own = append(d.own, t)
		}
	}
	d.own = append(d.own, term{s.names.of("composed " + c.op), ofOutput, bonus})
	if c.right != nil {
		d.facts |= c.right.facts
	}
	s.identify(d)
	return d
}

func (c *composed) key() string {
	right := ""
	if c.right != nil {
		right = c.right.key
	} else {
		right = schedule.Text(c.number.expr)
	}
	return c.op + "(" + c.left.key + "," + right + ")"
}

// expr writes the composed value, with references to the calls.
func (c *composed) expr(w *writer) schedule.Body {
	left := w.ref(c.left)
	var right schedule.Expr
	if c.right != nil {
		right = w.ref(c.right)
	} else {
		right = c.number.expr
	}
	switch c.op {
	case opGreater, opLess:
		return &schedule.Computed{Expr: &schedule.Compare{Op: c.op, X: left, Y: right}}
	case opChoose:
		op := opGreater
		if c.less {
			op = opLess
		}
		return &schedule.Guarded{Cond: &schedule.Compare{Op: op, X: left, Y: right}, Then: c.names[0], Else: c.names[1]}
	}
	return &schedule.Computed{Expr: &schedule.Binary{Op: c.op, X: left, Y: right}}
}

// any reports whether the text has one of the words.
func (w *wordSet) any(words []string) bool {
	for _, x := range words {
		if w.covers(x) == 1 {
			return true
		}
	}
	return false
}
