package orchestrator_test

import (
	"testing"

	"almanac/agents/llm"
	"almanac/orchestrator"
	"almanac/orchestrator/episode"
)

// The window holds what each role begins with and 2k tokens more, also where hundreds of tools are named.
func TestContextSizeHoldsEveryFirstPrompt(t *testing.T) {
	size := func(r *rig, setup string) int {
		t.Helper()
		asked := []orchestrator.Asked{{Request: episode.Request{Question: kenya, Contract: area()}, Tools: r.tools}}
		w, err := orchestrator.Fit(t.Context(), r.team, asked, []string{setup}, &r.opts)
		if err != nil || len(w.TooLarge) > 0 {
			t.Fatalf("%s: %+v, %v", setup, w, err)
		}
		return w.Size
	}
	for _, distractors := range []int{0, 200} {
		for _, w := range teams() {
			r := newRig(t, w.whole(areaOfKenya)...)
			if distractors > 0 {
				var err error
				if r.team, err = r.work.Distracted(distractors); err != nil {
					t.Fatal(err)
				}
				r.tools = r.team.Tools
			}
			size := size(r, w.setup)
			r.must(w.setup, kenya, area())
			for i, req := range r.asked.requests {
				if n := llm.EstimateTokens(req.Text()); n+2048 > size {
					t.Errorf("%s with %d distractors: request %d has %d tokens, the window %d", w.setup, distractors, i, n, size)
				}
			}
		}
	}
	r := newRig(t)
	if small, large := size(r, "none"), size(r, "single-sc"); small != 4096 || large <= small {
		t.Errorf("none has %d, single-sc %d", small, large)
	}
}
