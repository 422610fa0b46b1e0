package artifact_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"almanac/toolkits/artifact"
	"almanac/toolkits/table"

	"github.com/google/go-cmp/cmp"
)

func open(t testing.TB, dir string) *artifact.Store {
	t.Helper()
	s, err := artifact.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func scalar(v float64) *artifact.Scalar {
	return &artifact.Scalar{Value: v, Type: artifact.Number, Unit: "degC", Variable: "sst"}
}

func TestHashIsOfKindAndBytes(t *testing.T) {
	// The bytes of a scalar are its JSON; the hash is that of "scalar\n" and these bytes.
	want := sha256.Sum256([]byte("scalar\n" + `{"value":1.5,"type":"number","unit":"degC","variable":"sst"}`))
	got, err := artifact.HashOf(scalar(1.5))
	if err != nil || string(got) != hex.EncodeToString(want[:]) {
		t.Errorf("got %s, %v, want %x", got, err, want)
	}
}

func TestPutGetInAnotherProcess(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	tab := &table.Table{Columns: []table.Column{{Name: "n", Unit: "mm", Type: table.Number, Numbers: []float64{1, 2}}}, Source: "here"}
	meta, err := open(t, dir).Put(ctx, tab)
	if err != nil {
		t.Fatal(err)
	}
	got, m, err := open(t, dir).Get(ctx, meta.Hash) // a second store: nothing in memory
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(tab, got); d != "" || m.Source != "here" {
		t.Errorf("source %q, %s", m.Source, d)
	}
}

func TestEqualDataIsOneArtifactWithTwoProvenances(t *testing.T) {
	ctx, s := context.Background(), open(t, t.TempDir())
	a, err := s.Put(ctx, &table.Table{Columns: []table.Column{{Name: "n", Type: table.Number, Numbers: []float64{1}}}, Source: "one"})
	if err != nil {
		t.Fatal(err)
	}
	b, err := s.Put(ctx, &table.Table{Columns: []table.Column{{Name: "n", Type: table.Number, Numbers: []float64{1}}}, Source: "two"})
	if err != nil || a.Hash != b.Hash {
		t.Fatalf("%s and %s, %v", a.Hash, b.Hash, err)
	}
	for _, call := range []string{"k1", "k2", "k1"} {
		if err := s.Record(ctx, artifact.Provenance{Artifact: a.Hash, Field: "n", Call: call, Tool: "data.open"}); err != nil {
			t.Fatal(err)
		}
	}
	recs, err := s.Provenance(ctx, a.Hash)
	if err != nil || len(recs) != 2 {
		t.Errorf("%d records, %v, want 2", len(recs), err)
	}
}

func TestCorruptFileIsNamed(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	meta, err := open(t, dir).Put(ctx, scalar(2))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "objects", string(meta.Hash[:2]), string(meta.Hash)+".scalar")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(data), `"value":2`, `"value":3`, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	s := open(t, dir)
	if _, _, err := s.Get(ctx, meta.Hash); !errors.Is(err, artifact.ErrCorrupt) {
		t.Errorf("reading a changed file: %v", err)
	}
	if err := s.Verify(ctx, meta.Hash); !errors.Is(err, artifact.ErrCorrupt) {
		t.Errorf("verifying a changed file: %v", err)
	}
	if _, err := s.Put(ctx, scalar(2)); err != nil {
		t.Fatal(err)
	}
	if err := s.Verify(ctx, meta.Hash); err != nil {
		t.Errorf("storing it again did not mend the file: %v", err)
	}
}

func TestNoSuchArtifact(t *testing.T) {
	s := open(t, t.TempDir())
	for _, h := range []artifact.Hash{"", "../../etc/passwd", artifact.Hash(strings.Repeat("a", 64)), artifact.Hash(strings.Repeat("A", 64))} {
		if _, _, err := s.Get(context.Background(), h); !errors.Is(err, artifact.ErrNotFound) {
			t.Errorf("%q: %v", h, err)
		}
	}
}

func TestNotFiniteIsRefused(t *testing.T) {
	var zero float64
	for _, v := range []float64{1 / zero, -1 / zero, zero / zero} {
		if _, err := open(t, t.TempDir()).Put(context.Background(), scalar(v)); err == nil {
			t.Errorf("%v was stored", v)
		}
	}
}

// A process killed while it wrote leaves a temporary file and half a line of provenance; neither is seen.
func TestLeftoversOfAKilledProcess(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	s := open(t, dir)
	meta, err := s.Put(ctx, scalar(4))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Record(ctx, artifact.Provenance{Artifact: meta.Hash, Field: "value", Call: "k", Tool: "t"}); err != nil {
		t.Fatal(err)
	}
	half := filepath.Join(dir, "objects", string(meta.Hash[:2]), ".new-123")
	if err := os.WriteFile(half, []byte("almanac art"), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(filepath.Join(dir, "provenance.jsonl"), os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"artifact":"` + string(meta.Hash)); err != nil {
		t.Fatal(err)
	}
	f.Close()
	again := open(t, dir)
	if err := again.Record(ctx, artifact.Provenance{Artifact: meta.Hash, Field: "value", Call: "k2", Tool: "t"}); err != nil {
		t.Fatal(err)
	}
	recs, err := again.Provenance(ctx, meta.Hash)
	if err != nil || len(recs) != 2 {
		t.Errorf("%d records, %v, want 2", len(recs), err)
	}
	n := 0
	for _, err := range again.List(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if n != 1 {
		t.Errorf("%d artifacts listed, want 1", n)
	}
}

func TestConcurrentWriters(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	stores := []*artifact.Store{open(t, dir), open(t, dir)}
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			s := stores[w%2]
			for i := range 50 {
				meta, err := s.Put(ctx, scalar(float64(i)))
				if err != nil {
					t.Error(err)
					return
				}
				if err := s.Record(ctx, artifact.Provenance{Artifact: meta.Hash, Field: "v", Call: fmt.Sprint(w), Tool: "t"}); err != nil {
					t.Error(err)
				}
				if _, _, err := s.Get(ctx, meta.Hash); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	h, err := artifact.HashOf(scalar(7))
	if err != nil {
		t.Fatal(err)
	}
	recs, err := open(t, dir).Provenance(ctx, h)
	if err != nil || len(recs) != 8 {
		t.Errorf("%d records of 8 writers, %v", len(recs), err)
	}
}

func TestAncestors(t *testing.T) {
	ctx, s := context.Background(), open(t, t.TempDir())
	var h [3]artifact.Hash
	for i := range h {
		m, err := s.Put(ctx, scalar(float64(i)))
		if err != nil {
			t.Fatal(err)
		}
		h[i] = m.Hash
	}
	for i := 1; i < 3; i++ {
		if err := s.Record(ctx, artifact.Provenance{Artifact: h[i], Field: "v", Call: fmt.Sprint(i), Tool: "t", Parents: []artifact.Hash{h[i-1]}}); err != nil {
			t.Fatal(err)
		}
	}
	recs, err := s.Ancestors(ctx, h[2])
	if err != nil || len(recs) != 2 || recs[0].Artifact != h[2] || recs[1].Artifact != h[1] {
		t.Errorf("%+v, %v", recs, err)
	}
}

func BenchmarkList10000(b *testing.B) {
	ctx, s := context.Background(), open(b, b.TempDir())
	for i := range 10_000 {
		if _, err := s.Put(ctx, scalar(float64(i))); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		n := 0
		for range s.List(ctx) {
			n++
		}
		if n != 10_000 {
			b.Fatal(n)
		}
	}
}

func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	s, err := artifact.Open(dir, nil)
	if err != nil {
		panic(err)
	}
	meta, err := s.Put(context.Background(), &artifact.Text{Text: "August", Type: "instant"})
	fmt.Println(meta.Kind, meta.Size, err)
	// Output: text 6 characters <nil>
}
