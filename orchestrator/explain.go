package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"almanac/agents/llm"
	"almanac/orchestrator/episode"
	"almanac/orchestrator/event"
	"almanac/orchestrator/reading"
)

const explainLimit = 120 // tokens of a sentence for people

// Explain writes a sentence for people about the answer that an episode ended with. The answer is fixed by then: the
// sentence changes nothing. A model's sentence is taken only if every number in it is the answer's, within rounding,
// or the question's; otherwise, and without a model, the values are put in plain words. An episode without an answer
// is an error, as is a model server that fails.
func Explain(ctx context.Context, ep *episode.Episode) (string, error) {
	a := ep.Given()
	if a == nil {
		return "", errors.New("orchestrator: there is no answer to explain")
	}
	plain := inWords(a)
	if a.Declined || !ep.HasModel() || ep.Outcome() == event.Unsolved {
		return plain, nil
	}
	resp, err := ep.Ask(ctx, "supervisor", "explain", &llm.Request{
		Messages: []llm.Message{
			{Role: llm.RoleSystem, Content: "Answer the question in one plain sentence. Use the values given, exactly, with their units. Add nothing."},
			{Role: llm.RoleUser, Content: "Question: " + ep.Request.Question + "\nValues: " + plain},
		},
		MaxTokens: explainLimit,
	})
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case episode.IsBudget(err), errors.Is(err, llm.ErrBadReply), errors.Is(err, llm.ErrContextOverflow):
		return plain, nil
	case err != nil:
		return "", err
	}
	text := strings.Join(strings.Fields(resp.Message.Content), " ")
	if text == "" || !faithful(text, ep.Request.Text(), a) {
		return plain, nil
	}
	return text, nil
}

// inWords lists an answer's fields.
func inWords(a *event.Answer) string {
	if a.Declined {
		return "This cannot be answered: " + a.Reason + "."
	}
	parts := make([]string, 0, len(a.Fields))
	for _, f := range a.Fields {
		name := strings.ReplaceAll(f.Key, "_", " ")
		if f.Value == nil {
			parts = append(parts, fmt.Sprintf("%s has no value (%s)", name, f.Reason))
			continue
		}
		value := fmt.Sprint(f.Value)
		if x, ok := f.Value.(float64); ok {
			value = fmt.Sprintf("%.6g", x)
		}
		if f.Unit != "" && f.Unit != "1" {
			value += " " + f.Unit
		}
		parts = append(parts, name+" is "+value)
	}
	return strings.Join(parts, "; ") + "."
}

// faithful reports whether a sentence has no number of its own: each is a value of the answer to the digits that are
// written, or stands in the question.
func faithful(text, question string, a *event.Answer) bool {
	var known []float64
	for _, n := range reading.Numbers(question) {
		known = append(known, n.Value)
	}
	for _, f := range a.Fields {
		switch v := f.Value.(type) {
		case float64:
			known = append(known, v)
		case int64:
			known = append(known, float64(v))
		case string:
			for _, n := range reading.Numbers(v) {
				known = append(known, n.Value)
			}
		}
	}
	for _, n := range reading.Numbers(text) {
		ok := n.Form != reading.Digits // words such as "one" are no values
		for _, k := range known {
			ok = ok || math.Abs(n.Value-k) <= 0.005*math.Abs(k)
		}
		if !ok {
			return false
		}
	}
	return true
}
