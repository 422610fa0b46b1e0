package eval

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// Schedules is what a setup's schedules went through. All are counts over the episodes that count.
type Schedules struct {
	Episodes int            // that submitted a schedule
	Versions int            // submitted, revisions too
	Repaired int            // versions that the checker repaired
	Repairs  map[string]int // certain repairs, by id
	Problems map[string]int // of refused versions, by code
	// Busy and Elapsed are seconds that tools worked, and that passed while any did: their ratio is what running steps side
	// by side won. Measured, so never part of results.json.
	Busy, Elapsed float64
	// Callers counts calls by who asked for them (the author of the schedule, or of the reply) and who made them.
	Callers map[Call]int
}

// Call is who asked whom.
type Call struct{ From, To string }

// SpeedUp is Busy over Elapsed; nil where nothing was measured.
func (s Schedules) SpeedUp() *float64 {
	if s.Elapsed <= 0 {
		return nil
	}
	v := s.Busy / s.Elapsed
	return &v
}

func schedules(list []*EpisodeResult) Schedules {
	out := Schedules{Repairs: map[string]int{}, Problems: map[string]int{}, Callers: map[Call]int{}}
	for _, e := range list {
		if e.Harness {
			continue
		}
		t := e.Scores.Trace
		if len(t.Schedules) > 0 {
			out.Episodes++
		}
		for _, s := range t.Schedules {
			out.Versions++
			if s.Repaired {
				out.Repaired++
			}
			for _, r := range s.Repairs {
				out.Repairs[r.ID]++
			}
			for _, p := range s.Problems {
				out.Problems[p.Code]++
			}
		}
		sums := e.Scores.calls
		for c, n := range sums.callers {
			out.Callers[c] += n
		}
		out.Busy, out.Elapsed = out.Busy+sums.busy, out.Elapsed+sums.elapsed
	}
	return out
}

// callSums is what [Schedules] sums of an episode's calls.
type callSums struct {
	callers       map[Call]int
	busy, elapsed float64
}

func sumCalls(t *Trace) callSums {
	out := callSums{callers: map[Call]int{}}
	var spans []Span
	for _, c := range t.Calls {
		span := t.Spans[c.ID]
		from := span.From
		if from == "" {
			from = "engine"
		}
		out.callers[Call{from, c.Agent}]++
		if r := t.Results[c.ID]; r != nil && !c.Memo && !span.Ended.IsZero() {
			spans = append(spans, span)
		}
	}
	out.busy, out.elapsed = overlap(spans)
	return out
}

// overlap sums spans: each by itself, and the time that any of them covers.
func overlap(spans []Span) (busy, covered float64) {
	slices.SortFunc(spans, func(a, b Span) int { return a.Began.Compare(b.Began) })
	var end time.Time
	for _, s := range spans {
		if s.Ended.Before(s.Began) {
			continue // a clock that was set back
		}
		busy += s.Ended.Sub(s.Began).Seconds()
		from := s.Began
		if from.Before(end) {
			from = end
		}
		if s.Ended.After(from) {
			covered += s.Ended.Sub(from).Seconds()
			end = s.Ended
		}
	}
	return busy, covered
}

func (s Schedules) object() object {
	o := object{{"episodes", s.Episodes}, {"versions", s.Versions}, {"repaired", s.Repaired}, {"repairs", counts(s.Repairs)},
		{"problems", counts(s.Problems)}}
	calls := []object{}
	for _, c := range s.Pairs() {
		calls = append(calls, object{{"from", c.From}, {"to", c.To}, {"calls", s.Callers[c]}})
	}
	o.set("calls", calls)
	return o
}

// Pairs returns who asked whom, sorted.
func (s Schedules) Pairs() []Call {
	return slices.SortedFunc(maps.Keys(s.Callers), func(a, b Call) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
}

func counts(m map[string]int) object {
	out := object{}
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out.set(k, m[k])
	}
	return out
}
