//go:build realmodel

package llm_test

import (
	"encoding/json"
	"errors"
	"os"
	"testing"
	"time"

	"almanac/agents/llm"
	"almanac/agents/llm/models"
)

// TestRealModel asks a real server. Run it with
//
//	ALMANAC_TEST_OLLAMA=127.0.0.1:11434 ALMANAC_TEST_MODEL=qwen2.5-coder:0.5b go test -tags realmodel -run RealModel ./agents/llm
//
// It asserts form, never whether the model is right.
func TestRealModel(t *testing.T) {
	host, name := os.Getenv("ALMANAC_TEST_OLLAMA"), os.Getenv("ALMANAC_TEST_MODEL")
	if host == "" || name == "" {
		t.Fatal("set ALMANAC_TEST_OLLAMA to a server's address and ALMANAC_TEST_MODEL to a model's name")
	}
	m, err := models.Open(t.Context(), "ollama:"+name, &models.Options{Host: host})
	if err != nil {
		t.Fatal(err)
	}
	info, err := m.Describe(t.Context())
	if err != nil || info.Digest == "" || info.ContextLength == 0 || info.HasTemplate == nil || !*info.HasTemplate {
		t.Errorf("describe = %+v, %v", info, err)
	}
	t.Logf("%+v", info)
	zero, seed := 0.0, int64(7)
	tools := []llm.ToolSpec{
		{Name: "data.mean", Description: "Mean of a variable over a region.", Schema: json.RawMessage(
			`{"type":"object","properties":{"variable":{"type":"string"},"region":{"type":"string"}},"required":["variable","region"],"additionalProperties":false}`)},
		{Name: "gis.area", Description: "Area of a place in square kilometres.", Schema: json.RawMessage(
			`{"type":"object","properties":{"place":{"type":"string"}},"required":["place"],"additionalProperties":false}`)},
	}
	ask := func(what string, req *llm.Request) {
		req.Temperature, req.Seed = &zero, &seed
		start := time.Now()
		resp, err := m.Generate(t.Context(), req)
		if errors.Is(err, llm.ErrBadReply) { // a weak model's own fault; the form is right
			t.Logf("%s: %v, %d attempts", what, err, len(llm.AsError(err).Attempts))
			return
		}
		if err != nil {
			t.Errorf("%s: %v", what, err)
			return
		}
		data, err := json.Marshal(resp.Message)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %s\nfinish %s, tokens %d, repairs %v, notes %v, %+v, %s", what, data, resp.Finish, resp.Usage.Tokens(), resp.Repairs, resp.Notes, resp.Timings, time.Since(start))
		if resp.Usage.Total == nil || *resp.Usage.Total == 0 {
			t.Errorf("%s: no usage", what)
		}
	}
	ask("text", &llm.Request{Messages: []llm.Message{{Role: "user", Content: "Say hello in one word."}}, MaxTokens: 16})
	for _, q := range []string{"How large is Kenya?", "What is the mean sea surface temperature of the North Sea?"} {
		ask("call", &llm.Request{Messages: []llm.Message{{Role: "system", Content: "Answer by calling a tool."}, {Role: "user", Content: q}}, Tools: tools, MaxTokens: 96})
	}
	schema := json.RawMessage(`{"type":"object","properties":{"month":{"type":"string","pattern":"^\\d{4}-\\d{2}$"}},"required":["month"],"additionalProperties":false}`)
	ask("schema", &llm.Request{Messages: []llm.Message{{Role: "user", Content: `Give May 2024 as JSON {"month": "YYYY-MM"}.`}}, Schema: schema, MaxTokens: 48})
	for _, ask := range []string{"How large is Kenya?", "How hot was it on average in the North Sea?"} {
		start := time.Now()
		c, err := llm.Choose(t.Context(), m, llm.Question{Rules: "Which tool answers the question?", Context: "Question: " + ask, Ask: "Which tool?",
			Options: []llm.Option{{Name: "data.mean", Meaning: "mean of a variable over a region"}, {Name: "gis.area", Meaning: "area of a place"}, {Name: "gis.distance", Meaning: "distance between two places"}}, Seed: &seed})
		if err != nil || c.Calls == 0 || c.Method == llm.MethodSchema || !c.Usage.Known() {
			t.Errorf("choose: %+v, %v", c, err)
		}
		t.Logf("choose %q: %s %.3f %s, %d calls, %d tokens, %s, %v", ask, c.Name, c.Probabilities, c.Method, c.Calls, c.Usage.Tokens(), time.Since(start), c.Notes)
	}
}
