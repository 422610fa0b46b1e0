package orchestrator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"almanac/agents/llm"
	"almanac/agents/llm/langchain"
	modelreply "almanac/agents/llm/reply"
	"almanac/orchestrator/episode"
	"almanac/toolkits"

	lcagents "github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/schema"
	lctools "github.com/tmc/langchaingo/tools"
)

const langchainLimit = 400 // tokens of a step

var aboutLangchain = about{
	differs: "one agent in the loop of an outside library, with calls written as text",
	summary: "langchaingo's own agent executor with its zero-shot ReAct agent: it writes thought, action and input as text, over our tools " +
		"through its tool interface and our model through its model interface. An outside comparator.",
	source:   "github.com/tmc/langchaingo v0.1.14, agents.Executor with agents.NewOneShotAgent; ReAct, arXiv 2210.03629",
	faithful: "Executor, agent, prompt layout, scratchpad, parsing of actions and its handling of unparsable replies are the library's.",
	hardened: "The prompt names handles, answer and decline, and leaves out the day's date, so that runs can be replayed. A final answer " +
		"that is no answer to the fields is handed back as an unparsable reply, a loop that brings nothing new is ended, inputs are repaired " +
		"as all calls are. The library's stop words are applied to what has been written.",
	model: true, prompts: []string{"langchain/prefix.txt", "langchain/format.txt", "langchain/suffix.txt"},
}

// langchainSetup runs langchaingo's executor.
type langchainSetup struct{}

func newLangchain(*Team, *Options) (Setup, error) { return langchainSetup{}, nil }

func (langchainSetup) Name() string    { return "langchain" }
func (langchainSetup) UsesModel() bool { return true }

// Ends of an episode on their way through the library.
var (
	errEnded   = errors.New("orchestrator: the episode has its answer")
	errStalled = errors.New("orchestrator: the loop brings nothing new")
)

// Solve runs the executor until a tool ends the episode, or the library gives up.
func (langchainSetup) Solve(ctx context.Context, ep *episode.Episode) error {
	l := newLoop(ep, "agent", specs(ep.Tools, ep.Request.Contract, true))
	l.ends = true
	var tools []lctools.Tool
	for _, s := range l.tools {
		tools = append(tools, &lcTool{loop: l, spec: s, signature: signatureOf(ep.Tools, l.toolName(s.Name), s)})
	}
	agent := &lcAgent{loop: l, Agent: lcagents.NewOneShotAgent(
		langchain.Outward(ep.Model("agent", "turn"), langchainLimit), tools,
		lcagents.WithPromptPrefix(prompt("langchain/prefix.txt")), lcagents.WithPromptFormatInstructions(prompt("langchain/format.txt")),
		lcagents.WithPromptSuffix(prompt("langchain/suffix.txt")),
	)}
	executor := lcagents.NewExecutor(agent, lcagents.WithMaxIterations(maxRounds), lcagents.WithParserErrorHandler(
		lcagents.NewParserErrorHandler(func(string) string {
			return "That could not be read. Write Action: and Action Input: as shown; end with the action answer."
		})))
	_, err := executor.Call(ctx, map[string]any{"input": question(ep)})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, errEnded):
		return nil
	case err == nil, errors.Is(err, errStalled), errors.Is(err, lcagents.ErrNotFinished), errors.Is(err, lcagents.ErrAgentNoReturn):
		return l.stall()
	}
	return finish(ctx, ep, l, err)
}

// lcAgent watches the library's agent: what it takes for a final answer has to be one.
type lcAgent struct {
	lcagents.Agent
	loop *loop
}

// Plan asks the library's agent for its next step.
func (a *lcAgent) Plan(ctx context.Context, steps []schema.AgentStep, inputs map[string]string, options ...chains.ChainCallOption) ([]schema.AgentAction, *schema.AgentFinish, error) {
	if a.loop.stalled >= maxStalled {
		return nil, nil, errStalled
	}
	actions, end, err := a.Agent.Plan(ctx, steps, inputs, options...)
	if errors.Is(err, lcagents.ErrUnableToParseOutput) {
		a.loop.stalled++
		a.loop.last = capped(err.Error(), 200)
		return nil, nil, a.unread(err)
	}
	if err != nil || end == nil {
		return actions, end, err
	}
	text := fmt.Sprint(end.ReturnValues["output"])
	a.loop.stalled++
	a.loop.last = "a final answer: " + capped(text, 200)
	if claim.MatchString(text) && !a.loop.wrote {
		return nil, nil, lcagents.ErrUnableToParseOutput
	}
	fields := a.loop.written(text)
	if len(fields) == 0 {
		return nil, nil, lcagents.ErrUnableToParseOutput
	}
	if err := a.loop.answer(fields); err != nil {
		return nil, nil, err
	}
	return nil, nil, errEnded
}

// unread lets a reply without any marker count as the answer when it was asked for once more and still reads as one.
func (a *lcAgent) unread(err error) error {
	text := strings.TrimPrefix(err.Error(), lcagents.ErrUnableToParseOutput.Error()+": ")
	if !a.loop.reasked {
		a.loop.reasked = true
		return err
	}
	if fields := a.loop.written(text); len(fields) > 0 && !claim.MatchString(text) {
		if err := a.loop.answer(fields); err != nil {
			return err
		}
		return errEnded
	}
	return err
}

// lcTool is one of our tools as langchaingo's.
type lcTool struct {
	loop      *loop
	spec      llm.ToolSpec
	signature string
}

func (t *lcTool) Name() string        { return t.spec.Name }
func (t *lcTool) Description() string { return t.signature + " " + t.spec.Description }

// Call runs the tool. What goes wrong in it is an observation; an error ends the executor.
func (t *lcTool) Call(ctx context.Context, input string) (string, error) {
	c := t.call(input)
	text, fresh, ended, err := t.loop.one(ctx, c)
	switch {
	case err != nil:
		return "", err
	case ended:
		return "", errEnded
	}
	if t.loop.stalled++; fresh {
		t.loop.stalled = 0
	}
	t.loop.last = c.Name + ": " + capped(strings.TrimSpace(text), 200)
	return text, nil
}

// call reads the input, repaired and checked as every call is; an input that is no object stands for the only parameter.
func (t *lcTool) call(input string) llm.ToolCall {
	c := llm.ToolCall{Name: t.spec.Name, Arguments: json.RawMessage(bareInput(input))}
	reader, err := modelreply.New(nil)
	if err != nil { // without options there is nothing to refuse
		panic("orchestrator: " + err.Error())
	}
	if _, err := arguments(c.Arguments); err != nil {
		if only := t.only(); only != "" && !strings.HasPrefix(bareInput(input), "{") {
			c.Arguments = mustJSON(map[string]any{only: strings.Trim(bareInput(input), "\"'`")})
		}
	}
	args, repairs, faults := reader.Arguments(t.spec.Schema, c.Arguments)
	if len(args) > 0 {
		c.Arguments, c.Repairs = args, repairs
	}
	if len(faults) > 0 {
		c.Problem, c.ProblemKind = strings.Join(faults, "; "), llm.ProblemInvalidArguments
	}
	return c
}

// bareInput takes off a code fence and blanks.
func bareInput(input string) string {
	text := strings.TrimSpace(input)
	if rest, fenced := strings.CutPrefix(text, "```"); fenced {
		text = strings.TrimSuffix(strings.TrimSpace(strings.TrimPrefix(rest, "json")), "```")
	}
	return strings.TrimSpace(text)
}

// only is the tool's one parameter, "" where it has another number of them.
func (t *lcTool) only() string {
	var s struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if json.Unmarshal(t.spec.Schema, &s) != nil || len(s.Properties) != 1 {
		return ""
	}
	for name := range s.Properties {
		return name
	}
	return ""
}

// signatureOf is a tool with its parameters in a line.
func signatureOf(r *toolkits.Registry, tool string, spec llm.ToolSpec) string {
	if t, err := r.Tool(tool); err == nil {
		_, params, _ := strings.Cut(t.Signature(), "(")
		return "(" + params + "."
	}
	return string(spec.Schema)
}
