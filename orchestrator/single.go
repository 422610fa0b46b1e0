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
const bestSinglePrompt = 1

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
	summary:  "One agent sees every tool and calls them by native function calling in a loop until it answers.",
	source:   "GeoLLM-Engine, arXiv 2404.15500",
	faithful: "One agent, one conversation, every tool in every request, function calling until the final answer.",
	hardened: "Replies are repaired and arguments checked against the schema as for all setups; a tool's error goes back to the model; " +
		"results are handles, so that no digit is copied; a loop that brings nothing new is ended.",
	model: true, prompts: []string{"single/" + strconv.Itoa(bestSinglePrompt) + ".txt"},
}

// single is one agent with every tool, by native function calling in a loop.
type single struct{ prompt string }

func newSingle(_ *Team, opts *Options) (Setup, error) {
	prompt, err := singlePrompt(opts.SinglePrompt)
	return &single{prompt}, err
}

func (*single) Name() string    { return "single" }
func (*single) UsesModel() bool { return true }

// Solve runs the loop. It ends with the answer, a decline, a used-up budget, or when several rounds bring nothing new.
func (s *single) Solve(ctx context.Context, ep *episode.Episode) error {
	l := newLoop(ep, "agent", specs(ep.Tools, ep.Request.Contract, true))
	l.ends = true
	l.say(llm.RoleSystem, s.prompt)
	l.say(llm.RoleUser, question(ep))
	for range maxRounds {
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
	if _, err := l.ep.Emit(l.role, 0, event.TypeError, &event.Error{Code: "stalled", Message: reason}); err != nil {
		return err
	}
	return l.giveUp(reason)
}

// giveUp ends without an answer: every field unanswered, with the reason.
func (l *loop) giveUp(reason string) error { return unanswered(l.ep, l.role, reason) }

func unanswered(ep *episode.Episode, agent, reason string) error {
	var fields []event.AnswerField
	for _, f := range ep.Request.Contract {
		fields = append(fields, event.AnswerField{Key: f.Key, Reason: reason})
	}
	return ep.Answer(agent, fields)
}
