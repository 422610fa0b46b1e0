package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	gopenai "github.com/sashabaranov/go-openai"

	"almanac/agents/llm"
	"almanac/agents/llm/stream"
)

var (
	overContext = regexp.MustCompile(`(?i)context.{0,40}(length|size|window)|maximum context|too many tokens|prompt is too long|exceed_context_size`)
	unreadable  = regexp.MustCompile(`(?i)pars(e|ing).{0,30}(tool|json)|failed to parse|invalid character|unexpected end of json|json\.exception`)
	missing     = regexp.MustCompile(`(?i)model.{0,80}(not found|does not exist|not exist)`)
	loading     = regexp.MustCompile(`(?i)loading model`)
)

// failed sorts an error of an exchange.
func (m *Model) failed(ctx context.Context, op string, err error, sent *reading) error {
	e := &llm.Error{Op: op, Model: m.name, Usage: sent.spent(), Timings: sent.timings(), Err: err}
	if sent != nil {
		e.RetryAfter = sent.mend.retryAfter
	}
	var api *gopenai.APIError
	var raw *gopenai.RequestError
	var syntax *json.SyntaxError
	pieces := int64(0)
	if sent != nil {
		pieces = sent.tokens
	}
	switch {
	case stream.Sort(ctx, e, err, pieces, stream.Waits{FirstByte: m.opts.FirstByte, Idle: m.opts.Idle}):
	case errors.As(err, &raw):
		e.Status = raw.HTTPStatusCode
		m.sortText(e, strings.TrimSpace(string(raw.Body)), raw.HTTPStatusCode)
	case errors.As(err, &api):
		e.Status = api.HTTPStatusCode
		m.sortText(e, api.Message, api.HTTPStatusCode)
	case errors.As(err, &syntax): // the protocol itself is broken, not what the model wrote
		e.Kind, e.Message = llm.KindServer, "the server's answer is not JSON"
	case sent != nil && sent.mend.answered:
		m.sortText(e, err.Error(), 500)
	default:
		e.Kind = llm.KindTransport
		e.Message = fmt.Sprintf("no answer from %s: is the server running, and the address right?", m.address())
	}
	return e
}

func (m *Model) address() string {
	if m.opts.BaseURL == "" {
		return "OpenAI"
	}
	return m.opts.BaseURL
}

// sortText reads the server's words where they say more than the status. A
// status of 0 is an error in the middle of a stream.
func (m *Model) sortText(e *llm.Error, text string, status int) {
	if status == 0 {
		status = 500
	}
	e.Message = text
	switch {
	case missing.MatchString(text) || status == 404:
		e.Kind = llm.KindModelMissing
		e.Message += "; see which models the server has, and check the base URL"
	case status == 401 || status == 403:
		e.Kind, e.Reason = llm.KindRequest, llm.ReasonUnauthorized
		e.Message += "; set the key in the environment"
	case overContext.MatchString(text) && status < 500:
		e.Kind = llm.KindContext
	case loading.MatchString(text):
		e.Kind = llm.KindOverloaded
	case unreadable.MatchString(text) && status >= 500:
		e.Kind, e.Reason = llm.KindBadReply, llm.ReasonUnreadable
		e.Message = "the server could not read its model's output: " + text
	default:
		e.Kind = llm.KindOfStatus(status)
	}
}
