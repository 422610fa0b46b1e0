package scenarios

import (
	"slices"
	"strings"

	"almanac/orchestrator/schedule"
)

// goldFacts are what validation wants to know of one gold schedule.
type goldFacts struct {
	program  *schedule.Program
	problems []schedule.Problem
	calls    []*schedule.Call
	slots    []string  // task.x that it reads, sorted
	numbers  []float64 // literals in arguments and expressions, list indices apart
	answers  []string  // keys that answer binds
	declines bool
}

func readGold(g Gold) goldFacts {
	f := goldFacts{}
	f.program, f.problems = schedule.Parse(g.Text)
	f.problems = schedule.Errors(f.problems)
	if f.program == nil {
		return f
	}
	for _, s := range f.program.Statements {
		f.calls = append(f.calls, s.Calls()...)
		for _, r := range schedule.References(s) {
			if r.IsTask() && !slices.Contains(f.slots, r.Field) {
				f.slots = append(f.slots, r.Field)
			}
		}
		switch b := s.Body.(type) {
		case *schedule.Answer:
			for _, a := range b.Fields {
				f.answers = append(f.answers, a.Name)
				f.literals(a.Value)
			}
		case *schedule.Decline:
			f.declines = true
		case *schedule.Computed:
			f.literals(b.Expr)
		case *schedule.Guarded:
			f.literals(b.Cond)
		}
	}
	for _, c := range f.calls {
		for _, a := range c.Args {
			f.literals(a.Value)
		}
	}
	slices.Sort(f.slots)
	return f
}

// literals collects the number literals of an expression.
func (f *goldFacts) literals(e schedule.Expr) {
	switch e := e.(type) {
	case *schedule.Number:
		f.numbers = append(f.numbers, e.Float())
	case *schedule.List:
		for _, x := range e.Items {
			f.literals(x)
		}
	case *schedule.Dict:
		for _, x := range e.Entries {
			f.literals(x.Value)
		}
	case *schedule.Func:
		for _, x := range e.Args {
			f.literals(x)
		}
	case *schedule.Unary:
		f.literals(e.X)
	case *schedule.Binary:
		f.literals(e.X)
		f.literals(e.Y)
	case *schedule.Compare:
		f.literals(e.X)
		f.literals(e.Y)
	case *schedule.Logic:
		f.literals(e.X)
		f.literals(e.Y)
	}
}

// tools are the names of the tools called, sorted, each once.
func (f goldFacts) tools() []string {
	var names []string
	for _, c := range f.calls {
		if !slices.Contains(names, c.FullName()) {
			names = append(names, c.FullName())
		}
	}
	slices.Sort(names)
	return names
}

// twice returns two calls with one text, "" where all differ.
func (f goldFacts) twice() string {
	seen := map[string]bool{}
	for _, c := range f.calls {
		args := make([]string, len(c.Args))
		for i, a := range c.Args {
			args[i] = a.Name + "=" + schedule.Text(a.Value)
		}
		slices.Sort(args)
		text := c.FullName() + "(" + strings.Join(args, ", ") + ")"
		if seen[text] {
			return text
		}
		seen[text] = true
	}
	return ""
}
