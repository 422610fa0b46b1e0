package orchestrator

import (
	"context"
	"errors"
	"fmt"

	"almanac/agents"
	"almanac/agents/llm"
	"almanac/orchestrator/calibration"
	"almanac/orchestrator/episode"
	"almanac/orchestrator/event"
	"almanac/orchestrator/executor"
	"almanac/orchestrator/reading"
	"almanac/orchestrator/schedule"
	"almanac/orchestrator/toolcatalog"
	"almanac/toolkits"
)

// Modes of squad: how the supervisor comes to a schedule.
const (
	ModeAuto      = "auto"
	ModeProgram   = "program"   // it writes the program
	ModeObjective = "objective" // it writes objectives, specialists choose the tools
	ModeSlot      = "slot"      // the typed search writes it, the model decides closed questions
)

var aboutSquad = about{
	differs: "a checked data-flow schedule that the engine runs, instead of a conversation",
	summary: "A supervisor writes a checked data-flow schedule over specialists; the engine runs it: typed handles, parallel steps, " +
		"revisions, verification, bound answers. In slot mode the typed search writes it, and the model decides where words are needed.",
	model: true, prompts: []string{"squad/program.txt", "squad/objective.txt"},
}

var aboutSearch = about{
	differs: "squad without a model",
	summary: "The typed search of squad, ranked by retrieval alone: what the engine does by itself, without a model, at no tokens.",
}

// squad is Almanac's own setup: checked schedules over specialists. Without a model it is the search setup.
type squad struct {
	team   *Team
	opts   *Options
	name   string
	memory *remembered
	one    *agents.Agent      // in the place of the specialists; nil for these
	plain  *toolkits.Registry // the tools without distractors, where there are some
	extra  []*toolkits.Tool   // the distractors
}

func newSquad(team *Team, opts *Options) (Setup, error) {
	switch opts.Mode {
	case "", ModeAuto, ModeProgram, ModeObjective, ModeSlot:
		s := &squad{team: team, opts: opts, name: "squad"}
		return s, s.change()
	}
	return nil, fmt.Errorf("orchestrator: squad has no mode %q; there are %s, %s, %s, %s", opts.Mode, ModeAuto, ModeProgram, ModeObjective, ModeSlot)
}

// newSearch is squad's typed search ranked by retrieval alone: what the engine can do by itself.
func newSearch(team *Team, opts *Options) (Setup, error) {
	return &squad{team: team, opts: opts, name: "search"}, nil
}

func (s *squad) Name() string    { return s.name }
func (s *squad) UsesModel() bool { return s.name != "search" }

// work is what one episode of squad knows.
type work struct {
	*squad
	ep      *episode.Episode
	request reading.Request
	slots   schedule.Slots
	values  map[string]toolkits.Value
	mode    string
	version int
	checked bool            // a check that a model wrote has had its one revision
	tried   map[string]bool // schedules that were run
	best    []event.AnswerField
}

// draft is a schedule to run, or a decision to decline.
type draft struct {
	program  *schedule.Program
	problems []schedule.Problem
	repairs  []schedule.RepairRecord
	mode     string
	declined *schedule.Decline
}

// planner makes schedules in one of the modes.
type planner interface {
	// plan makes the first schedule.
	plan(ctx context.Context) (*draft, error)
	// revise makes another after res; nil when it has nothing else to offer.
	revise(ctx context.Context, last *draft, res *executor.Result) (*draft, error)
}

// Solve drafts a schedule, runs it, and revises it while fields lack values and the budget allows.
func (s *squad) Solve(ctx context.Context, ep *episode.Episode) error {
	if err := s.distract(ep); err != nil {
		return err
	}
	w := &work{squad: s, ep: ep, tried: map[string]bool{}}
	w.request = s.team.Reader.Read(ep.Request.Text())
	w.slots, w.values = w.request.Types(), w.request.Slots()
	w.mode = s.chooseMode(ctx, ep)
	if err := w.guessContract(ctx); err != nil {
		return w.give(ctx, err)
	}
	p := w.planner(ctx)
	d, err := p.plan(ctx)
	for err == nil && d != nil {
		var res *executor.Result
		if res, err = w.run(ctx, d); err != nil {
			break
		}
		if res != nil && (res.Declined != nil && !w.hasValue() || w.complete(res)) {
			return w.finish(res)
		}
		if res != nil && res.Declined != nil || s.opts.NoRevision || ep.Exhausted() != "" {
			break
		}
		if err = ep.Replan(); err == nil {
			last := d
			if d, err = p.revise(ctx, last, res); err == nil && d != nil {
				err = w.logRevision(last, d, res)
			}
		}
	}
	return w.give(ctx, err)
}

// chooseMode takes the mode that was asked for, or goes by [AutoMode].
func (s *squad) chooseMode(ctx context.Context, ep *episode.Episode) string {
	if s.name == "search" {
		return "search"
	}
	if s.opts.Mode != "" && s.opts.Mode != ModeAuto {
		return s.opts.Mode
	}
	return AutoMode(s.opts.Calibration, ep.ModelSize(ctx))
}

// Shares of valid schedules from which, and below which, the model's size does not count.
const (
	surelyProgram = 0.8
	surelySlot    = 0.5
	programFrom   = 4e9 // parameters
)

// AutoMode is what mode auto comes to: program for a model of which 80 % of the schedules on dev are valid, slot below
// 50 %; between them, or where that was not measured, program from 4 billion parameters up and slot for a smaller model
// or one of unknown size (0).
func AutoMode(c *calibration.Figures, parameters float64) string {
	if c != nil && c.ValidShare != nil {
		switch share := *c.ValidShare; {
		case share >= surelyProgram:
			return ModeProgram
		case share < surelySlot:
			return ModeSlot
		}
	}
	if parameters >= programFrom {
		return ModeProgram
	}
	return ModeSlot
}

func (w *work) planner(ctx context.Context) planner {
	slot := newSlotPlanner(w)
	switch w.mode {
	case ModeProgram, ModeObjective:
		return &programPlanner{work: w, fallback: slot, ask: w.mode == ModeObjective}
	}
	return slot
}

// run logs a draft and executes it if it passed the checker. A draft that did not gives a nil result.
func (w *work) run(ctx context.Context, d *draft) (*executor.Result, error) {
	w.version++
	if d.declined != nil {
		d.program = &schedule.Program{Statements: []*schedule.Statement{{Body: d.declined}}}
	}
	if err := logSchedule(w.ep, "supervisor", w.version, d.mode, d.program, d.problems, d.repairs); err != nil {
		return nil, err
	}
	if len(schedule.Errors(d.problems)) > 0 {
		return nil, nil
	}
	w.tried[schedule.Hash(d.program)] = true
	bound, err := schedule.Bind(d.program, w.team.catalogOf(w.ep.Tools), w.ep.Request.Contract, w.slots, nil)
	if err != nil {
		return nil, err
	}
	res, err := executor.Run(ctx, w.ep, bound, w.values, &executor.Options{
		MaxParallel: w.opts.MaxParallel, Version: w.version, Asker: w.specialists(), NoChecks: w.opts.NoChecks, Agent: w.agentName(),
	})
	if err != nil {
		return nil, err
	}
	w.keep(res.Answer)
	return res, nil
}

func (w *work) catalog() *toolcatalog.Catalog { return w.team.catalogOf(w.ep.Tools) }

// agentName is who carries out every step where there is one agent only; "" for the specialist of each.
func (w *work) agentName() string {
	if w.one == nil {
		return ""
	}
	return w.one.Name
}

// keep holds on to the fields that have values, so that a later version cannot lose them.
func (w *work) keep(fields []event.AnswerField) {
	for _, f := range fields {
		found := false
		for i, old := range w.best {
			if old.Key == f.Key {
				found = true
				if f.Value != nil || old.Value == nil {
					w.best[i] = f
				}
			}
		}
		if !found {
			w.best = append(w.best, f)
		}
	}
}

// complete reports whether the run leaves nothing to revise: every field of the contract has a value, and no check
// that a model wrote failed for the first time. A check causes one revision; after that it only marks the answer.
func (w *work) complete(res *executor.Result) bool {
	if len(res.Checks) > 0 && !w.checked {
		w.checked = true
		return false
	}
	have := map[string]bool{}
	for _, f := range res.Answer {
		have[f.Key] = f.Value != nil
	}
	for _, f := range w.ep.Request.Contract {
		if !have[f.Key] {
			return false
		}
	}
	if len(w.ep.Request.Contract) == 0 {
		return len(res.Failures) == 0 && w.hasValue()
	}
	return len(res.Answer) > 0
}

func (w *work) hasValue() bool {
	for _, f := range w.best {
		if f.Value != nil {
			return true
		}
	}
	return false
}

// logRevision says why a schedule was revised and which statements came or changed.
func (w *work) logRevision(last, next *draft, res *executor.Result) error {
	body := &event.Revision{From: w.version, To: w.version + 1, Reason: "the checker refused it"}
	if res != nil {
		body.Reason = "fields are unanswered"
		switch {
		case len(res.Failures) > 0:
			body.Reason = res.Failures[0].Step + ": " + res.Failures[0].Message
		case len(res.Checks) > 0:
			body.Reason = "check " + res.Checks[0].Text + ": " + res.Checks[0].Message
		}
	}
	had := map[string]bool{}
	if last.program != nil {
		for _, s := range last.program.Statements {
			had[s.String()] = true
		}
	}
	if next.program != nil {
		for _, s := range next.program.Statements {
			if text := s.String(); !had[text] {
				body.Statements = append(body.Statements, text)
			}
		}
	}
	_, err := w.ep.Emit("supervisor", 0, event.TypeRevision, body)
	return err
}

func (w *work) finish(res *executor.Result) error {
	if d := res.Declined; d != nil {
		return w.ep.Decline("supervisor", d.Reason, d.Missing)
	}
	return w.ep.Answer("supervisor", w.best)
}

// give ends the episode with what there is.
func (w *work) give(ctx context.Context, err error) error {
	reason := "no schedule reached it"
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case episode.IsBudget(err):
		reason = "budget: " + w.ep.Exhausted()
	case errors.Is(err, llm.ErrBadReply), errors.Is(err, llm.ErrContextOverflow):
		reason = "the model's replies could not be used: " + err.Error()
	case err != nil:
		return err
	}
	have := map[string]bool{}
	for _, f := range w.best {
		have[f.Key] = true
	}
	for _, f := range w.ep.Request.Contract {
		if !have[f.Key] {
			w.best = append(w.best, event.AnswerField{Key: f.Key, Reason: reason})
		}
	}
	return w.ep.Answer("supervisor", w.best)
}
