package orchestrator_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"almanac/agents/llm/scripted"
	"almanac/orchestrator"
	"almanac/orchestrator/calibration"
	"almanac/orchestrator/episode"
	"almanac/orchestrator/event"
	"almanac/orchestrator/schedule"
)

// A tool's error goes back to the model in every variant, and a corrected call is taken.
func TestVariantsToolError(t *testing.T) {
	for _, w := range singles() {
		r := w.rig(t, w.each(call("gis_area", `{"zones": "Kenia"}`), call("gis_area", `{"zones": "Kenya"}`), call("answer", `{"area": "c2.area"}`))...)
		r.wantBound(r.must(w.setup, kenya, area()), "gis.area")
		last := r.asked.requests[1].Messages
		if text := last[len(last)-1].Content; !strings.Contains(text, "not_found") || !strings.Contains(text, "Kenya") {
			t.Errorf("%s: the model was told %q", w.name, text)
		}
	}
}

// The same call over and over ends in no value after a few rounds, in every variant.
func TestVariantsLoop(t *testing.T) {
	for _, w := range singles() {
		r := w.rig(t, w.each(repeat(5, call("gis_area", `{"zones": "Kenya"}`))...)...)
		r.wantNothing(r.must(w.setup, kenya, area()), "stalled")
		if n := len(r.asked.requests); n > 5*max(1, w.samples) {
			t.Errorf("%s: asked %d times", w.name, n)
		}
	}
}

func TestVariantsBudget(t *testing.T) {
	for _, w := range singles() {
		for _, b := range []episode.Budget{{ModelCalls: 1}, {ToolCalls: 1}, {Tokens: 10}} {
			r := w.rig(t, distinct(9)...)
			r.budget = b
			a := r.must(w.setup, kenya, area())
			r.wantNothing(a, "budget")
			if len(bodies[*event.Budget](r)) != 1 {
				t.Errorf("%s, %+v: budgets %+v", w.name, b, bodies[*event.Budget](r))
			}
		}
	}
}

// distinct are calls of which each differs.
func distinct(n int) []scripted.Reply {
	out := make([]scripted.Reply, n)
	for i := range out {
		out[i] = call("gis_area", fmt.Sprintf(`{"zones": "Nowhere %d"}`, i))
	}
	return out
}

// single+ts shows the few tools that fit, always the one that opens data, and more after rounds without progress; a tool
// that the model names is shown in the next turn.
func TestSelectionPerTurn(t *testing.T) {
	r := newRig(t,
		call("simulation_wind_power", `{"wind_speed": "seattle_weather"}`), // not among those shown
		say("Let me see."), say("Let me think of the area again."),
		call("gis_area", `{"zones": "Kenya"}`), call("answer", `{"area": "c2.area"}`))
	r.opts.TopK = 4
	r.must("single+ts", kenya, area())
	var shown [][]string
	for _, req := range r.asked.requests {
		var names []string
		for _, spec := range req.Tools {
			names = append(names, spec.Name)
		}
		shown = append(shown, names)
	}
	// Four ranked, up to three that give square kilometres, data.open, answer and decline.
	if len(shown[0]) > 10 || !has(shown[0], "gis_area") || !has(shown[0], "data_open") || !has(shown[0], "answer") || has(shown[0], "simulation_wind_power") {
		t.Errorf("first turn: %v", shown[0])
	}
	if !has(shown[1], "simulation_wind_power") {
		t.Errorf("the tool that was named is not shown in the next turn: %v", shown[1])
	}
	if len(shown[2]) <= len(shown[0]) {
		t.Errorf("nothing new was shown after rounds without progress: %v", shown[2])
	}
	sel := bodies[*event.ToolSelection](r)
	if len(sel) < 2 || len(sel[0].Scores) != 4 || !has(sel[0].Chosen, "gis.area") {
		t.Errorf("selections %+v", sel)
	}
}

func has(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// recalled is a memory with fixed examples.
type recalled struct {
	examples []orchestrator.Example
	limit    int
	err      error
	asked    *[]string
}

func (m recalled) Recall(_ context.Context, request string) ([]orchestrator.Example, error) {
	if m.asked != nil {
		*m.asked = append(*m.asked, request)
	}
	if m.limit > 0 {
		return m.examples[:min(m.limit, len(m.examples))], m.err
	}
	return m.examples, m.err
}

func (m recalled) Limited(n int) orchestrator.Recaller {
	m.limit = n
	return m
}

func areas() []orchestrator.Example {
	return []orchestrator.Example{
		{ID: "a", Request: "How many square kilometres does {place} cover?", Schedule: areaProgram, Score: 0.9, State: "seeded"},
		{ID: "b", Request: "How long is the border of {place}?", Schedule: "b = gis.area(zones=task.place)\nanswer(border=b.perimeter)", Score: 0.5},
		{ID: "c", Request: "third", Schedule: areaProgram, Score: 0.4}, {ID: "d", Request: "fourth", Schedule: areaProgram, Score: 0.3},
	}
}

// With an empty memory single+wm is single to the byte, and says that the memory was empty.
func TestEmptyMemory(t *testing.T) {
	plain := newRig(t, singles()[0].right...)
	plain.must("single", kenya, area())
	for name, memory := range map[string]orchestrator.Recaller{"none": nil, "empty": recalled{}} {
		r := newRig(t, singles()[0].right...)
		r.opts.Memory = memory
		r.wantBound(r.must("single+wm", kenya, area()), "gis.area")
		for i, req := range r.asked.requests {
			if req.Text() != plain.asked.requests[i].Text() {
				t.Errorf("%s: request %d differs from single's", name, i)
			}
		}
		hits := bodies[*event.MemoryHit](r)
		if len(hits) != 1 || hits[0].State != event.MemoryEmpty || hits[0].Entry != "" {
			t.Errorf("%s: hits %+v", name, hits)
		}
	}
}

func TestRememberedExamples(t *testing.T) {
	var asked []string
	r := newRig(t, singles()[0].right...)
	r.opts.Memory = recalled{examples: areas(), asked: &asked}
	r.wantBound(r.must("single+wm", kenya, area()), "gis.area")
	user := r.asked.requests[0].Messages[1].Content
	if !strings.Contains(user, "gis.area(zones=task.place)") || !strings.HasSuffix(strings.TrimSpace(user), "area (number, km2): area") {
		t.Errorf("the examples do not stand before the question:\n%s", user)
	}
	if strings.Contains(user, "third") {
		t.Error("a model of unknown size is shown more than two examples")
	}
	hits := bodies[*event.MemoryHit](r)
	if len(hits) != 2 || hits[0].Entry != "a" || hits[0].State != "seeded" || len(asked) != 1 || asked[0] != kenya {
		t.Errorf("hits %+v, asked %q", hits, asked)
	}
	r = newRig(t)
	r.opts.Memory = recalled{err: errors.New("the index is damaged")}
	if _, err := r.solve(context.Background(), "single+wm", kenya, area()); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("a memory that cannot be read: %v", err)
	}
}

func literal(value string) scripted.Reply { return call("answer", `{"area": `+value+`}`) }

// The answer that most samples agree with is given; numbers agree within the field's tolerance; a tie goes to the first;
// samples without a value have no say.
func TestVote(t *testing.T) {
	none := call("answer", `{"area": null}`)
	for _, tt := range []struct {
		name    string
		samples [][]scripted.Reply
		lambda  float64
		want    any
		agree   string
	}{
		{"two of three", [][]scripted.Reply{{literal("100")}, {literal("200")}, {literal("200.4")}}, 1, 200.0, "[1 2 2]"},
		{"too far apart: the first", [][]scripted.Reply{{literal("100")}, {literal("200")}, {literal("200.4")}}, 0.1, 100.0, "[1 1 1]"},
		{"in another unit", [][]scripted.Reply{{literal("5")}, {literal(`"2 km2"`)}, {literal(`"2000000 m2"`)}}, 0.001, 2.0, "[1 2 2]"},
		{"declines outvote", [][]scripted.Reply{{literal("7")}, {call("decline", `{"reason": "no data"}`)}, {call("decline", `{"reason": "none"}`)}}, 1, nil, "[1 2 2]"},
		{"nothing has no say", [][]scripted.Reply{{none, none, none, none, none}, {none, none, none, none, none}, {literal("9")}}, 1, 9.0, "[0 0 1]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var replies []scripted.Reply
			for _, s := range tt.samples {
				replies = append(replies, s...)
			}
			r := newRig(t, trimmed(replies)...)
			r.opts.Samples = len(tt.samples)
			r.opts.Tolerance = func(task, field string, y float64) float64 {
				if task != "t" || field != "area" {
					t.Errorf("tolerance of %s.%s", task, field)
				}
				return tt.lambda
			}
			a := r.must("single-sc", kenya, area())
			v := bodies[*event.Vote](r)
			if len(v) != 1 || fmt.Sprint(v[0].Agree) != tt.agree {
				t.Fatalf("votes %+v, want agreement %s", v, tt.agree)
			}
			if tt.want == nil {
				if !a.Declined || a.Reason != "no data" {
					t.Errorf("%+v", a)
				}
				return
			}
			if fmt.Sprint(a.Fields[0].Value) != fmt.Sprint(tt.want) {
				t.Errorf("%+v, want %v", a.Fields[0], tt.want)
			}
		})
	}
}

// trimmed leaves the fifth reply of a stalled sample out: a loop is given up after four rounds.
func trimmed(replies []scripted.Reply) []scripted.Reply {
	var out []scripted.Reply
	run := 0
	for _, r := range replies {
		if len(r.Calls) == 1 && string(r.Calls[0].Arguments) == `{"area": null}` {
			if run++; run == 5 {
				run = 0
				continue
			}
		}
		out = append(out, r)
	}
	return out
}

// Samples are drawn at 0.7 with a seed each, in separate conversations, and every token counts; one sample is single.
func TestSampling(t *testing.T) {
	w := singles()[3]
	r := w.rig(t, w.right...)
	ep, err := r.solve(context.Background(), "single-sc", kenya, area())
	if err != nil {
		t.Fatal(err)
	}
	seeds := map[int64]int{}
	for _, q := range r.asked.requests {
		if q.Temperature == nil || *q.Temperature != 0.7 || q.Seed == nil {
			t.Fatalf("drawn at %v with seed %v", q.Temperature, q.Seed)
		}
		seeds[*q.Seed]++
	}
	if len(seeds) != 3 || len(r.asked.requests) != 6 || len(r.asked.requests[2].Messages) != 2 {
		t.Errorf("%d seeds, %d requests", len(seeds), len(r.asked.requests))
	}
	var tokens int64
	for _, rep := range bodies[*event.ModelReply](r) {
		tokens += *rep.Prompt + *rep.Completion
	}
	if ep.Used().Tokens != tokens || ep.Used().ModelCalls != 6 {
		t.Errorf("used %+v, the log says %d tokens", ep.Used(), tokens)
	}
	ids := map[string]bool{}
	for _, c := range bodies[*event.ToolCall](r) {
		ids[c.ID] = true
	}
	if len(ids) != 3 {
		t.Errorf("call ids %v", ids)
	}
	r = newRig(t, singles()[0].right...)
	r.opts.Samples = 1
	r.must("single-sc", kenya, area())
	if q := r.asked.requests[0]; q.Temperature != nil {
		t.Errorf("one sample is not drawn as single's: %v", *q.Temperature)
	}
}

// How many samples there are comes from the option, else the calibration, else the default, and the log says which.
func TestSamplesMatchTokens(t *testing.T) {
	squad, single := 1000.0, 400.0
	small := 100.0
	measured := &calibration.Figures{Tasks: 5, SquadTokens: &squad, SingleTokens: &single}
	cheap := &calibration.Figures{Tasks: 5, SquadTokens: &small, SingleTokens: &single}
	for _, tt := range []struct {
		opts orchestrator.Options
		want string
	}{
		{orchestrator.Options{}, "n = 3, the default"},
		{orchestrator.Options{Samples: 4, Calibration: measured}, "n = 4, set by option"},
		{orchestrator.Options{Calibration: measured}, "n = 3, on 5 dev tasks squad takes 1000 tokens and single 400"}, // 2.5, rounded away from 0
		{orchestrator.Options{Calibration: cheap}, "n = 1, on 5 dev tasks squad takes 100 tokens and single 400: no match of tokens is possible"},
	} {
		if got := orchestrator.SamplesNote(&tt.opts); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
	r := newRig(t)
	if _, err := orchestrator.New("single-sc", r.team, &orchestrator.Options{Samples: -1}); err == nil {
		t.Error("minus one sample")
	}
}

// A sample that runs into the budget ends the drawing, and those that are there vote.
func TestSamplesWithinTheBudget(t *testing.T) {
	r := newRig(t, singles()[3].right...)
	r.budget = episode.Budget{ModelCalls: 3}
	r.wantBound(r.must("single-sc", kenya, area()), "gis.area")
	if v := bodies[*event.Vote](r); len(v) != 1 || fmt.Sprint(v[0].Agree) != "[1 0]" || v[0].Chosen != 1 || v[0].Wanted != 3 {
		t.Errorf("%+v", v)
	}
}

// A reply that comes late in a sample is that sample's, whatever the others do.
func TestSamplesAreCancelled(t *testing.T) {
	r := newRig(t, after(50*time.Millisecond, singles()[0].right[0]))
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Millisecond)
	defer cancel()
	if ep, err := r.solve(ctx, "single-sc", kenya, area()); err == nil || ep.Given() != nil {
		t.Errorf("%v", err)
	}
}

// Fields that are text agree whatever their letter case; a sample with a field less does not agree.
func TestVoteOnTexts(t *testing.T) {
	contract := schedule.Contract{{Key: "month", Type: "text"}, {Key: "place", Type: "text"}}
	reply := func(args string) scripted.Reply { return call("answer", args) }
	r := newRig(t, reply(`{"month": "May", "place": "Lima"}`), reply(`{"month": "July", "place": "Quito"}`), reply(`{"month": "july", "place": "QUITO "}`))
	a := r.must("single-sc", "Which month and where?", contract)
	if a.Fields[0].Value != "July" || a.Fields[1].Value != "Quito" {
		t.Errorf("%+v", a.Fields)
	}
}
