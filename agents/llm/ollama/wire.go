package ollama

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/ollama/ollama/api"

	"almanac/agents/llm"
	"almanac/agents/llm/reply"
)

// chatRequest puts a request into the server's form.
func (m *Model) chatRequest(req *llm.Request) (*api.ChatRequest, error) {
	if len(req.Tools) > 0 && len(req.Schema) > 0 {
		return nil, errors.New("tools and a response schema together: the server drops one in silence")
	}
	no, streaming := false, !m.opts.NoStream
	limit := req.MaxTokens
	if limit == 0 {
		limit = m.opts.MaxTokens
	}
	chat := &api.ChatRequest{
		Model: m.name, Stream: &streaming, Truncate: &no, Shift: &no,
		KeepAlive: &api.Duration{Duration: m.opts.KeepAlive},
		Think:     &api.ThinkValue{Value: false},
		Options:   map[string]any{"num_ctx": m.opts.NumCtx, "num_predict": limit},
	}
	if req.Temperature != nil {
		chat.Options["temperature"] = *req.Temperature
	}
	if req.Seed != nil {
		chat.Options["seed"] = *req.Seed
	}
	if req.Logprobs > 0 {
		chat.Logprobs, chat.TopLogprobs = true, min(req.Logprobs, 20)
	}
	if len(req.Schema) > 0 {
		schema, err := reply.WireSchema(req.Schema)
		if err != nil {
			return nil, err
		}
		chat.Format = schema
	}
	for _, msg := range req.Messages {
		wire, err := wireMessage(msg)
		if err != nil {
			return nil, err
		}
		chat.Messages = append(chat.Messages, wire)
	}
	if req.ToolChoice == llm.ToolChoiceNone {
		return chat, nil // a tool that is not shown is not called
	}
	for _, t := range req.Tools {
		tool, err := wireTool(t)
		if err != nil {
			return nil, err
		}
		chat.Tools = append(chat.Tools, tool)
	}
	return chat, nil
}

func wireMessage(msg llm.Message) (api.Message, error) {
	wire := api.Message{Role: msg.Role, Content: msg.Content, ToolCallID: msg.ToolCallID, ToolName: msg.ToolName}
	for _, picture := range msg.Images {
		wire.Images = append(wire.Images, api.ImageData(picture.Data))
	}
	for _, c := range msg.ToolCalls {
		args := map[string]any{}
		if len(c.Arguments) > 0 {
			dec := json.NewDecoder(bytes.NewReader(c.Arguments))
			dec.UseNumber()
			if err := dec.Decode(&args); err != nil {
				return wire, fmt.Errorf("a call of %s in the history: its arguments are no JSON object: %w", c.Name, err)
			}
		}
		call := api.ToolCall{ID: c.ID, Function: api.ToolCallFunction{Name: c.Name, Arguments: api.NewToolCallFunctionArguments()}}
		for _, key := range sortedKeys(args) {
			call.Function.Arguments.Set(key, args[key])
		}
		wire.ToolCalls = append(wire.ToolCalls, call)
	}
	return wire, nil
}

func wireTool(t llm.ToolSpec) (api.Tool, error) {
	tool := api.Tool{Type: "function", Function: api.ToolFunction{Name: t.Name, Description: t.Description}}
	schema, err := reply.WireSchema(t.Schema)
	if err != nil {
		return tool, fmt.Errorf("the schema of %s: %w", t.Name, err)
	}
	if err := json.Unmarshal(schema, &tool.Function.Parameters); err != nil {
		return tool, fmt.Errorf("the schema of %s: %w", t.Name, err)
	}
	if tool.Function.Parameters.Type == "" {
		tool.Function.Parameters.Type = "object"
	}
	if tool.Function.Parameters.Properties == nil {
		tool.Function.Parameters.Properties = api.NewToolPropertiesMap()
	}
	return tool, nil
}
