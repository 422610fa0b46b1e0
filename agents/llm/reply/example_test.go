package reply_test

import (
	"encoding/json"
	"fmt"

	"almanac/agents/llm"
	"almanac/agents/llm/reply"
)

// A small model writes its call as text, in a fence, with a number as text.
func ExampleReader_Read() {
	reader, err := reply.New(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	req := &llm.Request{Tools: []llm.ToolSpec{{
		Name:   "gis.buffer",
		Schema: json.RawMessage(`{"type":"object","properties":{"place":{"type":"string"},"km":{"type":"number"}},"required":["place"]}`),
	}}}
	raw := &llm.Response{Finish: llm.FinishStop, Message: llm.Message{
		Content: "```json\n{\"name\": \"gis.buffer\", \"arguments\": {\"place\": \"Lima\", \"km\": \"50\"}}\n```",
	}}
	resp, err := reader.Read(req, raw)
	if err != nil {
		fmt.Println(err)
		return
	}
	call := resp.Message.ToolCalls[0]
	fmt.Println(call.Name, string(call.Arguments), call.Obtained, call.Repairs)
	// Output: gis.buffer {"km":50,"place":"Lima"} repaired [fence text_call scalar_type]
}
