package orchestrator

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"

	"almanac/agents/llm"
	"almanac/memory"
	"almanac/orchestrator/event"
	"almanac/orchestrator/reading"
	"almanac/orchestrator/schedule"
	"almanac/orchestrator/search"
)

// guessed is how many tools retrieval may offer for a request that names no answer fields.
const guessed = 12

// wanted is an output that could be what a request without fields asks for.
type wanted struct {
	field schedule.Field
	tool  string
	doc   string
	rank  int // what the words of the request say for it
}

// guessContract makes the contract of a request without one, for the modes in which the engine writes the schedule:
// of the tools that retrieval ranks best, the value that the request's words speak for most: its unit, the unit of
// the variable that it names, "which month", its name. With a model the best of several tools are put to it
// as a closed question.
func (w *work) guessContract(ctx context.Context) error {
	if len(w.ep.Request.Contract) > 0 || w.mode == ModeProgram || w.mode == ModeObjective {
		return nil
	}
	text := w.ep.Request.Text()
	ranked, err := w.team.Index.Query(ctx, text, guessed, func(tool string) bool { return w.offers(tool) })
	if err != nil {
		return err
	}
	options := w.outputs(ranked, text)
	if len(options) == 0 { // no word of it stands in a tool's documentation
		options = w.said(text)
	}
	if len(options) == 0 {
		return nil
	}
	best := options[0]
	if w.mode != "search" && w.ep.HasModel() && len(options) > 1 {
		if best, err = w.askWanted(ctx, options[:min(len(options), maxOptions)]); err != nil {
			return err
		}
	}
	w.ep.Request.Contract = schedule.Contract{best.field}
	return nil
}

// offers reports whether a tool can end a schedule: it is allowed, and neither resolves arguments nor checks.
func (w *work) offers(tool string) bool {
	t, err := w.ep.Tools.Tool(tool)
	return err == nil && !t.Resolver && !t.Check
}

// outputs are the best output of each tool, the likeliest first; retrieval's order decides between equals.
func (w *work) outputs(ranked []memory.Hit, text string) []wanted {
	h := w.hints(text)
	var all []wanted
	for _, hit := range ranked {
		sig, ok := w.team.Catalog.Signature(hit.Tool)
		if !ok || hit.Score == 0 {
			continue
		}
		if o, ok := h.best(sig, w.team.Catalog.Units()); ok {
			all = append(all, o)
		}
	}
	slices.SortStableFunc(all, func(a, b wanted) int { return b.rank - a.rank })
	return all
}

// said are the outputs that everyday words ask for, of all tools: "how large" is an area.
func (w *work) said(text string) []wanted {
	var all []memory.Hit
	for _, sig := range w.team.Catalog.Signatures() {
		for _, o := range sig.Outputs {
			if search.Said(text, o) > 0 && w.offers(sig.Name) {
				all = append(all, memory.Hit{Tool: sig.Name, Score: 1})
				break
			}
		}
	}
	return w.outputs(all, text)
}

// hints are what the words of a request say of the value that it asks for.
type hints struct {
	text     string
	units    []string // units that it names
	variable string   // unit of the variable that it names
	when     bool     // it asks for a time
	many     bool     // it asks for a count
	days     bool     // of days
	long     bool     // for a length or a time
	stems    map[string]bool
}

var (
	asksWhen = regexp.MustCompile(`(?i)\b(when|(which|what) (day|date|month|year|season))\b`)
	asksLong = regexp.MustCompile(`(?i)\bhow (long|far)\b`)
	asksDays = regexp.MustCompile(`(?i)\b(how many|number of)\s+(\w+\s+)?days\b`)
	asksMany = regexp.MustCompile(`(?i)\b(how many|number of|share|fraction|percent|part of)\b`)
)

// superlatives are words that speak for outputs with a part in their names.
var superlatives = []struct {
	words *regexp.Regexp
	names []string
}{
	{regexp.MustCompile(`(?i)\b(max\w*|highest|warmest|hottest|wettest|windiest|largest|strongest|most|peak\w*)\b`), []string{"max"}},
	{regexp.MustCompile(`(?i)\b(min\w*|lowest|coldest|coolest|driest|calmest|smallest|least)\b`), []string{"min"}},
	{regexp.MustCompile(`(?i)\b(total\w*|sum|fell|altogether|in all)\b`), []string{"sum", "total"}},
	{regexp.MustCompile(`(?i)\bdegree[ -]days\b`), []string{"total"}},
	{regexp.MustCompile(`(?i)\b(mean|average|usual\w*|typical\w*|how (warm|cold|hot|high|windy|humid))\b`), []string{"mean"}},
}

func (w *work) hints(text string) hints {
	h := hints{text: text, units: reading.UnitsAsked(text), when: asksWhen.MatchString(text), many: asksMany.MatchString(text), days: asksDays.MatchString(text), long: asksLong.MatchString(text), stems: map[string]bool{}}
	for _, s := range memory.Stems(text) {
		h.stems[s] = true
	}
	for _, it := range w.request.Items {
		if it.Kind != reading.KindVariable || len(it.Options) == 0 {
			continue
		}
		if d, err := w.team.Data.Dataset(it.Options[0].Dataset); err == nil {
			if v, err := d.Variable(it.Options[0].Variable); err == nil {
				h.variable = v.Unit
			}
		}
	}
	return h
}

// best is the output of a tool that the hints speak for most. One in the unit of the tool's input is considered only
// where the request names a variable: nothing else tells its unit.
func (h hints) best(sig schedule.Signature, units schedule.Units) (best wanted, ok bool) {
	for _, o := range sig.Outputs {
		kind, fits := answerType(o.Kind)
		if !fits || o.List {
			continue
		}
		c := wanted{field: schedule.Field{Key: o.Name, Type: kind, Unit: o.Unit, Description: o.Doc}, tool: sig.Name, doc: o.Doc + " (" + sig.Doc + ")"}
		switch {
		case kind != "number":
			c.field.Unit = ""
			c.rank -= 3
			if kind == schedule.KindInstant && h.when {
				c.rank += 9
			}
		case o.Unit == "": // known when it has run
		case strings.Contains(o.Unit, "@"):
			if c.field.Unit = h.unitOf(o.Unit, units); c.field.Unit == "" {
				continue
			}
			c.rank += 2
		case o.Unit == "1" && h.days && (o.Name == "days" || o.Name == "count"):
			c.field.Unit = "day"
		case o.Unit == "1" && !h.many:
			c.rank -= 2
		}
		if h.long && c.field.Unit != "" && c.field.Unit != "1" && !units.Convertible(c.field.Unit, "km") && !units.Convertible(c.field.Unit, "day") {
			continue // a length or a time, and no area
		}
		for _, u := range h.units {
			if c.field.Unit != "" && units.Convertible(c.field.Unit, u) {
				c.field.Unit = u
				c.rank += 4
			}
		}
		for _, s := range memory.Stems(strings.ReplaceAll(o.Name, "_", " ")) {
			if h.stems[s] {
				c.rank++
			}
		}
		c.rank += int(3 * search.Said(h.text, o)) // "border" asks for a perimeter
		for _, say := range superlatives {
			if say.words.MatchString(h.text) && slices.ContainsFunc(say.names, func(n string) bool { return strings.Contains(o.Name, n) }) {
				c.rank += 3
			}
		}
		if !ok || c.rank > best.rank {
			best, ok = c, true
		}
	}
	return best, ok
}

// unitOf is the unit of an output that is declared by that of an input, "@series" or "@series year-1", for the variable that
// is named; "" where none is.
func (h hints) unitOf(declared string, units schedule.Units) string {
	_, factor, scaled := strings.Cut(declared, " ")
	if h.variable == "" || !scaled {
		return h.variable
	}
	product, err := units.Mul(h.variable, factor)
	if err != nil {
		return ""
	}
	return product
}

// answerType is the type of an answer field for a kind of output.
func answerType(kind string) (string, bool) {
	switch kind {
	case schedule.KindScalar, schedule.KindNumber:
		return "number", true
	case schedule.KindText, schedule.KindInstant, schedule.KindBoolean:
		return kind, true
	}
	return "", false
}

// askWanted lets the model choose what the request asks for.
func (w *work) askWanted(ctx context.Context, options []wanted) (wanted, error) {
	q := llm.Question{
		Rules:   "You help to find what a question about Earth data asks for. Pick the option that fits the words of the question best.",
		Context: "Question: " + w.ep.Request.Question, Ask: "Which value does the question ask for?", Role: "supervisor",
		How: llm.ChooseOptions{AllRotations: true},
	}
	for _, o := range options {
		q.Options = append(q.Options, llm.Option{Name: o.tool + "." + o.field.Key, Meaning: o.doc})
	}
	choice, err := llm.Choose(ctx, w.ep.Model("supervisor", "choose"), q)
	if errors.Is(err, llm.ErrBadReply) {
		return options[0], nil
	}
	if err != nil {
		return wanted{}, err
	}
	probs := map[string]float64{}
	for i, o := range options {
		probs[o.tool+"."+o.field.Key] = choice.Probabilities[i]
	}
	body := &event.Search{Questions: []event.Question{{Kind: "contract", Text: q.Ask, Probabilities: probs, Chosen: choice.Name, Changed: choice.Best != 0}}}
	if _, err := w.ep.Emit("engine", 0, event.TypeSearch, body); err != nil {
		return wanted{}, err
	}
	return options[choice.Best], nil
}
