package orchestrator

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"almanac/agents/llm"
	"almanac/orchestrator/episode"
	"almanac/orchestrator/event"
	"almanac/toolkits"
)

const (
	plannerRole   = "planner"
	executorRole  = "executor"
	stepTries     = 3 // replies of one step before it has failed
	planRevisions = 3 // of one episode, whatever the budget
	stepTools     = 8 // tools shown to a step that names none, or whose tool failed
)

var aboutPlanExecute = about{
	summary: "A planner writes one plan, an executor carries out its steps in order, one tool call a step; a step that fails brings a " +
		"new plan for the rest. When the steps are done the planner answers.",
	differs:  "one plan first, then its steps in order, a new plan after a failure",
	source:   "Plan-and-Solve, arXiv 2305.04091, as the plan-and-execute agent of LangChain",
	faithful: "The plan is a list of steps in words, made before any call; each step is carried out by an executor that sees the results before it; the planner plans again, or answers.",
	hardened: "A step names its tool, and that tool alone is in the executor's prompt; after a failed call the eight tools that fit the step best are. " +
		"The executor has three replies a step and sees each error. A plan written as a list of lines is read as well; one that cannot be read is asked for once more, and a decline right after a failed call is handed back once. " +
		"The same plan after the same failure ends planning, and the planner answers or declines with what there is.",
	model:   true,
	prompts: []string{"plan-execute/plan.txt", "plan-execute/step.txt", "plan-execute/revise.txt", "plan-execute/answer.txt"},
}

// planExecute plans once, then executes; it plans again after a failure.
type planExecute struct{ team *Team }

func newPlanExecute(team *Team, _ *Options) (Setup, error) { return &planExecute{team}, nil }

func (*planExecute) Name() string    { return "plan-execute" }
func (*planExecute) UsesModel() bool { return true }

// planStep is one step of a plan. tool is "" where the plan names none that exists.
type planStep struct{ tool, do string }

func (s planStep) String() string {
	if s.tool == "" {
		return s.do
	}
	return wireName(s.tool) + ": " + s.do
}

// plan is what a planner decided: steps, or to decline.
type plan struct {
	steps   []planStep
	decline string
}

func (p plan) lines() []string {
	out := make([]string, len(p.steps))
	for i, s := range p.steps {
		out[i] = s.String()
	}
	return out
}

// Solve plans, executes, and plans again while steps fail.
func (s *planExecute) Solve(ctx context.Context, ep *episode.Episode) error {
	b := newBoard(s.team, ep)
	err := s.work(ctx, b)
	if err != nil {
		b.role = plannerRole
		return finish(ctx, ep, b.loop, err)
	}
	return nil
}

func (s *planExecute) work(ctx context.Context, b *board) error {
	head := system(planHead(s.team, b.ep.Tools))
	p, problem, err := s.plan(ctx, b, "plan", head, user(question(b.ep)))
	for version := 1; err == nil && problem == "" && p.decline == ""; version++ {
		var failed int
		var why string
		if failed, why, err = s.execute(ctx, b, p); err != nil || failed < 0 || version > planRevisions {
			break
		}
		last := p
		if p, problem, err = s.replan(ctx, b, head, last.steps[failed], why); err != nil || problem != "" || p.decline != "" {
			break
		}
		if strings.Join(p.lines(), "\n") == strings.Join(last.lines()[failed:], "\n") {
			break // it would fail as before
		}
		err = b.revised(plannerRole, version, last.steps[failed].String()+": "+capped(why, 200), p.lines())
	}
	switch {
	case err != nil:
		return err
	case problem != "":
		return b.noPlan(plannerRole, problem)
	case p.decline != "":
		return b.ep.Decline(plannerRole, p.decline, nil)
	}
	return b.conclude(ctx, plannerRole, concludeTurns, system(prompt("plan-execute/answer.txt")), user(question(b.ep)+b.resultLines(ctx)))
}

// planHead is what a planner is told, the same for all tasks with these tools.
func planHead(team *Team, tools *toolkits.Registry) string {
	return prompt("plan-execute/plan.txt") + "\nTools:\n" + toolLines(tools) + "Data sets:\n" + team.dataLines(nil)
}

// replan asks for the steps that are still needed after one has failed.
func (s *planExecute) replan(ctx context.Context, b *board, head llm.Message, failed planStep, why string) (plan, string, error) {
	if err := b.ep.Replan(); err != nil {
		return plan{}, "", err
	}
	text := question(b.ep) + b.resultLines(ctx) + fmt.Sprintf("Failed step: %s\n%s\n", failed, why) + prompt("plan-execute/revise.txt")
	return s.plan(ctx, b, "revise", head, user(text))
}

// noPlan ends an episode whose plan could not be read.
func (b *board) noPlan(role, problem string) error {
	if _, err := b.ep.Emit(role, 0, event.TypeError, &event.Error{Code: "unreadable_plan", Message: problem}); err != nil {
		return err
	}
	return unanswered(b.ep, role, "the plan could not be read: "+problem)
}

// plan asks for steps. problem says why the reply is no plan.
func (s *planExecute) plan(ctx context.Context, b *board, purpose string, messages ...llm.Message) (p plan, problem string, err error) {
	warned := !b.lastFailed()
	problem, err = b.insist(ctx, plannerRole, purpose, b.planSchema(), func(object map[string]any, text string) string {
		p = b.readPlan(object, text)
		if p.decline != "" && !warned {
			warned = true
			return noReason + "."
		}
		if len(p.steps) == 0 && p.decline == "" {
			return `That is no plan. Reply with {"steps": [{"tool": "...", "do": "..."}]} or {"decline": "the reason"}.`
		}
		return ""
	}, messages...)
	return p, problem, err
}

func (b *board) planSchema() json.RawMessage {
	step := map[string]any{
		"type": "object", "required": []string{"tool", "do"},
		"properties": map[string]any{
			"tool": map[string]any{"type": "string", "enum": b.wireNames()},
			"do":   map[string]any{"type": "string"},
		},
	}
	return mustJSON(map[string]any{"type": "object", "properties": map[string]any{
		"steps": map[string]any{"type": "array", "items": step}, "decline": map[string]any{"type": "string"},
	}})
}

// readPlan reads steps from an object, or from lines that are a list. answer and decline are no steps.
func (b *board) readPlan(object map[string]any, text string) plan {
	if reason := declined(object); reason != "" {
		return plan{decline: reason}
	}
	var p plan
	add := func(tool, do string) {
		name, known := b.toolNamed(tool)
		if tool = strings.ToLower(strings.TrimSpace(tool)); tool == answerTool || tool == declineTool || len(p.steps) == maxPlanned {
			return
		}
		if !known && tool != "" {
			do = tool + ": " + do
		}
		if strings.TrimSpace(do) != "" || known {
			p.steps = append(p.steps, planStep{name, strings.TrimSpace(do)})
		}
	}
	line := func(text string) {
		head, tail, cut := strings.Cut(text, ":")
		if _, known := b.toolNamed(head); cut && (known || head == answerTool) {
			add(head, tail)
			return
		}
		add("", text)
	}
	steps, _ := object["steps"].([]any)
	for _, x := range steps {
		switch v := x.(type) {
		case string:
			line(v)
		case map[string]any:
			add(textOf(v, "tool", "name"), textOf(v, "do", "step", "task", "instruction", "description"))
		}
	}
	if object == nil {
		for _, l := range listed(text) {
			line(l)
		}
	}
	return p
}

// execute carries out the steps. failed is the index of the step that failed, -1 for none, and why its last error.
func (s *planExecute) execute(ctx context.Context, b *board, p plan) (failed int, why string, err error) {
	for i := range p.steps {
		why, err := s.step(ctx, b, p, i)
		if err != nil {
			return i, "", err
		}
		if why != "" {
			return i, why, nil
		}
	}
	return -1, "", nil
}

// step is one conversation of the executor; it says why there is no result.
func (s *planExecute) step(ctx context.Context, b *board, p plan, i int) (why string, err error) {
	step := p.steps[i]
	var tools *toolkits.Registry
	if step.tool != "" {
		tools, err = b.ep.Tools.Select([]string{step.tool})
	} else {
		tools, err = b.ranked(ctx, step.do, stepTools, anyTool, opener)
	}
	if err != nil {
		return "", err
	}
	text := question(b.ep) + b.resultLines(ctx) + "Your step: " + step.String() + "\n"
	b.seat(executorRole, specs(tools, nil, false), system(prompt("plan-execute/step.txt")), user(text))
	for try := range stepTries {
		if _, err := b.turn(ctx); err != nil {
			return "", err
		}
		if len(b.handles) > b.found || b.repeated && try > 0 {
			return "", nil
		}
		if try == 0 {
			named, _ := b.toolNamed(b.wanted)
			if tools, err = b.ranked(ctx, step.do, stepTools, anyTool, step.tool, named, opener); err != nil {
				return "", err
			}
			b.offer(specs(tools, nil, false))
		}
	}
	if b.failed != nil {
		return b.failed.Error(), nil
	}
	return "no call was made, the last: " + b.last, nil
}
