package orchestrator

import (
	"context"
	"errors"

	"almanac/orchestrator/episode"
	"almanac/orchestrator/event"
	"almanac/orchestrator/executor"
	"almanac/orchestrator/schedule"
	"almanac/orchestrator/search"
)

// Draft is a schedule that the typed search found for a request, and what it answered.
type Draft struct {
	Candidate search.Candidate
	// Answer has a value for every field of the contract, or is nil: then the schedule did not reach an answer.
	Answer []event.AnswerField
}

// Drafts runs the best schedules that the typed search finds for the episode's request, all of them, in the order of
// the search: what a request leaves open shows in answers that differ. The episode gets their calls, and no answer.
func (t *Team) Drafts(ctx context.Context, ep *episode.Episode, opts *search.Options) ([]Draft, error) {
	w := t.searching(ep)
	in, err := newSlotPlanner(w).input(ctx)
	if err != nil {
		return nil, err
	}
	var out []Draft
	for i, c := range search.Run(in, opts).Candidates {
		d := Draft{Candidate: c}
		if d.Answer, err = w.tryOut(ctx, c.Program, i+1); err != nil {
			return nil, err
		}
		out = append(out, d)
	}
	return out, nil
}

// SearchInput is what the typed search works on for the episode's request.
func (t *Team) SearchInput(ctx context.Context, ep *episode.Episode) (search.Input, error) {
	return newSlotPlanner(t.searching(ep)).input(ctx)
}

func (t *Team) searching(ep *episode.Episode) *work {
	w := &work{squad: &squad{team: t, opts: &Options{}, name: "search"}, ep: ep, tried: map[string]bool{}, mode: "search"}
	w.request = t.Reader.Read(ep.Request.Text())
	w.slots, w.values = w.request.Types(), w.request.Slots()
	return w
}

// tryOut runs a schedule and returns its answer if it is whole; nil for a schedule that cannot be bound or lacks a value.
func (w *work) tryOut(ctx context.Context, p *schedule.Program, version int) ([]event.AnswerField, error) {
	bound, err := schedule.Bind(p, w.team.catalogOf(w.ep.Tools), w.ep.Request.Contract, w.slots, nil)
	if errors.Is(err, schedule.ErrProblems) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	res, err := executor.Run(ctx, w.ep, bound, w.values, &executor.Options{Version: version})
	if err != nil {
		return nil, err
	}
	have := map[string]bool{}
	for _, f := range res.Answer {
		have[f.Key] = f.Value != nil
	}
	for _, f := range w.ep.Request.Contract {
		if !have[f.Key] {
			return nil, nil
		}
	}
	return res.Answer, nil
}
