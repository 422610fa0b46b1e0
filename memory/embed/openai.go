package embed

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	gopenai "github.com/sashabaranov/go-openai"
)

// OpenAI is an embedding model on a server with OpenAI's API. It is safe for concurrent use.
type OpenAI struct {
	client *gopenai.Client
	model  string
	id     Identity
	tokens atomic.Int64
}

// OpenOpenAI asks the server for one vector, to learn their length. base is "" for OpenAI's own server. A server that
// does not answer or does not have the model is [ErrUnavailable]. Such servers do not tell the digest of a model: its name
// and the server's address stand for it.
func OpenOpenAI(ctx context.Context, name, base, key string) (*OpenAI, error) {
	config := gopenai.DefaultConfig(key)
	if base != "" {
		config.BaseURL = base
	}
	o := &OpenAI{client: gopenai.NewClientWithConfig(config), model: name}
	o.id = Identity{Name: "openai:" + name, Digest: config.BaseURL + " " + name}
	o.id.DocumentPrefix, o.id.QueryPrefix = prefixesOf(name)
	v, err := o.EmbedQuery(ctx, probe)
	if err != nil {
		return nil, err
	}
	o.id.Dimension = len(v)
	return o, nil
}

// Identity says which model it is.
func (o *OpenAI) Identity() Identity { return o.id }

// Tokens are what the server has read so far.
func (o *OpenAI) Tokens() int64 { return o.tokens.Load() }

// EmbedDocuments embeds texts that are looked for.
func (o *OpenAI) EmbedDocuments(ctx context.Context, texts []string) ([][]float32, error) {
	return inBatches(ctx, texts, o.id.DocumentPrefix, o.once)
}

// EmbedQuery embeds a text to look with.
func (o *OpenAI) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	vs, err := inBatches(ctx, []string{text}, o.id.QueryPrefix, o.once)
	if err != nil {
		return nil, err
	}
	return vs[0], nil
}

// once puts the vectors into the order of the texts: servers number them, and may send them in another one.
func (o *OpenAI) once(ctx context.Context, texts []string) ([][]float32, error) {
	resp, err := o.client.CreateEmbeddings(ctx, gopenai.EmbeddingRequest{Input: texts, Model: gopenai.EmbeddingModel(o.model)})
	if err != nil {
		var refused *gopenai.APIError
		if ctx.Err() == nil && (!errors.As(err, &refused) || refused.HTTPStatusCode == 404) {
			err = fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
		return nil, fmt.Errorf("embed: %s: %w", o.id.Name, err)
	}
	o.tokens.Add(int64(resp.Usage.PromptTokens))
	out := make([][]float32, len(resp.Data))
	for _, d := range resp.Data {
		if d.Index < 0 || d.Index >= len(out) || out[d.Index] != nil {
			return nil, fmt.Errorf("embed: %s: the server numbers a vector %d of %d", o.id.Name, d.Index, len(out))
		}
		out[d.Index] = d.Embedding
	}
	return out, nil
}
