package vectors_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"almanac/memory/vectors"
)

var manifest = vectors.Manifest{Embedder: "toy", Digest: "d1", Dimension: 2, Source: "s1"}

func saved(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "index", "tools.idx")
	a := at("a", 1, 0)
	a.Metadata = map[string]string{"agent": "gis"}
	if err := vectors.Save(path, manifest, []vectors.Entry{at("b", 3, 4), a}); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestSaveAndLoad(t *testing.T) {
	x, err := vectors.Load(t.Context(), saved(t), manifest)
	if err != nil || x.Len() != 2 || x.Dimension() != 2 {
		t.Fatal(x, err)
	}
	ms, err := x.Query(t.Context(), []float32{1, 0}, 2, nil)
	if err != nil || ids(ms) != "a b" || ms[0].Metadata["agent"] != "gis" || ms[1].Text != "b" {
		t.Errorf("%+v, %v", ms, err)
	}
	if _, err := vectors.Load(t.Context(), filepath.Join(t.TempDir(), "none"), manifest); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// Whatever an index was made of, another thing is another index.
func TestAnotherManifestIsOutdated(t *testing.T) {
	path := saved(t)
	for word, m := range map[string]vectors.Manifest{
		"embedder": {Embedder: "other", Digest: "d1", Dimension: 2, Source: "s1"},
		"weights":  {Embedder: "toy", Digest: "d2", Dimension: 2, Source: "s1"},
		"length":   {Embedder: "toy", Digest: "d1", Dimension: 3, Source: "s1"},
		"texts":    {Embedder: "toy", Digest: "d1", Dimension: 2, Source: "s2"},
		"prefixes": {Embedder: "toy", Digest: "d1", Dimension: 2, Source: "s1", QueryPrefix: "query: "},
	} {
		if _, err := vectors.Load(t.Context(), path, m); !errors.Is(err, vectors.ErrOutdated) || !strings.Contains(err.Error(), word) {
			t.Errorf("%s: %v", word, err)
		}
	}
}

// A write that ends at any byte, and a file of which any byte is another, are found out.
func TestDamageIsFound(t *testing.T) {
	path := saved(t)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	try := func(what string, data []byte) {
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := vectors.Load(t.Context(), path, manifest)
		if !errors.Is(err, vectors.ErrCorrupt) && !errors.Is(err, vectors.ErrOutdated) {
			t.Fatalf("%s: %v", what, err)
		}
	}
	for n := range whole {
		try(fmt.Sprintf("cut at %d", n), whole[:n])
		other := append([]byte(nil), whole...)
		other[n] ^= 1
		try(fmt.Sprintf("byte %d", n), other)
	}
	try("more behind it", append(append([]byte(nil), whole...), "{}\n"...))
}

// Processes that write at once: one of them is what is read, whole.
func TestFieldC18WritersAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.idx")
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for range 20 {
				if err := vectors.Save(path, manifest, []vectors.Entry{at(fmt.Sprint(g), 1, float32(g))}); err != nil {
					t.Error(err)
				}
				if x, err := vectors.Load(context.Background(), path, manifest); err != nil || x.Len() != 1 {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if left, _ := filepath.Glob(path + ".*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestReadOnlyFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	// A file where the folder should be refuses everybody, root as well.
	if err := vectors.Save(filepath.Join(file, "x.idx"), manifest, nil); err == nil {
		t.Error("saved into a file")
	}
}
