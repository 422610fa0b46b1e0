package vectors_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sort"
	"strings"
	"sync"
	"testing"

	"almanac/memory/vectors"

	"pgregory.net/rapid"
)

func index(t testing.TB, entries ...vectors.Entry) *vectors.Index {
	t.Helper()
	x, err := vectors.New(0)
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Add(context.Background(), entries...); err != nil {
		t.Fatal(err)
	}
	return x
}

func at(id string, v ...float32) vectors.Entry { return vectors.Entry{ID: id, Text: id, Vector: v} }

func ids(ms []vectors.Match) string {
	var out []string
	for _, m := range ms {
		out = append(out, m.ID)
	}
	return strings.Join(out, " ")
}

// The cosines with (1, 0) are 1, 4/5, 0 and -1, worked out by hand.
func TestQuery(t *testing.T) {
	x := index(t, at("west", -2, 0), at("north", 0, 5), at("northeast", 4, 3), at("east", 3, 0))
	ms, err := x.Query(t.Context(), []float32{7, 0}, 4, nil)
	if err != nil || ids(ms) != "east northeast north west" {
		t.Fatalf("%s, %v", ids(ms), err)
	}
	for i, want := range []float64{1, 0.8, 0, -1} {
		if math.Abs(ms[i].Score-want) > 1e-6 {
			t.Errorf("%s: %v, want %v", ms[i].ID, ms[i].Score, want)
		}
	}
}

func TestFieldC05KAboveTheCount(t *testing.T) {
	x := index(t, at("a", 1, 0), at("b", 0, 1))
	for k, want := range map[int]string{-1: "", 0: "", 1: "a", 2: "a b", 3: "a b", 1000: "a b"} {
		if ms, err := x.Query(t.Context(), []float32{1, 0.1}, k, nil); err != nil || ids(ms) != want {
			t.Errorf("k %d: %q, %v", k, ids(ms), err)
		}
	}
	empty := index(t)
	if ms, err := empty.Query(t.Context(), []float32{1}, 3, nil); err != nil || len(ms) != 0 {
		t.Errorf("an empty index: %v, %v", ms, err)
	}
}

// Equal similarities are in the order of the ids, and those of the lowest ids are kept, however many there are.
func TestTiesAreStable(t *testing.T) {
	var entries []vectors.Entry
	for i := range 10_000 {
		entries = append(entries, at(fmt.Sprintf("%05d", i), 1, 2, 2))
	}
	rand.Shuffle(len(entries), func(i, j int) { entries[i], entries[j] = entries[j], entries[i] })
	x := index(t, append(entries, at("nearest", 1, 0, 0))...)
	ms, err := x.Query(t.Context(), []float32{1, 0, 0}, 4, nil)
	if err != nil || ids(ms) != "nearest 00000 00001 00002" {
		t.Errorf("%s, %v", ids(ms), err)
	}
}

func TestVectorsWithoutDirectionAreRefused(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	x := index(t, at("a", 1, 0))
	for name, tt := range map[string]struct {
		v    []float32
		want error
	}{
		"zero": {[]float32{0, 0}, vectors.ErrVector}, "nan": {[]float32{nan, 1}, vectors.ErrVector}, "inf": {[]float32{1, inf}, vectors.ErrVector},
		"shorter": {[]float32{1}, vectors.ErrDimension}, "longer": {[]float32{1, 2, 3}, vectors.ErrDimension}, "none": {nil, vectors.ErrDimension},
	} {
		if err := x.Add(t.Context(), at("good", 0, 1), at("bad", tt.v...)); !errors.Is(err, tt.want) {
			t.Errorf("%s: adding: %v", name, err)
		}
		if _, err := x.Query(t.Context(), tt.v, 1, nil); !errors.Is(err, tt.want) {
			t.Errorf("%s: asking: %v", name, err)
		}
	}
	if x.Len() != 1 {
		t.Errorf("%d entries: a refused addition left some", x.Len())
	}
	if ms, err := x.Query(t.Context(), []float32{1e-30, 0}, 1, nil); err != nil || ids(ms) != "a" {
		t.Errorf("a very short vector: %v, %v", ms, err)
	}
}

func TestRemove(t *testing.T) {
	x := index(t, at("a", 1, 0), at("b", 0, 1))
	if err := x.Remove(t.Context()); err != nil || x.Len() != 2 {
		t.Errorf("removing nothing: %v, %d left", err, x.Len())
	}
	if err := x.Remove(t.Context(), "c", "a", "a"); err != nil || x.Len() != 1 {
		t.Errorf("%v, %d left", err, x.Len())
	}
	if ms, _ := x.Query(t.Context(), []float32{1, 0}, 5, nil); ids(ms) != "b" {
		t.Errorf("left %s", ids(ms))
	}
	if err := x.Add(t.Context(), at("a", 1, 0), at("b", 1, 1)); err != nil || x.Len() != 2 {
		t.Errorf("%v, %d", err, x.Len())
	}
	if err := x.Add(t.Context(), at("c", 1, 0), at("c", 0, 1)); err == nil || x.Len() != 2 {
		t.Error("an id given twice was taken")
	}
}

func TestMetadataFilters(t *testing.T) {
	a, b := at("a", 1, 0), at("b", 0.9, 0.1)
	a.Metadata, b.Metadata = map[string]string{"agent": "gis"}, map[string]string{"agent": "data"}
	x := index(t, a, b)
	a.Metadata["agent"] = "changed by the caller"
	ms, err := x.Query(t.Context(), []float32{1, 0}, 1, map[string]string{"agent": "data"})
	if err != nil || ids(ms) != "b" {
		t.Errorf("%s, %v", ids(ms), err)
	}
	if ms, _ := x.Query(t.Context(), []float32{1, 0}, 1, map[string]string{"agent": "gis"}); ids(ms) != "a" {
		t.Errorf("gis: %s", ids(ms))
	}
}

// The order is that of a plain search in float64 that sorts everything.
func TestAgainstBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, dim := rapid.IntRange(1, 40).Draw(t, "n"), rapid.IntRange(1, 6).Draw(t, "dim")
		vector := rapid.Custom(func(t *rapid.T) []float32 {
			v := make([]float32, dim)
			for i := range v {
				v[i] = float32(rapid.IntRange(-3, 3).Draw(t, "x"))
			}
			v[0] += 7 // never zero
			return v
		})
		x, _ := vectors.New(dim)
		all := map[string][]float32{}
		for i := range n {
			id := fmt.Sprintf("%03d", i)
			all[id] = vector.Draw(t, "v")
			if err := x.Add(context.Background(), at(id, all[id]...)); err != nil {
				t.Fatal(err)
			}
		}
		q, k := vector.Draw(t, "q"), rapid.IntRange(1, n+2).Draw(t, "k")
		got, err := x.Query(context.Background(), q, k, nil)
		if err != nil || len(got) != min(k, n) {
			t.Fatalf("%d of %d, %v", len(got), min(k, n), err)
		}
		var cosines []float64
		for _, v := range all {
			cosines = append(cosines, cosine(q, v))
		}
		sort.Sort(sort.Reverse(sort.Float64Slice(cosines)))
		for i, m := range got {
			if math.Abs(m.Score-cosines[i]) > 1e-5 || math.Abs(m.Score-cosine(q, all[m.ID])) > 1e-5 {
				t.Fatalf("place %d: %s with %v, want %v", i, m.ID, m.Score, cosines[i])
			}
			if i > 0 && m.Score == got[i-1].Score && m.ID < got[i-1].ID {
				t.Fatalf("%s before %s at the same score", got[i-1].ID, m.ID)
			}
		}
	})
}

func cosine(a, b []float32) float64 {
	ab, aa, bb := 0.0, 0.0, 0.0
	for i := range a {
		ab, aa, bb = ab+float64(a[i])*float64(b[i]), aa+float64(a[i])*float64(a[i]), bb+float64(b[i])*float64(b[i])
	}
	return ab / math.Sqrt(aa*bb)
}

func TestConcurrentUse(t *testing.T) {
	x := index(t, at("z", 1, 1))
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 50 {
				id := fmt.Sprintf("%d-%d", g, i)
				if err := x.Add(context.Background(), at(id, float32(g), float32(i+1))); err != nil {
					t.Error(err)
				}
				if _, err := x.Query(context.Background(), []float32{1, 2}, 3, nil); err != nil {
					t.Error(err)
				}
				if err := x.Remove(context.Background(), id); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if x.Len() != 1 {
		t.Errorf("%d entries", x.Len())
	}
}

// An index of one model and vectors of another: refused with both lengths, and the index goes on.
func TestFieldC01DimensionChange(t *testing.T) {
	x := index(t, at("a", 1, 0, 0), at("b", 0, 1, 0))
	if err := x.Add(t.Context(), at("c", 1, 0)); !errors.Is(err, vectors.ErrDimension) || !strings.Contains(err.Error(), "2, not 3") {
		t.Errorf("adding: %v", err)
	}
	if ms, err := x.Query(t.Context(), []float32{1, 0, 0}, 5, nil); err != nil || ids(ms) != "a b" {
		t.Errorf("the index: %s, %v", ids(ms), err)
	}
}

// The similarity of (3, 4) with itself is 1, and not 25.
func TestFieldC03NotNormalised(t *testing.T) {
	ms, err := index(t, at("a", 3, 4)).Query(t.Context(), []float32{3, 4}, 1, nil)
	if err != nil || math.Abs(ms[0].Score-1) > 1e-6 {
		t.Errorf("%+v, %v", ms, err)
	}
}

// The length of what is asked with changes nothing: 1.0 and 0.6, worked out by hand, for (1, 0) and (10, 0).
func TestFieldC04LengthOfTheQuery(t *testing.T) {
	x := index(t, at("a", 1, 0), at("b", 0.6, 0.8))
	for _, q := range [][]float32{{1, 0}, {10, 0}, {1e-6, 0}} {
		ms, err := x.Query(t.Context(), q, 2, nil)
		if err != nil || len(ms) != 2 || math.Abs(ms[0].Score-1) > 1e-6 || math.Abs(ms[1].Score-0.6) > 1e-6 {
			t.Errorf("%v: %+v, %v", q, ms, err)
		}
	}
}

// The rule for an id that is there: the entry takes its place, text and vector together.
func TestFieldC08DuplicateID(t *testing.T) {
	x := index(t, vectors.Entry{ID: "t1", Text: "cut raster", Vector: []float32{1, 0}})
	if err := x.Add(t.Context(), vectors.Entry{ID: "t1", Text: "limit values", Vector: []float32{0, 1}}); err != nil || x.Len() != 1 {
		t.Fatalf("%d entries, %v", x.Len(), err)
	}
	if ms, err := x.Query(t.Context(), []float32{0, 1}, 5, nil); err != nil || len(ms) != 1 || ms[0].Text != "limit values" || ms[0].Score < 0.999 {
		t.Errorf("%+v, %v", ms, err)
	}
}

// A filter that leaves two of ten: two results for five.
func TestFieldC07FewerThanK(t *testing.T) {
	var entries []vectors.Entry
	for i := range 10 {
		e := at(fmt.Sprint(i), 1, float32(i))
		e.Metadata = map[string]string{"agent": []string{"gis", "data", "data", "data", "data"}[i%5]}
		entries = append(entries, e)
	}
	if ms, err := index(t, entries...).Query(t.Context(), []float32{1, 0}, 5, map[string]string{"agent": "gis"}); err != nil || ids(ms) != "0 5" {
		t.Errorf("%s, %v", ids(ms), err)
	}
}
