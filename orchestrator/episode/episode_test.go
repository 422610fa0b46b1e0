package episode_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"almanac/orchestrator/episode"
	"almanac/orchestrator/event"
	"almanac/orchestrator/schedule"
	"almanac/toolkits"
	"almanac/toolkits/artifact"
	"almanac/toolkits/cftime"
	"almanac/toolkits/series"
	"almanac/toolkits/toolstest"
)

type sink struct {
	mu     sync.Mutex
	events []event.Event
}

func (s *sink) Emit(e event.Event) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, e)
	return int64(len(s.events)), nil
}

type appendIn struct {
	Line string `arg:"line" doc:"what to append"`
}

type appendOut struct {
	Lines int `out:"lines" unit:"1" doc:"lines that the file has now"`
}

type pickIn struct {
	Series *series.Series `arg:"series" doc:"a series"`
	Period cftime.Period  `arg:"period,optional" doc:"steps to look at"`
}

type pickOut struct {
	Mean  toolkits.Quantity `out:"mean" unit:"@series" doc:"mean"`
	Valid int               `out:"valid_cells" unit:"1" doc:"cells with a value"`
}

type openIn struct {
	Period cftime.Period `arg:"period,optional" doc:"steps to open"`
}

type openOut struct {
	Data  *series.Series `out:"data" unit:"?" doc:"the series"`
	Count int            `out:"count" unit:"1" doc:"values"`
}

// file is what a writing tool writes to.
type file struct {
	lines []string
	valid int
}

func (f *file) tools() []*toolkits.Tool {
	doc := toolkits.Doc{Group: "Test", Purpose: "for tests"}
	writes := doc
	writes.Effect = toolkits.Writes
	return []*toolkits.Tool{
		toolkits.New("lab.append", func(_ context.Context, in appendIn) (appendOut, error) {
			f.lines = append(f.lines, in.Line)
			return appendOut{len(f.lines)}, nil
		}, writes),
		toolkits.New("lab.open", func(_ context.Context, _ openIn) (openOut, error) {
			s := toolstest.Series("degC", "day", toolstest.Days(2015, 1, 1, 10), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
			return openOut{s, s.Len()}, nil
		}, doc),
		toolkits.New("lab.pick", func(_ context.Context, in pickIn) (pickOut, error) {
			return pickOut{toolkits.Quantity{Value: 1, Unit: in.Series.Unit}, f.valid}, nil
		}, doc),
	}
}

func start(t *testing.T, f *file, req episode.Request, opts episode.Options) (*episode.Episode, *sink) {
	t.Helper()
	reg, err := toolkits.NewRegistry(f.tools()...)
	if err != nil {
		t.Fatal(err)
	}
	s := &sink{}
	opts.ID = "e"
	return episode.New(req, reg, toolstest.NewEnv(t), s, opts), s
}

func text(s string) map[string]toolkits.Value {
	return map[string]toolkits.Value{"line": {Kind: toolkits.KindString, Text: s}}
}

// An attempt that died after two writes: the next one finds them in the log and does not write again.
func TestFieldB20WritesAreReplayed(t *testing.T) {
	f := &file{}
	first, log := start(t, f, episode.Request{}, episode.Options{})
	replayed := map[string]*toolkits.Result{}
	for _, line := range []string{"1", "2"} {
		res, err := first.Call(context.Background(), episode.Spec{ID: "c" + line, Tool: "lab.append", Args: text(line)})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range log.events {
			if c, ok := e.Body.(*event.ToolCall); ok && c.ID == "c"+line {
				replayed[c.Key] = res
			}
		}
	}
	second, _ := start(t, f, episode.Request{}, episode.Options{Replayed: replayed})
	for _, line := range []string{"1", "2", "3"} {
		if _, err := second.Call(context.Background(), episode.Spec{ID: "c" + line, Tool: "lab.append", Args: text(line)}); err != nil {
			t.Fatal(err)
		}
	}
	if got := strings.Join(f.lines, ""); got != "123" {
		t.Errorf("the file holds %q", got)
	}
}

// A call that is made again is answered from its result: it is in the log, and nothing is written twice.
func TestCallMadeAgain(t *testing.T) {
	f := &file{}
	ep, log := start(t, f, episode.Request{}, episode.Options{})
	if err := ep.Again("r1", "c1"); err == nil {
		t.Error("a call was repeated that nobody made")
	}
	if _, err := ep.Call(context.Background(), episode.Spec{ID: "c1", Tool: "lab.append", Args: text("1")}); err != nil {
		t.Fatal(err)
	}
	if err := ep.Again("r1", "c1"); err != nil {
		t.Fatal(err)
	}
	if len(f.lines) != 1 || len(log.events) != 4 {
		t.Fatalf("%d lines written, %d events", len(f.lines), len(log.events))
	}
	first, again := log.events[0].Body.(*event.ToolCall), log.events[2].Body.(*event.ToolCall)
	result := log.events[3].Body.(*event.ToolResult)
	if again.ID != "r1" || again.Key != first.Key || !again.Memo || first.Memo || result.Call != "r1" || !result.OK || len(result.Outputs) != 1 {
		t.Errorf("%+v, %+v", again, result)
	}
}

// An answer is given once; a second one changes nothing.
func TestFieldB22AnsweredOnce(t *testing.T) {
	ep, log := start(t, &file{}, episode.Request{Contract: schedule.Contract{{Key: "x", Type: "number"}}}, episode.Options{})
	if err := ep.Answer("a", []event.AnswerField{{Key: "x", Value: 1.0}}); err != nil {
		t.Fatal(err)
	}
	n := len(log.events)
	if err := ep.Answer("a", []event.AnswerField{{Key: "x", Value: 2.0}}); !errors.Is(err, episode.ErrEnded) {
		t.Errorf("%v", err)
	}
	if err := ep.Decline("a", "r", nil); !errors.Is(err, episode.ErrEnded) {
		t.Errorf("%v", err)
	}
	if len(log.events) != n || ep.Given().Fields[0].Value != 1.0 || ep.Outcome() != event.Answered {
		t.Errorf("%d events after %d, answer %+v", len(log.events), n, ep.Given())
	}
}

type statesAll struct{}

func (statesAll) Number(float64, string) bool { return true }
func (statesAll) Period(string) bool          { return true }

// The engine checks unit and coverage of what it binds, and logs what it found.
func TestEngineChecks(t *testing.T) {
	for name, tt := range map[string]struct {
		period, unit string
		valid        int
		failed       string
	}{
		"all well":             {"2015-01-02/2015-01-03", "K", 4, ""},
		"unit":                 {"2015-01-02", "mm", 4, "unit"},
		"dates before":         {"2014", "K", 4, "coverage"},
		"dates beyond":         {"2015-01-02/2016-05-01", "K", 4, "coverage"},
		"no valid cell inside": {"", "K", 0, "coverage"},
	} {
		t.Run(name, func(t *testing.T) {
			f := &file{valid: tt.valid}
			ep, log := start(t, f, episode.Request{Contract: schedule.Contract{{Key: "x", Type: "number", Unit: tt.unit}}}, episode.Options{Stated: statesAll{}})
			args := map[string]toolkits.Value{"series": stored(t, ep)}
			if tt.period != "" {
				args["period"] = toolkits.Value{Kind: toolkits.KindString, Text: tt.period}
			}
			res, err := ep.Call(context.Background(), episode.Spec{ID: "c1", Tool: "lab.pick", Args: args})
			if err != nil {
				t.Fatal(err)
			}
			v, _ := res.Get("mean")
			field := event.AnswerField{Key: "x", Value: v.Plain(), Unit: v.Unit, Call: "c1", Output: "mean", Artifact: string(v.Hash)}
			if err := ep.Answer("a", []event.AnswerField{field}); err != nil {
				t.Fatal(err)
			}
			failed := ""
			for _, e := range log.events {
				if c, ok := e.Body.(*event.Check); ok && !c.Passed {
					if failed = c.Name; c.By != "engine" || len(c.Unbinds) != 1 || c.Unbinds[0] != "x" {
						t.Errorf("%+v", c)
					}
				}
			}
			got := ep.Given().Fields[0]
			if failed != tt.failed || got.Bound != (tt.failed == "") || got.Value == nil {
				t.Errorf("failed check %q, field %+v", failed, got)
			}
		})
	}
}

// A call that opens a record is given no artifact: what it made shows how much of the period the record has. The record
// of the tool begins with 2015.
func TestEngineChecksWhatWasOpened(t *testing.T) {
	for period, bound := range map[string]bool{"2015": true, "2015-01-01/2015-01-10": true, "2013/2015": false, "2015/2017": false} {
		ep, _ := start(t, &file{}, episode.Request{Contract: schedule.Contract{{Key: "n", Type: "number", Unit: "1"}}}, episode.Options{Stated: statesAll{}})
		args := map[string]toolkits.Value{"period": {Kind: toolkits.KindString, Text: period}}
		res, err := ep.Call(context.Background(), episode.Spec{ID: "c1", Tool: "lab.open", Args: args})
		if err != nil {
			t.Fatal(err)
		}
		n, _ := res.Get("count")
		field := event.AnswerField{Key: "n", Value: n.Plain(), Unit: n.Unit, Call: "c1", Output: "count", Artifact: string(n.Hash)}
		if err := ep.Answer("a", []event.AnswerField{field}); err != nil {
			t.Fatal(err)
		}
		if got := ep.Given().Fields[0]; got.Bound != bound {
			t.Errorf("%s: %+v", period, got)
		}
	}
}

// stored is a series of the first ten days of 2015, as if a call had made it.
func stored(t *testing.T, ep *episode.Episode) toolkits.Value {
	t.Helper()
	s := toolstest.Series("degC", "day", toolstest.Days(2015, 1, 1, 10), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
	meta, err := ep.Env().Store.Put(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	return toolkits.Value{Kind: artifact.KindSeries, Hash: meta.Hash, Unit: "degC"}
}

func TestParameterCount(t *testing.T) {
	for size, want := range map[string]float64{"1.5B": 1.5e9, "494.03M": 494.03e6, "7b": 7e9, "": 0, "large": 0, "B": 0} {
		if got := episode.ParameterCount(size); got != want {
			t.Errorf("%q: %v, want %v", size, got, want)
		}
	}
}
