package orchestrator

import (
	"context"
	"fmt"
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
	// Limited is the same memory with its first n entries only.
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
		program, _, problems := schedule.RepairText(found[i].Schedule, p.catalog(), p.ep.Request.Contract, p.slots, nil)
		if len(schedule.Errors(problems)) > 0 || p.legal(program) != nil {
			continue
		}
		p.prefer(program, p.candidates[0].Score+memoryBonus)
	}
	return nil
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
