package workspace_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"almanac/agents/llm"
	"almanac/agents/llm/exchange"
	"almanac/eval"
	"almanac/internal/workspace"
	"almanac/orchestrator"
	"almanac/orchestrator/event"
	"almanac/scenarios"
)

// obliging is a model that does what each request wants, whatever setup asks, and keeps every request.
type obliging struct {
	mu       sync.Mutex
	requests []string
}

func (m *obliging) Generate(_ context.Context, req *llm.Request) (*llm.Response, error) {
	text, err := req.Canonical()
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	m.requests = append(m.requests, string(text)+" "+req.Text())
	m.mu.Unlock()
	resp := &llm.Response{Finish: "stop", Usage: llm.Spent(10, 5)}
	resp.Message = llm.Message{Role: llm.RoleAssistant, Content: reply(string(req.Schema), req.Text())}
	if req.Logprobs > 0 {
		resp.Message.Content, resp.Logprobs = "A", []llm.TokenProb{{Token: "A", Logprob: -0.1}}
	}
	if name, args := wish(req); name != "" {
		resp.Message.Content = ""
		resp.Message.ToolCalls = []llm.ToolCall{{ID: "1", Name: name, Arguments: json.RawMessage(args), Obtained: "native"}}
	}
	return resp, nil
}

func reply(schema, text string) string {
	has := func(key string) bool { return strings.Contains(schema, `"`+key+`"`) }
	done := strings.Contains(text, "c1.area")
	switch {
	case has("is_request_satisfied") && has("reason"):
		l := `{"is_request_satisfied": {"reason": "r", "answer": DONE}, "is_in_loop": {"reason": "r", "answer": false}, "is_progress_being_made": {"reason": "r", "answer": true}, "next_speaker": {"reason": "r", "answer": "gis"}, "instruction_or_question": {"reason": "r", "answer": "Measure Kenya."}}`
		return strings.Replace(l, "DONE", map[bool]string{true: "true", false: "false"}[done], 1)
	case has("is_request_satisfied"):
		l := `{"is_request_satisfied": DONE, "is_in_loop": false, "is_progress_being_made": true, "next_speaker": "gis", "instruction_or_question": "Measure Kenya."}`
		return strings.Replace(l, "DONE", map[bool]string{true: "true", false: "false"}[done], 1)
	case has("complete"):
		return `{"complete": true}`
	case has("tasks"):
		return `{"tasks": [{"agent": "gis", "task": "Measure Kenya."}]}`
	case has("steps"):
		return `{"steps": [{"tool": "gis_area", "do": "Measure Kenya."}]}`
	case has("modules"):
		return `{"modules": ["gis_area", "answer"]}`
	case schema != "":
		return `{"area": 5}`
	case strings.Contains(text, "Schedule:"):
		return "size = gis.area(zones=\"Kenya\")\nanswer(area=size.area)"
	}
	return "c1.area"
}

// wish is the call to make with the tools of a request: the area first, then the answer.
func wish(req *llm.Request) (name, args string) {
	offered := map[string]bool{}
	for _, t := range req.Tools {
		offered[t.Name] = true
	}
	done := strings.Contains(req.Text(), "c1.area =")
	switch {
	case offered["answer"] && (done || !offered["gis_area"]):
		return "answer", `{"area": "c1.area"}`
	case offered["gis_area"] && !done:
		return "gis_area", `{"zones": "Kenya"}`
	}
	return "", ""
}

type nowhere struct {
	mu sync.Mutex
	n  int64
}

func (s *nowhere) Emit(event.Event) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n++
	return s.n, nil
}

// Whatever stands in a task file beside the question, its context and its fields never reaches a model, in any setup: not
// the gold schedule, not the expected values, not slots, evidence, tolerances, domains or other wordings.
func TestNoSetupSeesTheAnnotations(t *testing.T) {
	const poison = "QZX7POISON"
	task := scenarios.Task{
		ID: poison + "-id", Template: poison, Split: "dev", Track: scenarios.Fundamentals, Domains: []string{poison}, Question: "How many square kilometres does Kenya cover?",
		Context: "Asked for a school atlas.", Paraphrases: []scenarios.Phrase{{Text: poison}}, Reference: poison, Mode: poison, Licence: poison,
		Answer:       []scenarios.Field{{Key: "area", Type: scenarios.Number, Unit: "km2", Description: "land and water", AbsTol: 0.0918273, RelTol: 0.0918273, Floor: 0.0918273}},
		Slots:        []scenarios.Slot{{Name: "place", Kind: scenarios.TextSlot, Text: poison, As: []string{poison}}},
		Gold:         []scenarios.Gold{{Text: "qzx7poison = gis.area(zones=\"" + poison + "\")\nanswer(area=qzx7poison.area)"}},
		Expected:     map[string]any{"area": 918273.6455},
		Alternatives: []map[string]any{{"area": 918273.6455}}, Evidence: map[string]string{"area": poison}, Required: []scenarios.Effect{{Call: poison}},
	}
	w, err := workspace.Open(&workspace.Options{UserData: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	team, err := w.Team()
	if err != nil {
		t.Fatal(err)
	}
	env, err := w.Env(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer env.Store.Close()
	tasks := []eval.Task{{Task: task, Executed: []eval.Executed{{Text: poison}}}}
	type variant struct{ name, mode string }
	var variants []variant
	for _, name := range append(orchestrator.Names(), orchestrator.AblationGrid()[1:]...) {
		variants = append(variants, variant{name, ""})
	}
	for _, mode := range []string{orchestrator.ModeProgram, orchestrator.ModeObjective} {
		variants = append(variants, variant{"squad", mode})
	}
	for _, v := range variants {
		d, err := orchestrator.Describe(v.name)
		if err != nil {
			t.Fatal(err)
		}
		if v.name == "oracle" {
			continue // it runs the gold schedule, and has no model
		}
		asked := &obliging{}
		model, err := exchange.New(asked, &exchange.Options{Retries: -1, Reasks: -1})
		if err != nil {
			t.Fatal(err)
		}
		setup, err := orchestrator.New(v.name, team, &orchestrator.Options{Mode: v.mode, Gold: w.Gold(tasks), Distracted: w.Distracted})
		if err != nil {
			t.Fatal(err)
		}
		s := &workspace.Solver{Setup: setup, Team: team, Workspace: w, Env: env}
		if d.Model {
			s.Model = model
		}
		if err := s.Solve(context.Background(), eval.Job{ID: "e", Run: "r", Task: &tasks[0], Seed: 1, Attempt: 1}, &nowhere{}); err != nil {
			t.Fatalf("%s %s: %v", v.name, v.mode, err)
		}
		if d.Source != "" && len(asked.requests) < 2 { // of the published ones each asks more than once
			t.Errorf("%s %s: %d requests", v.name, v.mode, len(asked.requests))
		}
		for _, text := range asked.requests {
			low := strings.ToLower(text)
			for _, leak := range []string{strings.ToLower(poison), "918273", "0918273"} {
				if strings.Contains(low, leak) {
					t.Errorf("%s %s: a request holds %s: %s", v.name, v.mode, leak, text)
				}
			}
			if d.Source != "" && v.mode == "" && !strings.Contains(text, "Kenya") {
				t.Errorf("%s: a request without the question: %s", v.name, text)
			}
		}
	}
}
