// Package reply reads what a model wrote: calls that came as text, JSON that
// is nearly JSON, arguments of nearly the right type. Small local models know
// what to do more often than how to write it down, and servers differ in what
// they make of it.
//
// Every repair is certain: it changes the form and never the meaning, and if
// two readings are possible the reply is refused with a message that a model
// can act on. Each has an id, is counted in the response, and can be switched
// off. What was never a call is not made one: JSON shown as an example in
// prose, a call considered in the model's thoughts, a reply that was cut off.
//
// [Reader.Read] does it all for one reply; [Arguments] checks a single call's
// arguments against a schema; [WireSchema] is the form of a schema that
// servers take.
package reply

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"almanac/agents/llm"
)

// The ids of the repairs.
const (
	FixThinking      = "thinking"              // thoughts between tags taken out of the text
	FixFence         = "fence"                 // a Markdown fence around JSON or a call removed
	FixProse         = "prose_around"          // one JSON value found among prose, where a schema was asked
	FixTextCall      = "text_call"             // a call that stood as JSON in the text
	FixTaggedCall    = "tagged_call"           // a call between tags
	FixFunctionTag   = "function_tag"          // a call whose name is in the tag itself
	FixPythonCall    = "python_call"           // a call written as name(key=value)
	FixCallKeys      = "call_keys"             // "parameters", "tool", … for "arguments", "name"
	FixToolName      = "tool_name"             // case, separators or a "functions." prefix of a name
	FixEmpty         = "empty_arguments"       // "", null or nothing for {}
	FixNested        = "nested_arguments"      // {"arguments": {…}} inside the arguments
	FixStringArgs    = "stringified_arguments" // the arguments as a JSON string
	FixStringValue   = "stringified_value"     // an object or list as a JSON string
	FixPython        = "python_literals"       // single quotes, True, False, None, tuples
	FixTrailingComma = "trailing_comma"
	FixStrayCloser   = "stray_closer"   // closing brackets too many, at the end
	FixMissingCloser = "missing_closer" // closing brackets missing, at the end of a finished turn
	FixBareKey       = "bare_key"       // {layer: 1}
	FixComment       = "comment"        // // or # up to the end of a line, /* */
	FixRawNewline    = "raw_newline"    // a line break or tab inside a string
	FixEscape        = "bad_escape"     // \d and the like: the backslash is kept
	FixNumberForm    = "number_form"    // .5, 5., +5, 1_000
	FixScalar        = "scalar_type"    // "3" for 3, "true" for true, 2020 for "2020"
	FixInteger       = "integer_form"   // 3.0 or 1e3 for an integer
	FixNullDropped   = "null_dropped"   // null for an optional argument
	FixWrapList      = "wrap_list"      // a single value for a list
	FixUnwrapList    = "unwrap_list"    // a list of one for a single value
	FixEnumCase      = "enum_case"      // case and blanks of an enum's value
	FixKeyCase       = "key_case"       // case and separators of an argument's name
)

// Repairs lists the ids of all repairs.
func Repairs() []string {
	return []string{
		FixThinking, FixFence, FixProse, FixTextCall, FixTaggedCall, FixFunctionTag, FixPythonCall, FixCallKeys,
		FixToolName, FixEmpty, FixNested, FixStringArgs, FixStringValue, FixPython, FixTrailingComma, FixStrayCloser,
		FixMissingCloser, FixBareKey, FixComment, FixRawNewline, FixEscape, FixNumberForm, FixScalar, FixInteger,
		FixNullDropped, FixWrapList, FixUnwrapList, FixEnumCase, FixKeyCase,
	}
}

// Options of a [Reader]. The zero value has every repair on.
type Options struct {
	Off []string // ids of repairs that are switched off; "all" switches off all
}

// Reader reads replies. It is safe for concurrent use.
type Reader struct {
	off     map[string]bool
	schemas sync.Map // text of a tool's schema to its *schemaNode: tools are few, and called again and again
}

// schema is parseSchema, once for each schema.
func (r *Reader) schema(data json.RawMessage) (*schemaNode, error) {
	if n, ok := r.schemas.Load(string(data)); ok {
		return n.(*schemaNode), nil
	}
	n, err := parseSchema(data)
	if err != nil {
		return nil, err
	}
	r.schemas.Store(string(data), n)
	return n, nil
}

// New makes a Reader. An id in Options.Off that does not exist is an error
// that lists those that do.
func New(opts *Options) (*Reader, error) {
	r := &Reader{off: map[string]bool{}}
	if opts == nil {
		return r, nil
	}
	for _, id := range opts.Off {
		switch {
		case id == "all":
			for _, id := range Repairs() {
				r.off[id] = true
			}
		case slices.Contains(Repairs(), id):
			r.off[id] = true
		default:
			return nil, fmt.Errorf("reply: no repair %q; there are: all, %s", id, strings.Join(Repairs(), ", "))
		}
	}
	return r, nil
}

// fixes collects the repairs of one piece, and knows which are allowed.
type fixes struct {
	off  map[string]bool
	used []string
}

func (r *Reader) fixes() *fixes { return &fixes{off: r.off} }

// may reports whether a repair is on, without counting it.
func (f *fixes) may(id string) bool { return !f.off[id] }

// use counts a repair and reports whether it is on.
func (f *fixes) use(id string) bool {
	if f.off[id] {
		return false
	}
	f.used = append(f.used, id)
	return true
}

// Read turns what a server sent into a usable reply to req: thoughts split
// off, calls found and checked, JSON validated. The result is a new Response;
// raw is not changed. A call that must not be run has its Problem set, to be
// sent to the model as the call's result.
//
// A reply that is of no use gives an *llm.Error of kind bad_reply with the
// raw reply in Reply and its tokens in Usage.
func (r *Reader) Read(req *llm.Request, raw *llm.Response) (*llm.Response, error) {
	resp := *raw
	resp.Message.Role = llm.RoleAssistant
	resp.Message.ToolCalls = nil
	resp.Repairs = slices.Clone(raw.Repairs)
	resp.Notes = slices.Clone(raw.Notes)
	if req.Logprobs > 0 && len(raw.Logprobs) > 0 {
		return &resp, nil // a probability was asked for; the text is beside the point
	}
	f := r.fixes()
	text, unclosed := splitThinking(raw.Message.Content, &resp.Message, f)
	resp.Message.Content = text

	calls, err := r.nativeCalls(req, raw)
	if err != nil {
		return nil, bad(raw, err)
	}
	if len(calls) == 0 && unclosed {
		return nil, bad(raw, &problem{llm.ReasonUnclosed, "the reply is thoughts without an end and without an answer"})
	}
	if len(calls) == 0 && len(req.Tools) > 0 {
		var rest string
		calls, rest, err = r.textCalls(req, text, raw.Finish, &resp)
		if err != nil {
			return nil, bad(raw, err)
		}
		if len(calls) > 0 {
			resp.Message.Content = rest
		}
	}
	resp.Repairs = append(resp.Repairs, f.used...)
	if err := r.settleCalls(req, raw, &resp, calls); err != nil {
		return nil, err
	}
	if len(req.Schema) > 0 && len(resp.Message.ToolCalls) == 0 {
		if err := r.settleSchema(req, raw, &resp); err != nil {
			return nil, bad(raw, err)
		}
	}
	if strings.TrimSpace(resp.Message.Content) == "" && len(resp.Message.ToolCalls) == 0 {
		return nil, bad(raw, &problem{llm.ReasonEmpty, "the reply has neither text nor a call"})
	}
	return &resp, nil
}

// settleCalls applies the request's tool choice and puts the calls in place.
func (r *Reader) settleCalls(req *llm.Request, raw, resp *llm.Response, calls []llm.ToolCall) error {
	if len(calls) > 0 && (req.ToolChoice == llm.ToolChoiceNone || len(req.Tools) == 0) {
		for _, c := range calls {
			resp.Notes = append(resp.Notes, fmt.Sprintf("a call of %s was dropped: no calls were allowed", c.Name))
		}
		calls = nil
		if strings.TrimSpace(resp.Message.Content) == "" {
			return bad(raw, &problem{llm.ReasonToolChoice, "the reply is a call where none was allowed; an answer in words is needed"})
		}
	}
	if len(calls) == 0 && req.ToolChoice == llm.ToolChoiceRequired {
		return bad(raw, &problem{llm.ReasonToolChoice, "a call was required and the reply has none"})
	}
	if len(calls) > 0 {
		resp.Finish = llm.FinishTools
	} else if resp.Finish == llm.FinishTools {
		resp.Finish = llm.FinishStop
	}
	for i := range calls {
		if calls[i].ID == "" {
			calls[i].ID = fmt.Sprintf("call_%d", i+1)
		}
		resp.Repairs = append(resp.Repairs, calls[i].Repairs...)
	}
	resp.Message.ToolCalls = calls
	return nil
}

// settleSchema replaces the text by the JSON value that the schema asks for.
func (r *Reader) settleSchema(req *llm.Request, raw, resp *llm.Response) *problem {
	f := r.fixes()
	v, p := findJSON(resp.Message.Content, raw.Finish, f)
	if p != nil {
		return p
	}
	schema, err := parseSchema(req.Schema)
	if err != nil {
		return &problem{llm.ReasonSchema, "the request's schema: " + err.Error()}
	}
	v = coerce(schema, v, f)
	if faults := validate(schema, v); len(faults) > 0 {
		return &problem{llm.ReasonSchema, strings.Join(faults, "; ")}
	}
	data, err := encode(v)
	if err != nil {
		return &problem{llm.ReasonUnreadable, err.Error()}
	}
	resp.Message.Content = string(data)
	resp.Repairs = append(resp.Repairs, f.used...)
	return nil
}

// problem is why a reply is of no use: a reason of package llm and a sentence.
type problem struct {
	reason  string
	message string
}

func bad(raw *llm.Response, p *problem) error {
	return &llm.Error{
		Kind: llm.KindBadReply, Reason: p.reason, Op: "reply", Model: raw.Model.Name, Message: p.message,
		Usage: raw.Usage, Timings: raw.Timings, Reply: raw,
	}
}

// encode writes a value as JSON without HTML escapes, keys sorted.
func encode(v any) (json.RawMessage, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("reply: writing JSON: %w", err)
	}
	return llm.CanonicalJSON(data)
}
