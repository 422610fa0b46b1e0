package orchestrator

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"almanac/agents"
	"almanac/agents/llm"
	"almanac/orchestrator/episode"
)

const (
	supervisor     = "supervisor"
	squadRevisions = 2 // of the list of tasks, r in the description
	agentTools     = 5 // tools that an agent sees of its own for one task
	agentTurns     = 6 // replies of one task
	agentFailures  = 3 // of them in a row that brought nothing
)

var aboutGeoLLMSquad = about{
	summary: "A supervisor writes an ordered list of agents with a task in words for each. They run one after another, each with the tools of its own " +
		"that fit the task best; their messages are collected, and the supervisor judges whether they are complete and extends the list, at most twice.",
	differs:  "a list of agents with tasks in words, run one after another, revised at most twice",
	source:   "GeoLLM-Squad, arXiv 2501.16254",
	faithful: "Orchestration apart from solving; an ordered list of (agent, sub-prompt) in natural language; sequential agents with their own toolkits and tool selection by retrieval; return messages collected; completeness judged and the list revised; similar workflows of the memory shown to the supervisor where there is one.",
	hardened: "The list is JSON over the agents that exist, with names read whatever their quotes or case, and read from lines as well; one that cannot be read is asked for once more. " +
		"A decline right after a failed call is handed back once. An agent whose call fails is shown all its tools; one that goes in a circle is ended. A revision that repeats the last list ends revising.",
	model:   true,
	prompts: []string{"geollm-squad/plan.txt", "geollm-squad/agent.txt", "geollm-squad/judge.txt", "geollm-squad/answer.txt", "single+wm/remembered.txt"},
}

// geollmSquad is the published team: a supervisor with a list, agents in sequence.
type geollmSquad struct {
	team   *Team
	memory *remembered
}

func newGeoLLMSquad(team *Team, opts *Options) (Setup, error) {
	s := &geollmSquad{team: team}
	if opts.Memory != nil {
		s.memory = &remembered{opts.Memory}
	}
	return s, nil
}

func (*geollmSquad) Name() string    { return "geollm-squad" }
func (*geollmSquad) UsesModel() bool { return true }

// Solve lists the tasks, runs the agents, and revises the list while the supervisor finds it wanting.
func (s *geollmSquad) Solve(ctx context.Context, ep *episode.Episode) error {
	b := newBoard(s.team, ep)
	if err := s.work(ctx, b); err != nil {
		b.role = supervisor
		return finish(ctx, ep, b.loop, err)
	}
	return nil
}

// assignment is a task for an agent.
type assignment struct {
	agent agents.Agent
	task  string
}

func (a assignment) String() string { return a.agent.Name + ": " + a.task }

// verdict is what the supervisor decided: tasks, that all is there, or to decline.
type verdict struct {
	tasks    []assignment
	complete bool
	decline  string
}

func (v verdict) lines() []string {
	out := make([]string, len(v.tasks))
	for i, t := range v.tasks {
		out[i] = t.String()
	}
	return out
}

func (s *geollmSquad) work(ctx context.Context, b *board) error {
	examples, err := s.memory.text(ctx, b.ep)
	if err != nil {
		return err
	}
	lines, names := b.teamLines()
	head := prompt("geollm-squad/plan.txt") + "\nAgents:\n" + lines + "Data sets:\n" + s.team.dataLines(nil)
	messages := []llm.Message{system(head), user(examples + question(b.ep))}
	v, problem, err := s.decide(ctx, b, "plan", names, messages)
	if err == nil && problem != "" {
		return b.noPlan(supervisor, problem)
	}
	for version := 1; err == nil && v.decline == "" && len(v.tasks) > 0; version++ {
		var reports string
		if reports, err = s.runAll(ctx, b, v.tasks); err != nil || version > squadRevisions {
			break
		}
		messages = append(messages, reply(string(mustJSON(map[string]any{"tasks": v.lines()}))),
			user("The agents returned:\n"+reports+b.resultLines(ctx)+prompt("geollm-squad/judge.txt")))
		last := v
		if v, _, err = s.decide(ctx, b, "revise", names, messages); err != nil || v.complete || len(v.tasks) == 0 ||
			strings.Join(v.lines(), "\n") == strings.Join(last.lines(), "\n") {
			break
		}
		if err = b.ep.Replan(); err == nil {
			err = b.revised(supervisor, version, "the supervisor finds the results incomplete", v.lines())
		}
	}
	switch {
	case err != nil:
		return err
	case v.decline != "":
		return b.ep.Decline(supervisor, v.decline, nil)
	}
	return b.conclude(ctx, supervisor, concludeTurns, system(prompt("geollm-squad/answer.txt")), user(question(b.ep)+b.resultLines(ctx)))
}

// decide asks the supervisor for a list, or whether one is needed.
func (s *geollmSquad) decide(ctx context.Context, b *board, purpose string, names []string, messages []llm.Message) (v verdict, problem string, err error) {
	warned := !b.lastFailed()
	problem, err = b.insist(ctx, supervisor, purpose, verdictSchema(names, purpose == "revise"), func(object map[string]any, text string) string {
		var wrong string
		v, wrong = s.read(object, text, names)
		switch {
		case wrong != "":
			return wrong
		case v.decline != "" && !warned:
			warned = true
			return noReason + "."
		case len(v.tasks) == 0 && v.decline == "" && !v.complete:
			return `That is no list of tasks. Reply with {"tasks": [{"agent": "...", "task": "..."}]} or {"decline": "the reason"}.`
		}
		return ""
	}, messages...)
	return v, problem, err
}

func verdictSchema(names []string, judging bool) json.RawMessage {
	task := map[string]any{
		"type": "object", "required": []string{"agent", "task"},
		"properties": map[string]any{
			"agent": map[string]any{"type": "string", "enum": names},
			"task":  map[string]any{"type": "string"},
		},
	}
	props := map[string]any{"tasks": map[string]any{"type": "array", "items": task}, "decline": map[string]any{"type": "string"}}
	if judging {
		props["complete"] = map[string]any{"type": "boolean"}
	}
	return mustJSON(map[string]any{"type": "object", "properties": props})
}

// read reads a verdict from an object or from lines such as "gis: area of Kenya". An agent that does not exist is never
// replaced by another: wrong names those that do.
func (s *geollmSquad) read(object map[string]any, text string, names []string) (v verdict, wrong string) {
	v.decline = declined(object)
	v.complete, _ = truth(object["complete"])
	if v.decline != "" || v.complete {
		return v, ""
	}
	add := func(name, task string) {
		a, err := s.team.agentNamed(name)
		switch {
		case err != nil || !contains(names, a.Name):
			wrong = fmt.Sprintf("No agent is named %q; there are %s.", name, strings.Join(names, ", "))
		case strings.TrimSpace(task) != "" && len(v.tasks) < maxPlanned:
			v.tasks = append(v.tasks, assignment{a, strings.TrimSpace(task)})
		}
	}
	list, _ := object["tasks"].([]any)
	for _, x := range list {
		switch t := x.(type) {
		case map[string]any:
			add(textOf(t, "agent", "name"), textOf(t, "task", "prompt", "do", "instruction"))
		case string:
			name, task, _ := strings.Cut(t, ":")
			add(name, task)
		}
	}
	if object == nil {
		for _, line := range listed(text) {
			if name, task, ok := strings.Cut(line, ":"); ok {
				add(strings.Trim(name, "* "), task)
			}
		}
	}
	return v, wrong
}

// runAll runs the agents one after another and collects what they return.
func (s *geollmSquad) runAll(ctx context.Context, b *board, tasks []assignment) (string, error) {
	var out strings.Builder
	for _, t := range tasks {
		message, err := s.run(ctx, b, t)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&out, "%s: %s\n", t.agent.Name, capped(message, boardResult))
	}
	return out.String(), nil
}

// run is one agent at work on its task; it returns the agent's message.
func (s *geollmSquad) run(ctx context.Context, b *board, t assignment) (string, error) {
	var always []string
	if t.agent.Has(opener) {
		always = append(always, opener)
	}
	own := b.own(t.agent)
	tools, err := b.ranked(ctx, t.task, agentTools, func(n string) bool { return contains(own, n) }, always...)
	if err != nil {
		return "", err
	}
	text := question(b.ep) + b.resultLines(ctx) + "Your task: " + t.task + "\n"
	b.seat(t.agent.Name, specs(tools, nil, false), system(persona(t.agent, prompt("geollm-squad/agent.txt"))), user(text))
	b.returns = true
	for range agentTurns {
		done, err := b.turn(ctx)
		switch {
		case err != nil:
			return "", err
		case done && strings.TrimSpace(b.said) != "":
			return b.words(b.said), nil
		case done: // it tried to end the work, which is not its to do
			return s.report(b), nil
		case b.stalled >= agentFailures, b.repeated && len(b.handles) > b.found:
			return s.report(b), nil
		}
		if b.stuck && len(b.tools) < len(own) {
			all, err := b.ep.Tools.Select(own)
			if err != nil {
				return "", err
			}
			b.offer(specs(all, nil, false))
		}
	}
	return s.report(b), nil
}

// report is the message of an agent that wrote none.
func (s *geollmSquad) report(b *board) string {
	switch {
	case len(b.handles) > b.found:
		return "results " + strings.Join(b.handles[b.found:], ", ")
	case b.failed != nil:
		return "no result: " + b.failed.Error()
	}
	return "no result: " + b.last
}
