package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sort"
	"strings"
	"time"

	"almanac/agents/llm"
	"almanac/memory"
	"almanac/orchestrator/event"
	"almanac/orchestrator/executor"
	"almanac/orchestrator/schedule"
	"almanac/orchestrator/search"
	"almanac/orchestrator/toolcatalog"
)

// slotPlanner lets the typed search write the schedules. With a model, closed questions decide between candidates that
// the search itself cannot tell apart.
type slotPlanner struct {
	*work
	candidates []search.Candidate
}

func newSlotPlanner(w *work) *slotPlanner { return &slotPlanner{work: w} }

const (
	defaultMargin   = 0.35 // candidates closer than this to the best are asked about
	defaultWeight   = 0.7  // of the model's vote, in units of the search's score
	maxQuestions    = 3
	maxOptions      = 5
	shownCandidates = 8   // in the log
	maxQuantities   = 8   // variables that the model is shown when no word speaks for one
	wideSearch      = 24  // candidates of a search: enough to hold every variable that fits
	sure            = 0.5 // probability from which a quantity that no word speaks for is taken
	selected        = 60  // tools that retrieval ranks for the search: all of a small catalog
)

func (p *slotPlanner) plan(ctx context.Context) (*draft, error) {
	in, err := p.input(ctx)
	if err != nil {
		return nil, err
	}
	begun := time.Now()
	res := search.Run(in, &search.Options{Candidates: wideSearch})
	body := &event.Search{Expanded: res.Expanded, Seconds: time.Since(begun).Seconds(), Declined: res.Reason}
	p.candidates = res.Candidates
	if lacking, certain := p.team.lacks(in, res); len(res.Candidates) > 0 && lacking != "" {
		found := false
		if !certain {
			if found, err = p.quantity(ctx, body, lacking); err != nil {
				return nil, err
			}
		}
		if !found {
			p.candidates, body.Declined = nil, lacking
			res.Missing = []string{lacking}
		}
	}
	if err := p.remember(ctx); err != nil {
		return nil, err
	}
	if p.usesModel() && len(p.candidates) > 1 {
		if err := p.decide(ctx, body); err != nil {
			return nil, err
		}
	}
	for _, c := range p.candidates[:min(shownCandidates, len(p.candidates))] {
		body.Candidates = append(body.Candidates, event.Candidate{Schedule: c.Text, Score: c.Score, Terms: c.Terms})
	}
	if _, err := p.ep.Emit("engine", 0, event.TypeSearch, body); err != nil {
		return nil, err
	}
	if len(p.candidates) == 0 {
		return &draft{mode: p.mode, declined: &schedule.Decline{Reason: body.Declined, Missing: res.Missing}}, nil
	}
	return p.next()
}

func (p *slotPlanner) usesModel() bool { return p.mode != "search" && p.ep.HasModel() }

// next takes the best candidate that was not run yet.
func (p *slotPlanner) next() (*draft, error) {
	for _, c := range p.candidates {
		if !p.tried[schedule.Hash(c.Program)] {
			problems := schedule.Check(c.Program, p.team.Catalog, p.ep.Request.Contract, p.slots, nil)
			return &draft{program: c.Program, problems: problems, mode: p.mode}, nil
		}
	}
	return nil, nil
}

// revise drops the candidates that contain a call that failed, and takes the next.
func (p *slotPlanner) revise(ctx context.Context, last *draft, res *executor.Result) (*draft, error) {
	p.tried[schedule.Hash(last.program)] = true
	if p.opts.FullReplan {
		return p.plan(ctx)
	}
	if res == nil {
		return p.next()
	}
	var left []search.Candidate
	for _, c := range p.candidates {
		fails := false
		for _, f := range res.Failures {
			_, call, _ := strings.Cut(f.Text, "= ")
			fails = fails || call != "" && strings.Contains(c.Text, call)
		}
		if !fails {
			left = append(left, c)
		}
	}
	p.candidates = left
	return p.next()
}

// input gathers what the search works on.
func (p *slotPlanner) input(ctx context.Context) (search.Input, error) {
	text := p.ep.Request.Text()
	query := selectionQuery(p.ep)
	k := selected
	if p.opts.TopK > 0 {
		k = p.opts.TopK
	}
	ranked, err := p.rank(ctx, query, k, allowedIn(p.ep))
	if err != nil {
		return search.Input{}, err
	}
	scores := map[string]float64{}
	for _, r := range ranked {
		scores[r.Tool] = r.Score / max(ranked[0].Score, 1e-9)
	}
	cat, err := p.searched(ranked)
	if err != nil {
		return search.Input{}, err
	}
	facts, named := p.facts(ctx)
	frequency, amounts := p.team.timeSteps()
	return search.Input{
		Catalog: cat, Contract: p.ep.Request.Contract, Facts: facts, Text: text, Scores: scores, Named: named,
		Legal: p.legal, Implied: p.team.implied(facts), Frequency: frequency, Amounts: amounts,
	}, nil
}

// searched is the catalog that the search works on: every tool that is allowed, or where the number of tools is set, the
// selected ones and those that make what these need.
func (p *slotPlanner) searched(ranked []memory.Hit) (*toolcatalog.Catalog, error) {
	all := p.catalog()
	if p.opts.TopK == 0 {
		return all, nil
	}
	var sigs []schedule.Signature
	names := []string{}
	add := func(name string) {
		if sig, ok := all.Signature(name); ok && !contains(names, name) {
			names, sigs = append(names, name), append(sigs, sig)
		}
	}
	for _, r := range ranked[:min(p.opts.TopK, len(ranked))] {
		add(r.Tool)
	}
	for _, name := range producers(all, sigs) {
		add(name)
	}
	few, err := p.ep.Tools.Select(names)
	if err != nil {
		return nil, err
	}
	return toolcatalog.New(few), nil
}

func (w *work) logSelection(query, index string, ranked []memory.Hit) error {
	body := &event.ToolSelection{Query: query, Index: index}
	for _, r := range ranked {
		body.Chosen = append(body.Chosen, r.Tool)
		body.Scores = append(body.Scores, event.ToolScore{Tool: r.Tool, Score: r.Score, Entry: r.Entry})
	}
	_, err := w.ep.Emit("engine", 0, event.TypeToolSelection, body)
	return err
}

// decide puts closed questions where the best candidates are close, one difference at a time, and adds the model's vote
// to the scores. The order of the candidates changes only if the vote outweighs the search's own preference.
func (p *slotPlanner) decide(ctx context.Context, body *event.Search) error {
	asked := map[string]bool{}
	for range maxQuestions {
		q, ok := p.difference(asked)
		if !ok {
			return nil
		}
		asked[q.key()] = true
		before := p.candidates[0].Text
		choice, err := llm.Choose(ctx, p.ep.Model("supervisor", "choose"), q.question(p.ep.Request.Question))
		if errors.Is(err, llm.ErrBadReply) {
			continue // no vote: the search's order stands
		}
		if err != nil {
			return err
		}
		probs := map[string]float64{}
		for i, o := range q.options {
			probs[o.Chosen] = choice.Probabilities[i]
		}
		p.vote(q, probs)
		body.Questions = append(body.Questions, event.Question{
			Kind: q.kind, Text: q.ask(), Probabilities: probs, Retrieval: q.scores, Chosen: choice.Name, Changed: p.candidates[0].Text != before,
		})
	}
	return nil
}

// difference is a question about a decision on which close candidates differ.
type difference struct {
	kind, at string
	options  []search.Decision
	scores   map[string]float64 // best score of a candidate with each option
}

func (d difference) key() string { return d.kind + " " + d.at }

func (d difference) ask() string {
	switch d.kind {
	case "variable":
		return "Which quantity does the question ask about?"
	case "output":
		return "Which value does the question ask for?"
	case "option":
		return "Which " + strings.ReplaceAll(d.at, "_", " ") + " does the question ask for?"
	}
	return "Which step does the question need?"
}

func (d difference) question(text string) llm.Question {
	q := llm.Question{
		Rules:   "You help to find the right step for a question about Earth data. Pick the option that fits the words of the question best.",
		Context: "Question: " + text, Ask: d.ask(), Role: "supervisor", How: llm.ChooseOptions{AllRotations: true, MaxRotations: 3},
	}
	for _, o := range d.options {
		q.Options = append(q.Options, llm.Option{Name: o.Chosen, Meaning: o.Doc})
	}
	return q
}

// difference finds the first decision on which candidates within the margin of the best differ from it.
func (p *slotPlanner) difference(asked map[string]bool) (difference, bool) {
	margin := p.opts.Asker.Margin
	if margin == 0 {
		margin = defaultMargin
	}
	best := p.candidates[0]
	for _, kind := range askedKinds() {
		if p.weight(kind) == 0 {
			continue
		}
		for _, d := range best.Decisions {
			if d.Kind != kind || asked[kind+" "+d.At] {
				continue
			}
			q := difference{kind: kind, at: d.At, scores: map[string]float64{d.Chosen: best.Score}, options: []search.Decision{d}}
			for _, c := range p.candidates[1:] {
				if best.Score-c.Score > margin {
					break
				}
				for _, o := range c.Decisions {
					if _, known := q.scores[o.Chosen]; o.Kind == kind && o.At == d.At && !known && len(q.options) < maxOptions {
						q.scores[o.Chosen] = c.Score
						q.options = append(q.options, o)
					}
				}
			}
			if len(q.options) > 1 {
				return q, true
			}
		}
	}
	return difference{}, false
}

// clearMargin is how much likelier the best option must be than the second for the model's vote to count. A vote nearer
// than this was as often wrong as right on the dev tasks.
const clearMargin = 0.2

// margin is the best probability less the second best.
func margin(probs map[string]float64) float64 {
	best, second := 0.0, 0.0
	for _, p := range probs {
		best, second = max(best, p), max(second, min(best, p))
	}
	return best - second
}

// askedKinds are the kinds of decision that the model is asked about, in this order. Which step a question needs is not
// among them: on the dev tasks a 1.5B model chose between two tools worse than retrieval and types do, see docs.
func askedKinds() []string { return []string{"variable", "output", "option"} }

// fullWeight is that of a model that is always right, on the scale of defaultWeight.
const fullWeight = 1.0

// weight is that of the model's vote on a kind of question: what was set, else by how often it was right on dev, else the
// default. A model that does no better than guessing has none, and is not asked.
func (p *slotPlanner) weight(kind string) float64 {
	if p.opts.Asker.Weight != 0 {
		return p.opts.Asker.Weight
	}
	if skill, ok := p.opts.Calibration.Skill(kind); ok {
		return fullWeight * skill
	}
	return defaultWeight
}

// vote adds the model's preference to each candidate that made one of the choices: nothing for an even vote, up to the
// weight for a certain one.
func (p *slotPlanner) vote(q difference, probs map[string]float64) {
	weight := p.weight(q.kind)
	if margin(probs) < clearMargin {
		return // an undecided model has no vote
	}
	even := 1 / float64(len(q.options))
	for i := range p.candidates {
		c := &p.candidates[i]
		for _, d := range c.Decisions {
			prob, ok := probs[d.Chosen]
			if d.Kind == q.kind && d.At == q.at && ok {
				v := weight * (prob - even) / (1 - even)
				c.Score += v
				c.Terms["model "+q.key()] += math.Round(v*1e6) / 1e6
				break
			}
		}
	}
	sort.SliceStable(p.candidates, func(i, j int) bool { return p.candidates[i].Score > p.candidates[j].Score })
}

// noneOfThese is the option that declines.
const noneOfThese = "none of these"

// quantity asks which of the quantities at hand the request is about, when no word of it speaks for one. The answer
// reorders the candidates; none of these declines. Without a model the engine's finding stands: it declines.
func (p *slotPlanner) quantity(ctx context.Context, body *event.Search, lacking string) (bool, error) {
	if !p.usesModel() {
		return false, nil
	}
	q := difference{kind: "variable", at: "variable", scores: map[string]float64{}}
	for _, c := range p.candidates {
		for _, d := range c.Decisions {
			if _, known := q.scores[d.Chosen]; d.Kind == q.kind && d.At == q.at && !known && len(q.options) < maxQuantities {
				q.scores[d.Chosen] = c.Score
				q.options = append(q.options, d)
			}
		}
	}
	ask := q.question(p.ep.Request.Question)
	ask.Options = append(ask.Options, llm.Option{Name: noneOfThese, Meaning: "another quantity, that is not listed"})
	choice, err := llm.Choose(ctx, p.ep.Model("supervisor", "choose"), ask)
	if errors.Is(err, llm.ErrBadReply) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	probs := map[string]float64{}
	for i, o := range ask.Options {
		probs[o.Name] = choice.Probabilities[i]
	}
	found := choice.Name != noneOfThese && choice.Probabilities[choice.Best] >= sure
	body.Questions = append(body.Questions, event.Question{
		Kind: "quantity", Text: fmt.Sprintf("%s (%s)", q.ask(), lacking), Probabilities: probs, Retrieval: q.scores, Chosen: choice.Name, Changed: found,
	})
	if found {
		delete(probs, noneOfThese)
		p.decided(q, choice.Name)
	}
	return found, nil
}

// decided puts the candidates that made the choice first.
func (p *slotPlanner) decided(q difference, chosen string) {
	made := func(c search.Candidate) bool {
		for _, d := range c.Decisions {
			if d.Kind == q.kind && d.At == q.at {
				return d.Chosen == chosen
			}
		}
		return false
	}
	sort.SliceStable(p.candidates, func(i, j int) bool { return made(p.candidates[i]) && !made(p.candidates[j]) })
	for i := range p.candidates {
		if made(p.candidates[i]) {
			p.candidates[i].Terms["model quantity "+chosen] = 0
		}
	}
}
