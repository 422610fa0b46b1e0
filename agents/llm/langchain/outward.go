package langchain

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"almanac/agents/llm"

	"github.com/tmc/langchaingo/llms"
)

// outward is one of our models as langchaingo's.
type outward struct {
	model llm.Model
	limit int
}

// Outward makes a langchaingo model of one of ours: text in, text out. Sampling is the model's own: langchaingo sends a
// temperature of 0 whether or not one was set. limit bounds the tokens of a reply, 0 is the model's own bound. A reply is
// cut at the first stop word, as langchaingo's agents expect; what was written behind it has been paid for.
func Outward(m llm.Model, limit int) llms.Model { return outward{m, limit} }

// GenerateContent implements llms.Model for messages of text.
func (o outward) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	var opts llms.CallOptions
	for _, set := range options {
		set(&opts)
	}
	req := &llm.Request{MaxTokens: o.limit}
	if opts.MaxTokens > 0 {
		req.MaxTokens = opts.MaxTokens
	}
	if len(opts.Tools)+len(opts.Functions) > 0 {
		return nil, errors.New("langchain: this model is for agents that write their calls as text")
	}
	for _, m := range messages {
		role := llm.RoleUser
		switch m.Role {
		case llms.ChatMessageTypeSystem:
			role = llm.RoleSystem
		case llms.ChatMessageTypeAI:
			role = llm.RoleAssistant
		}
		var text strings.Builder
		for _, p := range m.Parts {
			t, ok := p.(llms.TextContent)
			if !ok {
				return nil, fmt.Errorf("langchain: a part of type %T cannot be sent; text only", p)
			}
			text.WriteString(t.Text)
		}
		req.Messages = append(req.Messages, llm.Message{Role: role, Content: text.String()})
	}
	resp, err := o.model.Generate(ctx, req)
	if err != nil {
		return nil, err
	}
	content := resp.Message.Content
	for _, stop := range opts.StopWords {
		if before, _, found := strings.Cut(content, stop); found {
			content = before
		}
	}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: content, StopReason: resp.Finish}}}, nil
}

// Call implements llms.Model.
func (o outward) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, o, prompt, options...)
}
