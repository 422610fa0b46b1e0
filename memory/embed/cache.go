package embed

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sync"
)

// Cached keeps the vectors of a model on disk, by the model's identity and the text: the same text is embedded once, also
// when several ask for it at the same time. A folder that cannot be written to costs speed and nothing else; a damaged
// file is embedded anew. It is safe for concurrent use, also by several processes.
type Cached struct {
	model Model
	dir   string

	mu     sync.Mutex
	flying map[string]*flight
}

// flight is a text that is being embedded.
type flight struct {
	done   chan struct{}
	vector []float32
	err    error
}

// NewCached keeps what model makes in a folder of dir.
func NewCached(model Model, dir string) *Cached {
	id := model.Identity()
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %q %d", id.Name, id.Digest, id.DocumentPrefix, id.QueryPrefix, id.Dimension))
	return &Cached{model: model, dir: filepath.Join(dir, hex.EncodeToString(sum[:16])), flying: map[string]*flight{}}
}

// Identity is that of the model.
func (c *Cached) Identity() Identity { return c.model.Identity() }

// EmbedDocuments embeds what is not there yet, in one request.
func (c *Cached) EmbedDocuments(ctx context.Context, texts []string) ([][]float32, error) {
	return c.embed(ctx, "document", texts, c.model.EmbedDocuments)
}

// EmbedQuery embeds a text to look with, if it is not there yet.
func (c *Cached) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	vs, err := c.embed(ctx, "query", []string{text}, func(ctx context.Context, texts []string) ([][]float32, error) {
		v, err := c.model.EmbedQuery(ctx, texts[0])
		return [][]float32{v}, err
	})
	if err != nil {
		return nil, err
	}
	return vs[0], nil
}

func (c *Cached) embed(ctx context.Context, kind string, texts []string, request func(context.Context, []string) ([][]float32, error)) ([][]float32, error) {
	all := make([]*flight, len(texts))
	mine := map[string]*flight{}
	var want []string
	c.mu.Lock()
	for i, text := range texts {
		key := c.key(kind, text)
		f, flying := c.flying[key]
		if !flying {
			f = &flight{done: make(chan struct{})}
			c.flying[key], mine[key] = f, f
			want = append(want, text)
		}
		all[i] = f
	}
	c.mu.Unlock()
	c.land(ctx, kind, want, mine, request)
	out := make([][]float32, len(texts))
	for i, f := range all {
		select {
		case <-f.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if errors.Is(f.err, context.Canceled) && ctx.Err() == nil {
			return c.embed(ctx, kind, texts, request) // another caller gave up; this one did not
		}
		if f.err != nil {
			return nil, f.err
		}
		out[i] = append([]float32(nil), f.vector...)
	}
	return out, nil
}

// land fills the flights of this caller: from disk, or by the model. The others wait for them.
func (c *Cached) land(ctx context.Context, kind string, want []string, mine map[string]*flight, request func(context.Context, []string) ([][]float32, error)) {
	var missing []string
	for _, text := range want {
		if f := mine[c.key(kind, text)]; !c.read(c.key(kind, text), f) {
			missing = append(missing, text)
		}
	}
	var vs [][]float32
	var err error
	if len(missing) > 0 {
		vs, err = request(ctx, missing)
	}
	for i, text := range missing {
		f := mine[c.key(kind, text)]
		if f.err = err; err == nil {
			f.vector = vs[i]
			c.write(c.key(kind, text), f.vector)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, f := range mine {
		delete(c.flying, key)
		close(f.done)
	}
}

func (c *Cached) key(kind, text string) string {
	sum := sha256.Sum256([]byte(kind + "\x00" + text))
	return hex.EncodeToString(sum[:])
}

// read takes a vector from disk: its components, and a checksum of them.
func (c *Cached) read(key string, f *flight) bool {
	data, err := os.ReadFile(filepath.Join(c.dir, key))
	n := c.model.Identity().Dimension
	if err != nil || len(data) != 4*n+sha256.Size || sha256.Sum256(data[:4*n]) != [sha256.Size]byte(data[4*n:]) {
		return false
	}
	f.vector = make([]float32, n)
	for i := range f.vector {
		f.vector[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return true
}

// write stores a vector under another name first, so that nobody reads half of it. A cache that cannot be written is no
// error: the vector is there.
func (c *Cached) write(key string, v []float32) {
	if os.MkdirAll(c.dir, 0o755) != nil {
		return
	}
	data := make([]byte, 0, 4*len(v)+sha256.Size)
	for _, x := range v {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
	}
	sum := sha256.Sum256(data)
	file, err := os.CreateTemp(c.dir, "."+key[:8]+"-*")
	if err != nil {
		return
	}
	_, err = file.Write(append(data, sum[:]...))
	if file.Close() != nil || err != nil || os.Rename(file.Name(), filepath.Join(c.dir, key)) != nil {
		_ = os.Remove(file.Name()) // what is left of it is no vector's file
	}
}
