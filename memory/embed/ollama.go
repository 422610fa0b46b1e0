package embed

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/ollama/ollama/api"
)

// importedPrefix stands before the names of models that were imported from packages, see package server.
const importedPrefix = "almanac/"

// Ollama is an embedding model on an Ollama server, asked by /api/embed. A text that is longer than the model's window
// is embedded by its beginning, and that is noted. It is safe for concurrent use.
type Ollama struct {
	served
	client *api.Client
	model  string // on the server
	note   func(string)
}

// OllamaOptions of [OpenOllama]. The zero value is useful.
type OllamaOptions struct {
	Client *http.Client
	// Note is told what is out of the ordinary: that a text was cut. Nil tells nobody.
	Note func(string)
}

// OpenOllama finds the model on the server at base: the library's own, or the one that the set-up imported. A server that
// does not answer, or does not have it, is [ErrUnavailable].
func OpenOllama(ctx context.Context, name string, base *url.URL, opts *OllamaOptions) (*Ollama, error) {
	if opts == nil {
		opts = &OllamaOptions{}
	}
	client, note := opts.Client, opts.Note
	if client == nil {
		client = &http.Client{Timeout: 2 * time.Minute}
	}
	if note == nil {
		note = func(string) {}
	}
	o := &Ollama{client: api.NewClient(base, client), note: note}
	o.once = o.batch
	list, err := o.client.List(ctx)
	if err != nil {
		return nil, fmt.Errorf("embed: %w: the server at %s: %w", ErrUnavailable, base, err)
	}
	var have []string
	digest := ""
	for _, want := range []string{name, name + ":latest", importedPrefix + name, importedPrefix + name + ":latest"} {
		for _, m := range list.Models {
			if m.Name == want && o.model == "" {
				o.model, digest = m.Name, m.Digest
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
	if err := o.measure(ctx, "ollama:"+name, digest, name); err != nil {
		return nil, err
	}
	return o, nil
}

// tooLong is what the server says of a text that does not fit the model's window.
var tooLong = regexp.MustCompile(`(?i)context length|input length|too long`)

// batch asks that no text be cut. Where the server refuses one as too long, the texts are sent one by one, and what has to
// be cut is named: two texts that differ behind the cut have one vector.
func (o *Ollama) batch(ctx context.Context, texts []string) ([][]float32, error) {
	vs, err := o.request(ctx, texts, false)
	if err == nil || !tooLong.MatchString(err.Error()) {
		return vs, err
	}
	vs = nil
	for _, text := range texts {
		v, err := o.request(ctx, []string{text}, false)
		if err != nil && tooLong.MatchString(err.Error()) {
			o.note(fmt.Sprintf("%s embeds only the beginning of a text of %d characters: %q", o.id.Name, len([]rune(text)), beginning(text)))
			v, err = o.request(ctx, []string{text}, true)
		}
		if err != nil {
			return nil, err
		}
		vs = append(vs, v...)
	}
	return vs, nil
}

func (o *Ollama) request(ctx context.Context, texts []string, cut bool) ([][]float32, error) {
	resp, err := o.client.Embed(ctx, &api.EmbedRequest{Model: o.model, Input: texts, Truncate: &cut})
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
