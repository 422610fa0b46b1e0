// Package langchain joins langchaingo's models with ours, both ways.
//
// [New] makes a model of package llm from any llms.Model of langchaingo; [Open] makes one by provider and name, for
// the providers of langchaingo that need no further SDK. [Outward] lets code written for langchaingo, its agent
// executor first, ask a model of package llm.
//
// What is lost on the way: langchaingo has no token probabilities, so that closed questions are asked by JSON schema;
// it sends no schema, only that JSON is wanted; and it knows a request's tokens only where a provider reports them: a
// missing count stays unknown.
package langchain

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"almanac/agents/llm"

	"github.com/tmc/langchaingo/llms"
)

// Options of a [Model]. The zero value is useful.
type Options struct {
	MaxTokens int // limit of a reply where the request has none; 0 means 1024
	NumCtx    int // window in tokens if known, for refusing a prompt that cannot fit
}

// Model is a langchaingo model as ours. It is as safe for concurrent use as the model that it wraps.
type Model struct {
	name  string
	inner llms.Model
	opts  Options
}

// New wraps a langchaingo model; name is how it reports itself, PROVIDER/NAME.
func New(name string, inner llms.Model, opts *Options) (*Model, error) {
	if name == "" || inner == nil {
		return nil, errors.New("langchain: a model needs a name and a langchaingo model")
	}
	m := &Model{name: name, inner: inner}
	if opts != nil {
		m.opts = *opts
	}
	if m.opts.MaxTokens == 0 {
		m.opts.MaxTokens = 1024
	}
	return m, nil
}

// Describe gives the name; langchaingo tells nothing more.
func (m *Model) Describe(context.Context) (llm.ModelInfo, error) {
	return llm.ModelInfo{Name: m.name, Provider: "langchain", NumCtx: m.opts.NumCtx}, nil
}

// Generate sends one request and reads its reply.
func (m *Model) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	fail := func(kind llm.Kind, message string, err error) error {
		return &llm.Error{Kind: kind, Op: "langchain: chat", Model: m.name, Message: message, Err: err, Usage: llm.Spent(0, 0)}
	}
	if least := llm.LeastTokens(req.Text()); m.opts.NumCtx > 0 && least >= m.opts.NumCtx {
		return nil, fail(llm.KindContext, fmt.Sprintf("the prompt needs at least %d tokens and the window is %d", least, m.opts.NumCtx), nil)
	}
	messages, err := outwardMessages(req.Messages)
	if err != nil {
		return nil, fail(llm.KindRequest, "", err)
	}
	options, err := m.options(req)
	if err != nil {
		return nil, fail(llm.KindRequest, "", err)
	}
	begun := time.Now()
	got, err := m.inner.GenerateContent(ctx, messages, options...)
	if err != nil {
		return nil, m.failed(ctx, err)
	}
	resp := m.response(got)
	resp.Timings.Total = time.Since(begun)
	if resp.Message.Content == "" && len(resp.Message.ToolCalls) == 0 {
		return nil, &llm.Error{Kind: llm.KindBadReply, Reason: llm.ReasonEmpty, Op: "langchain: chat", Model: m.name,
			Message: "neither text nor a call came", Usage: resp.Usage, Reply: resp}
	}
	return resp, nil
}

func (m *Model) options(req *llm.Request) ([]llms.CallOption, error) {
	limit := req.MaxTokens
	if limit == 0 {
		limit = m.opts.MaxTokens
	}
	out := []llms.CallOption{llms.WithMaxTokens(limit)}
	if req.Temperature != nil {
		out = append(out, llms.WithTemperature(*req.Temperature))
	}
	if req.Seed != nil {
		out = append(out, llms.WithSeed(int(*req.Seed)))
	}
	if len(req.Schema) > 0 {
		out = append(out, llms.WithJSONMode())
	}
	var tools []llms.Tool
	for _, t := range req.Tools {
		params := map[string]any{"type": "object", "properties": map[string]any{}}
		if len(t.Schema) > 0 {
			params = nil
			if err := json.Unmarshal(t.Schema, &params); err != nil {
				return nil, fmt.Errorf("schema of %s: %w", t.Name, err)
			}
		}
		tools = append(tools, llms.Tool{Type: "function", Function: &llms.FunctionDefinition{Name: t.Name, Description: t.Description, Parameters: params}})
	}
	if len(tools) > 0 {
		out = append(out, llms.WithTools(tools))
		if req.ToolChoice != "" {
			out = append(out, llms.WithToolChoice(req.ToolChoice))
		}
	}
	return out, nil
}

var roles = map[string]llms.ChatMessageType{
	llm.RoleSystem: llms.ChatMessageTypeSystem, llm.RoleUser: llms.ChatMessageTypeHuman,
	llm.RoleAssistant: llms.ChatMessageTypeAI, llm.RoleTool: llms.ChatMessageTypeTool,
}

func outwardMessages(list []llm.Message) ([]llms.MessageContent, error) {
	out := make([]llms.MessageContent, 0, len(list))
	for _, msg := range list {
		role, ok := roles[msg.Role]
		if !ok {
			return nil, fmt.Errorf("langchaingo has no role %q", msg.Role)
		}
		c := llms.MessageContent{Role: role}
		switch {
		case msg.Role == llm.RoleTool:
			c.Parts = append(c.Parts, llms.ToolCallResponse{ToolCallID: msg.ToolCallID, Name: msg.ToolName, Content: msg.Content})
		case msg.Content != "" || len(msg.ToolCalls) == 0:
			c.Parts = append(c.Parts, llms.TextContent{Text: msg.Content})
		}
		for _, call := range msg.ToolCalls {
			args := string(call.Arguments)
			if args == "" {
				args = "{}"
			}
			c.Parts = append(c.Parts, llms.ToolCall{ID: call.ID, Type: "function", FunctionCall: &llms.FunctionCall{Name: call.Name, Arguments: args}})
		}
		out = append(out, c)
	}
	return out, nil
}

// response joins the choices: some providers give each part of a reply as a choice of its own.
func (m *Model) response(got *llms.ContentResponse) *llm.Response {
	resp := &llm.Response{Message: llm.Message{Role: llm.RoleAssistant}, Finish: llm.FinishStop, Model: llm.ModelInfo{Name: m.name, Provider: "langchain"}}
	if got == nil {
		return resp
	}
	for _, c := range got.Choices {
		if c == nil {
			continue
		}
		resp.Message.Content += c.Content
		resp.Message.Thinking += c.ReasoningContent
		for _, call := range c.ToolCalls {
			if call.FunctionCall == nil {
				continue
			}
			id := call.ID
			if id == "" {
				id = fmt.Sprintf("call_%d", len(resp.Message.ToolCalls)+1)
			}
			resp.Message.ToolCalls = append(resp.Message.ToolCalls, llm.ToolCall{
				ID: id, Name: call.FunctionCall.Name, Arguments: json.RawMessage(call.FunctionCall.Arguments), Obtained: llm.ObtainedNative,
			})
		}
		if c.StopReason == "length" || c.StopReason == "max_tokens" {
			resp.Finish = llm.FinishLength
		}
		if u := usage(c.GenerationInfo); u.Known() {
			resp.Usage = u
		}
	}
	if len(resp.Message.ToolCalls) > 0 && resp.Finish == llm.FinishStop {
		resp.Finish = llm.FinishTools
	}
	return resp
}

// usage reads the counts under the names that the providers use; what is not there, or 0 for both, is unknown: a prompt
// of no tokens does not exist.
func usage(info map[string]any) llm.Usage {
	prompt, okP := count(info, "PromptTokens", "InputTokens")
	written, okW := count(info, "CompletionTokens", "OutputTokens")
	if !okP || !okW || prompt == 0 {
		return llm.Usage{}
	}
	u := llm.Spent(prompt, written)
	if n, ok := count(info, "ReasoningTokens", "ThinkingTokens"); ok && n > 0 {
		u.Thinking = &n
	}
	return u
}

func count(info map[string]any, names ...string) (int64, bool) {
	for _, name := range names {
		switch n := info[name].(type) {
		case int:
			return int64(n), true
		case int64:
			return n, true
		case float64:
			return int64(n), true
		}
	}
	return 0, false
}

// failed sorts an error by what langchaingo says of it.
func (m *Model) failed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	e := &llm.Error{Kind: llm.KindTransport, Op: "langchain: chat", Model: m.name, Err: err}
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		e.Reason = llm.ReasonInterrupted
	case llms.IsRateLimitError(err), llms.IsQuotaExceededError(err):
		e.Kind = llm.KindOverloaded
	case llms.IsAuthenticationError(err):
		e.Kind, e.Reason = llm.KindRequest, llm.ReasonUnauthorized
	case llms.IsTokenLimitError(err):
		e.Kind = llm.KindContext
	case llms.IsInvalidRequestError(err), llms.IsNotImplementedError(err), llms.IsContentFilterError(err):
		e.Kind = llm.KindRequest
	}
	return e
}
