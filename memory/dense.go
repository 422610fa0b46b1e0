package memory

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sort"

	"almanac/memory/embed"
	"almanac/memory/vectors"
	"almanac/toolkits"
)

// Dense is an index of tools by meaning: by the vectors of their entries. It is safe for concurrent use.
type Dense struct {
	model   embed.Model
	entries *vectors.Index
}

// DenseOptions of [OpenDense]. The zero value is useful.
type DenseOptions struct {
	// File is where the index is stored; "" keeps it in memory.
	File string
	// Note is told what is out of the ordinary: that a stored index is made anew, and why. Nil tells nobody.
	Note func(string)
}

// OpenDense takes the stored index of the tools, or makes it: where none is stored, where it is damaged, and where it was
// made of other texts or by another model.
func OpenDense(ctx context.Context, tools []*toolkits.Tool, model embed.Model, opts *DenseOptions) (*Dense, error) {
	if opts == nil {
		opts = &DenseOptions{}
	}
	note := opts.Note
	if note == nil {
		note = func(string) {}
	}
	d := &Dense{model: model}
	list := entriesOf(tools)
	id := model.Identity()
	m := vectors.Manifest{
		Embedder: id.Name, Digest: id.Digest, Dimension: id.Dimension, DocumentPrefix: id.DocumentPrefix, QueryPrefix: id.QueryPrefix, Source: hashOf(list),
	}
	var err error
	if opts.File != "" {
		if d.entries, err = vectors.Load(ctx, opts.File, m); err == nil {
			return d, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			note(fmt.Sprintf("the index of tools is made anew: %v", err))
		}
	}
	in, err := d.build(ctx, list, note)
	if err != nil {
		return nil, err
	}
	if opts.File != "" && len(in) == len(list) { // one that lacks entries is tried again the next time
		if err := vectors.Save(opts.File, m, in); err != nil {
			note(fmt.Sprintf("the index of tools could not be stored: %v", err))
		}
	}
	return d, nil
}

// toolKey is the metadata in which an entry has its tool's name.
const toolKey = "tool"

// entriesOf are the texts by which tools are found: what each is for, and each of its example questions.
func entriesOf(tools []*toolkits.Tool) []vectors.Entry {
	var out []vectors.Entry
	for _, t := range tools {
		for i, text := range append([]string{t.Purpose}, t.Examples...) {
			out = append(out, vectors.Entry{ID: fmt.Sprintf("%s#%02d", t.Name, i), Text: text, Metadata: map[string]string{toolKey: t.Name}})
		}
	}
	return out
}

func hashOf(list []vectors.Entry) string {
	h := sha256.New()
	for _, e := range list {
		fmt.Fprintf(h, "%q %q\n", e.ID, e.Text)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// build embeds the entries, and sets their vectors. An entry that the model fails at is left out and named: its tool is
// still found by its words. It returns those that are in.
func (d *Dense) build(ctx context.Context, list []vectors.Entry, note func(string)) ([]vectors.Entry, error) {
	in, err := d.embed(ctx, list, note)
	if err != nil {
		return nil, fmt.Errorf("memory: embedding the tools: %w", err)
	}
	if len(in) == 0 && len(list) > 0 {
		return nil, fmt.Errorf("memory: embedding the tools: %s failed at every text", d.model.Identity().Name)
	}
	if d.entries, err = vectors.New(d.model.Identity().Dimension); err == nil {
		err = d.entries.Add(ctx, in...)
	}
	if err != nil {
		return nil, fmt.Errorf("memory: %s: %w", d.model.Identity().Name, err)
	}
	twins(in, note)
	return in, nil
}

// embed embeds a list at once, and where that fails each half by itself, so that one bad text takes no others along. A
// server that is not there, and one that answers without a vector, fail at all of them.
func (d *Dense) embed(ctx context.Context, list []vectors.Entry, note func(string)) ([]vectors.Entry, error) {
	texts := make([]string, len(list))
	for i, e := range list {
		texts[i] = e.Text
	}
	vs, err := d.model.EmbedDocuments(ctx, texts)
	switch {
	case err == nil:
		out := slices.Clone(list)
		for i := range out {
			out[i].Vector = vs[i]
		}
		return out, nil
	case errors.Is(err, embed.ErrNoVector) && len(list) == 1:
		return nil, fmt.Errorf("%s: %w", list[0].Metadata[toolKey], err)
	case ctx.Err() != nil || errors.Is(err, embed.ErrUnavailable):
		return nil, err
	case len(list) == 1:
		note(fmt.Sprintf("%s is found by its words alone as %q: %v", list[0].Metadata[toolKey], list[0].Text, err))
		return nil, nil
	}
	half := len(list) / 2
	first, err := d.embed(ctx, list[:half], note)
	if err != nil {
		return nil, err
	}
	second, err := d.embed(ctx, list[half:], note)
	return append(first, second...), err
}

// twins names tools that a model cannot tell apart: texts of theirs that differ have one vector, as when they are cut.
func twins(list []vectors.Entry, note func(string)) {
	first := map[string]vectors.Entry{}
	for _, e := range list {
		key := fmt.Sprint(e.Vector)
		other, there := first[key]
		if !there {
			first[key] = e
		} else if other.Metadata[toolKey] != e.Metadata[toolKey] && other.Text != e.Text {
			note(fmt.Sprintf("%s and %s cannot be told apart by meaning: two texts of theirs have one vector", other.Metadata[toolKey], e.Metadata[toolKey]))
		}
	}
}

// Name says which index this is.
func (d *Dense) Name() string { return d.model.Identity().Name }

// Query returns the k best tools for the text out of those that keep accepts (nil: all), best first, ties by name. A
// tool's score is the cosine similarity of its best entry.
func (d *Dense) Query(ctx context.Context, text string, k int, keep func(tool string) bool) ([]Hit, error) {
	v, err := d.model.EmbedQuery(ctx, text)
	if err != nil {
		return nil, fmt.Errorf("memory: %w", err)
	}
	found, err := d.entries.Query(ctx, v, d.entries.Len(), nil)
	if err != nil {
		return nil, fmt.Errorf("memory: %w", err)
	}
	var out []Hit
	seen := map[string]bool{}
	for _, m := range found {
		tool := m.Metadata[toolKey]
		if seen[tool] || keep != nil && !keep(tool) {
			continue
		}
		seen[tool] = true
		out = append(out, Hit{Tool: tool, Score: m.Score, Entry: m.Text})
	}
	sort.SliceStable(out, func(i, j int) bool {
		if out[i].Score != out[j].Score {
			return out[i].Score > out[j].Score
		}
		return out[i].Tool < out[j].Tool
	})
	return out[:max(0, min(k, len(out)))], nil
}
