package workspace

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"almanac/eval/metric"
	"almanac/orchestrator"
	"almanac/orchestrator/episode"
	"almanac/orchestrator/event"
	"almanac/scenarios"
	"almanac/toolkits"
	"almanac/toolkits/units"
)

// Engine is what the rules for tasks ask of the program: the catalog, the tools' documentation, gold as executed in
// env's store, and how many answers a question leaves open.
func (w *Workspace) Engine(ctx context.Context, env *toolkits.Env) (*scenarios.Engine, error) {
	team, err := w.Team()
	if err != nil {
		return nil, err
	}
	return &scenarios.Engine{
		Catalog:       team.Catalog,
		Documentation: w.documentation,
		Executed: func(t scenarios.Task) ([]string, error) {
			done, err := w.Executed(ctx, env, t)
			if err != nil || len(done.Executed) == 0 {
				return nil, err
			}
			var keys []string
			for _, c := range done.Executed[0].Calls {
				keys = append(keys, c.Call.Key)
			}
			return keys, nil
		},
		Alternatives: func(t scenarios.Task) (int, error) {
			answers, err := w.openAnswers(ctx, env, team, t)
			return len(answers), err
		},
	}, nil
}

// documentation is what a tool says of itself in words: its purpose, its details and its examples.
func (w *Workspace) documentation(tool string) string {
	t, err := w.Tools.Tool(tool)
	if err != nil {
		return ""
	}
	return strings.Join(append([]string{t.Purpose, t.Details}, t.Examples...), "\n")
}

// openAnswers are the different answers that the typed search's best schedules for a task's words reach. Answers within
// the task's tolerances of one another are one answer.
func (w *Workspace) openAnswers(ctx context.Context, env *toolkits.Env, team *orchestrator.Team, t scenarios.Task) ([]map[string]any, error) {
	tools, err := w.Allowed(t.Tools)
	if err != nil {
		return nil, err
	}
	request := Request(t)
	ep := episode.New(request, tools, env, &collector{}, episode.Options{ID: "drafts", Setup: "search", Stated: team.NewStated(request.Text())})
	drafts, err := team.Drafts(ctx, ep, nil)
	if err != nil {
		return nil, fmt.Errorf("workspace: drafts of %s: %w", t.Path(), err)
	}
	fields := answerFields(t)
	var found []map[string]any
	for _, d := range drafts {
		if d.Answer == nil {
			continue
		}
		known := slices.ContainsFunc(found, func(other map[string]any) bool { return same(fields, d.Answer, other) })
		if values, ok := inUnits(fields, d.Answer); ok && !known {
			found = append(found, values)
		}
	}
	return found, nil
}

func answerFields(t scenarios.Task) []metric.Field {
	fields := make([]metric.Field, len(t.Answer))
	for i, f := range t.Answer {
		fields[i] = metric.Field{
			Key: f.Key, Type: f.Type, Item: f.Item, Unit: f.Unit, Difference: f.Quantity == "difference",
			AbsTol: f.AbsTol, RelTol: f.RelTol, Floor: f.Floor,
		}
	}
	return fields
}

// same reports whether an answer hits every value of another.
func same(fields []metric.Field, answer []event.AnswerField, other map[string]any) bool {
	given := make([]metric.Given, len(answer))
	for i, a := range answer {
		given[i] = metric.Given{Key: a.Key, Value: a.Value, Unit: a.Unit, Difference: a.Difference}
	}
	scores := metric.ScoreFields(fields, given, []map[string]any{other}, units.Convert)
	return !slices.ContainsFunc(scores, func(s metric.FieldScore) bool { return !s.Hit })
}

// inUnits are an answer's values in the units of its fields; false where one cannot be converted.
func inUnits(fields []metric.Field, answer []event.AnswerField) (map[string]any, bool) {
	values := map[string]any{}
	for _, a := range answer {
		values[a.Key] = a.Value
		i := slices.IndexFunc(fields, func(f metric.Field) bool { return f.Key == a.Key })
		x, isNumber := a.Value.(float64)
		if i < 0 || !isNumber || a.Unit == "" || fields[i].Unit == "" {
			continue
		}
		converted, err := units.Convert(x, a.Unit, fields[i].Unit, a.Difference || fields[i].Difference)
		if err != nil {
			return nil, false
		}
		values[a.Key] = converted
	}
	return values, true
}
