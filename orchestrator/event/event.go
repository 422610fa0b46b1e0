// Package event defines the lines of a run's log: what happened, in order, with everything that scoring needs.
//
// An episode is its events. Whoever acts (a setup, the executor, a model client) emits an [Event] before the next
// thing starts; whoever scores reads them back and nothing else. A line is one JSON object; the body's Go type is
// fixed by the event's [Type], see [Body]. NaN and infinities never occur: a value that is not finite is an error
// upstream.
//
// Events that belong to an abandoned attempt (an episode that was cut off and started again) stay in the log; the
// newest attempt that has an [EpisodeEnd] is the one that counts.
package event

import (
	"encoding/json"
	"fmt"
	"time"
)

// Version is the schema version written into every run's first event.
const Version = 1

// Type names the kind of an event.
type Type string

// The types of events, in the order in which an episode usually writes them.
const (
	TypeRunStart      Type = "run_start"
	TypeRunEnd        Type = "run_end"
	TypeEpisodeStart  Type = "episode_start"
	TypeEpisodeEnd    Type = "episode_end"
	TypeModelRequest  Type = "model_request"
	TypeModelReply    Type = "model_reply"
	TypeToolSelection Type = "tool_selection"
	TypeSearch        Type = "search"
	TypeSchedule      Type = "schedule"
	TypeStep          Type = "step"
	TypeToolCall      Type = "tool_call"
	TypeToolResult    Type = "tool_result"
	TypeCheck         Type = "check"
	TypeRevision      Type = "revision"
	TypeAnswer        Type = "answer"
	TypeVote          Type = "vote"
	TypeBudget        Type = "budget"
	TypeMemoryHit     Type = "memory_hit"
	TypeMemoryWrite   Type = "memory_write"
	TypeError         Type = "error"
)

// Event is one line of the log. Seq grows by one within a run; Episode is empty for run events; Agent names who
// acted (supervisor, a specialist, engine); Parent is the Seq of the event that caused this one, 0 for none.
type Event struct {
	Seq     int64     `json:"seq"`
	Time    time.Time `json:"time"`
	Episode string    `json:"episode,omitempty"`
	Type    Type      `json:"type"`
	Agent   string    `json:"agent,omitempty"`
	Parent  int64     `json:"parent,omitempty"`
	Body    any       `json:"body"`
}

// Sink receives events. Emit fills in Seq and Time, and returns the Seq; it is safe for concurrent use. An error
// means that the log cannot be written any more: the caller stops.
type Sink interface {
	Emit(e Event) (int64, error)
}

// Body returns a new, empty body for a type, ready to be decoded into; false for a type that this version does
// not know.
func Body(t Type) (any, bool) {
	f, ok := bodies[t]
	if !ok {
		return nil, false
	}
	return f(), true
}

var bodies = map[Type]func() any{
	TypeRunStart:      func() any { return new(RunStart) },
	TypeRunEnd:        func() any { return new(RunEnd) },
	TypeEpisodeStart:  func() any { return new(EpisodeStart) },
	TypeEpisodeEnd:    func() any { return new(EpisodeEnd) },
	TypeModelRequest:  func() any { return new(ModelRequest) },
	TypeModelReply:    func() any { return new(ModelReply) },
	TypeToolSelection: func() any { return new(ToolSelection) },
	TypeSearch:        func() any { return new(Search) },
	TypeSchedule:      func() any { return new(Schedule) },
	TypeStep:          func() any { return new(Step) },
	TypeToolCall:      func() any { return new(ToolCall) },
	TypeToolResult:    func() any { return new(ToolResult) },
	TypeCheck:         func() any { return new(Check) },
	TypeRevision:      func() any { return new(Revision) },
	TypeAnswer:        func() any { return new(Answer) },
	TypeVote:          func() any { return new(Vote) },
	TypeBudget:        func() any { return new(Budget) },
	TypeMemoryHit:     func() any { return new(MemoryHit) },
	TypeMemoryWrite:   func() any { return new(MemoryWrite) },
	TypeError:         func() any { return new(Error) },
}

// UnmarshalJSON decodes a line and its body. The body becomes a pointer to the type that [Body] gives. An unknown
// type is an error that names it.
func (e *Event) UnmarshalJSON(data []byte) error {
	type plain Event
	var raw struct {
		plain
		Body json.RawMessage `json:"body"`
	}
	if err := json.Unmarshal(data, &raw); err != nil {
		return err
	}
	body, ok := Body(raw.Type)
	if !ok {
		return fmt.Errorf("event: unknown event type %q", raw.Type)
	}
	if len(raw.Body) > 0 {
		if err := json.Unmarshal(raw.Body, body); err != nil {
			return fmt.Errorf("event: reading the body of a %s event: %w", raw.Type, err)
		}
	}
	*e = Event(raw.plain)
	e.Body = body
	return nil
}
