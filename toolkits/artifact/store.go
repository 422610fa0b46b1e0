// Package artifact keeps what tools make: content-addressed values on disk, each with its kind, unit, grid and time,
// and with a record of every call that made it.
//
// A value's [Hash] covers its kind and canonical bytes: data, variable, unit, CRS, grid, time. Equal data made twice
// is therefore one file with two [Provenance] records. Nothing is ever overwritten. A file is written under a
// temporary name and renamed, so that a reader, or a process killed at any byte, never sees half of one; what is
// read is verified against its hash first.
//
// The folder:
//
//	objects/3f/3fa1….raster    a line of metadata, then the canonical bytes
//	provenance.jsonl           a record a line, appended
package artifact

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// Hash is the lower-case hexadecimal SHA-256 of an artifact's kind and canonical bytes.
type Hash string

// Short returns the first twelve digits, for people.
func (h Hash) Short() string { return string(h[:min(12, len(h))]) }

func (h Hash) valid() bool {
	if len(h) != 2*sha256.Size {
		return false
	}
	_, err := hex.DecodeString(string(h))
	return err == nil && strings.ToLower(string(h)) == string(h)
}

var (
	// ErrNotFound is wrapped when no artifact has the hash that was asked for.
	ErrNotFound = errors.New("no such artifact")
	// ErrCorrupt is wrapped when a file's bytes do not have the hash that it is named for.
	ErrCorrupt = errors.New("artifact does not match its hash")
)

// WriteError is a store that cannot be written: the disk is full, or may not be written to. It is no fault of whoever made
// the artifact.
type WriteError struct {
	Op  string
	Err error
}

func (e *WriteError) Error() string { return "artifact: " + e.Op + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *WriteError) Unwrap() error { return e.Err }

const magic = "almanac artifact 1 "

// Options of a store. The zero value is useful.
type Options struct {
	// CacheBytes bounds the values kept in memory, by their encoded size. 0 means 64 MiB, negative none.
	CacheBytes int64
}

// Store is a folder of artifacts. It is safe for concurrent use, also by several processes on one folder.
type Store struct {
	dir   string
	cache *cache

	mu    sync.Mutex // guards log and known
	log   *os.File
	known map[Hash]Meta // artifacts that this process has seen on disk
	prov  provenanceIndex
}

// Open opens the store in dir, and makes the folder if it is not there.
func Open(dir string, opts *Options) (*Store, error) {
	if opts == nil {
		opts = &Options{}
	}
	limit := opts.CacheBytes
	if limit == 0 {
		limit = 64 << 20
	}
	if err := os.MkdirAll(filepath.Join(dir, "objects"), 0o755); err != nil {
		return nil, fmt.Errorf("artifact: opening the store: %w", err)
	}
	return &Store{dir: dir, cache: newCache(limit), known: map[Hash]Meta{}}, nil
}

// Close releases the store's open file.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.log == nil {
		return nil
	}
	err := s.log.Close()
	s.log = nil
	return err
}

// HashOf returns the hash that v has, without storing it.
func HashOf(v Value) (Hash, error) {
	_, meta, err := encode(v)
	return meta.Hash, err
}

func encode(v Value) ([]byte, Meta, error) {
	c, meta, err := describe(v)
	if err != nil {
		return nil, meta, err
	}
	payload, err := c.MarshalBinary()
	if err != nil {
		return nil, meta, fmt.Errorf("artifact: encoding a %s: %w", meta.Kind, err)
	}
	meta.Hash, meta.Bytes = sum(meta.Kind, payload), int64(len(payload))
	return payload, meta, nil
}

func sum(kind string, payload []byte) Hash {
	h := sha256.New()
	h.Write([]byte(kind + "\n"))
	h.Write(payload)
	return Hash(hex.EncodeToString(h.Sum(nil)))
}

// Put stores v and returns its metadata. Storing equal data again changes nothing. v must not be changed afterwards.
func (s *Store) Put(ctx context.Context, v Value) (Meta, error) {
	if err := ctx.Err(); err != nil {
		return Meta{}, err
	}
	payload, meta, err := encode(v)
	if err != nil {
		return Meta{}, err
	}
	s.mu.Lock()
	old, seen := s.known[meta.Hash]
	s.mu.Unlock()
	if seen {
		return old, nil
	}
	path := s.path(meta.Hash, meta.Kind)
	if stored, _, err := readFile(path, meta.Hash, meta.Kind); err == nil {
		meta = stored
	} else if err := writeFile(path, meta, payload); err != nil {
		return Meta{}, err
	}
	s.cache.put(meta.Hash, v, meta)
	s.mu.Lock()
	s.known[meta.Hash] = meta
	s.mu.Unlock()
	return meta, nil
}

// Get reads the artifact with hash h and verifies it. The error wraps [ErrNotFound] or [ErrCorrupt].
func (s *Store) Get(ctx context.Context, h Hash) (Value, Meta, error) {
	if v, meta, ok := s.cache.get(h); ok {
		return v, meta, nil
	}
	payload, meta, err := s.read(ctx, h)
	if err != nil {
		return nil, Meta{}, err
	}
	v, err := newValue(meta.Kind)
	if err != nil {
		return nil, Meta{}, err
	}
	if err := v.UnmarshalBinary(payload); err != nil {
		return nil, Meta{}, fmt.Errorf("artifact: decoding %s %s: %w", meta.Kind, h.Short(), err)
	}
	restore(v, meta)
	s.cache.put(h, v, meta)
	return v, meta, nil
}

// Meta returns what is known of the artifact with hash h without decoding its data.
func (s *Store) Meta(ctx context.Context, h Hash) (Meta, error) {
	s.mu.Lock()
	meta, ok := s.known[h]
	s.mu.Unlock()
	if ok {
		return meta, nil
	}
	_, meta, err := s.read(ctx, h)
	return meta, err
}

// Verify reads the artifact with hash h from disk, past every cache, and checks its bytes.
func (s *Store) Verify(ctx context.Context, h Hash) error {
	_, _, err := s.read(ctx, h)
	return err
}

// Entry is one artifact in a listing.
type Entry struct {
	Hash Hash
	Kind string
	Size int64 // bytes on disk
}

// List yields all artifacts, by hash. It reads folder entries only, no file.
func (s *Store) List(ctx context.Context) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		root := filepath.Join(s.dir, "objects")
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return errors.Join(err, ctx.Err())
			}
			name, kind, ok := strings.Cut(d.Name(), ".")
			if !ok || !Hash(name).valid() {
				return nil
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			if !yield(Entry{Hash(name), kind, info.Size()}, nil) {
				return fs.SkipAll
			}
			return nil
		})
		if err != nil {
			yield(Entry{}, fmt.Errorf("artifact: listing: %w", err))
		}
	}
}

func (s *Store) path(h Hash, kind string) string {
	return filepath.Join(s.dir, "objects", string(h[:2]), string(h)+"."+kind)
}

func (s *Store) read(ctx context.Context, h Hash) ([]byte, Meta, error) {
	if err := ctx.Err(); err != nil {
		return nil, Meta{}, err
	}
	if !h.valid() {
		return nil, Meta{}, fmt.Errorf("artifact: %w: %q is no hash (64 hexadecimal digits)", ErrNotFound, string(h))
	}
	matches, err := filepath.Glob(filepath.Join(s.dir, "objects", string(h[:2]), string(h)+".*"))
	if err != nil || len(matches) == 0 {
		return nil, Meta{}, fmt.Errorf("artifact: %w: %s", ErrNotFound, h)
	}
	kind := strings.TrimPrefix(filepath.Ext(matches[0]), ".")
	meta, payload, err := readFile(matches[0], h, kind)
	if err != nil {
		return nil, Meta{}, err
	}
	s.mu.Lock()
	s.known[h] = meta
	s.mu.Unlock()
	return payload, meta, nil
}

// readFile reads and verifies one file.
func readFile(path string, want Hash, kind string) (Meta, []byte, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Meta{}, nil, fmt.Errorf("artifact: %w", err)
	}
	head, payload, ok := bytes.Cut(data, []byte("\n"))
	if !ok || !bytes.HasPrefix(head, []byte(magic)) {
		return Meta{}, nil, fmt.Errorf("artifact: %w: %s has no header", ErrCorrupt, path)
	}
	var meta Meta
	if err := json.Unmarshal(head[len(magic):], &meta); err != nil {
		return Meta{}, nil, fmt.Errorf("artifact: %w: header of %s: %w", ErrCorrupt, path, err)
	}
	if got := sum(kind, payload); got != want || meta.Kind != kind {
		return Meta{}, nil, fmt.Errorf("artifact: %w: %s holds %s", ErrCorrupt, path, got)
	}
	meta.Hash = want
	return meta, payload, nil
}

// writeFile writes a file under another name first: the name of an artifact never stands for half of one. A file
// that is there but corrupt is replaced.
func writeFile(path string, meta Meta, payload []byte) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return &WriteError{"storing", err}
	}
	head, err := json.Marshal(meta)
	if err != nil {
		return &WriteError{"storing", err}
	}
	f, err := os.CreateTemp(dir, ".new-*")
	if err != nil {
		return &WriteError{"storing", err}
	}
	_, err = f.Write(append(append(append([]byte(magic), head...), '\n'), payload...))
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Chmod(f.Name(), 0o644)
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return &WriteError{"storing", errors.Join(err, os.Remove(f.Name()))}
	}
	return nil
}
