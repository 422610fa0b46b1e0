package orchestrator_test

import (
	"errors"
	"strings"
	"testing"

	"almanac/memory/workflow"
	"almanac/orchestrator"
	"almanac/orchestrator/event"
	"almanac/orchestrator/schedule"
)

const (
	rainRequest = "How much rain fell in Seattle in March 2013 in all?"
	rainText    = "wet = data.open(dataset=\"seattle_weather\", variable=\"precipitation\", period=\"March 2013\")\n" +
		"sums = data.series_stats(series=wet.data)\nanswer(rain=sums.sum)\n"
)

func remembered(t *testing.T, team *orchestrator.Team, request, text string) *workflow.Memory {
	t.Helper()
	e, err := team.Workflow(request, text, 100)
	if err != nil {
		t.Fatal(err)
	}
	e.State, e.Split, e.Suite, e.Template = workflow.Seeded, workflow.MemorySplit, "core", "rain"
	m := workflow.New(nil)
	if _, err := m.Write(e); err != nil {
		t.Fatal(err)
	}
	return m
}

// What was read from the request is a slot in the entry, and nothing of it comes back.
func TestWorkflowHasSlotsForValues(t *testing.T) {
	r := newRig(t)
	e := remembered(t, r.team, rainRequest, rainText).Entries()[0]
	if strings.Contains(e.Schedule+e.Request, "2013") || strings.Contains(e.Request, "Seattle") || !strings.Contains(e.Schedule, "period=task.period") {
		t.Errorf("%s\n%s", e.Request, e.Schedule)
	}
	if strings.Join(e.Agents, " ") != "data" || len(e.Tools) != 2 {
		t.Errorf("agents %v, tools %v", e.Agents, e.Tools)
	}
	for what, text := range map[string]string{
		"a number": "wet = data.open(dataset=\"seattle_weather\", variable=\"precipitation\")\nn = data.count_events(series=wet.data, comparison=\"above\", threshold=25)\nanswer(rain=n.count)",
		"a place":  "size = gis.area(zones=\"Kenya\")\nanswer(rain=size.area)",
	} {
		if _, err := r.team.Workflow(rainRequest, text, 1); !errors.Is(err, orchestrator.ErrParticular) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := r.team.Workflow(rainRequest, "wet = (", 1); err == nil {
		t.Error("a text that is no schedule was remembered")
	}
}

// A false friend: a like question with another period and key. The old values are not in it, and the answer is that of
// the new request: 210.5 mm, see rainOf2012November.
func TestFalseFriend(t *testing.T) {
	r := newRig(t, say("A"), say("A"), say("A"))
	m, refused := orchestrator.NewWorkflows(r.team, remembered(t, r.team, rainRequest, rainText))
	if len(refused) > 0 {
		t.Fatal(refused)
	}
	r.opts.Memory = m
	contract := schedule.Contract{{Key: "wetness", Type: "number", Unit: "mm"}}
	a := r.must("squad", rainNovember, contract)
	if got, _ := a.Fields[0].Value.(float64); got < rainOf2012November-1e-6 || got > rainOf2012November+1e-6 || !a.Fields[0].Bound {
		t.Errorf("%+v", a.Fields[0])
	}
	hits := bodies[*event.MemoryHit](r)
	if len(hits) != 1 || hits[0].State != workflow.Seeded || !strings.HasPrefix(hits[0].Entry, "memory/rain#") {
		t.Errorf("hits %+v", hits)
	}
	if s := bodies[*event.Schedule](r); len(s) == 0 || !strings.Contains(s[0].Text, "period=task.period") || strings.Contains(s[0].Text, "2013") {
		t.Errorf("schedules %+v", s)
	}
}

// A tool of an entry that has changed since: the entry is left out, and it is said why.
func TestStaleWorkflow(t *testing.T) {
	r := newRig(t)
	m := remembered(t, r.team, rainRequest, rainText)
	e := m.Entries()[0]
	e.ID, e.Tools = "stale", map[string]string{"data.open": "of before"}
	if _, err := m.Write(e); err != nil {
		t.Fatal(err)
	}
	w, refused := orchestrator.NewWorkflows(r.team, m)
	if len(refused) != 1 || refused[0].ID != "stale" || !strings.Contains(refused[0].Reason, "data.open") || w.Memory().Len() != 1 {
		t.Errorf("%+v, %d left", refused, w.Memory().Len())
	}
}

// A request that the engine can read nothing from, or that is like none, recalls nothing.
func TestRecallNothing(t *testing.T) {
	r := newRig(t)
	w, _ := orchestrator.NewWorkflows(r.team, remembered(t, r.team, rainRequest, rainText))
	for _, request := range []string{"", "How large is Kenya?", strings.Repeat("x ", 1<<16)} {
		if found, err := w.Recall(t.Context(), request); err != nil || len(found) != 0 {
			t.Errorf("%.20q: %+v, %v", request, found, err)
		}
	}
	if found, err := w.Recall(t.Context(), rainNovember); err != nil || len(found) != 1 || found[0].Score < 0.99 {
		t.Errorf("%+v, %v", found, err)
	}
}
