// Package vectors finds the entries whose vectors are nearest to another, by cosine similarity. It is exact, and the same
// for the same entries: equal similarities are in the order of the ids.
//
// It stands on chromem-go (in memory), and keeps from its callers what that leaves to them, found on v0.7.0: a k above the
// number of entries is an error there; equal similarities come in random order, and which of them are cut off is random
// too; a zero or NaN vector is taken and ranks; vectors of another length are taken and make every later query fail; an
// empty filter deletes everything; its files are not written whole, and one truncated file makes all of them unreadable;
// what a collection was made with cannot be read back; without an embedder it calls a service on the network. So vectors
// are checked on their way in, ties are sorted, and an index is stored by [Save] in one file with a manifest and a
// checksum.
package vectors

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"runtime"
	"sort"
	"sync"

	"github.com/philippgille/chromem-go"
)

// Entry is a text with its vector and what else is known of it.
type Entry struct {
	ID       string // not empty, unique in an index
	Text     string
	Metadata map[string]string
	Vector   []float32 // finite, not zero; kept with length 1
}

// Match is an entry with its similarity to what was asked for: the cosine, -1 to 1.
type Match struct {
	ID       string
	Text     string
	Metadata map[string]string
	Score    float64
}

// Faults of vectors, for callers that branch on them.
var (
	ErrDimension = errors.New("the vector has another length than those of the index")
	ErrVector    = errors.New("the vector has no direction")
)

// Index is a set of entries. It is safe for concurrent use.
type Index struct {
	mu        sync.RWMutex
	entries   *chromem.Collection
	ids       map[string]bool
	dimension int
}

// New makes an empty index of vectors of that length; 0 leaves it to the first entry.
func New(dimension int) (*Index, error) {
	// The embedder is never called: entries come with vectors. None would mean a hosted service.
	refuse := func(context.Context, string) ([]float32, error) {
		return nil, errors.New("vectors: an index embeds nothing")
	}
	c, err := chromem.NewDB().CreateCollection("entries", nil, refuse)
	if err != nil {
		return nil, fmt.Errorf("vectors: %w", err)
	}
	return &Index{entries: c, ids: map[string]bool{}, dimension: dimension}, nil
}

// Len is the number of entries.
func (x *Index) Len() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return len(x.ids)
}

// Dimension is the length of the vectors, 0 while nobody has said it.
func (x *Index) Dimension() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.dimension
}

// Add puts entries in, all or none; one whose id is there takes its place. It fails with [ErrDimension] or [ErrVector],
// and for an id that is empty or given twice.
func (x *Index) Add(ctx context.Context, entries ...Entry) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	dimension := x.dimension
	docs := make([]chromem.Document, len(entries))
	given := map[string]bool{}
	for i, e := range entries {
		if e.ID == "" || given[e.ID] {
			return fmt.Errorf("vectors: adding entry %d: the id %q is empty or given twice", i+1, e.ID)
		}
		given[e.ID] = true
		if dimension == 0 {
			dimension = len(e.Vector)
		}
		unit, err := normalised(e.Vector, dimension)
		if err != nil {
			return fmt.Errorf("vectors: adding %q: %w", e.ID, err)
		}
		docs[i] = chromem.Document{ID: e.ID, Content: e.Text, Metadata: maps.Clone(e.Metadata), Embedding: unit}
	}
	if len(docs) == 0 {
		return nil
	}
	if err := x.entries.AddDocuments(ctx, docs, runtime.NumCPU()); err != nil {
		return fmt.Errorf("vectors: %w", err)
	}
	maps.Copy(x.ids, given)
	x.dimension = dimension
	return nil
}

// Remove takes entries out. Ids that are not there are passed over; no ids remove nothing.
func (x *Index) Remove(ctx context.Context, ids ...string) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	var there []string
	for _, id := range ids {
		if x.ids[id] {
			there = append(there, id)
			delete(x.ids, id)
		}
	}
	if len(there) == 0 {
		return ctx.Err()
	}
	if err := x.entries.Delete(ctx, nil, nil, there...); err != nil {
		return fmt.Errorf("vectors: %w", err)
	}
	return nil
}

// Query returns the k entries nearest to the vector, the nearest first, out of those with the given metadata (nil: all).
// A k above their number returns all of them.
func (x *Index) Query(ctx context.Context, vector []float32, k int, where map[string]string) ([]Match, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if len(x.ids) == 0 || k <= 0 {
		return nil, ctx.Err()
	}
	unit, err := normalised(vector, x.dimension)
	if err != nil {
		return nil, fmt.Errorf("vectors: asking: %w", err)
	}
	// One more than asked for shows whether entries as near as the last were cut off: then more are needed to choose
	// among them by id.
	for n := k + 1; ; n *= 2 {
		n = min(n, len(x.ids))
		found, err := x.entries.QueryEmbedding(ctx, unit, n, where, nil)
		if err != nil {
			return nil, fmt.Errorf("vectors: %w", err)
		}
		if whole := len(found) < n || n == len(x.ids); whole || found[k-1].Similarity > found[len(found)-1].Similarity {
			return sorted(found, k), nil
		}
	}
}

func sorted(found []chromem.Result, k int) []Match {
	sort.Slice(found, func(i, j int) bool {
		if found[i].Similarity != found[j].Similarity {
			return found[i].Similarity > found[j].Similarity
		}
		return found[i].ID < found[j].ID
	})
	out := make([]Match, min(k, len(found)))
	for i := range out {
		r := found[i]
		out[i] = Match{ID: r.ID, Text: r.Content, Metadata: maps.Clone(r.Metadata), Score: float64(r.Similarity)}
	}
	return out
}

// normalised is the vector with length 1.
func normalised(v []float32, dimension int) ([]float32, error) {
	if len(v) != dimension || len(v) == 0 {
		return nil, fmt.Errorf("%w: %d, not %d", ErrDimension, len(v), dimension)
	}
	sum := 0.0
	for i, x := range v {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return nil, fmt.Errorf("%w: component %d is %v", ErrVector, i, x)
		}
		sum += float64(x) * float64(x)
	}
	if sum == 0 {
		return nil, fmt.Errorf("%w: all its components are 0", ErrVector)
	}
	norm := math.Sqrt(sum)
	out := make([]float32, len(v))
	for i, x := range v {
		out[i] = float32(float64(x) / norm)
	}
	return out, nil
}
