package embed

import (
	"context"
	"errors"
	"fmt"

	gopenai "github.com/sashabaranov/go-openai"
)

// OpenAI is an embedding model on a server with OpenAI's API. It is safe for concurrent use.
type OpenAI struct {
	served
	client *gopenai.Client
	model  string
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
	o.once = o.batch
	if err := o.measure(ctx, "openai:"+name, config.BaseURL+" "+name, name); err != nil {
		return nil, err
	}
	return o, nil
}

// batch puts the vectors into the order of the texts: servers number them, and may send them in another one.
func (o *OpenAI) batch(ctx context.Context, texts []string) ([][]float32, error) {
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
