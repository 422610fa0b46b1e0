package orchestrator_test

import (
	"strings"
	"testing"

	"almanac/orchestrator"
	"almanac/orchestrator/event"
	"almanac/orchestrator/schedule"
)

const (
	rainNovember = "How much rain fell in Seattle in November 2012 in all?"
	// 210.5 mm is the sum of the column precipitation over the 30 rows of 2012-11 in seattle_weather.csv, added up by Python's csv and sum.
	rainOf2012November = 210.5
)

func rain() schedule.Contract {
	return schedule.Contract{{Key: "rain", Type: "number", Unit: "mm", Description: "rain in all"}}
}

// The model opens the right data and then takes a tool that wants a field: the step that passes stays, the typed search
// writes the one that does not, and the model is not asked again.
func TestFailingStatementIsCompleted(t *testing.T) {
	wrongKind := say("wet = data.open(dataset=\"seattle_weather\", variable=\"precipitation\", period=task.period)\n" +
		"sums = gis.zonal_stats(raster=wet.data, zones=task.place)\nanswer(rain=sums.mean)")
	r := newRig(t, wrongKind)
	r.opts.Mode = orchestrator.ModeProgram
	a := r.must("squad", rainNovember, rain())
	if len(r.asked.requests) != 1 {
		t.Errorf("the model was asked %d times", len(r.asked.requests))
	}
	if got, ok := a.Fields[0].Value.(float64); !ok || got < rainOf2012November-1e-6 || got > rainOf2012November+1e-6 {
		t.Errorf("rain %v (%s), want %v", a.Fields[0].Value, a.Fields[0].Reason, rainOf2012November)
	}
	all := bodies[*event.Schedule](r)
	if len(all) != 2 || all[0].Mode != orchestrator.ModeProgram || all[1].Mode != "mixed" {
		t.Fatalf("schedules %+v", all)
	}
	if !strings.HasPrefix(all[1].Text, "wet = data.open(") || strings.Contains(all[1].Text, "zonal_stats") {
		t.Errorf("the completed schedule is\n%s", all[1].Text)
	}
}

// Switched off, the model has to mend its program itself.
func TestNoCompletion(t *testing.T) {
	r := newRig(t, say("wet = data.open(dataset=\"seattle_weather\", variable=\"precipitation\", period=task.period)\nanswer(rain=wet.total)"),
		say("sums = data.series_stats(series=wet.data)\nanswer(rain=sums.sum)"))
	r.opts.Mode, r.opts.NoCompletion = orchestrator.ModeProgram, true
	if r.must("squad", rainNovember, rain()); len(r.asked.requests) != 2 {
		t.Errorf("the model was asked %d times, want 2", len(r.asked.requests))
	}
}

// Nothing passes: there is nothing to complete, and the model is shown its problems.
func TestNothingToComplete(t *testing.T) {
	r := newRig(t, say("x = weather.rain(town=\"Seattle\")\nanswer(rain=x.sum)"),
		say("wet = data.open(dataset=\"seattle_weather\", variable=\"precipitation\", period=task.period)\nsums = data.series_stats(series=wet.data)\nanswer(rain=sums.sum)"))
	r.opts.Mode = orchestrator.ModeProgram
	if r.must("squad", rainNovember, rain()); len(r.asked.requests) != 2 {
		t.Errorf("the model was asked %d times, want 2", len(r.asked.requests))
	}
}
