package openai

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"

	gopenai "github.com/sashabaranov/go-openai"

	"almanac/agents/llm"
	"almanac/agents/llm/reply"
)

// stand-in model name: the library refuses options for names that begin with
// o1, o3, o4 or gpt-5, also for a local model so named. The true name is put
// in on the way out.
const standIn = "almanac-model"

// chatRequest puts a request into the library's form; extra is what the
// library would leave out.
func (m *Model) chatRequest(req *llm.Request, names *toolNames) (chat gopenai.ChatCompletionRequest, extra map[string]any, err error) {
	if len(req.Tools) > 0 && len(req.Schema) > 0 {
		return chat, nil, errors.New("tools and a response schema together: servers drop one in silence")
	}
	limit := orDefault(req.MaxTokens, m.opts.MaxTokens)
	chat = gopenai.ChatCompletionRequest{Model: standIn}
	extra = map[string]any{"model": m.name}
	if m.opts.NewTokenLimit {
		extra["max_completion_tokens"] = limit
	} else {
		extra["max_tokens"] = limit
	}
	if req.Temperature != nil {
		extra["temperature"] = *req.Temperature
	}
	if req.Seed != nil {
		extra["seed"] = *req.Seed
	}
	if req.Logprobs > 0 {
		chat.LogProbs, chat.TopLogProbs = true, min(req.Logprobs, 20)
	}
	if !m.opts.NoStream {
		chat.StreamOptions = &gopenai.StreamOptions{IncludeUsage: true}
	}
	if len(req.Schema) > 0 {
		schema, err := reply.WireSchema(req.Schema)
		if err != nil {
			return chat, nil, err
		}
		chat.ResponseFormat = &gopenai.ChatCompletionResponseFormat{
			Type:       gopenai.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &gopenai.ChatCompletionResponseFormatJSONSchema{Name: "reply", Schema: schema},
		}
	}
	for _, msg := range req.Messages {
		chat.Messages = append(chat.Messages, wireMessage(msg, names))
	}
	if len(req.Tools) == 0 || req.ToolChoice == llm.ToolChoiceNone {
		return chat, extra, nil // a tool that is not shown is not called
	}
	for _, t := range req.Tools {
		schema, err := reply.WireSchema(t.Schema)
		if err != nil {
			return chat, nil, fmt.Errorf("the schema of %s: %w", t.Name, err)
		}
		chat.Tools = append(chat.Tools, gopenai.Tool{Type: gopenai.ToolTypeFunction, Function: &gopenai.FunctionDefinition{
			Name: names.out(t.Name), Description: t.Description, Parameters: schema,
		}})
	}
	if req.ToolChoice != "" {
		chat.ToolChoice = req.ToolChoice
	}
	return chat, extra, nil
}

func wireMessage(msg llm.Message, names *toolNames) gopenai.ChatCompletionMessage {
	wire := gopenai.ChatCompletionMessage{Role: msg.Role, Content: msg.Content, ToolCallID: msg.ToolCallID}
	if len(msg.Images) > 0 {
		wire.Content, wire.MultiContent = "", parts(msg)
	}
	for _, c := range msg.ToolCalls {
		args := string(c.Arguments)
		if args == "" {
			args = "{}"
		}
		wire.ToolCalls = append(wire.ToolCalls, gopenai.ToolCall{ID: c.ID, Type: gopenai.ToolTypeFunction,
			Function: gopenai.FunctionCall{Name: names.out(c.Name), Arguments: args}})
	}
	return wire
}

// parts are a message's text and its pictures, each as a data URL.
func parts(msg llm.Message) []gopenai.ChatMessagePart {
	var out []gopenai.ChatMessagePart
	if msg.Content != "" {
		out = append(out, gopenai.ChatMessagePart{Type: gopenai.ChatMessagePartTypeText, Text: msg.Content})
	}
	for _, picture := range msg.Images {
		url := "data:" + picture.Type + ";base64," + base64.StdEncoding.EncodeToString(picture.Data)
		out = append(out, gopenai.ChatMessagePart{Type: gopenai.ChatMessagePartTypeImageURL, ImageURL: &gopenai.ChatMessageImageURL{URL: url}})
	}
	return out
}

var notInNames = regexp.MustCompile(`[^a-zA-Z0-9_-]`)

// toolNames maps names to those that such servers take, without dots, and
// back.
type toolNames struct {
	wire, ours map[string]string
}

func newNames(tools []llm.ToolSpec) *toolNames {
	n := &toolNames{wire: map[string]string{}, ours: map[string]string{}}
	for _, t := range tools { // names that are fine as they are come first
		if !notInNames.MatchString(t.Name) {
			n.wire[t.Name], n.ours[t.Name] = t.Name, t.Name
		}
	}
	for _, t := range tools {
		if _, done := n.wire[t.Name]; done {
			continue
		}
		name := notInNames.ReplaceAllString(t.Name, "_")
		for n.ours[name] != "" {
			name += "_"
		}
		n.wire[t.Name], n.ours[name] = name, t.Name
	}
	return n
}

func (n *toolNames) out(name string) string {
	if wire, ok := n.wire[name]; ok {
		return wire
	}
	return notInNames.ReplaceAllString(name, "_")
}

func (n *toolNames) in(name string) string {
	if ours, ok := n.ours[name]; ok {
		return ours
	}
	return name
}

// argumentJSON is a call's arguments as one JSON value: the object that the
// text holds, else the text as a JSON string for the reader to judge.
func argumentJSON(text string) json.RawMessage {
	var obj map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &obj) == nil && obj != nil {
		return json.RawMessage(text)
	}
	data, err := json.Marshal(text)
	if err != nil {
		return json.RawMessage(`""`)
	}
	return data
}
