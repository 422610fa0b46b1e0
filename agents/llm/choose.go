package llm

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
)

// Question is a closed question: one of a few options is the answer. The
// stable part (Rules) comes first in the prompt, what changes comes last.
type Question struct {
	Rules   string   // what is asked and how to decide; the same for all questions of a kind
	Context string   // what this question is about: the request, the step
	Ask     string   // the question itself, one sentence
	Options []Option // 1 to 20
	Role    string   // who is asking, for the account
	Meta    Meta
	Seed    *int64
	How     ChooseOptions // the zero value is useful
}

// Option is one possible answer.
type Option struct {
	Name    string // what the caller calls it; must be unique in a question
	Meaning string // one line that says what choosing it means
}

// Choice is what came of a [Question].
type Choice struct {
	Best          int       // index into Question.Options
	Name          string    // Options[Best].Name
	Probabilities []float64 // one for each option, in the order of Options; they sum to 1
	Margin        float64   // best minus second best probability; 1 with a single option
	Method        string    // "only", "letters", "rotated" or "schema"
	Calls         int       // model calls made
	Usage         Usage     // of all calls
	Timings       []Timings // of each call
	Notes         []string
	Responses     []*Response // the raw replies, for the trace
}

// The ways a [Choice] comes about.
const (
	MethodOnly    = "only"    // one option: nothing was asked
	MethodLetters = "letters" // letter probabilities of one call
	MethodRotated = "rotated" // letter probabilities averaged over rotations of the options
	MethodSchema  = "schema"  // the server gives no probabilities: an enum by JSON schema
)

// ChooseOptions steer [Choose]. The zero value is useful.
type ChooseOptions struct {
	// Margin is the difference of the two best probabilities under which the
	// options are rotated. 0 means 0.3.
	Margin float64

	// AllRotations asks in every rotation, whatever the margin.
	AllRotations bool

	// NoRotations asks once, whatever the margin.
	NoRotations bool

	// MaxRotations limits the calls of one question. 0 means as many as there
	// are options.
	MaxRotations int

	// BySchema asks by JSON schema at once, for a server that is known to give
	// no probabilities.
	BySchema bool
}

const (
	maxOptions    = 20  // servers give at most 20 alternatives for a token
	defaultMargin = 0.3 // below it the place of an option decides as often as its meaning
	minLetterMass = 0.05
)

// Choose asks a closed question and reads the answer from the probabilities
// of the option letters in the first generated token: one token out, and
// small models are right more often than when they must write the name. If
// the two best are closer than the margin, the question is asked again with
// the options rotated and the probabilities are averaged, since a small model
// prefers places in a list.
//
// With one option nothing is asked. A server that gives no probabilities is
// asked once for the name, by a JSON schema with an enum; the probabilities
// are then 1 and 0. The error, if any, carries the tokens of all calls.
func Choose(ctx context.Context, m Model, q Question) (Choice, error) {
	if err := q.check(); err != nil {
		return Choice{}, err
	}
	n := len(q.Options)
	choice := Choice{Usage: Spent(0, 0), Probabilities: make([]float64, n)}
	if n == 1 {
		choice.Probabilities[0] = 1
		choice.settle(q, MethodOnly)
		return choice, nil
	}
	if q.How.BySchema {
		return choice.bySchema(ctx, m, q)
	}
	sum := make([]float64, n)
	for r := range q.rotations() {
		probs, err := choice.askLetters(ctx, m, q, r)
		if err != nil {
			return choice, choice.spent(err)
		}
		if probs == nil && r == 0 {
			return choice.bySchema(ctx, m, q)
		}
		for i, p := range probs {
			sum[i] += p
			choice.Probabilities[i] = sum[i] / float64(r+1)
		}
		if r == 0 {
			choice.settle(q, MethodLetters)
			if q.How.NoRotations || !q.How.AllRotations && choice.Margin >= q.margin() {
				return choice, nil
			}
		}
	}
	choice.settle(q, MethodRotated)
	return choice, nil
}

func (q Question) check() error {
	bad := func(format string, args ...any) error {
		return &Error{Kind: KindRequest, Op: "llm: choose", Message: fmt.Sprintf(format, args...), Usage: Spent(0, 0)}
	}
	if len(q.Options) == 0 {
		return bad("a question needs at least one option")
	}
	if len(q.Options) > maxOptions {
		return bad("%d options, and servers tell %d letters apart: narrow them first", len(q.Options), maxOptions)
	}
	seen := map[string]bool{}
	for _, o := range q.Options {
		if seen[o.Name] {
			return bad("option %q occurs twice", o.Name)
		}
		seen[o.Name] = true
	}
	return nil
}

func (q Question) margin() float64 {
	if q.How.Margin == 0 {
		return defaultMargin
	}
	return q.How.Margin
}

func (q Question) rotations() int {
	n := len(q.Options)
	if q.How.MaxRotations > 0 {
		n = min(n, q.How.MaxRotations)
	}
	return n
}

// prompt has what is stable first, and the options, rotated by r, last.
func (q Question) prompt(r int, answer string) []Message {
	var b strings.Builder
	if q.Context != "" {
		b.WriteString(strings.TrimSpace(q.Context) + "\n\n")
	}
	b.WriteString(strings.TrimSpace(q.Ask) + "\n")
	for i := range q.Options {
		o := q.Options[(i+r)%len(q.Options)]
		fmt.Fprintf(&b, "%s. %s", letter(i), o.Name)
		if meaning := strings.Join(strings.Fields(o.Meaning), " "); meaning != "" {
			b.WriteString(": " + meaning)
		}
		b.WriteString("\n")
	}
	b.WriteString("Answer:")
	rules := strings.TrimSpace(strings.TrimSpace(q.Rules) + "\n" + answer)
	return []Message{{Role: RoleSystem, Content: rules}, {Role: RoleUser, Content: b.String()}}
}

func letter(i int) string { return string(rune('A' + i)) }

// askLetters asks once with the options rotated by r. The probabilities come
// in the order of the question's options and sum to 1; nil if the server gave
// none, or none for a letter.
func (c *Choice) askLetters(ctx context.Context, m Model, q Question, r int) ([]float64, error) {
	zero := 0.0
	resp, err := m.Generate(ctx, &Request{
		Messages:    q.prompt(r, "Answer with the letter of the best option, nothing else."),
		Temperature: &zero, Seed: q.Seed, MaxTokens: 1, Logprobs: maxOptions, Role: q.Role, Meta: q.Meta,
	})
	if err != nil {
		return nil, err
	}
	c.took(resp)
	byPlace, mass := letterMass(resp.Logprobs, len(q.Options))
	if mass == 0 {
		if r == 0 {
			c.Notes = append(c.Notes, "no letter probabilities in the reply: asked by JSON schema")
			return nil, nil
		}
		c.Notes = append(c.Notes, fmt.Sprintf("rotation %d gave no letter: counted as undecided", r))
		for i := range byPlace {
			byPlace[i], mass = 1, float64(len(byPlace))
		}
	} else if mass < minLetterMass {
		c.Notes = append(c.Notes, fmt.Sprintf("the letters hold only %.2g of the probability", mass))
	}
	probs := make([]float64, len(byPlace))
	for i, p := range byPlace {
		probs[(i+r)%len(probs)] = p / mass
	}
	return probs, nil
}

// letterMass sums the probability of each letter A, B, … over the tokens that
// write it (with a space before or a stop after), and over all letters.
func letterMass(tokens []TokenProb, n int) (byPlace []float64, mass float64) {
	byPlace = make([]float64, n)
	for _, t := range tokens {
		text := strings.Trim(t.Token, " \t\n\r.):(\"*`▁Ġ")
		if len(text) != 1 || text[0] < 'A' || int(text[0]-'A') >= n || math.IsNaN(t.Logprob) {
			continue
		}
		p := math.Exp(math.Min(t.Logprob, 0))
		byPlace[text[0]-'A'] += p
		mass += p
	}
	return byPlace, mass
}

// bySchema asks for an option's name as a JSON value.
func (c Choice) bySchema(ctx context.Context, m Model, q Question) (Choice, error) {
	names := make([]string, len(q.Options))
	for i, o := range q.Options {
		names[i] = o.Name
	}
	schema, err := json.Marshal(map[string]any{
		"type": "object", "required": []string{"answer"},
		"properties": map[string]any{"answer": map[string]any{"type": "string", "enum": names}},
	})
	if err != nil {
		return c, fmt.Errorf("llm: choose: %w", err)
	}
	zero := 0.0
	resp, err := m.Generate(ctx, &Request{
		Messages: q.prompt(0, `Answer with the name of the best option as JSON: {"answer": name}.`),
		Schema:   schema, Temperature: &zero, Seed: q.Seed, MaxTokens: 64, Role: q.Role, Meta: q.Meta,
	})
	if err != nil {
		return c, c.spent(err)
	}
	c.took(resp)
	var got struct{ Answer string }
	if err := json.Unmarshal([]byte(resp.Message.Content), &got); err == nil {
		for i, name := range names {
			if name == got.Answer {
				c.Probabilities[i] = 1
				c.settle(q, MethodSchema)
				return c, nil
			}
		}
	}
	return c, &Error{
		Kind: KindBadReply, Reason: ReasonSchema, Op: "llm: choose", Usage: c.Usage, Reply: resp,
		Message: fmt.Sprintf("the reply %.80q names none of: %s", resp.Message.Content, strings.Join(names, ", ")),
	}
}

func (c *Choice) took(resp *Response) {
	c.Calls++
	c.Usage = c.Usage.Add(resp.Usage)
	c.Timings = append(c.Timings, resp.Timings)
	c.Responses = append(c.Responses, resp)
}

// spent puts the tokens of earlier calls into err's account.
func (c *Choice) spent(err error) error {
	e := AsError(err)
	if e == nil {
		return err
	}
	with := *e
	with.Usage = c.Usage.Add(e.Usage)
	return &with
}

// settle finds the best option; of equal ones the first listed.
func (c *Choice) settle(q Question, method string) {
	best, second := 0, math.Inf(-1)
	for i, p := range c.Probabilities {
		if p > c.Probabilities[best] {
			best = i
		}
	}
	for i, p := range c.Probabilities {
		if i != best {
			second = math.Max(second, p)
		}
	}
	c.Best, c.Name, c.Method, c.Margin = best, q.Options[best].Name, method, 1
	if len(c.Probabilities) > 1 {
		c.Margin = c.Probabilities[best] - second
	}
}
