// Package llm is how Almanac talks to a language model: one method, typed
// errors, and an account of every token and second.
//
// # The contract
//
// A [Model] answers one [Request] with one [Response]. What a caller may rely
// on, whichever server is behind it:
//
//   - A nil error means a usable reply: text that is not empty, or tool calls
//     whose arguments are one JSON object each, or the token probabilities
//     that were asked for. An empty, endless or cut reply is an error of kind
//     [KindBadReply], never a success with the answer "".
//   - Every error made here is an [*Error]. It carries the tokens that were
//     spent before it happened, so an account never loses them.
//   - A token count that the server did not give is nil, which is not zero.
//   - The request is never changed, and may be used again; the response
//     belongs to the caller.
//   - Cancelling the context ends generation at the server too.
//   - All implementations are safe for concurrent use.
//
// The adapters stand in sub-packages (ollama, openai, scripted, replay); the
// package models opens one by name, wrapped in package exchange, which adds
// retries, the repair of replies and the checks that servers do not make.
// Small optional interfaces such as [Describer] tell what else a model can do.
//
// Text that a model reads most often should come first and never change
// (rules, tools, examples), what changes comes last: servers keep the prefix
// of the last prompt, and a shared prefix is read ten times faster.
package llm

import (
	"context"
	"encoding/json"
	"time"
)

// The roles of a message.
const (
	RoleSystem    = "system"
	RoleUser      = "user"
	RoleAssistant = "assistant"
	RoleTool      = "tool"
)

// The values of [Request.ToolChoice]. Servers ignore them as often as not, so
// they are enforced on this side.
const (
	ToolChoiceAuto     = "auto"     // text or calls; the same as ""
	ToolChoiceNone     = "none"     // calls are dropped and noted
	ToolChoiceRequired = "required" // a reply without a call is asked again, then refused
)

// How a call was obtained: as a structured call of the server, or read out of
// text or mended by a repair.
const (
	ObtainedNative   = "native"
	ObtainedRepaired = "repaired"
)

// Why generation ended, in the words of [Response.Finish].
const (
	FinishStop   = "stop"       // the model ended its turn
	FinishLength = "length"     // the token limit was reached
	FinishTools  = "tool_calls" // the model asked for tools
)

// Model answers requests. See the package documentation for its contract.
type Model interface {
	// Generate sends req and waits for the whole reply. The error, if any, is
	// an *Error, or wraps ctx.Err() when the caller gave up.
	Generate(ctx context.Context, req *Request) (*Response, error)
}

// Describer is a Model that can say what it is. It may ask a server.
type Describer interface {
	Describe(ctx context.Context) (ModelInfo, error)
}

// SessionModel is a Model whose replies depend on the episode, as a scripted
// one's do: each session starts at the first reply.
type SessionModel interface {
	// Session returns a fresh model for one episode of setup on task. Either
	// may be empty.
	Session(setup, task string) Model
}

// Session returns m's model for one episode: a fresh one when m, or a model
// that it wraps, tells episodes apart, else m itself.
func Session(m Model, setup, task string) Model {
	if s, ok := m.(SessionModel); ok {
		return s.Session(setup, task)
	}
	return m
}

// Describe asks m what it is; a model that cannot say is described by its
// capabilities alone, all of them unknown.
func Describe(ctx context.Context, m Model) (ModelInfo, error) {
	if d, ok := m.(Describer); ok {
		return d.Describe(ctx)
	}
	return ModelInfo{}, nil
}

// Request is one question to a model.
type Request struct {
	Messages []Message  // in order; roles system, user, assistant, tool
	Tools    []ToolSpec // what the model may call; nil for none

	// ToolChoice is "", "auto", "none" or "required".
	ToolChoice string

	// Schema is a JSON schema that the reply's text must satisfy. It is never
	// sent together with Tools: servers then drop one or the other in silence.
	Schema json.RawMessage

	Temperature *float64 // nil: the server's own; 0 is sent as 0
	Seed        *int64   // nil: the server's own
	MaxTokens   int      // limit of generated tokens; 0: the adapter's own limit

	// Logprobs asks for the probabilities of the first generated token: that
	// many alternatives (servers allow up to 20). 0 asks for none.
	Logprobs int

	// Role says who is asking (supervisor, a specialist's name), for the
	// account only. It is not sent, and not part of [Request.Hash].
	Role string

	// Meta says for which episode this is asked. It is not sent, and not part
	// of [Request.Hash].
	Meta Meta
}

// Meta places a request in a run. All fields may be empty.
type Meta struct {
	Episode string // the episode's id
	Setup   string // the setup that asks
	Task    string // the task's id
}

// ToolSpec is a tool as a model sees it.
type ToolSpec struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"schema,omitempty"` // of the arguments, an object's; empty: takes none
}

// Message is one turn of a conversation.
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content"`

	// Thinking is what the model wrote between thinking marks. It is kept for
	// the trace and is never sent back.
	Thinking string `json:"thinking,omitempty"`

	// Images go with the content of a user's message, in order, to a model that
	// can see. A server refuses them for any other.
	Images []Image `json:"images,omitempty"`

	ToolCalls  []ToolCall `json:"tool_calls,omitempty"`   // of an assistant
	ToolCallID string     `json:"tool_call_id,omitempty"` // of a tool's result: the call that it answers
	ToolName   string     `json:"tool_name,omitempty"`    // of a tool's result
}

// Image is a picture in a message. Type is its media type, such as image/png.
type Image struct {
	Type string `json:"type"`
	Data []byte `json:"data"`
}

// ToolCall is a model's wish that a tool be run.
type ToolCall struct {
	ID   string `json:"id"`
	Name string `json:"name"`

	// Arguments is one JSON object. Numbers keep the digits that the model
	// wrote; decode with json.Decoder.UseNumber.
	Arguments json.RawMessage `json:"arguments"`

	Obtained string   `json:"obtained,omitempty"` // "native" or "repaired"
	Repairs  []string `json:"repairs,omitempty"`  // ids of the repairs that made it usable

	// Problem says why the call must not be run: an unknown tool (the names
	// that exist are listed) or arguments that the schema refuses (where, and
	// what was expected). Empty for a call that may be run. It is written to
	// be sent to the model as the call's result.
	Problem string `json:"problem,omitempty"`

	// ProblemKind is the kind of Problem: "unknown_tool" or
	// "invalid_arguments"; empty without one.
	ProblemKind string `json:"problem_kind,omitempty"`
}

// The values of [ToolCall.ProblemKind].
const (
	ProblemUnknownTool      = "unknown_tool"
	ProblemInvalidArguments = "invalid_arguments"
)

// Response is a usable reply.
type Response struct {
	Message Message
	Finish  string // "stop", "length" or "tool_calls"

	Usage   Usage   // of all attempts together
	Timings Timings // of the attempt that succeeded

	// Logprobs are the alternatives for the first generated token, likeliest
	// first; nil when none were asked for or the server gives none.
	Logprobs []TokenProb

	// Attempts lists every exchange with the server that was needed, failed
	// ones included, in order; the last is the one that gave this response.
	Attempts []Attempt

	Repairs []string // ids of all repairs on this reply, those of calls included
	Notes   []string // what a reader of the trace should know, a sentence each
	Model   ModelInfo
}

// Attempt is one exchange with a server.
type Attempt struct {
	Kind    Kind          `json:"kind,omitempty"`   // empty: it succeeded
	Reason  string        `json:"reason,omitempty"` // a word, see [Error.Reason]
	Error   string        `json:"error,omitempty"`
	Usage   Usage         `json:"usage"`
	Timings Timings       `json:"timings"`
	Wait    time.Duration `json:"wait,omitempty"`   // back-off before this attempt
	Reasked bool          `json:"reasked,omitzero"` // it was asked with a correction added
}

// TokenProb is one alternative for a generated token.
type TokenProb struct {
	Token   string  `json:"token"`
	Logprob float64 `json:"logprob"` // natural logarithm of its probability, ≤ 0
}

// Timings says where the time of an exchange went. A part that the server
// does not tell is 0.
type Timings struct {
	Queue     time.Duration `json:"queue"`      // waiting for the server's turn
	Load      time.Duration `json:"load"`       // bringing the model into memory
	Prompt    time.Duration `json:"prompt"`     // reading the prompt
	Generate  time.Duration `json:"generate"`   // writing the reply
	FirstByte time.Duration `json:"first_byte"` // from sending to the first byte, measured here
	Total     time.Duration `json:"total"`      // from sending to the end, measured here
}

// Working is the time that the model itself took, without queue and loading.
func (t Timings) Working() time.Duration { return t.Prompt + t.Generate }

// ModelInfo is what is known of a model. Unknown text is "", unknown numbers
// are 0, an unknown capability is nil.
type ModelInfo struct {
	Name          string   `json:"name"`                     // as the server calls it
	Provider      string   `json:"provider,omitempty"`       // "ollama", "openai", "scripted", "replay"
	Digest        string   `json:"digest,omitempty"`         // of the weights and template
	Quantization  string   `json:"quantization,omitempty"`   // such as Q4_K_M
	ParameterSize string   `json:"parameter_size,omitempty"` // such as 1.5B
	Family        string   `json:"family,omitempty"`         // such as qwen2
	Capabilities  []string `json:"capabilities,omitempty"`   // as the server lists them: completion, tools, …
	ContextLength int      `json:"context_length,omitempty"` // what the model was trained for, tokens
	NumCtx        int      `json:"num_ctx,omitempty"`        // what requests are sent with, tokens
	HasTemplate   *bool    `json:"has_template,omitempty"`   // false: chat is poor and tools are refused
	ServerVersion string   `json:"server_version,omitempty"`
	Imported      bool     `json:"imported,omitzero"` // a local import stands for the library's model
}

// Can reports whether the server lists a capability, such as "tools".
func (m ModelInfo) Can(capability string) bool {
	for _, c := range m.Capabilities {
		if c == capability {
			return true
		}
	}
	return false
}
