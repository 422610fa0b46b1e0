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
		if name != "single" {
			continue // the others' prompts are short
		}
		prompt, err := singlePrompt(0)
		if err != nil { // the variants are part of the program
			panic("orchestrator: " + err.Error())
		}
		for _, r := range requests {
			req := llm.Request{
				Messages: []llm.Message{{Role: llm.RoleSystem, Content: prompt}, {Role: llm.RoleUser, Content: r.Text()}},
				Tools:    specs(team.Tools, r.Contract, true),
			}
			largest = max(largest, llm.EstimateTokens(req.Text())*4/3)
		}
	}
	for _, size := range contextSizes {
		if largest+room <= size {
			return size
		}
	}
	return contextSizes[len(contextSizes)-1]
}
