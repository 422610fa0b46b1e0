package cli

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"almanac/eval"
	"almanac/eval/runlog"
	"almanac/orchestrator/event"
	"almanac/toolkits/units"
)

// episodeJSON is one episode as run prints it. Fields without a value are null, with a reason.
type episodeJSON struct {
	ID          string                 `json:"id"`
	Setup       string                 `json:"setup"`
	Model       *string                `json:"model"`
	Task        string                 `json:"task"`
	Question    string                 `json:"question"`
	Seed        int64                  `json:"seed"`
	Outcome     string                 `json:"outcome"`
	Success     *bool                  `json:"success"`
	Answer      map[string]*answerJSON `json:"answer"`
	Declined    bool                   `json:"declined"`
	Reason      string                 `json:"reason,omitempty"`
	Missing     []string               `json:"missing,omitempty"`
	Tokens      *int64                 `json:"tokens"`
	ModelCalls  int                    `json:"model_calls"`
	ToolCalls   int                    `json:"tool_calls"`
	Seconds     float64                `json:"seconds"`
	Failures    []string               `json:"failures"`
	Schedule    string                 `json:"schedule"`
	Steps       []stepJSON             `json:"steps"`
	Explanation string                 `json:"explanation,omitempty"`
	Events      string                 `json:"events"`
	Run         string                 `json:"run"`

	keys []string // of the answer, in order
}

type answerJSON struct {
	Value    any     `json:"value"`
	Unit     *string `json:"unit"`
	Gold     any     `json:"gold"`
	Hit      *bool   `json:"hit"`
	Bound    bool    `json:"bound"`
	Artifact *string `json:"artifact"`
	Call     *string `json:"call"`
	Tool     *string `json:"tool"`
	Output   *string `json:"output"`
	Reason   *string `json:"reason"`
}

type stepJSON struct {
	Step      string         `json:"step"`
	Item      int            `json:"item"`
	Call      *string        `json:"call"`
	Tool      *string        `json:"tool"`
	Agent     string         `json:"agent,omitempty"`
	Arguments map[string]any `json:"arguments"`
	State     string         `json:"state"`
	Artifact  *string        `json:"artifact"`
	Seconds   *float64       `json:"seconds"`
	Memo      bool           `json:"memo,omitempty"`
	Reason    string         `json:"reason,omitempty"`
}

// shown prints an episode and turns its end into an exit code.
func (p *program) shown(s *single, e *eval.EpisodeResult) error {
	list, err := runlog.ReadEvents(filepath.Join(s.out, "events.jsonl"))
	if err != nil {
		return err
	}
	doc := newEpisodeJSON(s, e, list.List)
	if s.trace != "" {
		if err := writeTrace(s.trace, e.ID, list.List); err != nil {
			return err
		}
	}
	if p.json {
		err = p.print(doc)
	} else {
		err = p.episodeText(doc)
	}
	if err != nil {
		return err
	}
	return ending(e, doc)
}

func ending(e *eval.EpisodeResult, doc *episodeJSON) error {
	if e.Harness {
		return &exit{exitWanting, fmt.Errorf("the episode could not be carried out: %s", e.Reason)}
	}
	unanswered := len(doc.keys) == 0
	for _, f := range doc.Answer {
		unanswered = unanswered || f.Value == nil
	}
	switch {
	case doc.Declined:
		return &exit{exitWanting, errors.New("declined: " + doc.Reason)}
	case unanswered && len(e.Scores.Trace.Budgets) > 0:
		b := e.Scores.Trace.Budgets[0]
		return &exit{exitBudget, fmt.Errorf("stopped by the budget of %s (%g)", b.Name, b.Limit)}
	case unanswered:
		reason := "no field has a value"
		for _, k := range doc.keys {
			if f := doc.Answer[k]; f.Value == nil && f.Reason != nil {
				reason = k + ": " + *f.Reason
			}
		}
		if e.Reason != "" {
			reason = e.Reason
		}
		return &exit{exitWanting, errors.New("unanswered: " + reason)}
	}
	return nil
}

func newEpisodeJSON(s *single, e *eval.EpisodeResult, events []event.Event) *episodeJSON {
	tr := e.Scores.Trace
	doc := &episodeJSON{
		ID: e.ID, Setup: e.Arm.Setup, Model: orNil(e.Arm.Model), Task: s.task.ID, Question: s.task.Question, Seed: e.Seed, Outcome: e.Outcome,
		Answer: map[string]*answerJSON{}, Declined: e.Scores.Declined, Tokens: e.Scores.Usage.Tokens.Total,
		ModelCalls: e.Scores.Usage.ModelCalls, ToolCalls: e.Scores.Usage.ToolCalls, Seconds: e.Seconds, Failures: []string{},
		Explanation: s.explanation, Events: filepath.Join(s.out, "events.jsonl"), Run: s.out, Steps: steps(tr, e.ID, events),
	}
	if s.scored {
		ok := e.Scores.Success()
		doc.Success, doc.Failures = &ok, emptyList(e.Scores.Failures)
	}
	if n := len(tr.Schedules); n > 0 {
		doc.Schedule = tr.Schedules[n-1].Text
	}
	if tr.Answer != nil {
		doc.Reason, doc.Missing = tr.Answer.Reason, tr.Answer.Missing
		for _, f := range tr.Answer.Fields {
			doc.keys = append(doc.keys, f.Key)
			doc.Answer[f.Key] = s.answer(e, f)
		}
	}
	return doc
}

// answer is a field in the unit that was asked for, with right value and hit where the task has them.
func (s *single) answer(e *eval.EpisodeResult, f event.AnswerField) *answerJSON {
	a := &answerJSON{
		Value: f.Value, Unit: orNil(f.Unit), Bound: f.Bound, Artifact: orNil(f.Artifact), Call: orNil(f.Call), Output: orNil(f.Output), Reason: orNil(f.Reason),
	}
	for _, c := range e.Scores.Trace.Calls {
		if c.ID == f.Call {
			a.Tool = orNil(c.Tool)
		}
	}
	want, known := s.task.Field(f.Key)
	if x, ok := f.Value.(float64); ok && known && want.Unit != "" && f.Unit != "" && want.Unit != f.Unit {
		if y, err := units.Convert(x, f.Unit, want.Unit, f.Difference || want.Quantity == "difference"); err == nil {
			a.Value, a.Unit = y, orNil(want.Unit)
		}
	}
	if !s.scored {
		return a
	}
	for _, sc := range e.Scores.Fields {
		if sc.Key == f.Key {
			hit := sc.Hit
			a.Gold, a.Hit, a.Bound = sc.Gold, &hit, sc.Bound
			if a.Reason == nil {
				a.Reason = orNil(sc.Reason)
			}
		}
	}
	return a
}

// steps joins the calls of the log with the states of their steps; steps that made no call stand at the end.
func steps(tr *eval.Trace, id string, events []event.Event) []stepJSON {
	type key struct {
		step string
		item int
	}
	state := map[key]*event.Step{}
	var order []key
	for _, ev := range events {
		if b, ok := ev.Body.(*event.Step); ok && ev.Episode == id {
			k := key{b.Step, b.Item}
			if state[k] == nil {
				order = append(order, k)
			}
			state[k] = b
		}
	}
	out := []stepJSON{}
	called := map[string]bool{}
	for _, c := range tr.Calls {
		called[c.Step] = true
		st := stepJSON{Step: c.Step, Item: c.Item, Call: orNil(c.ID), Tool: orNil(c.Tool), Agent: c.Agent, Arguments: map[string]any{}, State: "failed", Memo: c.Memo}
		for _, a := range c.Arguments {
			switch {
			case a.Given != "":
				st.Arguments[a.Name] = a.Given
			case a.Rule != "null":
				st.Arguments[a.Name] = a.Value
			}
		}
		if r := tr.Results[c.ID]; r != nil {
			seconds := r.Seconds
			st.Seconds = &seconds
			if r.OK {
				st.State = "done"
			} else {
				st.Reason = r.Code + ": " + r.Message
			}
			if len(r.Outputs) > 0 {
				st.Artifact = orNil(r.Outputs[0].Artifact)
			}
		}
		out = append(out, st)
	}
	for _, k := range order {
		if b := state[k]; !called[k.step] && (b.State == "skipped" || b.State == "cancelled" || b.State == "failed") {
			out = append(out, stepJSON{Step: k.step, Item: k.item, Arguments: map[string]any{}, State: b.State, Reason: b.Reason})
		}
	}
	return out
}

func orNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func writeTrace(file, id string, events []event.Event) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	enc := json.NewEncoder(w)
	for _, e := range events {
		if e.Episode == id {
			if err := enc.Encode(e); err != nil {
				return errors.Join(err, f.Close())
			}
		}
	}
	return errors.Join(w.Flush(), f.Close())
}

// episodeText shows an episode to people.
func (p *program) episodeText(doc *episodeJSON) error {
	out := p.Out
	if doc.Schedule != "" {
		fmt.Fprintf(out, "%s\n%s\n\n", paint(out, bold, "Schedule"), indented(doc.Schedule, 2))
	}
	if len(doc.Steps) > 0 {
		t := newTable("STEP", "TOOL", "STATE", "SECONDS", "ARTIFACT").numbers(3)
		for _, s := range doc.Steps {
			seconds := "–"
			if s.Seconds != nil {
				seconds = fmt.Sprintf("%.3f", *s.Seconds)
			}
			name := s.Step
			if s.Item >= 0 {
				name = fmt.Sprintf("%s[%d]", name, s.Item)
			}
			state := s.State
			if s.Reason != "" {
				state += " (" + clipped(s.Reason, 60) + ")"
			}
			t.add(name, text(s.Tool), state, seconds, short(s.Artifact))
		}
		if err := t.write(out); err != nil {
			return err
		}
		fmt.Fprintln(out)
	}
	fmt.Fprintf(out, "%s  %s\n", paint(out, bold, "Question"), doc.Question)
	if doc.Declined {
		fmt.Fprintf(out, "%s  %s\n", paint(out, yellow, "Declined"), doc.Reason)
	}
	t := newTable("ANSWER", "VALUE", "UNIT", "FROM", "ARTIFACT", "").numbers(1)
	for _, k := range doc.keys {
		f := doc.Answer[k]
		if doc.Declined {
			break
		}
		from := "a literal"
		if f.Call != nil {
			from = text(f.Tool) + " " + *f.Call + "." + text(f.Output)
		}
		if f.Value == nil {
			from = ""
		}
		t.add(k, showPlain(f.Value), text(f.Unit), from, short(f.Artifact), f.note())
	}
	if len(t.rows) > 0 {
		fmt.Fprintln(out)
		if err := t.write(out); err != nil {
			return err
		}
	}
	if doc.Explanation != "" {
		fmt.Fprintln(out, "\n"+wrapped(doc.Explanation, 100))
	}
	_, err := fmt.Fprintf(out, "\n%s\n", paint(out, faint, "Run folder: "+doc.Run))
	return err
}

// note says what is remarkable about a field.
func (f *answerJSON) note() string {
	var parts []string
	if f.Hit != nil {
		parts = append(parts, map[bool]string{true: "right", false: "wrong, " + showPlain(f.Gold) + " is right"}[*f.Hit])
	}
	switch {
	case f.Value == nil:
		parts = []string{"unanswered"}
	case !f.Bound:
		parts = append(parts, "unbound")
	}
	if f.Reason != nil && (f.Value == nil || !f.Bound) {
		parts = append(parts, *f.Reason)
	}
	return strings.Join(parts, ": ")
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func short(s *string) string {
	if s == nil {
		return ""
	}
	return (*s)[:min(12, len(*s))]
}
