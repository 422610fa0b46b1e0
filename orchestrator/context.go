package orchestrator

import (
	"almanac/agents/llm"
	"almanac/orchestrator/episode"
)

// contextSizes are the windows that are tried, in tokens.
var contextSizes = []int{4096, 8192, 16384, 32768}

// room is what a window holds beyond the largest first prompt, in tokens.
const room = 2048

// ContextSize is the smallest window that holds the largest first prompt of each of the setups for these requests and
// 2k tokens more: the same for all setups of a comparison. Sizes are estimated from the text, a third more than the
// estimate, since an overflow costs an episode.
func ContextSize(team *Team, requests []episode.Request, setups []string) int {
	largest := 0
	for _, name := range setups {
		for _, r := range requests {
			for _, req := range firstRequests(team, name, r) {
				largest = max(largest, llm.EstimateTokens(req.Text())*4/3)
			}
		}
	}
	for _, size := range contextSizes {
		if largest+room <= size {
			return size
		}
	}
	return contextSizes[len(contextSizes)-1]
}

// firstRequests are the requests that a setup's roles begin with, where they may be long: those that show many tools.
func firstRequests(team *Team, name string, r episode.Request) []llm.Request {
	with := func(head string, tools []llm.ToolSpec) llm.Request {
		return llm.Request{Messages: []llm.Message{system(head), user(r.Text())}, Tools: tools}
	}
	switch name {
	case "single", "single+wm", "single-sc":
		prompt, err := singlePrompt(0)
		if err != nil { // the variants are part of the program
			panic("orchestrator: " + err.Error())
		}
		return []llm.Request{with(prompt, specs(team.Tools, r.Contract, true))}
	case "plan-execute":
		return []llm.Request{with(planHead(team, team.Tools), nil)}
	case "chameleon":
		return []llm.Request{with(moduleHead(team, team.Tools), nil)}
	case "magentic", "magentic+faithful":
		var out []llm.Request
		for _, a := range team.Agents {
			if tools, err := team.Tools.Select(ownTools(team.Tools, a)); err == nil {
				out = append(out, with(persona(a, prompt("magentic/agent.txt")), specs(tools, nil, false)))
			}
		}
		return out
	}
	return nil // the others' prompts are short
}
