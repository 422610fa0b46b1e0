package ollama

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
	"time"

	"almanac/agents/llm/stream"
)

// rawKey is the one key under which a call's arguments travel through the
// client library as text. Decoded by the library they would lose digits beyond
// 2^53, and arguments that are a string would be an error.
const rawKey = "almanac_raw_arguments"

type tapKey struct{}

// tap listens to the body of one response.
type tap struct {
	mu         sync.Mutex
	err        error
	answered   bool // the server sent a response, of whatever status
	retryAfter time.Duration
}

func withTap(ctx context.Context, t *tap) context.Context {
	return context.WithValue(ctx, tapKey{}, t)
}

// readError is the error that broke off the body, which the client library
// does not report.
func (t *tap) readError() error {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.err
}

// tappedTransport mends the lines of tapped responses on their way in.
type tappedTransport struct{ inner http.RoundTripper }

func tappedClient(given *http.Client) *http.Client {
	client := &http.Client{}
	if given != nil {
		*client = *given
	}
	inner := client.Transport
	if inner == nil {
		inner = http.DefaultTransport
	}
	client.Transport = tappedTransport{inner}
	return client
}

func (t tappedTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.inner.RoundTrip(req)
	tap, ok := req.Context().Value(tapKey{}).(*tap)
	if err != nil || !ok {
		return resp, err
	}
	tap.answered = true
	if s, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && s > 0 {
		tap.retryAfter = time.Duration(min(s, 300)) * time.Second
	}
	resp.Body = stream.RewriteLines(resp.Body, mendLine, func(err error) {
		tap.mu.Lock()
		defer tap.mu.Unlock()
		tap.err = err
	})
	return resp, nil
}

// mendLine hides bytes that are no UTF-8 and wraps the arguments of calls.
func mendLine(line []byte) []byte {
	line = stream.HideBytes(line)
	if !bytes.Contains(line, []byte(`"arguments"`)) {
		return line
	}
	var whole map[string]json.RawMessage
	var message map[string]json.RawMessage
	var calls []map[string]json.RawMessage
	if json.Unmarshal(line, &whole) != nil || json.Unmarshal(whole["message"], &message) != nil ||
		json.Unmarshal(message["tool_calls"], &calls) != nil {
		return line
	}
	for _, call := range calls {
		var function map[string]json.RawMessage
		if json.Unmarshal(call["function"], &function) != nil {
			continue
		}
		wrapped, err := json.Marshal(map[string]string{rawKey: string(function["arguments"])})
		if err != nil {
			continue
		}
		function["arguments"] = wrapped
		if call["function"], err = json.Marshal(function); err != nil {
			return line
		}
	}
	var err error
	if message["tool_calls"], err = json.Marshal(calls); err != nil {
		return line
	}
	if whole["message"], err = json.Marshal(message); err != nil {
		return line
	}
	mended, err := json.Marshal(whole)
	if err != nil {
		return line
	}
	return mended
}
