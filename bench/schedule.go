package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"almanac/internal/workspace"
	"almanac/orchestrator/schedule"
)

// twentySteps is a program of twenty statements over the real catalog.
func twentySteps() string {
	var b strings.Builder
	b.WriteString("sea = data.open(dataset=\"coads_climatology\", variable=\"sst\")\n")
	for i := range 9 {
		fmt.Fprintf(&b, "zone_%d = gis.buffer(zones=task.place, distance=%d)\nstats_%d = gis.zonal_stats(raster=sea, zones=zone_%d)\n", i, 10*(i+1), i, i)
	}
	b.WriteString("answer(warmest=stats_8.max)\n")
	return b.String()
}

func scheduleRows(context.Context, config) ([]row, error) {
	w, err := workspace.Open(nil)
	if err != nil {
		return nil, err
	}
	team, err := w.Team()
	if err != nil {
		return nil, err
	}
	text := twentySteps()
	contract := schedule.Contract{{Key: "warmest", Type: "number", Unit: "degC"}}
	slots := schedule.Slots{"place": {Type: schedule.Type{Kind: schedule.KindPlace}}}
	p, problems := schedule.CheckText(text, team.Catalog, contract, slots, nil)
	if len(schedule.Errors(problems)) > 0 || len(p.Statements) != 20 {
		return nil, fmt.Errorf("the program of %d statements has problems: %v", len(p.Statements), problems)
	}
	r, err := bench(func() error {
		_, problems := schedule.CheckText(text, team.Catalog, contract, slots, nil)
		if len(schedule.Errors(problems)) > 0 {
			return fmt.Errorf("problems: %v", problems)
		}
		return nil
	})
	return []row{timed("parse and check a schedule of 20 steps", per(r, 1), 200*time.Microsecond, "")}, err
}
