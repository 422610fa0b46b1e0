package executor

import (
	"context"
	"errors"
	"fmt"

	"almanac/orchestrator/episode"
	"almanac/orchestrator/event"
	"almanac/orchestrator/schedule"
	"almanac/toolkits"

	"golang.org/x/sync/errgroup"
)

// outcome is what a step gave: named fields; each a list when the step was mapped.
type outcome struct {
	fields []toolkits.Field
	mapped bool
}

func (o *outcome) get(name string) (toolkits.Value, bool) {
	for _, f := range o.fields {
		if f.Name == name {
			return f.Value, true
		}
	}
	return toolkits.Value{}, false
}

var errSkipped = errors.New("skipped")

// execute runs one statement and sets the node's state. It runs in the node's own goroutine.
func (r *run) execute(ctx context.Context, n *node) {
	out, err := r.body(ctx, n)
	var barred *barredError
	switch {
	case n.logErr != nil:
	case err == nil:
		n.state, n.out = Done, out
	case errors.Is(err, errSkipped):
		n.state, n.reason = Skipped, "the guard chose otherwise"
	case errors.As(err, &barred):
		n.state, n.reason = barred.state, barred.reason
	case ctx.Err() != nil:
		n.state, n.reason = Cancelled, "interrupted"
	case episode.IsBudget(err):
		n.state, n.reason, n.budget = Cancelled, err.Error(), true
	default:
		n.fail(err)
	}
}

// begin logs that a step has started: when its first call has its turn, or at once for what makes no call.
func (r *run) begin(n *node) error {
	n.begun.Do(func() {
		_, n.logErr = r.ep.Emit("engine", 0, event.TypeStep, &event.Step{Step: n.label(), State: Running, Item: -1})
	})
	return n.logErr
}

// turn waits until a call of the step may run. The caller gives the turn back.
func (r *run) turn(ctx context.Context, n *node) error {
	if err := r.slotsSem.Acquire(ctx, 1); err != nil {
		return err
	}
	if err := r.begin(n); err != nil {
		r.slotsSem.Release(1)
		return err
	}
	return nil
}

// barredError is a step that cannot run because of what it needs.
type barredError struct{ state, reason string }

func (e *barredError) Error() string { return e.reason }

func (n *node) fail(err error) {
	te := toolkits.AsError(err)
	var known *toolkits.Error
	if !errors.As(err, &known) {
		n.logErr = err // not a tool's error: the log cannot be written
		return
	}
	n.state, n.reason = Failed, te.Error()
	n.failure = &Failure{Step: n.label(), Text: n.text, Code: string(te.Code), Message: te.Error(), Legal: te.Legal}
}

func (r *run) body(ctx context.Context, n *node) (*outcome, error) {
	switch b := n.stmt.Body.(type) {
	case *schedule.Call:
		out, err := r.call(ctx, n, b, scope{run: r}, -1)
		if err == nil && n.stmt.Name == "" {
			err = r.verdict(n, out)
		}
		return out, err
	case *schedule.Guarded:
		return r.guarded(ctx, n, b)
	case *schedule.Mapped:
		return r.mapped(ctx, n, b)
	case *schedule.First:
		if err := r.begin(n); err != nil {
			return nil, err
		}
		return r.first(b)
	case *schedule.Computed:
		return r.compute(ctx, n, b.Expr)
	}
	return &outcome{}, r.begin(n) // answer and decline: read when all is done
}

// verdict logs how a check went. A check that does not pass is no failed step.
func (r *run) verdict(n *node, out *outcome) error {
	passed, _ := out.get("passed")
	reason, _ := out.get("reason")
	call := n.stmt.Body.(*schedule.Call)
	if !passed.Bool {
		n.check = &Failure{Step: n.text, Text: n.text, Code: "check_failed", Message: reason.Text}
	}
	_, err := r.ep.Emit(call.Agent, 0, event.TypeCheck, &event.Check{
		Name: call.FullName(), By: "supervisor", Step: n.text, Passed: passed.Bool, Reason: reason.Text,
	})
	return err
}

// call makes one tool call, or hands an objective to a specialist.
func (r *run) call(ctx context.Context, n *node, c *schedule.Call, sc scope, item int) (*outcome, error) {
	id := n.id
	if item >= 0 {
		id = fmt.Sprintf("%s[%d]", n.id, item)
	}
	if err := r.turn(ctx, n); err != nil {
		return nil, err
	}
	defer r.slotsSem.Release(1)
	if c.IsAsk() {
		return r.objective(ctx, n, c, sc, id)
	}
	spec := episode.Spec{
		ID: id, Agent: r.agent(c), Tool: c.FullName(), Step: n.stmt.Name, Item: item, Schedule: r.opts.Version, Statement: n.text,
		Args: map[string]toolkits.Value{},
	}
	tool, err := r.ep.Tools.Tool(spec.Tool)
	if err == nil {
		spec.Args, spec.Invalid = sc.arguments(tool, c)
	}
	res, err := r.ep.Call(ctx, spec)
	if err != nil {
		return nil, err
	}
	return &outcome{fields: res.Fields}, nil
}

// agent is who makes a call.
func (r *run) agent(c *schedule.Call) string {
	if r.opts.Agent != "" {
		return r.opts.Agent
	}
	return c.Agent
}

func (r *run) objective(ctx context.Context, n *node, c *schedule.Call, sc scope, id string) (*outcome, error) {
	if r.opts.Asker == nil {
		return nil, toolkits.Errorf(toolkits.Unsupported, "objective steps need a specialist with a model; call a tool of %s instead", c.Agent)
	}
	given := map[string]toolkits.Value{}
	for _, a := range c.Given() {
		v, err := sc.eval(a.Value, nil, false)
		if err != nil {
			return nil, err
		}
		given[a.Name] = v
	}
	res, err := r.opts.Asker.Ask(ctx, Objective{
		Step: n.stmt.Name, ID: id, Agent: c.Agent, Text: c.Objective(), Returns: c.Returns(), Given: given, Version: r.opts.Version,
	})
	if err != nil {
		return nil, err
	}
	return &outcome{fields: res.Fields}, nil
}

func (r *run) guarded(ctx context.Context, n *node, g *schedule.Guarded) (*outcome, error) {
	sc := scope{run: r}
	if err := sc.available(g.Cond); err != nil {
		return nil, err
	}
	// A choice between plain values is a computation too, so that its result has a call to be bound to.
	if _, call := g.Then.(*schedule.Call); !call {
		if err := errors.Join(sc.available(g.Then), sc.available(g.Else)); err != nil {
			return nil, err
		}
		return r.choose(ctx, n, g)
	}
	yes, err := sc.truth(g.Cond)
	if err != nil {
		return nil, err
	}
	branch := g.Then
	if !yes {
		branch = g.Else
	}
	if err := sc.available(branch); err != nil {
		return nil, err
	}
	switch b := branch.(type) {
	case *schedule.Call:
		return r.call(ctx, n, b, sc, -1)
	case *schedule.None:
		return nil, errSkipped
	}
	return r.compute(ctx, n, branch)
}

func (r *run) mapped(ctx context.Context, n *node, m *schedule.Mapped) (*outcome, error) {
	over, err := scope{run: r}.eval(m.Over, nil, true)
	if err != nil {
		return nil, err
	}
	if over.Kind != toolkits.KindList {
		return nil, toolkits.Errorf(toolkits.BadArgument, "%s is no list to go over", schedule.Text(m.Over))
	}
	if len(over.List) > r.opts.MaxMap {
		return nil, toolkits.Errorf(toolkits.TooLarge, "%d items, and a mapped step has at most %d", len(over.List), r.opts.MaxMap)
	}
	outs := make([]*outcome, len(over.List))
	errs := make([]error, len(over.List))
	var g errgroup.Group // items do not stop each other: what finishes stays in the memo
	for i, item := range over.List {
		g.Go(func() error {
			outs[i], errs[i] = r.item(ctx, n, m, item, i)
			return nil
		})
	}
	_ = g.Wait() // every item's error is in errs
	for i, err := range errs {
		var te *toolkits.Error
		if errors.As(err, &te) {
			return nil, &toolkits.Error{Code: te.Code, Param: te.Param, Legal: te.Legal, Err: err, Message: fmt.Sprintf("item %d: %s", i, te.Message)}
		} else if err != nil {
			return nil, err
		}
	}
	return zip(outs), nil
}

func (r *run) item(ctx context.Context, n *node, m *schedule.Mapped, item toolkits.Value, i int) (*outcome, error) {
	out, err := r.call(ctx, n, m.Call, scope{run: r, loop: m.Var, item: item}, i)
	state, reason := Done, ""
	if err != nil {
		state, reason = Failed, err.Error()
	}
	if _, logErr := r.ep.Emit("engine", 0, event.TypeStep, &event.Step{Step: n.label(), State: state, Item: i, Reason: reason}); logErr != nil {
		return nil, logErr
	}
	return out, err
}

// zip turns the items' fields into lists, by name; a field that an item lacks is dropped.
func zip(outs []*outcome) *outcome {
	all := &outcome{mapped: true}
	if len(outs) == 0 {
		return all
	}
	for _, f := range outs[0].fields {
		list := toolkits.Value{Kind: toolkits.KindList}
		for _, o := range outs {
			if v, ok := o.get(f.Name); ok {
				list.List = append(list.List, v)
			}
		}
		if len(list.List) == len(outs) {
			all.fields = append(all.fields, toolkits.Field{Name: f.Name, Value: list})
		}
	}
	return all
}

// first passes over skipped steps only: one that failed makes this one cancelled.
func (r *run) first(f *schedule.First) (*outcome, error) {
	for _, ref := range f.Names {
		m := r.byName[ref.Name]
		if m == nil {
			continue
		}
		switch m.state {
		case Done:
			return m.out, nil
		case Failed, Cancelled:
			state, reason := inherited([]*node{m})
			return nil, &barredError{state, reason}
		}
	}
	return nil, &barredError{Skipped, "all of its steps were skipped"}
}
