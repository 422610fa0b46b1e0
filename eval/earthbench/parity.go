package earthbench

import (
	"bytes"
	"encoding/json"

	"almanac/eval/internal/pyjson"
)

// PublishedFrom is the position in the gold from which on the published results were computed. Positions count from 0.
const PublishedFrom = 188

// Item is one question of the gold scored by the published rules. What is nil has no value; [Report.Reasons] says why.
type Item struct {
	Key      string `json:"-"`
	Position int    `json:"-"`
	// AnyOrder is the share of the distinct gold names that were called at all.
	AnyOrder *float64 `json:"any_order"`
	// InOrder is the share of the gold that is found, from its beginning, in the order of the calls.
	InOrder *float64 `json:"in_order"`
	// ExactMatch is the share of the gold names that the calls begin with.
	ExactMatch *float64 `json:"exact_match"`
	// Parameters is the share of the gold calls that the calls begin with, names and whole inputs equal.
	Parameters *float64 `json:"parameters"`
	// Efficiency is calls / gold calls.
	Efficiency *float64 `json:"efficiency"`
	// Answer is a letter, FAIL or UNKNOWN.
	Answer  *string `json:"answer"`
	Correct *bool   `json:"correct"`
}

// Items are in the order of the gold; as JSON they are one object by key.
type Items []Item

// MarshalJSON writes the items by key, in order.
func (items Items) MarshalJSON() ([]byte, error) {
	return ordered(len(items), func(i int) (string, any) { return items[i].Key, items[i] })
}

// ordered writes an object whose members keep their order.
func ordered(n int, member func(i int) (string, any)) ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		key, value := member(i)
		k, err := json.Marshal(key)
		if err != nil {
			return nil, err
		}
		v, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		b.Write(k)
		b.WriteByte(':')
		b.Write(v)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// Scopes are the means of the published positions and of all.
type Scopes[T any] struct {
	Published T `json:"published"`
	All       T `json:"all"`
}

// Report is a run scored by the published rules.
type Report struct {
	Items Items         `json:"items"`
	Means Scopes[Means] `json:"means"`
	// Reasons say of "item.metric", or of "scope.metric", why there is no value.
	Reasons map[string]string `json:"reasons,omitempty"`
}

// Reasons for no value.
const (
	NoCalls    = "the item is not in the run's tool calls"
	NoAnswer   = "the item is not in the run's answers"
	NoGoldCall = "the gold has no call, the run has: infinite"
	NoItem     = "no item has a value"
)

// Parity scores a run by the published rules. Items that are in neither of its files are left out.
func Parity(gold *Gold, run *Run) *Report {
	r := &Report{Reasons: map[string]string{}, Items: make(Items, 0, len(gold.items))}
	room := make([]values, len(gold.items))
	for i := range gold.items {
		g, run := &gold.items[i], &run.items[i]
		if !run.any() {
			continue
		}
		r.Items = append(r.Items, Item{Key: g.key, Position: i})
		item, v := &r.Items[len(r.Items)-1], &room[i]
		if run.hasCalls {
			item.steps(g, run.calls, v)
			if item.Efficiency == nil {
				r.Reasons[g.key+".efficiency"] = NoGoldCall
			}
		} else {
			r.Reasons[g.key+".any_order"] = NoCalls
		}
		if run.hasAnswer {
			v.answer = run.answer.letter()
			v.correct = v.answer != Fail && v.answer != Unknown && v.answer == g.answer
			item.Answer, item.Correct = &v.answer, &v.correct
		} else {
			r.Reasons[g.key+".answer"] = NoAnswer
		}
	}
	from := 0
	for from < len(r.Items) && r.Items[from].Position < PublishedFrom {
		from++
	}
	r.Means.Published = r.means("published", r.Items[from:])
	r.Means.All = r.means("all", r.Items)
	return r
}

func (a answerText) letter() string {
	switch {
	case a.isText:
		return Letter(a.text)
	case a.isEmpty:
		return Fail
	}
	return Unknown
}

// values are what an item points to: one piece of memory for all.
type values struct {
	steps   [5]float64
	answer  string
	correct bool
}

// steps scores the calls of one item.
func (item *Item) steps(g *goldItem, calls []call, to *values) {
	m := len(g.calls)
	v := &to.steps
	item.AnyOrder, item.InOrder, item.ExactMatch, item.Parameters, item.Efficiency = &v[0], &v[1], &v[2], &v[3], &v[4]
	if m == 0 { // as published: nothing was to be called, so nothing is missing; but nothing matches either
		*v = [...]float64{1, 1, 0, 1, 1}
		if len(calls) > 0 {
			item.Efficiency = nil
		}
		return
	}
	found := 0
	for _, id := range g.distinct {
		for k := range calls {
			if calls[k].name.id == id {
				found++
				break
			}
		}
	}
	inOrder := 0
	for k := 0; k < len(calls) && inOrder < m; k++ {
		if calls[k].name.id == g.calls[inOrder].name.id {
			inOrder++
		}
	}
	exact := 0
	for exact < min(m, len(calls)) && calls[exact].name.id == g.calls[exact].name.id {
		exact++
	}
	whole := 0
	for whole < min(m, len(calls)) && sameCall(&calls[whole], &g.calls[whole]) {
		whole++
	}
	of := float64(m)
	*v = [...]float64{float64(found) / float64(len(g.distinct)), float64(inOrder) / of, float64(exact) / of, float64(whole) / of, float64(len(calls)) / of}
}

// sameCall compares name and whole input. Nothing and null are one here.
func sameCall(a, b *call) bool {
	none := func(n name) bool { return n.null || n.missing }
	if none(a.name) != none(b.name) || !none(a.name) && a.name.id != b.name.id {
		return false
	}
	if isNull(a.input) || isNull(b.input) {
		return isNull(a.input) && isNull(b.input)
	}
	if a.members != nil && b.members != nil {
		return pyjson.SameMembers(a.members, b.members)
	}
	if string(a.input) == "NaN" { // which is itself only inside of something
		return false
	}
	return pyjson.Same(a.input, b.input)
}

func isNull(input []byte) bool { return input == nil || string(input) == "null" }
