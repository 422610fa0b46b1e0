package orchestrator

import (
	"context"

	"almanac/orchestrator/episode"
	"almanac/orchestrator/executor"
	"almanac/orchestrator/schedule"
	"almanac/toolkits"
)

// given runs one schedule, whoever wrote it.
type given struct {
	squad
	program *schedule.Program
	slots   map[string]toolkits.Value
}

// NewGiven is the setup that runs one schedule whatever the request is. Specialists carry out its objective steps, for
// which the episode needs a model; see [schedule.Call.IsAsk].
func NewGiven(team *Team, program *schedule.Program, slots map[string]toolkits.Value) Setup {
	return &given{squad{team: team, opts: &Options{}, name: "schedule"}, program, slots}
}

// UsesModel reports whether the schedule has an objective step.
func (g *given) UsesModel() bool {
	for _, s := range g.program.Statements {
		for _, c := range s.Calls() {
			if c.IsAsk() {
				return true
			}
		}
	}
	return false
}

// Solve runs the schedule once.
func (g *given) Solve(ctx context.Context, ep *episode.Episode) error {
	w := &work{squad: &g.squad, ep: ep, mode: g.name}
	if err := logSchedule(ep, "supervisor", 1, g.name, g.program, nil, nil); err != nil {
		return err
	}
	res, err := executor.Run(ctx, ep, g.program, g.slots, &executor.Options{MaxParallel: g.opts.MaxParallel, Asker: w.specialists()})
	if err != nil {
		return w.give(ctx, err)
	}
	w.best = res.Answer
	return w.finish(res)
}
