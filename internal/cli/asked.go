package cli

import (
	"fmt"
	"strings"

	"almanac/internal/workspace"
	"almanac/orchestrator/schedule"
	"almanac/scenarios"
	"almanac/toolkits"
	"almanac/toolkits/units"

	"github.com/spf13/cobra"
)

// askFlags name what is asked: a task of a suite, or a question of one's own.
type askFlags struct {
	suite, task, ask, context string
	fields                    []string
}

func (f *askFlags) register(cmd *cobra.Command, withTask bool) {
	fl := cmd.Flags()
	fl.StringVar(&f.suite, "suite", "starter", "suite that the task is of")
	fl.StringVar(&f.ask, "ask", "", "a question of your own")
	fl.StringVar(&f.context, "context", "", "further facts that go with --ask")
	fl.StringArrayVar(&f.fields, "field", nil, "answer field of --ask, KEY:UNIT or KEY:TYPE, such as area:km2 or month:instant (may be repeated)")
	if withTask {
		fl.StringVar(&f.task, "task", "", "task whose slots and answer fields the schedule is for")
	}
}

// ownTask is the id of the task that a question of one's own becomes.
const ownTask = "ask"

// asked is the task that the flags name; ok is false where they name none.
func (f *askFlags) asked() (t scenarios.Task, ok bool, err error) {
	switch {
	case f.ask != "" && f.task != "":
		return t, false, usage("name a task or ask a question, not both")
	case f.ask == "" && len(f.fields) > 0:
		return t, false, usage("--field goes with --ask; a task of a suite has its own answer fields")
	case f.ask != "":
		t = scenarios.Task{
			ID: ownTask, Template: ownTask, Split: ownTask, Track: scenarios.Fundamentals, Domains: []string{ownTask},
			Question: f.ask, Context: f.context,
		}
		t.Answer, err = answerFields(f.fields)
		return t, true, err
	case f.task != "":
		suite, err := openSuite(f.suite)
		if err != nil {
			return t, false, &exit{exitUsage, err}
		}
		if t, err = suite.Task(f.task); err != nil {
			return t, false, &exit{exitUsage, err}
		}
		return t, true, nil
	}
	return t, false, nil
}

// answerTypes are the types that a field may be given instead of a unit.
var answerTypes = []string{scenarios.Text, scenarios.Boolean, scenarios.Instant, scenarios.Period, scenarios.Place, scenarios.Integer, scenarios.Number}

// answerFields reads KEY, KEY:UNIT and KEY:TYPE. A bare key is a number in whatever unit the tools give.
func answerFields(specs []string) ([]scenarios.Field, error) {
	var out []scenarios.Field
	seen := map[string]bool{}
	for _, s := range specs {
		key, what, _ := strings.Cut(s, ":")
		key, what = strings.TrimSpace(key), strings.TrimSpace(what)
		if key == "" || strings.ContainsAny(key, " .,=()") {
			return nil, usage("--field %q: a field is KEY, KEY:UNIT or KEY:TYPE, and a key is one word", s)
		}
		if seen[key] {
			return nil, usage("--field %q: the key is given twice", s)
		}
		seen[key] = true
		f := scenarios.Field{Key: key, Type: scenarios.Number}
		switch {
		case what == "":
		case contains(answerTypes, what):
			f.Type = what
			if what == scenarios.Integer {
				f.Unit = "1"
			}
		default:
			unit, err := units.Canonical(what)
			if err != nil {
				return nil, usage("--field %q: %v; a type is one of %s", s, err, strings.Join(answerTypes, ", "))
			}
			f.Unit = unit
		}
		out = append(out, f)
	}
	return out, nil
}

// slotsOf are the slots of a task: those of its file, and what the engine reads in its words.
func slotsOf(w *workspace.Workspace, t scenarios.Task) (schedule.Slots, map[string]toolkits.Value, error) {
	team, err := w.Team()
	if err != nil {
		return nil, nil, err
	}
	read := team.Reader.Read(workspace.Request(t).Text())
	types, vals := read.Types(), read.Slots()
	if types == nil {
		types = schedule.Slots{}
	}
	fileTypes, fileVals, err := workspace.Slots(t.Slots)
	if err != nil {
		return nil, nil, fmt.Errorf("slots of %s: %w", t.Path(), err)
	}
	for name, x := range fileTypes {
		types[name], vals[name] = x, fileVals[name]
	}
	return types, vals, nil
}
