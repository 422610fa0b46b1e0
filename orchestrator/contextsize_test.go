package orchestrator_test

import (
	"testing"

	"almanac/agents/llm"
	"almanac/orchestrator"
	"almanac/orchestrator/episode"
)

// The window holds what each role begins with and 2k tokens more, also where hundreds of tools are named.
func TestContextSizeHoldsEveryFirstPrompt(t *testing.T) {
	requests := []episode.Request{{Question: kenya, Contract: area()}}
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
			size := orchestrator.ContextSize(r.team, requests, []string{w.setup})
			r.must(w.setup, kenya, area())
			for i, req := range r.asked.requests {
				if n := llm.EstimateTokens(req.Text()); n+2048 > size {
					t.Errorf("%s with %d distractors: request %d has %d tokens, the window %d", w.setup, distractors, i, n, size)
				}
			}
		}
	}
	team := newRig(t).team
	if small, large := orchestrator.ContextSize(team, requests, []string{"none"}), orchestrator.ContextSize(team, requests, []string{"single-sc"}); small != 4096 || large <= small {
		t.Errorf("none has %d, single-sc %d", small, large)
	}
}
