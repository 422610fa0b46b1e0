package search

import (
	"strings"

	"almanac/orchestrator/schedule"
)

// Step is a call that a schedule has already, under its name. The search may use it, and then does not write it again.
// It costs what any call costs, less what [Weights.Written] spares it: it has to win. Without a call the name is only
// taken.
type Step struct {
	Name string
	Call *schedule.Call
}

// readWritten makes derivations of the steps that a schedule has already. A step that is no plain call of a tool with
// named arguments, or that uses a step which is not, is left out.
func (s *searcher) readWritten() {
	for _, step := range s.in.Written {
		if step.Call == nil {
			continue
		}
		sig := s.signature(step.Call.FullName())
		if sig == nil {
			continue
		}
		part, ok := s.writtenCall(sig, step.Call)
		if !ok {
			continue
		}
		for i := range sig.Outputs {
			d := s.finish(sig, &sig.Outputs[i], part, goal{})
			if d == nil || sig.Outputs[i].List {
				continue
			}
			d.own = append(d.own, term{s.names.of("written " + step.Name), ofCall, s.w.Written})
			d.score = s.worth(d)
			s.written = append(s.written, d)
			s.stepNames[d.call] = step.Name
		}
	}
}

func (s *searcher) signature(name string) *schedule.Signature {
	for i := range s.sigs {
		if s.sigs[i].Name == name {
			return &s.sigs[i]
		}
	}
	return nil
}

func (s *searcher) writtenCall(sig *schedule.Signature, call *schedule.Call) (partial, bool) {
	part, read := partial{}, 0
	for _, p := range s.paramOrder(sig) {
		value, ok := call.Arg(p.Name)
		if !ok {
			continue
		}
		read++
		if part, ok = s.writtenArg(part, sig, p, value); !ok {
			return part, false
		}
	}
	return part, read == len(call.Args)
}

// writtenArg reads one argument: a result of a step before, a choice, a fact of the request, or a value by itself.
func (s *searcher) writtenArg(part partial, sig *schedule.Signature, p *schedule.Param, value schedule.Expr) (partial, bool) {
	ref, isRef := value.(*schedule.Ref)
	if isRef && ref.Name != schedule.TaskName {
		from := s.writtenOutput(ref)
		if from == nil {
			return part, false
		}
		next := part.with(argument{param: p, from: from, fact: -1}, from.score, 0)
		next.facts |= from.facts
		if referred(sig, p.Name) {
			next.unit = &unitOfInput{p.Name, from.unit, part.unit}
		}
		return next, true
	}
	text, isText := value.(*schedule.String)
	for i := range p.Enum {
		if c := &p.Enum[i]; isText && strings.EqualFold(c.Value, text.Value) && legal(*c, part.chosen) {
			words := s.choiceScore(p, i)
			next := part.with(argument{param: p, expr: value, fact: -1}, words.score, s.names.of("choice "+p.Name+"="+c.Value))
			next.facts |= s.in.Implied[c.Value] | s.stringFact(p, *c)
			next.chosen = &chosen{p.Name, c, part.chosen}
			return next, true
		}
	}
	return part.with(argument{param: p, expr: value, fact: s.factOf(value)}, 0, 0), true
}

func (s *searcher) writtenOutput(ref *schedule.Ref) *derivation {
	for _, d := range s.written {
		if s.stepNames[d.call] == ref.Name && d.output.Name == ref.Field {
			return d
		}
	}
	return nil
}

// factOf is the fact that a value is: its slot, or a place by its name; -1 for none.
func (s *searcher) factOf(value schedule.Expr) int {
	text := schedule.Text(value)
	for i, f := range s.in.Facts {
		name, isText := value.(*schedule.String)
		if text == schedule.Text(&f.Ref) || isText && f.Name != "" && strings.EqualFold(name.Value, f.Name) {
			return i
		}
	}
	return -1
}

// fromWritten are the results of written steps that meet the goal.
func (s *searcher) fromWritten(g goal) []*derivation {
	var out []*derivation
	for _, d := range s.written {
		kind := d.output.Kind
		if name, taken := strings.CutPrefix(kind, "@"); taken {
			kind = s.kindOf(d, name)
		}
		if has(g.kinds, kind) && (g.unit == "" || d.unit == "" || s.answers(d.unit, g.unit)) {
			out = append(out, d)
		}
	}
	return out
}

// kindOf is the kind of an output that is that of an argument.
func (s *searcher) kindOf(d *derivation, name string) string {
	for _, a := range d.args {
		if a.param.Name != name {
			continue
		}
		if a.from != nil {
			if inner, taken := strings.CutPrefix(a.from.output.Kind, "@"); taken {
				return s.kindOf(a.from, inner)
			}
			return a.from.output.Kind
		}
		if text, ok := a.expr.(*schedule.String); ok {
			for _, c := range a.param.Enum {
				if strings.EqualFold(c.Value, text.Value) && c.Kind != "" {
					return c.Kind
				}
			}
		}
	}
	return ""
}
