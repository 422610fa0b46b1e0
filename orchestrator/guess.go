package orchestrator

import (
	"context"
	"errors"
	"strings"

	"almanac/agents/llm"
	"almanac/memory"
	"almanac/orchestrator/event"
	"almanac/orchestrator/reading"
	"almanac/orchestrator/schedule"
)

// guessed is how many tools retrieval may offer for a request that names no answer fields.
const guessed = 12

// wanted is an output that could be what a request without fields asks for.
type wanted struct {
	tool  string
	field schedule.Field
	doc   string
	unit  bool // in a unit that the request names
	words int  // words that its name and documentation share with the request
}

// guessContract makes the contract of a request without one, for the modes in which the engine writes the schedule:
// of the tools that retrieval ranks best, the first with a value in a unit that the request names, else the first with
// a value; of its values the one whose words the request shares. With a model the best of several tools are put to it
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

// outputs are the best output of each tool, those in a unit that the request names first.
func (w *work) outputs(ranked []memory.Hit, text string) []wanted {
	units := reading.UnitsAsked(text)
	stems := map[string]bool{}
	for _, s := range memory.Stems(text) {
		stems[s] = true
	}
	var named, rest []wanted
	for _, hit := range ranked {
		sig, ok := w.team.Catalog.Signature(hit.Tool)
		if !ok || hit.Score == 0 {
			continue
		}
		if o, ok := w.bestOutput(sig, units, stems); ok && o.unit {
			named = append(named, o)
		} else if ok {
			rest = append(rest, o)
		}
	}
	return append(named, rest...)
}

func (w *work) bestOutput(sig schedule.Signature, units []string, stems map[string]bool) (best wanted, ok bool) {
	for _, o := range sig.Outputs {
		kind, fits := answerType(o.Kind)
		if !fits || o.List {
			continue
		}
		c := wanted{tool: sig.Name, field: schedule.Field{Key: o.Name, Type: kind, Description: o.Doc}, doc: o.Doc + " (" + sig.Doc + ")"}
		if o.Unit != "?" && !strings.Contains(o.Unit, "@") {
			c.field.Unit = o.Unit
		}
		for _, u := range units {
			if c.field.Unit != "" && w.team.Catalog.Units().Convertible(c.field.Unit, u) {
				c.unit, c.field.Unit = true, u
			}
		}
		for _, s := range memory.Stems(strings.ReplaceAll(o.Name, "_", " ") + " " + o.Doc) {
			if stems[s] {
				c.words++
			}
		}
		if !ok || c.unit && !best.unit || c.unit == best.unit && c.words > best.words {
			best, ok = c, true
		}
	}
	return best, ok
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
