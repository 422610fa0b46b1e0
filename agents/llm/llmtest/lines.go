package llmtest

import (
	"encoding/json"
	"fmt"

	"almanac/agents/llm"
)

func orDefault(n, def int64) int64 {
	if n == 0 {
		return def
	}
	return n
}

func mustJSON(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("llmtest: %v", err)) // only our own maps are written
	}
	return string(data)
}

// halves splits text into two pieces, so that a stream is one.
func halves(text string) []string {
	if len(text) < 2 {
		return []string{text}
	}
	runes := []rune(text)
	return []string{string(runes[:len(runes)/2]), string(runes[len(runes)/2:])}
}

// ollamaLines is a turn as lines of Ollama's chat endpoint.
func ollamaLines(turn Turn, streaming bool) []string {
	if turn.Lines != nil {
		return turn.Lines
	}
	part := func(msg map[string]any) map[string]any {
		msg["role"] = "assistant"
		return map[string]any{"model": "fake", "created_at": "2026-01-01T00:00:00Z", "message": msg, "done": false}
	}
	if turn.Endless != "" {
		return []string{mustJSON(part(map[string]any{"content": turn.Endless}))}
	}
	var calls []any
	for _, c := range turn.Calls {
		calls = append(calls, map[string]any{"id": c.ID, "function": map[string]any{"name": c.Name, "arguments": json.RawMessage(c.Arguments)}})
	}
	last := part(map[string]any{"content": ""})
	last["done"], last["done_reason"] = true, "stop"
	if turn.Finish != "" {
		last["done_reason"] = turn.Finish
	}
	if !turn.NoUsage {
		last["prompt_eval_count"], last["eval_count"] = orDefault(turn.Prompt, 11), orDefault(turn.Output, 7)
		last["total_duration"], last["load_duration"] = 1_000_000, 100_000
		last["prompt_eval_duration"], last["eval_duration"] = 300_000, 400_000
	}
	if !streaming {
		msg := map[string]any{"role": "assistant", "content": turn.Content, "thinking": turn.Thinking}
		if calls != nil {
			msg["tool_calls"] = calls
		}
		last["message"] = msg
		if turn.Logprobs != nil {
			last["logprobs"] = []any{ollamaToken(turn.Logprobs)}
		}
		return []string{mustJSON(last)}
	}
	var lines []string
	if turn.Thinking != "" {
		lines = append(lines, mustJSON(part(map[string]any{"content": "", "thinking": turn.Thinking})))
	}
	for i, piece := range halves(turn.Content) {
		p := part(map[string]any{"content": piece})
		if i == 0 && turn.Logprobs != nil {
			p["logprobs"] = []any{ollamaToken(turn.Logprobs)}
		}
		lines = append(lines, mustJSON(p))
	}
	for _, c := range calls {
		lines = append(lines, mustJSON(part(map[string]any{"content": "", "tool_calls": []any{c}})))
	}
	if turn.Break {
		return lines
	}
	return append(lines, mustJSON(last))
}

func ollamaToken(probs []llm.TokenProb) map[string]any {
	var top []any
	for _, p := range probs {
		top = append(top, map[string]any{"token": p.Token, "logprob": p.Logprob})
	}
	return map[string]any{"token": probs[0].Token, "logprob": probs[0].Logprob, "top_logprobs": top}
}

// openAILines is a turn as server-sent events, or as one body.
func openAILines(turn Turn, streaming bool) []string {
	if turn.Lines != nil {
		return turn.Lines
	}
	usage := map[string]any{"prompt_tokens": orDefault(turn.Prompt, 11), "completion_tokens": orDefault(turn.Output, 7),
		"total_tokens": orDefault(turn.Prompt, 11) + orDefault(turn.Output, 7)}
	finish := "stop"
	if len(turn.Calls) > 0 {
		finish = "tool_calls"
	}
	if turn.Finish != "" {
		finish = turn.Finish
	}
	if !streaming {
		return []string{openAIWhole(turn, finish, usage)}
	}
	event := func(delta map[string]any, finish any, more map[string]any) string {
		choice := map[string]any{"index": 0, "delta": delta, "finish_reason": finish}
		for k, v := range more {
			choice[k] = v
		}
		return "data: " + mustJSON(map[string]any{"id": "x", "object": "chat.completion.chunk", "choices": []any{choice}}) + "\n"
	}
	if turn.Endless != "" {
		return []string{event(map[string]any{"content": turn.Endless}, nil, nil)}
	}
	lines := []string{": a comment, as servers send while they load\n"}
	if turn.Thinking != "" {
		lines = append(lines, event(map[string]any{"reasoning_content": turn.Thinking}, nil, nil))
	}
	for i, piece := range halves(turn.Content) {
		more := map[string]any{}
		if i == 0 && turn.Logprobs != nil {
			more["logprobs"] = map[string]any{"content": []any{ollamaToken(turn.Logprobs)}}
		}
		lines = append(lines, event(map[string]any{"content": piece}, nil, more))
	}
	for i, c := range turn.Calls {
		lines = append(lines, event(map[string]any{"tool_calls": []any{map[string]any{"index": i, "id": c.ID, "type": "function",
			"function": map[string]any{"name": c.Name, "arguments": c.Arguments}}}}, nil, nil))
	}
	if turn.Break {
		return lines
	}
	lines = append(lines, event(map[string]any{}, finish, nil))
	if !turn.NoUsage {
		lines = append(lines, "data: "+mustJSON(map[string]any{"id": "x", "choices": []any{}, "usage": usage})+"\n")
	}
	return append(lines, "data: [DONE]\n")
}

func openAIWhole(turn Turn, finish string, usage map[string]any) string {
	msg := map[string]any{"role": "assistant", "content": turn.Content}
	if turn.Thinking != "" {
		msg["reasoning_content"] = turn.Thinking
	}
	var calls []any
	for _, c := range turn.Calls {
		calls = append(calls, map[string]any{"id": c.ID, "type": "function",
			"function": map[string]any{"name": c.Name, "arguments": c.Arguments}})
	}
	if calls != nil {
		msg["tool_calls"] = calls
	}
	choice := map[string]any{"index": 0, "message": msg, "finish_reason": finish}
	if turn.Logprobs != nil {
		choice["logprobs"] = map[string]any{"content": []any{ollamaToken(turn.Logprobs)}}
	}
	whole := map[string]any{"id": "x", "object": "chat.completion", "choices": []any{choice}}
	if !turn.NoUsage {
		whole["usage"] = usage
	}
	return mustJSON(whole)
}
