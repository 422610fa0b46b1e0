package event_test

import (
	"encoding/json"
	"testing"

	"almanac/orchestrator/event"
)

// Lines written by hand to the documentation of the events, not by this program.
func TestSchemaTellsGoodLinesFromBad(t *testing.T) {
	s, err := event.Schema()
	if err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		line string
		ok   bool
	}{
		{`{"seq":1,"time":"2026-01-02T03:04:05Z","type":"run_start","body":{"schema":1,"run":"r","suite":"demo","version":"v1"}}`, true},
		{`{"seq":2,"time":"2026-01-02T03:04:05Z","episode":"e","type":"step","agent":"engine","body":{"step":"zone","state":"done","item":-1}}`, true},
		{`{"seq":2,"time":"2026-01-02T03:04:05Z","type":"step","body":{"step":"zone","state":3,"item":-1}}`, false},
		{`{"seq":2,"time":"2026-01-02T03:04:05Z","type":"stop","body":{}}`, false},
		{`{"time":"2026-01-02T03:04:05Z","type":"step","body":{"step":"zone","state":"done","item":-1}}`, false},
	}
	for _, c := range cases {
		var v any
		if err := json.Unmarshal([]byte(c.line), &v); err != nil {
			t.Fatal(err)
		}
		if err := resolved.Validate(v); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.line, err)
		}
	}
}
