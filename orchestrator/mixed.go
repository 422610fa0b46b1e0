package orchestrator

import (
	"context"
	"time"

	"almanac/orchestrator/event"
	"almanac/orchestrator/schedule"
	"almanac/orchestrator/search"
)

// modeMixed marks a schedule of which the model wrote a part and the typed search the rest.
const modeMixed = "mixed"

// complete keeps the statements of a refused program that pass the checker, and lets the typed search find what its
// failing ones were to give: a wrong kind or an unknown field then costs no further model call. What the search finds
// competes by its score, kept statements among it. Nil where nothing passes, where nothing is left to find, or where
// the search finds nothing.
func (p *programPlanner) complete(ctx context.Context, d *draft) (*draft, error) {
	if p.opts.NoCompletion || len(p.ep.Request.Contract) == 0 || d.program == nil || d.program.Decline() != nil {
		return nil, nil
	}
	kept, missing := p.passing(d.program)
	if len(kept.Statements) < 2 || len(missing) == 0 { // no step beside the answer
		return nil, nil
	}
	in, err := p.fallback.input(ctx)
	if err != nil {
		return nil, err
	}
	in.Contract, in.Written = missing, steps(kept)
	in.Legal = func(c *schedule.Program) error { return p.legal(merged(kept, c)) }
	begun := time.Now()
	res := search.Run(in, nil)
	body := &event.Search{Expanded: res.Expanded, Seconds: time.Since(begun).Seconds(), Declined: res.Reason}
	if lacking, _ := p.team.lacks(in, res); lacking != "" {
		res.Candidates, body.Declined = nil, lacking
	}
	for _, c := range res.Candidates[:min(shownCandidates, len(res.Candidates))] {
		body.Candidates = append(body.Candidates, event.Candidate{Schedule: schedule.Print(merged(kept, c.Program)), Score: c.Score, Terms: c.Terms})
	}
	if _, err := p.ep.Emit("engine", 0, event.TypeSearch, body); err != nil {
		return nil, err
	}
	for _, c := range res.Candidates {
		whole := merged(kept, c.Program)
		problems := schedule.Check(whole, p.catalog(), p.ep.Request.Contract, p.slots, nil)
		if len(schedule.Errors(problems)) == 0 && !p.tried[schedule.Hash(whole)] {
			return &draft{program: whole, problems: problems, mode: modeMixed}, nil
		}
	}
	return nil, nil
}

// passing is the part of a program that the checker passes, its answer at the end, and the fields that it leaves open.
func (p *programPlanner) passing(program *schedule.Program) (kept *schedule.Program, missing schedule.Contract) {
	kept = &schedule.Program{}
	for _, s := range program.Statements {
		if _, ends := s.Body.(*schedule.Answer); !ends && p.passes(kept, s, nil) {
			kept.Statements = append(kept.Statements, s)
		}
	}
	answer := &schedule.Answer{}
	for _, f := range p.ep.Request.Contract {
		arg, ok := answered(program, f.Key)
		alone := &schedule.Statement{Body: &schedule.Answer{Fields: []schedule.Arg{arg}}}
		if ok && p.passes(kept, alone, schedule.Contract{f}) {
			answer.Fields = append(answer.Fields, arg)
		} else {
			missing = append(missing, f)
		}
	}
	kept.Statements = append(kept.Statements, &schedule.Statement{Body: answer})
	return kept, missing
}

// passes tells whether a statement can stand after others.
func (p *programPlanner) passes(before *schedule.Program, s *schedule.Statement, contract schedule.Contract) bool {
	with := &schedule.Program{Statements: append(append([]*schedule.Statement(nil), before.Statements...), s)}
	for _, pr := range schedule.Errors(schedule.Check(with, p.catalog(), contract, p.slots, nil)) {
		if pr.Code != schedule.NoAnswer {
			return false
		}
	}
	return true
}

func answered(program *schedule.Program, key string) (schedule.Arg, bool) {
	if a := program.Answer(); a != nil {
		for _, f := range a.Fields {
			if f.Name == key {
				return f, true
			}
		}
	}
	return schedule.Arg{}, false
}

// steps are the named steps of a program; those that are no plain calls only have their names.
func steps(program *schedule.Program) []search.Step {
	var out []search.Step
	for _, s := range program.Statements {
		if s.Name == "" {
			continue
		}
		step := search.Step{Name: s.Name}
		if c, ok := s.Body.(*schedule.Call); ok && !c.IsAsk() {
			step.Call = c
		}
		out = append(out, step)
	}
	return out
}

// merged puts what was found behind what was kept, with one answer, and leaves steps out that nothing uses any more.
func merged(kept, found *schedule.Program) *schedule.Program {
	answer := &schedule.Answer{}
	var all []*schedule.Statement
	for _, part := range []*schedule.Program{kept, found} {
		for _, s := range part.Statements {
			if a, ends := s.Body.(*schedule.Answer); ends {
				answer.Fields = append(answer.Fields, a.Fields...)
			} else {
				all = append(all, s)
			}
		}
	}
	all = append(all, &schedule.Statement{Body: answer})
	used := map[string]bool{}
	var needed []*schedule.Statement
	for i := len(all) - 1; i >= 0; i-- {
		s := all[i]
		if s.Name != "" && !used[s.Name] {
			continue
		}
		for _, r := range schedule.References(s) {
			used[r.Name] = true
		}
		needed = append([]*schedule.Statement{s}, needed...)
	}
	return &schedule.Program{Statements: needed}
}
