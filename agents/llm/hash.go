package llm

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// wireRequest is what of a request decides the reply.
type wireRequest struct {
	Messages    []wireMessage   `json:"messages"`
	Tools       []ToolSpec      `json:"tools,omitempty"`
	ToolChoice  string          `json:"tool_choice,omitempty"`
	Schema      json.RawMessage `json:"schema,omitempty"`
	Temperature *float64        `json:"temperature,omitempty"`
	Seed        *int64          `json:"seed,omitempty"`
	MaxTokens   int             `json:"max_tokens,omitempty"`
	Logprobs    int             `json:"logprobs,omitempty"`
}

type wireMessage struct {
	Role       string     `json:"role"`
	Content    string     `json:"content"`
	Images     []string   `json:"images,omitempty"` // SHA-256
	ToolCalls  []wireCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
	ToolName   string     `json:"tool_name,omitempty"`
}

type wireCall struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// Canonical is the request as JSON with everything that decides the reply
// (messages, tools, schema, options) and nothing else: keys sorted, no
// white space, numbers as written. Who asks and for which episode is left out.
func (r *Request) Canonical() ([]byte, error) {
	w := wireRequest{
		Tools: r.Tools, ToolChoice: r.ToolChoice, Schema: r.Schema, Temperature: r.Temperature,
		Seed: r.Seed, MaxTokens: r.MaxTokens, Logprobs: r.Logprobs,
	}
	for _, m := range r.Messages {
		wm := wireMessage{Role: m.Role, Content: m.Content, ToolCallID: m.ToolCallID, ToolName: m.ToolName}
		for _, picture := range m.Images {
			sum := sha256.Sum256(picture.Data)
			wm.Images = append(wm.Images, hex.EncodeToString(sum[:]))
		}
		for _, c := range m.ToolCalls {
			args := c.Arguments
			if len(args) == 0 {
				args = json.RawMessage("{}")
			}
			wm.ToolCalls = append(wm.ToolCalls, wireCall{ID: c.ID, Name: c.Name, Arguments: args})
		}
		w.Messages = append(w.Messages, wm)
	}
	data, err := json.Marshal(w)
	if err != nil {
		return nil, fmt.Errorf("llm: canonical form of a request: %w", err)
	}
	return CanonicalJSON(data)
}

// Hash is the SHA-256 of [Request.Canonical], in hexadecimal. Equal requests
// have equal hashes, whoever asks.
func (r *Request) Hash() (string, error) {
	data, err := r.Canonical()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}

// CanonicalJSON rewrites one JSON value with sorted keys, no white space and
// numbers as they were written; so `"\u00f8"` and `"ø"` become the same bytes.
func CanonicalJSON(data []byte) ([]byte, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, fmt.Errorf("llm: canonical JSON: %w", err)
	}
	if dec.More() {
		return nil, fmt.Errorf("llm: canonical JSON: more than one value")
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("llm: canonical JSON: %w", err)
	}
	return bytes.TrimRight(out.Bytes(), "\n"), nil
}
