package runlog

import (
	"fmt"

	"almanac/orchestrator/event"
)

// order is what a log's events must keep for its episodes to be told apart: an attempt begins once and ends once, a
// call has one result, an episode one answer. A log that breaks it was not written by one run, or was changed: scoring
// it would give figures of nothing that happened.
type order struct {
	open     map[string]*attempt
	attempts map[string]int // the last attempt's number, by episode
}

// attempt is what is known of an attempt without an end; calls are true once they have a result.
type attempt struct {
	calls    map[string]bool
	answered bool
}

func newOrder() *order { return &order{open: map[string]*attempt{}, attempts: map[string]int{}} }

// take looks at the next event.
func (o *order) take(e event.Event) error {
	if e.Episode == "" {
		return nil
	}
	if s, ok := e.Body.(*event.EpisodeStart); ok {
		if last, seen := o.attempts[e.Episode]; seen && s.Attempt <= last {
			return fmt.Errorf("attempt %d of episode %s begins after its attempt %d", s.Attempt, e.Episode, last)
		}
		o.attempts[e.Episode] = s.Attempt
		o.open[e.Episode] = &attempt{calls: map[string]bool{}}
		return nil
	}
	a := o.open[e.Episode]
	if a == nil {
		return fmt.Errorf("a %s event of episode %s stands outside its attempts", e.Type, e.Episode)
	}
	if _, ok := e.Body.(*event.EpisodeEnd); ok {
		delete(o.open, e.Episode)
		return nil
	}
	return a.take(e)
}

func (a *attempt) take(e event.Event) error {
	switch b := e.Body.(type) {
	case *event.ToolCall:
		if _, there := a.calls[b.ID]; there {
			return fmt.Errorf("episode %s has two calls with the id %q", e.Episode, b.ID)
		}
		a.calls[b.ID] = false
	case *event.ToolResult:
		switch done, there := a.calls[b.Call]; {
		case !there:
			return fmt.Errorf("episode %s has a result of call %q, which it has not made", e.Episode, b.Call)
		case done:
			return fmt.Errorf("episode %s has two results of call %q", e.Episode, b.Call)
		}
		a.calls[b.Call] = true
	case *event.Answer:
		if a.answered {
			return fmt.Errorf("episode %s has two answers", e.Episode)
		}
		a.answered = true
	}
	return nil
}
