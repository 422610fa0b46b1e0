package memory_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"almanac/memory"
	"almanac/memory/embed"
	"almanac/toolkits"
)

// topics is an embedder by hand: a component for each topic, 1 where the text has one of its words.
type topics struct {
	calls int
	fails error
}

var topicWords = [][]string{{"sea", "ocean", "water"}, {"warm", "hot", "temperature"}, {"far", "distance", "kilometres"}}

func (e *topics) EmbedDocuments(_ context.Context, texts []string) ([][]float32, error) {
	e.calls++
	var out [][]float32
	for _, t := range texts {
		v := []float32{0.1, 0, 0, 0}
		for i, words := range topicWords {
			for _, w := range words {
				if strings.Contains(strings.ToLower(t), w) {
					v[i+1] = 1
				}
			}
		}
		out = append(out, v)
	}
	return out, e.fails
}

func (e *topics) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	vs, err := e.EmbedDocuments(ctx, []string{text})
	return vs[0], err
}

func model(e *topics, digest string) embed.Model {
	return embed.Named(e, embed.Identity{Name: "topics", Digest: digest, Dimension: 4})
}

func someTools() []*toolkits.Tool {
	return []*toolkits.Tool{
		{Name: "data.sst", Purpose: "Surface heat of the ocean.", Examples: []string{"How hot is the sea?"}},
		{Name: "gis.distance", Purpose: "Length of the geodesic.", Examples: []string{"What is the distance to Oslo?"}},
		{Name: "gis.area", Purpose: "Size of a place."},
	}
}

func names(hits []memory.Hit) string {
	var out []string
	for _, h := range hits {
		out = append(out, h.Tool)
	}
	return strings.Join(out, " ")
}

func TestDenseFindsByMeaning(t *testing.T) {
	d, err := memory.OpenDense(t.Context(), someTools(), model(&topics{}, "1"), nil)
	if err != nil {
		t.Fatal(err)
	}
	hits, err := d.Query(t.Context(), "warm water", 2, nil)
	if err != nil || len(hits) != 2 || hits[0].Tool != "data.sst" || hits[0].Entry != "How hot is the sea?" || hits[0].Score < 0.999 {
		t.Errorf("%+v, %v", hits, err)
	}
	hits, err = d.Query(t.Context(), "warm water", 9, func(tool string) bool { return tool != "data.sst" })
	if err != nil || names(hits) != "gis.area gis.distance" {
		t.Errorf("%s, %v", names(hits), err)
	}
}

// The stored index is used while everything is the same, and made anew, with a word, when anything is not.
func TestDenseIsStored(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tools.idx")
	e, notes := &topics{}, []string{}
	open := func(tools []*toolkits.Tool, digest string) {
		t.Helper()
		d, err := memory.OpenDense(t.Context(), tools, model(e, digest), &memory.DenseOptions{File: file, Note: func(s string) {
			if strings.Contains(s, "anew") {
				notes = append(notes, s)
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		if hits, err := d.Query(t.Context(), "how far", 1, nil); err != nil || names(hits) != "gis.distance" {
			t.Errorf("%s, %v", names(hits), err)
		}
	}
	open(someTools(), "1")
	open(someTools(), "1")
	if e.calls != 3 || len(notes) != 0 { // the tools once, two queries
		t.Errorf("embedded %d times, notes %q", e.calls, notes)
	}
	changed := someTools()
	changed[2].Purpose = "Extent of a place."
	for i, again := range []func(){
		func() { open(someTools(), "2") },
		func() { open(changed, "2") },
		func() {
			if err := os.Truncate(file, 200); err != nil {
				t.Fatal(err)
			}
			open(changed, "2")
		},
	} {
		before := e.calls
		again()
		if want := []string{"other weights", "other texts", "damaged"}[i]; e.calls != before+2 || len(notes) != i+1 || !strings.Contains(notes[i], want) {
			t.Errorf("%s: embedded %d times, notes %q", want, e.calls-before, notes)
		}
	}
}

// Ranks by words and by meaning, worked out by hand: the question shares words with gis.area alone ("place"), and meaning
// with data.sst (the sea), so that in the fused ranking each is first in one list. The others have no rank among the words.
func TestFused(t *testing.T) {
	tools := someTools()
	d, err := memory.OpenDense(t.Context(), tools, model(&topics{}, "1"), nil)
	if err != nil {
		t.Fatal(err)
	}
	f := memory.NewFused(memory.NewLexical(tools), d, nil)
	hits, err := f.Query(t.Context(), "water of that place", 3, nil)
	if err != nil || len(hits) != 3 {
		t.Fatalf("%+v, %v", hits, err)
	}
	// By words: gis.area 1st. By meaning: data.sst 1st (1), then gis.area and gis.distance (0.0995 both) in this order.
	want := map[string]float64{"gis.area": (1 + 61.0/62) / 2, "data.sst": 0.5, "gis.distance": 61.0 / 63 / 2}
	for _, h := range hits {
		if diff := h.Score - want[h.Tool]; diff > 1e-12 || diff < -1e-12 {
			t.Errorf("%s: %v, want %v", h.Tool, h.Score, want[h.Tool])
		}
	}
	if names(hits) != "gis.area data.sst gis.distance" {
		t.Error(names(hits))
	}
}

// Without the embedding model the words decide, and it is said once.
func TestFieldC22FailureFallsBackToWords(t *testing.T) {
	e := &topics{}
	tools := someTools()
	d, err := memory.OpenDense(t.Context(), tools, model(e, "1"), nil)
	if err != nil {
		t.Fatal(err)
	}
	e.fails = fmt.Errorf("gone: %w", embed.ErrUnavailable)
	var notes []string
	f := memory.NewFused(memory.NewLexical(tools), d, func(s string) { notes = append(notes, s) })
	for range 3 {
		if hits, err := f.Query(t.Context(), "size of Kenya", 1, nil); err != nil || names(hits) != "gis.area" {
			t.Errorf("%s, %v", names(hits), err)
		}
	}
	if len(notes) != 1 || !strings.Contains(notes[0], "words alone") || f.Name() != "lexical" {
		t.Errorf("notes %q, name %s", notes, f.Name())
	}
	f = memory.NewFused(memory.NewLexical(tools), d, nil)
	e.fails = errors.New("the disk is full")
	if _, err := f.Query(t.Context(), "size of Kenya", 1, nil); err == nil {
		t.Error("another fault was passed over")
	}
}

// Bad texts: none of them is an error or takes long.
func TestFusedBadTexts(t *testing.T) {
	tools := someTools()
	d, err := memory.OpenDense(t.Context(), tools, model(&topics{}, "1"), nil)
	if err != nil {
		t.Fatal(err)
	}
	f := memory.NewFused(memory.NewLexical(tools), d, nil)
	for _, text := range []string{"", " \n", "?!", strings.Repeat("sea ", 1<<18), "\xff\xfe", "大きい"} {
		if _, err := f.Query(t.Context(), text, 2, nil); err != nil {
			t.Errorf("%.10q: %v", text, err)
		}
	}
}

// The description of a tool is changed: it is embedded anew, and found by what it says now.
func TestFieldC10StaleAfterAnEdit(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tools.idx")
	tools := []*toolkits.Tool{{Name: "clip", Purpose: "Cut at the distance."}, {Name: "other", Purpose: "Warm water of the sea."}}
	for _, purpose := range []string{"Cut at the distance.", "Hot water in the ocean."} {
		tools[0].Purpose = purpose
		d, err := memory.OpenDense(t.Context(), tools[:1], model(&topics{}, "1"), &memory.DenseOptions{File: file})
		if err != nil {
			t.Fatal(err)
		}
		hits, err := d.Query(t.Context(), purpose, 1, nil)
		if err != nil || hits[0].Score < 0.999 || hits[0].Entry != purpose {
			t.Errorf("%+v, %v", hits, err)
		}
	}
}

// picky fails at texts with a word, as a server does whose model makes NaN of them.
type picky struct{ topics }

func (e *picky) EmbedDocuments(ctx context.Context, texts []string) ([][]float32, error) {
	for _, t := range texts {
		if strings.Contains(t, "number 17") {
			e.calls++
			return nil, errors.New("500: json: unsupported value: NaN")
		}
	}
	return e.topics.EmbedDocuments(ctx, texts)
}

// One of twenty texts makes the server fail: nineteen are in, the one is named and found by its words.
func TestFieldC14OneBadText(t *testing.T) {
	var tools []*toolkits.Tool
	for i := range 20 {
		tools = append(tools, &toolkits.Tool{Name: fmt.Sprintf("tool.t%02d", i), Purpose: fmt.Sprintf("Water, number %d.", i)})
	}
	e, notes := &picky{}, []string{}
	file := filepath.Join(t.TempDir(), "tools.idx")
	d, err := memory.OpenDense(t.Context(), tools, embed.Named(e, embed.Identity{Name: "picky", Dimension: 4}), &memory.DenseOptions{
		File: file, Note: func(s string) { notes = append(notes, s) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if hits, err := d.Query(t.Context(), "water", 99, nil); err != nil || len(hits) != 19 {
		t.Errorf("%d of 19 by meaning, %v", len(hits), err)
	}
	var bad []string
	for _, n := range notes {
		if strings.Contains(n, "by its words alone") {
			bad = append(bad, n)
		}
	}
	if len(bad) != 1 || !strings.Contains(bad[0], "tool.t17") || e.calls > 2*20 {
		t.Errorf("notes %q, %d requests", bad, e.calls)
	}
	hits, err := memory.NewFused(memory.NewLexical(tools), d, nil).Query(t.Context(), "number 17", 20, nil)
	if err != nil || !strings.Contains(names(hits), "tool.t17") {
		t.Errorf("by its words: %s, %v", names(hits), err)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("an index that lacks an entry was stored: it would not be tried again")
	}
}
