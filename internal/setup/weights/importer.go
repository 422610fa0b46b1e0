package weights

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"

	"github.com/ollama/ollama/api"
)

// Prefix is the namespace that imported models stand under on the server.
const Prefix = "almanac/"

// Importer puts models on one Ollama server.
type Importer struct {
	base   *url.URL
	client *api.Client
}

// NewImporter talks to the server at base.
func NewImporter(base *url.URL) *Importer {
	return &Importer{base: base, client: api.NewClient(base, &http.Client{})}
}

// Current reports whether the server has the model as this package would import it now: with its template and the
// capability it is there for. A model that was imported without a template, or with an older one, is not current.
func (i *Importer) Current(ctx context.Context, m Model) (bool, error) {
	resp, err := i.client.Show(ctx, &api.ShowRequest{Model: Prefix + m.Name})
	if err != nil {
		if isStatus(err, http.StatusNotFound) {
			return false, nil
		}
		return false, fmt.Errorf("weights: asking for %s: %w", Prefix+m.Name, err)
	}
	if m.Kind == KindGGUF && resp.Template != chatTemplate {
		return false, nil
	}
	return missingCapability(m, resp) == "", nil
}

// Holds reports whether the server has all blobs of the model already, so that no file is needed to create it.
func (i *Importer) Holds(ctx context.Context, m Model) (bool, error) {
	for _, digest := range m.digests() {
		has, err := i.hasBlob(ctx, digest)
		if err != nil || !has {
			return false, err
		}
	}
	return true, nil
}

// Import sends the files that the server lacks, creates the model, and checks that the server says of it what it
// should. files may be empty when [Importer.Holds] is true.
func (i *Importer) Import(ctx context.Context, m Model, files map[string]string) error {
	digests := m.digests()
	for _, name := range slices.Sorted(maps.Keys(digests)) {
		if err := i.send(ctx, digests[name], files[name]); err != nil {
			return fmt.Errorf("weights: importing %s: %w", m.Name, err)
		}
	}
	request := &api.CreateRequest{Model: Prefix + m.Name, Files: digests, License: m.Licence}
	if m.Kind == KindGGUF {
		request.Template = chatTemplate
		request.Parameters = map[string]any{"stop": []string{"<|im_end|>", "<|im_start|>", "<|endoftext|>"}}
	}
	last := "nothing"
	err := i.client.Create(ctx, request, func(p api.ProgressResponse) error {
		last = p.Status
		return nil
	})
	if err == nil && last != "success" {
		err = fmt.Errorf("the server's answer broke off after %q", last)
	}
	if err != nil {
		return fmt.Errorf("weights: importing %s: creating it: %w", m.Name, err)
	}
	resp, err := i.client.Show(ctx, &api.ShowRequest{Model: Prefix + m.Name})
	if err != nil {
		return fmt.Errorf("weights: importing %s: it was created but cannot be shown: %w", m.Name, err)
	}
	if lacks := missingCapability(m, resp); lacks != "" {
		return fmt.Errorf("weights: importing %s: the server says capabilities %v, %q is missing", m.Name, resp.Capabilities, lacks)
	}
	return nil
}

// digests are the model's files by the path that the server is told, each as "sha256:…".
func (m Model) digests() map[string]string {
	if m.Kind == KindGGUF {
		return map[string]string{m.File: "sha256:" + m.SHA256}
	}
	out := make(map[string]string, len(m.Parts))
	for _, p := range m.Parts {
		out[p.Path] = "sha256:" + p.SHA256
	}
	return out
}

// send posts a blob that the server lacks. One that it has must not be posted: the server answers before it has read
// the body and resets the connection.
func (i *Importer) send(ctx context.Context, digest, path string) error {
	has, err := i.hasBlob(ctx, digest)
	if err != nil || has {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := i.client.CreateBlob(ctx, digest, f); err != nil {
		return fmt.Errorf("sending %s: %w", path, err)
	}
	return nil
}

func (i *Importer) hasBlob(ctx context.Context, digest string) (bool, error) {
	u := i.base.JoinPath("api", "blobs", digest)
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, u.String(), nil)
	if err != nil {
		return false, fmt.Errorf("asking for blob %s: %w", digest, err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return false, fmt.Errorf("asking for blob %s: %w", digest, err)
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusOK:
		return true, nil
	case http.StatusNotFound:
		return false, nil
	}
	return false, fmt.Errorf("asking for blob %s: status %s", digest, resp.Status)
}

// missingCapability names what the server does not say of the model though it is there for it, or "".
func missingCapability(m Model, resp *api.ShowResponse) string {
	want := []string{"completion", "tools"}
	if m.Kind == KindFolder {
		want = []string{"embedding"}
	}
	for _, w := range want {
		found := false
		for _, c := range resp.Capabilities {
			found = found || string(c) == w
		}
		if !found {
			return w
		}
	}
	return ""
}
