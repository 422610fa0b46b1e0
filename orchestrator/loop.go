package orchestrator

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"almanac/agents/llm"
	"almanac/orchestrator/episode"
	"almanac/toolkits"
)

const (
	maxStalled = 4    // rounds without a new call or an answer before the loop is given up
	maxShown   = 4000 // bytes of one result that a model is shown
)

// loop is a conversation in which the model calls tools. Results are known by handles, c1, c2, …; each output of a
// result is written c1.mean.
type loop struct {
	ep       *episode.Episode
	role     string
	prefix   string // of the ids of its calls in the log; handles go without
	ends     bool   // answer and decline end the episode
	returns  bool   // a reply in words, after a result or a second time, ends the conversation
	purpose  string // of its questions; "" is turn
	tools    []llm.ToolSpec
	names    map[string]string // as the model may write it → tool
	messages []llm.Message
	seen     map[string]outcome // by call
	results  map[string]*toolkits.Result
	madeBy   map[string][]string // tool → handles of its results
	openedAs map[string][]string // name of what was opened → handles
	handles  []string            // in the order in which they came
	found    int                 // handles that were there before this conversation
	calls    int
	again    int    // calls that were answered from an earlier result
	wrote    bool   // a call that writes has succeeded
	stalled  int    // rounds in a row that brought nothing new
	last     string // what the last of these was
	reasked  bool
	reminded bool // of fields that an answer left out
	stuck    bool // the last call failed
	warned   bool // that a failed call is no reason to decline
	failed   *toolkits.Error
	wanted   string // a tool that the last turn named and that was not among those offered
	said     string // what the last turn said in words
	repeated bool   // the last call was one that had worked before
	holds    bool   // the end is kept in proposed, and the episode goes on
	proposed *proposal
	sampling sampling
}

// sampling is how a loop's replies are drawn where that differs from the run's.
type sampling struct {
	temperature *float64
	seed        *int64
}

// newLoop starts a conversation with these tools; no other can be called.
func newLoop(ep *episode.Episode, role string, tools []llm.ToolSpec) *loop {
	l := &loop{
		ep: ep, role: role, seen: map[string]outcome{}, results: map[string]*toolkits.Result{}, madeBy: map[string][]string{}, openedAs: map[string][]string{},
	}
	l.offer(tools)
	return l
}

// offer replaces the tools that can be called.
func (l *loop) offer(tools []llm.ToolSpec) {
	l.tools, l.names = tools, map[string]string{}
	shown := map[string]bool{}
	for _, t := range tools {
		shown[t.Name] = true
	}
	for _, n := range l.ep.Tools.Names() {
		if shown[wireName(n)] {
			l.names[wireName(n)], l.names[n] = n, n
		}
	}
}

func (l *loop) say(role, text string) {
	l.messages = append(l.messages, llm.Message{Role: role, Content: text})
}

// turn asks once and carries out what the model wants. Results go back in the order of the calls, each with its id.
func (l *loop) turn(ctx context.Context) (done bool, err error) {
	resp, err := l.ep.Ask(ctx, l.role, cmp.Or(l.purpose, "turn"), &llm.Request{
		Messages: l.messages, Tools: l.tools, Temperature: l.sampling.temperature, Seed: l.sampling.seed,
	})
	if err != nil {
		return false, err
	}
	l.messages = append(l.messages, resp.Message)
	l.said, l.wanted, l.repeated = resp.Message.Content, "", false
	if len(resp.Message.ToolCalls) == 0 {
		return l.text(resp.Message.Content)
	}
	progress := false
	for _, c := range resp.Message.ToolCalls {
		reply, fresh, ended, err := l.one(ctx, c)
		if err != nil {
			return false, err
		}
		if ended {
			return true, nil
		}
		progress = progress || fresh
		l.last = c.Name + ": " + capped(strings.TrimSpace(reply), 200)
		l.messages = append(l.messages, llm.Message{Role: llm.RoleTool, ToolCallID: c.ID, ToolName: c.Name, Content: reply})
	}
	l.stalled++
	if progress {
		l.stalled = 0
	}
	return false, nil
}

// one carries out one call of a reply. fresh is true when it brought a result that was not there before.
func (l *loop) one(ctx context.Context, c llm.ToolCall) (reply string, fresh, ended bool, err error) {
	args, readErr := arguments(c.Arguments)
	if l.ends && (c.Name == answerTool || c.Name == declineTool) {
		if readErr != nil || c.Problem != "" && len(args) == 0 {
			return "error: " + strings.TrimSpace(c.Problem+" the arguments are one JSON object"), false, false, nil
		}
		ended, reply, err = l.end(c.Name, args)
		return reply, false, ended, err
	}
	if l.names[c.Name] == "" && (c.Name == answerTool || c.Name == declineTool) {
		return "error: you do not end the work. Call one of your tools", false, l.returns, nil
	}
	key := callKey(c)
	if before, again := l.seen[key]; again && !before.outdated(l) {
		l.repeated = !before.failed
		l.again++
		if err := l.ep.Again(fmt.Sprintf("%sr%d", l.prefix, l.again), before.id); err != nil {
			return "", false, false, err
		}
		return "already called with these arguments; the result was: " + before.reply, false, false, nil
	}
	l.calls++
	handle := fmt.Sprintf("c%d", l.calls)
	spec := episode.Spec{
		ID: l.prefix + handle, Agent: l.role, Tool: l.toolName(c.Name), Item: -1, Statement: handle + " " + key,
	}
	spec.Args, spec.Invalid = l.prepare(c, spec.Tool, args, readErr)
	res, err := l.ep.Call(ctx, spec)
	var te *toolkits.Error
	switch {
	case errors.As(err, &te):
		l.failed = te
		reply = "error: " + te.Error()
	case err != nil:
		return "", false, false, err
	default:
		l.keep(handle, spec, res)
		reply = show(ctx, l.ep, handle, res)
	}
	l.stuck = te != nil
	reply = capped(reply, maxShown)
	l.seen[key] = outcome{spec.ID, reply, te != nil, len(l.handles)}
	return reply, te == nil, false, nil
}

// prepare reads the call's arguments, or says why the call cannot be made.
func (l *loop) prepare(c llm.ToolCall, tool string, args map[string]any, readErr error) (map[string]toolkits.Value, error) {
	switch {
	case readErr != nil:
		return nil, toolkits.Errorf(toolkits.BadArgument, "%w", readErr)
	case l.names[c.Name] == "":
		l.wanted = c.Name
		e := toolkits.Errorf(toolkits.NotFound, "there is no tool %q here", c.Name)
		for _, t := range l.tools {
			e.Legal = append(e.Legal, t.Name)
		}
		e.Legal = toolkits.Nearest(c.Name, e.Legal, 8)
		return nil, e
	case c.Problem != "" && c.ProblemKind != llm.ProblemUnknownTool && !l.mendable(args):
		return nil, toolkits.Errorf(toolkits.BadArgument, "%s", c.Problem)
	}
	return l.values(tool, args)
}

// mendable reports whether arguments that the schema refuses may still be what the tool takes, because a handle stands
// where the schema wants the value itself. The binder, which knows the value, decides.
func (l *loop) mendable(args map[string]any) bool {
	for _, x := range args {
		if text, ok := x.(string); ok && l.isHandle(text) {
			return true
		}
	}
	return false
}

// outcome is what came of a call.
type outcome struct {
	id      string // of the call in the log
	reply   string
	failed  bool
	handles int // results that there were then
}

// outdated tells of a call that failed and may not fail now, because there are results that were not there then.
func (o outcome) outdated(l *loop) bool { return o.failed && len(l.handles) > o.handles }

func (l *loop) keep(handle string, spec episode.Spec, res *toolkits.Result) {
	l.results[handle] = res
	l.handles = append(l.handles, handle)
	l.madeBy[spec.Tool] = append(l.madeBy[spec.Tool], handle)
	t, err := l.ep.Tools.Tool(spec.Tool)
	if err != nil {
		return
	}
	if t.Effect != toolkits.Pure {
		l.wrote = true
	}
	for _, name := range opened(t, spec.Args) {
		l.openedAs[name] = append(l.openedAs[name], handle)
	}
}

// opened are names for the result of a tool that opens something of the catalog: "sst", "coads_climatology.sst". Models
// write them where only a handle can stand, and as long as one result has the name it is one.
func opened(t *toolkits.Tool, args map[string]toolkits.Value) []string {
	var chosen []string
	depends := false
	for _, p := range t.Params {
		if v, given := args[p.Name]; given && len(p.Choices) > 0 && v.Text != "" {
			chosen = append(chosen, v.Text)
			depends = depends || p.Choices[0].When != nil
		}
	}
	if !depends || len(chosen) < 2 {
		return nil
	}
	return []string{chosen[len(chosen)-1], strings.Join(chosen, "."), strings.Join(chosen, "/")}
}

// callKey is the same for equal calls, however their arguments are written.
func callKey(c llm.ToolCall) string {
	args := c.Arguments
	if canonical, err := llm.CanonicalJSON(args); err == nil {
		args = canonical
	}
	return c.Name + string(args)
}

func (l *loop) toolName(wire string) string {
	if name, ok := l.names[wire]; ok {
		return name
	}
	return wire
}

// arguments decodes a call's arguments with every digit kept.
func arguments(raw json.RawMessage) (map[string]any, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	dec := json.NewDecoder(strings.NewReader(string(raw)))
	dec.UseNumber()
	var args map[string]any
	if err := dec.Decode(&args); err != nil {
		return nil, fmt.Errorf("the arguments are no JSON object: %w", err)
	}
	return args, nil
}

// values turns arguments into values; a text that is a handle of an earlier call becomes what it stands for.
func (l *loop) values(tool string, args map[string]any) (map[string]toolkits.Value, error) {
	out := make(map[string]toolkits.Value, len(args))
	t, err := l.ep.Tools.Tool(tool)
	if err != nil {
		return out, nil // the call itself will say so
	}
	for name, x := range args {
		v, err := toolkits.Literal(x)
		if err != nil {
			return out, err
		}
		var kinds []string
		if p, ok := t.Param(name); ok {
			kinds = p.Kinds
		}
		if out[name], err = l.resolve(v, kinds); err != nil {
			var te *toolkits.Error
			if errors.As(err, &te) && te.Param == "" {
				te.Param = name
			}
			return out, err
		}
	}
	return l.formula(tool, out), nil
}
