package eval

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"almanac/eval/runlog"
	"almanac/eval/stats"
	"almanac/orchestrator/event"
	"almanac/scenarios"
	"almanac/toolkits"

	"github.com/google/go-cmp/cmp"
)

func tokens(n int64) *int64 { return &n }

func reply(role string, total *int64) event.Event {
	return event.Event{Type: event.TypeModelReply, Body: &event.ModelReply{Role: role, Total: total}}
}

func in(id string, e event.Event) event.Event {
	e.Episode = id
	return e
}

func TestFieldD17SubAgentTokens(t *testing.T) {
	u := usage(NewTrace([]event.Event{reply("supervisor", tokens(100)), reply("gis", tokens(50)), reply("data", tokens(50)), reply(RoleEmbedder, tokens(20))}))
	if *u.Tokens.Total != 200 || *u.Embedding.Total != 20 || u.ModelCalls != 3 {
		t.Errorf("%d model tokens, %d embedding tokens, %d calls", *u.Tokens.Total, *u.Embedding.Total, u.ModelCalls)
	}
	sum := int64(0)
	for _, r := range u.ByRole {
		sum += *r.Total
	}
	if sum != 220 {
		t.Errorf("the roles add up to %d", sum)
	}
}

// What an episode took is the sum of what its roles did; the judge's and the embedder's calls are their own.
func TestWorkAddsUp(t *testing.T) {
	asked := func(role string, bytes int64) event.Event {
		return event.Event{Type: event.TypeModelRequest, Body: &event.ModelRequest{Role: role, Bytes: bytes}}
	}
	said := func(role, failed string, obtained ...string) event.Event {
		r := &event.ModelReply{Role: role, Error: failed, Queue: 1, Load: 2, PromptTime: 3, Generate: 4}
		for _, o := range obtained {
			r.Calls = append(r.Calls, event.ReplyCall{Obtained: o})
		}
		return event.Event{Type: event.TypeModelReply, Body: r}
	}
	u := usage(NewTrace([]event.Event{
		asked("supervisor", 100), said("supervisor", "", "native", "repaired"), asked("gis", 50), said("gis", "empty_reply"),
		asked(RoleJudge, 10), said(RoleJudge, ""),
		{Type: event.TypeToolCall, Body: &event.ToolCall{ID: "a", Agent: "gis"}}, {Type: event.TypeToolResult, Body: &event.ToolResult{Call: "a", Seconds: 5}},
		{Type: event.TypeToolCall, Body: &event.ToolCall{ID: "b", Agent: "data"}},
	}))
	want := map[string]Work{
		"supervisor": {ModelCalls: 1, NativeCalls: 1, RepairedCalls: 1, Bytes: 100, QueueSeconds: 3, WorkingSeconds: 7},
		"gis":        {ModelCalls: 1, FailedReplies: 1, ToolCalls: 1, Bytes: 50, QueueSeconds: 3, WorkingSeconds: 7 + 5},
		RoleJudge:    {ModelCalls: 1, Bytes: 10, QueueSeconds: 3, WorkingSeconds: 7},
		"data":       {ToolCalls: 1},
	}
	if diff := cmp.Diff(want, u.Work); diff != "" {
		t.Error(diff)
	}
	var sum Work
	for role, w := range u.Work {
		if role == RoleJudge {
			w.ModelCalls = 0
		}
		sum = sum.add(w)
	}
	total := Work{u.ModelCalls, u.NativeCalls, u.RepairedCalls, u.FailedReplies, u.ToolCalls, u.Bytes, u.QueueSeconds, u.ModelSeconds + u.ToolSeconds}
	if diff := cmp.Diff(total, sum); diff != "" {
		t.Error(diff)
	}
}

func TestFieldD19StreamingUsageUnknown(t *testing.T) {
	u := usage(NewTrace([]event.Event{reply("supervisor", tokens(100)), reply("supervisor", nil)}))
	if u.Tokens.Total != nil {
		t.Errorf("an unknown count is %d", *u.Tokens.Total)
	}
	refused := event.Event{Type: event.TypeModelReply, Body: &event.ModelReply{Role: "supervisor", Error: "overloaded"}}
	if u := usage(NewTrace([]event.Event{reply("supervisor", tokens(100)), refused})); u.Tokens.Total == nil || *u.Tokens.Total != 100 {
		t.Error("a refused request made the count unknown")
	}
	task := Task{Task: scenarios.Task{ID: "a", Template: "a", Decline: true}}
	m := runlog.Manifest{Arms: []runlog.Arm{{Setup: "squad"}, {Setup: "single"}}}
	var log []event.Event
	for _, arm := range m.Arms {
		id := EpisodeID(arm, "a", 0)
		total := tokens(100)
		if arm.Setup == "squad" {
			total = nil
		}
		log = append(log, in(id, event.Event{Type: event.TypeEpisodeStart, Body: &event.EpisodeStart{Setup: arm.Setup, Task: "a", Attempt: 1}}),
			in(id, reply("supervisor", total)),
			in(id, event.Event{Type: event.TypeAnswer, Body: &event.Answer{Declined: true}}),
			in(id, event.Event{Type: event.TypeEpisodeEnd, Body: &event.EpisodeEnd{Outcome: event.Declined}}))
	}
	r, err := Summarise(m, []Task{task}, log)
	if err != nil {
		t.Fatal(err)
	}
	v := r.Verdict()
	if v.Tokens.Reason != stats.Unknown || v.EarnsTokens != nil || r.Setups[0].MeanTokens != nil {
		t.Errorf("tokens %+v, earns %v", v.Tokens, v.EarnsTokens)
	}
	if !strings.Contains(r.VerdictLine(), "not known") {
		t.Error(r.VerdictLine())
	}
}

// episodeLog is an attempt that declines, with so many tokens.
func episodeLog(id string, attempt int, total int64, outcome string, declined bool, seconds float64) []event.Event {
	return []event.Event{
		in(id, event.Event{Type: event.TypeEpisodeStart, Body: &event.EpisodeStart{Attempt: attempt}}),
		in(id, reply("supervisor", tokens(total))),
		in(id, event.Event{Type: event.TypeAnswer, Body: &event.Answer{Declined: declined}}),
		in(id, event.Event{Type: event.TypeEpisodeEnd, Body: &event.EpisodeEnd{Outcome: outcome, Seconds: seconds}}),
	}
}

func declineTasks(names ...string) []Task {
	var out []Task
	for _, n := range names {
		out = append(out, Task{Task: scenarios.Task{ID: n, Template: n, Decline: true}})
	}
	return out
}

// Nineteen of twenty ids are there twice: the older attempt failed with the harness, the newer one is right.
func TestFieldD14ResumeCountsTwice(t *testing.T) {
	arm := runlog.Arm{Setup: "search"}
	var names []string
	var log []event.Event
	for i := range 20 {
		name := string(rune('a' + i))
		names = append(names, name)
		if i > 0 {
			log = append(log, episodeLog(EpisodeID(arm, name, 0), 1, 10, event.Harness, false, 1)...)
		}
	}
	for _, name := range names {
		log = append(log, episodeLog(EpisodeID(arm, name, 0), 2, 10, event.Declined, true, 1)...)
	}
	r, err := Summarise(runlog.Manifest{Arms: []runlog.Arm{arm}}, declineTasks(names...), log)
	if err != nil {
		t.Fatal(err)
	}
	if s := r.Setups[0]; s.Episodes != 20 || *s.Metrics["success"].Mean != 1 || *s.Tokens.Total != 200 {
		t.Errorf("%d episodes, success %g", s.Episodes, *s.Metrics["success"].Mean)
	}
}

func TestFieldD16TokensOfEveryFinishedEpisode(t *testing.T) {
	arm := runlog.Arm{Setup: "squad"}
	names := []string{"a", "b", "c", "d"}
	var log []event.Event
	for _, name := range names { // three before the resume, one after it: the log is one
		log = append(log, episodeLog(EpisodeID(arm, name, 0), 1, 100, event.Declined, true, 2)...)
	}
	r, err := Summarise(runlog.Manifest{Arms: []runlog.Arm{arm}}, declineTasks(names...), log)
	if err != nil {
		t.Fatal(err)
	}
	if s := r.Setups[0]; *s.Tokens.Total != 400 || s.Working.Total != 8 {
		t.Errorf("%d tokens in %g s", *s.Tokens.Total, s.Working.Total)
	}
}

// chain is a log with one call whose mean is answered.
func chain() []event.Event {
	return []event.Event{
		{Type: event.TypeToolCall, Body: &event.ToolCall{ID: "a", Tool: "data.open", Group: "data", Valid: true, Key: "ka"}},
		{Type: event.TypeToolResult, Body: &event.ToolResult{Call: "a", OK: true, Outputs: []event.Output{{Name: "data", Kind: "raster", Artifact: "h1"}}}},
		{Type: event.TypeToolCall, Body: &event.ToolCall{ID: "b", Tool: "gis.zonal_stats", Group: "gis", Valid: true, Key: "kb", Arguments: []event.Argument{
			{Name: "raster", Rule: "artifact", Value: "h1", Hash: "h1", Inputs: []toolkits.Input{{Call: "a", Output: "data", Hash: "h1"}}}}}},
		{Type: event.TypeToolResult, Body: &event.ToolResult{Call: "b", OK: true, Outputs: []event.Output{{Name: "mean", Kind: "number", Value: 5.0, Artifact: "h2"}}}},
		{Type: event.TypeAnswer, Body: &event.Answer{Fields: []event.AnswerField{{Key: "x", Value: 5.0, Bound: true, Call: "b", Output: "mean", Artifact: "h2"}}}},
	}
}

func TestBoundIsDerivedFromTheLog(t *testing.T) {
	task := Task{Task: scenarios.Task{Answer: []scenarios.Field{{Key: "x", Type: scenarios.Number, AbsTol: 1}}, Expected: map[string]any{"x": 5.0}}}
	field := func(log []event.Event) *event.AnswerField {
		return &log[len(log)-1].Body.(*event.Answer).Fields[0]
	}
	cases := map[string]struct {
		change func([]event.Event) []event.Event
		want   bool
	}{
		"intact":           {func(l []event.Event) []event.Event { return l }, true},
		"engine says no":   {func(l []event.Event) []event.Event { field(l).Bound = false; return l }, false},
		"another value":    {func(l []event.Event) []event.Event { field(l).Value = 5.5; return l }, false},
		"another artifact": {func(l []event.Event) []event.Event { field(l).Artifact = "h9"; return l }, false},
		"a literal":        {func(l []event.Event) []event.Event { field(l).Call = ""; return l }, false},
		"no input":         {func(l []event.Event) []event.Event { return l[2:] }, false},
		"failed input":     {func(l []event.Event) []event.Event { l[1].Body.(*event.ToolResult).OK = false; return l }, false},
		"failed check": {func(l []event.Event) []event.Event {
			return append(l, event.Event{Type: event.TypeCheck, Body: &event.Check{By: "engine", Unbinds: []string{"x"}}})
		}, false},
		"a model's check only marks": {func(l []event.Event) []event.Event {
			return append(l, event.Event{Type: event.TypeCheck, Body: &event.Check{By: "supervisor", Unbinds: []string{"x"}}})
		}, true},
	}
	for name, c := range cases {
		s := Score(task, c.change(chain()))
		if s.Fields[0].Bound != c.want {
			t.Errorf("%s: bound %v", name, s.Fields[0].Bound)
		}
		if !s.Success() {
			t.Errorf("%s: success must not depend on being bound", name)
		}
	}
}

func TestFieldD26RequiredEffects(t *testing.T) {
	task := Task{Task: scenarios.Task{Answer: []scenarios.Field{{Key: "x", Type: scenarios.Number, AbsTol: 1}}, Expected: map[string]any{"x": 5.0},
		Required: []scenarios.Effect{{Call: "plot.map"}, {Artifact: "image"}}}}
	s := Score(task, chain())
	if s.Success() || len(s.Case.Missing) != 2 || !strings.Contains(s.Case.Missing[0], "required action missing") {
		t.Errorf("missing %v", s.Case.Missing)
	}
	with := append(chain(),
		event.Event{Type: event.TypeToolCall, Body: &event.ToolCall{ID: "m", Tool: "plot.map", Valid: true}},
		event.Event{Type: event.TypeToolResult, Body: &event.ToolResult{Call: "m", OK: true, Outputs: []event.Output{{Name: "map", Kind: "image"}}}})
	if s := Score(task, with); !s.Success() {
		t.Errorf("missing %v", s.Case.Missing)
	}
}

// Parallel steps end in any order; metrics see them in the order of the text.
func TestCallsAreScoredInTextOrder(t *testing.T) {
	at := func(id, statement string, version, item int) *event.ToolCall {
		return &event.ToolCall{ID: id, Step: id, Statement: statement, Schedule: version, Item: item}
	}
	calls := []*event.ToolCall{
		at("c2", "c = gis.distance(a=p) for p in x", 1, 1), at("b", "b = data.open()", 1, -1), at("c1", "c = gis.distance(a=p) for p in x", 1, 0),
		at("a2", "a = data.trend()", 2, -1), at("a", "a = data.open()", 1, -1),
	}
	texts := map[int]string{1: "a = data.open()\nb = data.open()\nc = gis.distance(a=p) for p in x\n", 2: "a = data.trend()\n"}
	var got []string
	for _, c := range textOrder(calls, texts) {
		got = append(got, c.ID)
	}
	if diff := cmp.Diff([]string{"a", "b", "c1", "c2", "a2"}, got); diff != "" {
		t.Error(diff)
	}
	padded := []*event.ToolCall{at("second", "second = gis.area(zones=x)", 1, -1), at("a", "a = gis.area(zones=y)", 1, -1)}
	got = nil
	for _, c := range textOrder(padded, map[int]string{1: "a      = gis.area( zones=y )\nsecond = gis.area( zones=x )\n"}) {
		got = append(got, c.ID)
	}
	if diff := cmp.Diff([]string{"a", "second"}, got); diff != "" {
		t.Error(diff)
	}
	loop := []*event.ToolCall{{ID: "z"}, {ID: "y"}}
	if got := textOrder(loop, nil); got[0].ID != "z" {
		t.Error("the calls of a loop were sorted")
	}
}

func TestReferenceAndFamilies(t *testing.T) {
	arms := func(names ...string) []runlog.Arm {
		var out []runlog.Arm
		for _, n := range names {
			out = append(out, runlog.Arm{Setup: n})
		}
		return out
	}
	cases := []struct {
		arms []runlog.Arm
		want []string // the comparisons of success
	}{
		{arms("none", "search", "squad", "single", "oracle"), []string{"search-single", "squad-single", "squad-search own"}},
		{arms("search", "squad"), []string{"squad-search own"}},
		{arms("squad", "chameleon"), []string{"chameleon-squad"}},
		{arms("oracle", "none"), []string{"none-oracle"}},
		{arms("oracle", "squad"), nil},
	}
	for _, c := range cases {
		r := &Results{Manifest: runlog.Manifest{Arms: c.arms}}
		r.compare()
		var got []string
		for _, p := range r.Paired {
			if p.Metric != "success" {
				continue
			}
			s := p.A.Setup + "-" + p.B.Setup
			if p.OwnFamily {
				s += " own"
			}
			got = append(got, s)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.arms, got, c.want)
		}
	}
}

func TestJSONIsStable(t *testing.T) {
	v, w := 0.1+0.2, 0.3
	a, err := encode(object{{"x", rounded(&v)}})
	if err != nil {
		t.Fatal(err)
	}
	b, _ := encode(object{{"x", rounded(&w)}})
	if string(a) != string(b) {
		t.Errorf("%s and %s", a, b)
	}
	negative := -1e-300 * 1e-300
	if c, _ := encode(object{{"x", rounded(&negative)}}); strings.Contains(string(c), "-0") {
		t.Errorf("%s", c)
	}
}

// A version that the checker refused leaves no tool_call behind; its statements count all the same.
func TestStatementsOfARefusedVersionCount(t *testing.T) {
	var gold Executed
	for _, e := range chain() {
		switch b := e.Body.(type) {
		case *event.ToolCall:
			gold.Calls = append(gold.Calls, ExecutedCall{Call: *b})
		case *event.ToolResult:
			gold.Calls[len(gold.Calls)-1].Result = *b
		}
	}
	refused := event.Event{Type: event.TypeSchedule, Body: &event.Schedule{Version: 1, Text: "x = data.open(level=5)\n",
		Calls: []event.SubmittedCall{{Tool: "data.open", Group: "data", Statement: "x = data.open(level=5)", Raw: `{"level":5}`}}}}
	s := Score(Task{Executed: []Executed{gold}}, append([]event.Event{refused}, chain()...))
	// Three calls count: one refused, two that ran as gold did.
	want := map[string]float64{"inst_acc": 2.0 / 3, "correctness_rate": 1, "correctness_strict": 2.0 / 3, "schedule_valid": 0, "schedule_valid_final": 0}
	for name, w := range want {
		if v := s.Metrics[name].Value; v == nil || *v != w {
			t.Errorf("%s: %v, want %g", name, v, w)
		}
	}
	if a := s.Case.Predicted[2].Arguments; len(a) != 1 || a[0].Name != "level" || a[0].Value != 5.0 {
		t.Errorf("arguments %+v", a)
	}
}

// The hash of what gold did stays the same through a file, and does not depend on how fast and in which order it went.
func TestHashOfGold(t *testing.T) {
	of := func(change func(*Executed)) string {
		x := meanTask().Executed[0]
		x.Calls = slices.Clone(x.Calls)
		x.Calls[1].Result.Outputs = []event.Output{{Name: "count", Kind: "integer", Value: int64(9007199254740993)}}
		if change != nil {
			change(&x)
		}
		return hashGold([]Task{{Executed: []Executed{x}}})
	}
	want := of(nil)
	same := map[string]func(*Executed){
		"slower":        func(x *Executed) { x.Calls[0].Result.Seconds = 5 },
		"another order": func(x *Executed) { slices.Reverse(x.Calls) },
		"from a file": func(x *Executed) {
			data, err := json.Marshal(x)
			if err != nil {
				t.Fatal(err)
			}
			*x = Executed{}
			if err := json.Unmarshal(data, x); err != nil {
				t.Fatal(err)
			}
		},
	}
	for name, change := range same {
		if of(change) != want {
			t.Errorf("%s: another hash", name)
		}
	}
	for name, change := range map[string]func(*Executed){
		"another tool":   func(x *Executed) { x.Calls[0].Call.Tool = "data.list" },
		"another answer": func(x *Executed) { x.Answer.Declined = true },
		"a call less":    func(x *Executed) { x.Calls = x.Calls[:1] },
	} {
		if of(change) == want {
			t.Errorf("%s: the same hash", name)
		}
	}
}
