package orchestrator_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"almanac/agents"
	"almanac/agents/llm"
	"almanac/agents/llm/exchange"
	"almanac/agents/llm/scripted"
	"almanac/internal/workspace"
	"almanac/orchestrator"
	"almanac/orchestrator/episode"
	"almanac/orchestrator/event"
	"almanac/orchestrator/schedule"
	"almanac/toolkits"
)

// open reads the data sets that come with the program, once for all tests.
var open = sync.OnceValues(func() (*workspace.Workspace, error) {
	return workspace.Open(&workspace.Options{UserData: "testdata/none"})
})

// rig runs a setup over the real tools and data with a scripted model, and keeps what happened.
type rig struct {
	t      *testing.T
	work   *workspace.Workspace
	team   *orchestrator.Team
	tools  *toolkits.Registry
	env    *toolkits.Env
	budget episode.Budget
	opts   orchestrator.Options
	model  llm.Model
	asked  *spy
	events []event.Event
	mu     sync.Mutex
}

func newRig(t *testing.T, replies ...scripted.Reply) *rig {
	t.Helper()
	w, err := open()
	if err != nil {
		t.Fatal(err)
	}
	team, err := w.Team()
	if err != nil {
		t.Fatal(err)
	}
	env, err := w.Env(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { env.Store.Close() })
	r := &rig{t: t, work: w, team: team, tools: w.Tools, env: env}
	r.asked = &spy{inner: scripted.New("scripted:test", &scripted.Script{Replies: replies})}
	m, err := exchange.New(r.asked, &exchange.Options{Retries: -1, Reasks: -1})
	if err != nil {
		t.Fatal(err)
	}
	r.model = m
	return r
}

func (r *rig) Emit(e event.Event) (int64, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e.Seq = int64(len(r.events) + 1)
	r.events = append(r.events, e)
	return e.Seq, nil
}

// spy keeps every request.
type spy struct {
	inner    llm.Model
	mu       sync.Mutex
	requests []*llm.Request
	before   func(n int) // called before the n-th request, from 1
}

func (s *spy) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	s.mu.Lock()
	copied := *req
	copied.Messages = append([]llm.Message(nil), req.Messages...)
	s.requests = append(s.requests, &copied)
	n, before := len(s.requests), s.before
	s.mu.Unlock()
	if before != nil {
		before(n)
	}
	return s.inner.Generate(ctx, req)
}

// solve runs the named setup on a question.
func (r *rig) solve(ctx context.Context, setup, question string, contract schedule.Contract) (*episode.Episode, error) {
	r.t.Helper()
	s, err := orchestrator.New(setup, r.team, &r.opts)
	if err != nil {
		r.t.Fatal(err)
	}
	req := episode.Request{Task: "t", Question: question, Contract: contract}
	o := episode.Options{ID: "e", Run: "r", Setup: setup, Budget: r.budget, Stated: r.team.NewStated(question)}
	if s.UsesModel() {
		o.Model = r.model
	}
	ep := episode.New(req, r.tools, r.env, r, o)
	return ep, s.Solve(ctx, ep)
}

// must runs the setup and fails the test on an error.
func (r *rig) must(setup, question string, contract schedule.Contract) *event.Answer {
	r.t.Helper()
	ep, err := r.solve(context.Background(), setup, question, contract)
	if err != nil {
		r.t.Fatal(err)
	}
	if ep.Given() == nil {
		r.t.Fatal("no answer was given")
	}
	return ep.Given()
}

func bodies[T any](r *rig) []T {
	var out []T
	for _, e := range r.events {
		if b, ok := e.Body.(T); ok {
			out = append(out, b)
		}
	}
	return out
}

// calls lists the tools that ran and how it went; calls that were answered from an earlier result are not among them.
func (r *rig) calls() string {
	result := map[string]string{}
	for _, x := range bodies[*event.ToolResult](r) {
		if result[x.Call] = "ok"; !x.OK {
			result[x.Call] = x.Code
		}
	}
	var out []string
	for _, c := range bodies[*event.ToolCall](r) {
		if !c.Memo {
			out = append(out, c.Tool+" "+result[c.ID])
		}
	}
	return strings.Join(out, ", ")
}

func say(text string) scripted.Reply { return scripted.Reply{Content: text} }

func call(name, args string) scripted.Reply {
	return scripted.Reply{Calls: []scripted.Call{{Name: name, Arguments: json.RawMessage(args)}}}
}

func fail(code string) scripted.Reply { return scripted.Reply{Error: code} }

func repeat(n int, r scripted.Reply) []scripted.Reply {
	out := make([]scripted.Reply, n)
	for i := range out {
		out[i] = r
	}
	return out
}

const kenya = "How many square kilometres does Kenya cover?"

func area() schedule.Contract {
	return schedule.Contract{{Key: "area", Type: "number", Unit: "km2", Description: "area"}}
}

// want fails unless the answer's first field is bound and came from the tool.
func (r *rig) wantBound(a *event.Answer, tool string) {
	r.t.Helper()
	f := a.Fields[0]
	if f.Value == nil || !f.Bound {
		r.t.Fatalf("%+v; calls %s", f, r.calls())
	}
	for _, c := range bodies[*event.ToolCall](r) {
		if c.ID == f.Call && c.Tool == tool {
			return
		}
	}
	r.t.Errorf("field of call %s, not of %s", f.Call, tool)
}

func (r *rig) wantNothing(a *event.Answer, reason string) {
	r.t.Helper()
	for _, f := range a.Fields {
		if f.Value != nil || f.Bound || !strings.Contains(f.Reason, reason) {
			r.t.Errorf("%+v; want no value, for reason %q", f, reason)
		}
	}
	if len(a.Fields) == 0 {
		r.t.Error("no field says why it has no value")
	}
}

func after(d time.Duration, r scripted.Reply) scripted.Reply {
	r.Delay = d
	return r
}

// withAgent is the team with one more specialist, which has the tools of its own name.
func withAgent(team *orchestrator.Team, name string) *orchestrator.Team {
	with := *team
	with.Agents = append(append([]agents.Agent(nil), team.Agents...), agents.Agent{Name: name, Purpose: "works in the " + name, Tools: []string{name}})
	return &with
}

// noGold is a gold that no setup but the oracle may ask for, and that it does not get either.
func noGold(string) (*schedule.Program, map[string]toolkits.Value, error) {
	return nil, nil, errors.New("no gold")
}
