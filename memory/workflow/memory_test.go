package workflow_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"almanac/memory/workflow"

	"github.com/google/go-cmp/cmp"
)

func entry(id, request string, tokens int64) workflow.Entry {
	return workflow.Entry{
		ID: id, Request: request, Schedule: "x = gis.area(zones=task.place)\nanswer(area=x.area)\n", Tools: map[string]string{"gis.area": "1"},
		Tokens: tokens, State: workflow.Seeded, Suite: "core", Split: "memory", Template: "t-" + id,
	}
}

func of(t *testing.T, entries ...workflow.Entry) *workflow.Memory {
	t.Helper()
	m := workflow.New(nil)
	for _, e := range entries {
		if _, err := m.Write(e); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func found(t *testing.T, m *workflow.Memory, request string) string {
	t.Helper()
	hits, err := m.Find(t.Context(), request, 3)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, h := range hits {
		ids = append(ids, h.ID)
	}
	return strings.Join(ids, " ")
}

// Words of two entries, weighed by hand. Stems: "larg <place>" and "rain fell <place> <month>"; n = 2; ln(1 + 2/1) for a
// word that one has, ln(1 + 2/2) for <place>, which both have. The request "large <place>" shares all with the first.
// "rain <place>" shares ln 3 + ln 2 of 3 ln 3 + ln 2 with the second, and ln 2 of 2 ln 3 + ln 2 with the first.
func TestFind(t *testing.T) {
	m := of(t, entry("a", "How large is <place>?", 5), entry("b", "What rain fell in <place> in <month>?", 5))
	hits, err := m.Find(t.Context(), "How large is <place>?", 5)
	if err != nil || len(hits) != 1 || hits[0].ID != "a" || hits[0].Score != 1 {
		t.Errorf("%+v, %v", hits, err)
	}
	low := workflow.New(&workflow.Options{Floor: 0.01})
	for _, e := range m.Entries() {
		if _, err := low.Write(e); err != nil {
			t.Fatal(err)
		}
	}
	hits, err = low.Find(t.Context(), "rain <place>", 5)
	ln2, ln3 := math.Log(2), math.Log(3)
	want := []float64{(ln3 + ln2) / (3*ln3 + ln2), ln2 / (2*ln3 + ln2)}
	if err != nil || len(hits) != 2 || hits[0].ID != "b" {
		t.Fatalf("%+v, %v", hits, err)
	}
	for i, h := range hits {
		if math.Abs(h.Score-want[i]) > 1e-8 {
			t.Errorf("%s: %v, want %v", h.ID, h.Score, want[i])
		}
	}
	for _, nothing := range []string{"", "wholly other words", "<number>", strings.Repeat("z", 1<<20)} {
		if got := found(t, m, nothing); got != "" {
			t.Errorf("%.20q finds %s", nothing, got)
		}
	}
}

// Equal schedules are one entry: the cheapest, with the notes of all.
func TestCheapestStays(t *testing.T) {
	dear, cheap := entry("a", "How big is <place>?", 900), entry("a", "How large is <place>?", 100)
	dear.Avoid, cheap.Avoid = []string{"gis.size: no such tool"}, []string{"gis.area wants zones"}
	for name, order := range map[string][]workflow.Entry{"cheap last": {dear, cheap}, "cheap first": {cheap, dear}} {
		m := of(t, order...)
		all := m.Entries()
		if len(all) != 1 || all[0].Tokens != 100 || all[0].Request != cheap.Request || len(all[0].Avoid) != 2 {
			t.Errorf("%s: %+v", name, all)
		}
		if changed, err := m.Write(dear); changed || err != nil {
			t.Errorf("%s: the same again: changed %v, %v", name, changed, err)
		}
	}
}

// Nothing of the tasks that are scored gets in, by writing or by a file.
func TestLeak(t *testing.T) {
	for _, split := range []string{"test", "dev", "train", ""} {
		e := entry("a", "How large is <place>?", 1)
		e.Split = split
		if _, err := workflow.New(nil).Write(e); !errors.Is(err, workflow.ErrLeak) {
			t.Errorf("split %q: %v", split, err)
		}
	}
	path := filepath.Join(t.TempDir(), "m.yaml")
	if err := of(t, entry("a", "How large is <place>?", 1)).Save(path); err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(path)
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), "split: memory", "split: test", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := workflow.Load(path, nil); !errors.Is(err, workflow.ErrLeak) || !strings.Contains(err.Error(), "entry 1") {
		t.Errorf("%v", err)
	}
}

func TestSaveAndLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "m.yaml")
	m := of(t, entry("b", "What rain fell in <place>?", 7), entry("a", "How large is <place>?", 5))
	m.Showed("a", true)
	m.Showed("a", false)
	if err := m.Save(path); err != nil {
		t.Fatal(err)
	}
	again, err := workflow.Load(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(m.Entries(), again.Entries()); d != "" {
		t.Error(d)
	}
	if a := again.Entries()[0]; a.Shown != 2 || a.Solved != 1 {
		t.Errorf("%+v", a)
	}
	for what, text := range map[string]string{
		"line 3":    "version: 1\nworkflows:\n  - colour: red\n",
		"version 2": "version: 2\nworkflows: []\n",
		"needs an":  "version: 1\nworkflows:\n  - id: a\n    state: online\n    request: x\n    schedule: y\n    tools: {}\n    tokens: 1\n",
		"m.yaml":    "version: [",
	} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := workflow.Load(path, nil); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := workflow.Load(path+"x", nil); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "almanac memory build") {
		t.Errorf("no file: %v", err)
	}
}

// The least useful entry goes: b was shown twice for nothing, a once with success, c never.
func TestForgetting(t *testing.T) {
	m := workflow.New(&workflow.Options{Limit: 3})
	for _, id := range []string{"a", "b", "c"} {
		if _, err := m.Write(entry(id, "request "+id+" <place>", 5)); err != nil {
			t.Fatal(err)
		}
	}
	m.Showed("a", true)
	m.Showed("b", false)
	m.Showed("b", false)
	if _, err := m.Write(entry("d", "request d <place>", 5)); err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, e := range m.Entries() {
		left = append(left, e.ID)
	}
	if got := strings.Join(left, " "); got != "a c d" {
		t.Errorf("left %s", got)
	}
	if l := m.Limited(1).Entries(); len(l) != 1 || l[0].ID != "a" {
		t.Errorf("the most useful: %+v", l)
	}
}

func TestStaleEntriesAreLeftOut(t *testing.T) {
	old, gone := entry("a", "How large is <place>?", 1), entry("b", "How far is <place>?", 1)
	old.Tools, gone.Tools = map[string]string{"gis.area": "0"}, map[string]string{"gis.lost": "1"}
	fits, refused := of(t, old, gone, entry("c", "How wide is <place>?", 1)).Fitting(map[string]string{"gis.area": "1"})
	want := []workflow.Refusal{{ID: "a", Reason: "gis.area has changed since"}, {ID: "b", Reason: "there is no tool gis.lost any more"}}
	if d := cmp.Diff(want, refused); d != "" || fits.Len() != 1 || found(t, fits, "How wide is <place>?") != "c" {
		t.Error(d, fits.Entries())
	}
}

func TestConcurrentUse(t *testing.T) {
	m := workflow.New(&workflow.Options{Limit: 20})
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 30 {
				id := fmt.Sprintf("%d-%d", g, i)
				if _, err := m.Write(entry(id, "request "+id+" of <place>", int64(i))); err != nil {
					t.Error(err)
				}
				if _, err := m.Find(context.Background(), "request of <place>", 3); err != nil {
					t.Error(err)
				}
				m.Showed(id, i%2 == 0)
			}
		})
	}
	wg.Wait()
	if m.Len() != 20 {
		t.Errorf("%d entries", m.Len())
	}
}
