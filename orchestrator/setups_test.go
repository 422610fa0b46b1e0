package orchestrator_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"almanac/agents/llm/scripted"
	"almanac/orchestrator"
	"almanac/orchestrator/episode"
	"almanac/orchestrator/event"
	"almanac/orchestrator/schedule"
	"almanac/toolkits"
)

// way is how a setup is brought to its answer: the replies of a model that does it right.
type way struct {
	name, setup, mode string
	right             []scripted.Reply
	declines          scripted.Reply
	samples           int // that draw replies one after another; 0 is one
}

// each is the replies once for every sample.
func (w way) each(replies ...scripted.Reply) []scripted.Reply {
	var out []scripted.Reply
	for range max(1, w.samples) {
		out = append(out, replies...)
	}
	return out
}

// singles are single and its variants, which work by function calling in one conversation.
func singles() []way {
	base := way{
		declines: call("decline", `{"reason": "no data", "missing": ["rivers"]}`),
		right:    []scripted.Reply{call("gis_area", `{"zones": "Kenya"}`), call("answer", `{"area": "c1.area"}`)},
	}
	var out []way
	for _, name := range []string{"single", "single+ts", "single+wm", "single-sc"} {
		w := base
		w.name, w.setup = name, name
		if name == "single-sc" {
			w.samples = orchestrator.DefaultSamples
			w.right = w.each(w.right...)
		}
		out = append(out, w)
	}
	return out
}

const areaProgram = "size = gis.area(zones=task.place)\nanswer(area=size.area)"

func ways() []way {
	return append([]way{
		{name: "none", setup: "none", right: []scripted.Reply{say(`{"area": 580000}`)}, declines: say(`{"decline": "no data"}`)},
		{
			name: "single", setup: "single", declines: call("decline", `{"reason": "no data", "missing": ["rivers"]}`),
			right: []scripted.Reply{call("gis_area", `{"zones": "Kenya"}`), call("answer", `{"area": "c1.area"}`)},
		},
		{
			name: "squad program", setup: "squad", mode: orchestrator.ModeProgram, right: []scripted.Reply{say(areaProgram)},
			declines: say(`decline(reason="no data", missing=["rivers"])`),
		},
		{
			name: "squad objective", setup: "squad", mode: orchestrator.ModeObjective,
			right: []scripted.Reply{
				say(`size = gis.ask("area of the place", returns="scalar[km2]", place=task.place)` + "\nanswer(area=size.value)"),
				call("gis_area", `{"zones": "place"}`),
			},
			declines: say(`decline(reason="no data", missing=["rivers"])`),
		},
	}, append(singles()[1:], react())...)
}

// react is langchaingo's agent, which writes its calls as text.
func react() way {
	return way{
		name: "langchain", setup: "langchain",
		right: []scripted.Reply{
			say("Thought: measure it\nAction: gis_area\nAction Input: {\"zones\": \"Kenya\"}\nObservation: c1.area = 7 km2\nFinal Answer: 7"),
			say("Thought: done\nAction: answer\nAction Input: {\"area\": \"c1.area\"}"),
		},
		declines: say("Thought: none\nAction: decline\nAction Input: {\"reason\": \"no data\", \"missing\": [\"rivers\"]}"),
	}
}

func (w way) rig(t *testing.T, replies ...scripted.Reply) *rig {
	r := newRig(t, replies...)
	r.opts.Mode = w.mode
	return r
}

func TestRightSolution(t *testing.T) {
	for _, w := range ways() {
		t.Run(w.name, func(t *testing.T) {
			r := w.rig(t, w.right...)
			a := r.must(w.setup, kenya, area())
			if w.setup == "none" {
				if f := a.Fields[0]; fmt.Sprint(f.Value) != "580000" || f.Bound {
					t.Errorf("%+v: what is known by heart is a literal", f)
				}
				return
			}
			r.wantBound(a, "gis.area")
		})
	}
	for _, w := range []way{{setup: "search"}, {setup: "squad", mode: orchestrator.ModeSlot}} {
		r := w.rig(t)
		r.wantBound(r.must(w.setup, kenya, area()), "gis.area")
		if len(r.asked.requests) != 0 {
			t.Errorf("%s asked the model where one schedule was left", w.setup)
		}
	}
}

func TestDecline(t *testing.T) {
	for _, w := range ways() {
		t.Run(w.name, func(t *testing.T) {
			a := w.rig(t, w.each(w.declines)...).must(w.setup, "How long are the rivers of Kenya?", area())
			if !a.Declined || a.Reason != "no data" {
				t.Errorf("%+v", a)
			}
		})
	}
	r := newRig(t)
	if a := r.must("search", "How many square kilometres does the country Atlantisia cover?", area()); !a.Declined || !strings.Contains(a.Reason, "Atlantisia") {
		t.Errorf("search: %+v", a)
	}
}

// A model that declines right after a failed call is told once that the call can be corrected; the second time it stands.
func TestDeclineAfterAFailedCallIsHandedBackOnce(t *testing.T) {
	wrong := call("data_series_stats", `{"series": "seattle_weather"}`)
	decline := call("decline", `{"reason": "no data"}`)
	r := newRig(t, wrong, decline, call("gis_area", `{"zones": "Kenya"}`), call("answer", `{"area": "c2.area"}`))
	if a := r.must("single", kenya, area()); a.Declined || len(a.Fields) != 1 || !a.Fields[0].Bound {
		t.Errorf("%+v", a)
	}
	res := bodies[*event.ToolResult](r)
	if !strings.Contains(res[0].Message, "call data_open with it first") {
		t.Errorf("the error does not say what to do first: %s", res[0].Message)
	}
	if a := newRig(t, wrong, decline, decline).must("single", kenya, area()); !a.Declined {
		t.Errorf("the second decline does not stand: %+v", a)
	}
}

// What can be computed is not asked: a place that the gazetteer lacks is declined without a question to the model.
func TestUnknownPlaceIsNotAskedAbout(t *testing.T) {
	r := newRig(t)
	field := schedule.Contract{{Key: "height", Type: "number", Unit: "m"}}
	a := r.must("squad", "How high does the country Atlantisia lie on average?", field)
	if !a.Declined || !strings.Contains(a.Reason, "Atlantisia") || len(r.asked.requests) != 0 {
		t.Errorf("%+v after %d requests", a, len(r.asked.requests))
	}
}

// A server that fails is the harness's fault: the error goes up, no answer is made of it.
func TestServerErrorMidWay(t *testing.T) {
	for _, w := range ways() {
		for _, code := range []string{"transport", "overloaded", "500", "model_missing"} {
			replies := append(append([]scripted.Reply(nil), w.right[:len(w.right)-1]...), fail(code))
			ep, err := w.rig(t, replies...).solve(context.Background(), w.setup, kenya, area())
			if err == nil || !episode.Harness(err) || ep.Given() != nil {
				t.Errorf("%s, %s: error %v, answer %v", w.name, code, err, ep.Given())
			}
		}
	}
}

func TestContextOverflow(t *testing.T) {
	for _, w := range ways() {
		r := w.rig(t, w.each(fail("context_overflow"), fail("context_overflow"))...)
		r.must(w.setup, kenya, area())
		if rep := bodies[*event.ModelReply](r); rep[0].Error != "context_overflow" {
			t.Errorf("%s: %+v", w.name, rep[0])
		}
	}
}

func TestCancellation(t *testing.T) {
	for _, w := range ways() {
		t.Run(w.name, func(t *testing.T) {
			r := w.rig(t, w.right...)
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			r.asked.before = func(int) { cancel() }
			ep, err := r.solve(ctx, w.setup, kenya, area())
			if !errors.Is(err, context.Canceled) || ep.Given() != nil {
				t.Errorf("error %v, answer %v", err, ep.Given())
			}
		})
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := newRig(t).solve(ctx, "search", kenya, area()); !errors.Is(err, context.Canceled) {
		t.Errorf("search: %v", err)
	}
}

// Each budget ends the episode with no value, and says which it was.
func TestBudgets(t *testing.T) {
	opens := []scripted.Reply{
		call("data_open", `{"dataset": "coads_climatology", "variable": "sst", "period": "March"}`),
		call("data_open", `{"dataset": "coads_climatology", "variable": "sst", "period": "April"}`),
		call("data_open", `{"dataset": "coads_climatology", "variable": "sst", "period": "May"}`),
		call("answer", `{"area": "c9.area"}`),
	}
	fails := []scripted.Reply{
		say("a = gis.area(zones=\"Nowhereland\")\nanswer(area=a.area)"), say("a = gis.area(zones=\"Noplace\")\nanswer(area=a.area)"),
		say("a = gis.area(zones=\"Nothing\")\nanswer(area=a.area)"),
	}
	for _, tt := range []struct {
		name, setup, mode string
		replies           []scripted.Reply
		budget            episode.Budget
	}{
		{"model_calls", "single", "", opens, episode.Budget{ModelCalls: 2}},
		{"tool_calls", "single", "", opens, episode.Budget{ToolCalls: 2}},
		{"tokens", "single", "", opens, episode.Budget{Tokens: 100}},
		{"working_s", "single", "", []scripted.Reply{after(20*time.Millisecond, opens[0]), opens[1]}, episode.Budget{Working: 10 * time.Millisecond}},
		{"replans", "squad", orchestrator.ModeProgram, fails, episode.Budget{Replans: 1}},
		{"tool_calls", "squad", orchestrator.ModeProgram, []scripted.Reply{say(
			"s = data.open(dataset=\"coads_climatology\", variable=\"sst\", period=\"March\")\nz = gis.zonal_stats(raster=s, zones=\"Kenya\")\nanswer(area=z.mean)",
		)}, episode.Budget{ToolCalls: 1}},
	} {
		t.Run(tt.name+" "+tt.setup, func(t *testing.T) {
			r := newRig(t, tt.replies...)
			r.opts.Mode, r.budget = tt.mode, tt.budget
			contract := schedule.Contract{{Key: "area", Type: "number"}}
			a := r.must(tt.setup, "What is asked of Kenya?", contract)
			if b := bodies[*event.Budget](r); len(b) == 0 || b[0].Name != tt.name {
				t.Errorf("budgets %+v", b)
			}
			if f := a.Fields[0]; f.Value != nil || f.Reason == "" {
				t.Errorf("%+v", f)
			}
		})
	}
}

// What a model writes instead of a call or a program never crashes, is bounded, and costs what it cost.
func TestUnparsable(t *testing.T) {
	chat := say("Sure! First I will look at the data.")
	for _, w := range ways() {
		r := w.rig(t, w.each(repeat(8, chat)...)...)
		a := r.must(w.setup, kenya, area())
		if w.setup != "squad" {
			r.wantNothing(a, "")
		}
		if n := len(r.asked.requests); n > 5*max(1, w.samples) {
			t.Errorf("%s: asked %d times", w.name, n)
		}
	}
}

// A tool's error goes back to the model with what would be legal, and a corrected call is taken.
func TestToolErrorIsShownAndCorrected(t *testing.T) {
	r := newRig(t, call("gis_area", `{"zones": "Kenia"}`), call("gis_area", `{"zones": "Kenya"}`), call("answer", `{"area": "c2.area"}`))
	r.wantBound(r.must("single", kenya, area()), "gis.area")
	last := r.asked.requests[1].Messages
	if text := last[len(last)-1].Content; !strings.Contains(text, "not_found") || !strings.Contains(text, "Kenya") {
		t.Errorf("the model was told %q", text)
	}

	r = newRig(t, say("size = gis.area(zones=\"Kenia\")\nanswer(area=size.area)"), say("size = gis.area(zones=\"Kenya\")"))
	r.opts.Mode = orchestrator.ModeProgram
	r.wantBound(r.must("squad", kenya, area()), "gis.area")
	if rev := bodies[*event.Revision](r); len(rev) != 1 || !strings.Contains(rev[0].Reason, "Kenia") || len(rev[0].Statements) != 1 {
		t.Errorf("revisions %+v", rev)
	}
}

// The same revision again ends the model's part; the search takes over or the episode ends, but it is not asked on.
func TestSameRevisionTwiceEndsReplanning(t *testing.T) {
	bad := say("size = gis.area(zones=\"Kenia\")\nanswer(area=size.area)")
	r := newRig(t, repeat(6, bad)...)
	r.opts.Mode = orchestrator.ModeProgram
	r.must("squad", kenya, area())
	if n := len(r.asked.requests); n > 2 {
		t.Errorf("asked %d times for the same", n)
	}
}

// A check that a model wrote causes one revision, then only marks the answer.
func TestModelCheckRevisesOnce(t *testing.T) {
	text := "size = gis.area(zones=task.place)\nverification.in_range(value=size.area, low=0, high=1)\nanswer(area=size.area)"
	r := newRig(t, say(text), say("verification.in_range(value=size.area, low=0, high=2)"), say("never asked"))
	r.opts.Mode = orchestrator.ModeProgram
	r.wantBound(r.must("squad", kenya, area()), "gis.area")
	if n := len(r.asked.requests); n != 2 {
		t.Errorf("asked %d times, want a plan and one revision", n)
	}
	failed := 0
	for _, c := range bodies[*event.Check](r) {
		if c.By == "supervisor" && !c.Passed {
			failed++
		}
	}
	if failed != 2 {
		t.Errorf("%d failed checks in the log, want 2", failed)
	}
}

// The engine's own checks unbind: a number that nobody stated, and a unit that does not fit.
func TestEngineChecksUnbind(t *testing.T) {
	r := newRig(t, say("far = gis.buffer(zones=task.place, distance=37)\nsize = gis.area(zones=far.zone)\nanswer(area=size.area)"))
	r.opts.Mode = orchestrator.ModeProgram
	f := r.must("squad", kenya, area()).Fields[0]
	if f.Value == nil || f.Bound || !strings.Contains(f.Reason, "37") {
		t.Errorf("%+v", f)
	}
	found := false
	for _, c := range bodies[*event.Check](r) {
		found = found || c.By == "engine" && c.Name == "provenance" && !c.Passed && len(c.Unbinds) == 1 && c.Unbinds[0] == "area"
	}
	if !found {
		t.Error("no event says that the engine's check unbinds the field")
	}
}

// No setup can see the expected answer: what it is told has no place for it. The oracle alone is given the gold.
func TestNoSetupSeesGold(t *testing.T) {
	var fields []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[episode.Request]()) {
		fields = append(fields, f.Name)
	}
	if got := strings.Join(fields, " "); got != "Task Question Context Contract" {
		t.Errorf("a request tells a setup %s", got)
	}
	r := newRig(t)
	for _, name := range orchestrator.Names() {
		s, err := orchestrator.New(name, r.team, nil)
		if (name == "oracle") != (err != nil) {
			t.Errorf("%s without gold: %v, %v", name, s, err)
		}
	}
	asked := false
	r.opts.Gold = func(string) (*schedule.Program, map[string]toolkits.Value, error) {
		asked = true
		p, _ := schedule.Parse("size = gis.area(zones=\"Kenya\")\nanswer(area=size.area)")
		return p, nil, nil
	}
	for _, w := range ways() {
		rr := w.rig(t, w.right...)
		rr.opts.Gold = r.opts.Gold
		rr.must(w.setup, kenya, area())
	}
	if asked {
		t.Error("another setup than the oracle asked for the gold")
	}
	r.wantBound(r.must("oracle", kenya, area()), "gis.area")
	r.opts.Gold = func(string) (*schedule.Program, map[string]toolkits.Value, error) {
		return nil, nil, errors.New("no gold")
	}
	if _, err := r.solve(context.Background(), "oracle", kenya, area()); err == nil {
		t.Error("an oracle without a schedule is no error")
	}
}

func TestUnknownSetupAndMode(t *testing.T) {
	r := newRig(t)
	if _, err := orchestrator.New("team", r.team, nil); err == nil || !strings.Contains(err.Error(), "squad") {
		t.Errorf("%v", err)
	}
	if _, err := orchestrator.New("squad", r.team, &orchestrator.Options{Mode: "fast"}); err == nil || !strings.Contains(err.Error(), "program") {
		t.Errorf("%v", err)
	}
}

// A question without answer fields gets one from the words: an area in square kilometres.
func TestQuestionWithoutFields(t *testing.T) {
	r := newRig(t)
	a := r.must("search", kenya, nil)
	r.wantBound(a, "gis.area")
	if f := a.Fields[0]; f.Unit != "km2" {
		t.Errorf("%+v", f)
	}
	r = newRig(t, call("gis_area", `{"zones": "Kenya"}`), call("answer", `{"how_large": "c1.area"}`))
	a = r.must("single", kenya, nil)
	if r.wantBound(a, "gis.area"); a.Fields[0].Key != "how_large" {
		t.Errorf("%+v", a.Fields)
	}
}

// The sentence for people comes after the answer, and has no number of its own.
func TestExplain(t *testing.T) {
	for _, tt := range []struct {
		name, reply string
		kept        bool
	}{
		{"a number of its own", "Kenya covers 999 square kilometres.", false},
		{"none", "Kenya covers the area given.", true},
	} {
		r := newRig(t, append(ways()[2].right, say(tt.reply))...)
		r.opts.Mode = orchestrator.ModeProgram
		ep, err := r.solve(context.Background(), "squad", kenya, area())
		if err != nil {
			t.Fatal(err)
		}
		text, err := orchestrator.Explain(context.Background(), ep)
		if err != nil || (text == tt.reply) != tt.kept || text == "" {
			t.Errorf("%s: %q, %v", tt.name, text, err)
		}
		if reqs := bodies[*event.ModelRequest](r); reqs[len(reqs)-1].Purpose != "explain" {
			t.Errorf("%+v", reqs[len(reqs)-1])
		}
	}
	r := newRig(t)
	if _, err := orchestrator.Explain(context.Background(), episode.New(episode.Request{}, r.tools, r.env, r, episode.Options{})); err == nil {
		t.Error("an episode without an answer is explained")
	}
}

// A task that allows some tools only: no setup is shown another, and a call of another one does not run.
func TestOnlyAllowedTools(t *testing.T) {
	for _, w := range ways()[1:] {
		r := w.rig(t, append(append([]scripted.Reply(nil), w.right...), repeat(30, call("decline", `{"reason": "no tool"}`))...)...)
		var err error
		if r.tools, err = r.work.Allowed([]string{"data.open", "data.series_stats", "gis.distance"}); err != nil {
			t.Fatal(err)
		}
		if _, err := r.solve(context.Background(), w.setup, kenya, area()); err != nil {
			t.Fatalf("%s: %v", w.name, err)
		}
		if strings.Contains(r.calls(), "gis.area ok") {
			t.Errorf("%s: calls %s", w.name, r.calls())
		}
		for _, req := range r.asked.requests {
			if strings.Contains(req.Text(), "Measure the area and border length") {
				t.Errorf("%s shows a tool that is not allowed", w.name)
			}
		}
	}
	r := newRig(t)
	var err error
	if r.tools, err = r.work.Allowed([]string{"data.open", "gis.distance"}); err != nil {
		t.Fatal(err)
	}
	if a := r.must("search", kenya, area()); !a.Declined {
		t.Errorf("search without a tool for areas: %+v", a)
	}
}

// A number and its unit in one text, where a number is wanted: models write "1000 km" as people do, and it is the number
// and not a text. A unit that nobody knows, and a text, stay errors.
func TestQuantityInOneText(t *testing.T) {
	arguments := map[string]string{}
	for text, ok := range map[string]bool{"1000 km": true, "1e6 m": true, "1000km": true, "1000 leagues": false, "far": false, "10 20 km": false} {
		r := newRig(t, call("gis_buffer", `{"zones": "Kenya", "distance": "`+text+`"}`), call("decline", `{"reason": "enough"}`), call("decline", `{"reason": "enough"}`))
		r.must("single", kenya, area())
		if results := bodies[*event.ToolResult](r); results[0].OK != ok {
			t.Errorf("%q: %s", text, results[0].Message)
		}
		arguments[text] = fmt.Sprint(bodies[*event.ToolCall](r)[0].Arguments)
	}
	if arguments["1000 km"] != arguments["1e6 m"] || arguments["1000km"] != arguments["1e6 m"] {
		t.Errorf("1000 km is not 1e6 m: %v", arguments)
	}
}

// What was opened can be named by its data set and variable, as models do, while one result has that name. A call that
// failed before it was opened is made again.
func TestOpenedByName(t *testing.T) {
	early := call("data_series_stats", `{"series": "seattle_weather.precipitation"}`)
	open := func(month string) scripted.Reply {
		return call("data_open", `{"dataset": "seattle_weather", "variable": "precipitation", "period": "`+month+`"}`)
	}
	r := newRig(t, early, open("2012-11"), early, call("answer", `{"rain": "c3.sum"}`))
	a := r.must("single", rainNovember, rain())
	if got, _ := a.Fields[0].Value.(float64); got < rainOf2012November-1e-6 || got > rainOf2012November+1e-6 || !a.Fields[0].Bound {
		t.Errorf("rain %v, bound %v (%s)", a.Fields[0].Value, a.Fields[0].Bound, a.Fields[0].Reason)
	}

	r = newRig(t, open("2012-10"), open("2012-11"), early, call("decline", `{"reason": "enough"}`), call("decline", `{"reason": "enough"}`))
	r.must("single", rainNovember, rain())
	if results := bodies[*event.ToolResult](r); len(results) != 3 || results[2].OK {
		for _, x := range results {
			t.Errorf("a name of two results was taken for one of them: %+v", *x)
		}
	}
}
