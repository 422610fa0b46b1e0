package event

import (
	"encoding/json"

	"almanac/toolkits"
)

// RunStart opens a run's log.
type RunStart struct {
	Schema  int    `json:"schema"`
	Run     string `json:"run"`
	Suite   string `json:"suite"`
	Version string `json:"version"`
}

// RunEnd closes it. Status is complete, interrupted or stopped (by a total budget).
type RunEnd struct {
	Status string `json:"status"`
	Reason string `json:"reason,omitempty"`
}

// EpisodeStart says which setup solves which task. Attempt counts from 1; a higher attempt replaces a lower one
// that has no end.
type EpisodeStart struct {
	Setup   string `json:"setup"`
	Model   string `json:"model,omitempty"`
	Task    string `json:"task"`
	Repeat  int    `json:"repeat"`
	Seed    int64  `json:"seed"`
	Attempt int    `json:"attempt"`
}

// Outcomes of an episode.
const (
	Answered  = "answered"  // every field of the contract has a value
	Partial   = "partial"   // some fields have a value
	Unsolved  = "unsolved"  // no field has a value
	Declined  = "declined"  // the setup said that the request cannot be answered
	Harness   = "harness"   // the harness failed (server down, disk full): not counted in accuracy
	Cancelled = "cancelled" // interrupted by the user; the episode is run again on resume
)

// EpisodeEnd closes an episode; flushed to disk before the next one starts. Seconds are wall time; QueueSeconds is
// the part of it that was spent waiting for the server or a worker.
type EpisodeEnd struct {
	Outcome      string  `json:"outcome"`
	Reason       string  `json:"reason,omitempty"`
	Seconds      float64 `json:"seconds"`
	QueueSeconds float64 `json:"queue_seconds"`
}

// ModelRequest is one call of a model. Messages are hashes of pooled messages (folder messages/), in order.
// Purpose says what the call was for: plan, revise, choose, arguments, turn, answer, explain.
type ModelRequest struct {
	Role        string   `json:"role"`
	Purpose     string   `json:"purpose"`
	Model       string   `json:"model"`
	Messages    []string `json:"messages"`
	Tools       []string `json:"tools,omitempty"`
	Schema      string   `json:"schema,omitempty"`
	Temperature *float64 `json:"temperature,omitempty"`
	Seed        *int64   `json:"seed,omitempty"`
	MaxTokens   int      `json:"max_tokens,omitempty"`
	Bytes       int64    `json:"bytes"`
}

// ModelReply is the answer to the request at Event.Parent. Token counts are as the server counts them; nil is
// unknown, never zero. Error is the kind of error (overloaded, context_overflow, bad_reply, transport, …) when
// there is no usable reply; the tokens spent stand beside it.
type ModelReply struct {
	Role       string             `json:"role"`
	Purpose    string             `json:"purpose"`
	Message    string             `json:"message,omitempty"`
	Finish     string             `json:"finish,omitempty"`
	Prompt     *int64             `json:"prompt_tokens"`
	Completion *int64             `json:"completion_tokens"`
	Thinking   *int64             `json:"thinking_tokens"`
	Total      *int64             `json:"total_tokens"`
	Calls      []ReplyCall        `json:"calls,omitempty"`
	Logprobs   map[string]float64 `json:"logprobs,omitempty"`
	Notes      []string           `json:"notes,omitempty"`
	Attempts   int                `json:"attempts"`
	Error      string             `json:"error,omitempty"`
	Detail     string             `json:"detail,omitempty"`
	Queue      float64            `json:"queue_seconds"`
	Load       float64            `json:"load_seconds"`
	PromptTime float64            `json:"prompt_seconds"`
	Generate   float64            `json:"generate_seconds"`
}

// ReplyCall is a tool call found in a reply. Obtained is native or repaired.
type ReplyCall struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Obtained  string          `json:"obtained"`
	Repairs   []string        `json:"repairs,omitempty"`
}

// ToolSelection records which tools were shown for a query, with every score that led there.
type ToolSelection struct {
	Query  string      `json:"query"`
	Index  string      `json:"index"`
	Chosen []string    `json:"chosen"`
	Scores []ToolScore `json:"scores"`
}

// ToolScore is one tool's rank in a selection. Entry is the text that matched best.
type ToolScore struct {
	Tool  string  `json:"tool"`
	Score float64 `json:"score"`
	Entry string  `json:"entry,omitempty"`
}

// Search explains a typed search: the candidates kept, best first, and what each score is made of.
type Search struct {
	Expanded   int         `json:"expanded"`
	Seconds    float64     `json:"seconds"`
	Candidates []Candidate `json:"candidates"`
	Declined   string      `json:"declined,omitempty"`
	Questions  []Question  `json:"questions,omitempty"`
}

// Candidate is one well-typed schedule with its score and the terms of the score.
type Candidate struct {
	Schedule string             `json:"schedule"`
	Score    float64            `json:"score"`
	Terms    map[string]float64 `json:"terms"`
}

// Question is a closed question that was put to a model, with the probability of each option.
type Question struct {
	Kind          string             `json:"kind"`
	Text          string             `json:"text"`
	Probabilities map[string]float64 `json:"probabilities"`
	Retrieval     map[string]float64 `json:"retrieval,omitempty"`
	Chosen        string             `json:"chosen"`
	Changed       bool               `json:"changed"`
}

// Schedule is a submitted version of the program. Version counts from 1; a revision is a new version. Calls are the
// call statements of a version that the checker refused: none of them runs, so none has a tool_call event.
type Schedule struct {
	Version  int       `json:"version"`
	Text     string    `json:"text"`
	Hash     string    `json:"hash"`
	Mode     string    `json:"mode,omitempty"`
	Valid    bool      `json:"valid"`
	Repaired bool      `json:"repaired"`
	Problems []Problem `json:"problems,omitempty"`
	Repairs  []Repair  `json:"repairs,omitempty"`

	Calls []SubmittedCall `json:"calls,omitempty"`
}

// SubmittedCall is a call statement that never ran. Raw holds its arguments as JSON: literals as they are, references
// and expressions as their text.
type SubmittedCall struct {
	Tool      string `json:"tool"`
	Group     string `json:"group,omitempty"`
	Step      string `json:"step,omitempty"`
	Statement string `json:"statement"`
	Raw       string `json:"raw,omitempty"`
	Check     bool   `json:"check,omitempty"`
	Resolver  bool   `json:"resolver,omitempty"`
}

// Problem is one finding of the checker.
type Problem struct {
	Code    string   `json:"code"`
	Line    int      `json:"line"`
	Column  int      `json:"column"`
	Message string   `json:"message"`
	Legal   []string `json:"legal,omitempty"`
}

// Repair is one certain repair that was made.
type Repair struct {
	ID   string `json:"id"`
	Line int    `json:"line"`
	From string `json:"from"`
	To   string `json:"to"`
}

// Step is a change of state of one step of the current schedule version: waiting, running, done, failed, skipped,
// cancelled. Item is the index of a mapped item, -1 for the step itself.
type Step struct {
	Step   string `json:"step"`
	State  string `json:"state"`
	Item   int    `json:"item"`
	Reason string `json:"reason,omitempty"`
}

// ToolCall is one call, written before it runs. It holds all that scoring needs to compare it with gold: see
// Argument. Valid is false when the call was refused before running (unknown tool, schema); then a ToolResult with
// the error follows. Statement identifies the call statement of a schedule (its canonical text), or the reply's
// call in a loop; Version the schedule version.
type ToolCall struct {
	ID        string     `json:"id"`
	Tool      string     `json:"tool"`
	Version   string     `json:"version,omitempty"`
	Agent     string     `json:"agent"`
	Group     string     `json:"group"`
	Step      string     `json:"step,omitempty"`
	Item      int        `json:"item"`
	Schedule  int        `json:"schedule,omitempty"`
	Statement string     `json:"statement,omitempty"`
	Arguments []Argument `json:"arguments"`
	Raw       string     `json:"raw,omitempty"`
	Key       string     `json:"key"`
	Valid     bool       `json:"valid"`
	Check     bool       `json:"check,omitempty"`
	Resolver  bool       `json:"resolver,omitempty"`
	Effect    string     `json:"effect"`
	Memo      bool       `json:"memo,omitempty"`
}

// Argument is one canonical argument of a call, with the rule by which it is compared.
type Argument = toolkits.Argument

// ToolResult is what the call with id Call gave. Code and Message are set when it failed. Retries counts the
// engine's repeats after transient errors: they are one call.
type ToolResult struct {
	Call    string   `json:"call"`
	OK      bool     `json:"ok"`
	Code    string   `json:"code,omitempty"`
	Message string   `json:"message,omitempty"`
	Outputs []Output `json:"outputs,omitempty"`
	Retries int      `json:"retries,omitempty"`
	Seconds float64  `json:"seconds"`
}

// Output is one output field of a result: its kind, the scalar's value and unit, and the artifact's hash.
type Output struct {
	Name       string `json:"name"`
	Kind       string `json:"kind"`
	Value      any    `json:"value,omitempty"`
	Unit       string `json:"unit,omitempty"`
	Difference bool   `json:"difference,omitempty"`
	Artifact   string `json:"artifact"`
}

// Check is a verification. By is engine or the agent that wrote it. Unbinds lists the answer fields that an
// engine's failed check unbinds.
type Check struct {
	Name    string   `json:"name"`
	By      string   `json:"by"`
	Step    string   `json:"step,omitempty"`
	Passed  bool     `json:"passed"`
	Reason  string   `json:"reason,omitempty"`
	Unbinds []string `json:"unbinds,omitempty"`
}

// Revision says why a schedule was revised, and which statements came or changed.
type Revision struct {
	From       int      `json:"from"`
	To         int      `json:"to"`
	Reason     string   `json:"reason"`
	Statements []string `json:"statements,omitempty"`
}

// Answer is the end of the work: a value or a reason for each field of the contract, or a decline. Written once.
type Answer struct {
	Fields   []AnswerField `json:"fields"`
	Declined bool          `json:"declined"`
	Reason   string        `json:"reason,omitempty"`
	Missing  []string      `json:"missing,omitempty"`
}

// AnswerField is one field. Value is nil when it is unanswered, and Reason says why. A field given as a handle has
// Call, Output and Artifact; a literal has none and is unbound. Bound is the engine's finding at run time; scoring
// derives it again. Unit is the unit of Value as given, before conversion to the contract's.
type AnswerField struct {
	Key        string `json:"key"`
	Value      any    `json:"value"`
	Unit       string `json:"unit,omitempty"`
	Difference bool   `json:"difference,omitempty"`
	Bound      bool   `json:"bound"`
	Artifact   string `json:"artifact,omitempty"`
	Call       string `json:"call,omitempty"`
	Output     string `json:"output,omitempty"`
	Step       string `json:"step,omitempty"`
	Reason     string `json:"reason,omitempty"`
}

// Vote is how one of several samples was taken: Outcomes are their answers in a line each, in the order in which they were
// drawn, Agree how many samples agree with each (itself included, 0 for a sample without a value), and Chosen counts
// from 1; 0 means that no sample had a value.
type Vote struct {
	Outcomes []string `json:"outcomes"`
	Agree    []int    `json:"agree"`
	Chosen   int      `json:"chosen"`
	Wanted   int      `json:"wanted"` // samples that were to be drawn
	Why      string   `json:"why"`    // that many
}

// Budget says which budget was hit: model_calls, tool_calls, tokens, replans or working_s.
type Budget struct {
	Name  string  `json:"name"`
	Limit float64 `json:"limit"`
	Used  float64 `json:"used"`
}

// States of a workflow memory.
const (
	MemoryEmpty  = "empty"  // nothing is remembered that could be used
	MemorySeeded = "seeded" // filled from the memory split before the run
	MemoryOnline = "online" // grows during the run
)

// MemoryHit is a remembered workflow that was used. State is the memory's where it is known; with state empty there was
// nothing to use, Entry is "" and the setup went on as without a memory.
type MemoryHit struct {
	Entry string  `json:"entry"`
	Score float64 `json:"score"`
	State string  `json:"state,omitempty"`
}

// MemoryWrite is a workflow that was stored.
type MemoryWrite struct {
	Entry string `json:"entry"`
}

// Error is a fault that is not a tool's: a setup that crashed, a server that went away. Harness marks the ones
// that are not the setup's or the model's.
type Error struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Harness bool   `json:"harness"`
}
