package embed

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/ollama/ollama/api"
)

// importedPrefix stands before the names of models that were imported from packages, see package server.
const importedPrefix = "almanac/"

// probe is embedded to learn the length of the vectors.
const probe = "sea surface temperature"

// Ollama is an embedding model on an Ollama server, asked by /api/embed. A text that is longer than the model's window
// is embedded by its beginning. It is safe for concurrent use.
type Ollama struct {
	client *api.Client
	model  string // on the server
	id     Identity
	tokens atomic.Int64
}

// OpenOllama finds the model on the server at base: the library's own, or the one that the set-up imported. A server that
// does not answer, or does not have it, is [ErrUnavailable].
func OpenOllama(ctx context.Context, name string, base *url.URL, client *http.Client) (*Ollama, error) {
	if client == nil {
		client = &http.Client{Timeout: 2 * time.Minute}
	}
	o := &Ollama{client: api.NewClient(base, client)}
	list, err := o.client.List(ctx)
	if err != nil {
		return nil, fmt.Errorf("embed: %w: the server at %s: %w", ErrUnavailable, base, err)
	}
	var have []string
	for _, want := range []string{name, name + ":latest", importedPrefix + name, importedPrefix + name + ":latest"} {
		for _, m := range list.Models {
			if m.Name == want && o.model == "" {
				o.model, o.id.Digest = m.Name, m.Digest
			}
		}
	}
	if o.model == "" {
		for _, m := range list.Models {
			have = append(have, m.Name)
		}
		return nil, fmt.Errorf("embed: %w: the server at %s has no %s (it has %s); bring it with `make model` or `ollama pull %s`",
			ErrUnavailable, base, name, strings.Join(have, ", "), name)
	}
	o.id.Name = "ollama:" + name
	o.id.DocumentPrefix, o.id.QueryPrefix = prefixesOf(name)
	v, err := o.EmbedQuery(ctx, probe)
	if err != nil {
		return nil, err
	}
	o.id.Dimension = len(v)
	return o, nil
}

// Identity says which model it is.
func (o *Ollama) Identity() Identity { return o.id }

// Tokens are what the server has read so far.
func (o *Ollama) Tokens() int64 { return o.tokens.Load() }

// EmbedDocuments embeds texts that are looked for.
func (o *Ollama) EmbedDocuments(ctx context.Context, texts []string) ([][]float32, error) {
	return inBatches(ctx, texts, o.id.DocumentPrefix, o.once)
}

// EmbedQuery embeds a text to look with.
func (o *Ollama) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	vs, err := inBatches(ctx, []string{text}, o.id.QueryPrefix, o.once)
	if err != nil {
		return nil, err
	}
	return vs[0], nil
}

func (o *Ollama) once(ctx context.Context, texts []string) ([][]float32, error) {
	truncate := true
	resp, err := o.client.Embed(ctx, &api.EmbedRequest{Model: o.model, Input: texts, Truncate: &truncate})
	if err != nil {
		var status api.StatusError
		if ctx.Err() == nil && !errors.As(err, &status) {
			err = fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
		return nil, fmt.Errorf("embed: %s: %w", o.id.Name, err)
	}
	o.tokens.Add(int64(resp.PromptEvalCount))
	return resp.Embeddings, nil
}
