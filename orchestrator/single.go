package orchestrator

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"strings"

	"almanac/agents/llm"
	"almanac/orchestrator/episode"
	"almanac/orchestrator/event"
	"almanac/toolkits"
)

//go:embed prompts/single.txt
var singlePrompt string

const (
	maxStalled = 4    // rounds without a new call or an answer before the loop is given up
	maxShown   = 4000 // bytes of one result that a model is shown
)

// single is one agent with every tool, by native function calling in a loop.
type single struct{ team *Team }

func newSingle(team *Team, _ *Options) (Setup, error) { return &single{team}, nil }

func (*single) Name() string    { return "single" }
func (*single) UsesModel() bool { return true }

// Solve runs the loop. It ends with the answer, a decline, a used-up budget, or when several rounds bring nothing new.
func (s *single) Solve(ctx context.Context, ep *episode.Episode) error {
	l := newLoop(ep, "agent", specs(ep.Tools, ep.Request.Contract, true))
	l.say(llm.RoleSystem, singlePrompt)
	l.say(llm.RoleUser, question(ep))
	for l.stalled < maxStalled {
		done, err := l.turn(ctx)
		if err != nil {
			return finish(ctx, ep, l, err)
		}
		if done {
			return nil
		}
	}
	return l.giveUp("several rounds brought nothing new")
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

// loop is a conversation in which the model calls tools.
type loop struct {
	ep       *episode.Episode
	role     string
	prefix   string // of the ids of its calls
	tools    []llm.ToolSpec
	names    map[string]string // wire name → tool
	messages []llm.Message
	seen     map[string]string // call key → what came of it
	results  map[string]*toolkits.Result
	calls    int
	stalled  int
	reasked  bool
	accept   func(name string, args map[string]any) (done bool, reply string, err error) // meta tools
}

func newLoop(ep *episode.Episode, role string, tools []llm.ToolSpec) *loop {
	l := &loop{
		ep: ep, role: role, tools: tools, names: map[string]string{}, seen: map[string]string{}, results: map[string]*toolkits.Result{},
	}
	for _, n := range ep.Tools.Names() {
		l.names[wireName(n)] = n
	}
	l.accept = l.end
	return l
}

func (l *loop) say(role, text string) {
	l.messages = append(l.messages, llm.Message{Role: role, Content: text})
}

// turn asks once and carries out what the model wants.
func (l *loop) turn(ctx context.Context) (done bool, err error) {
	resp, err := l.ep.Ask(ctx, l.role, "turn", &llm.Request{Messages: l.messages, Tools: l.tools})
	if err != nil {
		return false, err
	}
	l.messages = append(l.messages, resp.Message)
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
		l.messages = append(l.messages, llm.Message{Role: llm.RoleTool, ToolCallID: c.ID, ToolName: c.Name, Content: reply})
	}
	l.stalled++
	if progress {
		l.stalled = 0
	}
	return false, nil
}

// text handles a reply without a call: asked once more for a call, then taken as the answer if it can be read as one.
func (l *loop) text(content string) (bool, error) {
	if l.reasked {
		if fields := literalAnswer(content, l.ep.Request.Contract); len(fields) > 0 {
			return true, l.ep.Answer(l.role, fields)
		}
	}
	l.reasked = true
	l.stalled++
	l.say(llm.RoleUser, "Reply with a tool call. When you have the values, call answer with their handles, such as c2.mean.")
	return false, nil
}

// one carries out one call of a reply.
func (l *loop) one(ctx context.Context, c llm.ToolCall) (reply string, fresh, ended bool, err error) {
	args, readErr := arguments(c.Arguments)
	if readErr == nil && (c.Name == "answer" || c.Name == "decline") {
		ended, reply, err = l.accept(c.Name, args)
		return reply, false, ended, err
	}
	key := c.Name + string(c.Arguments)
	if before, again := l.seen[key]; again {
		return "already called; the result was: " + before, false, false, nil
	}
	l.calls++
	spec := episode.Spec{
		ID: l.id(l.calls), Agent: l.role, Tool: l.toolName(c.Name), Item: -1, Statement: l.id(l.calls) + " " + key,
	}
	switch {
	case c.Problem != "":
		spec.Invalid = toolkits.Errorf(toolkits.BadArgument, "%s", c.Problem)
	case readErr != nil:
		spec.Invalid = toolkits.Errorf(toolkits.BadArgument, "%w", readErr)
	default:
		spec.Args, spec.Invalid = l.values(spec.Tool, args)
	}
	res, err := l.ep.Call(ctx, spec)
	var te *toolkits.Error
	switch {
	case errors.As(err, &te):
		reply = "error: " + te.Error()
	case err != nil:
		return "", false, false, err
	default:
		l.results[spec.ID] = res
		reply = show(ctx, l.ep, spec.ID, res)
	}
	reply = capped(reply, maxShown)
	l.seen[key] = reply
	return reply, err == nil, false, nil
}

func (l *loop) id(n int) string { return fmt.Sprintf("%sc%d", l.prefix, n) }

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
			return out, err
		}
	}
	return out, nil
}

func (l *loop) resolve(v toolkits.Value, kinds []string) (toolkits.Value, error) {
	switch v.Kind {
	case toolkits.KindString:
		return l.handle(v, kinds)
	case toolkits.KindList:
		for i := range v.List {
			x, err := l.resolve(v.List[i], kinds)
			if err != nil {
				return v, err
			}
			v.List[i] = x
		}
	case toolkits.KindRecord:
		for k, x := range v.Record {
			y, err := l.resolve(x, nil)
			if err != nil {
				return v, err
			}
			v.Record[k] = y
		}
	}
	return v, nil
}

// handle reads "c2.mean" or "c2"; any other text stays text.
func (l *loop) handle(v toolkits.Value, kinds []string) (toolkits.Value, error) {
	id, field, dotted := strings.Cut(strings.TrimSpace(v.Text), ".")
	res, ok := l.results[id]
	if !ok {
		return v, nil
	}
	if dotted {
		f, ok := res.Get(field)
		if !ok {
			e := toolkits.Errorf(toolkits.NotFound, "%s has no field %q", id, field)
			for _, x := range res.Fields {
				e.Legal = append(e.Legal, id+"."+x.Name)
			}
			return v, e
		}
		return f, nil
	}
	var fits []toolkits.Value
	for _, f := range res.Fields {
		if len(kinds) == 0 || contains(kinds, f.Value.Kind) || f.Value.IsNumber() && contains(kinds, toolkits.KindNumber) {
			fits = append(fits, f.Value)
		}
	}
	if len(fits) != 1 {
		return v, toolkits.Errorf(toolkits.BadArgument, "%s has %d fields that fit here: name one", id, len(fits))
	}
	return fits[0], nil
}

func sortedNames(m map[string]toolkits.Value) []string {
	names := make([]string, 0, len(m))
	for n := range m {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// end carries out answer and decline.
func (l *loop) end(name string, args map[string]any) (bool, string, error) {
	if name == "decline" {
		reason, _ := args["reason"].(string)
		return true, "", l.ep.Decline(l.role, reason, texts(args["missing"]))
	}
	fields, problem := l.fields(args)
	if problem != "" {
		l.stalled++
		return false, "error: " + problem, nil
	}
	return true, "", l.ep.Answer(l.role, fields)
}

func texts(v any) []string {
	var out []string
	list, _ := v.([]any)
	for _, x := range list {
		out = append(out, fmt.Sprint(x))
	}
	return out
}

// fields reads the fields of an answer call.
func (l *loop) fields(args map[string]any) ([]event.AnswerField, string) {
	if len(args) == 0 {
		return nil, "answer needs the fields that were asked for: " + keys(l.ep.Request.Contract)
	}
	var out []event.AnswerField
	for _, f := range l.ep.Request.Contract {
		x, ok := args[f.Key]
		if !ok {
			continue
		}
		v, err := toolkits.Literal(x)
		if err == nil {
			v, err = l.resolve(v, answerKinds)
		}
		if err != nil {
			return nil, fmt.Sprintf("%s: %v", f.Key, err)
		}
		out = append(out, answerField(f.Key, v))
	}
	if len(out) == 0 && len(l.ep.Request.Contract) > 0 {
		return nil, "none of the fields that were asked for is there: " + keys(l.ep.Request.Contract)
	}
	return out, ""
}

// giveUp ends without an answer: every field unanswered, with the reason.
func (l *loop) giveUp(reason string) error {
	return unanswered(l.ep, l.role, reason)
}

func unanswered(ep *episode.Episode, agent, reason string) error {
	var fields []event.AnswerField
	for _, f := range ep.Request.Contract {
		fields = append(fields, event.AnswerField{Key: f.Key, Reason: reason})
	}
	return ep.Answer(agent, fields)
}
