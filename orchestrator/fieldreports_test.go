package orchestrator_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"almanac/agents/llm"
	"almanac/agents/llm/scripted"
	"almanac/orchestrator"
	"almanac/orchestrator/episode"
	"almanac/orchestrator/event"
	"almanac/orchestrator/schedule"
	"almanac/toolkits"
)

type labIn struct {
	Text string `arg:"text,optional" doc:"a text"`
}

type labOut struct {
	Text string `out:"text" doc:"what there is"`
}

type labNumber struct {
	Mean float64 `out:"mean" unit:"1" doc:"mean value"`
}

// lab gives the rig tools whose results are known, instead of the real ones.
func (r *rig) lab(tools ...*toolkits.Tool) {
	r.t.Helper()
	reg, err := toolkits.NewRegistry(tools...)
	if err != nil {
		r.t.Fatal(err)
	}
	r.tools = reg
}

func texts(name string, fn func() (string, error)) *toolkits.Tool {
	return toolkits.New(name, func(context.Context, labIn) (labOut, error) {
		s, err := fn()
		return labOut{s}, err
	}, toolkits.Doc{Group: "Test", Purpose: "tells something"})
}

func means(name string, value float64) *toolkits.Tool {
	return toolkits.New(name, func(context.Context, labIn) (labNumber, error) { return labNumber{value}, nil },
		toolkits.Doc{Group: "Test", Purpose: "mean of something"})
}

func mean() schedule.Contract { return schedule.Contract{{Key: "mean", Type: "number"}} }

// planned counts how often the supervisor was asked for a schedule.
func (r *rig) planned() int {
	n := 0
	for _, q := range bodies[*event.ModelRequest](r) {
		if q.Purpose == "plan" || q.Purpose == "revise" {
			n++
		}
	}
	return n
}

func (r *rig) lastMessage(request int) llm.Message {
	m := r.asked.requests[request].Messages
	return m[len(m)-1]
}

// A made-up tool, five times: each time the names that exist, then a clear end.
func TestFieldA20MadeUpTool(t *testing.T) {
	r := newRig(t, repeat(5, call("quickjs", `{"code": "1+1"}`))...)
	a := r.must("single", kenya, area())
	r.wantNothing(a, "stalled")
	if text := r.lastMessage(1).Content; !strings.Contains(text, "quickjs") || !strings.Contains(text, "error") {
		t.Errorf("the model was told %q", text)
	}
	if n := len(r.asked.requests); n > 4 {
		t.Errorf("%d rounds", n)
	}
	if e := bodies[*event.Error](r); len(e) != 1 || e[0].Code != "stalled" || e[0].Harness {
		t.Errorf("errors %+v", e)
	}
}

// A call where none is wanted is dropped: none answers from memory, and a call is no memory.
func TestFieldA26CallWhereNoneIsOffered(t *testing.T) {
	r := newRig(t, call("gis_area", `{"zones": "Kenya"}`))
	a := r.must("none", kenya, area())
	r.wantNothing(a, "")
	if r.calls() != "" {
		t.Errorf("calls %s", r.calls())
	}
}

// The same call on every turn, written in different ways: run once, then the loop ends.
func TestFieldA32IdenticalRepeats(t *testing.T) {
	same := []scripted.Reply{
		call("gis_area", `{"zones": "Kenya"}`), call("gis_area", `{"zones":"Kenya"}`), call("gis_area", `{ "zones" : "Kenya" }`),
		call("gis_area", `{"zones": "Kenya"}`), call("gis_area", `{"zones": "Kenya"}`), call("gis_area", `{"zones": "Kenya"}`),
	}
	r := newRig(t, same...)
	r.wantNothing(r.must("single", kenya, area()), "stalled")
	if r.calls() != "gis.area ok" {
		t.Errorf("calls %s", r.calls())
	}
	calls := bodies[*event.ToolCall](r)
	replies := len(bodies[*event.ModelReply](r))
	if len(calls) != replies {
		t.Errorf("%d replies asked for a call, the log has %d", replies, len(calls))
	}
	for i, c := range calls {
		if c.Key != calls[0].Key || c.Memo != (i > 0) || i > 0 && c.ID == calls[i-1].ID {
			t.Errorf("call %d: id %s, key %s, memo %v", i, c.ID, c.Key, c.Memo)
		}
	}
	if text := r.lastMessage(2).Content; !strings.Contains(text, "already called") || !strings.Contains(text, "km2") {
		t.Errorf("the model was told %q", text)
	}
}

// There are no hand-offs between agents; the like of it is a plan that goes to and fro between two versions. It stops,
// and what it has stays.
func TestFieldB01ToAndFro(t *testing.T) {
	a := say("size = gis.area(zones=\"Kenya\")\nother = gis.area(zones=\"Aland\")\nanswer(area=size.area, other=other.area)")
	b := say("other = gis.area(zones=\"Bland\")")
	c := say("other = gis.area(zones=\"Aland\")")
	r := newRig(t, a, b, c, b, c, b, c)
	r.opts.Mode = orchestrator.ModeProgram
	got := r.must("squad", kenya, append(area(), schedule.Field{Key: "other", Type: "number", Unit: "km2"}))
	if n := r.planned(); n > 3 {
		t.Errorf("asked for %d plans", n)
	}
	r.wantBound(got, "gis.area")
	if got.Fields[1].Value != nil && got.Fields[1].Call == "" {
		t.Errorf("%+v", got.Fields[1])
	}
}

// Names of agents that differ in case, blanks, quotes or brackets are one agent's; another name is refused with those
// that exist, and never becomes the first agent.
func TestFieldB03AgentNames(t *testing.T) {
	for _, name := range []string{"gis", "GIS", "Gis"} {
		text := fmt.Sprintf(`size = %s.ask("area of the place", returns="scalar[km2]", place=task.place)`, name) + "\nanswer(area=size.value)"
		r := newRig(t, say(text), call("gis_area", `{"zones": "place"}`))
		r.opts.Mode = orchestrator.ModeObjective
		r.wantBound(r.must("squad", kenya, area()), "gis.area")
	}
	text := `size = guru.ask("area of the place", returns="scalar[km2]", place=task.place)` + "\nanswer(area=size.value)"
	r := newRig(t, say(text), say(text))
	r.opts.Mode = orchestrator.ModeObjective
	r.must("squad", kenya, area())
	s := bodies[*event.Schedule](r)
	if s[0].Valid || len(s[0].Problems) == 0 || s[0].Problems[0].Code != "unknown_agent" || !slices.Contains(s[0].Problems[0].Legal, "gis") {
		t.Errorf("%+v", s[0])
	}
	for _, c := range bodies[*event.ToolCall](r) {
		if c.Schedule == 1 {
			t.Error("a call of a refused schedule ran")
		}
	}
}

// A choice that comes as prose is no choice: the search's order stands, and nothing is asked for ever.
func TestFieldB05SelectorAnswersInProse(t *testing.T) {
	r := newRig(t, repeat(40, say("Next I think gis, and after that data."))...)
	r.opts.Mode = orchestrator.ModeSlot
	r.opts.Asker.Margin = 50
	a := r.must("squad", kenya, area())
	r.wantBound(a, "gis.area")
	if n := len(r.asked.requests); n > 20 {
		t.Errorf("asked %d times", n)
	}
}

// A text that claims to have saved something, without a call, is no answer.
func TestFieldB06ClaimsWithoutCalling(t *testing.T) {
	for _, kind := range []string{"number", "text"} {
		r := newRig(t, repeat(6, say("Saved the mean 12.4 to out.csv"))...)
		a := r.must("single", "Save the mean of the record.", schedule.Contract{{Key: "mean", Type: kind}})
		r.wantNothing(a, "stalled")
		if o := r.calls(); o != "" {
			t.Errorf("calls %s", o)
		}
	}
}

// One result larger than the window is cut in the prompt, and the cut is said; the whole stays in the store.
func TestFieldB10GiantResult(t *testing.T) {
	giant := strings.Repeat("0123456789", 100_000)
	r := newRig(t, call("lab_read", `{}`), call("answer", `{"text": "c1.text"}`))
	r.lab(texts("lab.read", func() (string, error) { return giant, nil }))
	a := r.must("single", "What does it say?", schedule.Contract{{Key: "text", Type: "text"}})
	told := r.lastMessage(1).Content
	if len(told) > 5000 || !strings.Contains(told, "of 10000") || !strings.Contains(told, "bytes shown") {
		t.Errorf("%d bytes: …%s", len(told), told[max(0, len(told)-80):])
	}
	if f := a.Fields[0]; f.Value != giant || f.Artifact == "" {
		t.Errorf("the whole value is not there: bound %v, artifact %q", f.Bound, f.Artifact)
	}
}

// Seven specialists that each return forty thousand characters: each is capped in its prompt, and the run ends well.
func TestFieldB09SpecialistsOutput(t *testing.T) {
	var text strings.Builder
	replies := []scripted.Reply{{}}
	for i := range 7 {
		fmt.Fprintf(&text, "s%d = lab.ask(\"tell %d\", returns=\"text\")\n", i, i)
		replies = append(replies, call("lab_read", fmt.Sprintf(`{"text": "%d"}`, i)))
	}
	text.WriteString("answer(mean=s0.value)")
	replies[0] = say(text.String())
	r := newRig(t, replies...)
	r.lab(texts("lab.read", func() (string, error) { return strings.Repeat("x", 40_000), nil }))
	r.team = withAgent(r.team, "lab")
	r.opts.Mode = orchestrator.ModeObjective
	r.must("squad", "Tell all.", schedule.Contract{{Key: "mean", Type: "text"}})
	if got := strings.Count(r.calls(), "lab.read ok"); got != 7 {
		t.Errorf("calls %s", r.calls())
	}
	for _, req := range r.asked.requests {
		if n := len(req.Text()); n > 20_000 {
			t.Errorf("a prompt of %d bytes", n)
		}
	}
}

// The limit is a status, not an answer.
func TestFieldB11LimitTextIsNoAnswer(t *testing.T) {
	r := newRig(t, call("lab_a", `{}`), call("lab_b", `{}`), call("lab_a", `{"text": "x"}`), call("lab_b", `{"text": "x"}`))
	r.lab(means("lab.a", 1), means("lab.b", 2))
	r.budget = episode.Budget{ModelCalls: 3}
	ep, err := r.solve(context.Background(), "single", "What is the mean?", mean())
	if err != nil {
		t.Fatal(err)
	}
	r.wantNothing(ep.Given(), "budget: model_calls")
	if ep.Outcome() != event.Unsolved || ep.Exhausted() != "model_calls" {
		t.Errorf("outcome %s, budget %s", ep.Outcome(), ep.Exhausted())
	}
}

// No word ends a run: not in the question, not in data; only answer and decline do.
func TestFieldB13StopWordInTheTask(t *testing.T) {
	r := newRig(t, ways()[1].right...)
	r.wantBound(r.must("single", kenya+" Discuss, then say FINISHED when you agree. TERMINATE.", area()), "gis.area")
}

func TestFieldB14StopWordInData(t *testing.T) {
	r := newRig(t, call("lab_read", `{}`), call("lab_mean", `{}`), call("answer", `{"mean": "c2.mean"}`))
	r.lab(texts("lab.read", func() (string, error) { return "status: FINISHED TERMINATE answer()", nil }), means("lab.mean", 12.4))
	r.wantBound(r.must("single", "What is the mean?", mean()), "lab.mean")
}

// References that are filled: whole handles keep their type, nested ones are filled too, unknown ones are refused
// before the call runs.
func TestFieldB25References(t *testing.T) {
	for _, form := range []string{"c1.data", "{{c1.data}}", "${c1.data}", "{c1.data}", `c1[\"data\"]`, "c1", " c1.data ", "data_open.data", "data.open"} {
		r := newRig(t,
			call("data_open", `{"dataset": "mauna_loa_co2", "variable": "co2"}`),
			call("data_series_stats", `{"series": "`+form+`"}`),
			call("answer", `{"mean": "c2.mean"}`))
		r.wantBound(r.must("single", "What is the mean of the record?", schedule.Contract{{Key: "mean", Type: "number", Unit: "ppm"}}), "data.series_stats")
	}
	r := newRig(t, call("gis_area", `{"zones": "Kenya"}`), call("compute_evaluate", `{"expression": "a / 2", "variables": {"a": "c1.area"}}`),
		call("compute_evaluate", `{"expression": "c1.area / 4"}`), call("answer", `{"half": "c2.value", "quarter": "c3.value"}`))
	r.t = t
	a := r.must("single", kenya, schedule.Contract{{Key: "half", Type: "number", Unit: "km2"}, {Key: "quarter", Type: "number", Unit: "km2"}})
	if h, q := a.Fields[0], a.Fields[1]; !h.Bound || !q.Bound || h.Value != 2*q.Value.(float64) {
		t.Errorf("%+v", a.Fields)
	}
	r = newRig(t, call("data_series_stats", `{"series": "c9.data"}`), call("answer", `{"area": "c9.area"}`),
		call("decline", `{"reason": "r"}`), call("decline", `{"reason": "r"}`))
	r.must("single", kenya, area())
	if told := r.lastMessage(1).Content; !strings.Contains(told, "c9 has no result") || r.calls() != "data.series_stats not_found" {
		t.Errorf("told %q; calls %s", told, r.calls())
	}
	if told := r.lastMessage(2).Content; !strings.Contains(told, "c9 has no result") {
		t.Errorf("told %q", told)
	}
}

// A cycle and a name bound twice: refused, nothing runs.
func TestFieldB27BadGraph(t *testing.T) {
	text := "s1 = compute.evaluate(expression=\"a\", variables={\"a\": s2.value})\ns2 = compute.evaluate(expression=\"a\", variables={\"a\": s1.value})\n" +
		"s3 = gis.area(zones=\"Kenya\")\ns3 = gis.area(zones=\"Chad\")\nanswer(area=s1.value)"
	r := newRig(t, say(text), say(text))
	r.opts.Mode = orchestrator.ModeProgram
	r.must("squad", kenya, area())
	s := bodies[*event.Schedule](r)[0]
	var codes []string
	for _, p := range s.Problems {
		codes = append(codes, p.Code)
	}
	if s.Valid || !slices.Contains(codes, "undefined_name") || !slices.Contains(codes, "redefined_name") {
		t.Errorf("%v", codes)
	}
	for _, c := range bodies[*event.ToolCall](r) {
		if c.Schedule == s.Version {
			t.Errorf("%s ran", c.Tool)
		}
	}
}

// A planner whose replies do not parse is asked a few times; every token is counted, and the episode ends as usual.
func TestFieldB28TokensOfUnparsablePlans(t *testing.T) {
	usage := llm.Spent(100, 10)
	chat := scripted.Reply{Content: "Sure! First I will look at the data.", Usage: &usage}
	r := newRig(t, repeat(30, chat)...)
	r.opts.Mode = orchestrator.ModeProgram
	ep, err := r.solve(context.Background(), "squad", "Is it?", mean())
	if err != nil {
		t.Fatal(err)
	}
	n := len(r.asked.requests)
	if p := r.planned(); p == 0 || p > 3 || ep.Used().Tokens != int64(110*n) || ep.Given() == nil {
		t.Errorf("%d plans, %d requests, %d tokens, answer %v", p, n, ep.Used().Tokens, ep.Given())
	}
}

// A specialist's request lists its tools, and the log says which and why.
func TestFieldB31SpecialistHasItsTools(t *testing.T) {
	r := newRig(t, ways()[3].right...)
	r.opts.Mode = orchestrator.ModeObjective
	r.must("squad", kenya, area())
	req := r.asked.requests[1]
	if len(req.Tools) == 0 || len(req.Tools) > 8 || req.Role != "gis" {
		t.Fatalf("role %s, %d tools", req.Role, len(req.Tools))
	}
	sel := bodies[*event.ToolSelection](r)
	last := sel[len(sel)-1]
	for _, spec := range req.Tools {
		name := strings.Replace(spec.Name, "_", ".", 1)
		if !slices.Contains(last.Chosen, name) || !strings.HasPrefix(name, "gis.") && !strings.HasPrefix(name, "compute.") && !strings.HasPrefix(name, "plot.") {
			t.Errorf("%s is shown; chosen were %v", name, last.Chosen)
		}
	}
}

// A specialist cannot call what is not its own, nor end the episode, and is asked again twice at most.
func TestSpecialistStaysInItsPlace(t *testing.T) {
	plan := say(`size = gis.ask("area", returns="scalar[km2]", place=task.place)` + "\nanswer(area=size.value)")
	r := newRig(t, plan, call("answer", `{"area": 1}`), call("data_list_datasets", `{}`), call("forecast_persistence", `{}`), say("decline()"), say("decline()"))
	r.opts.Mode = orchestrator.ModeObjective
	r.must("squad", kenya, area())
	asked := 0
	for _, req := range r.asked.requests {
		if req.Role == "gis" {
			asked++
		}
	}
	if asked != 3 {
		t.Errorf("the specialist was asked %d times, want once and twice again", asked)
	}
	for _, c := range bodies[*event.ToolResult](r) {
		if strings.HasPrefix(c.Call, "size.") && c.OK {
			t.Errorf("call %s of another's tool ran", c.Call)
		}
	}
}

// Results go back in the order of the calls, each with its id.
func TestFieldB33ResultsInOrder(t *testing.T) {
	two := call("gis_geocode", `{"place": "Oslo"}`)
	two.Calls = append(two.Calls, call("gis_geocode", `{"place": "Cairo"}`).Calls...)
	two.Calls[0].ID, two.Calls[1].ID = "x1", "x2"
	r := newRig(t, two, call("decline", `{"reason": "r"}`))
	r.must("single", kenya, area())
	m := r.asked.requests[1].Messages
	a, b := m[len(m)-2], m[len(m)-1]
	if a.ToolCallID != "x1" || b.ToolCallID != "x2" || !strings.Contains(a.Content, "Norway") || !strings.Contains(b.Content, "Egypt") {
		t.Errorf("%+v\n%+v", a, b)
	}
}

// An answer without any marker is taken after one word about the form.
func TestFieldB35AnswerInProse(t *testing.T) {
	r := newRig(t, repeat(2, say("The answer is 2."))...)
	a := r.must("single", "What is 1+1?", mean())
	if f := a.Fields[0]; fmt.Sprint(f.Value) != "2" || f.Bound {
		t.Errorf("%+v", f)
	}
	r = newRig(t, repeat(2, say("The answer is Nairobi."))...)
	a = r.must("single", "Which city?", schedule.Contract{{Key: "city", Type: "text"}})
	if f := a.Fields[0]; f.Value != "Nairobi" || f.Bound {
		t.Errorf("%+v", f)
	}
	r = newRig(t, call("gis_area", `{"zones": "Kenya"}`), say("The area is c1.area."), say("The area is c1.area."))
	r.wantBound(r.must("single", kenya, area()), "gis.area")
}

// A tool that was down once is offered and called again in the next episode.
func TestFieldB41OneOutage(t *testing.T) {
	down := true
	tool := toolkits.New("lab.mean", func(context.Context, labIn) (labNumber, error) {
		if down {
			return labNumber{}, toolkits.Errorf(toolkits.NotEnoughData, "503")
		}
		return labNumber{12.4}, nil
	}, toolkits.Doc{Group: "Test", Purpose: "mean of something"})
	for _, want := range []bool{false, true} {
		r := newRig(t, call("lab_mean", `{}`), call("answer", `{"mean": "c1.mean"}`), call("decline", `{"reason": "none"}`),
			call("decline", `{"reason": "none"}`))
		r.lab(tool)
		a := r.must("single", "What is the mean?", mean())
		if got := !a.Declined && a.Fields[0].Value != nil; got != want {
			t.Errorf("down %v: %+v", down, a)
		}
		down = false
	}
}

// What tools there are is read from the registry, whatever anyone believes.
func TestFieldB43LiveRegistry(t *testing.T) {
	r := newRig(t, call("lab_area_mean", `{}`), call("answer", `{"mean": "c1.mean"}`))
	r.lab(means("lab.area_mean", 3))
	r.wantBound(r.must("single", "No tool can compute area means. What is the mean?", mean()), "lab.area_mean")
	if r.asked.requests[0].Tools[0].Name != "lab_area_mean" {
		t.Errorf("tools %+v", r.asked.requests[0].Tools)
	}
}
