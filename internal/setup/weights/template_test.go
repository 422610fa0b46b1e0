package weights

import (
	"bytes"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ollama/ollama/api"
	"github.com/ollama/ollama/template"
	"github.com/ollama/ollama/tools"
)

func render(t *testing.T, messages []api.Message, list []api.Tool) string {
	t.Helper()
	tmpl, err := template.Parse(chatTemplate)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := tmpl.Execute(&b, template.Values{Messages: messages, Tools: list}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func area() api.Tool {
	var f api.Tool
	f.Type = "function"
	f.Function.Name = "area"
	f.Function.Description = "Area of a country"
	f.Function.Parameters.Type = "object"
	return f
}

// The expected text is ChatML as the Qwen2.5 model card shows it.
func TestChatTemplate(t *testing.T) {
	got := render(t, []api.Message{
		{Role: "system", Content: "Be brief."}, {Role: "user", Content: "Hello"},
		{Role: "assistant", Content: "Hi"}, {Role: "user", Content: "How are you?"},
	}, nil)
	want := "<|im_start|>system\nBe brief.<|im_end|>\n" +
		"<|im_start|>user\nHello<|im_end|>\n" +
		"<|im_start|>assistant\nHi<|im_end|>\n" +
		"<|im_start|>user\nHow are you?<|im_end|>\n" +
		"<|im_start|>assistant\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A reply that is begun is gone on with: no end token, no new turn.
func TestChatTemplateContinuesAReply(t *testing.T) {
	got := render(t, []api.Message{{Role: "user", Content: "2+2?"}, {Role: "assistant", Content: "It is"}}, nil)
	if want := "<|im_start|>user\n2+2?<|im_end|>\n<|im_start|>assistant\nIt is"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestChatTemplateWithTools(t *testing.T) {
	args := api.NewToolCallFunctionArguments()
	args.Set("place", "Kenya")
	call := func(name string) api.ToolCall {
		return api.ToolCall{Function: api.ToolCallFunction{Name: name, Arguments: args}}
	}
	got := render(t, []api.Message{
		{Role: "user", Content: "How big is Kenya?"},
		{Role: "assistant", ToolCalls: []api.ToolCall{call("area"), call("boundary")}},
		{Role: "tool", Content: `{"km2": 1}`},
	}, []api.Tool{area()})
	want := "<|im_start|>system\n\n# Tools\n\nYou may call one or more functions to assist with the user query.\n\n" +
		"You are provided with function signatures within <tools></tools> XML tags:\n<tools>\n" +
		`{"type": "function", "function": {"name":"area","description":"Area of a country","parameters":{"type":"object","properties":null}}}` + "\n</tools>\n\n" +
		"For each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:\n" +
		"<tool_call>\n{\"name\": <function-name>, \"arguments\": <args-json-object>}\n</tool_call><|im_end|>\n" +
		"<|im_start|>user\nHow big is Kenya?<|im_end|>\n" +
		"<|im_start|>assistant\n<tool_call>\n{\"name\": \"area\", \"arguments\": {\"place\":\"Kenya\"}}\n</tool_call>\n" +
		"<tool_call>\n{\"name\": \"boundary\", \"arguments\": {\"place\":\"Kenya\"}}\n</tool_call><|im_end|>\n" +
		"<|im_start|>user\n<tool_response>\n{\"km2\": 1}\n</tool_response><|im_end|>\n" +
		"<|im_start|>assistant\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// What Ollama itself reads from the template: that it has tools, and the tag that opens a call.
func TestOllamaFindsToolsInTheTemplate(t *testing.T) {
	tmpl, err := template.Parse(chatTemplate)
	if err != nil {
		t.Fatal(err)
	}
	vars, err := tmpl.Vars()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(vars, "tools") {
		t.Errorf("variables %v, want tools among them", vars)
	}
	p := tools.NewParser(tmpl.Template, []api.Tool{area()})
	calls, text := p.Add("Let me see.\n<tool_call>\n{\"name\": \"area\", \"arguments\": {\"place\": \"Kenya\"}}\n</tool_call>")
	if len(calls) != 1 || calls[0].Function.Name != "area" || text != "Let me see.\n" {
		t.Errorf("got calls %v and text %q", calls, text)
	}
}
