package orchestrator_test

import (
	"strings"
	"testing"

	"almanac/agents/llm"
	"almanac/agents/llm/scripted"

	"almanac/orchestrator"
	"almanac/orchestrator/episode"
	"almanac/orchestrator/event"
	"almanac/orchestrator/schedule"
)

// The stall counter goes up on a loop or no progress, down otherwise, not below 0; at 3 the facts are updated.
func TestMagenticStallCounter(t *testing.T) {
	for _, tt := range []struct {
		name    string
		ledgers []string // satisfied, loop, progress; the last one makes it 3
	}{
		{"three without progress", []string{"fff", "fff", "fff"}},
		{"a loop counts though progress is claimed", []string{"ftt", "ftt", "ftt"}},
		{"progress takes one off: 1 2 1 2 3", []string{"fff", "ftf", "fft", "fff", "fff"}},
		{"never below 0: 0 0 1 2 3", []string{"fft", "fft", "fff", "ftt", "fff"}},
		{"up and down: 1 0 1 2 1 2 3", []string{"fff", "fft", "fff", "fff", "fft", "fff", "fff"}},
	} {
		for _, setup := range []string{"magentic", "magentic+faithful"} {
			replies := []scripted.Reply{say("first facts"), say("first plan")}
			for i, said := range tt.ledgers {
				if replies = append(replies, ledger(setup, said, "gis", "Measure Kenya.")); i < len(tt.ledgers)-1 {
					replies = append(replies, areaOfKenya)
				}
			}
			replies = append(replies, say("second facts"), say("second plan"), ledger(setup, "tft", "gis", ""), call("answer", `{"area": "c1.area"}`))
			r := newRig(t, replies...)
			r.wantBound(r.must(setup, kenya, area()), "gis.area")
			if n := len(r.asked.requests); n != len(replies) {
				t.Errorf("%s, %s: %d requests, want %d", setup, tt.name, n, len(replies))
			}
			rev := bodies[*event.Revision](r)
			if len(rev) != 1 || rev[0].Statements[0] != "second plan" {
				t.Fatalf("%s, %s: revisions %+v", setup, tt.name, rev)
			}
			texts := said(r.asked.requests[len(replies)-2].Messages)
			if !strings.Contains(texts, "second facts") || !strings.Contains(texts, "second plan") || strings.Contains(texts, "first facts") ||
				strings.Contains(texts, "gis: Measure Kenya.") {
				t.Errorf("%s, %s: after the new plan the ledger is asked for with %s", setup, tt.name, texts)
			}
			if kept := strings.Contains(texts, "c1.area"); kept != (setup == "magentic") {
				t.Errorf("%s, %s: results stay in sight: %v", setup, tt.name, kept)
			}
			update := said(r.asked.requests[len(replies)-4].Messages)
			if !strings.Contains(update, "first facts") || !strings.Contains(update, "c1.area") {
				t.Errorf("%s, %s: facts are updated from %s", setup, tt.name, update)
			}
		}
	}
}

func said(messages []llm.Message) string {
	var b strings.Builder
	for _, m := range messages {
		b.WriteString(m.Role + ": " + m.Content + "\n")
	}
	return b.String()
}

// A leader that is never satisfied ends after 20 turns, and after three new plans unless it is faithful.
func TestMagenticEnds(t *testing.T) {
	for _, setup := range []string{"magentic", "magentic+faithful"} {
		replies := []scripted.Reply{say("facts"), say("plan")}
		for range 20 {
			replies = append(replies, ledger(setup, "fft", "gis", "Measure Kenya."), areaOfKenya)
		}
		replies = append(replies, call("answer", `{"area": "c1.area"}`), call("decline", `{"reason": "never asked"}`))
		r := newRig(t, replies...)
		r.wantBound(r.must(setup, kenya, area()), "gis.area")
		if n := len(r.asked.requests); n != len(replies)-1 {
			t.Errorf("%s: %d requests, want %d", setup, n, len(replies)-1)
		}
	}
}

// Agents act once a turn, see what was said before all, and have their own tools only.
func TestMagenticAgentsSeeTheConversation(t *testing.T) {
	replies := []scripted.Reply{
		say("facts"), say("plan"), ledger("magentic", "fft", "data", "Open sst."),
		call("data_open", `{"dataset": "coads_climatology", "variable": "sst", "period": "March"}`),
		ledger("magentic", "fft", "gis", "Mean of c1.data over Kenya."), areaOfKenya,
		ledger("magentic", "tft", "gis", ""), call("answer", `{"area": "c2.area"}`),
	}
	r := newRig(t, replies...)
	r.wantBound(r.must("magentic", kenya, area()), "gis.area")
	gis := r.asked.requests[5]
	if text := said(gis.Messages); !strings.Contains(text, "c1.data") || !strings.Contains(text, "called data_open") || !strings.Contains(text, "orchestrator: gis: Mean of c1.data over Kenya.") {
		t.Errorf("gis sees %s", text)
	}
	for _, tool := range gis.Tools {
		if strings.HasPrefix(tool.Name, "data_") || tool.Name == "answer" {
			t.Errorf("gis is offered %s", tool.Name)
		}
	}
}

// Names with stray quotes or case are read; no other agent stands in for one that does not exist; the faithful one
// fails over such a name.
func TestFieldB03MagenticNextSpeaker(t *testing.T) {
	start := []scripted.Reply{say("facts"), say("plan")}
	for name, taken := range map[string]bool{`"gis`: true, " GIS ": true, "['gis']": true, "climate_guru": false} {
		replies := append(start[:2:2], ledger("magentic", "fft", name, "Measure Kenya."))
		if !taken {
			replies = append(replies, ledger("magentic", "fft", "gis", "Measure Kenya."))
		}
		r := newRig(t, append(replies, teams()[3].whole(areaOfKenya)[3:]...)...)
		r.wantBound(r.must("magentic", kenya, area()), "gis.area")
		if !taken && !strings.Contains(said(r.asked.requests[3].Messages), "data, forecast, gis, simulation, verification") {
			t.Errorf("the valid names are not told: %s", said(r.asked.requests[3].Messages))
		}
	}
	const setup = "magentic+faithful"
	r := newRig(t, append(append(start[:2:2], repeat(10, ledger(setup, "fft", "climate_guru", "Measure."))...), areaOfKenya)...)
	r.wantNothing(r.must(setup, kenya, area()), "could not be read in 10 tries")
	r = newRig(t, append(start[:2:2], repeat(10, ledger("magentic", "fft", "gis", "Measure."))...)...)
	r.wantNothing(r.must(setup, kenya, area()), "could not be read in 10 tries") // flat: no reasons
}

// A ledger that cannot be read twice is a stall, where the faithful one fails.
func TestMagenticUnreadableLedgerIsAStall(t *testing.T) {
	replies := []scripted.Reply{say("facts"), say("plan")}
	for range 3 {
		replies = append(replies, say("I think gis is next."), say("gis, surely."))
	}
	replies = append(replies, say("new facts"), say("new plan"), ledger("magentic", "fft", "gis", "Measure Kenya."), areaOfKenya,
		ledger("magentic", "tft", "gis", ""), call("answer", `{"area": "c1.area"}`))
	r := newRig(t, replies...)
	r.wantBound(r.must("magentic", kenya, area()), "gis.area")
	if n := len(bodies[*event.Revision](r)); n != 1 {
		t.Errorf("%d new plans, want 1", n)
	}
}

// A list that cannot be read gives way to the default pipeline, which can reach the answer.
func TestChameleonDefaultPipeline(t *testing.T) {
	far := schedule.Contract{{Key: "distance", Type: "number", Unit: "km"}}
	r := newRig(t, say("Sure! First I will look at the data."), call("gis_distance", `{"a": "Nairobi", "b": "Mombasa"}`), call("answer", `{"distance": "c1.distance"}`))
	r.wantBound(r.must("chameleon", "What is the distance from Nairobi to Mombasa?", far), "gis.distance")
	if e := bodies[*event.Error](r); len(e) != 1 || e[0].Code != "unreadable_plan" {
		t.Errorf("errors %+v", e)
	}
	// A tool that works on data is preceded by the one that opens it.
	r = newRig(t, say("?"), call("data_open", `{"dataset": "coads_climatology", "variable": "sst", "period": "March"}`),
		call("x", `{}`), call("x", `{"y": 1}`), call("decline", `{"reason": "no"}`))
	r.must("chameleon", "What is the mean sea surface temperature over the Baltic Sea?", area())
	if got := r.calls(); !strings.HasPrefix(got, "data.open ok, ") {
		t.Errorf("calls %s", got)
	}
}

// Modules run in the order of the list, whatever fails, and the planner is asked once.
func TestChameleonNeverPlansAgain(t *testing.T) {
	nowhere := call("gis_area", `{"zones": "Nowhereland"}`)
	r := newRig(t, say(`{"modules": ["gis_area", "climate_guru", "gis_distance", "gis_area", "answer", "gis_area"]}`), nowhere, nowhere,
		call("gis_distance", `{"a": "Nairobi", "b": "Mombasa"}`), areaOfKenya, call("answer", `{"area": "c3.area"}`))
	a := r.must("chameleon", kenya, area())
	if got := r.calls(); got != "gis.area not_found, gis.distance ok, gis.area ok" {
		t.Errorf("calls %s", got)
	}
	r.wantBound(a, "gis.area")
	plans := 0
	for _, q := range bodies[*event.ModelRequest](r) {
		if q.Purpose == "plan" || q.Purpose == "revise" {
			plans++
		}
	}
	if n := len(bodies[*event.Revision](r)); plans != 1 || n != 0 {
		t.Errorf("%d plans, %d revisions", plans, n)
	}
}

func TestChameleonReadsLists(t *testing.T) {
	for _, list := range []string{
		`{"modules": ["gis_area"]}`, `{"modules": [{"tool": "gis.area"}]}`, `["gis_area", "answer"]`, "['gis.area']",
		"1. gis_area\n2. answer", "- `gis_area`: the area of Kenya\n- answer",
	} {
		r := newRig(t, say(list), areaOfKenya, call("answer", `{"area": "c1.area"}`))
		r.wantBound(r.must("chameleon", kenya, area()), "gis.area")
		if e := bodies[*event.Error](r); len(e) != 0 {
			t.Errorf("%s: %+v", list, e[0])
		}
	}
}

// The list of tasks is revised twice at most; then the supervisor answers.
func TestGeoLLMSquadRevisesAtMostTwice(t *testing.T) {
	tasks := func(what string) scripted.Reply {
		return say(`{"complete": false, "tasks": [{"agent": "gis", "task": "` + what + `"}]}`)
	}
	none := []scripted.Reply{say("None of my tools can."), say("None of my tools can.")}
	var replies []scripted.Reply
	for _, what := range []string{"Measure it.", "Measure Kenya.", "Measure the area."} {
		replies = append(append(replies, tasks(what)), none...)
	}
	replies = append(replies, call("decline", `{"reason": "no tool"}`), tasks("never asked"))
	r := newRig(t, replies...)
	if a := r.must("geollm-squad", kenya, area()); !a.Declined {
		t.Errorf("%+v", a)
	}
	if n := len(bodies[*event.Revision](r)); n != 2 || len(r.asked.requests) != len(replies)-1 {
		t.Errorf("%d revisions in %d requests, want 2 in %d", n, len(r.asked.requests), len(replies)-1)
	}
	r = newRig(t, replies...)
	r.budget = episode.Budget{Replans: 1}
	r.wantNothing(r.must("geollm-squad", kenya, area()), "budget: replans")
}

// Agents run in order, each with its own tools, few of them until a call fails; later ones see earlier results.
func TestGeoLLMSquadSequence(t *testing.T) {
	r := newRig(t,
		say(`{"tasks": [{"agent": "data", "task": "Open sst for March."}, {"agent": "gis", "task": "Measure the area of Kenya."}]}`),
		call("data_open", `{"dataset": "coads_climatology", "variable": "sst", "period": "March"}`), say("Opened as c1.data."),
		call("gis_area", `{"zones": "Kenia"}`), areaOfKenya, say("c3.area"), say(`{"complete": true}`), call("answer", `{"area": "c3.area"}`))
	r.wantBound(r.must("geollm-squad", kenya, area()), "gis.area")
	first, second := r.asked.requests[3], r.asked.requests[4]
	if len(first.Tools) != 5 || len(second.Tools) <= 5 {
		t.Errorf("%d tools at first and %d after an error, want 5 and all", len(first.Tools), len(second.Tools))
	}
	if !strings.Contains(said(first.Messages), "c1.data") {
		t.Errorf("gis does not see what data opened: %s", said(first.Messages))
	}
	for _, tool := range append(first.Tools, second.Tools...) {
		if strings.HasPrefix(tool.Name, "data_") || tool.Name == "answer" {
			t.Errorf("gis is offered %s", tool.Name)
		}
	}
	judged := said(r.asked.requests[6].Messages)
	if !strings.Contains(judged, "data: Opened as c1.data.\ngis: c3.area\n") {
		t.Errorf("the messages are not collected: %s", judged)
	}
}

func TestFieldB03GeoLLMSquadAgents(t *testing.T) {
	for name, taken := range map[string]bool{`\"gis`: true, " GIS ": true, "['gis']": true, "climate_guru": false} {
		replies := []scripted.Reply{say(`{"tasks": [{"agent": "` + name + `", "task": "Measure the area of Kenya."}]}`)}
		if !taken {
			replies = append(replies, teams()[2].before...)
		}
		r := newRig(t, append(append(replies, areaOfKenya), teams()[2].right...)...)
		r.wantBound(r.must("geollm-squad", kenya, area()), "gis.area")
		if !taken && !strings.Contains(said(r.asked.requests[1].Messages), "there are data, forecast, gis, simulation, verification") {
			t.Errorf("the valid names are not told: %s", said(r.asked.requests[1].Messages))
		}
	}
}

// The supervisor is shown similar workflows where there is a memory, and nothing is said of one where there is none.
func TestGeoLLMSquadMemory(t *testing.T) {
	r := newRig(t, teams()[2].whole(areaOfKenya)...)
	r.must("geollm-squad", kenya, area())
	if n := len(bodies[*event.MemoryHit](r)); n != 0 {
		t.Errorf("%d hits without a memory", n)
	}
	r = newRig(t, teams()[2].whole(areaOfKenya)...)
	r.opts.Memory = recalled{examples: []orchestrator.Example{{ID: "w1", Request: "How large is task.place?", Schedule: "size = gis.area(zones=task.place)"}}}
	r.must("geollm-squad", kenya, area())
	if text := said(r.asked.requests[0].Messages); !strings.Contains(text, "How large is task.place?") {
		t.Errorf("the supervisor sees %s", text)
	}
}

// A step that fails brings a new plan, with the step, its error and what is there; the rest goes on from it.
func TestPlanExecutePlansAgain(t *testing.T) {
	nowhere := call("gis_area", `{"zones": "Nowhereland"}`)
	again := call("gis_area", `{"zones": "Noplace"}`)
	r := newRig(t,
		say(`{"steps": [{"tool": "gis_distance", "do": "Nairobi to Mombasa"}, {"tool": "gis_area", "do": "area of Nowhereland"}, {"tool": "gis_area", "do": "never run"}]}`),
		call("gis_distance", `{"a": "Nairobi", "b": "Mombasa"}`), nowhere, again, nowhere,
		say(`{"steps": [{"tool": "gis_area", "do": "area of Kenya"}]}`), areaOfKenya, call("answer", `{"area": "c4.area"}`))
	r.wantBound(r.must("plan-execute", kenya, area()), "gis.area")
	rev := bodies[*event.Revision](r)
	if len(rev) != 1 || !strings.Contains(rev[0].Reason, "area of Nowhereland") || rev[0].Statements[0] != "gis_area: area of Kenya" {
		t.Errorf("revisions %+v", rev)
	}
	asked := said(r.asked.requests[5].Messages)
	for _, want := range []string{"Failed step: gis_area: area of Nowhereland", "not_found", "c1.distance"} {
		if !strings.Contains(asked, want) {
			t.Errorf("the planner is not told %q: %s", want, asked)
		}
	}
	if a, b := r.asked.requests[0].Messages[0].Content, r.asked.requests[5].Messages[0].Content; a != b {
		t.Error("the new plan's prompt does not begin like the first: no server can reuse it")
	}
}

// Three new plans at most, and the budget before that; then the planner ends with what there is.
func TestPlanExecuteNewPlansAreBounded(t *testing.T) {
	var replies []scripted.Reply
	for _, place := range []string{"A", "B", "C", "D", "E"} {
		replies = append(replies, say(`{"steps": [{"tool": "gis_area", "do": "area of Nowhere `+place+`"}]}`))
		replies = append(replies, repeat(3, call("gis_area", `{"zones": "Nowhere `+place+`"}`))...)
	}
	replies = append(replies[:16:16], call("decline", `{"reason": "no such place"}`))
	r := newRig(t, replies...)
	if a := r.must("plan-execute", kenya, area()); !a.Declined {
		t.Errorf("%+v", a)
	}
	if n := len(bodies[*event.Revision](r)); n != 3 {
		t.Errorf("%d new plans, want 3", n)
	}
	r = newRig(t, replies...)
	r.budget = episode.Budget{Replans: 1}
	r.wantNothing(r.must("plan-execute", kenya, area()), "budget: replans")
}

func TestPlanExecuteReadsPlans(t *testing.T) {
	for _, plan := range []string{
		`{"steps": [{"tool": "gis.area", "do": "area of Kenya"}]}`, `{"steps": ["gis_area: area of Kenya"]}`, `{"steps": ["Measure the area of Kenya"]}`,
		"Here is the plan:\n1. gis_area: area of Kenya\n2. answer: give it", "- Measure the area of Kenya.",
	} {
		r := newRig(t, say(plan), areaOfKenya, call("answer", `{"area": "c1.area"}`))
		r.wantBound(r.must("plan-execute", kenya, area()), "gis.area")
		if n := len(r.asked.requests); n != 3 {
			t.Errorf("%s: %d requests, want 3", plan, n)
		}
	}
}

// A reply that is no plan is asked for once more; tokens of both count.
func TestFieldB28MalformedPlan(t *testing.T) {
	chat := say("Sure! First I will look at the data.")
	for _, setup := range []string{"plan-execute", "geollm-squad"} {
		r := newRig(t, repeat(3, chat)...)
		r.wantNothing(r.must(setup, kenya, area()), "the plan could not be read")
		replies := bodies[*event.ModelReply](r)
		if len(replies) != 2 || replies[1].Prompt == nil || *replies[1].Prompt == 0 {
			t.Errorf("%s: replies %+v", setup, replies)
		}
	}
}

// What a first prompt costs, in estimated tokens: less than that of single, which shows every tool's schema.
func TestTeamsPromptSizes(t *testing.T) {
	r := newRig(t, fail("context_overflow"))
	r.must("single", kenya, area())
	single := len(r.asked.requests[0].Text())
	for _, w := range teams() {
		r := newRig(t, w.whole(areaOfKenya)...)
		r.must(w.setup, kenya, area())
		for i, req := range r.asked.requests {
			n := len(req.Text())
			t.Logf("%s request %d: %d bytes", w.setup, i, n)
			if n > single*2/3 {
				t.Errorf("%s: request %d has %d bytes, single's first %d", w.setup, i, n, single)
			}
		}
	}
}

// As in single, who declines right after a failed call is told once that the call can be corrected; then it stands.
func TestTeamsDeclineAfterAFailedCallIsHandedBackOnce(t *testing.T) {
	nowhere := call("gis_area", `{"zones": "Nowhereland"}`)
	decline := say(`{"decline": "no data"}`)
	for _, w := range teams() {
		if w.setup != "plan-execute" && w.setup != "geollm-squad" {
			continue // these do not plan again after a call
		}
		start := append(w.before[:1:1], repeat(3, nowhere)...)
		again := []scripted.Reply{decline, say(`{"steps": [{"tool": "gis_area", "do": "Kenya this time"}], "tasks": [{"agent": "gis", "task": "Kenya this time"}]}`), areaOfKenya}
		again = append(append(again, w.right[:len(w.right)-1]...), call("answer", `{"area": "c2.area"}`))
		r := newRig(t, append(start[:4:4], again...)...)
		if a := r.must(w.setup, kenya, area()); a.Declined {
			t.Errorf("%s: the first decline stands: %+v", w.setup, a)
		}
		if text := said(r.asked.requests[5].Messages); !strings.Contains(text, "no reason to decline") {
			t.Errorf("%s: the planner is told %s", w.setup, text)
		}
		r = newRig(t, append(start[:4:4], decline, decline)...)
		if a := r.must(w.setup, kenya, area()); !a.Declined || len(r.asked.requests) != 6 {
			t.Errorf("%s: %+v after %d requests", w.setup, a, len(r.asked.requests))
		}
	}
}

// A role that may not end the work and tries is told so; that is no call of a tool.
func TestTeamsOnlyTheLeaderEnds(t *testing.T) {
	early := call("answer", `{"area": 5}`)
	for _, w := range teams() {
		replies := w.whole(early, areaOfKenya)
		switch w.setup {
		case "geollm-squad": // its agent's message is that it has no result; the supervisor lists the task again
			replies = append(append(w.before[:1:1], early), say(`{"complete": false, "tasks": [{"agent": "gis", "task": "Measure it, do not answer."}]}`), areaOfKenya)
			replies = append(replies, w.right...)
		case "magentic", "magentic+faithful":
			replies = w.whole(early, ledger(w.setup, "fft", "gis", "Measure it."), areaOfKenya)
		}
		r := newRig(t, replies...)
		r.wantBound(r.must(w.setup, kenya, area()), "gis.area")
		if got := r.calls(); got != "gis.area ok" {
			t.Errorf("%s: calls %s", w.setup, got)
		}
	}
}
