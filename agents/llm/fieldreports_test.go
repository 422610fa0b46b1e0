package llm_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"almanac/agents/llm"
	"almanac/agents/llm/exchange"
	"almanac/agents/llm/scripted"
)

// The tests in this file and its neighbours are named by the field reports
// that they answer. Each has the report's own input, others of its kind, and
// opposites that must stay as they are.

func tool(name, schema string) llm.ToolSpec {
	return llm.ToolSpec{Name: name, Description: "does " + name, Schema: json.RawMessage(schema)}
}

var fieldTools = []llm.ToolSpec{
	tool("slice_lat", `{"type":"object","properties":{"lo":{"type":"number"},"hi":{"type":"number"}},"required":["lo","hi"],"additionalProperties":false}`),
	tool("mean_of", `{"type":"object","properties":{"layer":{"type":"string"},"years":{"type":"array","items":{"type":"integer"}}},"required":["layer"],"additionalProperties":false}`),
	tool("drop_all", `{"type":"object","properties":{}}`),
	tool("now", `{"type":"object","properties":{},"additionalProperties":false}`),
	tool("add", `{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"required":["a","b"]}`),
	tool("get", `{"type":"object","properties":{"id":{"type":"integer"}},"required":["id"]}`),
	tool("buffer", `{"type":"object","properties":{"distance":{"type":["number","string"]},"zones":{"type":["string","object"]},"note":{"type":"string"}}}`),
	tool("clip", `{"type":"object","properties":{"bbox":{"type":"object","properties":{"west":{"type":"number"},"east":{"type":"number"}}},"note":{"type":"string"},"bands":{"type":"array","items":{"type":"integer"}}}}`),
	tool("draw", `{"type":"object","properties":{"layers":{"type":"array","items":{"type":"string"}},"mask":{"type":"boolean"},"limit":{"type":"integer"},"title":{"type":"string"}},"required":["layers"]}`),
	tool("log_note", `{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`),
	tool("find", `{"type":"object","properties":{"query":{"type":"string"}},"required":["query"]}`),
	tool("gis.area", `{"type":"object","properties":{"place":{"type":"string"},"unit":{"type":"string","enum":["km2","ha"]}},"required":["place"]}`),
}

// once wraps a script without re-asks, so that a reply is seen as it is read.
func once(t *testing.T, replies ...scripted.Reply) llm.Model {
	t.Helper()
	m, err := exchange.New(scripted.New("scripted:field", &scripted.Script{Replies: replies}), &exchange.Options{Reasks: -1, Retries: -1})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func ask(tools ...llm.ToolSpec) *llm.Request {
	return &llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: "go on"}}, Tools: tools}
}

// read gives what a reply is read as: its calls, one a line, or "text: …", or
// "error: reason".
func read(t *testing.T, r scripted.Reply) string {
	t.Helper()
	resp, err := once(t, r).Generate(t.Context(), ask(fieldTools...))
	if err != nil {
		return "error: " + llm.AsError(err).Reason
	}
	if len(resp.Message.ToolCalls) == 0 {
		return "text: " + resp.Message.Content
	}
	return callLines(resp.Message.ToolCalls)
}

func callLines(calls []llm.ToolCall) string {
	var lines []string
	for _, c := range calls {
		line := fmt.Sprintf("%s %s", c.Name, c.Arguments)
		if c.Problem != "" {
			line = "problem: " + c.Problem
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func native(name, args string) scripted.Reply {
	return scripted.Reply{Calls: []scripted.Call{{Name: name, Arguments: json.RawMessage(args)}}}
}

func content(s string) scripted.Reply { return scripted.Reply{Content: s} }

type reading struct {
	name  string
	reply scripted.Reply
	want  string
}

func checkReadings(t *testing.T, readings []reading) {
	t.Helper()
	for _, tt := range readings {
		t.Run(tt.name, func(t *testing.T) {
			if got := read(t, tt.reply); got != tt.want {
				t.Errorf("read as\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

const sst = `mean_of {"layer":"sst"}`

func TestFieldA01CallAsText(t *testing.T) {
	const want = `slice_lat {"hi":10,"lo":-10}`
	example := `You can restrict it, for example:` + "\n" + `{"name":"slice_lat","arguments":{"lo":-10,"hi":10}}`
	checkReadings(t, []reading{
		{"as reported", content(`{"name":"slice_lat","arguments":{"lo":-10,"hi":10}}`), want},
		{"blanks around", content("\n\n {\"name\": \"slice_lat\", \"arguments\": {\"lo\": -10, \"hi\": 10}} \n"), want},
		{"wrapped in type and function", content(`{"type":"function","function":{"name":"slice_lat","arguments":{"lo":-10,"hi":10}}}`), want},
		{"list of two", content(`[{"name":"mean_of","arguments":{"layer":"sst"}},{"name":"now","arguments":{}}]`), sst + "\nnow {}"},
		{"two in a row", content(`{"name":"mean_of","arguments":{"layer":"sst"}}` + "\n" + `{"name":"now","arguments":{}}`), sst + "\nnow {}"},
		{"tool_calls", content(`{"tool_calls":[{"function":{"name":"mean_of","arguments":"{\"layer\":\"sst\"}"}}]}`), sst},
		{"action and input", content(`{"action":"mean_of","action_input":{"layer":"sst"}}`), sst},
		{"keyed by the tool", content(`{"mean_of":{"layer":"sst"}}`), sst},
		{"intention before it", content("I will look at the mean first.\n\n{\"name\":\"mean_of\",\"arguments\":{\"layer\":\"sst\"}}"), sst},
		{"python form", content(`mean_of(layer="sst", years=[1990, 1991])`), `mean_of {"layer":"sst","years":[1990,1991]}`},
		{"python list", content(`[mean_of(layer='sst'), now()]`), sst + "\nnow {}"},
		{"arguments beside the tool", content(`{"tool":"gis.area","place":"Kenya","unit":"km2"}`), `gis.area {"place":"Kenya","unit":"km2"}`},
		{"action lines", content("Thought: I need the mean.\nAction: mean_of\nAction Input: {\"layer\": \"sst\"}\nObservation: 12.4"), sst},
		{"python form around an object", content(`mean_of({"layer": "sst"})`), sst},
		{"parallel uses", content(`{"tool_uses":[{"recipient_name":"functions.mean_of","parameters":{"layer":"sst"}}]}`), sst},
		// not calls
		{"an example in prose", content(example), "text: " + example},
		{"within a sentence", content(`Use {"name":"now","arguments":{}} to ask for the time.`), `text: Use {"name":"now","arguments":{}} to ask for the time.`},
		{"a report of a call made", content("The mean is 12.4. This call was made:\n{\"name\":\"mean_of\",\"arguments\":{\"layer\":\"sst\"}}"),
			"text: The mean is 12.4. This call was made:\n{\"name\":\"mean_of\",\"arguments\":{\"layer\":\"sst\"}}"},
		{"a question", content("{\"name\":\"now\",\"arguments\":{}}\nShall I?"), "text: {\"name\":\"now\",\"arguments\":{}}\nShall I?"},
		{"data with a name", content(`{"name":"Nairobi","population":4}`), `text: {"name":"Nairobi","population":4}`},
		{"a record with the result", content(`{"name":"mean_of","arguments":{"layer":"sst"},"result":12.4}`), `text: {"name":"mean_of","arguments":{"layer":"sst"},"result":12.4}`},
		{"the declaration repeated", content(`{"name":"mean_of","parameters":{"type":"object","properties":{"layer":{"type":"string"}}}}`),
			`text: {"name":"mean_of","parameters":{"type":"object","properties":{"layer":{"type":"string"}}}}`},
		{"data beside a tool's name", content(`{"tool":"gis.area","place":"Kenya","km2":580000}`), `text: {"tool":"gis.area","place":"Kenya","km2":580000}`},
		{"an action that is no tool's", content("Action: wait\nAction Input: {}"), "text: Action: wait\nAction Input: {}"},
		{"a plain list", content(`[1, 2, 3]`), `text: [1, 2, 3]`},
		{"python in a sentence", content(`I suggest mean_of(layer="sst").`), `text: I suggest mean_of(layer="sst").`},
	})
}

func TestFieldA01IsMarkedRepairedAndCounted(t *testing.T) {
	resp, err := once(t, content(`{"name":"slice_lat","arguments":{"lo":-10,"hi":10}}`)).Generate(t.Context(), ask(fieldTools...))
	if err != nil {
		t.Fatal(err)
	}
	c := resp.Message.ToolCalls[0]
	if c.Obtained != llm.ObtainedRepaired || !slices.Equal(resp.Repairs, []string{"text_call"}) || resp.Message.Content != "" || resp.Finish != llm.FinishTools {
		t.Errorf("call %+v, repairs %v, content %q, finish %s", c, resp.Repairs, resp.Message.Content, resp.Finish)
	}
}

// Without tools in the request the same text is an answer.
func TestFieldA01TextWithoutToolsStaysText(t *testing.T) {
	const text = `{"name":"slice_lat","arguments":{"lo":-10,"hi":10}}`
	resp, err := once(t, content(text)).Generate(t.Context(), ask())
	if err != nil || resp.Message.Content != text || len(resp.Message.ToolCalls) != 0 {
		t.Errorf("reply = %+v, %v", resp, err)
	}
}

func TestFieldA03TaggedCall(t *testing.T) {
	checkReadings(t, []reading{
		{"as reported", content("Checking.\n<tool_call>\n{\"name\":\"mean_of\",\"arguments\":{\"layer\":\"sst\"}}\n</tool_call>"), sst},
		{"function tag", content(`<function=mean_of>{"layer":"sst"}</function>`), sst},
		{"function tag, parameters", content("<tool_call>\n<function=mean_of>\n<parameter=layer>\nsst\n</parameter>\n<parameter=years>\n[1990]\n</parameter>\n</function>\n</tool_call>"), `mean_of {"layer":"sst","years":[1990]}`},
		{"invoke", content(`<function_calls><invoke name="mean_of"><parameter name="layer">sst</parameter></invoke></function_calls>`), sst},
		{"tools tag", content("<tools>\n{\"name\": \"mean_of\", \"arguments\": {\"layer\": \"sst\"}}\n</tools>"), sst},
		{"bracket tag", content(`[TOOL_CALLS] [{"name":"mean_of","arguments":{"layer":"sst"}}]`), sst},
		{"python tag", content(`<|python_tag|>{"name":"mean_of","parameters":{"layer":"sst"}}`), sst},
		{"key and value tags", content("<tool_call>mean_of\n<arg_key>layer</arg_key>\n<arg_value>sst</arg_value>\n</tool_call>"), sst},
		{"full-width tags", content("<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>mean_of\n```json\n{\"layer\":\"sst\"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>"), sst},
		{"not closed", content("<tool_call>\n{\"name\":\"mean_of\",\"arguments\":{\"layer\":\"sst\"}}"), sst},
		{"two", content("<tool_call>{\"name\":\"mean_of\",\"arguments\":{\"layer\":\"sst\"}}</tool_call>\n<tool_call>{\"name\":\"now\",\"arguments\":{}}</tool_call>"), sst + "\nnow {}"},
		{"closed by another opening tag", content("<tool_call>{\"name\":\"mean_of\",\"arguments\":{\"layer\":\"sst\"}}<tool_call>"), sst},
		{"python form in a tag", content("<tool_call>mean_of(layer='sst')</tool_call>"), sst},
		{"name in brackets", content(`<function(mean_of)>{"layer":"sst"}</function>`), sst},
		{"name without an end", content(`<function=mean_of{"layer":"sst"}</function>`), sst},
		{"name as an attribute", content(`<tool_call name="mean_of">{"layer":"sst"}</tool_call>`), sst},
		{"the tool as a tag", content("Checking.\n<mean_of>\n<layer>sst</layer>\n</mean_of>"), sst},
		{"name before JSON", content(`[TOOL_CALLS]mean_of[ARGS]{"layer":"sst"}`), sst},
		{"a channel", content(`<|channel|>commentary to=functions.mean_of <|constrain|>json<|message|>{"layer":"sst"}<|call|>`), sst},
		{"in a fence", content("```xml\n<tool_call>{\"name\":\"mean_of\",\"arguments\":{\"layer\":\"sst\"}}</tool_call>\n```"), sst},
		// not calls
		{"a tag that is spoken of", content("The <tool_call> tag begins a call."), "text: The <tool_call> tag begins a call."},
		{"in inline code", content("Write `<tool_call>{\"name\":\"now\",\"arguments\":{}}</tool_call>` to ask."), "text: Write `<tool_call>{\"name\":\"now\",\"arguments\":{}}</tool_call>` to ask."},
		{"led in as an example", content("For example:\n<tool_call>{\"name\":\"now\",\"arguments\":{}}</tool_call>"), "text: For example:\n<tool_call>{\"name\":\"now\",\"arguments\":{}}</tool_call>"},
	})
}

func TestFieldA03ProseIsAComment(t *testing.T) {
	resp, err := once(t, content("Checking.\n<tool_call>\n{\"name\":\"mean_of\",\"arguments\":{\"layer\":\"sst\"}}\n</tool_call>")).Generate(t.Context(), ask(fieldTools...))
	if err != nil || resp.Message.Content != "Checking." || len(resp.Message.ToolCalls) != 1 {
		t.Errorf("message = %+v, %v", resp, err)
	}
}

func TestFieldA13CodeFence(t *testing.T) {
	schema := json.RawMessage(`{"type":"object","properties":{"steps":{"type":"array"}},"required":["steps"]}`)
	for _, text := range []string{
		"```json\n{\"steps\":[]}\n```", "```\n{\"steps\":[]}\n```", "```JSON\n{\"steps\": [],}\n```\n", "`{\"steps\":[]}`", "```json {\"steps\":[]}```",
		"Here is the plan:\n```json\n{\"steps\":[]}\n```\nIt has no steps.", "{\"steps\":[]}\n\nThat is all.",
	} {
		req := ask()
		req.Schema = schema
		resp, err := once(t, content(text)).Generate(t.Context(), req)
		if err != nil || resp.Message.Content != `{"steps":[]}` || len(resp.Attempts) != 1 {
			t.Errorf("%q: %+v, %v", text, resp, err)
		}
	}
	for _, text := range []string{"There is no plan.", "{\"steps\":[]} or {\"steps\":[1]}", "```json\n```"} {
		req := ask()
		req.Schema = schema
		if resp, err := once(t, content(text)).Generate(t.Context(), req); !errors.Is(err, llm.ErrSchema) {
			t.Errorf("%q: %+v, %v, want a schema error", text, resp, err)
		}
	}
	checkReadings(t, []reading{
		{"a call", content("```json\n{\"name\":\"mean_of\",\"arguments\":{\"layer\":\"sst\"}}\n```"), sst},
		{"two fences", content("```json\n{\"name\":\"mean_of\",\"arguments\":{\"layer\":\"sst\"}}\n```\n```json\n{\"name\":\"now\",\"arguments\":{}}\n```"), sst + "\nnow {}"},
		{"intention before it", content("To find the mean:\n```json\n{\"name\":\"mean_of\",\"arguments\":{\"layer\":\"sst\"}}\n```"), sst},
		{"not closed", content("```json\n{\"name\":\"mean_of\",\"arguments\":{\"layer\":\"sst\"}}\n"), sst},
		{"code of something else", content("```python\nprint(1)\n```"), "text: ```python\nprint(1)\n```"},
	})
}

func TestFieldA15NearlyJSON(t *testing.T) {
	quoted := func(s string) string {
		data, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	checkReadings(t, []reading{
		{"trailing commas", native("mean_of", quoted(`{"layer":"sst","years":[1990,1991,],}`)), `mean_of {"layer":"sst","years":[1990,1991]}`},
		{"stray bracket", native("mean_of", quoted(`{"layer":"sst"}]`)), sst},
		{"stray brackets in text", content(`{"name":"mean_of","arguments":{"layer":"sst"}}}]`), sst},
		{"a stray bracket in the middle", content(`{"name":"mean_of","arguments":{"layer":"sst"}]}`), sst},
		{"a bracket missing in text", content(`{"name":"mean_of","arguments":{"layer":"sst"}`), sst},
		{"bare keys", native("mean_of", quoted(`{layer: "sst"}`)), sst},
		{"comment", native("mean_of", quoted("{\"layer\":\"sst\" // sea surface\n}")), sst},
		{"a comment's marks inside text", native("find", quoted(`{"query":"http://x #1"}`)), `find {"query":"http://x #1"}`},
		{"a line break inside text", native("log_note", quoted("{\"text\":\"a\nb\"}")), `log_note {"text":"a\nb"}`},
		{"an escape that there is not", native("find", quoted(`{"query":"\d+"}`)), `find {"query":"\\d+"}`},
		{"a list closed by the wrong bracket is refused", native("mean_of", quoted(`{"layer":"sst","years":[1990}`)), `problem: mean_of: the arguments are not JSON: expected a comma or ] at byte 28`},
		{"a comma missing is refused", native("add", quoted(`{"a":1 "b":2}`)), `problem: add: the arguments are not JSON: expected a comma or } at byte 7`},
		{"two values for one key are refused", native("add", quoted(`{"a":1,"a":2,"b":3}`)), `problem: add: the arguments are not JSON: the key "a" occurs twice with different values at byte 12`},
		{"a leading zero is refused", native("add", quoted(`{"a":010,"b":3}`)), `problem: add: the arguments are not JSON: no number: "010" at byte 5`},
	})
}

func TestFieldA16BraceInString(t *testing.T) {
	checkReadings(t, []reading{
		{"as reported", content(`{"name":"log_note","parameters":{"text":"a } b { c"}}`), `log_note {"text":"a } b { c"}`},
		{"brackets and quotes", content(`{"name":"log_note","parameters":{"text":"]]}}\" , {"}}`), `log_note {"text":"]]}}\" , {"}`},
		{"tags", content(`<tool_call>{"name":"log_note","arguments":{"text":"</tool_call> {"}}</tool_call>`), `log_note {"text":"</tool_call> {"}`},
		{"a fence", content("{\"name\":\"log_note\",\"arguments\":{\"text\":\"``` }\"}}"), "log_note {\"text\":\"``` }\"}"},
	})
}

func TestFieldA18ThinkBlock(t *testing.T) {
	checkReadings(t, []reading{
		{"as reported", content(`<think>maybe {"name":"drop_all","arguments":{}}</think>{"name":"mean_of","arguments":{"layer":"sst"}}`), sst},
		{"not closed", content(`<think>still working on {"name":"drop_all","arguments":{}}`), "error: unclosed_thinking"},
		{"a tagged call in thoughts", content("<think>\n<tool_call>{\"name\":\"drop_all\",\"arguments\":{}}</tool_call>\n</think>\nDone."), "text: Done."},
		{"another tag's name", content("<thinking>{\"name\":\"drop_all\",\"arguments\":{}}</thinking>\nDone."), "text: Done."},
		{"opened by the template", content("{\"name\":\"drop_all\",\"arguments\":{}}\n</think>\nDone."), "text: Done."},
		{"the closing tag mentioned in thoughts", content(`<think>I end with </think> and then {"name":"drop_all","arguments":{}}</think>Done.`), "text: Done."},
		{"the closing tag inside an argument", content(`<think>x</think>{"name":"log_note","arguments":{"text":"</think> ends it"}}`), `log_note {"text":"</think> ends it"}`},
		{"the tag spoken of in an answer", content("Thoughts end with </think> there."), "text: Thoughts end with </think> there."},
		{"thoughts after a word", content("Okay.\n<think>\n{\"name\":\"drop_all\",\"arguments\":{}}\n</think>\n{\"name\":\"mean_of\",\"arguments\":{\"layer\":\"sst\"}}"), sst},
		{"thoughts in the middle of a line", content("Okay. <think>\n{\"name\":\"drop_all\",\"arguments\":{}}\n</think>"), "text: Okay."},
		{"thoughts twice", content("<think>a</think>\n<think>{\"name\":\"drop_all\",\"arguments\":{}}</think>\nDone."), "text: Done."},
		{"other marks", content("[THINK]{\"name\":\"drop_all\",\"arguments\":{}}[/THINK]Done."), "text: Done."},
		{"an answer, then thoughts without an end", content("Done.\n<think>\n{\"name\":\"drop_all\",\"arguments\":{}}"), "text: Done."},
		{"nothing but thoughts", content("<think>done</think>"), "error: empty_reply"},
	})
}

func TestFieldA18ThoughtsAreKeptApart(t *testing.T) {
	resp, err := once(t, content("<think>first</think>12.4")).Generate(t.Context(), ask())
	if err != nil || resp.Message.Thinking != "first" || resp.Message.Content != "12.4" {
		t.Errorf("message = %+v, %v", resp, err)
	}
}

func TestFieldA20MadeUpTool(t *testing.T) {
	var names []string
	for _, tool := range fieldTools {
		names = append(names, tool.Name)
	}
	want := `there is no tool "quickjs"; there are: ` + strings.Join(names, ", ")
	resp, err := once(t, native("quickjs", `{"code":"1+1"}`)).Generate(t.Context(), ask(fieldTools...))
	if err != nil {
		t.Fatal(err)
	}
	if c := resp.Message.ToolCalls[0]; c.ProblemKind != llm.ProblemUnknownTool || c.Problem != want {
		t.Errorf("call %+v", c)
	}
	checkReadings(t, []reading{
		{"in text", content(`{"name":"quickjs","arguments":{}}`), "problem: " + want},
		{"in a tag", content(`<tool_call>{"name":"quickjs","arguments":{}}</tool_call>`), "problem: " + want},
		{"another separator", native("gis_area", `{"place":"Kenya"}`), `gis.area {"place":"Kenya"}`},
		{"a prefix and case", native("functions.Mean_Of", `{"layer":"sst"}`), sst},
		{"a part of a name is not enough", native("area", `{"place":"Kenya"}`), `problem: there is no tool "area"; there are: ` + strings.Join(names, ", ")},
	})
}

func TestFieldA26ToolChoice(t *testing.T) {
	req := ask(fieldTools...)
	req.ToolChoice = llm.ToolChoiceRequired
	m, err := exchange.New(scripted.New("scripted:field", &scripted.Script{Replies: []scripted.Reply{content("I would rather talk."), native("now", "{}")}}), nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := m.Generate(t.Context(), req)
	if err != nil || callLines(resp.Message.ToolCalls) != "now {}" || len(resp.Attempts) != 2 || resp.Attempts[0].Reason != llm.ReasonToolChoice || !resp.Attempts[1].Reasked {
		t.Errorf("required: %+v, %v", resp, err)
	}
	stubborn, err := exchange.New(scripted.New("scripted:field", &scripted.Script{Replies: []scripted.Reply{content("no"), content("still no"), native("now", "{}")}}), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := stubborn.Generate(t.Context(), req); !errors.Is(err, llm.ErrToolChoice) || len(llm.AsError(err).Attempts) != 2 {
		t.Errorf("required, never given: %v", err)
	}
	req.ToolChoice = llm.ToolChoiceNone
	resp, err = once(t, scripted.Reply{Content: "The mean is 12.4.", Calls: []scripted.Call{{Name: "now", Arguments: json.RawMessage("{}")}}}).Generate(t.Context(), req)
	if err != nil || len(resp.Message.ToolCalls) != 0 || resp.Message.Content != "The mean is 12.4." || !strings.Contains(strings.Join(resp.Notes, " "), "a call of now was dropped") {
		t.Errorf("none: %+v, %v", resp, err)
	}
	if _, err := once(t, native("now", "{}")).Generate(t.Context(), req); !errors.Is(err, llm.ErrToolChoice) {
		t.Errorf("none, and nothing but a call: %v", err)
	}
}

func TestFieldA36TruncatedCall(t *testing.T) {
	save := tool("save", `{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`)
	cut := scripted.Reply{Finish: llm.FinishTools, Calls: []scripted.Call{{Name: "save", Arguments: json.RawMessage(`"{\"path\":\"out.c"`)}}}
	for name, r := range map[string]scripted.Reply{
		"as reported":           cut,
		"after a whole value":   {Finish: llm.FinishTools, Calls: []scripted.Call{{Name: "save", Arguments: json.RawMessage(`"{\"path\":\"out.csv\""`)}}},
		"as text":               {Finish: llm.FinishLength, Content: `{"name":"save","arguments":{"path":"out.c`},
		"as text, only closers": {Finish: llm.FinishLength, Content: `{"name":"save","arguments":{"path":"out.csv"}`},
		"in a tag":              {Finish: llm.FinishLength, Content: `<tool_call>{"name":"save","arguments":{"path":"ou`},
		"in a fence":            {Finish: llm.FinishLength, Content: "```json\n{\"name\":\"save\",\"arguments\":{\"path\":\"ou"},
		"in python form":        {Finish: llm.FinishLength, Content: `save(path="out.c`},
		"within a number":       {Finish: llm.FinishStop, Content: `{"name":"save","arguments":{"path":12`},
	} {
		resp, err := once(t, r).Generate(t.Context(), ask(save))
		if !errors.Is(err, llm.ErrTruncated) {
			t.Errorf("%s: %+v, %v, want truncated", name, resp, err)
		}
	}
	inner := &spy{Model: scripted.New("scripted:field", &scripted.Script{Replies: []scripted.Reply{cut, native("save", `{"path":"out.csv"}`)}})}
	m, err := exchange.New(inner, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := m.Generate(t.Context(), ask(save))
	if err != nil || callLines(resp.Message.ToolCalls) != `save {"path":"out.csv"}` {
		t.Fatalf("%+v, %v", resp, err)
	}
	again := inner.asked[1].Messages
	if len(again) != 2 || !strings.Contains(again[1].Content, "cut off") || strings.Contains(again[1].Content, "out.c") {
		t.Errorf("asked again with %+v", again)
	}
}

func TestFieldA28SchemaKeywords(t *testing.T) {
	req := ask()
	req.Schema = json.RawMessage(`{"type":"object","properties":{"month":{"type":"string","pattern":"^\\d{4}-\\d{2}$"}},"required":["month"]}`)
	inner := &spy{Model: scripted.New("scripted:field", &scripted.Script{Replies: []scripted.Reply{content(`{"month":"May"}`), content(`{"month":"2024-05"}`)}})}
	m, err := exchange.New(inner, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := m.Generate(t.Context(), req)
	if err != nil || resp.Message.Content != `{"month":"2024-05"}` || resp.Attempts[0].Reason != llm.ReasonSchema {
		t.Fatalf("%+v, %v", resp, err)
	}
	last := inner.asked[1].Messages[len(inner.asked[1].Messages)-1].Content
	if !strings.Contains(last, "/month") || !strings.Contains(last, `^\\d{4}`) {
		t.Errorf("the model was told %q", last)
	}
}

// Every repair can be switched off, and then nothing is repaired.
func TestRepairsSwitchedOff(t *testing.T) {
	m, err := exchange.New(scripted.New("scripted:field", &scripted.Script{Replies: []scripted.Reply{
		content(`{"name":"now","arguments":{}}`), native("add", `{"a":"3","b":1}`),
	}}), &exchange.Options{Off: []string{"text_call", "scalar_type"}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for range 2 {
		resp, err := m.Generate(t.Context(), ask(fieldTools...))
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, resp.Message.Content+callLines(resp.Message.ToolCalls))
	}
	want := []string{`{"name":"now","arguments":{}}`, `problem: add: expected integer at /a, got string "3"`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if _, err := exchange.New(nil, &exchange.Options{Off: []string{"txt_call"}}); err == nil || !strings.Contains(err.Error(), "text_call") {
		t.Errorf("an unknown repair: %v", err)
	}
}
