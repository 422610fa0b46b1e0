// Package episode is what a setup works with while it solves one task: the request, the tools, the model, the
// budget, and the log.
//
// A setup asks the model with [Episode.Ask], calls tools with [Episode.Call] and ends with [Episode.Answer] or
// [Episode.Decline]. Each of these writes its events before it returns, counts against the budget and refuses when
// the budget is used up, so that every setup is measured by the same rules. A setup never sees the task file: only
// the [Request].
package episode

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"almanac/agents/llm"
	"almanac/orchestrator/binding"
	"almanac/orchestrator/event"
	"almanac/orchestrator/schedule"
	"almanac/toolkits"

	"golang.org/x/sync/singleflight"
)

// Request is all that a setup is told of a task.
type Request struct {
	Task     string // id, for events; it says nothing about the answer
	Question string
	Context  string // further facts from the asker; may be empty
	Contract schedule.Contract
}

// Text is question and context in one.
func (r Request) Text() string {
	if r.Context == "" {
		return r.Question
	}
	return r.Question + "\n" + r.Context
}

// Budget bounds an episode. A zero field is no bound.
type Budget struct {
	ModelCalls int           `json:"model_calls"`
	ToolCalls  int           `json:"tool_calls"`
	Tokens     int64         `json:"tokens"`
	Replans    int           `json:"replans"`
	Working    time.Duration `json:"working"` // queueing apart
}

// ErrBudget is wrapped by the error of whatever was refused because a budget is used up.
var ErrBudget = errors.New("the budget is used up")

// Messages pools the messages of a run, so that a trace does not grow with the square of its length.
type Messages interface {
	// Put stores a message and returns its hash.
	Put(m llm.Message) (string, error)
}

// Options of an episode.
type Options struct {
	ID          string
	Run         string
	Setup       string
	Model       llm.Model // nil for a setup that uses none
	ModelName   string
	Temperature *float64
	Seed        *int64
	Budget      Budget
	Messages    Messages // nil drops them
	// Stated answers what the words of the request contain; nil means that they state nothing.
	Stated binding.Request
	// Replayed are the results of writing calls of an earlier attempt, by key: they are not run again.
	Replayed map[string]*toolkits.Result
}

// Episode is one attempt of one setup at one task. Its methods are safe for concurrent use.
type Episode struct {
	Request Request
	Tools   *toolkits.Registry // the tools that this task allows

	env  *toolkits.Env
	sink event.Sink
	opts Options

	mu      sync.Mutex
	started time.Time
	queued  time.Duration
	used    Used
	hit     map[string]bool // budgets that were reported
	calls   []*Record
	byID    map[string]*Record
	memo    map[string]*toolkits.Result
	ended   bool
	answer  *event.Answer

	flight singleflight.Group
}

// Used is what an episode has spent so far.
type Used struct {
	ModelCalls int
	ToolCalls  int
	Replans    int
	Tokens     int64
	Unknown    bool // a server did not say how many tokens a call took
}

// New starts an episode. sink receives its events.
func New(req Request, tools *toolkits.Registry, env *toolkits.Env, sink event.Sink, opts Options) *Episode {
	return &Episode{
		Request: req, Tools: tools, env: env, sink: sink, opts: opts, started: time.Now(),
		hit: map[string]bool{}, byID: map[string]*Record{}, memo: map[string]*toolkits.Result{},
	}
}

// Emit writes an event of this episode and returns its sequence number.
func (e *Episode) Emit(agent string, parent int64, t event.Type, body any) (int64, error) {
	seq, err := e.sink.Emit(event.Event{Episode: e.opts.ID, Type: t, Agent: agent, Parent: parent, Body: body})
	if err != nil {
		return 0, fmt.Errorf("episode: writing the log: %w", err)
	}
	return seq, nil
}

// Env is the store and the gazetteer.
func (e *Episode) Env() *toolkits.Env { return e.env }

// Used returns what was spent so far.
func (e *Episode) Used() Used {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.used
}

// Queued is the time spent waiting for the model server's turn.
func (e *Episode) Queued() time.Duration {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.queued
}

// Ended reports whether an answer was given.
func (e *Episode) Ended() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.ended
}

// spend takes one unit of a budget, or refuses. The first refusal of each budget is an event. Tokens and working time
// are looked at too: nothing new starts once they are used up.
func (e *Episode) spend(counter *int, name string, limit int) error {
	e.mu.Lock()
	b := e.opts.Budget
	working := time.Since(e.started) - e.queued
	var over *event.Budget
	switch {
	case limit > 0 && *counter >= limit:
		over = &event.Budget{Name: name, Limit: float64(limit), Used: float64(*counter)}
	case b.Tokens > 0 && e.used.Tokens >= b.Tokens:
		over = &event.Budget{Name: "tokens", Limit: float64(b.Tokens), Used: float64(e.used.Tokens)}
	case b.Working > 0 && working >= b.Working:
		over = &event.Budget{Name: "working_s", Limit: b.Working.Seconds(), Used: working.Seconds()}
	default:
		*counter++
	}
	first := over != nil && !e.hit[over.Name]
	if first {
		e.hit[over.Name] = true
	}
	e.mu.Unlock()
	if over == nil {
		return nil
	}
	if first {
		if _, err := e.Emit("engine", 0, event.TypeBudget, over); err != nil {
			return err
		}
	}
	return fmt.Errorf("episode: %w: %s, %v of %v", ErrBudget, over.Name, over.Used, over.Limit)
}

// Exhausted names the budget that was hit first to stop this episode, "" for none.
func (e *Episode) Exhausted() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, name := range []string{"model_calls", "tool_calls", "tokens", "replans", "working_s"} {
		if e.hit[name] {
			return name
		}
	}
	return ""
}

// Replan takes one re-planning out of the budget.
func (e *Episode) Replan() error { return e.spend(&e.used.Replans, "replans", e.opts.Budget.Replans) }

// HasModel reports whether there is a model to ask.
func (e *Episode) HasModel() bool { return e.opts.Model != nil }

// Setup is the name of the setup at work.
func (e *Episode) Setup() string { return e.opts.Setup }

// Seed is the seed of this repeat, nil for none.
func (e *Episode) Seed() *int64 { return e.opts.Seed }
