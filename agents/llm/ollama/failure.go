package ollama

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/ollama/ollama/api"

	"almanac/agents/llm"
	"almanac/agents/llm/stream"
)

var (
	overContext = regexp.MustCompile(`(?i)(exceed|too long|larger than|greater than).{0,60}context|context.{0,60}(exceed|too (long|small)|overflow)|input length`)
	unreadable  = regexp.MustCompile(`(?i)pars(e|ing).{0,30}tool|tool.{0,30}pars(e|ing)|invalid character|unexpected end of json|looking for beginning of`)
	busy        = regexp.MustCompile(`(?i)server busy|maximum pending|too many requests|overloaded`)
	missing     = regexp.MustCompile(`(?i)model.{0,80}not found|pull(ing)? it first`)
	noMemory    = regexp.MustCompile(`(?i)more system memory|out of memory|unable to allocate|insufficient memory`)
)

// failed sorts an error of an exchange. sent is what was read of the reply,
// nil for other requests.
func (m *Model) failed(ctx context.Context, op string, err error, sent *reading) error {
	e := &llm.Error{Op: op, Model: m.name, Usage: sent.usage(), Timings: sent.timings(), Err: err}
	if sent != nil && sent.tap != nil {
		e.RetryAfter = sent.tap.retryAfter
	}
	var status api.StatusError
	pieces := int64(0)
	if sent != nil {
		pieces = sent.pieces
	}
	switch {
	case stream.Sort(ctx, e, err, pieces, stream.Waits{FirstByte: m.opts.FirstByte, Idle: m.opts.Idle}):
	case errors.As(err, &status):
		e.Status = status.StatusCode
		m.sortText(e, status.ErrorMessage, llm.KindOfStatus(status.StatusCode))
	case sent != nil && sent.tap != nil && sent.tap.answered: // an error line in the stream
		m.sortText(e, err.Error(), llm.KindServer)
	default:
		m.sortText(e, err.Error(), llm.KindTransport)
		if e.Kind == llm.KindTransport {
			e.Message = fmt.Sprintf("no answer from %s: start it with `ollama serve`, or bring one with `make model`", m.host)
		}
	}
	return e
}

// sortText reads the server's words where they say more than the status.
func (m *Model) sortText(e *llm.Error, text string, otherwise llm.Kind) {
	e.Message = strings.TrimSpace(text)
	switch {
	case missing.MatchString(text):
		e.Kind = llm.KindModelMissing
		e.Message += fmt.Sprintf("; bring it with `make model` or `ollama pull %s`", m.name)
	case overContext.MatchString(text):
		e.Kind = llm.KindContext
		e.Message += fmt.Sprintf(" (window %d tokens)", m.opts.NumCtx)
	case busy.MatchString(text):
		e.Kind = llm.KindOverloaded
	case unreadable.MatchString(text) && otherwise != llm.KindRequest && otherwise != llm.KindTransport:
		e.Kind, e.Reason = llm.KindBadReply, llm.ReasonUnreadable
		e.Message = "the server could not read its model's output: " + e.Message
	case noMemory.MatchString(text):
		e.Kind, e.Permanent = llm.KindServer, true
		e.Message += "; take a smaller model or a smaller window"
	case strings.Contains(text, "does not support tools"):
		e.Kind = llm.KindRequest
		e.Message += "; its template has no tools: import it with a template, see `almanac doctor`"
	default:
		e.Kind = otherwise
	}
}
