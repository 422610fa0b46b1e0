package metric

import "slices"

// Gold is one gold schedule as executed: its calls in the order of its text, and the outputs bound to answer fields.
type Gold struct {
	Calls    []Call
	Answered []Origin
}

// Case is one episode made ready to be scored. Make it with [NewCase].
type Case struct {
	// Decline says that the right answer is to decline; Declined that the episode did.
	Decline, Declined bool
	// Predicted and Gold are the calls that count; Gold is of the gold schedule with the highest correctness rate,
	// number GoldIndex of those given (-1 without gold).
	Predicted, Gold []Call
	GoldIndex       int
	// Matched says of each call in Gold whether a successful predicted call is the same; MatchedBy its index in
	// Predicted, or -1.
	Matched   []bool
	MatchedBy []int
	// Fields are the answer fields as scored by [ScoreFields].
	Fields []FieldScore
	// Missing lists the required effects that are not there.
	Missing []string
	// Schedules are the versions that were submitted, in order; none for a setup that works in a loop.
	Schedules []Submitted
	// Objects is nil unless the task asks to detect objects.
	Objects *Objects

	m       *matcher
	aligned [][2]int // of Predicted and Gold, see align
}

// Evidence is what a case is made of.
type Evidence struct {
	Decline, Declined bool
	Calls             []Call
	Answered          []Origin
	Gold              []Gold
	Fields            []FieldScore
	Missing           []string
	Schedules         []Submitted
	Objects           *Objects
	Convert           Converter
}

// NewCase matches an episode with each gold schedule and keeps the one with the highest correctness rate; of equal
// ones the first.
func NewCase(e Evidence) *Case {
	p := NewTrace(e.Calls, e.Answered)
	best := &Case{GoldIndex: -1, Predicted: p.Counted()}
	if e.Convert == nil {
		e.Convert = func(v float64, from, to string, _ bool) (float64, error) { return v, errUnits(from, to) }
	}
	rate := -1.0
	for i, g := range e.Gold {
		c := match(newMatcher(p, NewTrace(g.Calls, g.Answered), e.Convert))
		if r := share(count(c.Matched), len(c.Gold)); r > rate {
			rate, best = r, c
			best.GoldIndex = i
		}
	}
	best.Decline, best.Declined = e.Decline, e.Declined
	best.Fields, best.Missing = e.Fields, e.Missing
	best.Schedules, best.Objects = e.Schedules, e.Objects
	return best
}

type errUnit string

func (e errUnit) Error() string { return string(e) }

func errUnits(from, to string) error {
	return errUnit("metric: no conversion from " + from + " to " + to)
}

func match(m *matcher) *Case {
	c := &Case{m: m, Predicted: m.p.Counted(), Gold: m.g.Counted()}
	c.Matched = make([]bool, len(c.Gold))
	c.MatchedBy = make([]int, len(c.Gold))
	for k, j := range m.g.counted {
		c.MatchedBy[k] = slices.IndexFunc(m.p.counted, func(i int) bool {
			return m.p.calls[i].Success && m.same(i, j)
		})
		c.Matched[k] = c.MatchedBy[k] >= 0
	}
	c.aligned = align(c.Predicted, c.Gold)
	return c
}

// same reports whether predicted call i is gold call j, whether it succeeded or not.
func (c *Case) same(i, j int) bool { return c.m.same(c.m.p.counted[i], c.m.g.counted[j]) }

func count(flags []bool) int {
	n := 0
	for _, f := range flags {
		if f {
			n++
		}
	}
	return n
}

func share(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}

func groups(calls []Call) []string {
	out := make([]string, len(calls))
	for i, c := range calls {
		out[i] = c.Group
	}
	return out
}

// multiset is the size of the intersection of two lists as multisets.
func multiset(a, b []string) int {
	left := map[string]int{}
	for _, s := range a {
		left[s]++
	}
	n := 0
	for _, s := range b {
		if left[s] > 0 {
			left[s]--
			n++
		}
	}
	return n
}
