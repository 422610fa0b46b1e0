// Package replay stores what a model was asked and what it answered, and
// answers from the store later: the same run again without a model, on any
// machine.
//
// A folder holds model.json, which says what was recorded, and one file for
// each request, exchanges/<hash>.json, named by [llm.Request.Hash]. Raw
// replies are stored, before repairs, so a recording also serves to try other
// repairs. A request that is asked again and answered differently keeps all
// its answers. Each knows the episodes that got it, so that a run is replayed as it was, in whatever order its episodes are
// run now; an episode that was not recorded gets them in their order, and the last one stays.
package replay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sync"

	"almanac/agents/llm"
)

// stored is a file of exchanges.
type stored struct {
	Request json.RawMessage `json:"request"` // llm.Request.Canonical
	Answers []answer        `json:"answers"`
}

// answer is a reply or a failure. Given lists who got it, see [turn].
type answer struct {
	Given    []string      `json:"given,omitempty"`
	Response *llm.Response `json:"response,omitempty"`
	Error    *failure      `json:"error,omitempty"`
}

type failure struct {
	Kind    llm.Kind      `json:"kind"`
	Reason  string        `json:"reason,omitempty"`
	Op      string        `json:"op,omitempty"`
	Status  int           `json:"status,omitempty"`
	Message string        `json:"message"`
	Usage   llm.Usage     `json:"usage"`
	Timings llm.Timings   `json:"timings"`
	Reply   *llm.Response `json:"reply,omitempty"`
}

const schemaVersion = 1

// turn is the n-th time, from 1, that an episode asked the same.
func turn(req *llm.Request, n int) string {
	if req.Meta.Episode == "" {
		return ""
	}
	return fmt.Sprintf("%s #%d", req.Meta.Episode, n)
}

type header struct {
	Schema int           `json:"schema"`
	Name   string        `json:"name,omitempty"` // as the model was asked for, such as "ollama:qwen2.5-coder:1.5b"
	Model  llm.ModelInfo `json:"model"`
}

// Recorder passes requests to a model and stores the exchanges. It is safe for
// concurrent use within one process.
type Recorder struct {
	inner llm.Model
	store *store

	mu   sync.Mutex
	seen map[string]int // how often each hash was asked in this session
}

// store is the folder that all sessions of a recorder share.
type store struct {
	dir  string
	info llm.ModelInfo
	mu   sync.Mutex
}

// Record stores what inner answers under dir, which is made if need be. Name is
// how inner was asked for. A folder that holds another model's recording is
// refused.
func Record(ctx context.Context, dir, name string, inner llm.Model) (*Recorder, error) {
	info, err := llm.Describe(ctx, inner)
	if err != nil {
		return nil, fmt.Errorf("replay: recording: %w", err)
	}
	old, err := readHeader(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := os.MkdirAll(filepath.Join(dir, "exchanges"), 0o755); err != nil {
			return nil, fmt.Errorf("replay: recording: %w", err)
		}
		if err := writeJSON(filepath.Join(dir, "model.json"), header{schemaVersion, name, info}); err != nil {
			return nil, err
		}
	case err != nil:
		return nil, err
	case old.Model.Name != info.Name || old.Model.Digest != info.Digest:
		return nil, fmt.Errorf("replay: %s holds a recording of %s (%s), not of %s (%s): choose another folder",
			dir, old.Model.Name, old.Model.Digest, info.Name, info.Digest)
	}
	return &Recorder{inner: inner, store: &store{dir: dir, info: info}, seen: map[string]int{}}, nil
}

// Describe is the recorded model's.
func (r *Recorder) Describe(context.Context) (llm.ModelInfo, error) { return r.store.info, nil }

// Session records the wrapped model's session into the same folder.
func (r *Recorder) Session(setup, task string) llm.Model {
	return &Recorder{inner: llm.Session(r.inner, setup, task), store: r.store, seen: map[string]int{}}
}

// Generate asks the model and stores its answer. Failures that may pass, and
// those of the caller, are not stored. A failure to store is a failure of the
// call: a recording with holes is of no use.
func (r *Recorder) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	resp, err := r.inner.Generate(ctx, req)
	a := answer{Response: resp}
	if err != nil {
		e := llm.AsError(err)
		if e == nil || e.Transient() || ctx.Err() != nil {
			return resp, err
		}
		a = answer{Error: &failure{e.Kind, e.Reason, e.Op, e.Status, e.Message, e.Usage, e.Timings, e.Reply}}
	}
	if saveErr := r.save(req, a); saveErr != nil {
		return nil, &llm.Error{Kind: llm.KindScript, Op: "replay: storing an exchange", Usage: llm.UsageOf(resp, err), Err: saveErr}
	}
	return resp, err
}

func (r *Recorder) save(req *llm.Request, a answer) error {
	hash, err := req.Hash()
	if err != nil {
		return err
	}
	r.mu.Lock()
	r.seen[hash]++
	n := r.seen[hash]
	r.mu.Unlock()
	return r.store.save(req, hash, turn(req, n), a)
}

func (s *store) save(req *llm.Request, hash, turn string, a answer) error {
	canonical, err := req.Canonical()
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	path := filepath.Join(s.dir, "exchanges", hash+".json")
	entry, err := readStored(path)
	if errors.Is(err, fs.ErrNotExist) {
		entry, err = &stored{Request: canonical}, nil
	}
	if err != nil {
		return err
	}
	if entry.give(turn, a) {
		return writeJSON(path, entry)
	}
	return nil
}

// give adds an answer, or notes who got one that is there, and reports whether anything changed. An episode that is tried
// again takes its place in the turn: what it gets now is what counts.
func (s *stored) give(turn string, a answer) bool {
	at := slices.IndexFunc(s.Answers, func(old answer) bool { return same(old, a) })
	if at >= 0 && (turn == "" || slices.Contains(s.Answers[at].Given, turn)) {
		return false
	}
	if at < 0 {
		at = len(s.Answers)
		s.Answers = append(s.Answers, a)
	}
	if turn == "" {
		return true
	}
	for i := range s.Answers {
		s.Answers[i].Given = slices.DeleteFunc(s.Answers[i].Given, func(g string) bool { return g == turn })
	}
	s.Answers[at].Given = append(s.Answers[at].Given, turn)
	slices.Sort(s.Answers[at].Given) // the same recording, in whatever order episodes ended
	return true
}

// same compares what was answered, not how long it took.
func same(a, b answer) bool {
	if a.Error != nil || b.Error != nil {
		return a.Error != nil && b.Error != nil && a.Error.Kind == b.Error.Kind && a.Error.Reason == b.Error.Reason
	}
	return reflect.DeepEqual(plain(a.Response), plain(b.Response))
}

// plain is a response's message and probabilities in the form that they have
// after a round trip through JSON.
func plain(r *llm.Response) any {
	data, err := json.Marshal([]any{r.Message, r.Finish, r.Logprobs})
	if err != nil {
		return err.Error()
	}
	return string(data)
}

func readHeader(dir string) (header, error) {
	data, err := os.ReadFile(filepath.Join(dir, "model.json"))
	if err != nil {
		return header{}, fmt.Errorf("replay: reading a recording: %w", err)
	}
	var h header
	if err := json.Unmarshal(data, &h); err != nil {
		return header{}, fmt.Errorf("replay: %s/model.json: %w", dir, err)
	}
	if h.Schema != schemaVersion {
		return header{}, fmt.Errorf("replay: %s has schema %d; this program reads %d", dir, h.Schema, schemaVersion)
	}
	return h, nil
}

func readStored(path string) (*stored, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("replay: reading an exchange: %w", err)
	}
	var s stored
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, fmt.Errorf("replay: %s: %w", path, err)
	}
	return &s, nil
}

// writeJSON writes a file whole or not at all.
func writeJSON(path string, v any) error {
	data, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return fmt.Errorf("replay: writing %s: %w", path, err)
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".writing-*")
	if err != nil {
		return fmt.Errorf("replay: writing %s: %w", path, err)
	}
	_, err = tmp.Write(append(data, '\n'))
	if closeErr := tmp.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("replay: writing %s: %w", path, err), os.Remove(tmp.Name()))
	}
	return nil
}
