// Package openai talks to servers with OpenAI's chat completions: vLLM,
// llama.cpp's server, LM Studio and hosted ones, through go-openai.
//
// What that library leaves out or refuses is mended on the way: a temperature
// of 0 is sent as 0, a message without text keeps its content key, a local
// model may be called o1, arguments may come as an object, and a missing usage
// stays unknown.
//
// Replies are raw; package exchange reads and repairs them.
package openai

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	gopenai "github.com/sashabaranov/go-openai"

	"almanac/agents/llm"
	"almanac/agents/llm/stream"
)

// Options of a [Model]. The zero value is useful for OpenAI itself.
type Options struct {
	BaseURL   string // such as http://127.0.0.1:8080/v1; "" is OpenAI's own
	Key       string // the API key; local servers need none
	NumCtx    int    // window in tokens if known, for refusing a prompt that cannot fit
	MaxTokens int    // limit of a reply where the request has none; 0 means 1024

	// FirstByte is how long to wait for the first byte; 0 means 10 minutes.
	// Idle is the longest wait between two pieces; 0 means one minute.
	// Negative is no limit.
	FirstByte, Idle time.Duration

	// NewTokenLimit sends max_completion_tokens, as OpenAI's reasoning models
	// want, instead of max_tokens, which all local servers take.
	NewTokenLimit bool

	NoStream bool          // ask for the reply in one piece
	Limits   stream.Limits // when a reply has run away
	Client   *http.Client  // nil for one of its own
}

// Model is one model on one server. It is safe for concurrent use.
type Model struct {
	name   string
	opts   Options
	client *gopenai.Client
}

// New makes a model; the server is not asked.
func New(name string, opts *Options) (*Model, error) {
	if name == "" {
		return nil, errors.New("openai: a model needs a name")
	}
	m := &Model{name: name}
	if opts != nil {
		m.opts = *opts
	}
	m.opts.MaxTokens = orDefault(m.opts.MaxTokens, 1024)
	m.opts.FirstByte = orDefault(m.opts.FirstByte, 10*time.Minute)
	m.opts.Idle = orDefault(m.opts.Idle, time.Minute)
	config := gopenai.DefaultConfig(m.opts.Key)
	if m.opts.BaseURL != "" {
		config.BaseURL = strings.TrimRight(m.opts.BaseURL, "/")
	}
	config.HTTPClient = mendingClient(m.opts.Client)
	config.EmptyMessagesLimit = 1 << 20 // servers send comments while they load
	m.client = gopenai.NewClientWithConfig(config)
	return m, nil
}

func orDefault[T int | time.Duration](v, def T) T {
	if v == 0 {
		return def
	}
	return v
}

// Describe lists the server's models to see that it has this one. Such
// servers tell nothing more.
func (m *Model) Describe(ctx context.Context) (llm.ModelInfo, error) {
	info := llm.ModelInfo{Name: m.name, Provider: "openai", NumCtx: m.opts.NumCtx}
	list, err := m.client.ListModels(ctx)
	if err != nil {
		return info, m.failed(ctx, "openai: listing models", err, nil)
	}
	names := make([]string, len(list.Models))
	for i, have := range list.Models {
		names[i] = have.ID
		if have.ID == m.name {
			return info, nil
		}
	}
	return info, &llm.Error{Kind: llm.KindModelMissing, Op: "openai: describe", Model: m.name, Usage: llm.Spent(0, 0),
		Message: fmt.Sprintf("the server does not list it; it has: %s", strings.Join(names, ", "))}
}

// Generate sends one request and reads its reply.
func (m *Model) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	names := newNames(req.Tools)
	chat, extra, err := m.chatRequest(req, names)
	if err != nil {
		return nil, &llm.Error{Kind: llm.KindRequest, Op: "openai: chat", Model: m.name, Usage: llm.Spent(0, 0), Err: err}
	}
	if least := llm.LeastTokens(req.Text()); m.opts.NumCtx > 0 && least >= m.opts.NumCtx {
		return nil, &llm.Error{Kind: llm.KindContext, Op: "openai: chat", Model: m.name, Usage: llm.Spent(0, 0),
			Message: fmt.Sprintf("the prompt needs at least %d tokens and the window is %d", least, m.opts.NumCtx)}
	}
	sent := newReading(m, req, names)
	reqCtx, watch := stream.NewWatch(ctx, max(m.opts.FirstByte, 0), max(m.opts.Idle, 0))
	defer watch.Stop()
	sent.mend = &mend{extra: extra}
	reqCtx = withMend(reqCtx, sent.mend)
	if m.opts.NoStream {
		err = m.whole(reqCtx, chat, sent, watch)
	} else {
		err = m.pieces(reqCtx, chat, sent, watch)
	}
	sent.first, sent.total = watch.Times()
	if err != nil {
		if cause := context.Cause(reqCtx); ctx.Err() == nil && cause != nil {
			err = cause
		}
		return nil, m.failed(ctx, "openai: chat", err, sent)
	}
	return sent.finish()
}

func (m *Model) whole(ctx context.Context, chat gopenai.ChatCompletionRequest, sent *reading, watch *stream.Watch) error {
	resp, err := m.client.CreateChatCompletion(ctx, chat)
	watch.Tick()
	if err != nil {
		return err
	}
	return sent.whole(resp)
}
