package importlog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"almanac/eval"
	"almanac/internal/workspace"
	"almanac/orchestrator/event"
	"almanac/scenarios"

	"github.com/google/go-cmp/cmp"
)

var hotDays = scenarios.Task{
	ID: "hot-days-2012", Template: "hot-days", Question: "How many days were hot in Seattle, and for how long?",
	Answer:   []scenarios.Field{{Key: "hot_days", Type: scenarios.Integer, Unit: "day"}, {Key: "longest_spell", Type: scenarios.Integer, Unit: "1"}},
	Expected: map[string]any{"hot_days": 18.0, "longest_spell": 7.0},
}

var letter = scenarios.Task{
	ID: "which", Template: "which", Question: "Which one?", Answer: []scenarios.Field{{Key: "choice", Type: scenarios.Text}}, Expected: map[string]any{"choice": "C"},
}

func opened(t testing.TB, text string, parse func(string, string) ([]Record, error)) []Record {
	t.Helper()
	records, err := parse("log", text)
	if err != nil {
		t.Fatal(err)
	}
	return records
}

func asOpenAI(path, text string) ([]Record, error) {
	r, err := read(path, []byte(text))
	if err != nil {
		return nil, err
	}
	return openAI(path, r)
}

func asInspect(path, text string) ([]Record, error) {
	r, err := read(path, []byte(text))
	if err != nil {
		return nil, err
	}
	return inspect(path, r)
}

// sink keeps events.
type sink struct {
	mu   sync.Mutex
	list []event.Event
}

func (s *sink) Emit(e event.Event) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := json.Marshal(e); err != nil {
		return 0, err
	}
	s.list = append(s.list, e)
	return int64(len(s.list)), nil
}

// played is the events of the first record of a task.
func played(t testing.TB, records []Record, task scenarios.Task) []event.Event {
	t.Helper()
	logs, err := Assign(records, []scenarios.Task{task})
	if err != nil {
		t.Fatal(err)
	}
	s := &sink{}
	if err := solver(t, logs[0]).Solve(context.Background(), eval.Job{Task: &eval.Task{Task: task}}, s); err != nil {
		t.Fatal(err)
	}
	return s.list
}

func solver(t testing.TB, log *Log) *Solver {
	t.Helper()
	w, err := workspace.Open(&workspace.Options{UserData: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return &Solver{Log: log, Tools: w.Tools, Env: w.DryEnv(), Put: func(data []byte) (string, error) { return fmt.Sprint(len(data)), nil }}
}

const openChat = `{"task": "hot-days-2012", "model": "m", "messages": [
 {"role": "user", "content": [{"type": "text", "text": "How many?"}, {"type": "image_url", "image_url": {"url": "x"}}]},
 {"role": "assistant", "content": null, "tool_calls": [
  {"id": "a", "type": "function", "function": {"name": "data_open", "arguments": "{\"dataset\": \"seattle_weather\", \"variable\": \"temperature_max\", \"period\": \"2012\"}"}}]},
 {"role": "tool", "tool_call_id": "a", "content": "366 values"},
 {"role": "assistant", "tool_calls": [{"id": "b", "function": {"name": "data.count_events", "arguments": {"series": "a.data", "comparison": "above", "threshold": 27}}},
  {"id": "c", "function": {"name": "no_tool", "arguments": "{\"x\": NaN}"}}, {"id": "d", "function": {"name": "gis.area", "arguments": "{\"place"}}]},
 {"role": "tool", "tool_call_id": "c", "content": "{\"error\": \"unknown tool\"}"},
 {"role": "tool", "tool_call_id": "b", "content": "18"},
 {"role": "assistant", "content": "hot_days: **18**\n- longest_spell = 7 \n"}], "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}}`

func TestOpenAIChatBecomesEvents(t *testing.T) {
	var calls []string
	var tokens int64
	var end *event.Answer
	results := map[string]string{}
	for _, e := range played(t, opened(t, openChat, asOpenAI), hotDays) {
		switch b := e.Body.(type) {
		case *event.ToolCall:
			calls = append(calls, fmt.Sprintf("%s %s valid %v, %d arguments", b.ID, b.Tool, b.Valid, len(b.Arguments)))
		case *event.ToolResult:
			results[b.Call] = fmt.Sprintf("%v %s", b.OK, b.Message)
		case *event.ModelReply:
			tokens += *b.Total
		case *event.Answer:
			end = b
		}
	}
	want := []string{"c1 data.open valid true, 5 arguments", "c2 data.count_events valid true, 4 arguments", "c3 no_tool valid false, 0 arguments", "c4 gis.area valid false, 0 arguments"}
	if diff := cmp.Diff(want, calls); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]string{"c1": "true ", "c2": "true ", "c3": "false unknown tool"}, results); diff != "" {
		t.Error(diff)
	}
	if tokens != 15 {
		t.Errorf("%d tokens", tokens)
	}
	if end == nil || end.Fields[0].Value != "18" || end.Fields[1].Value != "7" || end.Fields[0].Bound {
		t.Errorf("answer %+v", end)
	}
}

// A trimmed log as inspect_ai 0.3 writes it with its basic agent.
const inspectLog = `{"version": 2, "status": "success", "eval": {"task": "t", "model": "openai/gpt-x", "dataset": {}}, "samples": [
 {"id": "hot-days-2012", "epoch": 2, "input": "attachment://h1", "target": "18", "attachments": {"h1": "How many days were hot in Seattle, and for how long?"},
  "messages": [{"id": "1", "role": "user", "source": "input", "content": "attachment://h1"},
   {"role": "assistant", "source": "generate", "content": [{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": "I open"}], "tool_calls": [
    {"id": "x1", "function": "data_open", "arguments": {"dataset": "seattle_weather", "variable": "temperature_max"}, "type": "function"}]},
   {"role": "tool", "content": "", "tool_call_id": "x1", "function": "data_open", "error": {"type": "timeout", "message": "too slow"}},
   {"role": "assistant", "content": "", "tool_calls": [{"id": "x2", "function": "submit", "arguments": {"answer": "{\"hot_days\": 18, \"longest_spell\": {\"value\": 7, \"unit\": \"1\"}}"}}]},
   {"role": "tool", "content": "", "tool_call_id": "x2", "function": "submit"}],
  "output": {"model": "gpt-x", "choices": []}, "total_time": 9.5, "working_time": 4.25, "limit": null, "error": null,
  "model_usage": {"openai/gpt-x": {"input_tokens": 100, "output_tokens": 20, "total_tokens": 150, "input_tokens_cache_read": 30, "reasoning_tokens": 7}}}]}`

func TestInspectLogBecomesEvents(t *testing.T) {
	records := opened(t, inspectLog, asInspect)
	if r := records[0]; r.Repeat != 1 || r.Model != "openai/gpt-x" || r.Seconds != 4.25 || r.Question != hotDays.Question || *r.Usage.Prompt != 130 || *r.Usage.Total != 150 || *r.Usage.Thinking != 7 {
		t.Errorf("%+v %+v", r, r.Usage)
	}
	logs, err := Assign(records, []scenarios.Task{hotDays})
	if err != nil {
		t.Fatal(err)
	}
	if took := solver(t, logs[0]).Seconds(eval.Job{Task: &eval.Task{Task: hotDays}, Repeat: 1}); took != 4.25 {
		t.Errorf("it took %v s", took)
	}
	records[0].Repeat = 0
	failed := false
	for _, e := range played(t, records, hotDays) {
		switch b := e.Body.(type) {
		case *event.ToolResult:
			failed = !b.OK && b.Message == "too slow"
		case *event.Answer:
			if b.Fields[0].Value != 18.0 || b.Fields[1].Value != 7.0 || b.Fields[1].Unit != "1" {
				t.Errorf("answer %+v", b)
			}
		}
	}
	if !failed {
		t.Error("the failed call is not there")
	}
}

func TestAnswersThatAreRead(t *testing.T) {
	for _, c := range []struct {
		task scenarios.Task
		text string
		want string
	}{
		{hotDays, "```json\n{\"Hot_Days\": 3, \"longest_spell\": \"4\"}\n```", "3 4"},
		{hotDays, "So {\"hot_days\": 3}", "3 <nil>"},
		{hotDays, "There were 18 hot days, 7 in a row.", "<nil> <nil>"},
		{hotDays, "{\"hot_days\": null, \"longest_spell\": NaN}", "<nil> <nil>"},
		{hotDays, "{\"decline\": \"no data\"}", "declined"},
		{letter, "<Answer>C<Answer>", "C"},
		{letter, "It is B. <answer> C </Answer>", "C"},
		{letter, "Thought: hm\nANSWER: C", "C"},
		{letter, "**choice**: C", "C"},
		{letter, "C", "C"},
		{letter, "I rather think that it would be the third of the ones that you name there, C.", "<nil>"},
	} {
		got := fromText(c.text, c.task)
		var values []string
		for _, f := range got.Fields {
			values = append(values, fmt.Sprint(f.Value))
		}
		text := strings.Join(values, " ")
		if got.Declined {
			text = "declined"
		}
		if text != c.want {
			t.Errorf("%q: %s, want %s", c.text, text, c.want)
		}
	}
}

func TestFieldD10NullIsNoAnswer(t *testing.T) {
	for _, v := range []string{`null`, `""`, `NaN`, `Infinity`, `"no data"`} {
		task := scenarios.Task{ID: "x", Question: "q", Answer: []scenarios.Field{{Key: "n", Type: scenarios.Number, Unit: "1", AbsTol: 0.5}}, Expected: map[string]any{"n": 0.0}}
		text := `{"task": "x", "messages": [{"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "answer", "arguments": {"n": ` + v + `}}}]}]}`
		if s := eval.Score(eval.Task{Task: task}, played(t, opened(t, text, asOpenAI), task)); s.Success() || s.Fields[0].Hit {
			t.Errorf("%s counts as 0", v)
		}
	}
}

func TestFieldD12ErrorsOfTheSetupStayIn(t *testing.T) {
	s := eval.Score(eval.Task{Task: letter}, played(t, opened(t, `{"task": "which", "error": {"message": "context overflow"}, "messages": []}`, asOpenAI), letter))
	if s.Success() || len(s.Trace.Errors) != 1 || s.Trace.Errors[0].Harness {
		t.Errorf("%+v", s.Trace.Errors)
	}
	logs, err := Assign(opened(t, `{"task": "which", "messages": []}`, asOpenAI), []scenarios.Task{letter, hotDays})
	if err != nil {
		t.Fatal(err)
	}
	if err := solver(t, logs[0]).Solve(context.Background(), eval.Job{Task: &eval.Task{Task: hotDays}}, &sink{}); !errors.Is(err, ErrNoRecord) {
		t.Errorf("a task without a record: %v", err)
	}
}

func TestFieldD14OneRecordATask(t *testing.T) {
	records := opened(t, `{"task": "which", "repeat": 0, "messages": []}`+"\n"+`{"task": "which", "repeat": 0, "messages": []}`, asOpenAI)
	if _, err := Assign(records, []scenarios.Task{letter}); !errors.Is(err, ErrAssign) || !strings.Contains(err.Error(), "line 2") {
		t.Error(err)
	}
	for i := range records {
		records[i].Repeat = -1
	}
	if logs, err := Assign(records, []scenarios.Task{letter}); err != nil || logs[0].Repeats != 2 || logs[0].Count() != 2 {
		t.Errorf("%v, %v", logs, err)
	}
}

func TestFieldD19NoUsageIsUnknown(t *testing.T) {
	for _, e := range played(t, opened(t, `[{"role": "user", "content": "Which one?"}, {"role": "assistant", "content": "C"}]`, asOpenAI), letter) {
		if b, ok := e.Body.(*event.ModelReply); ok && (b.Total != nil || b.Prompt != nil) {
			t.Errorf("%+v", b)
		}
	}
}

func TestTaskIsFoundByQuestion(t *testing.T) {
	tasks := []scenarios.Task{hotDays, letter}
	for text, want := range map[string]string{
		`{"messages": [{"role": "user", "content": "which  ONE?"}]}`:                                                                                             "",
		`{"metadata": {"task": "which"}, "id": "chatcmpl-1", "messages": []}`:                                                                                    "",
		`{"id": "hot-days-2013", "messages": [{"role": "user", "content": "What?"}]}`:                                                                            `no task has the id "hot-days-2013" or asks "What?"; the nearest is hot-days-2012`,
		`{"messages": [{"role": "user", "content": "What?"}]}`:                                                                                                   `it has no id, and no task asks "What?"`,
		`{"messages": [{"role": "user", "content": "Which one? ` + hotDays.Question + `"}]}`:                                                                     "has the questions of hot-days-2012, which",
		`{"request": {"messages": [{"role": "user", "content": "Which one?"}]}, "response": {"choices": [{"message": {"role": "assistant", "content": "C"}}]}}`:  "",
		`{"custom_id": "which", "request": {"body": {"messages": []}}, "response": {"body": {"choices": [{"message": {"role": "assistant", "content": "C"}}]}}}`: "",
	} {
		_, err := Assign(opened(t, text, asOpenAI), tasks)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestMalformedLogsNameThePlace(t *testing.T) {
	for text, want := range map[string]string{
		"":                             "it holds no record",
		"{\"messages\": []}\n{\"messa": "line 2, column 8 (byte 24): expected the closing quote of a text",
		`{"messages": 3}`:              "record at line 1: not a log that can be read: messages: expected a list, found 3",
		"\n\n" + `{"messages": [{"role": "boss"}]}`: "record at line 3: not a log that can be read: messages[0].role: expected system, user, assistant or tool, found boss",
		`[{"x": 1}]`: "messages: expected a list, found nothing",
		`3`:          "the document: expected an object with messages",
		`{"messages": [{"role": "assistant", "tool_calls": [{"id": "a"}]}]}`:                                            "messages[0].tool_calls[0].function.name: expected the tool's name, found nothing",
		`{"messages": [{"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "f", "arguments": 3}}]}]}`: "arguments: expected JSON text or an object, found 3",
		`{"messages": [], "usage": {"prompt_tokens": -1}}`:                                                              "usage.prompt_tokens: expected a whole number, found -1",
		`{"messages": [{"role": "user", "content": 3}]}`:                                                                "messages[0].content: expected text or a list of parts",
	} {
		if _, err := asOpenAI("log", text); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), want) {
			t.Errorf("openai %q: %v, want %s", text, err, want)
		}
	}
	for text, want := range map[string]string{
		`[]`:                         "expected an inspect_ai log",
		`{"version": 3, "eval": {}}`: "version: expected version 2 of inspect_ai's log, found 3",
		`{"version": 2, "eval": {}}`: "samples: expected a list; the log was written without its samples",
		`{"version": 2, "eval": {}, "samples": []}`:                      "it holds no sample",
		`{"version": 2, "eval": {}, "samples": [{"id": [1]}]}`:           "samples[0].id: expected an id: text or a whole number, found a list",
		`{"version": 2, "eval": {}, "samples": [{"id": 1, "epoch": 0}]}`: "samples[0].epoch: expected an epoch from 1",
		`{"version": 2, "eval": {}, "samples": [{"id": 1, "messages": [{"role": "assistant", "tool_calls": [{"id": "a", "function": "f", "arguments": "x"}]}]}]}`: "samples[0].messages[0].tool_calls[0].arguments: expected an object, found x",
	} {
		if _, err := asInspect("log", text); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), want) {
			t.Errorf("inspect %q: %v, want %s", text, err, want)
		}
	}
	path := filepath.Join(t.TempDir(), "log.eval")
	if err := os.WriteFile(path, []byte("PK\x03\x04rest"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadInspect(path); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "inspect log convert") {
		t.Error(err)
	}
	if _, err := ReadOpenAI(path + "x"); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

func FuzzOpenAI(f *testing.F) {
	f.Add(openChat)
	f.Add(`[{"role": "user", "content": "Which one?"}, {"role": "assistant", "function_call": {"name": "decline", "arguments": "{}"}}]`)
	fuzz(f, asOpenAI)
}

func FuzzInspect(f *testing.F) {
	f.Add(inspectLog)
	f.Add(`{"version": 2, "eval": {"model": "m"}, "samples": [{"id": 1, "epoch": 1, "input": "Which one?", "limit": {"type": "token"}, "messages": [{"role": "assistant", "content": "C"}]}]}`)
	fuzz(f, asInspect)
}

// Whatever is read can be played, or is refused as no log.
func fuzz(f *testing.F, parse func(string, string) ([]Record, error)) {
	s := solver(f, nil)
	f.Fuzz(func(t *testing.T, text string) {
		records, err := parse("log", text)
		if err != nil {
			if !errors.Is(err, ErrFormat) {
				t.Fatal(err)
			}
			return
		}
		for i := range records {
			s.Log = &Log{records: map[string]map[int]*Record{letter.ID: {0: &records[i]}}}
			out := &sink{}
			if err := s.Solve(t.Context(), eval.Job{Task: &eval.Task{Task: letter}}, out); err != nil && !errors.Is(err, ErrNoRecord) {
				t.Fatal(err)
			}
			eval.Score(eval.Task{Task: letter}, out.list)
		}
	})
}
