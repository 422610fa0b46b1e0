// Package models opens a model by its name:
//
//	ollama:NAME          on an Ollama server, by its native API
//	openai:NAME          on a server with OpenAI's chat completions
//	scripted:FILE        replies from a YAML file
//	record:DIR/MODEL     any of the above, with the exchanges stored in DIR
//	replay:DIR           answers from a recording
//
// What it gives has the whole contract of package llm: retries, repaired
// replies, and checks that servers do not make.
package models

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"almanac/agents/llm"
	"almanac/agents/llm/exchange"
	"almanac/agents/llm/langchain"
	"almanac/agents/llm/ollama"
	"almanac/agents/llm/openai"
	"almanac/agents/llm/replay"
	"almanac/agents/llm/scripted"
)

// keyVariables are the environment variables in which a key for openai: is
// looked for, in order.
var keyVariables = []string{"ALMANAC_OPENAI_KEY", "OPENAI_API_KEY"}

// Options of [Open]. The zero value is useful.
type Options struct {
	Host      string        // of Ollama; "" is OLLAMA_HOST, else the usual address
	BaseURL   string        // of an OpenAI-compatible server; "" is OpenAI's own
	Key       string        // for openai:; "" is ALMANAC_OPENAI_KEY, else OPENAI_API_KEY
	NumCtx    int           // window in tokens; 0 is the adapter's default
	MaxTokens int           // limit of a reply where a request has none; 0 is the adapter's default
	KeepAlive time.Duration // how long Ollama keeps the model loaded; 0 is the adapter's default
	FirstByte time.Duration // longest wait for the first byte; 0 is the adapter's default
	Idle      time.Duration // longest wait between two pieces; 0 is the adapter's default
	NoStream  bool
	Client    *http.Client

	Exchange exchange.Options // retries, re-asks, repairs that are off
}

// Providers lists the kinds of names that [Open] takes, with a word on each.
func Providers() []string {
	return []string{
		"ollama:NAME", "openai:NAME", "langchain:PROVIDER/NAME", "scripted:FILE", "record:DIR/PROVIDER:NAME", "replay:DIR",
	}
}

// Open opens a model by name. For ollama: the server is asked whether it has
// the model; a missing server or model is an *llm.Error of kind transport or
// model_missing whose message says what brings it.
func Open(ctx context.Context, name string, opts *Options) (*exchange.Model, error) {
	if opts == nil {
		opts = &Options{}
	}
	raw, err := openRaw(ctx, name, opts)
	if err != nil {
		return nil, err
	}
	m, err := exchange.New(raw, &opts.Exchange)
	if err != nil {
		return nil, fmt.Errorf("models: opening %s: %w", name, err)
	}
	return m, nil
}

func openRaw(ctx context.Context, name string, opts *Options) (llm.Model, error) {
	provider, rest, ok := strings.Cut(name, ":")
	if !ok || rest == "" {
		return nil, refused(name, "a model is named PROVIDER:NAME")
	}
	switch provider {
	case "ollama":
		return ollama.Open(ctx, rest, &ollama.Options{
			Host: opts.Host, NumCtx: opts.NumCtx, MaxTokens: opts.MaxTokens, KeepAlive: opts.KeepAlive,
			FirstByte: opts.FirstByte, Idle: opts.Idle, NoStream: opts.NoStream, Client: opts.Client,
		})
	case "openai":
		return openai.New(rest, &openai.Options{
			BaseURL: opts.BaseURL, Key: key(opts.Key), NumCtx: opts.NumCtx, MaxTokens: opts.MaxTokens,
			FirstByte: opts.FirstByte, Idle: opts.Idle, NoStream: opts.NoStream, Client: opts.Client,
		})
	case "langchain":
		return langchain.Open(rest, langchain.Server{BaseURL: opts.BaseURL, Key: opts.Key, Client: opts.Client},
			&langchain.Options{MaxTokens: opts.MaxTokens, NumCtx: opts.NumCtx})
	case "scripted":
		return scripted.Open(rest)
	case "replay":
		return replay.Open(rest)
	case "record":
		return openRecording(ctx, rest, opts)
	}
	return nil, refused(name, fmt.Sprintf("no provider %q in this build", provider))
}

// openRecording splits DIR/PROVIDER:NAME at the provider: DIR may hold
// slashes and colons.
func openRecording(ctx context.Context, rest string, opts *Options) (llm.Model, error) {
	for _, provider := range []string{"ollama", "openai", "langchain", "scripted"} {
		i := strings.Index(rest, "/"+provider+":")
		if i <= 0 {
			continue
		}
		inner, err := openRaw(ctx, rest[i+1:], opts)
		if err != nil {
			return nil, err
		}
		return replay.Record(ctx, rest[:i], rest[i+1:], inner)
	}
	return nil, refused("record:"+rest, "write it as record:DIR/PROVIDER:NAME, such as record:tapes/ollama:qwen2.5-coder:1.5b")
}

// Recorded is the name of the model behind a recording that is made or replayed, so that a run that is replayed is that of
// the recorded model; of any other model it is the name itself.
func Recorded(name string) (string, error) {
	if rest, ok := strings.CutPrefix(name, "record:"); ok {
		for _, provider := range []string{"ollama", "openai", "langchain", "scripted"} {
			if i := strings.Index(rest, "/"+provider+":"); i > 0 {
				return rest[i+1:], nil
			}
		}
	}
	if dir, ok := strings.CutPrefix(name, "replay:"); ok {
		p, err := replay.Open(dir)
		if err != nil {
			return "", fmt.Errorf("models: %w", err)
		}
		return p.Name(), nil
	}
	return name, nil
}

func refused(name, why string) error {
	return &llm.Error{Kind: llm.KindRequest, Op: "models: opening " + name, Usage: llm.Spent(0, 0),
		Message: why + "; there are: " + strings.Join(Providers(), ", ")}
}

func key(given string) string {
	if given != "" {
		return given
	}
	for _, name := range keyVariables {
		if v := os.Getenv(name); v != "" {
			return v
		}
	}
	return ""
}
