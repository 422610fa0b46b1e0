package episode

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"almanac/orchestrator/event"
	"almanac/toolkits"
	"almanac/toolkits/artifact"
)

// Spec is a tool call that a setup wants made.
type Spec struct {
	ID        string // unique within the episode, and the same when the episode is run again
	Agent     string // who calls
	Tool      string
	Args      map[string]toolkits.Value
	Step      string
	Item      int    // index of a mapped item, -1 otherwise
	Schedule  int    // version of the schedule, 0 in a loop
	Statement string // canonical text of the call statement, or of the reply's call
	Invalid   error  // set when the call was refused before binding (unknown tool, schema); it is logged and fails
}

// Record is a call that was made, with its events and its result.
type Record struct {
	Call   *event.ToolCall
	Result *event.ToolResult // nil while it runs
	Output *toolkits.Result  // nil when it failed
}

// Records returns the calls made so far, in the order in which they started.
func (e *Episode) Records() []Record {
	e.mu.Lock()
	defer e.mu.Unlock()
	out := make([]Record, len(e.calls))
	for i, r := range e.calls {
		out[i] = *r
	}
	return out
}

// Record returns the call with that id.
func (e *Episode) Record(id string) (Record, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	r, ok := e.byID[id]
	if !ok {
		return Record{}, false
	}
	return *r, true
}

// Call binds and runs a tool. The call is logged before it runs and its result after. A pure call whose key is known
// in this episode is not run again: the hit is logged as a call marked memo. A transient error is retried with
// back-off; nothing else is. The error is an [*toolkits.Error], or wraps [ErrBudget] or the context's error, or says that
// the log or the store cannot be written: then it is no [*toolkits.Error], and the episode is at its end.
func (e *Episode) Call(ctx context.Context, s Spec) (*toolkits.Result, error) {
	tool, err := e.Tools.Tool(s.Tool)
	if s.Invalid != nil { // it knows which tools were offered
		err = s.Invalid
	}
	if err != nil {
		return nil, e.refused(s, tool, err)
	}
	bound, err := tool.Bind(ctx, e.env, s.Args)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, e.refused(s, tool, err)
	}
	if err := e.spend(&e.used.ToolCalls, "tool_calls", e.opts.Budget.ToolCalls); err != nil {
		return nil, err
	}
	return e.run(ctx, s, bound)
}

// Again logs, under an id of its own, that the call of an earlier id was made once more and answered from its result:
// nothing runs, and no budget is spent. A call that is still running cannot be answered from.
func (e *Episode) Again(id, earlier string) error {
	rec, ok := e.Record(earlier)
	if !ok || rec.Result == nil {
		return fmt.Errorf("episode: %s cannot repeat call %q, which has no result", id, earlier)
	}
	call, result := *rec.Call, *rec.Result
	call.ID, call.Memo = id, true
	result.Call, result.Seconds, result.Retries = id, 0, 0
	seq, err := e.Emit(call.Agent, 0, event.TypeToolCall, &call)
	if err != nil {
		return err
	}
	_, err = e.Emit(call.Agent, seq, event.TypeToolResult, &result)
	return err
}

// refused logs a call that could not be bound.
func (e *Episode) refused(s Spec, tool *toolkits.Tool, cause error) error {
	if err := e.spend(&e.used.ToolCalls, "tool_calls", e.opts.Budget.ToolCalls); err != nil {
		return err
	}
	plain := make(map[string]any, len(s.Args))
	for k, v := range s.Args {
		plain[k] = v.Plain()
	}
	raw, err := json.Marshal(plain)
	if err != nil {
		raw = nil
	}
	call := s.event(tool)
	call.Raw = string(raw)
	rec := &Record{Call: call}
	seq, err := e.start(rec)
	if err != nil {
		return err
	}
	te := toolkits.AsError(cause)
	return e.finish(rec, seq, nil, te, 0, 0)
}

func (s Spec) event(tool *toolkits.Tool) *event.ToolCall {
	c := &event.ToolCall{
		ID: s.ID, Tool: s.Tool, Agent: s.Agent, Step: s.Step, Item: s.Item, Schedule: s.Schedule, Statement: s.Statement,
		Arguments: []event.Argument{}, Effect: string(toolkits.Pure),
	}
	if tool != nil {
		c.Version, c.Group, c.Check, c.Resolver, c.Effect = tool.Version, tool.Group, tool.Check, tool.Resolver, string(tool.Effect)
	}
	return c
}

func (e *Episode) run(ctx context.Context, s Spec, bound *toolkits.Call) (*toolkits.Result, error) {
	rec := &Record{Call: s.event(bound.Tool)}
	rec.Call.Valid, rec.Call.Key, rec.Call.Arguments = true, bound.Key, bound.Arguments
	pure := bound.Tool.Effect == toolkits.Pure
	e.mu.Lock()
	known := e.memo[bound.Key]
	if !pure {
		known = e.opts.Replayed[bound.Key]
	}
	e.mu.Unlock()
	rec.Call.Memo = known != nil
	seq, err := e.start(rec)
	if err != nil {
		return nil, err
	}
	if known != nil {
		return e.done(rec, seq, relabel(known, s), nil, 0, 0)
	}
	begun := time.Now()
	var retries int
	var res *toolkits.Result
	if pure {
		res, retries, err = e.shared(ctx, bound, s)
	} else {
		res, retries, err = e.attempt(ctx, bound, s)
	}
	var unwritten *artifact.WriteError
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.As(err, &unwritten): // no fault of the tool: the episode cannot go on
		return nil, fmt.Errorf("episode: keeping the result of %s: %w", s.Tool, unwritten)
	}
	return e.done(rec, seq, res, err, retries, time.Since(begun))
}

func (e *Episode) done(rec *Record, seq int64, res *toolkits.Result, failed error, retries int, took time.Duration) (*toolkits.Result, error) {
	if failed != nil {
		return nil, e.finish(rec, seq, nil, toolkits.AsError(failed), retries, took)
	}
	return res, e.finish(rec, seq, res, nil, retries, took)
}

// shared runs a pure call once for all who ask for it at the same time, and remembers the result.
func (e *Episode) shared(ctx context.Context, bound *toolkits.Call, s Spec) (*toolkits.Result, int, error) {
	type outcome struct {
		res     *toolkits.Result
		retries int
	}
	v, err, _ := e.flight.Do(bound.Key, func() (any, error) {
		e.mu.Lock()
		res := e.memo[bound.Key]
		e.mu.Unlock()
		if res != nil {
			return outcome{res: res}, nil
		}
		res, retries, err := e.attempt(ctx, bound, s)
		if err == nil {
			e.mu.Lock()
			e.memo[bound.Key] = res
			e.mu.Unlock()
		}
		return outcome{res, retries}, err
	})
	o, _ := v.(outcome)
	if err != nil {
		return nil, o.retries, err
	}
	return relabel(o.res, s), o.retries, nil
}

// relabel gives a shared result the origin of this call.
func relabel(r *toolkits.Result, s Spec) *toolkits.Result {
	out := &toolkits.Result{Fields: make([]toolkits.Field, len(r.Fields))}
	for i, f := range r.Fields {
		origin := &toolkits.Origin{Call: s.ID, Step: s.Step, Output: f.Name}
		f.Value.Origin = origin
		if f.Value.List != nil {
			items := append([]toolkits.Value(nil), f.Value.List...)
			for j := range items {
				items[j].Origin = origin
			}
			f.Value.List = items
		}
		out.Fields[i] = f
	}
	return out
}

const (
	maxRetries = 3
	firstWait  = 200 * time.Millisecond
)

// attempt runs the call, and runs it again after transient errors.
func (e *Episode) attempt(ctx context.Context, bound *toolkits.Call, s Spec) (*toolkits.Result, int, error) {
	wait := firstWait
	for retries := 0; ; retries++ {
		res, err := bound.Run(ctx, toolkits.Made{Run: e.opts.Run, Episode: e.opts.ID, Call: s.ID, Step: s.Step})
		if err == nil || !toolkits.Transient(err) || retries == maxRetries {
			return res, retries, err
		}
		select {
		case <-time.After(wait):
			wait *= 2
		case <-ctx.Done():
			return nil, retries, ctx.Err()
		}
	}
}

func (e *Episode) start(rec *Record) (int64, error) {
	e.mu.Lock()
	e.calls = append(e.calls, rec)
	e.byID[rec.Call.ID] = rec
	e.mu.Unlock()
	return e.Emit(rec.Call.Agent, 0, event.TypeToolCall, rec.Call)
}

// finish logs the result; it returns the tool's error, or the log's.
func (e *Episode) finish(rec *Record, seq int64, res *toolkits.Result, failed *toolkits.Error, retries int, took time.Duration) error {
	out := &event.ToolResult{Call: rec.Call.ID, OK: failed == nil, Retries: retries, Seconds: took.Seconds()}
	if failed != nil {
		out.Code, out.Message = string(failed.Code), failed.Text()
	} else {
		for _, f := range res.Fields {
			out.Outputs = append(out.Outputs, outputs(f)...)
		}
	}
	e.mu.Lock()
	rec.Result, rec.Output = out, res
	e.mu.Unlock()
	if _, err := e.Emit(rec.Call.Agent, seq, event.TypeToolResult, out); err != nil {
		return err
	}
	if failed == nil {
		return nil
	}
	return failed
}

// outputs describes a field of a result; a list gives one output an item, all of the field's name.
func outputs(f toolkits.Field) []event.Output {
	if f.Value.Kind == toolkits.KindList {
		var all []event.Output
		for _, v := range f.Value.List {
			all = append(all, outputs(toolkits.Field{Name: f.Name, Value: v})...)
		}
		return all
	}
	o := event.Output{
		Name: f.Name, Kind: f.Value.Kind, Unit: f.Value.Unit, Difference: f.Value.Difference, Artifact: string(f.Value.Hash),
	}
	if !f.Value.IsArtifact() {
		o.Value = f.Value.Plain()
	}
	return []event.Output{o}
}

// IsBudget reports whether err came from a used-up budget.
func IsBudget(err error) bool { return errors.Is(err, ErrBudget) }

// Artifact reads an artifact for display or comparison.
func (e *Episode) Artifact(ctx context.Context, h artifact.Hash) (artifact.Value, artifact.Meta, error) {
	return e.env.Store.Get(ctx, h)
}
