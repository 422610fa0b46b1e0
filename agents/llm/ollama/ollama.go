// Package ollama talks to an Ollama server by its native chat endpoint. The
// server's OpenAI-compatible one cannot set the window, and a dropped
// temperature becomes 1 there.
//
// What is sent for one [Model] never changes: the same num_ctx and keep_alive
// each time (another window makes the server load the model anew), truncate
// and shift off (a prompt that does not fit is an error, not half a prompt),
// thinking off, a token limit always. A schema is never sent with tools.
//
// Replies are raw; package exchange reads and repairs them.
package ollama

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/ollama/ollama/api"

	"almanac/agents/llm"
	"almanac/agents/llm/stream"
)

// Options of a [Model]. The zero value is useful.
type Options struct {
	// Host is the server, such as 127.0.0.1:11434 or http://box:11434. "" is
	// OLLAMA_HOST, else 127.0.0.1:11434.
	Host string

	NumCtx    int           // window in tokens, the same for all requests; 0 means 4096
	KeepAlive time.Duration // how long the model stays loaded; 0 means 30 minutes
	MaxTokens int           // limit of a reply where the request has none; 0 means 1024

	// FirstByte is how long to wait for the first byte, in which a model is
	// loaded and the prompt read; 0 means 10 minutes. Idle is the longest wait
	// between two pieces; 0 means one minute. Negative is no limit.
	FirstByte, Idle time.Duration

	NoStream bool          // ask for the reply in one piece
	Limits   stream.Limits // when a reply has run away
	Client   *http.Client  // nil for one of its own
}

// DefaultHost is where a server is looked for when nothing else is said.
const DefaultHost = "127.0.0.1:11434"

// ImportedPrefix stands before the names of models that were imported from
// packages and not pulled from the library.
const ImportedPrefix = "almanac/"

// Model is one model on one server. It is safe for concurrent use.
type Model struct {
	name     string // on the server
	imported bool   // an import stands for the library's model
	host     string
	opts     Options
	client   *api.Client
}

// New makes a model without asking the server; name is taken as it is.
func New(name string, opts *Options) (*Model, error) {
	m := &Model{name: name}
	if opts != nil {
		m.opts = *opts
	}
	base, err := hostURL(m.opts.Host)
	if err != nil {
		return nil, err
	}
	m.host = base.String()
	m.opts.NumCtx = orDefault(m.opts.NumCtx, 4096)
	m.opts.MaxTokens = orDefault(m.opts.MaxTokens, 1024)
	m.opts.KeepAlive = orDefault(m.opts.KeepAlive, 30*time.Minute)
	m.opts.FirstByte = orDefault(m.opts.FirstByte, 10*time.Minute)
	m.opts.Idle = orDefault(m.opts.Idle, time.Minute)
	m.client = api.NewClient(base, tappedClient(m.opts.Client))
	return m, nil
}

func orDefault[T int | time.Duration](v, def T) T {
	if v == 0 {
		return def
	}
	return v
}

// hostURL reads a host as OLLAMA_HOST is written.
func hostURL(host string) (*url.URL, error) {
	if host == "" {
		host = os.Getenv("OLLAMA_HOST")
	}
	if host = strings.TrimSpace(host); host == "" {
		host = DefaultHost
	}
	given := host
	if !strings.Contains(host, "://") {
		host = "http://" + host
	}
	u, err := url.Parse(host)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("ollama: host %q is no address; write it as 127.0.0.1:11434 or http://host:11434", given)
	}
	if u.Port() == "" && !strings.Contains(given, "://") {
		u.Host = net.JoinHostPort(u.Hostname(), "11434")
	}
	if u.Hostname() == "0.0.0.0" { // where a server listens, not where one connects
		u.Host = net.JoinHostPort("127.0.0.1", u.Port())
	}
	return u, nil
}

// Open makes a model and makes sure that the server is there and has it. The
// library's model is taken if it is there, else one imported under
// [ImportedPrefix]; the description says which.
func Open(ctx context.Context, name string, opts *Options) (*Model, error) {
	m, err := New(name, opts)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	list, err := m.client.List(ctx)
	if err != nil {
		return nil, m.failed(ctx, "ollama: listing models", err, nil)
	}
	names := make([]string, len(list.Models))
	for i, l := range list.Models {
		names[i] = l.Name
	}
	for _, want := range []string{name, ImportedPrefix + name} {
		for _, have := range names {
			if have == want || have == want+":latest" {
				m.name, m.imported = have, want != name
				return m, nil
			}
		}
	}
	have := strings.Join(names, ", ")
	if have == "" {
		have = "none"
	}
	return nil, &llm.Error{Kind: llm.KindModelMissing, Op: "ollama: open", Model: name, Usage: llm.Spent(0, 0),
		Message: fmt.Sprintf("the server at %s does not have it; it has: %s; bring it with `make model` or `ollama pull %s`", m.host, have, name)}
}

// Name is the model's name on the server.
func (m *Model) Name() string { return m.name }

// Describe asks the server for version, digest, quantisation, capabilities
// and template.
func (m *Model) Describe(ctx context.Context) (llm.ModelInfo, error) {
	info := llm.ModelInfo{Name: m.name, Provider: "ollama", NumCtx: m.opts.NumCtx, Imported: m.imported}
	version, err := m.client.Version(ctx)
	if err != nil {
		return info, m.failed(ctx, "ollama: version", err, nil)
	}
	info.ServerVersion = version
	show, err := m.client.Show(ctx, &api.ShowRequest{Model: m.name})
	if err != nil {
		return info, m.failed(ctx, "ollama: show", err, nil)
	}
	info.Quantization, info.ParameterSize = show.Details.QuantizationLevel, show.Details.ParameterSize
	info.Family = show.Details.Family
	for _, c := range show.Capabilities {
		info.Capabilities = append(info.Capabilities, string(c))
	}
	template := strings.TrimSpace(show.Template)
	has := template != "" && strings.ReplaceAll(template, " ", "") != "{{.Prompt}}"
	info.HasTemplate = &has
	arch, _ := show.ModelInfo["general.architecture"].(string)
	if n, ok := show.ModelInfo[arch+".context_length"].(float64); ok {
		info.ContextLength = int(n)
	}
	list, err := m.client.List(ctx)
	if err != nil {
		return info, m.failed(ctx, "ollama: listing models", err, nil)
	}
	for _, l := range list.Models {
		if l.Name == m.name || l.Name == m.name+":latest" {
			info.Digest = l.Digest
		}
	}
	return info, nil
}

// Generate sends one request and reads its reply.
func (m *Model) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	chat, err := m.chatRequest(req)
	if err != nil {
		return nil, &llm.Error{Kind: llm.KindRequest, Op: "ollama: chat", Model: m.name, Usage: llm.Spent(0, 0), Err: err}
	}
	prompt := messageText(req)
	if least := llm.LeastTokens(prompt); least >= m.opts.NumCtx {
		return nil, &llm.Error{Kind: llm.KindContext, Op: "ollama: chat", Model: m.name, Usage: llm.Spent(0, 0),
			Message: fmt.Sprintf("the prompt needs at least %d tokens and the window is %d: shorten it or set a larger num_ctx", least, m.opts.NumCtx)}
	}
	sent := newReading(m, req, prompt)
	err = m.chat(ctx, chat, sent)
	if err != nil {
		return nil, err
	}
	return sent.finish()
}

// chat runs the exchange under the watch.
func (m *Model) chat(ctx context.Context, chat *api.ChatRequest, sent *reading) error {
	reqCtx, watch := stream.NewWatch(ctx, max(m.opts.FirstByte, 0), max(m.opts.Idle, 0))
	defer watch.Stop()
	tap := &tap{}
	err := m.client.Chat(withTap(reqCtx, tap), chat, func(part api.ChatResponse) error {
		watch.Tick()
		return sent.take(part)
	})
	sent.first, sent.total = watch.Times()
	sent.tap = tap
	switch {
	case err != nil:
		if cause := context.Cause(reqCtx); ctx.Err() == nil && cause != nil {
			err = cause
		}
		return m.failed(ctx, "ollama: chat", err, sent)
	case !sent.done:
		fault := stream.ErrInterrupted
		cause := tap.readError()
		if c := context.Cause(reqCtx); c != nil {
			cause = c
		}
		if cause != nil {
			fault = fmt.Errorf("%w: %w", fault, cause)
		}
		return m.failed(ctx, "ollama: chat", fault, sent)
	}
	return nil
}

// messageText is what the model surely reads: the messages. Tools are left
// out, since a template without them drops them.
func messageText(req *llm.Request) string {
	var b strings.Builder
	for _, msg := range req.Messages {
		b.WriteString(msg.Content + "\n")
	}
	return b.String()
}
