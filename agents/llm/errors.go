package llm

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Kind is what went wrong, coarsely: what a caller branches on.
type Kind string

// The kinds of error.
const (
	KindOverloaded   Kind = "overloaded"       // the server has no room now; transient
	KindContext      Kind = "context_overflow" // the prompt does not fit the window
	KindBadReply     Kind = "bad_reply"        // the model's reply is of no use; see Error.Reason
	KindTransport    Kind = "transport"        // no connection, broken off, or too slow; transient
	KindModelMissing Kind = "model_missing"    // the server does not have the model
	KindServer       Kind = "server"           // the server failed (5xx); transient
	KindRequest      Kind = "bad_request"      // the server, or this side, refuses the request
	KindScript       Kind = "script"           // a scripted or recorded model has no reply for this
)

// The reasons of a bad reply, and finer grains of other kinds.
const (
	ReasonEmpty        = "empty_reply"       // neither text nor calls, though tokens were generated
	ReasonRunaway      = "runaway"           // blanks, repetition or length without end
	ReasonTruncated    = "truncated"         // cut by the token limit within a call or a JSON value
	ReasonUnreadable   = "unreadable"        // the server could not read its own model's output, or we could not
	ReasonSchema       = "schema_invalid"    // the text does not satisfy Request.Schema
	ReasonToolChoice   = "tool_choice"       // a call was required and none came
	ReasonUnclosed     = "unclosed_thinking" // thoughts without an end, and no answer
	ReasonControl      = "control_character" // a control character inside a value
	ReasonPromptCut    = "prompt_cut"        // the server read far fewer tokens than were sent
	ReasonFirstByte    = "first_byte"        // nothing came in time; the model may be loading
	ReasonIdle         = "idle"              // the stream stopped in the middle
	ReasonInterrupted  = "interrupted"       // the stream ended before its last piece
	ReasonScriptEnd    = "script_end"        // all scripted replies are used up
	ReasonReplayMiss   = "replay_miss"       // no such request was recorded
	ReasonUnauthorized = "unauthorized"      // the key is missing or refused
)

// Sentinels for errors.Is. A kind's sentinel matches every error of the kind,
// a reason's only those with the reason.
var (
	ErrOverloaded      = errors.New("llm: server overloaded")
	ErrContextOverflow = errors.New("llm: context overflow")
	ErrBadReply        = errors.New("llm: bad model reply")
	ErrTransport       = errors.New("llm: transport")
	ErrModelMissing    = errors.New("llm: model missing")
	ErrServer          = errors.New("llm: server error")
	ErrRequest         = errors.New("llm: bad request")
	ErrScript          = errors.New("llm: no reply in the script or recording")

	ErrEmptyReply = errors.New("llm: empty reply")
	ErrRunaway    = errors.New("llm: runaway output")
	ErrTruncated  = errors.New("llm: reply truncated")
	ErrSchema     = errors.New("llm: reply does not satisfy the schema")
	ErrToolChoice = errors.New("llm: required call missing")
	ErrFirstByte  = errors.New("llm: no first byte in time")
	ErrScriptEnd  = errors.New("llm: script is at its end")
	ErrReplayMiss = errors.New("llm: request was not recorded")
)

var kindSentinels = map[Kind]error{
	KindOverloaded: ErrOverloaded, KindContext: ErrContextOverflow, KindBadReply: ErrBadReply,
	KindTransport: ErrTransport, KindModelMissing: ErrModelMissing, KindServer: ErrServer,
	KindRequest: ErrRequest, KindScript: ErrScript,
}

var reasonSentinels = map[string]error{
	ReasonEmpty: ErrEmptyReply, ReasonRunaway: ErrRunaway, ReasonTruncated: ErrTruncated,
	ReasonSchema: ErrSchema, ReasonToolChoice: ErrToolChoice, ReasonFirstByte: ErrFirstByte,
	ReasonScriptEnd: ErrScriptEnd, ReasonReplayMiss: ErrReplayMiss,
}

// Error is what every model returns when it fails.
type Error struct {
	Kind   Kind
	Reason string // one of the Reason constants, or empty
	Op     string // what was being done, such as "ollama: chat"
	Model  string // the model's name
	Status int    // HTTP status, 0 if there was none

	// Message says what was asked, what there is and what to try.
	Message string

	Usage      Usage         // tokens spent, all attempts
	Timings    Timings       // of the last attempt
	Attempts   []Attempt     // all exchanges, as in Response.Attempts
	Reply      *Response     // the reply that was of no use, if one was read; never executed
	RetryAfter time.Duration // the server's wish, 0 if it has none
	Permanent  bool          // it will not pass by waiting, though its kind mostly does
	Err        error         // the cause, or nil
}

// Error is one line: operation, model, kind, message.
func (e *Error) Error() string {
	var b strings.Builder
	if e.Op != "" {
		b.WriteString(e.Op + ": ")
	}
	if e.Model != "" {
		b.WriteString(e.Model + ": ")
	}
	b.WriteString(strings.ReplaceAll(string(e.Kind), "_", " "))
	if e.Reason != "" {
		fmt.Fprintf(&b, " (%s)", strings.ReplaceAll(e.Reason, "_", " "))
	}
	if e.Status != 0 {
		fmt.Fprintf(&b, ": HTTP %d", e.Status)
	}
	if e.Message != "" {
		b.WriteString(": " + e.Message)
	}
	if e.Err != nil && !strings.Contains(e.Message, e.Err.Error()) {
		b.WriteString(": " + e.Err.Error())
	}
	return b.String()
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is makes errors.Is work with the sentinels of this package.
func (e *Error) Is(target error) bool {
	return target != nil && (kindSentinels[e.Kind] == target || reasonSentinels[e.Reason] == target)
}

// Transient reports whether the same request may succeed a little later
// without anything being changed.
func (e *Error) Transient() bool {
	if e.Permanent {
		return false
	}
	switch e.Kind {
	case KindOverloaded, KindTransport, KindServer:
		return true
	}
	return false
}

// KindOfStatus is the kind of an HTTP status, where the body tells no more.
func KindOfStatus(status int) Kind {
	switch {
	case status == 429 || status == 503:
		return KindOverloaded
	case status == 404:
		return KindModelMissing
	case status == 408 || status == 502 || status == 504:
		return KindTransport
	case status == 413:
		return KindContext
	case status >= 500:
		return KindServer
	}
	return KindRequest
}

// AsError returns err's *Error, or nil if it holds none.
func AsError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return nil
}

// UsageOf is the tokens spent on a call that gave resp and err: the response's
// if there is one, else the error's, else unknown.
func UsageOf(resp *Response, err error) Usage {
	if resp != nil {
		return resp.Usage
	}
	if e := AsError(err); e != nil {
		return e.Usage
	}
	return Usage{}
}
