package eval

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"almanac/eval/runlog"
	"almanac/orchestrator/event"

	"golang.org/x/sync/errgroup"
)

// ErrChanged is wrapped when a run is taken up again with other tasks, setups or seeds than it was begun with.
var ErrChanged = errors.New("the run was begun with something else")

// Job is one episode to be solved.
type Job struct {
	ID       string
	Run      string
	Task     *Task
	Repeat   int
	Seed     int64
	Attempt  int
	Previous []event.Event // of the attempts that were cut off; their finished writing calls must not be repeated
}

// Solver is a setup, ready to solve tasks. Everything that it does it emits to sink, ending with an answer; the start
// and the end of the episode are the runner's. An error is the setup's own failure, and counts, unless it is the
// context's, the log's, or [Options.Harness] says that it is the harness's.
type Solver interface {
	Solve(ctx context.Context, job Job, sink event.Sink) error
}

// Clock is a solver that knows how long the work took when it was recorded; playing it back takes no time. 0 is unknown.
type Clock interface {
	Seconds(job Job) float64
}

// Arm is a setup with a model.
type Arm struct {
	runlog.Arm
	Solver Solver
}

// Options of a run. The zero value is useful.
type Options struct {
	// Parallel is the number of episodes that ask a model at the same time; 0 means 1.
	Parallel int
	// Free is the number of episodes without a model at the same time; 0 means Parallel.
	Free int
	// Total bounds the run as a whole.
	Total Total
	// Harness tells errors of the harness (server down) from the setup's; nil means that none is.
	Harness func(error) bool
	// Again tells harness errors that may go away when the episode is tried again (server down) from those that will not
	// (a script that is at its end); nil means that all may.
	Again func(error) bool
	// Retries of an episode that the harness failed; 0 means 3, negative none. Wait is the pause before the first,
	// doubled each time; 0 means 2 s.
	Retries int
	Wait    time.Duration
	// Progress is told of every finished episode, one at a time.
	Progress func(Progress)
}

// Total bounds what a run takes in all. Once it is used up no episode is begun; those under way come to their end. A zero
// field is no bound.
type Total struct {
	// Tokens counts every token of the run: of earlier processes, abandoned attempts, embedders and judges too.
	Tokens int64
	// Time is wall time of this process, from the first episode on.
	Time time.Duration
}

// ErrTotal is wrapped by the error of [Run] when the total budget stopped it. What is finished is saved.
var ErrTotal = errors.New("the total budget is used up")

// Progress is where a run stands.
type Progress struct {
	Setup, Task    string
	Model          string // "" for a setup that uses none
	Done, Total    int
	Hits           int   // successes of this setup so far
	SetupDone      int   // episodes of this setup so far
	Tokens         int64 // of all setups so far
	Outcome        string
	Elapsed, Left  time.Duration // Left is an estimate; 0 means unknown
	AlreadyDone    int           // episodes that an earlier process had finished
	LastWasHarness bool
}

// Outcome is what [Run] did.
type Outcome struct {
	Results *Results
	// Ran is the number of episodes that this process finished; 0 says that the run was complete already.
	Ran int
}

// Run solves every task with every arm into a folder made by [runlog.Create] or [runlog.Resume]; events
// are those that the folder held before. Finished episodes are not run again. An episode that the harness failed is
// tried again with back-off, then marked and left out of the scores.
//
// Arms without a model go first, on Free cores, so that they take no time from a model on the same machine. Then come the
// models, one after another, each with its setups in their order: a server keeps one model loaded and the prefix of one
// setup's prompts warm.
//
// The error is the context's or the log's, or wraps [ErrTotal]; what is finished is saved then too.
func Run(ctx context.Context, f *runlog.Folder, events *runlog.Events, tasks []Task, arms []Arm, opt Options) (*Outcome, error) {
	r := &runner{folder: f, opt: opt, arms: arms, begun: time.Now(), hits: map[runlog.Arm]int{}, finished: map[runlog.Arm]int{}}
	if err := r.prepare(tasks, events); err != nil {
		return nil, err
	}
	if len(r.jobs) > 0 {
		if err := r.begin(events); err != nil {
			return nil, err
		}
		if err := r.all(ctx); err != nil {
			return r.broken(ctx, err)
		}
		if _, err := f.Log().Emit(event.Event{Type: event.TypeRunEnd, Body: &event.RunEnd{Status: runlog.Complete}}); err != nil {
			return nil, err
		}
	}
	res, err := r.write(runlog.Complete, "")
	if err != nil {
		return nil, err
	}
	return &Outcome{Results: res, Ran: r.ran}, nil
}

type runner struct {
	folder *runlog.Folder
	opt    Options
	arms   []Arm
	jobs   []job
	total  int
	begun  time.Time

	mu           sync.Mutex // guards what follows, and serialises Progress
	ran, already int
	tokens       int64
	spent        int64 // tokens of all attempts, for the total budget
	hits         map[runlog.Arm]int
	finished     map[runlog.Arm]int
	pace         pace
}

type job struct {
	Job
	arm *Arm
}

// prepare checks that the folder is for these tasks and arms, writes the tasks and lists what is left to do.
func (r *runner) prepare(tasks []Task, events *runlog.Events) error {
	m := &r.folder.Manifest
	if err := r.same(tasks); err != nil {
		return err
	}
	known := map[string]*runlog.Episode{}
	for _, ep := range runlog.Episodes(events.List) {
		known[ep.ID] = ep
		for i := range ep.Attempts {
			r.spent += spent(ep.Attempts[i].Events)
		}
	}
	for i := range r.arms {
		arm := &r.arms[i]
		for k := range tasks {
			for repeat := range max(1, m.Repeats) {
				r.total++
				id := EpisodeID(arm.Arm, tasks[k].Task.ID, repeat)
				j := Job{ID: id, Run: m.ID, Task: &tasks[k], Repeat: repeat, Seed: m.Seed + int64(repeat), Attempt: 1}
				if ep := known[id]; ep != nil {
					if final := ep.Final(); final != nil && final.Counts() {
						r.count(arm.Arm, Score(tasks[k], final.Events))
						r.already++
						continue
					}
					for _, a := range ep.Attempts {
						j.Attempt, j.Previous = a.Start.Attempt+1, append(j.Previous, a.Events...)
					}
				}
				r.jobs = append(r.jobs, job{j, arm})
				r.pace.add(arm.Arm)
			}
		}
	}
	for _, t := range tasks {
		if err := r.folder.PutTask(t.Task.ID, t); err != nil {
			return err
		}
	}
	return nil
}

// same fills in a new manifest, and refuses a run that was begun with other tasks or arms.
func (r *runner) same(tasks []Task) error {
	m := &r.folder.Manifest
	ids := make([]string, len(tasks))
	for i, t := range tasks {
		ids[i] = t.Task.ID
	}
	arms := make([]runlog.Arm, len(r.arms))
	for i, a := range r.arms {
		arms[i] = a.Arm
	}
	if len(m.Suite.Tasks) == 0 && len(m.Arms) == 0 {
		m.Suite.Tasks, m.Suite.Gold, m.Arms = ids, hashGold(tasks), arms
		return r.folder.Save()
	}
	if a, b := fmt.Sprint(m.Suite.Tasks), fmt.Sprint(ids); a != b {
		return fmt.Errorf("eval: %s has the tasks %s, not %s: %w", r.folder.Dir, a, b, ErrChanged)
	}
	if a, b := fmt.Sprint(m.Arms), fmt.Sprint(arms); a != b {
		return fmt.Errorf("eval: %s has the setups %s, not %s: %w", r.folder.Dir, a, b, ErrChanged)
	}
	return nil
}

func (r *runner) begin(events *runlog.Events) error {
	m := &r.folder.Manifest
	m.Status, m.Reason, m.Ended = runlog.Running, "", nil
	if err := r.folder.Save(); err != nil {
		return err
	}
	if len(events.List) > 0 {
		return nil
	}
	_, err := r.folder.Log().Emit(event.Event{Type: event.TypeRunStart, Body: &event.RunStart{
		Schema: event.Version, Run: m.ID, Suite: m.Suite.Name, Version: m.Version,
	}})
	return err
}

// all runs the jobs, group after group. Where one fails for good, no other is started.
func (r *runner) all(ctx context.Context) error {
	for _, g := range grouped(r.jobs) {
		limit := r.opt.Parallel
		if g[0].arm.Model == "" && r.opt.Free > 0 {
			limit = r.opt.Free
		}
		if err := r.group(ctx, g, max(1, limit)); err != nil {
			return err
		}
	}
	return context.Cause(ctx)
}

// grouped puts the jobs without a model first, then those of each model together; the order within stays.
func grouped(jobs []job) [][]job {
	at := map[string]int{"": 0}
	groups := make([][]job, 1)
	for _, j := range jobs {
		i, ok := at[j.arm.Model]
		if !ok {
			i, groups = len(groups), append(groups, nil)
			at[j.arm.Model] = i
		}
		groups[i] = append(groups[i], j)
	}
	if len(groups[0]) == 0 {
		return groups[1:]
	}
	return groups
}

// group runs jobs in order, so many at a time, until one fails for good or the total budget is used up.
func (r *runner) group(ctx context.Context, jobs []job, limit int) error {
	g, work := errgroup.WithContext(ctx)
	free := make(chan struct{}, limit) // before the budget is looked at, so that it is that of the moment of the start
	var over error
	for _, j := range jobs {
		select {
		case free <- struct{}{}:
		case <-work.Done():
		}
		if over = r.over(); over != nil || work.Err() != nil {
			break
		}
		g.Go(func() error {
			defer func() { <-free }()
			return r.episode(work, j)
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return over
}

// over says whether the total budget is used up.
func (r *runner) over() error {
	r.mu.Lock()
	used := r.spent
	r.mu.Unlock()
	took := time.Since(r.begun)
	switch t := r.opt.Total; {
	case t.Tokens > 0 && used >= t.Tokens:
		return fmt.Errorf("eval: %w: %d of %d tokens", ErrTotal, used, t.Tokens)
	case t.Time > 0 && took >= t.Time:
		return fmt.Errorf("eval: %w: %s of %s", ErrTotal, took.Round(time.Second), t.Time)
	}
	return nil
}

// broken saves what is finished after an interruption or a log that cannot be written.
func (r *runner) broken(ctx context.Context, cause error) (*Outcome, error) {
	status, reason := runlog.Stopped, cause.Error()
	if errors.Is(cause, ErrTotal) {
		reason = strings.TrimPrefix(reason, "eval: ")
	}
	if ctx.Err() != nil {
		status, reason = runlog.Interrupted, context.Cause(ctx).Error()
	}
	// On a full disk neither of these succeeds; the log has all that is finished.
	if _, err := r.folder.Log().Emit(event.Event{Type: event.TypeRunEnd, Body: &event.RunEnd{Status: status, Reason: reason}}); err != nil {
		return nil, errors.Join(cause, r.folder.SetStatus(status, reason))
	}
	res, err := r.write(status, reason)
	if err != nil {
		return nil, errors.Join(cause, err)
	}
	return &Outcome{Results: res, Ran: r.ran}, cause
}

// write scores the whole log anew and writes what follows from it.
func (r *runner) write(status, reason string) (*Results, error) {
	res, err := results(r.folder)
	if err != nil {
		return nil, err
	}
	m := &r.folder.Manifest
	if m.Status != status || m.Ended == nil {
		now := time.Now().UTC()
		m.Ended = &now
		if err := r.folder.SetStatus(status, reason); err != nil {
			return nil, err
		}
	}
	res.Manifest = *m
	return res, res.Write(r.folder)
}
