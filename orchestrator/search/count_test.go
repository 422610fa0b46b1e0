package search

import (
	"testing"

	"almanac/orchestrator/schedule"
)

// ratios converts between the units of numbers without a dimension, as the real units do.
type ratios struct{ sameUnits }

func (ratios) Convertible(a, b string) bool {
	plain := []string{"1", "%", "ppm", "1e-3"}
	return a == b || has(plain, a) && has(plain, b)
}

type counting struct{ kit }

func (counting) Units() schedule.Units { return ratios{} }

// A count is a number without a dimension, and so is a concentration. The one is not the other.
func TestCountIsNoConcentration(t *testing.T) {
	tools := counting{kit{{Name: "gis.nearest", Doc: "places near a place", Params: []schedule.Param{
		{Name: "place", Kinds: []string{"place"}, Required: true},
	}, Outputs: []schedule.Output{{Name: "count", Kind: "scalar", Unit: "1"}}}}}
	for unit, found := range map[string]bool{"1": true, "%": true, "": true, "ppm": false, "1e-3": false} {
		res := Run(Input{
			Catalog: tools, Contract: schedule.Contract{{Key: "n", Type: "number", Unit: unit}}, Text: "How salty is the sea near Bermuda?",
			Facts: []Fact{fact("place", "place", "Bermuda", -1)}, Scores: map[string]float64{"gis.nearest": 0.9},
		}, nil)
		if (len(res.Candidates) > 0) != found {
			t.Errorf("%q: %d candidates", unit, len(res.Candidates))
		}
	}
}
