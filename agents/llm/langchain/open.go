package langchain

import (
	"fmt"
	"net/http"
	"os"
	"strings"

	"almanac/agents/llm"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/anthropic"
	"github.com/tmc/langchaingo/llms/openai"
)

// Server says how a provider is reached.
type Server struct {
	BaseURL string       // "" is the provider's own
	Key     string       // "" is the provider's usual environment variable
	Client  *http.Client // nil for one of its own
}

// Providers lists the providers that [Open] knows.
func Providers() []string { return []string{"anthropic", "openai"} }

// Open opens PROVIDER/NAME. The provider is not asked. langchaingo's other providers need an SDK of their own, or, as
// its ollama, drop tools: they are refused by name; wrap one with [New] in a program of your own.
func Open(name string, s Server, opts *Options) (*Model, error) {
	provider, model, ok := strings.Cut(name, "/")
	if !ok || model == "" {
		return nil, refused(name, "write it as langchain:PROVIDER/NAME, such as langchain:openai/gpt-4o-mini")
	}
	var inner llms.Model
	var err error
	client := s.Client
	if client == nil {
		client = http.DefaultClient
	}
	switch provider {
	case "openai":
		o := []openai.Option{openai.WithModel(model), openai.WithHTTPClient(client), openai.WithToken(s.key("OPENAI_API_KEY"))}
		if s.BaseURL != "" {
			o = append(o, openai.WithBaseURL(strings.TrimRight(s.BaseURL, "/")))
		}
		inner, err = openai.New(o...)
	case "anthropic":
		o := []anthropic.Option{anthropic.WithModel(model), anthropic.WithHTTPClient(client), anthropic.WithToken(s.key("ANTHROPIC_API_KEY"))}
		if s.BaseURL != "" {
			o = append(o, anthropic.WithBaseURL(strings.TrimRight(s.BaseURL, "/")))
		}
		inner, err = anthropic.New(o...)
	case "ollama":
		return nil, refused(name, "langchaingo's Ollama provider drops tools: use ollama:"+model)
	default:
		return nil, refused(name, fmt.Sprintf("there is no provider %q in this build; langchaingo's others need an SDK of their own", provider))
	}
	if err != nil {
		return nil, refused(name, err.Error())
	}
	return New(name, inner, opts)
}

// noKey stands for the key of a server that wants none: langchaingo refuses an empty one.
const noKey = "none"

func (s Server) key(variable string) string {
	switch {
	case s.Key != "":
		return s.Key
	case os.Getenv(variable) != "":
		return os.Getenv(variable)
	}
	return noKey
}

func refused(name, why string) error {
	return &llm.Error{Kind: llm.KindRequest, Op: "langchain: opening " + name, Usage: llm.Spent(0, 0),
		Message: why + "; providers: " + strings.Join(Providers(), ", ")}
}
