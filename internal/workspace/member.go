package workspace

import (
	"errors"
	"fmt"

	"almanac/agents"
	"almanac/orchestrator/schedule"
	"almanac/orchestrator/toolcatalog"
	"almanac/toolkits"
)

// checkMember says what keeps an agent out of a team: a name that is taken, tools that do not exist, or an example that
// shows no call of theirs.
func checkMember(a agents.Agent, team []agents.Agent, tools *toolkits.Registry) error {
	for _, other := range team {
		if a.Name == other.Name {
			return fmt.Errorf("agents: there is an agent named %q already; choose another name", a.Name)
		}
	}
	return errors.Join(a.Check(tools), checkExamples(a, toolcatalog.New(tools)))
}

// checkExamples looks at the calls alone: the names that they read stand for earlier steps.
func checkExamples(a agents.Agent, tools schedule.Catalog) error {
	var errs []error
	for _, e := range a.Examples {
		program, problems := schedule.Parse("example = " + e.Call)
		if len(problems) == 0 {
			problems = schedule.Check(program, tools, nil, schedule.Slots{}, nil)
		}
		for _, p := range problems {
			if p.Code == schedule.SyntaxError || p.Code == schedule.UnknownTool || p.Code == schedule.UnknownParam {
				errs = append(errs, fmt.Errorf("agents: %s: the example %q: %s", a.Name, e.Call, p.Message))
			}
		}
	}
	return errors.Join(errs...)
}
