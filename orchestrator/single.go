package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"almanac/agents/llm"
	"almanac/orchestrator/episode"
	"almanac/orchestrator/event"
)

// bestSinglePrompt is the variant in use.
const bestSinglePrompt = 3

// singlePrompt is a variant's text; 0 is the one in use. The variants that were tried stand in one folder; a note beside
// them says how they did.
func singlePrompt(variant int) (string, error) {
	if variant == 0 {
		variant = bestSinglePrompt
	}
	if variant < 1 || variant > 3 {
		return "", fmt.Errorf("orchestrator: single has no prompt %d; there are 1, 2 and 3", variant)
	}
	return prompt("single/" + strconv.Itoa(variant) + ".txt"), nil
}

const maxRounds = 100 // of a loop, whatever the budget

var aboutSingle = about{
	differs:  "one agent with every tool, in one conversation",
	summary:  "One agent sees every tool and calls them by native function calling in a loop until it answers.",
	source:   "GeoLLM-Engine, arXiv 2404.15500",
	faithful: "One agent, one conversation, every tool in every request, function calling until the final answer.",
	hardened: "Replies are repaired and arguments checked against the schema as for all setups; a tool's error goes back to the model; " +
		"results are handles, so that no digit is copied; a loop that brings nothing new is ended.",
	model: true, prompts: []string{"single/" + strconv.Itoa(bestSinglePrompt) + ".txt"},
}

// single is one agent with every tool, by native function calling in a loop. Its variants show few tools a turn, or
// examples that are remembered.
type single struct {
	name   string
	team   *Team
	prompt string
	shown  int // tools a turn; 0 is every tool
	memory *remembered
}

func newSingle(team *Team, opts *Options) (Setup, error) {
	prompt, err := singlePrompt(opts.SinglePrompt)
	return &single{name: "single", team: team, prompt: prompt}, err
}

func (s *single) Name() string  { return s.name }
func (*single) UsesModel() bool { return true }

// Solve runs the loop. It ends with the answer, a decline, a used-up budget, or when several rounds bring nothing new.
func (s *single) Solve(ctx context.Context, ep *episode.Episode) error {
	return s.converse(ctx, ep, newLoop(ep, "agent", nil))
}

// converse carries one conversation to its end.
func (s *single) converse(ctx context.Context, ep *episode.Episode, l *loop) error {
	l.ends = true
	examples, err := s.memory.text(ctx, ep)
	if err != nil {
		return err
	}
	l.say(llm.RoleSystem, s.prompt)
	l.say(llm.RoleUser, examples+question(ep))
	if s.shown == 0 {
		l.offer(specs(ep.Tools, ep.Request.Contract, true))
	}
	for range maxRounds {
		if err := s.narrow(ctx, ep, l); err != nil {
			return err
		}
		done, err := l.turn(ctx)
		if err != nil {
			return finish(ctx, ep, l, err)
		}
		if done {
			return nil
		}
		if l.stalled >= maxStalled {
			break
		}
	}
	return l.stall()
}

// finish tells the ends of a loop apart: a used-up budget and a useless reply are the setup's; the rest is passed on.
func finish(ctx context.Context, ep *episode.Episode, l *loop, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case episode.IsBudget(err):
		return l.giveUp("budget: " + ep.Exhausted())
	case errors.Is(err, llm.ErrBadReply):
		return l.giveUp("the model's replies could not be used: " + err.Error())
	case errors.Is(err, llm.ErrContextOverflow):
		return l.giveUp("context overflow: " + err.Error())
	}
	return err
}

// stall ends a loop that goes round in a circle.
func (l *loop) stall() error {
	reason := fmt.Sprintf("stalled: %d rounds brought nothing new", l.stalled)
	if l.last != "" {
		reason += ", the last: " + l.last
	}
	if !l.holds { // one sample that stalls is no fault of the episode
		if _, err := l.ep.Emit(l.role, 0, event.TypeError, &event.Error{Code: "stalled", Message: reason}); err != nil {
			return err
		}
	}
	return l.giveUp(reason)
}

// giveUp ends without an answer: every field unanswered, with the reason.
func (l *loop) giveUp(reason string) error { return l.answer(without(l.ep, reason)) }

func unanswered(ep *episode.Episode, agent, reason string) error {
	return ep.Answer(agent, without(ep, reason))
}

// without are the fields that were asked for, none with a value.
func without(ep *episode.Episode, reason string) []event.AnswerField {
	var fields []event.AnswerField
	for _, f := range ep.Request.Contract {
		fields = append(fields, event.AnswerField{Key: f.Key, Reason: reason})
	}
	return fields
}
