package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sort"
	"strings"
	"time"

	gopenai "github.com/sashabaranov/go-openai"

	"almanac/agents/llm"
	"almanac/agents/llm/stream"
)

// reading collects one reply.
type reading struct {
	model *Model
	req   *llm.Request
	names *toolNames
	mend  *mend

	guard    *stream.Guard
	content  strings.Builder
	thinking strings.Builder
	calls    []*partCall
	logprobs []llm.TokenProb
	usage    *gopenai.Usage
	finished string
	tokens   int64 // pieces that held something

	first, total time.Duration
}

// partCall is a call that is still being written.
type partCall struct {
	index    int
	id, name string
	args     strings.Builder
}

func newReading(m *Model, req *llm.Request, names *toolNames) *reading {
	limits := m.opts.Limits
	if limits.Pieces == 0 {
		limits.Pieces = 2*orDefault(req.MaxTokens, m.opts.MaxTokens) + 64
	}
	return &reading{model: m, req: req, names: names, guard: stream.NewGuard(&limits)}
}

// pieces reads a stream to its end.
func (m *Model) pieces(ctx context.Context, chat gopenai.ChatCompletionRequest, sent *reading, watch *stream.Watch) (err error) {
	s, err := m.client.CreateChatCompletionStream(ctx, chat)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	for {
		part, err := s.Recv()
		switch {
		case errors.Is(err, io.EOF):
			if sent.finished == "" {
				return stream.ErrInterrupted
			}
			return nil
		case err != nil:
			return err
		}
		watch.Tick()
		if err := sent.take(part); err != nil {
			return err
		}
	}
}

func (r *reading) take(part gopenai.ChatCompletionStreamResponse) error {
	if part.Usage != nil {
		r.usage = part.Usage
	}
	if len(part.Choices) == 0 {
		return nil
	}
	choice := part.Choices[0]
	if choice.FinishReason != "" {
		r.finished = string(choice.FinishReason)
	}
	text := choice.Delta.Content + choice.Delta.ReasoningContent
	if text != "" || len(choice.Delta.ToolCalls) > 0 {
		r.tokens++
	}
	r.content.WriteString(choice.Delta.Content)
	r.thinking.WriteString(choice.Delta.ReasoningContent)
	for _, c := range choice.Delta.ToolCalls {
		r.takeCall(c)
		text += c.Function.Arguments
	}
	if r.logprobs == nil && choice.Logprobs != nil && len(choice.Logprobs.Content) > 0 {
		r.logprobs = streamToken(choice.Logprobs.Content[0])
	}
	if why := r.guard.Add(text); why != "" && r.finished == "" {
		return fmt.Errorf("%w: %s", stream.ErrRunaway, why)
	}
	return nil
}

// takeCall adds a piece of a call. The index alone does not tell calls apart:
// some servers send 0 for all. Another id, or a name after the arguments were
// whole, begins another call; a piece without an index goes on with the last.
func (r *reading) takeCall(c gopenai.ToolCall) {
	var current *partCall
	if n := len(r.calls); n > 0 {
		current = r.calls[n-1]
	}
	if c.Index != nil {
		current = nil
		for _, call := range r.calls {
			if call.index == *c.Index {
				current = call // the latest with the index
			}
		}
	}
	another := current == nil || c.ID != "" && current.id != "" && c.ID != current.id ||
		c.Function.Name != "" && current.name != "" && c.ID == "" && json.Valid([]byte(current.args.String()))
	if another {
		current = &partCall{}
		if c.Index != nil {
			current.index = *c.Index
		}
		r.calls = append(r.calls, current)
	}
	if c.ID != "" {
		current.id = c.ID
	}
	if c.Function.Name != "" && c.Function.Name != current.name {
		current.name += c.Function.Name
	}
	current.args.WriteString(c.Function.Arguments)
}

// whole takes a reply that came in one piece.
func (r *reading) whole(resp gopenai.ChatCompletionResponse) error {
	if len(resp.Choices) == 0 {
		return stream.ErrInterrupted
	}
	choice := resp.Choices[0]
	r.finished = string(choice.FinishReason)
	if r.mend.hasUsage {
		r.usage = &resp.Usage
	}
	r.tokens++
	r.content.WriteString(choice.Message.Content)
	r.thinking.WriteString(choice.Message.ReasoningContent)
	for i, c := range choice.Message.ToolCalls {
		call := &partCall{index: i, id: c.ID, name: c.Function.Name}
		call.args.WriteString(c.Function.Arguments)
		r.calls = append(r.calls, call)
	}
	if choice.LogProbs != nil && len(choice.LogProbs.Content) > 0 {
		first := choice.LogProbs.Content[0]
		r.logprobs = []llm.TokenProb{{Token: first.Token, Logprob: first.LogProb}}
		if len(first.TopLogProbs) > 0 {
			r.logprobs = nil
			for _, t := range first.TopLogProbs {
				r.logprobs = append(r.logprobs, llm.TokenProb{Token: t.Token, Logprob: t.LogProb})
			}
		}
		likeliestFirst(r.logprobs)
	}
	if why := stream.Check(choice.Message.Content, &r.model.opts.Limits); why != "" {
		return fmt.Errorf("%w: %s", stream.ErrRunaway, why)
	}
	return nil
}

func streamToken(t gopenai.ChatCompletionTokenLogprob) []llm.TokenProb {
	if len(t.TopLogprobs) == 0 {
		return []llm.TokenProb{{Token: t.Token, Logprob: t.Logprob}}
	}
	var probs []llm.TokenProb
	for _, top := range t.TopLogprobs {
		probs = append(probs, llm.TokenProb{Token: top.Token, Logprob: top.Logprob})
	}
	likeliestFirst(probs)
	return probs
}

func likeliestFirst(probs []llm.TokenProb) {
	sort.SliceStable(probs, func(i, j int) bool { return probs[i].Logprob > probs[j].Logprob })
}

// spent is the server's count; an estimate if it was stopped before it
// counted; unknown if it finished without one.
func (r *reading) spent() llm.Usage {
	switch {
	case r == nil:
		return llm.Spent(0, 0)
	case r.usage != nil:
		u := llm.Spent(int64(r.usage.PromptTokens), int64(r.usage.CompletionTokens))
		if d := r.usage.CompletionTokensDetails; d != nil {
			n := int64(d.ReasoningTokens)
			u.Thinking = &n
		}
		return u
	case r.finished != "":
		return llm.Usage{}
	case r.tokens == 0:
		return llm.Spent(0, 0)
	}
	u := llm.Spent(int64(llm.EstimateTokens(r.req.Text())), r.tokens)
	u.Estimated = true
	return u
}

func (r *reading) timings() llm.Timings {
	if r == nil {
		return llm.Timings{}
	}
	return llm.Timings{Prompt: r.first, Generate: max(0, r.total-r.first), FirstByte: r.first, Total: r.total}
}

// finish makes the raw reply.
func (r *reading) finish() (*llm.Response, error) {
	resp := &llm.Response{
		Message: llm.Message{Role: llm.RoleAssistant, Content: stream.RestoreBytes(r.content.String()),
			Thinking: stream.RestoreBytes(r.thinking.String())},
		Finish: llm.FinishStop, Usage: r.spent(), Timings: r.timings(), Logprobs: r.logprobs,
		Model: llm.ModelInfo{Name: r.model.name, Provider: "openai", NumCtx: r.model.opts.NumCtx},
	}
	for _, c := range r.calls {
		resp.Message.ToolCalls = append(resp.Message.ToolCalls, llm.ToolCall{ID: c.id, Name: r.names.in(c.name),
			Arguments: argumentJSON(stream.RestoreBytes(c.args.String())), Obtained: llm.ObtainedNative})
	}
	switch r.finished {
	case "length":
		resp.Finish = llm.FinishLength
	case "tool_calls", "function_call":
		resp.Finish = llm.FinishTools
	}
	if len(r.logprobs) == 0 && r.req.Logprobs > 0 {
		resp.Notes = append(resp.Notes, "the server gave no token probabilities")
	}
	least := llm.LeastTokens(messageText(r.req))
	if r.usage != nil && least > 64 && r.usage.PromptTokens > 0 && r.usage.PromptTokens < least {
		return nil, &llm.Error{Kind: llm.KindContext, Reason: llm.ReasonPromptCut, Op: "openai: chat", Model: r.model.name,
			Message: fmt.Sprintf("the server read %d tokens of a prompt of at least %d: it was cut and the answer is not trusted",
				r.usage.PromptTokens, least),
			Usage: resp.Usage, Timings: resp.Timings, Reply: resp}
	}
	empty := strings.TrimSpace(resp.Message.Content) == "" && len(resp.Message.ToolCalls) == 0
	if empty && len(resp.Logprobs) == 0 {
		return nil, &llm.Error{Kind: llm.KindBadReply, Reason: llm.ReasonEmpty, Op: "openai: chat", Model: r.model.name,
			Message: "the reply has neither text nor a call", Usage: resp.Usage, Timings: resp.Timings, Reply: resp}
	}
	return resp, nil
}

func messageText(req *llm.Request) string {
	var b strings.Builder
	for _, msg := range req.Messages {
		b.WriteString(msg.Content + "\n")
	}
	return b.String()
}
