package weights

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ollama/ollama/api"
)

// ErrUnreachable means that Ollama's library gave nothing at all, as on a machine that reaches only package
// registries.
var ErrUnreachable = errors.New("the model library cannot be reached")

// Pull asks the server to fetch a model from Ollama's library. An error before the first byte is an [ErrUnreachable];
// a later one is not, since the server resumes the same pull when it is asked again. progress gets a line for each
// change of status and about every 5 % of a file.
func (i *Importer) Pull(ctx context.Context, name string, firstByte time.Duration, progress func(string)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	timer := time.AfterFunc(firstByte, func() { cancel(fmt.Errorf("no byte within %v", firstByte)) })
	defer timer.Stop()
	began, succeeded := false, false
	said := ""
	err := i.client.Pull(ctx, &api.PullRequest{Model: name}, func(p api.ProgressResponse) error {
		if succeeded = p.Status == "success"; succeeded || p.Completed > 0 {
			began = true
			timer.Stop()
		}
		line := p.Status
		if p.Total > 0 {
			line = fmt.Sprintf("%s, %d %% of %d MB", p.Status, p.Completed*20/p.Total*5, p.Total/1e6)
		}
		if line != said {
			said = line
			progress(name + ": " + line)
		}
		return nil
	})
	if err == nil && !succeeded {
		// The client reports no error for a stream that breaks off.
		err = errors.New("the server's answer broke off")
	}
	switch {
	case err == nil:
		return nil
	case began:
		return fmt.Errorf("weights: pulling %s (run again: it resumes): %w", name, err)
	case isStatus(err, 404):
		return fmt.Errorf("weights: pulling %s: %w", name, err)
	}
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	return fmt.Errorf("weights: pulling %s: %w: %v", name, ErrUnreachable, err)
}

// isStatus reports whether the server answered with the status.
func isStatus(err error, code int) bool {
	var status api.StatusError
	return errors.As(err, &status) && status.StatusCode == code
}
