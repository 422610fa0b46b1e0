package vectors

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"sort"
)

// Manifest says what an index was made of. An index is used only where all of it is the same; else it is made anew.
type Manifest struct {
	Embedder       string `json:"embedder"`  // its name
	Digest         string `json:"digest"`    // of the model's weights
	Dimension      int    `json:"dimension"` // of the vectors, which have length 1
	DocumentPrefix string `json:"document_prefix"`
	QueryPrefix    string `json:"query_prefix"`
	Source         string `json:"source"` // hash of the texts
}

// Why a stored index is not used, for callers that make it anew and say so.
var (
	ErrCorrupt  = errors.New("the stored index is damaged")
	ErrOutdated = errors.New("the stored index was made of something else")
)

const schema = 1

type header struct {
	Schema   int      `json:"schema"`
	Manifest Manifest `json:"manifest"`
	Entries  int      `json:"entries"`
	SHA256   string   `json:"sha256"` // of everything after this line
}

type line struct {
	ID       string            `json:"id"`
	Text     string            `json:"text"`
	Metadata map[string]string `json:"metadata,omitempty"`
	Vector   string            `json:"vector"` // base64 of little-endian float32
}

// Save writes entries with their manifest to a file: whole, or not at all. Whoever opens it meanwhile has the old one.
func Save(path string, m Manifest, entries []Entry) error {
	entries = append([]Entry(nil), entries...)
	sort.Slice(entries, func(i, j int) bool { return entries[i].ID < entries[j].ID })
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	for _, e := range entries {
		if err := enc.Encode(line{e.ID, e.Text, e.Metadata, encoded(e.Vector)}); err != nil {
			return fmt.Errorf("vectors: saving: %w", err)
		}
	}
	sum := sha256.Sum256(body.Bytes())
	head, err := json.Marshal(header{schema, m, len(entries), hex.EncodeToString(sum[:])})
	if err != nil {
		return fmt.Errorf("vectors: saving: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("vectors: saving: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("vectors: saving: %w", err)
	}
	_, err = f.Write(append(append(head, '\n'), body.Bytes()...))
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("vectors: saving: %w", errors.Join(err, os.Remove(f.Name())))
	}
	return nil
}

// Load reads an index that [Save] wrote. It fails with [ErrCorrupt] for a file that is not whole, with [ErrOutdated] for
// one with another manifest, and with [fs.ErrNotExist] where there is none.
func Load(ctx context.Context, path string, want Manifest) (*Index, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("vectors: %w: %w", ErrCorrupt, err)
	}
	first, body, ok := bytes.Cut(data, []byte("\n"))
	var h header
	err = json.Unmarshal(first, &h)
	if again, _ := json.Marshal(h); !ok || err != nil || !bytes.Equal(first, again) {
		return nil, fmt.Errorf("vectors: %w: %s does not begin as an index does", ErrCorrupt, path)
	}
	if h.Schema != schema || h.Manifest != want {
		return nil, fmt.Errorf("vectors: %w: %s", ErrOutdated, difference(h, want))
	}
	if sum := sha256.Sum256(body); hex.EncodeToString(sum[:]) != h.SHA256 {
		return nil, fmt.Errorf("vectors: %w: %s does not have the checksum that it states", ErrCorrupt, path)
	}
	entries, err := readLines(body)
	if err != nil || len(entries) != h.Entries {
		return nil, fmt.Errorf("vectors: %w: %s: %d entries of %d, %v", ErrCorrupt, path, len(entries), h.Entries, err)
	}
	x, err := New(want.Dimension)
	if err == nil {
		err = x.Add(ctx, entries...)
	}
	if err != nil {
		return nil, fmt.Errorf("vectors: %w: %s: %w", ErrCorrupt, path, err)
	}
	return x, nil
}

// difference names the first thing in which a stored manifest is another.
func difference(h header, want Manifest) string {
	got := h.Manifest
	switch {
	case h.Schema != schema:
		return fmt.Sprintf("schema %d, not %d", h.Schema, schema)
	case got.Embedder != want.Embedder:
		return fmt.Sprintf("embedder %s, not %s", got.Embedder, want.Embedder)
	case got.Digest != want.Digest:
		return fmt.Sprintf("other weights of %s", want.Embedder)
	case got.Dimension != want.Dimension:
		return fmt.Sprintf("vectors of length %d, not %d", got.Dimension, want.Dimension)
	case got.DocumentPrefix != want.DocumentPrefix, got.QueryPrefix != want.QueryPrefix:
		return "other prefixes"
	}
	return "other texts"
}

func readLines(body []byte) ([]Entry, error) {
	var out []Entry
	in := bufio.NewScanner(bytes.NewReader(body))
	in.Buffer(nil, len(body)+1)
	for in.Scan() {
		var l line
		if err := json.Unmarshal(in.Bytes(), &l); err != nil {
			return out, err
		}
		v, err := decoded(l.Vector)
		if err != nil {
			return out, err
		}
		out = append(out, Entry{l.ID, l.Text, l.Metadata, v})
	}
	return out, in.Err()
}

func encoded(v []float32) string {
	raw := make([]byte, 0, 4*len(v))
	for _, x := range v {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(x))
	}
	return base64.StdEncoding.EncodeToString(raw)
}

func decoded(s string) ([]float32, error) {
	raw, err := base64.StdEncoding.DecodeString(s)
	if err != nil || len(raw)%4 != 0 {
		return nil, fmt.Errorf("a vector of %d bytes: %v", len(raw), err)
	}
	v := make([]float32, len(raw)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	return v, nil
}
