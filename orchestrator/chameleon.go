package orchestrator

import (
	"context"
	"encoding/json"
	"strings"

	"almanac/agents/llm"
	"almanac/orchestrator/episode"
	"almanac/orchestrator/event"
	"almanac/toolkits"
)

const (
	moduleRole  = "module"
	moduleTries = 2 // replies of a module: its call, and one more after an error
)

var aboutChameleon = about{
	summary: "One call writes the list of modules, which are tools without arguments. They run strictly in that order over a shared cache; " +
		"one call a module fills in its arguments. The list is never changed.",
	differs:  "a list of tools without arguments, run strictly in order, never planned again",
	source:   "Chameleon, arXiv 2304.09842",
	faithful: "A planner composes the modules from the question alone; each module reads the question and the cache and adds to the cache; an answer module ends; a list that cannot be read gives way to a default pipeline; no re-planning.",
	hardened: "The list is JSON over the names that exist, and read from other forms too; names that do not exist are left out. The default pipeline is " +
		"the tool that fits the question best and has an output of an answer field's unit, after the one that opens data where it needs some. A module whose call fails sees the error and calls once more, then the next one runs. " +
		"The answer module is added where the list lacks it.",
	model: true, prompts: []string{"chameleon/plan.txt", "chameleon/module.txt", "chameleon/answer.txt"},
}

// chameleon composes a pipeline of tools once and runs it.
type chameleon struct{ team *Team }

func newChameleon(team *Team, _ *Options) (Setup, error) { return &chameleon{team}, nil }

func (*chameleon) Name() string    { return "chameleon" }
func (*chameleon) UsesModel() bool { return true }

// Solve composes the pipeline and runs it to its end.
func (s *chameleon) Solve(ctx context.Context, ep *episode.Episode) error {
	b := newBoard(s.team, ep)
	if err := s.work(ctx, b); err != nil {
		b.role = plannerRole
		return finish(ctx, ep, b.loop, err)
	}
	return nil
}

func (s *chameleon) work(ctx context.Context, b *board) error {
	object, text, err := b.decide(ctx, plannerRole, "plan", b.modulesSchema(), system(moduleHead(s.team, b.ep.Tools)), user(question(b.ep)))
	if err != nil {
		return err
	}
	modules := b.readModules(object, text)
	if len(modules) == 0 {
		if modules, err = s.defaults(ctx, b, text); err != nil {
			return err
		}
	}
	for _, m := range modules {
		if m == answerTool {
			break
		}
		if err := s.run(ctx, b, m); err != nil {
			return err
		}
	}
	return b.conclude(ctx, moduleRole, concludeTurns, system(prompt("chameleon/answer.txt")), user(question(b.ep)+b.resultLines(ctx)))
}

// moduleHead is what the planner is told, the same for all tasks with these tools.
func moduleHead(team *Team, tools *toolkits.Registry) string {
	return prompt("chameleon/plan.txt") + "\nModules:\n" + toolLines(tools) + "answer: gives the answer from the results\n" +
		"decline: ends without an answer, because the data or the place does not exist here\nData sets:\n" + team.dataLines(nil)
}

func (b *board) modulesSchema() json.RawMessage {
	names := append(b.wireNames(), answerTool, declineTool)
	return mustJSON(map[string]any{
		"type": "object", "required": []string{"modules"},
		"properties": map[string]any{"modules": map[string]any{"type": "array", "items": map[string]any{"type": "string", "enum": names}}},
	})
}

// readModules reads the list; answer and decline both stand for the module that ends. Empty for a text that is no list of
// modules.
func (b *board) readModules(object map[string]any, text string) []string {
	var out []string
	add := func(name string) {
		bare := strings.ToLower(strings.Trim(strings.TrimSpace(name), "`'\"[](){},.;: "))
		if bare == answerTool || bare == declineTool {
			out = append(out, answerTool)
		} else if tool, ok := b.toolNamed(bare); ok && len(out) < maxPlanned {
			out = append(out, tool)
		}
	}
	list, _ := object["modules"].([]any)
	for _, x := range list {
		switch v := x.(type) {
		case string:
			add(v)
		case map[string]any:
			add(textOf(v, "module", "tool", "name"))
		}
	}
	if object == nil {
		b.modulesInText(text, add)
	}
	return out
}

// modulesInText reads a bare list: ["data_open", "gis_area"], or one module a line.
func (b *board) modulesInText(text string, add func(string)) {
	if start, end := strings.IndexByte(text, '['), strings.LastIndexByte(text, ']'); start >= 0 && end > start {
		for _, name := range strings.Split(text[start+1:end], ",") {
			add(name)
		}
		return
	}
	for _, line := range listed(text) {
		if fields := strings.Fields(line); len(fields) > 0 {
			add(fields[0])
		}
	}
}

// defaults is the pipeline that stands in for a list that cannot be read: the tool that fits the question best, of those
// with an output of an answer field's unit if there are any, after the one that opens data if it cannot work without.
func (s *chameleon) defaults(ctx context.Context, b *board, text string) ([]string, error) {
	message := "the list of modules could not be read, the default pipeline runs instead: " + capped(text, 200)
	if _, err := b.ep.Emit(plannerRole, 0, event.TypeError, &event.Error{Code: "unreadable_plan", Message: message}); err != nil {
		return nil, err
	}
	ends := (&single{team: s.team}).enders(ctx, b.ep, selectionQuery(b.ep))
	best, err := b.ranked(ctx, selectionQuery(b.ep), 1, func(t string) bool {
		return t != opener && (len(ends) == 0 || contains(ends, t))
	})
	if err != nil {
		return nil, err
	}
	tools := best.Tools()
	if len(tools) == 0 {
		return nil, nil
	}
	for _, p := range tools[0].Params {
		if p.Required && artifactsOnly(p.Kinds) && isTool(b.ep.Tools, opener) {
			return []string{opener, tools[0].Name}, nil
		}
	}
	return []string{tools[0].Name}, nil
}

// run is one module. What it could not do is in the cache as its error.
func (s *chameleon) run(ctx context.Context, b *board, module string) error {
	tools, err := b.ep.Tools.Select([]string{module})
	if err != nil {
		return err
	}
	messages := []llm.Message{
		system(prompt("chameleon/module.txt")), user(question(b.ep) + b.resultLines(ctx) + "Your tool: " + wireName(module) + "\n"),
	}
	b.seat(moduleRole, specs(tools, nil, false), messages...)
	b.purpose = "arguments"
	for range moduleTries {
		if _, err := b.turn(ctx); err != nil {
			return err
		}
		if len(b.handles) > b.found || b.repeated {
			break
		}
	}
	return nil
}
