package stream

import (
	"context"
	"errors"
	"fmt"
	"time"

	"almanac/agents/llm"
)

// Faults of a stream, beside those that a [Watch] finds.
var (
	ErrRunaway     = errors.New("runaway output")
	ErrInterrupted = errors.New("the stream ended before its last piece")
)

// Waits are how long an adapter waits for a stream.
type Waits struct{ FirstByte, Idle time.Duration }

// Sort fills e for the faults that are the stream's own or the caller's, whichever server it is, and reports whether err
// is one of them. pieces is how much of the reply was read.
func Sort(ctx context.Context, e *llm.Error, err error, pieces int64, w Waits) bool {
	e.Kind = llm.KindTransport
	switch {
	case ctx.Err() != nil:
		e.Reason, e.Err, e.Message = llm.ReasonInterrupted, ctx.Err(), "the caller gave up"
	case errors.Is(err, ErrRunaway):
		e.Kind, e.Reason = llm.KindBadReply, llm.ReasonRunaway
		e.Message = fmt.Sprintf("%v after %d tokens; stopped", err, pieces)
	case errors.Is(err, ErrFirstByte):
		e.Reason = llm.ReasonFirstByte
		e.Message = fmt.Sprintf("nothing came within %s; the server may still be loading the model or reading the prompt", w.FirstByte)
	case errors.Is(err, ErrIdle):
		e.Reason, e.Message = llm.ReasonIdle, fmt.Sprintf("nothing more came within %s", w.Idle)
	case errors.Is(err, ErrInterrupted):
		e.Reason, e.Message = llm.ReasonInterrupted, err.Error()
	default:
		return false
	}
	return true
}
