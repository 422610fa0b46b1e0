package orchestrator_test

import (
	"math"
	"testing"

	"almanac/agents/llm"
	"almanac/agents/llm/scripted"
	"almanac/orchestrator"
	"almanac/orchestrator/schedule"
)

// The first prompt of each way to work fits what its model is meant to read. Sizes are estimated, which is within a
// quarter of what servers count.
func TestPromptSizes(t *testing.T) {
	question := "How much warmer is the sea around Iceland in August than in February, and in which month is it warmest there?"
	contract := schedule.Contract{
		{Key: "difference", Type: "number", Unit: "degC", Description: "August minus February, mean sea surface temperature"},
		{Key: "warmest_month", Type: "instant", Description: "month with the highest mean"},
	}
	for _, tt := range []struct {
		setup, mode string
		limit       int
	}{
		{"squad", orchestrator.ModeProgram, 2500}, {"squad", orchestrator.ModeObjective, 2500}, {"single", "", 6000}, {"none", "", 600},
	} {
		r := newRig(t, fail("context_overflow"), fail("context_overflow"))
		r.opts.Mode = tt.mode
		r.must(tt.setup, question, contract)
		n := llm.EstimateTokens(r.asked.requests[0].Text())
		t.Logf("%s %s: %d tokens", tt.setup, tt.mode, n)
		if n > tt.limit {
			t.Errorf("the first prompt of %s %s has %d tokens, above %d", tt.setup, tt.mode, n, tt.limit)
		}
	}
}

// Each question of slot mode is short and takes one token out.
func TestSlotQuestionsAreShort(t *testing.T) {
	even := scripted.Reply{Content: "A"}
	for _, letter := range []string{"A", "B", "C", "D", "E"} {
		even.Logprobs = append(even.Logprobs, llm.TokenProb{Token: letter, Logprob: math.Log(0.2)})
	}
	r := newRig(t, repeat(60, even)...)
	r.opts.Mode = orchestrator.ModeSlot
	r.opts.Asker.Margin = 50 // everything is asked about
	r.must("squad", "What was it like in the sea around Iceland in August?", schedule.Contract{{Key: "value", Type: "number", Unit: "degC"}})
	if len(r.asked.requests) == 0 {
		t.Fatal("nothing was asked")
	}
	for _, req := range r.asked.requests {
		if n := llm.EstimateTokens(req.Text()); n > 600 || req.MaxTokens != 1 {
			t.Errorf("%d tokens in, up to %d out: %s", n, req.MaxTokens, req.Text())
		}
	}
}

func TestSinglePromptVariants(t *testing.T) {
	seen := map[string]bool{}
	for variant := 0; variant <= 4; variant++ {
		r := newRig(t, ways()[1].right...)
		r.opts.SinglePrompt = variant
		if _, err := orchestrator.New("single", r.team, &r.opts); (err == nil) != (variant < 4) {
			t.Fatalf("variant %d: %v", variant, err)
		}
		if variant == 4 {
			break
		}
		r.wantBound(r.must("single", kenya, area()), "gis.area")
		seen[r.asked.requests[0].Messages[0].Content] = true
	}
	if len(seen) != 3 {
		t.Errorf("%d different prompts, want 3", len(seen))
	}
}
