package episode

import (
	"context"
	"fmt"

	"almanac/orchestrator/event"
	"almanac/toolkits/artifact"
	"almanac/toolkits/cftime"
)

// covered follows a field's chain and says where the data do not cover what a call was to look at: an area without a
// valid cell, or dates outside a record. applies is false when no call of the chain has an area or dates to cover.
func (e *Episode) covered(f event.AnswerField) (applies bool, reason string) {
	seen := map[string]bool{}
	var visit func(id string)
	visit = func(id string) {
		r, ok := e.Record(id)
		if !ok || seen[id] || r.Result == nil {
			return
		}
		seen[id] = true
		found, why := e.coverage(r)
		applies = applies || found
		if reason == "" {
			reason = why
		}
		for _, a := range r.Call.Arguments {
			for _, in := range a.Inputs {
				visit(in.Call)
			}
		}
	}
	visit(f.Call)
	return applies, reason
}

// coverage looks at one call.
func (e *Episode) coverage(r Record) (applies bool, reason string) {
	cells := map[string]float64{}
	for _, o := range r.Result.Outputs {
		if x, ok := o.Value.(float64); ok {
			cells[o.Name] = x
		}
	}
	if valid, counted := cells["valid_cells"]; counted {
		applies = true
		if valid == 0 {
			return true, fmt.Sprintf("coverage: no valid cell lies in the area of call %s", r.Call.ID)
		}
	}
	asked, ok := dates(r.Call)
	if !ok {
		return applies, reason
	}
	for _, hash := range looked(r) {
		record, ok := e.record(hash)
		if !ok {
			continue
		}
		applies = true
		if asked.End.Compare(record.Start) < 0 || asked.Start.Compare(record.End) > 0 ||
			asked.Start.Year < record.Start.Year || asked.End.Year > record.End.Year {
			return true, fmt.Sprintf("coverage: the data of call %s cover %s, not %s", r.Call.ID, record.Text, asked.Text)
		}
	}
	return applies, ""
}

// looked are the artifacts that a call looked at: those that it was given, or, where it opened a data set and was given
// none, those that it made, which are what the data set has of the period.
func looked(r Record) []artifact.Hash {
	var given, made []artifact.Hash
	for _, a := range r.Call.Arguments {
		if a.Hash != "" {
			given = append(given, a.Hash)
		}
	}
	for _, o := range r.Result.Outputs {
		made = append(made, artifact.Hash(o.Artifact))
	}
	if given == nil {
		return made
	}
	return given
}

// dates is the period that a call was given; months of any year are in every record.
func dates(c *event.ToolCall) (cftime.Period, bool) {
	for _, a := range c.Arguments {
		text, ok := a.Value.(string)
		if a.Rule != "period" || !ok || a.Default {
			continue
		}
		if p, err := cftime.ParsePeriod(text); err == nil && !p.AnyYear() {
			return p, true
		}
	}
	return cftime.Period{}, false
}

// record is the span of time of a series; fields do not tell theirs in their description.
func (e *Episode) record(h artifact.Hash) (cftime.Period, bool) {
	if h == "" || e.env == nil || e.env.Store == nil {
		return cftime.Period{}, false
	}
	meta, err := e.env.Store.Meta(context.Background(), h)
	if err != nil || meta.Period == "" {
		return cftime.Period{}, false
	}
	p, err := cftime.ParsePeriod(meta.Period)
	return p, err == nil && !p.AnyYear()
}
