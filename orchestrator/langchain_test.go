package orchestrator_test

import (
	"fmt"
	"strings"
	"testing"

	"almanac/agents/llm/scripted"
	"almanac/orchestrator/episode"
	"almanac/orchestrator/event"
)

func act(tool, input string) scripted.Reply {
	return say("Thought: go on\nAction: " + tool + "\nAction Input: " + input)
}

// The observation that a model makes up behind its input is cut off, and the tool's own is shown.
func TestLangchainStopsAtTheObservation(t *testing.T) {
	r := newRig(t, react().right...)
	r.wantBound(r.must("langchain", kenya, area()), "gis.area")
	second := r.asked.requests[1].Messages[0].Content
	if strings.Contains(second, "= 7 km2") || !strings.Contains(second, "Observation: c1.area = ") {
		t.Errorf("the model was shown:\n%s", second[max(0, len(second)-400):])
	}
	if strings.Contains(second, "<no value>") || strings.Contains(second, "{{") {
		t.Error("a hole in the prompt was not filled")
	}
}

func TestLangchainEnds(t *testing.T) {
	for _, tt := range []struct {
		name    string
		replies []scripted.Reply
		bound   bool
		reason  string // of no value
	}{
		{"a final answer with a handle", []scripted.Reply{act("gis_area", `{"zones": "Kenya"}`), say("Thought: done\nFinal Answer: c1.area")}, true, ""},
		{"a tool error is shown and corrected", []scripted.Reply{act("gis_area", `{"zones": "Kenia"}`), act("gis_area", `{"zones": "Kenya"}`), act("answer", `{"area": "c2.area"}`)}, true, ""},
		{"a bare value for the only parameter", []scripted.Reply{act("data_describe", `el_nino_sst`), act("gis_area", "```json\n{'zones': 'Kenya'}\n```"), act("answer", `c2.area`)}, true, ""},
		{"an unknown tool, then right", append([]scripted.Reply{act("area_of", `{"zones": "Kenya"}`)}, react().right...), true, ""},
		{"a loop", repeat(9, act("gis_area", `{"zones": "Kenya"}`)), false, "stalled"},
		{"unreadable", repeat(9, say("Sure! First I will look at the data.")), false, "stalled"},
		{"claims", repeat(9, say("Final Answer: I saved the area 580000 to a file.")), false, "stalled"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, tt.replies...)
			a := r.must("langchain", kenya, area())
			if tt.bound {
				r.wantBound(a, "gis.area")
				return
			}
			r.wantNothing(a, tt.reason)
			if n := len(r.asked.requests); n > 6 {
				t.Errorf("asked %d times", n)
			}
		})
	}
}

// A plain sentence is taken after it was asked for once more, not run to the limit (see also the loop of single).
func TestFieldB35PlainAnswer(t *testing.T) {
	r := newRig(t, say("The area is 580000."), say("The area is 580000."))
	a := r.must("langchain", kenya, area())
	if f := a.Fields[0]; fmt.Sprint(f.Value) != "580000" || f.Bound || len(r.asked.requests) != 2 {
		t.Errorf("%+v after %d requests", f, len(r.asked.requests))
	}
}

func TestLangchainBudget(t *testing.T) {
	for _, b := range []episode.Budget{{ModelCalls: 1}, {ToolCalls: 1}, {Tokens: 10}} {
		r := newRig(t, act("gis_area", `{"zones": "No 1"}`), act("gis_area", `{"zones": "No 2"}`), act("gis_area", `{"zones": "No 3"}`))
		r.budget = b
		r.wantNothing(r.must("langchain", kenya, area()), "budget")
		if len(bodies[*event.Budget](r)) != 1 {
			t.Errorf("%+v: %+v", b, bodies[*event.Budget](r))
		}
	}
}
