package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"almanac/agents/llm/stream"
)

type mendKey struct{}

// mend is what is changed on the way out, and what is learnt on the way in.
type mend struct {
	extra      map[string]any // fields of the request's body that are set
	answered   bool
	hasUsage   bool
	retryAfter time.Duration
}

func withMend(ctx context.Context, m *mend) context.Context {
	return context.WithValue(ctx, mendKey{}, m)
}

// mendingTransport mends requests and responses of one exchange. Others pass.
type mendingTransport struct{ inner http.RoundTripper }

func mendingClient(given *http.Client) *http.Client {
	client := &http.Client{}
	if given != nil {
		*client = *given
	}
	inner := client.Transport
	if inner == nil {
		inner = http.DefaultTransport
	}
	client.Transport = mendingTransport{inner}
	return client
}

func (t mendingTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	m, ok := req.Context().Value(mendKey{}).(*mend)
	if !ok || req.Body == nil {
		return t.inner.RoundTrip(req)
	}
	body, err := io.ReadAll(req.Body)
	if closeErr := req.Body.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return nil, err
	}
	body = m.request(body)
	out := req.Clone(req.Context())
	out.Body = io.NopCloser(bytes.NewReader(body))
	out.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	out.ContentLength = int64(len(body))
	resp, err := t.inner.RoundTrip(out)
	if err != nil {
		return resp, err
	}
	m.answered = true
	if s, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && s > 0 {
		m.retryAfter = time.Duration(min(s, 300)) * time.Second
	}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") || resp.StatusCode >= 400 {
		resp.Body = stream.RewriteLines(resp.Body, m.line, func(error) {})
		return resp, nil
	}
	return m.wholeBody(resp)
}

// wholeBody mends a reply that comes in one piece, which may span lines.
func (m *mend) wholeBody(resp *http.Response) (*http.Response, error) {
	if resp.StatusCode >= 400 {
		return resp, nil
	}
	first := make([]byte, 512)
	n, err := io.ReadFull(resp.Body, first)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, err
	}
	rest := io.MultiReader(bytes.NewReader(first[:n]), resp.Body)
	inner := struct {
		io.Reader
		io.Closer
	}{rest, resp.Body}
	if bytes.HasPrefix(bytes.TrimSpace(first[:n]), []byte("data:")) { // a stream without its type
		resp.Body = stream.RewriteLines(inner, m.line, func(error) {})
		return resp, nil
	}
	data, err := io.ReadAll(io.LimitReader(inner, stream.MaxLine))
	if err != nil {
		return nil, err
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{bytes.NewReader(m.reply(stream.HideBytes(data))), resp.Body}
	return resp, nil
}

// request sets the extra fields and gives every message a content.
func (m *mend) request(body []byte) []byte {
	var whole map[string]any
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	if dec.Decode(&whole) != nil {
		return body
	}
	for key, v := range m.extra {
		whole[key] = v
	}
	if messages, ok := whole["messages"].([]any); ok {
		for _, msg := range messages {
			if obj, ok := msg.(map[string]any); ok && obj["content"] == nil {
				obj["content"] = ""
			}
		}
	}
	return encoded(whole, body)
}

// line mends one line of a stream.
func (m *mend) line(line []byte) []byte {
	line = stream.HideBytes(line)
	data, ok := bytes.CutPrefix(line, []byte("data:"))
	if !ok {
		return line
	}
	data = bytes.TrimSpace(data)
	if len(data) == 0 || data[0] != '{' {
		return line
	}
	return append([]byte("data: "), m.reply(data)...)
}

// reply turns arguments that are not a string into one, and notes whether
// there is a usage.
func (m *mend) reply(data []byte) []byte {
	if !bytes.Contains(data, []byte(`"arguments"`)) && !bytes.Contains(data, []byte(`"usage"`)) {
		return data
	}
	var whole map[string]any
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	if dec.Decode(&whole) != nil {
		return data
	}
	if usage, ok := whole["usage"].(map[string]any); ok && len(usage) > 0 {
		m.hasUsage = true
	}
	choices, _ := whole["choices"].([]any)
	for _, c := range choices {
		choice, _ := c.(map[string]any)
		for _, key := range []string{"message", "delta"} {
			msg, _ := choice[key].(map[string]any)
			calls, _ := msg["tool_calls"].([]any)
			for _, call := range calls {
				obj, _ := call.(map[string]any)
				if function, ok := obj["function"].(map[string]any); ok {
					textArguments(function)
				}
			}
		}
	}
	return encoded(whole, data)
}

func textArguments(function map[string]any) {
	switch args := function["arguments"].(type) {
	case string:
	case nil:
		function["arguments"] = ""
	default:
		function["arguments"] = string(encoded(args, nil))
	}
}

func encoded(v any, otherwise []byte) []byte {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return otherwise
	}
	return bytes.TrimRight(out.Bytes(), "\n")
}
