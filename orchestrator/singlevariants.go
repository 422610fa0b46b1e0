package orchestrator

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"almanac/orchestrator/episode"
	"almanac/orchestrator/event"
	"almanac/orchestrator/schedule"
	"almanac/toolkits"
	"almanac/toolkits/units"
)

const (
	singleShown = 8           // tools that single+ts shows a turn, before what always is there
	maxEnders   = 3           // tools shown of those whose output has the unit of an answer field
	opener      = "data.open" // always shown: every piece of work begins with data
)

var aboutSingleTS = about{
	differs: "single with few tools shown, chosen anew each turn",
	summary: "single, with the tools that fit the question best shown each turn instead of all: eight by retrieval, up to three whose " +
		"output has the unit of an answer field, the tool that opens data, and any that the model named; more after a turn that brought nothing.",
	source:   "GeoLLM-Squad, arXiv 2501.16254 (its tool selection); GeoLLM-Engine, arXiv 2404.15500",
	faithful: "Tools are ranked by retrieval for the request, and the best few alone are in the model's prompt.",
	hardened: "As single. The choice is made anew each turn from the question and what the model last wrote, and widens on its own, " +
		"so that a tool which retrieval misses can still be reached.",
	model: true, prompts: []string{"single/" + strconv.Itoa(bestSinglePrompt) + ".txt"},
}

var aboutSingleWM = about{
	differs: "single with remembered workflows before the question",
	summary: "single, with up to three remembered workflows of similar questions before the question. With an empty memory it is single, " +
		"and the log says that the memory was empty.",
	source:   "GeoLLM-Squad, arXiv 2501.16254 (its workflow memory)",
	faithful: "Workflows that were verified are recalled by the request and shown as examples.",
	hardened: "As single. What is shown has slots in place of the old places, periods and numbers, so that no old value can be copied.",
	model:    true, prompts: []string{"single/" + strconv.Itoa(bestSinglePrompt) + ".txt", "single+wm/remembered.txt"},
}

func newSingleTS(team *Team, opts *Options) (Setup, error) {
	prompt, err := singlePrompt(opts.SinglePrompt)
	s := &single{name: "single+ts", team: team, prompt: prompt, shown: singleShown}
	if opts.TopK > 0 {
		s.shown = opts.TopK
	}
	return s, err
}

func newSingleWM(team *Team, opts *Options) (Setup, error) {
	prompt, err := singlePrompt(opts.SinglePrompt)
	return &single{name: "single+wm", team: team, prompt: prompt, memory: &remembered{opts.Memory}}, err
}

// narrow offers the tools that fit best. After turns that brought nothing more are offered, twice as many for each, until
// all are there.
func (s *single) narrow(ctx context.Context, ep *episode.Episode, l *loop) error {
	if s.shown == 0 {
		return nil
	}
	query := selectionQuery(ep)
	if l.said != "" {
		query += "\n" + capped(l.said, 300)
	}
	ranked, err := s.team.Index.Query(ctx, query, s.shown<<l.stalled, allowedIn(ep))
	if err != nil {
		return err
	}
	body := &event.ToolSelection{Query: query, Index: s.team.Index.Name()}
	for _, r := range ranked {
		body.Chosen = append(body.Chosen, r.Tool)
		body.Scores = append(body.Scores, event.ToolScore{Tool: r.Tool, Score: r.Score, Entry: r.Entry})
	}
	for _, name := range append(s.enders(ctx, ep, query), opener, s.named(ep, l.wanted)) {
		if isTool(ep.Tools, name) && !contains(body.Chosen, name) {
			body.Chosen = append(body.Chosen, name)
		}
	}
	if len(body.Chosen) == 0 { // the index knows none of them
		body.Chosen, body.Index = ep.Tools.Names(), "all tools"
	}
	tools, err := ep.Tools.Select(body.Chosen)
	if err != nil {
		return err
	}
	before := l.toolNames()
	l.offer(specs(tools, ep.Request.Contract, true))
	if len(l.messages) > 2 && slices.Equal(before, l.toolNames()) {
		return nil // said already
	}
	_, err = ep.Emit("engine", 0, event.TypeToolSelection, body)
	return err
}

// enders are the best ranked tools with an output of the unit of an answer field, for each such field: the words of a
// question often name the place and the quantity, and not what the tool is called.
func (s *single) enders(ctx context.Context, ep *episode.Episode, query string) []string {
	cat := s.team.catalogOf(ep.Tools)
	var out []string
	for _, f := range ep.Request.Contract {
		if f.Unit == "" || f.Unit == "1" {
			continue
		}
		ranked, err := s.team.Index.Query(ctx, query, maxEnders, func(tool string) bool {
			sig, ok := cat.Signature(tool)
			return ok && !sig.Check && slices.ContainsFunc(sig.Outputs, func(o schedule.Output) bool {
				return o.Unit != "" && !strings.HasPrefix(o.Unit, "@") && units.Convertible(o.Unit, f.Unit)
			})
		})
		if err != nil { // cancelled: the turn says so
			return out
		}
		for _, r := range ranked {
			out = append(out, r.Tool)
		}
	}
	return out
}

// toolNames are the names of what is offered.
func (l *loop) toolNames() []string {
	names := make([]string, len(l.tools))
	for i, t := range l.tools {
		names[i] = t.Name
	}
	return names
}

// named is the tool that the model asked for by a name, however it is written; "" for none.
func (s *single) named(ep *episode.Episode, wire string) string {
	for _, n := range ep.Tools.Names() {
		if wire != "" && (n == wire || wireName(n) == wire) {
			return n
		}
	}
	return ""
}

// selectionQuery is what tools are ranked by: the request and the fields that are asked for.
func selectionQuery(ep *episode.Episode) string {
	var b strings.Builder
	b.WriteString(ep.Request.Text())
	for _, f := range ep.Request.Contract {
		b.WriteString("\n" + strings.ReplaceAll(f.Key, "_", " ") + " " + f.Description)
	}
	return b.String()
}

// allowedIn reports whether the episode has a tool.
func allowedIn(ep *episode.Episode) func(string) bool {
	return func(tool string) bool { return isTool(ep.Tools, tool) }
}

func isTool(r *toolkits.Registry, name string) bool {
	_, err := r.Tool(name)
	return err == nil
}
