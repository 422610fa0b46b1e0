// Package sample makes tasks and setups for the tests of packages eval and report: small, invented, and with every
// kind of event that a real run has. Nothing of it is measured.
package sample

import (
	"context"
	"fmt"
	"hash/fnv"

	"almanac/eval"
	"almanac/eval/runlog"
	"almanac/orchestrator/event"
	"almanac/scenarios"
	"almanac/toolkits"
	"almanac/toolkits/artifact"
)

var places = []string{"Kenya", "Peru", "Norway", "Java", "Cuba", "Chad", "Nepal", "Fiji", "Oman", "Mali", "Laos", "Togo"}

// value is the invented right answer of task i.
func value(i int) float64 { return 12.5 + 1.25*float64(i) }

// Tasks returns n tasks of n templates; the last asks for something that cannot be answered if decline is set.
func Tasks(n int, decline bool) []eval.Task {
	out := make([]eval.Task, n)
	for i := range out {
		place := places[i%len(places)]
		t := scenarios.Task{
			ID: fmt.Sprintf("mean-sst-%02d", i), Template: fmt.Sprintf("mean-sst-%02d", i), Split: "test", Track: scenarios.Fundamentals,
			Domains:  []string{"ocean"},
			Question: fmt.Sprintf("How warm is the sea around %s in an average year, and in which month is it warmest?", place),
			Answer: []scenarios.Field{
				{Key: "warmth", Type: scenarios.Number, Unit: "degC", AbsTol: 0.1, Description: "mean over the year"},
				{Key: "month", Type: scenarios.Instant, Description: "the warmest month"},
			},
			Expected: map[string]any{"warmth": value(i), "month": "August"},
		}
		if decline && i == n-1 {
			t.Question = fmt.Sprintf("How many herring were landed around %s in 1890?", place)
			t.Decline, t.Expected = true, nil
			out[i] = eval.Task{Task: t}
			continue
		}
		task := eval.Task{Task: t}
		episode := newEpisode(&task, i, nil)
		episode.right()
		x, err := eval.NewExecuted(episode.text, episode.events)
		if err != nil {
			panic(err) // the sample is wrong
		}
		task.Executed = []eval.Executed{x}
		out[i] = task
	}
	return out
}

// Quality is how an episode goes.
type Quality int

// How an episode can go.
const (
	Right    Quality = iota
	Wrong            // another variable, an answer outside the tolerance
	Guess            // a literal, no call
	Broken           // a call refused, a tool error, a budget used up
	Declines         // says that it cannot be answered
)

// Solver is an invented setup.
type Solver struct {
	Quality func(task string, repeat int) Quality
	Tokens  int64 // an episode's; 0 means that it uses no model
	Store   *artifact.Store
	// Before is called at the start of an episode and after each of its events; an error ends it there.
	Before func(job eval.Job, events int) error
}

// Solve plays an episode.
func (s *Solver) Solve(ctx context.Context, job eval.Job, sink event.Sink) error {
	var i int
	if _, err := fmt.Sscanf(job.Task.Task.ID, "mean-sst-%d", &i); err != nil {
		return err
	}
	e := newEpisode(job.Task, i, s.Store)
	if s.Tokens > 0 {
		e.model(s.Tokens)
	}
	switch s.Quality(job.Task.Task.ID, job.Repeat) {
	case Right:
		e.right()
	case Wrong:
		e.wrong()
	case Guess:
		e.guess()
	case Broken:
		e.broken()
	case Declines:
		e.add(event.TypeAnswer, "supervisor", &event.Answer{Declined: true, Reason: "no data set holds this",
			Fields: []event.AnswerField{{Key: "warmth", Reason: "declined"}, {Key: "month", Reason: "declined"}}})
	}
	if e.err != nil {
		return e.err
	}
	for n, ev := range e.events {
		if s.Before != nil {
			if err := s.Before(job, n); err != nil {
				return err
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if _, err := sink.Emit(ev); err != nil {
			return err
		}
	}
	return nil
}

// episode collects events.
type episode struct {
	task   *eval.Task
	index  int
	store  *artifact.Store
	text   string
	events []event.Event
	err    error
}

func newEpisode(task *eval.Task, i int, store *artifact.Store) *episode {
	return &episode{task: task, index: i, store: store}
}

func (e *episode) add(t event.Type, agent string, body any) {
	e.events = append(e.events, event.Event{Type: t, Agent: agent, Body: body})
}

func (e *episode) model(tokens int64) {
	prompt, completion := tokens*4/5, tokens-tokens*4/5
	e.add(event.TypeToolSelection, "engine", &event.ToolSelection{Query: e.task.Task.Question, Index: "lexical",
		Chosen: []string{"data.open", "data.region_series", "gis.area"}, Scores: []event.ToolScore{{Tool: "data.open", Score: 3.1}}})
	e.add(event.TypeModelRequest, "supervisor", &event.ModelRequest{Role: "supervisor", Purpose: "plan", Model: "sample", Bytes: tokens * 3})
	e.add(event.TypeModelReply, "supervisor", &event.ModelReply{Role: "supervisor", Purpose: "plan", Finish: "stop", Prompt: &prompt,
		Completion: &completion, Total: &tokens, Attempts: 1, Queue: 0.25, PromptTime: 0.5, Generate: 1.25,
		Calls: []event.ReplyCall{{Name: "data.open", Obtained: "native"}}})
}

func (e *episode) schedule(variable string) {
	e.text = fmt.Sprintf("sst = data.open(dataset=\"coads_climatology\", variable=%q)\n", variable) +
		fmt.Sprintf("months = data.region_series(raster=sst, zones=%q)\n", places[e.index%len(places)]) +
		"answer(warmth=months.mean, month=months.argmax)\n"
	e.add(event.TypeSchedule, "supervisor", &event.Schedule{Version: 1, Text: e.text, Hash: "sample", Mode: "program", Valid: true})
}

func (e *episode) right() { e.plan("sst", value(e.index), "August") }

func (e *episode) wrong() { e.plan("air_temperature", value(e.index)-0.3, "August") }

// plan is the two calls and the answer.
func (e *episode) plan(variable string, mean float64, month string) {
	e.schedule(variable)
	place := places[e.index%len(places)]
	field := variable + " around " + place
	raster := e.artifact(&artifact.Text{Text: "the field " + field}, "raster")
	e.call("sst", "data.open", "data", 1, []event.Argument{
		{Name: "dataset", Rule: "text", Value: "coads_climatology", Literal: true},
		{Name: "variable", Rule: "text", Value: variable, Literal: true},
	}, event.Output{Name: "data", Kind: "raster", Unit: "degC", Artifact: string(raster)})
	warm := e.artifact(&artifact.Scalar{Value: mean, Type: artifact.Number, Unit: "degC"}, "scalar")
	when := e.artifact(&artifact.Text{Text: month}, "text")
	zone := e.artifact(&artifact.Text{Text: "the area of " + place}, "vector")
	e.call("months", "data.region_series", "data", 2, []event.Argument{
		{Name: "raster", Rule: "artifact", Value: string(raster), Hash: raster,
			Inputs: []toolkits.Input{{Call: "sst", Output: "data", Hash: raster}}},
		{Name: "zones", Rule: "artifact", Value: string(zone), Hash: zone, Given: place, Literal: true},
		{Name: "statistic", Rule: "text", Value: "mean", Default: true},
	},
		event.Output{Name: "mean", Kind: "number", Value: mean, Unit: "degC", Artifact: string(warm)},
		event.Output{Name: "argmax", Kind: "instant", Value: month, Artifact: string(when)})
	e.add(event.TypeCheck, "engine", &event.Check{Name: "coverage", By: "engine", Passed: true})
	e.add(event.TypeAnswer, "engine", &event.Answer{Fields: []event.AnswerField{
		{Key: "warmth", Value: mean, Unit: "degC", Bound: true, Artifact: string(warm), Call: "months", Output: "mean", Step: "months"},
		{Key: "month", Value: month, Bound: true, Artifact: string(when), Call: "months", Output: "argmax", Step: "months"},
	}})
}

// artifact stores v, or only hashes it without a store. kind is what the log says that it is.
func (e *episode) artifact(v artifact.Value, kind string) artifact.Hash {
	if e.store == nil {
		h, err := artifact.HashOf(v)
		e.fail(err)
		return h
	}
	m, err := e.store.Put(context.Background(), v)
	e.fail(err)
	return m.Hash
}

func (e *episode) fail(err error) {
	if e.err == nil {
		e.err = err
	}
}

func (e *episode) call(id, tool, group string, line int, args []event.Argument, outputs ...event.Output) {
	h := fnv.New64a()
	fmt.Fprint(h, tool)
	for _, a := range args {
		fmt.Fprint(h, a.Name, a.Value)
	}
	key := fmt.Sprintf("%016x", h.Sum64())
	statement := splitLines(e.text)[line-1]
	e.add(event.TypeStep, "engine", &event.Step{Step: id, State: "running", Item: -1})
	e.add(event.TypeToolCall, group, &event.ToolCall{ID: id, Tool: tool, Version: "1", Agent: group, Group: group, Step: id, Item: -1,
		Schedule: 1, Statement: statement, Arguments: args, Key: key, Valid: true, Effect: "pure"})
	e.add(event.TypeToolResult, group, &event.ToolResult{Call: id, OK: true, Outputs: outputs, Seconds: 0.04})
	e.add(event.TypeStep, "engine", &event.Step{Step: id, State: "done", Item: -1})
	if e.store == nil {
		return
	}
	for _, o := range outputs {
		e.fail(e.store.Record(context.Background(), artifact.Provenance{Artifact: artifact.Hash(o.Artifact), Field: o.Name, Call: key, Tool: tool}))
	}
}

func splitLines(s string) []string {
	var out []string
	start := 0
	for i, r := range s {
		if r == '\n' {
			out, start = append(out, s[start:i]), i+1
		}
	}
	return out
}

func (e *episode) guess() {
	e.add(event.TypeAnswer, "agent", &event.Answer{Fields: []event.AnswerField{
		{Key: "warmth", Value: 25.0, Unit: "degC", Reason: "a literal: no call made it"},
		{Key: "month", Reason: "no value was given"},
	}})
}

func (e *episode) broken() {
	e.schedule("sst")
	e.add(event.TypeToolCall, "gis", &event.ToolCall{ID: "c1", Tool: "gis.mean_of", Agent: "gis", Item: -1, Schedule: 1, Arguments: []event.Argument{},
		Raw: `{"layer":"sst"}`, Effect: "pure"})
	e.add(event.TypeToolResult, "gis", &event.ToolResult{Call: "c1", Code: "bad_argument", Message: "no tool is named gis.mean_of; there are gis.zonal_stats"})
	e.add(event.TypeBudget, "engine", &event.Budget{Name: "model_calls", Limit: 8, Used: 8})
	e.add(event.TypeAnswer, "engine", &event.Answer{Fields: []event.AnswerField{
		{Key: "warmth", Reason: "the budget is used up"}, {Key: "month", Reason: "the budget is used up"}}})
}

// Arms are the setups of a sample comparison: search, squad and single, with a model that is called sample.
func Arms(store *artifact.Store) []eval.Arm {
	arm := func(setup, model string, tokens int64, q func(string, int) Quality) eval.Arm {
		return eval.Arm{Arm: runlog.Arm{Setup: setup, Model: model}, Solver: &Solver{Quality: q, Tokens: tokens, Store: store}}
	}
	return []eval.Arm{
		arm("search", "", 0, func(task string, _ int) Quality { return pick(task, 1, Right, Wrong, Right) }),
		arm("squad", "scripted:sample", 1800, func(task string, _ int) Quality { return pick(task, 2, Right, Right, Right, Declines, Right) }),
		arm("single", "scripted:sample", 5200, func(task string, _ int) Quality { return pick(task, 3, Broken, Right, Guess, Wrong) }),
	}
}

// pick chooses by the task's number, so that the same task always goes the same way.
func pick(task string, step int, choices ...Quality) Quality {
	var i int
	// A task that is not the sample's own counts as number 0.
	_, _ = fmt.Sscanf(task, "mean-sst-%d", &i)
	return choices[(i*step)%len(choices)]
}
