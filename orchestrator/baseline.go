package orchestrator

import (
	"context"
	"errors"

	"almanac/agents/llm"
	"almanac/orchestrator/episode"
	"almanac/orchestrator/event"
	"almanac/orchestrator/executor"
	"almanac/orchestrator/schedule"
)

var aboutOracle = about{
	differs: "the schedule is the gold one",
	summary: "Runs the gold schedule of the task: what the tools can reach. It separates errors of planning from errors of tools.",
}

// oracle runs the gold schedule: what the tools can reach. It alone is given the gold, by whoever makes it.
type oracle struct {
	team *Team
	gold Gold
	opts *Options
}

func newOracle(team *Team, opts *Options) (Setup, error) {
	if opts.Gold == nil {
		return nil, errors.New("orchestrator: oracle needs the gold schedules of the suite")
	}
	return &oracle{team, opts.Gold, opts}, nil
}

func (*oracle) Name() string    { return "oracle" }
func (*oracle) UsesModel() bool { return false }

// Solve runs the task's first gold schedule.
func (o *oracle) Solve(ctx context.Context, ep *episode.Episode) error {
	program, slots, err := o.gold(ep.Request.Task)
	if err != nil {
		return err
	}
	if err := logSchedule(ep, "oracle", 1, "gold", program, nil, nil); err != nil {
		return err
	}
	res, err := executor.Run(ctx, ep, program, slots, &executor.Options{MaxParallel: o.opts.MaxParallel})
	if err != nil {
		return err
	}
	if res.Declined != nil {
		return ep.Decline("oracle", res.Declined.Reason, res.Declined.Missing)
	}
	return ep.Answer("oracle", res.Answer)
}

// logSchedule writes a submitted version of a program.
func logSchedule(ep *episode.Episode, agent string, version int, mode string, p *schedule.Program, problems []schedule.Problem, repairs []schedule.RepairRecord) error {
	body := &event.Schedule{
		Version: version, Text: schedule.Print(p), Hash: schedule.Hash(p), Mode: mode,
		Valid: len(schedule.Errors(problems)) == 0, Repaired: len(repairs) > 0,
	}
	for _, pr := range problems {
		body.Problems = append(body.Problems, event.Problem{Code: string(pr.Code), Line: pr.Line, Column: pr.Col, Message: pr.Message, Legal: pr.Legal})
	}
	for _, r := range repairs {
		body.Repairs = append(body.Repairs, event.Repair{ID: string(r.ID), Line: r.Line, From: r.Before, To: r.After})
	}
	if !body.Valid {
		body.Calls = submittedCalls(p, ep.Tools)
	}
	_, err := ep.Emit(agent, 0, event.TypeSchedule, body)
	return err
}

const noneLimit = 256 // tokens of an answer from memory

var aboutNone = about{
	differs: "no tools",
	summary: "The model answers without tools: what it knows by heart. Its fields are literals, scored and never bound.",
	model:   true, prompts: []string{"none/answer.txt"},
}

// none is the model without tools: what it knows by heart.
type none struct{}

func newNone(*Team, *Options) (Setup, error) { return none{}, nil }

func (none) Name() string    { return "none" }
func (none) UsesModel() bool { return true }

// Solve asks once. The fields are literals: scored, and never bound.
func (none) Solve(ctx context.Context, ep *episode.Episode) error {
	resp, err := ep.Ask(ctx, "agent", "answer", &llm.Request{
		Messages: []llm.Message{
			{Role: llm.RoleSystem, Content: prompt("none/answer.txt")},
			{Role: llm.RoleUser, Content: question(ep)},
		},
		Schema:    answerSchema(ep.Request.Contract),
		MaxTokens: noneLimit,
	})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case episode.IsBudget(err):
		return unanswered(ep, "agent", "budget: "+ep.Exhausted())
	case errors.Is(err, llm.ErrBadReply), errors.Is(err, llm.ErrContextOverflow):
		return unanswered(ep, "agent", "the model's reply could not be used: "+err.Error())
	case err != nil:
		return err
	}
	object, readErr := arguments([]byte(resp.Message.Content))
	if reason, ok := object["decline"].(string); readErr == nil && ok && reason != "" {
		return ep.Decline("agent", reason, nil)
	}
	var fields []event.AnswerField
	if readErr == nil {
		fields = literalFields(object, ep.Request.Contract)
	}
	if len(fields) == 0 {
		fields = literalAnswer(resp.Message.Content, ep.Request.Contract)
	}
	return ep.Answer("agent", fields)
}

// answerSchema is a flat object with a property for each field, and one to decline with.
func answerSchema(contract schedule.Contract) []byte {
	props := map[string]any{"decline": map[string]any{"type": "string"}}
	if len(contract) == 0 {
		props["value"] = map[string]any{"type": []string{"string", "number", "boolean"}}
	}
	for _, f := range contract {
		t := "string"
		switch f.Type {
		case "number", "integer", "angle":
			t = "number"
		case "boolean":
			t = "boolean"
		}
		props[f.Key] = map[string]any{"type": t}
	}
	return mustJSON(map[string]any{"type": "object", "properties": props})
}
