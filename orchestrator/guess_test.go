package orchestrator_test

import (
	"testing"

	"almanac/orchestrator/event"
)

// A request without fields: what is asked for is read from its words, and no value of another kind is given for it.
func TestGuessedContract(t *testing.T) {
	for question, want := range map[string]struct{ key, unit, tool string }{
		"How long is the border of Lesotho?":                                  {"perimeter", "km", "gis.area"},
		"How large is Kenya?":                                                 {"area", "km2", "gis.area"},
		"How far is Nairobi from Mombasa?":                                    {"distance", "km", "gis.distance"},
		"How much rain fell in Seattle in November 2012?":                     {"sum", "mm", "data.series_stats"},
		"How fast does CO2 rise at Mauna Loa?":                                {"slope", "ppm year-1", "data.trend"},
		"On how many days of 2012 did it rain more than 10 mm in Seattle?":    {"", "day", "data.count_events"},
		"How many heating degree days did Seattle have in 2012, above 18 °C?": {"total", "degC day", "simulation.degree_days"},
		"What share of Spain lies above 1000 m?":                              {"fraction", "1", "gis.area_above"},
	} {
		r := newRig(t)
		a := r.must("search", question, nil)
		if len(a.Fields) != 1 {
			t.Errorf("%s: %d fields", question, len(a.Fields))
			continue
		}
		f, tool := a.Fields[0], ""
		for _, c := range bodies[*event.ToolCall](r) {
			if c.ID == f.Call {
				tool = c.Tool
			}
		}
		if !f.Bound || f.Unit != want.unit || tool != want.tool || want.key != "" && f.Key != want.key {
			t.Errorf("%s: %s [%s] by %s, bound %v (%s); want %+v", question, f.Key, f.Unit, tool, f.Bound, f.Reason, want)
		}
	}
}
