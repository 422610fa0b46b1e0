package ollama

import (
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/ollama/ollama/api"

	"almanac/agents/llm"
	"almanac/agents/llm/stream"
)

// reading collects the pieces of one reply.
type reading struct {
	model  *Model
	req    *llm.Request
	prompt string

	guard    *stream.Guard // over text and thoughts
	content  strings.Builder
	thinking strings.Builder
	calls    []llm.ToolCall
	logprobs []llm.TokenProb
	pieces   int64
	last     api.ChatResponse
	done     bool

	tap          *tap
	first, total time.Duration
}

func newReading(m *Model, req *llm.Request, prompt string) *reading {
	limits := m.opts.Limits
	if limits.Pieces == 0 && !m.opts.NoStream {
		limit := req.MaxTokens
		if limit == 0 {
			limit = m.opts.MaxTokens
		}
		limits.Pieces = 2*limit + 64
	}
	return &reading{model: m, req: req, prompt: prompt, guard: stream.NewGuard(&limits)}
}

// take adds one piece. An error stops the stream, and with it the server.
func (r *reading) take(part api.ChatResponse) error {
	text := part.Message.Content
	r.content.WriteString(text)
	r.thinking.WriteString(part.Message.Thinking)
	if text != "" || part.Message.Thinking != "" {
		r.pieces++
	}
	for _, c := range part.Message.ToolCalls {
		args, err := rawArguments(c.Function.Arguments)
		if err != nil {
			return fmt.Errorf("reading a call of %s: %w", c.Function.Name, err)
		}
		r.calls = append(r.calls, llm.ToolCall{ID: c.ID, Name: c.Function.Name, Arguments: args, Obtained: llm.ObtainedNative})
		r.pieces++
	}
	if r.logprobs == nil && len(part.Logprobs) > 0 {
		r.logprobs = firstToken(part.Logprobs[0])
	}
	if part.Done {
		r.done, r.last = true, part
	}
	if r.model.opts.NoStream {
		if why := stream.Check(text, &r.model.opts.Limits); why != "" {
			return fmt.Errorf("%w: %s", stream.ErrRunaway, why)
		}
	} else if why := r.guard.Add(text + part.Message.Thinking); why != "" && !part.Done {
		return fmt.Errorf("%w: %s", stream.ErrRunaway, why)
	}
	return nil
}

// rawArguments takes the arguments' own text out of the wrapping that the tap
// put around it; letters split over pieces are whole again.
func rawArguments(args api.ToolCallFunctionArguments) (json.RawMessage, error) {
	if v, ok := args.Get(rawKey); ok && args.Len() == 1 {
		if text, ok := v.(string); ok {
			return json.RawMessage(stream.RestoreBytes(text)), nil
		}
	}
	data, err := json.Marshal(args)
	return data, err
}

func firstToken(p api.Logprob) []llm.TokenProb {
	if len(p.TopLogprobs) == 0 {
		return []llm.TokenProb{{Token: p.Token, Logprob: p.Logprob}}
	}
	probs := make([]llm.TokenProb, len(p.TopLogprobs))
	for i, t := range p.TopLogprobs {
		probs[i] = llm.TokenProb{Token: t.Token, Logprob: t.Logprob}
	}
	sort.SliceStable(probs, func(i, j int) bool { return probs[i].Logprob > probs[j].Logprob })
	return probs
}

// usage is the server's count, or an estimate if it was stopped before it
// counted, or nothing spent if nothing came.
func (r *reading) usage() llm.Usage {
	switch {
	case r == nil || !r.done && r.pieces == 0:
		return llm.Spent(0, 0)
	case !r.done:
		u := llm.Spent(int64(llm.EstimateTokens(r.prompt)), r.pieces)
		u.Estimated = true
		return u
	}
	var u llm.Usage
	if n := int64(r.last.PromptEvalCount); n > 0 {
		u.Prompt = &n
	}
	if n := int64(r.last.EvalCount); n > 0 || r.pieces == 0 && u.Prompt != nil {
		u.Completion = &n
	}
	if u.Prompt != nil && u.Completion != nil {
		total := *u.Prompt + *u.Completion
		u.Total = &total
	}
	return u
}

func (r *reading) timings() llm.Timings {
	if r == nil {
		return llm.Timings{}
	}
	d := r.last.Metrics
	queue := max(0, d.TotalDuration-d.LoadDuration-d.PromptEvalDuration-d.EvalDuration)
	return llm.Timings{Queue: queue, Load: d.LoadDuration, Prompt: d.PromptEvalDuration, Generate: d.EvalDuration,
		FirstByte: r.first, Total: r.total}
}

// response is what came, raw.
func (r *reading) response() *llm.Response {
	resp := &llm.Response{
		Message: llm.Message{
			Role:      llm.RoleAssistant,
			Content:   stream.RestoreBytes(r.content.String()),
			Thinking:  stream.RestoreBytes(r.thinking.String()),
			ToolCalls: r.calls,
		},
		Finish: llm.FinishStop, Usage: r.usage(), Timings: r.timings(), Logprobs: r.logprobs,
		Model: llm.ModelInfo{Name: r.model.name, Provider: "ollama", NumCtx: r.model.opts.NumCtx, Imported: r.model.imported},
	}
	switch {
	case r.last.DoneReason == "length":
		resp.Finish = llm.FinishLength
	case len(r.calls) > 0:
		resp.Finish = llm.FinishTools
	}
	if len(r.logprobs) == 0 && r.req.Logprobs > 0 {
		resp.Notes = append(resp.Notes, "the server gave no token probabilities")
	}
	return resp
}

// finish checks what the server cannot be trusted with. A prompt of which far
// fewer tokens were read than it has was cut, and the answer is to another
// question.
func (r *reading) finish() (*llm.Response, error) {
	resp := r.response()
	least := llm.LeastTokens(r.prompt)
	if read := r.last.PromptEvalCount; read > 0 && least > 64 && read < least {
		return nil, &llm.Error{Kind: llm.KindContext, Reason: llm.ReasonPromptCut, Op: "ollama: chat", Model: r.model.name,
			Message: fmt.Sprintf("the server read %d tokens of a prompt of at least %d (window %d): it was cut and the answer is not trusted",
				read, least, r.model.opts.NumCtx),
			Usage: resp.Usage, Timings: resp.Timings, Reply: resp}
	}
	empty := strings.TrimSpace(resp.Message.Content) == "" && len(resp.Message.ToolCalls) == 0
	if empty && len(resp.Logprobs) == 0 {
		return nil, &llm.Error{Kind: llm.KindBadReply, Reason: llm.ReasonEmpty, Op: "ollama: chat", Model: r.model.name,
			Message: "the reply has neither text nor a call", Usage: resp.Usage, Timings: resp.Timings, Reply: resp}
	}
	return resp, nil
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
