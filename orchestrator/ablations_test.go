package orchestrator_test

import (
	"fmt"
	"strings"
	"testing"

	"almanac/agents/llm/scripted"
	"almanac/orchestrator"
	"almanac/orchestrator/event"
	"almanac/orchestrator/schedule"
)

// crafted is a task on which an ablation shows: replies of the model, and what of the events is looked at.
type crafted struct {
	name, mode, question string
	contract             schedule.Contract
	replies              []scripted.Reply // of squad
	ablated              []scripted.Reply // of the ablation; nil for the same
	memory               orchestrator.Recaller
	look                 func(*rig) string
	with, without        string // what is seen
}

const threeSteps = `a = gis.area(zones="Kenya")
b = gis.area(zones="France")
c = gis.area(zones="Chile")
answer(area=a.area)`

func craftedTasks() []crafted {
	temperature := schedule.Contract{{Key: "value", Type: "number", Unit: "degC"}}
	checked := `size = gis.area(zones=task.place)
verification.in_range(value=size.area, low=0, high=1e9)
answer(area=size.area)`
	wrong := say("size = gis.area(zones=\"Kenia\")\nother = gis.area(zones=\"France\")\nanswer(area=size.area)")
	selections := func(r *rig) string {
		s := bodies[*event.ToolSelection](r)
		return fmt.Sprintf("%s, %d tools", s[0].Index, len(s[0].Chosen))
	}
	return []crafted{
		{name: "squad-no-ts", mode: orchestrator.ModeProgram, replies: []scripted.Reply{say(areaProgram)}, look: func(r *rig) string {
			return strings.SplitN(selections(r), ",", 2)[0] + fmt.Sprint(len(bodies[*event.ToolSelection](r)[0].Chosen) == len(r.tools.Names()))
		}, with: "lexicalfalse", without: "no selectiontrue"},
		{name: "squad-no-wm", mode: orchestrator.ModeProgram, replies: []scripted.Reply{say(areaProgram)}, memory: recalled{examples: areas()},
			look: func(r *rig) string { return fmt.Sprint(len(bodies[*event.MemoryHit](r))) }, with: "2", without: "0"},
		{name: "squad-no-checks", mode: orchestrator.ModeProgram, replies: []scripted.Reply{say(checked)}, look: func(r *rig) string {
			return fmt.Sprint(strings.Contains(r.calls(), "verification.in_range"))
		}, with: "true", without: "false"},
		{name: "squad-no-parallel", mode: orchestrator.ModeProgram, replies: []scripted.Reply{say(threeSteps)}, look: overlap, with: "overlapping", without: "one by one"},
		{name: "squad-no-revision", mode: orchestrator.ModeProgram, replies: []scripted.Reply{wrong, say("size = gis.area(zones=\"Kenya\")")},
			look: func(r *rig) string { return fmt.Sprint(len(bodies[*event.Revision](r))) }, with: "1", without: "0"},
		{name: "squad-no-completion", mode: orchestrator.ModeProgram,
			replies: []scripted.Reply{say("size = gis.area(zones=task.place)\nlong = gis.perimetre(zones=size)\nanswer(area=long.width)"),
				say("long = gis.area(zones=task.place)\nanswer(area=long.area)")},
			look: func(r *rig) string { return fmt.Sprint(len(bodies[*event.Search](r)) > 0) }, with: "true", without: "false"},
		{name: "squad-full-replan", mode: orchestrator.ModeProgram, replies: []scripted.Reply{wrong, say("size = gis.area(zones=\"Kenya\")")},
			ablated: []scripted.Reply{wrong, say("size = gis.area(zones=\"Kenya\")\nanswer(area=size.area)")},
			look: func(r *rig) string {
				s := bodies[*event.Schedule](r)
				return fmt.Sprint(bodies[*event.ModelRequest](r)[1].Purpose, " ", strings.Contains(s[1].Text, "France"))
			}, with: "revise true", without: "plan false"},
		{name: "squad-one-agent", mode: orchestrator.ModeProgram, replies: []scripted.Reply{say(areaProgram)},
			look: func(r *rig) string { return bodies[*event.ToolCall](r)[0].Agent }, with: "gis", without: "generalist"},
		{name: "squad-tools-3", mode: orchestrator.ModeSlot, question: "What is the mean sea surface temperature around Iceland in August?", contract: temperature,
			replies: repeat(30, say("A")), look: selections, with: "lexical, ", without: "lexical, 3 tools"},
		{name: "squad-memory-1", mode: orchestrator.ModeProgram, replies: []scripted.Reply{say(areaProgram)}, memory: recalled{examples: areas()},
			look: func(r *rig) string { return fmt.Sprint(len(bodies[*event.MemoryHit](r))) }, with: "2", without: "1"},
		{name: "squad-distractors-50", mode: orchestrator.ModeProgram, replies: []scripted.Reply{say(areaProgram)}, look: func(r *rig) string {
			for _, name := range bodies[*event.ToolSelection](r)[0].Chosen {
				if t, err := r.work.Tools.Tool(name); err != nil || t == nil {
					return "distracted"
				}
			}
			return "plain"
		}, with: "plain", without: "distracted"},
	}
}

// overlap tells whether a call began before another had ended.
func overlap(r *rig) string {
	running := 0
	for _, e := range r.events {
		switch e.Body.(type) {
		case *event.ToolCall:
			if running++; running > 1 {
				return "overlapping"
			}
		case *event.ToolResult:
			running--
		}
	}
	return "one by one"
}

// Each ablation changes the events of a task that is made for it, and there is such a task for every ablation.
func TestAblations(t *testing.T) {
	tried := map[string]bool{}
	for _, c := range craftedTasks() {
		t.Run(c.name, func(t *testing.T) {
			if c.question == "" {
				c.question, c.contract = kenya, area()
			}
			for _, side := range []struct {
				setup   string
				replies []scripted.Reply
				want    string
			}{{"squad", c.replies, c.with}, {c.name, c.ablated, c.without}} {
				if side.replies == nil {
					side.replies = c.replies
				}
				r := newRig(t, side.replies...)
				r.opts.Mode, r.opts.Memory, r.opts.Distracted = c.mode, c.memory, r.work.Distracted
				r.must(side.setup, c.question, c.contract)
				got := c.look(r)
				if c.name == "squad-tools-3" && side.setup == "squad" {
					if got == c.without || !strings.HasPrefix(got, c.with) {
						t.Errorf("squad: %s", got)
					}
					continue
				}
				for again := 0; c.name == "squad-no-parallel" && side.setup == "squad" && got != side.want && again < 50; again++ {
					r = newRig(t, side.replies...) // what may run at the same time need not, each time
					r.opts.Mode = c.mode
					r.must(side.setup, c.question, c.contract)
					got = c.look(r)
				}
				if got != side.want {
					t.Errorf("%s: %s, want %s", side.setup, got, side.want)
				}
			}
		})
		tried[strings.TrimRight(c.name, "0123456789")] = true
	}
	for _, a := range orchestrator.Ablations() {
		if !tried[strings.TrimSuffix(a.Name, "N")] {
			t.Errorf("no crafted task shows what %s changes", a.Name)
		}
	}
}

func TestAblationNames(t *testing.T) {
	r := newRig(t)
	r.opts.Distracted, r.opts.Memory = r.work.Distracted, recalled{}
	for _, name := range orchestrator.AblationGrid() {
		s, err := orchestrator.New(name, r.team, &r.opts)
		if err != nil || s.Name() != name || !s.UsesModel() {
			t.Errorf("%s: %v", name, err)
		}
		if d, err := orchestrator.Describe(name); err != nil || d.Name != name || !d.Model || len(d.Prompts) == 0 {
			t.Errorf("%s: %+v, %v", name, d, err)
		}
		if orchestrator.IsAblation(name) != (name != "squad") {
			t.Errorf("%s: an ablation: %v", name, orchestrator.IsAblation(name))
		}
	}
	for name, want := range map[string]string{
		"squad-no-hands": "squad-no-ts", "squad-tools-0": "from 1 up", "squad-tools-x": "from 1 up", "squad-tools-05": "from 1 up", "squad-": "squad-no-wm",
		"squad-distractors-9999": "9999",
	} {
		if _, err := orchestrator.New(name, r.team, &r.opts); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	if _, err := orchestrator.New("squad-distractors-50", r.team, nil); err == nil {
		t.Error("distractors out of nothing")
	}
	r.opts.Memory = struct{ orchestrator.Recaller }{recalled{}}
	if _, err := orchestrator.New("squad-memory-5", r.team, &r.opts); err == nil {
		t.Error("a memory of unknown size was cut down")
	}
}

// A remembered schedule that passes the checker for the request at hand comes first in slot mode, with the request's own
// place; one that does not is left.
func TestRememberedScheduleComesFirst(t *testing.T) {
	r := newRig(t, repeat(9, say("A"))...)
	r.opts.Mode = orchestrator.ModeSlot
	r.opts.Memory = recalled{examples: []orchestrator.Example{
		{ID: "x", Schedule: "size = gis.nothing(zones=task.place)\nanswer(area=size.area)"},
		{ID: "y", Schedule: "zone = gis.buffer(zones=task.place, distance=10)\nsize = gis.area(zones=zone.zone)\nanswer(area=size.area)"},
	}}
	r.must("squad", kenya, area())
	s := bodies[*event.Search](r)
	if len(s) != 1 || !strings.Contains(s[0].Candidates[0].Schedule, "gis.buffer") || s[0].Candidates[0].Terms["memory"] == 0 {
		t.Errorf("%+v", s)
	}
}
