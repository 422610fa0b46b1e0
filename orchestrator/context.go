package orchestrator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"almanac/agents/llm"
	"almanac/orchestrator/episode"
	"almanac/orchestrator/event"
	"almanac/toolkits"
)

// contextSizes are the windows that are tried, in tokens.
var contextSizes = []int{4096, 8192, 16384, 32768}

const (
	room   = 2048 // tokens that a window holds beyond the largest first prompt
	probed = 3    // requests whose first prompts are measured: those with most tools, and of these the longest
)

// Asked is a request with the tools that its task allows.
type Asked struct {
	Request episode.Request
	Tools   *toolkits.Registry
}

// Window is what [Fit] came to.
type Window struct {
	// Size is the context size in tokens, the same for all setups of a comparison.
	Size int
	// First is the size of each setup's largest first prompt, in tokens: a third more than the estimate from its text,
	// since an overflow costs an episode. A setup that asks no model is not in it.
	First map[string]int
	// TooLarge are the setups whose first prompt no window holds. They are left out of Size.
	TooLarge []string
}

// Fit is the smallest window that holds the largest first prompt of each of the setups for these requests and 2k tokens
// more. Each setup is run up to its first request of a model, or its first call of a tool; what its later roles begin
// with counts too. Mode auto counts as the program mode, which has the longer prompt.
func Fit(ctx context.Context, team *Team, asked []Asked, setups []string, opts *Options) (Window, error) {
	o := Options{}
	if opts != nil {
		o = *opts
	}
	if o.Mode == "" || o.Mode == ModeAuto {
		o.Mode = ModeProgram
	}
	few := slices.Clone(asked)
	slices.SortStableFunc(few, func(a, b Asked) int {
		return cmp.Or(cmp.Compare(len(b.Tools.Names()), len(a.Tools.Names())), cmp.Compare(length(b.Request), length(a.Request)))
	})
	w := Window{First: map[string]int{}}
	largest := 0
	most := contextSizes[len(contextSizes)-1]
	for _, name := range setups {
		d, err := Describe(name)
		if err != nil {
			return w, err
		}
		if !d.Model {
			continue
		}
		s, err := New(name, team, &o)
		if err != nil {
			return w, err
		}
		for _, a := range few[:min(probed, len(few))] {
			n, err := firstPrompt(ctx, team, s, a)
			if err != nil {
				return w, fmt.Errorf("orchestrator: first prompt of %s: %w", name, err)
			}
			for _, req := range laterRequests(team, name, a) {
				n = max(n, llm.EstimateTokens(req.Text()))
			}
			w.First[name] = max(w.First[name], n*4/3)
		}
		if w.First[name]+room > most {
			w.TooLarge = append(w.TooLarge, name)
			continue
		}
		largest = max(largest, w.First[name])
	}
	for _, size := range contextSizes {
		if largest+room <= size {
			w.Size = size
			return w, nil
		}
	}
	w.Size = most
	return w, nil
}

func length(r episode.Request) int { return len(r.Text()) + 40*len(r.Contract) }

// laterRequests are what the roles of a setup begin with that come after the first, where they show many tools.
func laterRequests(team *Team, name string, asked Asked) []llm.Request {
	if name != "magentic" && name != "magentic+faithful" {
		return nil
	}
	var out []llm.Request
	for _, a := range team.Agents {
		if tools, err := asked.Tools.Select(ownTools(asked.Tools, a)); err == nil {
			out = append(out, llm.Request{
				Messages: []llm.Message{system(persona(a, prompt("magentic/agent.txt"))), user(asked.Request.Text())}, Tools: specs(tools, nil, false),
			})
		}
	}
	return out
}

// errSeen ends a setup that has shown its first prompt, or that goes on without asking.
var errSeen = errors.New("orchestrator: the first prompt has been seen")

// probe is a model that measures the first request and ends the episode, and a log that ends it at the first call.
type probe struct {
	mu     sync.Mutex
	tokens int
	seq    int64
}

func (p *probe) Generate(_ context.Context, req *llm.Request) (*llm.Response, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.tokens == 0 {
		p.tokens = llm.EstimateTokens(req.Text())
	}
	return nil, errSeen
}

func (p *probe) Emit(e event.Event) (int64, error) {
	if e.Type == event.TypeToolCall {
		return 0, errSeen
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seq++
	return p.seq, nil
}

// firstPrompt is the estimated size of what a setup first sends, 0 where it asks nothing.
func firstPrompt(ctx context.Context, team *Team, s Setup, a Asked) (int, error) {
	p := &probe{}
	ep := episode.New(a.Request, a.Tools, &toolkits.Env{Places: Places{Data: team.Data}}, p, episode.Options{ID: "probe", Setup: s.Name(), Model: p})
	err := s.Solve(ctx, ep)
	if err != nil && !errors.Is(err, errSeen) {
		return 0, err
	}
	return p.tokens, ctx.Err()
}
