package orchestrator

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"almanac/orchestrator/episode"
	"almanac/orchestrator/event"
	"almanac/orchestrator/schedule"
	"almanac/orchestrator/search"
)

// Recaller is a memory of workflows that worked.
type Recaller interface {
	// Recall returns what is remembered of requests like this one, best first; none where nothing fits.
	Recall(ctx context.Context, request string) ([]Example, error)
}

// Limiter is a Recaller that can be cut down to fewer entries, for the ablation of its size.
type Limiter interface {
	// Limited is the same memory with its n most useful entries only.
	Limited(n int) Recaller
}

// Example is a workflow that worked. Nothing in it is a value of the request that it came from: what was a place, a
// period or a number there is a slot (task.place) here.
type Example struct {
	ID       string
	Request  string   // in words, with slots
	Schedule string   // the schedule, with slots
	Avoid    []string // what did not work, a line each
	Score    float64
	State    string // of the memory: seeded or online; "" where it does not say
}

// Examples shown to a model: few to a small one, which copies what it sees.
const (
	fewExamples  = 2
	manyExamples = 3
	manyFrom     = 4e9 // parameters
)

// remembered is a memory as a setup uses it. A nil one is no memory at all: nothing is said about it.
type remembered struct{ from Recaller }

// recall asks the memory and logs what came of it, an empty memory included.
func (m *remembered) recall(ctx context.Context, ep *episode.Episode) ([]Example, error) {
	if m == nil {
		return nil, nil
	}
	var found []Example
	if m.from != nil {
		var err error
		if found, err = m.from.Recall(ctx, ep.Request.Text()); err != nil {
			return nil, fmt.Errorf("orchestrator: recalling: %w", err)
		}
	}
	limit := fewExamples
	if ep.ModelSize(ctx) >= manyFrom {
		limit = manyExamples
	}
	found = found[:min(limit, len(found))]
	hits := []event.MemoryHit{{State: event.MemoryEmpty}}
	if len(found) > 0 {
		hits = nil
	}
	for _, e := range found {
		hits = append(hits, event.MemoryHit{Entry: e.ID, Score: e.Score, State: e.State})
	}
	for i := range hits {
		if _, err := ep.Emit("engine", 0, event.TypeMemoryHit, &hits[i]); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// text is what a model is shown of the memory before the question; "" where there is nothing.
func (m *remembered) text(ctx context.Context, ep *episode.Episode) (string, error) {
	found, err := m.recall(ctx, ep)
	if err != nil || len(found) == 0 {
		return "", err
	}
	return shownExamples(found), nil
}

// memoryBonus puts a remembered schedule before those that the search found.
const memoryBonus = 0.5

// remember puts the remembered schedules that pass the checker for this request before what the search found. A request
// that the search declined since the data lack something stays declined.
func (p *slotPlanner) remember(ctx context.Context) error {
	found, err := p.memory.recall(ctx, p.ep)
	if err != nil || len(p.candidates) == 0 {
		return err
	}
	for i := len(found) - 1; i >= 0; i-- {
		if program := p.fitted(found[i].Schedule); program != nil && p.legal(program) == nil {
			p.prefer(program, p.candidates[0].Score+memoryBonus)
		}
	}
	return nil
}

// fitted is a remembered schedule that answers this request's fields; nil where it does not pass the checker. Its own
// keys are another asker's: by their places they stand for this request's, in the one order that passes.
func (p *slotPlanner) fitted(text string) *schedule.Program {
	contract := p.ep.Request.Contract
	program, problems := schedule.Parse(text)
	if len(schedule.Errors(problems)) > 0 || program.Answer() == nil || len(program.Answer().Fields) != len(contract) {
		return nil
	}
	var fits *schedule.Program
	for _, order := range permutations(len(contract)) {
		c := program.Clone()
		for i, j := range order {
			c.Answer().Fields[i].Name = contract[j].Key
		}
		if len(schedule.Errors(schedule.Check(c, p.catalog(), contract, p.slots, nil))) > 0 {
			continue
		}
		if fits != nil && !sameKeys(program, contract) {
			return nil // two ways to answer: the memory does not say which
		}
		if fits == nil || keysInOrder(program, c) {
			fits = c
		}
	}
	return fits
}

// maxPermuted is how many answer fields are tried in every order.
const maxPermuted = 4

// permutations of 0 to n-1, the given order first; beyond maxPermuted only that.
func permutations(n int) [][]int {
	given := make([]int, n)
	for i := range given {
		given[i] = i
	}
	if n > maxPermuted {
		return [][]int{given}
	}
	out := [][]int{{}}
	for range n {
		var next [][]int
		for _, head := range out {
			for x := range n {
				if !slices.Contains(head, x) {
					next = append(next, append(slices.Clone(head), x))
				}
			}
		}
		out = next
	}
	return out
}

// sameKeys tells whether a program answers the very fields of a contract.
func sameKeys(p *schedule.Program, contract schedule.Contract) bool {
	for _, f := range p.Answer().Fields {
		if !slices.ContainsFunc(contract, func(c schedule.Field) bool { return c.Key == f.Name }) {
			return false
		}
	}
	return true
}

// keysInOrder tells whether two programs answer the same fields in the same order.
func keysInOrder(a, b *schedule.Program) bool {
	return slices.EqualFunc(a.Answer().Fields, b.Answer().Fields, func(x, y schedule.Arg) bool { return x.Name == y.Name })
}

// prefer gives a program that score and puts it first; one that the search found too keeps its decisions.
func (p *slotPlanner) prefer(program *schedule.Program, score float64) {
	c := search.Candidate{Program: program, Text: schedule.Print(program), Terms: map[string]float64{}}
	hash := schedule.Hash(program)
	rest := make([]search.Candidate, 0, len(p.candidates)+1)
	for _, x := range p.candidates {
		if schedule.Hash(x.Program) == hash {
			c = x
			continue
		}
		rest = append(rest, x)
	}
	c.Terms["memory"] = score - c.Score
	c.Score = score
	p.candidates = append([]search.Candidate{c}, rest...)
}

func shownExamples(found []Example) string {
	var b strings.Builder
	b.WriteString(prompt("single+wm/remembered.txt"))
	for _, e := range found {
		fmt.Fprintf(&b, "Question: %s\n%s\n", e.Request, strings.TrimSpace(e.Schedule))
		for _, a := range e.Avoid {
			b.WriteString("Avoid: " + a + "\n")
		}
	}
	b.WriteString("\n")
	return b.String()
}
