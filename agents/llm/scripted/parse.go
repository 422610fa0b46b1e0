package scripted

import (
	"encoding/json"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"almanac/agents/llm"
)

type code struct {
	kind   llm.Kind
	reason string
	status int
}

var codes = map[string]code{
	"overloaded":        {llm.KindOverloaded, "", 503},
	"context_overflow":  {llm.KindContext, "", 400},
	"bad_reply":         {llm.KindBadReply, llm.ReasonUnreadable, 0},
	"unreadable":        {llm.KindBadReply, llm.ReasonUnreadable, 0},
	"empty_reply":       {llm.KindBadReply, llm.ReasonEmpty, 0},
	"runaway":           {llm.KindBadReply, llm.ReasonRunaway, 0},
	"truncated":         {llm.KindBadReply, llm.ReasonTruncated, 0},
	"transport":         {llm.KindTransport, "", 0},
	"first_byte":        {llm.KindTransport, llm.ReasonFirstByte, 0},
	"idle":              {llm.KindTransport, llm.ReasonIdle, 0},
	"model_missing":     {llm.KindModelMissing, "", 404},
	"server":            {llm.KindServer, "", 500},
	"bad_request":       {llm.KindRequest, "", 400},
	"unauthorized":      {llm.KindRequest, llm.ReasonUnauthorized, 401},
	"too_many_requests": {llm.KindOverloaded, "", 429},
}

// ErrorCodes lists the names that a reply's error may have. HTTP statuses are
// allowed as well.
func ErrorCodes() []string {
	names := make([]string, 0, len(codes))
	for name := range codes {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// codeOf reads a code that Parse, or its Go author, has put there; an unknown
// one is a failure of the server.
func codeOf(name string) code {
	if c, ok := codes[name]; ok {
		return c
	}
	status, err := strconv.Atoi(name)
	if err != nil {
		return code{kind: llm.KindServer}
	}
	return code{kind: llm.KindOfStatus(status), status: status}
}

// Parse reads a script. It is strict: an unknown key, a value of the wrong
// kind or a key given twice is an error with its line.
func Parse(data []byte) (*Script, error) {
	var doc yaml.Node
	if err := yaml.Load(data, &doc); err != nil {
		return nil, fmt.Errorf("parsing YAML: %w", err)
	}
	root := &doc
	if doc.Kind == yaml.DocumentNode {
		if len(doc.Content) != 1 {
			return nil, fmt.Errorf("line 1: expected one document")
		}
		root = doc.Content[0]
	}
	return parseScript(root, 0)
}

func at(n *yaml.Node, format string, args ...any) error {
	return fmt.Errorf("line %d, column %d: %s", n.Line, n.Column, fmt.Sprintf(format, args...))
}

// deref follows the alias of a whole reply. Elsewhere aliases are refused: a
// few lines of them can stand for more values than any memory holds.
func deref(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		return n.Alias
	}
	return n
}

func parseScript(n *yaml.Node, depth int) (*Script, error) {
	if depth > 4 {
		return nil, at(n, "scripts nested too deep")
	}
	if n.Kind == yaml.SequenceNode {
		replies, err := parseReplies(n)
		return &Script{Replies: replies}, err
	}
	if n.Kind != yaml.MappingNode {
		return nil, at(n, "expected a list of replies, or a mapping with replies, by_setup, by_task")
	}
	s := &Script{}
	err := eachKey(n, func(key, v *yaml.Node) (err error) {
		switch key.Value {
		case "replies":
			s.Replies, err = parseReplies(v)
		case "by_setup":
			s.BySetup, err = parseScripts(v, depth)
		case "by_task":
			s.ByTask, err = parseScripts(v, depth)
		default:
			err = unknownKey(key, "replies", "by_setup", "by_task")
		}
		return err
	})
	return s, err
}

func unknownKey(key *yaml.Node, known ...string) error {
	return at(key, "unknown key %q; there are: %s", key.Value, strings.Join(known, ", "))
}

func eachKey(n *yaml.Node, f func(key, v *yaml.Node) error) error {
	if n.Kind != yaml.MappingNode {
		return at(n, "expected a mapping")
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if seen[key.Value] {
			return at(key, "the key %q occurs twice", key.Value)
		}
		seen[key.Value] = true
		if n.Content[i+1].Kind == yaml.AliasNode {
			return at(n.Content[i+1], "an alias may stand for a whole reply only")
		}
		if err := f(key, n.Content[i+1]); err != nil {
			return err
		}
	}
	return nil
}

func parseScripts(n *yaml.Node, depth int) (map[string]*Script, error) {
	scripts := map[string]*Script{}
	err := eachKey(n, func(key, v *yaml.Node) error {
		s, err := parseScript(v, depth+1)
		scripts[key.Value] = s
		return err
	})
	return scripts, err
}

func parseReplies(n *yaml.Node) ([]Reply, error) {
	if n.Kind != yaml.SequenceNode {
		return nil, at(n, "expected a list of replies")
	}
	replies := make([]Reply, 0, len(n.Content))
	for _, item := range n.Content {
		r, err := parseReply(deref(item))
		if err != nil {
			return nil, err
		}
		replies = append(replies, r)
	}
	return replies, nil
}

func parseReply(n *yaml.Node) (Reply, error) {
	r := Reply{Line: n.Line}
	if n.Kind == yaml.ScalarNode {
		r.Content = n.Value
		return r, nil
	}
	if n.Kind != yaml.MappingNode {
		return r, at(n, "expected a reply: text, or a mapping")
	}
	err := eachKey(n, func(key, v *yaml.Node) (err error) {
		switch key.Value {
		case "content":
			r.Content, err = text(v)
		case "thinking":
			r.Thinking, err = text(v)
		case "finish":
			r.Finish, err = oneOf(v, llm.FinishStop, llm.FinishLength, llm.FinishTools)
		case "tool_calls":
			r.Calls, err = parseCalls(v)
		case "logprobs":
			r.Logprobs, err = parseLogprobs(v)
		case "error":
			r.Error, err = parseCode(v)
		case "usage":
			r.Usage, err = parseUsage(v)
		case "delay":
			r.Delay, err = parseDelay(v)
		default:
			err = unknownKey(key, "content", "tool_calls", "logprobs", "error", "usage", "delay", "finish", "thinking")
		}
		return err
	})
	return r, err
}

func text(n *yaml.Node) (string, error) {
	if n.Kind != yaml.ScalarNode {
		return "", at(n, "expected text")
	}
	if n.Tag == "!!null" {
		return "", nil
	}
	return n.Value, nil
}

func oneOf(n *yaml.Node, allowed ...string) (string, error) {
	for _, a := range allowed {
		if n.Kind == yaml.ScalarNode && n.Value == a {
			return a, nil
		}
	}
	return "", at(n, "%q is none of: %s", n.Value, strings.Join(allowed, ", "))
}

func parseCode(n *yaml.Node) (string, error) {
	if status, err := strconv.Atoi(n.Value); err == nil && status >= 400 && status < 600 {
		return n.Value, nil
	}
	return oneOf(n, append(ErrorCodes(), "an HTTP status of 400 to 599")...)
}

func parseCalls(n *yaml.Node) ([]Call, error) {
	if n.Kind != yaml.SequenceNode {
		return nil, at(n, "expected a list of calls")
	}
	var calls []Call
	for _, item := range n.Content {
		c := Call{Arguments: json.RawMessage("{}")}
		err := eachKey(item, func(key, v *yaml.Node) (err error) {
			switch key.Value {
			case "id":
				c.ID, err = text(v)
			case "name":
				c.Name, err = text(v)
			case "arguments":
				c.Arguments, err = toJSON(v, 0)
			default:
				err = unknownKey(key, "name", "arguments", "id")
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		if c.Name == "" {
			return nil, at(item, "a call needs a name")
		}
		calls = append(calls, c)
	}
	return calls, nil
}

func parseLogprobs(n *yaml.Node) ([]llm.TokenProb, error) {
	var probs []llm.TokenProb
	err := eachKey(n, func(key, v *yaml.Node) error {
		p, err := strconv.ParseFloat(v.Value, 64)
		if err != nil || !(p <= 0) {
			return at(v, "expected the natural logarithm of a probability, at most 0, got %q", v.Value)
		}
		probs = append(probs, llm.TokenProb{Token: key.Value, Logprob: p})
		return nil
	})
	sort.SliceStable(probs, func(i, j int) bool { return probs[i].Logprob > probs[j].Logprob })
	return probs, err
}

func parseUsage(n *yaml.Node) (*llm.Usage, error) {
	var prompt, completion int64
	err := eachKey(n, func(key, v *yaml.Node) error {
		count, err := strconv.ParseInt(v.Value, 10, 64)
		if err != nil || count < 0 {
			return at(v, "expected a number of tokens, got %q", v.Value)
		}
		switch key.Value {
		case "prompt":
			prompt = count
		case "completion":
			completion = count
		default:
			return unknownKey(key, "prompt", "completion")
		}
		return nil
	})
	u := llm.Spent(prompt, completion)
	return &u, err
}

// parseDelay reads "50ms" or a number of seconds.
func parseDelay(n *yaml.Node) (time.Duration, error) {
	if s, err := strconv.ParseFloat(n.Value, 64); err == nil && s >= 0 && s < 1e6 {
		return time.Duration(s * float64(time.Second)), nil
	}
	d, err := time.ParseDuration(n.Value)
	if err != nil || d < 0 {
		return 0, at(n, "expected a duration such as 50ms, or seconds, got %q", n.Value)
	}
	return d, nil
}

// toJSON writes a YAML value as JSON; numbers keep their digits.
func toJSON(n *yaml.Node, depth int) (json.RawMessage, error) {
	if n.Kind == yaml.AliasNode {
		return nil, at(n, "an alias may stand for a whole reply only")
	}
	if depth > 50 {
		return nil, at(n, "nested too deep")
	}
	switch n.Kind {
	case yaml.MappingNode:
		obj := map[string]json.RawMessage{}
		err := eachKey(n, func(key, v *yaml.Node) (err error) {
			obj[key.Value], err = toJSON(v, depth+1)
			return err
		})
		if err != nil {
			return nil, err
		}
		return json.Marshal(obj)
	case yaml.SequenceNode:
		list := []json.RawMessage{}
		for _, item := range n.Content {
			v, err := toJSON(item, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		return json.Marshal(list)
	}
	return scalarJSON(n)
}

func scalarJSON(n *yaml.Node) (json.RawMessage, error) {
	switch n.Tag {
	case "!!null":
		return json.RawMessage("null"), nil
	case "!!int", "!!float":
		if json.Valid([]byte(n.Value)) {
			return json.RawMessage(n.Value), nil
		}
	case "!!bool":
		return json.Marshal(strings.EqualFold(n.Value, "true"))
	}
	return json.Marshal(n.Value)
}
