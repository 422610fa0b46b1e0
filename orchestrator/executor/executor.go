// Package executor runs a checked schedule: independent steps at the same time, each result a typed handle.
//
// A step waits for the steps that its arguments and its guard name; the order of the text means nothing beyond that.
// It ends done, failed, skipped (a guard chose otherwise, or it needs a skipped step) or cancelled (it needs a failed
// step, or the budget is used up). Steps that do not depend on a failure go on, so that every answer field that can
// have a value has one. Every change of state is in the log before the next step starts.
package executor

import (
	"context"
	"fmt"
	"sync"

	"almanac/orchestrator/episode"
	"almanac/orchestrator/event"
	"almanac/orchestrator/schedule"
	"almanac/toolkits"

	"golang.org/x/sync/semaphore"
)

// States of a step.
const (
	Waiting   = "waiting"
	Running   = "running"
	Done      = "done"
	Failed    = "failed"
	Skipped   = "skipped"
	Cancelled = "cancelled"
)

// Asker carries out an objective step: the specialist chooses tools until it has a value of the kind asked for.
type Asker interface {
	// Ask returns the result's fields. given are the values handed over by name.
	Ask(ctx context.Context, o Objective) (*toolkits.Result, error)
}

// Objective is what an objective step asks of a specialist.
type Objective struct {
	Step    string
	ID      string // for the ids of the calls that it makes
	Agent   string
	Text    string
	Returns string // kind and unit, "scalar[degC]"; "" for anything
	Given   map[string]toolkits.Value
	Version int
}

// Options of a run. The zero value is useful.
type Options struct {
	MaxParallel int   // calls at the same time; 0 means 4
	MaxMap      int   // items of a mapped step; 0 means 16
	Version     int   // of the schedule, for the log; 0 means 1
	Asker       Asker // nil refuses objective steps
	// NoChecks leaves the check statements out.
	NoChecks bool
	// Agent is who the log says makes every call; "" is the agent that the schedule names.
	Agent string
}

// Failure is a step that failed, or a check that did not pass.
type Failure struct {
	Step    string // name, or the statement's text for a check
	Text    string // canonical text of the statement
	Code    string
	Message string
	Legal   []string
}

// StepState is how a step ended.
type StepState struct {
	Name   string
	State  string
	Reason string
	Fields []toolkits.Field // of a step that is done; a mapped step's are lists
}

// Result is what a run gave. Answer holds a field for each key of the program's answer, in its order; a field without
// a value has a reason. Declined is set when the program ended with decline.
type Result struct {
	Steps    []StepState
	Answer   []event.AnswerField
	Declined *schedule.Decline
	Failures []Failure
	Checks   []Failure // checks that did not pass
}

// Run runs p for the episode. slots are the values of task.place and so on. The error is the context's, the log's, or
// none: what goes wrong in a step is in the result.
func Run(ctx context.Context, ep *episode.Episode, p *schedule.Program, slots map[string]toolkits.Value, opts *Options) (*Result, error) {
	r := newRun(ep, p, slots, opts)
	if err := r.announce(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for {
		for _, n := range r.takeReady() {
			r.start(ctx, n)
		}
		if r.running == 0 {
			break
		}
		n := <-r.finished
		r.running--
		if err := r.settle(n); err != nil {
			r.stop(err, cancel)
		}
	}
	r.steps.Wait() // each has handed over its node: it is about to end
	if r.err != nil {
		return nil, r.err
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	return r.result(), nil
}

// announce logs the steps that wait for others.
func (r *run) announce() error {
	for _, n := range r.nodes {
		if n.waiting == 0 {
			continue
		}
		if _, err := r.ep.Emit("engine", 0, event.TypeStep, &event.Step{Step: n.label(), State: Waiting, Item: -1}); err != nil {
			return err
		}
	}
	return nil
}

// run is the state of one run. Only Run's goroutine changes it, save for what a step's goroutine writes into its own
// node before it hands it over.
type run struct {
	ep       *episode.Episode
	opts     Options
	nodes    []*node
	byName   map[string]*node
	slots    map[string]toolkits.Value
	slotsSem *semaphore.Weighted
	ready    []*node
	finished chan *node
	steps    sync.WaitGroup
	running  int
	halted   string // why nothing new starts
	err      error
}

// node is one statement.
type node struct {
	stmt       *schedule.Statement
	id         string
	text       string
	needs      []*node
	dependents []*node
	waiting    int // needs that have not ended
	state      string
	reason     string
	out        *outcome
	failure    *Failure
	check      *Failure
	begun      sync.Once
	logErr     error
	budget     bool
}

func newRun(ep *episode.Episode, p *schedule.Program, slots map[string]toolkits.Value, opts *Options) *run {
	r := &run{ep: ep, slots: slots, byName: map[string]*node{}}
	if opts != nil {
		r.opts = *opts
	}
	if r.opts.MaxParallel <= 0 {
		r.opts.MaxParallel = 4
	}
	if r.opts.MaxMap <= 0 {
		r.opts.MaxMap = schedule.DefaultMaxMap
	}
	r.opts.Version = max(1, r.opts.Version)
	r.slotsSem = semaphore.NewWeighted(int64(r.opts.MaxParallel))
	for i, s := range p.Statements {
		n := &node{stmt: s, text: s.String(), state: Waiting, id: r.callID(s, i)}
		if r.opts.NoChecks && isCheck(s) {
			continue
		}
		r.nodes = append(r.nodes, n)
		if s.Name != "" {
			r.byName[s.Name] = n
		}
	}
	r.finished = make(chan *node, len(r.nodes))
	r.link()
	return r
}

func isCheck(s *schedule.Statement) bool {
	_, call := s.Body.(*schedule.Call)
	return s.Name == "" && call
}

// callID names a statement's call within the episode: the same in every run of the same schedule version.
func (r *run) callID(s *schedule.Statement, i int) string {
	name := s.Name
	if name == "" {
		name = fmt.Sprintf("check%d", i+1)
	}
	if r.opts.Version > 1 {
		name = fmt.Sprintf("%s@%d", name, r.opts.Version)
	}
	return name
}

// link finds what each statement waits for. Answer waits for every check as well.
func (r *run) link() {
	for _, n := range r.nodes {
		seen := map[*node]bool{}
		need := func(m *node) {
			if m != nil && m != n && !seen[m] {
				seen[m] = true
				n.needs = append(n.needs, m)
				m.dependents = append(m.dependents, n)
				n.waiting++
			}
		}
		for _, name := range schedule.Names(n.stmt) {
			need(r.byName[name])
		}
		if _, last := n.stmt.Body.(*schedule.Answer); last {
			for _, m := range r.nodes {
				if isCheck(m.stmt) {
					need(m)
				}
			}
		}
		if n.waiting == 0 {
			r.ready = append(r.ready, n)
		}
	}
}

func (r *run) takeReady() []*node {
	ready := r.ready
	r.ready = nil
	return ready
}

// start runs a node, or settles it at once when it cannot or need not run. The goroutine is waited for by Run, which
// takes every started node from finished.
func (r *run) start(ctx context.Context, n *node) {
	r.running++
	if state, reason := r.barred(n); state != "" {
		n.state, n.reason = state, reason
		r.finished <- n
		return
	}
	r.steps.Go(func() {
		r.execute(ctx, n)
		r.finished <- n
	})
}

// barred tells why a node must not run: something it needs was skipped, failed or cancelled, or nothing new starts.
// Answer and first look at their inputs themselves; so do guarded steps, which need one branch only.
func (r *run) barred(n *node) (state, reason string) {
	switch n.stmt.Body.(type) {
	case *schedule.Answer, *schedule.First, *schedule.Decline:
		return "", ""
	}
	if r.halted != "" {
		return Cancelled, r.halted
	}
	if _, guarded := n.stmt.Body.(*schedule.Guarded); guarded {
		return "", ""
	}
	return inherited(n.needs)
}

// inherited is the state that a step takes from those it needs.
func inherited(needs []*node) (state, reason string) {
	for _, m := range needs {
		switch m.state {
		case Failed:
			return Cancelled, fmt.Sprintf("needs %s, which failed: %s", m.stmt.Name, m.reason)
		case Cancelled:
			return Cancelled, fmt.Sprintf("needs %s, which was cancelled", m.stmt.Name)
		}
	}
	for _, m := range needs {
		if m.state == Skipped {
			return Skipped, fmt.Sprintf("needs %s, which was skipped", m.stmt.Name)
		}
	}
	return "", ""
}

// settle records how a node ended and frees those that waited for it.
func (r *run) settle(n *node) error {
	if n.budget && r.halted == "" {
		r.halted = n.reason
	}
	err := n.logErr
	if err == nil {
		_, err = r.ep.Emit("engine", 0, event.TypeStep, &event.Step{Step: n.label(), State: n.state, Item: -1, Reason: n.reason})
	}
	for _, m := range n.dependents {
		if m.waiting--; m.waiting == 0 && r.err == nil && err == nil {
			r.ready = append(r.ready, m)
		}
	}
	return err
}

func (n *node) label() string {
	if n.stmt.Name != "" {
		return n.stmt.Name
	}
	return n.text
}

// stop ends the run: nothing new starts, and what runs is cancelled.
func (r *run) stop(err error, cancel context.CancelFunc) {
	if r.err == nil {
		r.err = err
		r.ready = nil
		cancel()
	}
}

func (r *run) result() *Result {
	res := &Result{}
	for _, n := range r.nodes {
		st := StepState{Name: n.label(), State: n.state, Reason: n.reason}
		if n.out != nil {
			st.Fields = n.out.fields
		}
		switch body := n.stmt.Body.(type) {
		case *schedule.Answer:
			res.Answer = r.answer(body)
			continue
		case *schedule.Decline:
			res.Declined = body
			continue
		}
		res.Steps = append(res.Steps, st)
		if n.failure != nil {
			res.Failures = append(res.Failures, *n.failure)
		}
		if n.check != nil {
			res.Checks = append(res.Checks, *n.check)
		}
	}
	return res
}
