package orchestrator_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"almanac/agents/llm/scripted"
	"almanac/orchestrator"
	"almanac/orchestrator/episode"
	"almanac/orchestrator/event"
	"almanac/orchestrator/schedule"
)

// ledger is a reply of magentic's leader. said is one letter for each of satisfied, loop, progress: t or f.
func ledger(setup, said, speaker, instruction string) scripted.Reply {
	answers := []any{said[0] == 't', said[1] == 't', said[2] == 't', speaker, instruction}
	object := map[string]any{}
	for i, key := range []string{"is_request_satisfied", "is_in_loop", "is_progress_being_made", "next_speaker", "instruction_or_question"} {
		object[key] = answers[i]
		if setup == "magentic+faithful" {
			object[key] = map[string]any{"reason": "so it is", "answer": answers[i]}
		}
	}
	text, err := json.Marshal(object)
	if err != nil {
		panic(err)
	}
	return say(string(text))
}

// team is a setup of several roles: the replies that bring it to its answer, how it declines, and what its first call
// says, which the tests of errors replace.
type team struct {
	setup    string
	before   []scripted.Reply // up to the first call of a tool
	right    []scripted.Reply // after it, to the end
	declines []scripted.Reply
	roles    string // in the order in which they are asked
}

func teams() []team {
	answer := call("answer", `{"area": "c1.area"}`)
	no := call("decline", `{"reason": "no data", "missing": ["rivers"]}`)
	out := []team{
		{
			"plan-execute", []scripted.Reply{say(`{"steps": [{"tool": "gis_area", "do": "area of Kenya"}]}`)},
			[]scripted.Reply{answer}, []scripted.Reply{say(`{"decline": "no data"}`)}, "planner executor planner",
		},
		{
			"chameleon", []scripted.Reply{say(`{"modules": ["gis_area", "answer"]}`)},
			[]scripted.Reply{answer}, []scripted.Reply{say(`{"modules": ["decline"]}`), no}, "planner module module",
		},
		{
			"geollm-squad", []scripted.Reply{say(`{"tasks": [{"agent": "gis", "task": "Measure the area of Kenya."}]}`)},
			[]scripted.Reply{say("The area is c1.area."), say(`{"complete": true}`), answer},
			[]scripted.Reply{say(`{"decline": "no data"}`)}, "supervisor gis gis supervisor supervisor",
		},
	}
	for _, name := range []string{"magentic", "magentic+faithful"} {
		survey := []scripted.Reply{say("Given: Kenya"), say("- gis: area of Kenya")}
		out = append(out, team{
			name, append(survey, ledger(name, "fft", "gis", "Measure the area of Kenya.")),
			[]scripted.Reply{ledger(name, "tft", "gis", ""), answer},
			append(survey[:2:2], ledger(name, "tft", "gis", ""), no), "orchestrator orchestrator orchestrator gis orchestrator orchestrator",
		})
	}
	return out
}

var areaOfKenya = call("gis_area", `{"zones": "Kenya"}`)

func (w team) whole(first ...scripted.Reply) []scripted.Reply {
	return append(append(append([]scripted.Reply(nil), w.before...), first...), w.right...)
}

func TestTeamsRightSolution(t *testing.T) {
	for _, w := range teams() {
		t.Run(w.setup, func(t *testing.T) {
			r := newRig(t, w.whole(areaOfKenya)...)
			r.wantBound(r.must(w.setup, kenya, area()), "gis.area")
			var roles []string
			for _, b := range bodies[*event.ModelRequest](r) {
				roles = append(roles, b.Role)
			}
			if got := strings.Join(roles, " "); got != w.roles {
				t.Errorf("asked %s, want %s", got, w.roles)
			}
			for _, e := range r.events {
				if c, ok := e.Body.(*event.ToolCall); ok && (c.Agent != e.Agent || !strings.Contains(w.roles, c.Agent)) {
					t.Errorf("the call is %s's, the event %s's", c.Agent, e.Agent)
				}
			}
		})
	}
}

// A team gives up what cannot be answered.
func TestTeamsDecline(t *testing.T) {
	for _, w := range teams() {
		a := newRig(t, w.declines...).must(w.setup, "How long are the rivers of Kenya?", area())
		if !a.Declined || a.Reason != "no data" {
			t.Errorf("%s: %+v", w.setup, a)
		}
	}
}

// Every prompt that a role begins with tells of answer and decline.
func TestTeamsPromptsExplainTheEnd(t *testing.T) {
	for _, w := range teams() {
		r := newRig(t, w.whole(areaOfKenya)...)
		r.must(w.setup, kenya, area())
		for i, req := range r.asked.requests {
			text := req.Messages[0].Content
			if !strings.Contains(text, "answer") || !strings.Contains(text, "decline") {
				t.Errorf("%s: request %d begins with %q", w.setup, i, text)
			}
		}
	}
}

// A tool's error is shown with what would be legal, and a corrected call is taken.
func TestTeamsToolError(t *testing.T) {
	wrong := call("gis_area", `{"zones": "Kenia"}`)
	for _, w := range teams() {
		t.Run(w.setup, func(t *testing.T) {
			replies := w.whole(wrong, areaOfKenya)
			if strings.HasPrefix(w.setup, "magentic") { // an agent acts once a turn, so the leader names it again
				replies = w.whole(wrong, ledger(w.setup, "fft", "gis", "Measure the area of Kenya, with an e."), areaOfKenya)
			}
			replies[len(replies)-1] = call("answer", `{"area": "c2.area"}`)
			r := newRig(t, replies...)
			r.wantBound(r.must(w.setup, kenya, area()), "gis.area")
			shown := false
			for _, req := range r.asked.requests[len(w.before)+1:][:1] {
				for _, m := range req.Messages {
					shown = shown || strings.Contains(m.Content, "not_found") && strings.Contains(m.Content, "Kenya")
				}
			}
			if !shown {
				t.Error("nobody was shown the error")
			}
			if got := r.calls(); got != "gis.area not_found, gis.area ok" {
				t.Errorf("calls %s", got)
			}
		})
	}
}

// What is no plan is asked for once more or done without, in bounds, and costs what it cost.
func TestTeamsUnparsable(t *testing.T) {
	chat := say("Sure! First I will look at the data.")
	for _, w := range teams() {
		t.Run(w.setup, func(t *testing.T) {
			r := newRig(t, repeat(60, chat)...)
			r.wantNothing(r.must(w.setup, kenya, area()), "")
			// The least: a plan and one re-ask. Chameleon runs its default pipeline of two. The most: magentic's four surveys of two texts and three ledgers twice each, then
			// the answer; with its ten tries at a ledger the faithful one has two and ten.
			most := map[string]int{"plan-execute": 2, "chameleon": 1 + 2*2 + 4, "geollm-squad": 2, "magentic": 4*(2+6) + 4, "magentic+faithful": 12}[w.setup]
			if n := len(r.asked.requests); n > most {
				t.Errorf("asked %d times, at most %d are needed", n, most)
			}
			if n := len(bodies[*event.ModelReply](r)); n != len(r.asked.requests) {
				t.Errorf("%d replies in the log for %d requests", n, len(r.asked.requests))
			}
		})
	}
}

// A model that never writes anything of use ends by the budget where no bound of the setup ends it before.
func TestTeamsMalformedForeverEndsByBudget(t *testing.T) {
	for _, w := range teams() {
		r := newRig(t, repeat(60, say("{"))...)
		r.budget = episode.Budget{ModelCalls: 2}
		a := r.must(w.setup, kenya, area())
		r.wantNothing(a, "")
		if n := len(r.asked.requests); n > 2 {
			t.Errorf("%s: asked %d times with a budget of 2", w.setup, n)
		}
	}
}

// The same call over and over ends, with what there is.
func TestTeamsLoop(t *testing.T) {
	nowhere := call("gis_area", `{"zones": "Nowhereland"}`)
	for _, w := range teams() {
		t.Run(w.setup, func(t *testing.T) {
			var replies []scripted.Reply
			switch w.setup {
			case "plan-execute": // three tries, the same plan again
				replies = append(append(w.before[:1:1], repeat(3, nowhere)...), w.before[0], w.declines0())
			case "chameleon":
				replies = append(append(w.before[:1:1], repeat(2, nowhere)...), w.declines0())
			case "geollm-squad": // the agent goes in a circle, the supervisor lists the same again
				replies = append(append(w.before[:1:1], repeat(3, nowhere)...), w.before[0], w.declines0())
			default: // ledgers that see the loop: three stalls, a new plan, four times; the faithful one runs out of turns
				replies = w.before[:2:2]
				for range 20 {
					replies = append(replies, repeat(3, ledger(w.setup, "ftf", "gis", "Again."))...)
					replies = append(replies, say("Given: Kenya"), say("- gis: again"))
				}
				replies = interleave(replies, nowhere)
			}
			r := newRig(t, replies...)
			if a := r.must(w.setup, kenya, area()); !a.Declined && a.Fields[0].Value != nil {
				t.Errorf("%+v", a)
			}
			if n := len(r.asked.requests); n > 70 {
				t.Errorf("asked %d times", n)
			}
		})
	}
}

func (w team) declines0() scripted.Reply { return call("decline", `{"reason": "no place"}`) }

// interleave gives the agent's call after each ledger that does not end in a new plan: the first two of three.
func interleave(replies []scripted.Reply, agent scripted.Reply) []scripted.Reply {
	var out []scripted.Reply
	stalls := 0
	for _, r := range replies {
		out = append(out, r)
		if strings.Contains(r.Content, "is_in_loop") {
			if stalls++; stalls%3 != 0 {
				out = append(out, agent)
			}
		}
	}
	return out
}

// Each budget ends a team without a value, and says which it was.
func TestTeamsBudgets(t *testing.T) {
	for _, w := range teams() {
		for name, budget := range map[string]episode.Budget{
			"model_calls": {ModelCalls: len(w.before) + 1}, "tokens": {Tokens: 40}, "tool_calls": {ToolCalls: 1},
		} {
			open := call("data_open", `{"dataset": "coads_climatology", "variable": "sst", "period": "March"}`)
			replies := w.whole(areaOfKenya)
			if name == "tool_calls" {
				replies = w.whole(scripted.Reply{Calls: append(areaOfKenya.Calls[:1:1], open.Calls[0], call("gis_area", `{"zones": "Chad"}`).Calls[0])})
			}
			r := newRig(t, replies...)
			r.budget = budget
			a := r.must(w.setup, kenya, area())
			r.wantNothing(a, "budget: "+name)
			if b := bodies[*event.Budget](r); len(b) == 0 || b[0].Name != name {
				t.Errorf("%s, %s: budgets %+v", w.setup, name, b)
			}
		}
	}
}

func TestTeamsCancellationAndServer(t *testing.T) {
	for _, w := range teams() {
		for stop := 1; stop <= len(w.before)+1; stop++ {
			r := newRig(t, w.whole(areaOfKenya)...)
			ctx, cancel := context.WithCancel(context.Background())
			r.asked.before = func(n int) {
				if n == stop {
					cancel()
				}
			}
			ep, err := r.solve(ctx, w.setup, kenya, area())
			cancel()
			if !errors.Is(err, context.Canceled) || ep.Given() != nil || len(r.asked.requests) != stop {
				t.Errorf("%s cancelled at %d: %v, %v, asked %d times", w.setup, stop, err, ep.Given(), len(r.asked.requests))
			}
		}
		for _, code := range []string{"transport", "overloaded", "500", "model_missing"} {
			replies := append(w.before[:len(w.before):len(w.before)], fail(code))
			if ep, err := newRig(t, replies...).solve(context.Background(), w.setup, kenya, area()); !episode.Harness(err) || ep.Given() != nil {
				t.Errorf("%s, %s: %v, %v", w.setup, code, err, ep.Given())
			}
		}
		r := newRig(t, fail("context_overflow"), fail("context_overflow"))
		r.wantNothing(r.must(w.setup, kenya, area()), "context overflow")
	}
}

// What a task does not allow no role is shown, and no role can call.
func TestTeamsOnlyAllowedTools(t *testing.T) {
	for _, w := range teams() {
		decline := call("decline", `{"reason": "no tool"}`)
		replies := append(w.whole(areaOfKenya, areaOfKenya, areaOfKenya), repeat(60, decline)...)
		r := newRig(t, replies...)
		var err error
		if r.tools, err = r.work.Allowed([]string{"data.open", "data.series_stats", "gis.distance"}); err != nil {
			t.Fatal(err)
		}
		if _, err := r.solve(context.Background(), w.setup, kenya, area()); err != nil {
			t.Fatalf("%s: %v", w.setup, err)
		}
		if strings.Contains(r.calls(), "gis.area ok") {
			t.Errorf("%s: calls %s", w.setup, r.calls())
		}
		for _, req := range r.asked.requests {
			for _, m := range req.Messages {
				if strings.Contains(m.Content, "Measure the area and border length") {
					t.Errorf("%s shows a tool that is not allowed", w.setup)
				}
			}
		}
	}
}

// A claim to have saved something is passed on as what it is.
func TestTeamsClaimsAreMarked(t *testing.T) {
	saved := say("I measured it and saved it to out.csv.")
	for _, w := range teams()[2:] {
		replies := append(w.before[:len(w.before):len(w.before)], saved, saved)
		if w.setup != "geollm-squad" {
			replies = replies[:len(replies)-1]
		} else { // its agent is asked for a call as long as the claim is not true
			replies = append(replies, saved)
		}
		r := newRig(t, append(replies, repeat(60, call("decline", `{"reason": "nothing"}`))...)...)
		r.must(w.setup, kenya, area())
		for _, req := range r.asked.requests[len(replies):] {
			for _, m := range req.Messages {
				if strings.Contains(m.Content, "out.csv") && !strings.Contains(m.Content, "no call did that") && m.Content != saved.Content &&
					!strings.Contains(m.Content, "no result:") {
					t.Errorf("%s: the claim is passed on as %q", w.setup, m.Content)
				}
			}
		}
	}
}

// A question without fields: the role that answers names them.
func TestTeamsQuestionWithoutFields(t *testing.T) {
	for _, w := range teams() {
		replies := w.whole(areaOfKenya)
		replies[len(replies)-1] = call("answer", `{"how_large": "c1.area"}`)
		r := newRig(t, replies...)
		a := r.must(w.setup, kenya, nil)
		if r.wantBound(a, "gis.area"); a.Fields[0].Key != "how_large" {
			t.Errorf("%s: %+v", w.setup, a.Fields)
		}
	}
}

// Many results, and long ones, do not make the next prompt grow without end.
func TestFieldB09ResultsOfOthersAreCapped(t *testing.T) {
	var modules []string
	var replies []scripted.Reply
	for i := range 10 {
		modules = append(modules, `"data_open"`)
		replies = append(replies, call("data_open", fmt.Sprintf(`{"dataset": "coads_climatology", "variable": "sst", "period": %q}`,
			[]string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October"}[i])))
	}
	replies = append([]scripted.Reply{say(`{"modules": [` + strings.Join(modules, ", ") + `]}`)}, replies...)
	replies = append(replies, call("decline", `{"reason": "enough"}`))
	r := newRig(t, replies...)
	r.must("chameleon", kenya, schedule.Contract{{Key: "area", Type: "number"}})
	last := r.asked.requests[len(r.asked.requests)-1]
	if n := len(last.Messages[1].Content); n > 8000 || !strings.Contains(last.Messages[1].Content, "c10.") {
		t.Errorf("%d bytes, the last result in sight: %v", n, strings.Contains(last.Messages[1].Content, "c10."))
	}
	if got := strings.Count(r.calls(), "data.open ok"); got != 10 {
		t.Errorf("%d modules ran of 10: %s", got, r.calls())
	}
}

// Every team is registered, and none wants the gold.
func TestTeamsAreRegistered(t *testing.T) {
	known := strings.Join(orchestrator.Names(), " ")
	for _, w := range teams() {
		if !strings.Contains(known, w.setup) {
			t.Errorf("%s is not among %s", w.setup, known)
		}
	}
}
