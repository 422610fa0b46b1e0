// Package recall measures how often the right tool is among the few that are shown. It carries 320 questions, eight for
// each tool, that were written from the tools' one-line purposes by somebody who had not seen their descriptions,
// parameters and example questions. Ranking is tuned on the half dev; the half test is what is reported.
package recall

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"math"
	"strings"

	"almanac/memory"

	"go.yaml.in/yaml/v4"
)

// Question is a text with the one tool that its writer had in mind.
type Question struct {
	Tool string
	Text string
	Half string // dev or test
}

// Agent is the part of the tool's name before the dot.
func (q Question) Agent() string {
	agent, _, _ := strings.Cut(q.Tool, ".")
	return agent
}

// Halves of the questions.
const (
	Dev  = "dev"
	Test = "test"
)

//go:embed paraphrases.yaml
var paraphrases []byte

// Questions are the held-out questions of a half; "" gives both, dev first.
func Questions(half string) ([]Question, error) {
	var file []struct {
		Tool string   `yaml:"tool"`
		Dev  []string `yaml:"dev"`
		Test []string `yaml:"test"`
	}
	d := yaml.NewDecoder(bytes.NewReader(paraphrases))
	d.KnownFields(true)
	if err := d.Decode(&file); err != nil {
		return nil, fmt.Errorf("recall: reading the questions: %w", err)
	}
	var dev, test []Question
	for _, f := range file {
		for _, q := range f.Dev {
			dev = append(dev, Question{f.Tool, q, Dev})
		}
		for _, q := range f.Test {
			test = append(test, Question{f.Tool, q, Test})
		}
	}
	switch half {
	case Dev:
		return dev, nil
	case Test:
		return test, nil
	case "":
		return append(dev, test...), nil
	}
	return nil, fmt.Errorf("recall: the halves are %s and %s; there is no %q", Dev, Test, half)
}

// Selector ranks tools for a text, the best first; see package memory.
type Selector interface {
	Query(ctx context.Context, text string, k int, keep func(tool string) bool) ([]memory.Hit, error)
}

// Outcome is where the right tool of a question came.
type Outcome struct {
	Question
	Rank  int          // from 1; 0: not among all that were asked for
	First []memory.Hit // the five best
}

// Measure asks every question for its best k tools. Put k above the number of tools to have the rank of each.
func Measure(ctx context.Context, index Selector, questions []Question, k int) ([]Outcome, error) {
	out := make([]Outcome, len(questions))
	for i, q := range questions {
		hits, err := index.Query(ctx, q.Text, k, nil)
		if err != nil {
			return nil, fmt.Errorf("recall: %q: %w", q.Text, err)
		}
		out[i] = Outcome{Question: q, First: hits[:min(5, len(hits))]}
		for rank, h := range hits {
			if h.Tool == q.Tool {
				out[i].Rank = rank + 1
				break
			}
		}
	}
	return out, nil
}

// At is the share of the questions whose tool is among the first k; not a number without questions.
func At(outcomes []Outcome, k int) float64 {
	found := 0
	for _, o := range outcomes {
		if o.Rank > 0 && o.Rank <= k {
			found++
		}
	}
	if len(outcomes) == 0 {
		return math.NaN()
	}
	return float64(found) / float64(len(outcomes))
}

// MRR is the mean of the reciprocal ranks, 0 for a tool that was not found (Voorhees, TREC-8, 1999); not a number without
// questions.
func MRR(outcomes []Outcome) float64 {
	sum := 0.0
	for _, o := range outcomes {
		if o.Rank > 0 {
			sum += 1 / float64(o.Rank)
		}
	}
	if len(outcomes) == 0 {
		return math.NaN()
	}
	return sum / float64(len(outcomes))
}
