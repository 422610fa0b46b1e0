package search

import (
	"slices"
	"strings"

	"almanac/orchestrator/schedule"
)

// A score is a sum of terms. Derivations are made by the ten thousand and each is weighed, so terms have numbers instead
// of names while the search runs; the names are for people, with the candidates that are left.

// termNames numbers the names of terms.
type termNames struct {
	ids  map[string]int32
	list []string
}

func (n *termNames) of(name string) int32 {
	id, ok := n.ids[name]
	if !ok {
		if n.ids == nil {
			n.ids = map[string]int32{}
		}
		id = int32(len(n.list))
		n.ids[name], n.list = id, append(n.list, name)
	}
	return id
}

// class says how often a term counts where a program has it several times.
type class uint8

const (
	ofChoice class = iota // once, however often the choice is made
	ofCall                // with each call
	ofOutput              // with each field that reads it
)

// term is a part of a score.
type term struct {
	id    int32
	class class
	value float64
}

type terms []term

// add adds to a term that is there, or appends it.
func (t terms) add(id int32, c class, v float64) terms {
	for i := range t {
		if t[i].id == id {
			t[i].value += v
			return t
		}
	}
	return append(t, term{id, c, v})
}

const vagueOutput = "output unit not known"

// use is a parameter of a tool that a fact fills.
type use struct {
	fact  int
	sig   *schedule.Signature
	param *schedule.Param
}

// tally is what a combination of derivations is worth: each distinct call once, each choice once, each field's output.
type tally struct {
	value   []float64 // by term
	has     []bool
	touched []int32
	calls   []int32
	uses    []use
	facts   uint64
}

func (t *tally) reset() {
	for _, id := range t.touched {
		t.has[id] = false
	}
	t.touched, t.calls, t.uses, t.facts = t.touched[:0], t.calls[:0], t.uses[:0], 0
}

// at is a term's value, 0 when it is new.
func (t *tally) at(id int32) *float64 {
	for int(id) >= len(t.value) {
		t.value, t.has = append(t.value, 0), append(t.has, false)
	}
	if !t.has[id] {
		t.has[id], t.value[id] = true, 0
		t.touched = append(t.touched, id)
	}
	return &t.value[id]
}

func (t *tally) add(id int32, v float64) { *t.at(id) += v }

// sum adds the terms up. Floating-point sums depend on the order, so that is the terms', not the program's.
func (t *tally) sum() float64 {
	slices.Sort(t.touched)
	sum := 0.0
	for _, id := range t.touched {
		sum += t.value[id]
	}
	return sum
}

// terms are the terms by name.
func (t *tally) terms(names *termNames) map[string]float64 {
	out := make(map[string]float64, len(t.touched))
	for _, id := range t.touched {
		out[names.list[id]] = t.value[id]
	}
	return out
}

// worth is the tally of one derivation.
func (s *searcher) worth(d *derivation) float64 {
	t := &s.tally
	t.reset()
	s.one[0] = d
	s.count(t, s.one[:])
	return t.sum()
}

func (s *searcher) count(t *tally, combo []*derivation) {
	for _, d := range combo {
		t.visit(d, true)
	}
	for i := range s.in.Facts {
		n := 0
		for _, u := range t.uses {
			if u.fact == i {
				n++
			}
		}
		if n > 1 {
			t.add(s.names.of("again "+s.in.Facts[i].Text), -s.w.Again*float64(n-1))
		}
	}
	s.pairs(t, combo)
}

// pairs favours the value that goes with a time that is asked for: the highest value with the time of the highest.
func (s *searcher) pairs(t *tally, combo []*derivation) {
	for _, a := range combo {
		extreme, ok := strings.CutPrefix(a.output.Name, "arg")
		for _, b := range combo {
			if ok && a.composed == nil && b.composed == nil && b.output.Name == extreme && a.callID == b.callID {
				*t.at(s.names.of("pair of " + a.output.Name + " and " + extreme)) = s.w.Output
			}
		}
	}
}

// visit counts a derivation and what it is made of; top is one that a field reads.
func (t *tally) visit(d *derivation, top bool) {
	t.facts |= d.facts
	if c := d.composed; c != nil {
		for _, o := range d.own {
			t.add(o.id, o.value)
		}
		t.visit(c.left, false) // the right side's calls are the left side's once more
		return
	}
	fresh := !slices.Contains(t.calls, d.callID)
	for _, o := range d.own {
		switch {
		case o.class == ofOutput && top, o.class == ofCall && fresh:
			t.add(o.id, o.value)
		case o.class == ofChoice && fresh:
			v := t.at(o.id)
			*v = max(*v, o.value)
			if o.value < 0 {
				*v = o.value
			}
		}
	}
	if !fresh {
		return
	}
	t.calls = append(t.calls, d.callID)
	for _, a := range d.args {
		if a.from != nil {
			t.visit(a.from, false)
		} else if u := (use{a.fact, d.sig, a.param}); a.fact >= 0 && !slices.Contains(t.uses, u) {
			t.uses = append(t.uses, u)
		}
	}
}
