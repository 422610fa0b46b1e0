package importlog

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"almanac/eval/internal/pyjson"
)

// ErrFormat is wrapped by errors about what a file holds.
var ErrFormat = errors.New("not a log that can be read")

// Record is one recorded conversation.
type Record struct {
	Place    string // file and line, or file and sample, for errors
	Task     string // the id that the log gives, "" for none
	Question string // what was asked, to find the task by
	Repeat   int    // from 0; -1 where the log does not say
	Model    string
	Messages []Message
	Usage    *Usage  // of the whole conversation, nil where the log has none
	Seconds  float64 // 0 where the log does not say
	Error    string  // that ended it
	Limit    string  // that ended it
	Invalid  string  // why the log itself says that it must not count
}

// Usage is what a server counted; nil is unknown.
type Usage struct {
	Prompt, Completion, Thinking, Total *int64
}

// Message is one message of a conversation.
type Message struct {
	Role    string // system, user, assistant or tool
	Text    string
	Calls   []Call // of an assistant
	Reply   string // of a tool: the id of the call that it answers
	Tool    string // of a tool: its name, where the log has it
	Failure string // of a tool: the error that the log marks it with
	Usage   *Usage // of an assistant
}

// Call is a tool call as it was asked for. Arguments is nil where they are no JSON object; Raw is how they are written.
type Call struct {
	ID        string
	Name      string
	Arguments map[string]any
	Raw       string
}

// maxFile is how large a file may be once it is unpacked.
const maxFile = 1 << 30

// load reads a file, unpacked if it is compressed with gzip.
func load(path string) (*pyjson.Reader, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("importlog: %w", err)
	}
	if bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(bytes.NewReader(data))
		if err == nil {
			data, err = io.ReadAll(io.LimitReader(z, maxFile+1))
		}
		if err != nil {
			return nil, fmt.Errorf("importlog: %s cannot be unpacked: %w", path, err)
		}
	}
	if len(data) > maxFile {
		return nil, fmt.Errorf("importlog: %s: %w: more than %d bytes; split it", path, ErrFormat, maxFile)
	}
	if bytes.HasPrefix(data, []byte("PK\x03\x04")) {
		return nil, fmt.Errorf("importlog: %s: %w: it is a zip archive, as inspect_ai's .eval logs are; bring it into JSON first: inspect log convert %s --to json --output-dir DIR", path, ErrFormat, path)
	}
	return read(path, data)
}

func read(path string, data []byte) (*pyjson.Reader, error) {
	r, err := pyjson.NewReader(data)
	if err != nil {
		return nil, wrong(path, err)
	}
	return r, nil
}

func wrong(path string, err error) error {
	return fmt.Errorf("importlog: %s: %w: %w", path, ErrFormat, err)
}

// message reads what both formats share: role and content. known says whether the role is one that counts.
func message(n pyjson.Node, content func(string) string) (m Message, err error) {
	role, ok := n.Get("role").Text()
	switch {
	case !ok:
		return m, n.Get("role").Wants("system, user, assistant or tool")
	case role == "developer":
		role = "system"
	case role == "function":
		role = "tool"
	case role != "system" && role != "user" && role != "assistant" && role != "tool":
		return m, n.Get("role").Wants("system, user, assistant or tool")
	}
	m.Role = role
	m.Text, err = text(n.Get("content"))
	m.Text = content(m.Text)
	return m, err
}

// text reads content: text, nothing, or a list of parts of which those that are text count.
func text(n pyjson.Node) (string, error) {
	if s, ok := n.Text(); ok || n.Missing() {
		return s, nil
	}
	parts, err := n.Entries()
	if err != nil {
		return "", n.Wants("text or a list of parts")
	}
	var out []string
	for _, p := range parts {
		if s, ok := p.Text(); ok {
			out = append(out, s)
		} else if s, ok := p.Get("text").Text(); ok {
			out = append(out, s)
		}
	}
	return strings.Join(out, "\n"), nil
}

// count reads a whole number that is not negative; nil where there is none.
func count(n pyjson.Node) (*int64, error) {
	if n.Missing() {
		return nil, nil
	}
	l, ok := n.Value.(pyjson.Literal)
	if x := l.Float(); ok && x >= 0 && x <= 1<<53 && x == float64(int64(x)) {
		v := int64(x)
		return &v, nil
	}
	return nil, n.Wants("a whole number")
}

// counts reads usage whose members have the names given; nil where there is none.
func counts(n pyjson.Node, prompt, completion, thinking, total pyjson.Node) (*Usage, error) {
	if n.Missing() {
		return nil, nil
	}
	u := &Usage{}
	for _, part := range []struct {
		to   **int64
		from pyjson.Node
	}{{&u.Prompt, prompt}, {&u.Completion, completion}, {&u.Thinking, thinking}, {&u.Total, total}} {
		var err error
		if *part.to, err = count(part.from); err != nil {
			return nil, err
		}
	}
	return u, nil
}

// object reads arguments that are written as JSON text.
func object(raw string) map[string]any {
	if strings.TrimSpace(raw) == "" {
		return map[string]any{}
	}
	v, err := pyjson.Parse([]byte(raw))
	args, ok := v.(map[string]any)
	if err != nil || !ok {
		return nil
	}
	return args
}

// id reads an id: text or a whole number, "" where there is none.
func id(n pyjson.Node) (string, error) {
	if s, ok := n.Text(); ok || n.Missing() {
		return s, nil
	}
	if l, ok := n.Value.(pyjson.Literal); ok && l.Whole() {
		return string(l), nil
	}
	return "", n.Wants("an id: text or a whole number")
}
