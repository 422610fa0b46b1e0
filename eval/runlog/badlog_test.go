package runlog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"almanac/orchestrator/event"
)

// lines numbers and encodes events.
func lines(t *testing.T, list ...event.Event) string {
	t.Helper()
	var b strings.Builder
	for i, e := range list {
		e.Seq = int64(i + 1)
		data, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(data, '\n'))
	}
	return b.String()
}

func result(id, call string) event.Event {
	return event.Event{Episode: id, Type: event.TypeToolResult, Body: &event.ToolResult{Call: call, OK: true}}
}

func answer(id string) event.Event {
	return event.Event{Episode: id, Type: event.TypeAnswer, Body: &event.Answer{}}
}

// Whatever a log cannot be is said with its line; nothing of it is read.
func TestBadLogsAreNamedByLine(t *testing.T) {
	raw := func(seq int, rest string) string {
		return fmt.Sprintf(`{"seq":%d,"time":"2026-01-01T00:00:00Z","episode":"a",%s}`, seq, rest) + "\n"
	}
	first := lines(t, start("a", 1))
	cases := map[string]struct{ log, line, says string }{
		"no number":           {first + raw(2, `"type":"budget","body":{"name":"tokens","limit":NaN,"used":1}`), "line 2", "invalid character 'N'"},
		"infinite":            {first + raw(2, `"type":"budget","body":{"name":"tokens","limit":1e999,"used":1}`), "line 2", "1e999"},
		"unknown event":       {first + raw(2, `"type":"coffee","body":{}`), "line 2", `unknown event type "coffee"`},
		"body of another":     {first + raw(2, `"type":"tool_call","body":{"id":5}`), "line 2", "tool_call"},
		"torn in the middle":  {first + `{"seq":2,"ti` + "\n" + raw(3, `"type":"budget","body":{}`), "line 2", "invalid character"},
		"a number twice":      {first + first, "line 2", "event 1 follows event 1"},
		"a number left out":   {first + raw(3, `"type":"budget","body":{}`), "line 2", "event 3 follows event 1"},
		"no start":            {lines(t, call("a", "x")), "line 1", "outside its attempts"},
		"after the end":       {lines(t, start("a", 1), end("a", event.Answered), call("a", "x")), "line 3", "outside its attempts"},
		"two ends":            {lines(t, start("a", 1), end("a", event.Answered), end("a", event.Answered)), "line 3", "outside its attempts"},
		"an attempt twice":    {lines(t, start("a", 1), end("a", event.Answered), start("a", 1)), "line 3", "begins after its attempt 1"},
		"an id twice":         {lines(t, start("a", 1), call("a", "x"), call("a", "x")), "line 3", `two calls with the id "x"`},
		"two results":         {lines(t, start("a", 1), call("a", "x"), result("a", "x"), result("a", "x")), "line 4", "two results"},
		"a result of nothing": {lines(t, start("a", 1), result("a", "x")), "line 2", "which it has not made"},
		"two answers":         {lines(t, start("a", 1), answer("a"), answer("a")), "line 3", "two answers"},
	}
	for name, c := range cases {
		events, err := readEvents(strings.NewReader(c.log), "events.jsonl")
		if events != nil || !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "events.jsonl "+c.line+" ") || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	later := lines(t, event.Event{Type: event.TypeRunStart, Body: &event.RunStart{Schema: event.Version + 1}})
	if _, err := readEvents(strings.NewReader(later), "events.jsonl"); !errors.Is(err, ErrSchema) || !strings.Contains(err.Error(), "line 1") {
		t.Errorf("another version: %v", err)
	}
}

// What a log may be: ids and answers again in another attempt or episode, episodes side by side, an end that is missing.
func TestGoodLogsStayGood(t *testing.T) {
	log := lines(t, start("a", 1), call("a", "x"), start("a", 2), call("a", "x"), start("b", 1), call("b", "x"), result("a", "x"),
		answer("a"), end("a", event.Answered), result("b", "x"), answer("b"))
	events, err := readEvents(strings.NewReader(log), "events.jsonl")
	if err != nil || len(events.List) != 11 {
		t.Fatalf("%v", err)
	}
	byID := map[string]*Episode{}
	for _, ep := range Episodes(events.List) {
		byID[ep.ID] = ep
	}
	if a := byID["a"].Final(); a == nil || a.Start.Attempt != 2 {
		t.Errorf("%+v", a)
	}
	if b := byID["b"].Final(); b != nil {
		t.Errorf("an episode without an end counts: %+v", b)
	}
}

// endless gives the letter x so many times, and counts what was taken.
type endless struct{ left, taken int64 }

func (e *endless) Read(p []byte) (int, error) {
	if e.left == 0 {
		return 0, io.EOF
	}
	n := int(min(int64(len(p)), e.left))
	for i := range n {
		p[i] = 'x'
	}
	e.left, e.taken = e.left-int64(n), e.taken+int64(n)
	return n, nil
}

func TestOneGigabyteInALine(t *testing.T) {
	rest := &endless{left: 1 << 30}
	_, err := readEvents(io.MultiReader(strings.NewReader(lines(t, start("a", 1))), rest), "events.jsonl")
	if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "events.jsonl line 2 ") || !strings.Contains(err.Error(), "64 MiB") {
		t.Errorf("%v", err)
	}
	if rest.taken > 2*maxLine {
		t.Errorf("%d bytes were read before giving up", rest.taken)
	}
	f := newRun(t)
	defer f.Close()
	huge := event.Event{Type: event.TypeError, Body: &event.Error{Message: strings.Repeat("x", maxLine)}}
	if _, err := f.Log().Emit(huge); err == nil {
		t.Error("a line was written that cannot be read")
	}
	emit(t, f.Log(), start("a", 1))
	if data, err := os.ReadFile(filepath.Join(f.Dir, logName)); err != nil || bytes.Count(data, []byte("\n")) != 1 {
		t.Errorf("the log has %d bytes: %v", len(data), err)
	}
}
