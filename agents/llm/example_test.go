package llm_test

import (
	"context"
	"fmt"
	"math"

	"almanac/agents/llm"
	"almanac/agents/llm/scripted"
)

// A closed question: the answer is read from the probabilities of the letters.
func ExampleChoose() {
	model := scripted.New("scripted:example", &scripted.Script{Replies: []scripted.Reply{{
		Logprobs: []llm.TokenProb{{Token: "B", Logprob: math.Log(0.6)}, {Token: "A", Logprob: math.Log(0.2)}, {Token: "I", Logprob: math.Log(0.2)}},
	}}})
	choice, err := llm.Choose(context.Background(), model, llm.Question{
		Rules:   "Choose the tool that answers the question.",
		Context: "How much has it warmed since 1960?",
		Ask:     "Which tool?",
		Options: []llm.Option{
			{Name: "data.open", Meaning: "the values themselves"},
			{Name: "data.trend", Meaning: "how fast values rise or fall"},
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s %.2f by %s\n", choice.Name, choice.Probabilities[choice.Best], choice.Method)
	// Output: data.trend 0.75 by letters
}
