package orchestrator

import (
	"testing"

	"almanac/orchestrator/event"
	"almanac/orchestrator/schedule"
	"almanac/toolkits"

	"github.com/google/go-cmp/cmp"
)

func TestSubmittedCallsOfARefusedProgram(t *testing.T) {
	p, problems := schedule.Parse("sst = data.open(dataset=\"coads\", variable=\"sst\", level=5)\n" +
		"m = gis.zonal_stats(raster=sst, zones=task.place)\nhot = m.mean * 2\nanswer(warmth=hot)\n")
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	tools, err := toolkits.NewRegistry(&toolkits.Tool{Name: "data.open", Group: "Data I/O", Resolver: true})
	if err != nil {
		t.Fatal(err)
	}
	want := []event.SubmittedCall{
		{Tool: "data.open", Group: "Data I/O", Resolver: true, Step: "sst", Raw: `{"dataset":"coads","level":5,"variable":"sst"}`,
			Statement: `sst = data.open(dataset="coads", variable="sst", level=5)`},
		{Tool: "gis.zonal_stats", Step: "m", Raw: `{"raster":"sst","zones":"task.place"}`,
			Statement: `m = gis.zonal_stats(raster=sst, zones=task.place)`},
	}
	if diff := cmp.Diff(want, submittedCalls(p, tools)); diff != "" {
		t.Error(diff)
	}
}
