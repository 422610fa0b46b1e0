package episode

import (
	"errors"
	"fmt"

	"almanac/orchestrator/binding"
	"almanac/orchestrator/event"
	"almanac/toolkits/units"
)

// ErrEnded is returned when a second answer is given.
var ErrEnded = errors.New("episode: it has its answer already")

// Answer ends the work with a value or a reason for every field of the contract. Fields that the contract names and
// fields does not hold are unanswered. Each field's chain is checked here, by the engine; a unit that does not fit the
// contract's unbinds the field and says so.
func (e *Episode) Answer(agent string, fields []event.AnswerField) error {
	if e.Ended() {
		return ErrEnded
	}
	byKey := make(map[string]int, len(fields))
	for i, f := range fields {
		byKey[f.Key] = i
	}
	out := make([]event.AnswerField, 0, len(fields))
	for _, want := range e.Request.Contract {
		f := event.AnswerField{Key: want.Key, Reason: "no value was given"}
		if i, ok := byKey[want.Key]; ok {
			var err error
			if f, err = e.bind(fields[i], want.Unit); err != nil {
				return err
			}
			delete(byKey, want.Key)
		}
		out = append(out, f)
	}
	for _, f := range fields {
		if _, extra := byKey[f.Key]; extra {
			f, err := e.bind(f, "")
			if err != nil {
				return err
			}
			out = append(out, f)
		}
	}
	return e.end(agent, &event.Answer{Fields: out})
}

// Decline ends the work: the request cannot be answered with what there is.
func (e *Episode) Decline(agent, reason string, missing []string) error {
	out := make([]event.AnswerField, len(e.Request.Contract))
	for i, want := range e.Request.Contract {
		out[i] = event.AnswerField{Key: want.Key, Reason: "declined: " + reason}
	}
	return e.end(agent, &event.Answer{Fields: out, Declined: true, Reason: reason, Missing: missing})
}

func (e *Episode) end(agent string, a *event.Answer) error {
	e.mu.Lock()
	if e.ended {
		e.mu.Unlock()
		return ErrEnded
	}
	e.ended = true
	e.answer = a
	e.mu.Unlock()
	_, err := e.Emit(agent, 0, event.TypeAnswer, a)
	return err
}

// bind makes the engine's own checks of a field, logs each that applies, and unbinds the field when one fails. A
// model's check has no such power: models invent bounds.
func (e *Episode) bind(f event.AnswerField, unit string) (event.AnswerField, error) {
	if f.Value == nil {
		if f.Reason == "" {
			f.Reason = "no value was given"
		}
		f.Bound = false
		return f, nil
	}
	f.Bound, f.Reason = true, ""
	check := func(name string, passed bool, reason string) error {
		c := &event.Check{Name: name, By: "engine", Step: f.Step, Passed: passed, Reason: reason}
		if !passed {
			c.Unbinds = []string{f.Key}
			if f.Bound {
				f.Bound, f.Reason = false, reason
			}
		}
		_, err := e.Emit("engine", 0, event.TypeCheck, c)
		return err
	}
	bound, reason := binding.Check(f, e.logged, e.stated())
	if err := check("provenance", bound, reason); err != nil {
		return f, err
	}
	if unit != "" && f.Unit != "" {
		fits := units.Convertible(f.Unit, unit)
		reason := ""
		if !fits {
			reason = fmt.Sprintf("unit: %s cannot be given in %s", f.Unit, unit)
		}
		if err := check("unit", fits, reason); err != nil {
			return f, err
		}
	}
	if applies, reason := e.covered(f); applies {
		if err := check("coverage", reason == "", reason); err != nil {
			return f, err
		}
	}
	return f, nil
}

func (e *Episode) logged(id string) (binding.Call, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	r, ok := e.byID[id]
	if !ok {
		return binding.Call{}, false
	}
	return binding.Call{Call: r.Call, Result: r.Result}, true
}

func (e *Episode) stated() binding.Request {
	if e.opts.Stated != nil {
		return e.opts.Stated
	}
	return nothing{}
}

// nothing is a request that states no number: used where the words were not read.
type nothing struct{}

func (nothing) Number(float64, string) bool { return false }
func (nothing) Period(string) bool          { return false }

// Given returns the answer that was given, nil for none.
func (e *Episode) Given() *event.Answer {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.answer
}

// Outcome says how the episode ended, in the words of package event.
func (e *Episode) Outcome() string {
	a := e.Given()
	switch {
	case a == nil:
		return event.Unsolved
	case a.Declined:
		return event.Declined
	}
	have := 0
	for _, f := range a.Fields {
		if f.Value != nil {
			have++
		}
	}
	switch {
	case have == 0:
		return event.Unsolved
	case have < len(a.Fields):
		return event.Partial
	}
	return event.Answered
}
