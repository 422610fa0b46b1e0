package orchestrator_test

import (
	"fmt"
	"slices"
	"testing"

	"almanac/orchestrator"
	"almanac/orchestrator/episode"
	"almanac/toolkits"
	"almanac/toolkits/distractors"
)

// Every setup that asks a model has a first prompt that is measured, and a window that holds it and 2k tokens more.
func TestEverySetupFitsAWindow(t *testing.T) {
	r := newRig(t)
	asked := []orchestrator.Asked{{Request: episode.Request{Task: "t", Question: kenya, Contract: area()}, Tools: r.tools}}
	r.opts.Gold = noGold
	w, err := orchestrator.Fit(t.Context(), r.team, asked, orchestrator.Names(), &r.opts)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range orchestrator.Names() {
		d, err := orchestrator.Describe(name)
		if err != nil {
			t.Fatal(err)
		}
		n, measured := w.First[name]
		t.Logf("%s: %d tokens", name, n)
		if measured != d.Model || d.Model && (n < 50 || n+2048 > w.Size) {
			t.Errorf("%s: first prompt of %d tokens, window %d", name, n, w.Size)
		}
	}
	if len(w.TooLarge) > 0 || w.First["single+ts"] >= w.First["single"] {
		t.Errorf("%+v", w)
	}
	alone, err := orchestrator.Fit(t.Context(), r.team, asked, []string{"none"}, nil)
	if err != nil || alone.Size != 4096 {
		t.Errorf("%+v, %v", alone, err)
	}
}

// With hundreds of tools single fits no window, and single+ts does.
func TestSingleWithHundredsOfTools(t *testing.T) {
	r := newRig(t)
	more, err := distractors.Make(r.tools.Tools(), 400)
	if err != nil {
		t.Fatal(err)
	}
	many, err := toolkits.NewRegistry(append(more, r.tools.Tools()...)...)
	if err != nil {
		t.Fatal(err)
	}
	asked := []orchestrator.Asked{{Request: episode.Request{Question: kenya, Contract: area()}, Tools: many}}
	w, err := orchestrator.Fit(t.Context(), r.team, asked, []string{"single", "single+ts", "squad"}, &r.opts)
	if err != nil || fmt.Sprint(w.TooLarge) != "[single]" || slices.Contains(w.TooLarge, "single+ts") || w.Size > 16384 {
		t.Errorf("%+v, %v", w, err)
	}
}
