// Package gate keeps more requests from a server than it can answer at the same time. A server that is asked more makes
// the rest wait without saying for how long; here the wait is measured, as the time in the queue.
package gate

import (
	"context"
	"time"

	"almanac/agents/llm"
)

// Gate lets a number of requests through at a time. Models of one server share one.
type Gate struct {
	slots chan struct{}
}

// New makes a gate with at least one slot.
func New(slots int) *Gate { return &Gate{slots: make(chan struct{}, max(1, slots))} }

// Model is inner behind the gate.
func (g *Gate) Model(inner llm.Model) *Model { return &Model{g, inner} }

// Model is a model behind a gate. It is safe for concurrent use if the wrapped one is.
type Model struct {
	gate  *Gate
	inner llm.Model
}

// Describe asks the wrapped model.
func (m *Model) Describe(ctx context.Context) (llm.ModelInfo, error) {
	return llm.Describe(ctx, m.inner)
}

// Session is this model for one episode, behind the same gate.
func (m *Model) Session(setup, task string) llm.Model {
	return &Model{m.gate, llm.Session(m.inner, setup, task)}
}

// Generate waits for a slot and asks the model. The wait is added to the queue time of the reply, or of the error.
func (m *Model) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	begun := time.Now()
	select {
	case m.gate.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, &llm.Error{Kind: llm.KindTransport, Reason: llm.ReasonInterrupted, Op: "gate", Usage: llm.Spent(0, 0),
			Message: "the caller gave up waiting for the server's turn", Err: ctx.Err(),
			Timings: llm.Timings{Queue: time.Since(begun), Total: time.Since(begun)}}
	}
	defer func() { <-m.gate.slots }()
	waited := time.Since(begun)
	resp, err := m.inner.Generate(ctx, req)
	if resp != nil {
		with := *resp
		with.Timings.Queue += waited
		with.Timings.Total += waited
		resp = &with
	}
	if e := llm.AsError(err); e != nil {
		with := *e
		with.Timings.Queue += waited
		with.Timings.Total += waited
		err = &with
	}
	return resp, err
}
