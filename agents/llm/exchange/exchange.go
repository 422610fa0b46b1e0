// Package exchange makes one question to a model out of as many exchanges as
// it takes: it waits and tries again when the server is busy or gone, reads
// and repairs the reply, and asks once more, with what was wrong, when the
// reply is of no use. It completes the contract of [llm.Model] around an
// adapter, whose own replies may still be raw.
package exchange

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"

	"almanac/agents/llm"
	"almanac/agents/llm/reply"
	"almanac/agents/llm/stream"
)

// Options of a [Model]. The zero value is useful.
type Options struct {
	// Retries is how often a transient failure is tried again. 0 means 3,
	// negative never.
	Retries int

	// Reasks is how often a useless reply is asked again. 0 means 1, negative
	// never.
	Reasks int

	// FirstWait is the first back-off, MaxWait the longest; each is halved or
	// raised by chance. 0 means half a second and 20 seconds.
	FirstWait, MaxWait time.Duration

	// Off lists repairs that are switched off, see package reply.
	Off []string

	// Jitter is where chance comes from, in [0, 1); nil for the global source.
	Jitter func() float64
}

// Model wraps a model. It is safe for concurrent use if the wrapped one is.
type Model struct {
	inner  llm.Model
	reader *reply.Reader
	opts   Options
}

// New wraps inner. It fails if an option names a repair that does not exist.
func New(inner llm.Model, opts *Options) (*Model, error) {
	m := &Model{inner: inner}
	if opts != nil {
		m.opts = *opts
	}
	reader, err := reply.New(&reply.Options{Off: m.opts.Off})
	if err != nil {
		return nil, fmt.Errorf("exchange: %w", err)
	}
	m.reader = reader
	m.opts.Retries = orDefault(m.opts.Retries, 3)
	m.opts.Reasks = orDefault(m.opts.Reasks, 1)
	if m.opts.FirstWait == 0 {
		m.opts.FirstWait = 500 * time.Millisecond
	}
	if m.opts.MaxWait == 0 {
		m.opts.MaxWait = 20 * time.Second
	}
	if m.opts.Jitter == nil {
		m.opts.Jitter = rand.Float64
	}
	return m, nil
}

func orDefault(n, def int) int {
	switch {
	case n == 0:
		return def
	case n < 0:
		return 0
	}
	return n
}

// Describe asks the wrapped model.
func (m *Model) Describe(ctx context.Context) (llm.ModelInfo, error) {
	return llm.Describe(ctx, m.inner)
}

// Session is this model for one episode.
func (m *Model) Session(setup, task string) llm.Model {
	with := *m
	with.inner = llm.Session(m.inner, setup, task)
	return &with
}

// Unwrap is the wrapped model.
func (m *Model) Unwrap() llm.Model { return m.inner }

// account is what one question has cost so far.
type account struct {
	attempts []llm.Attempt
	usage    llm.Usage
}

func (a *account) add(at llm.Attempt) {
	a.attempts = append(a.attempts, at)
	a.usage = a.usage.Add(at.Usage)
}

// Generate answers req with a usable reply, or fails with an *llm.Error that
// carries all attempts and their tokens.
func (m *Model) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	if err := checkRequest(req); err != nil {
		return nil, err
	}
	acc := &account{usage: llm.Spent(0, 0)}
	ask := req
	for reask := 0; ; reask++ {
		resp, err := m.oneReply(ctx, ask, acc, reask > 0)
		if err == nil {
			resp.Attempts, resp.Usage = acc.attempts, acc.usage
			if reask > 0 {
				resp.Notes = append(resp.Notes, fmt.Sprintf("asked again %d time(s) after a reply of no use", reask))
			}
			return resp, nil
		}
		e := llm.AsError(err)
		if e == nil {
			return nil, acc.fail(err)
		}
		if e.Kind != llm.KindBadReply || reask >= m.opts.Reasks || req.Logprobs > 0 || ctx.Err() != nil {
			return nil, acc.fail(err)
		}
		ask = correction(req, e)
	}
}

// fail is err with the whole account in it.
func (a *account) fail(err error) error {
	e := llm.AsError(err)
	if e == nil {
		kind := llm.KindTransport
		if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			e = &llm.Error{Kind: kind, Reason: llm.ReasonInterrupted, Op: "exchange", Message: "the caller gave up", Err: err}
		} else {
			e = &llm.Error{Kind: kind, Op: "exchange", Err: err}
		}
	}
	with := *e
	with.Attempts, with.Usage = a.attempts, a.usage
	return &with
}

// oneReply gets one reply over as many transient failures as are allowed, and
// reads it.
func (m *Model) oneReply(ctx context.Context, req *llm.Request, acc *account, reasked bool) (*llm.Response, error) {
	waits := backoff.NewExponentialBackOff()
	waits.InitialInterval, waits.MaxInterval, waits.RandomizationFactor = m.opts.FirstWait, m.opts.MaxWait, 0
	var wait time.Duration
	for try := 0; ; try++ {
		resp, err := m.inner.Generate(ctx, req)
		if err == nil {
			resp, err = m.read(req, resp)
		}
		at := attempt(resp, err)
		at.Wait, at.Reasked = wait, reasked
		acc.add(at)
		e := llm.AsError(err)
		if err == nil || e == nil || !e.Transient() || try >= m.opts.Retries || ctx.Err() != nil {
			return resp, err
		}
		wait = max(m.jittered(waits.NextBackOff()), e.RetryAfter)
		if err := sleep(ctx, wait); err != nil {
			return nil, err
		}
	}
}

// read applies the guard against runaways, for models that do not stream, and
// the repairs.
func (m *Model) read(req *llm.Request, raw *llm.Response) (*llm.Response, error) {
	why := stream.Check(raw.Message.Content, nil)
	if why == "" {
		why = stream.Check(raw.Message.Thinking, nil)
	}
	if why != "" {
		return nil, &llm.Error{
			Kind: llm.KindBadReply, Reason: llm.ReasonRunaway, Op: "exchange", Model: raw.Model.Name,
			Message: "runaway output: " + why, Usage: raw.Usage, Timings: raw.Timings, Reply: raw,
		}
	}
	return m.reader.Read(req, raw)
}

func attempt(resp *llm.Response, err error) llm.Attempt {
	if err == nil {
		return llm.Attempt{Usage: resp.Usage, Timings: resp.Timings}
	}
	at := llm.Attempt{Error: err.Error(), Usage: llm.UsageOf(nil, err), Kind: llm.KindTransport}
	if e := llm.AsError(err); e != nil {
		at.Kind, at.Reason, at.Timings = e.Kind, e.Reason, e.Timings
	}
	return at
}

// jittered is half of d to one and a half.
func (m *Model) jittered(d time.Duration) time.Duration {
	return time.Duration(float64(d) * (0.5 + m.opts.Jitter()))
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return fmt.Errorf("exchange: waiting to try again: %w", ctx.Err())
	case <-timer.C:
		return nil
	}
}

// checkRequest refuses what no server does well.
func checkRequest(req *llm.Request) error {
	bad := func(message string) error {
		return &llm.Error{Kind: llm.KindRequest, Op: "exchange", Message: message, Usage: llm.Spent(0, 0)}
	}
	switch {
	case req == nil || len(req.Messages) == 0:
		return bad("a request needs at least one message")
	case len(req.Tools) > 0 && len(req.Schema) > 0:
		return bad("tools and a response schema together: servers drop one in silence; ask twice")
	case req.ToolChoice == llm.ToolChoiceRequired && len(req.Tools) == 0:
		return bad("a call is required and there is no tool")
	}
	switch req.ToolChoice {
	case "", llm.ToolChoiceAuto, llm.ToolChoiceNone, llm.ToolChoiceRequired:
		return nil
	}
	return bad(fmt.Sprintf("tool choice %q; there are: auto, none, required", req.ToolChoice))
}

// correction is the request again, with what was wrong at its end. The reply
// is repeated only if it was whole text: raw or cut calls in the history make
// servers refuse the conversation, and a runaway would be copied.
func correction(req *llm.Request, e *llm.Error) *llm.Request {
	again := *req
	again.Messages = append([]llm.Message(nil), req.Messages...)
	if e.Reason == llm.ReasonSchema && e.Reply != nil {
		if text := strings.TrimSpace(e.Reply.Message.Content); text != "" && len(text) < 2000 {
			again.Messages = append(again.Messages, llm.Message{Role: llm.RoleAssistant, Content: text})
		}
	}
	again.Messages = append(again.Messages, llm.Message{Role: llm.RoleUser, Content: advice(e)})
	return &again
}

func advice(e *llm.Error) string {
	switch e.Reason {
	case llm.ReasonEmpty:
		return "Your last reply was empty. Answer now, without thinking aloud."
	case llm.ReasonUnclosed:
		return "Your last reply held thoughts but no answer. Answer now, without thinking aloud."
	case llm.ReasonTruncated:
		return "Your last reply was cut off before it was complete, and nothing of it was used. Answer again, shorter."
	case llm.ReasonRunaway:
		return "Your last reply repeated itself without end and was stopped. Answer again, once and shortly."
	case llm.ReasonToolChoice:
		return "Your last reply could not be used: " + e.Message + "."
	case llm.ReasonSchema:
		return "That is not valid: " + e.Message + ". Reply again with only the corrected JSON."
	}
	return "Your last reply could not be read: " + e.Message + ". Answer again."
}
