package eval

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"almanac/eval/runlog"
	"almanac/orchestrator/event"
	"almanac/toolkits/artifact"
)

// episode runs one job to an end that counts, or marks it as failed by the harness. The error is the context's or the
// log's.
func (r *runner) episode(ctx context.Context, j job) error {
	retries, wait := r.opt.Retries, r.opt.Wait
	if retries == 0 {
		retries = 3
	}
	if wait <= 0 {
		wait = 2 * time.Second
	}
	begun := time.Now()
	for try := 0; ; try++ {
		outcome, scores, done, failed, err := r.attempt(ctx, j)
		if err != nil {
			return err
		}
		r.spend(done)
		if outcome != event.Harness || try >= retries || r.opt.Again != nil && !r.opt.Again(failed) {
			r.report(j, outcome, scores, time.Since(begun))
			return nil
		}
		j.Attempt, j.Previous = j.Attempt+1, append(j.Previous, done...)
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
			wait *= 2
		case <-ctx.Done():
			timer.Stop()
			return context.Cause(ctx)
		}
	}
}

// attempt is one try: start, what the setup does, end. done are the events that it emitted, failed is the setup's error.
func (r *runner) attempt(ctx context.Context, j job) (outcome string, scores *Scores, done []event.Event, failed, err error) {
	log := r.folder.Log()
	sink := &watcher{sink: log, episode: j.ID}
	_, err = log.Emit(event.Event{Episode: j.ID, Type: event.TypeEpisodeStart, Body: &event.EpisodeStart{
		Setup: j.arm.Setup, Model: j.arm.Model, Task: j.Task.Task.ID, Repeat: j.Repeat, Seed: j.Seed, Attempt: j.Attempt,
	}})
	if err != nil {
		return "", nil, nil, nil, err
	}
	begun := time.Now()
	failed = solve(ctx, j, sink)
	outcome, reason, fault := r.outcome(ctx, sink, failed)
	if fault != nil {
		if _, err := log.Emit(event.Event{Episode: j.ID, Type: event.TypeError, Agent: "engine", Body: fault}); err != nil {
			return "", nil, nil, nil, err
		}
		sink.keep(event.Event{Type: event.TypeError, Body: fault})
	}
	_, err = log.Emit(event.Event{Episode: j.ID, Type: event.TypeEpisodeEnd, Body: &event.EpisodeEnd{
		Outcome: outcome, Reason: reason, Seconds: took(j, time.Since(begun)), QueueSeconds: sink.queued(),
	}})
	switch {
	case err != nil:
		return "", nil, nil, nil, err
	case outcome == event.Cancelled:
		return "", nil, nil, nil, context.Cause(ctx)
	case Unwritable(failed):
		return "", nil, nil, nil, failed
	}
	return outcome, Score(*j.Task, sink.list()), sink.list(), failed, nil
}

// took is how long the setup worked.
func took(j job, measured time.Duration) float64 {
	if c, ok := j.arm.Solver.(Clock); ok {
		return c.Seconds(j.Job)
	}
	return measured.Seconds()
}

// Unwritable reports whether err says that the run's folder cannot be written: the disk is full, or gone. No episode can be
// run then; what was finished before is kept.
func Unwritable(err error) bool {
	var store *artifact.WriteError
	return errors.Is(err, runlog.ErrClosed) || errors.Is(err, runlog.ErrWrite) || errors.As(err, &store)
}

// crash is a panic of a setup.
type crash struct {
	value any
	stack []byte
}

func (c *crash) Error() string { return fmt.Sprintf("panic: %v", c.value) }

// solve turns a panic of the setup into an error: the setup failed, the run goes on.
func solve(ctx context.Context, j job, sink event.Sink) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &crash{v, debug.Stack()}
		}
	}()
	return j.arm.Solver.Solve(ctx, j.Job, sink)
}

// outcome says how an attempt ended, and what goes into the log as its fault.
func (r *runner) outcome(ctx context.Context, w *watcher, failed error) (outcome, reason string, fault *event.Error) {
	outcome = w.outcome()
	var panicked *crash
	switch {
	case failed == nil:
		return outcome, "", nil
	case Unwritable(failed):
		return event.Harness, failed.Error(), nil
	case ctx.Err() != nil:
		return event.Cancelled, context.Cause(ctx).Error(), nil
	case errors.As(failed, &panicked):
		return outcome, failed.Error(), &event.Error{Code: "crash", Message: failed.Error() + "\n" + string(panicked.stack)}
	case r.opt.Harness != nil && r.opt.Harness(failed):
		return event.Harness, failed.Error(), &event.Error{Code: "harness", Message: failed.Error(), Harness: true}
	}
	return outcome, failed.Error(), &event.Error{Code: "setup", Message: failed.Error()}
}

// watcher passes events on to the log, fills in the episode, and keeps them for scoring.
type watcher struct {
	sink    event.Sink
	episode string

	mu     sync.Mutex
	events []event.Event
}

// Emit passes the event on.
func (w *watcher) Emit(e event.Event) (int64, error) {
	e.Episode = w.episode
	seq, err := w.sink.Emit(e)
	if err == nil {
		e.Seq = seq
		w.keep(e)
	}
	return seq, err
}

func (w *watcher) keep(e event.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.events = append(w.events, e)
}

func (w *watcher) list() []event.Event {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.events
}

// queued sums what the model server made the episode wait.
func (w *watcher) queued() float64 {
	total := 0.0
	for _, e := range w.list() {
		if r, ok := e.Body.(*event.ModelReply); ok {
			total += r.Queue + r.Load
		}
	}
	return total
}

func (w *watcher) outcome() string {
	var answer *event.Answer
	for _, e := range w.list() {
		if a, ok := e.Body.(*event.Answer); ok {
			answer = a
		}
	}
	if answer == nil {
		return event.Unsolved
	}
	if answer.Declined {
		return event.Declined
	}
	have := 0
	for _, f := range answer.Fields {
		if f.Value != nil {
			have++
		}
	}
	switch {
	case have == 0:
		return event.Unsolved
	case have < len(answer.Fields):
		return event.Partial
	}
	return event.Answered
}

// count adds an episode to the running totals.
func (r *runner) count(arm runlog.Arm, s *Scores) {
	r.finished[arm]++
	if s.Success() {
		r.hits[arm]++
	}
	if t := s.Usage.Tokens.Total; t != nil {
		r.tokens += *t
	}
}

// spent is every token of an attempt that is known.
func spent(events []event.Event) int64 {
	u := usage(NewTrace(events))
	var total int64
	for _, t := range []Tokens{u.Tokens, u.Embedding, u.Judge} {
		if t.Total != nil {
			total += *t.Total
		}
	}
	return total
}

func (r *runner) spend(events []event.Event) {
	n := spent(events)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.spent += n
}

func (r *runner) report(j job, outcome string, s *Scores, took time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ran++
	r.pace.done(j.arm.Arm, took)
	if outcome != event.Harness {
		r.count(j.arm.Arm, s)
	}
	if r.opt.Progress == nil {
		return
	}
	r.opt.Progress(Progress{
		Setup: j.arm.Setup, Model: j.arm.Model, Task: j.Task.Task.ID, Done: r.already + r.ran, Total: r.total,
		Hits: r.hits[j.arm.Arm], SetupDone: r.finished[j.arm.Arm], Tokens: r.tokens, Outcome: outcome, Elapsed: time.Since(r.begun),
		Left: r.pace.left(max(1, r.opt.Parallel), max(1, r.opt.Parallel, r.opt.Free)), AlreadyDone: r.already,
		LastWasHarness: outcome == event.Harness,
	})
}
