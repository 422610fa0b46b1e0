package search

import (
	"testing"

	"almanac/orchestrator/schedule"
)

// The kit opens rasters in degC and m s-1 and a series in ppm, and the trend of the series is a number: no series has
// another unit, so an input in kg need not be looked for.
func TestReachFollowsUnits(t *testing.T) {
	tools := append(testKit(), schedule.Signature{Name: "data.rate", Params: []schedule.Param{
		{Name: "series", Kinds: []string{"series"}, Required: true},
	}, Outputs: []schedule.Output{{Name: "rate", Kind: "series", Unit: "@series year-1"}}})
	s := newSearcher(Input{Catalog: tools}, nil)
	for _, tt := range []struct {
		kind, unit string
		can        bool
	}{
		{"raster", "degC", true},
		{"raster", "km2", false},
		{"raster", "ppm", false},
		{"series", "ppm", true},
		{"series", "ppm year-1", true},
		{"series", "degC year-1", false},
		{"raster", "", true},
	} {
		if got := s.reach.can(s, goal{kinds: []string{tt.kind}, unit: tt.unit}); got != tt.can {
			t.Errorf("a %s in %q: %v, want %v", tt.kind, tt.unit, got, tt.can)
		}
	}
}

func TestReachOfAnUnknownUnit(t *testing.T) {
	tools := kit{{Name: "data.load", Outputs: []schedule.Output{{Name: "data", Kind: "raster"}}}}
	if s := newSearcher(Input{Catalog: tools}, nil); !s.reach.can(s, goal{kinds: []string{"raster"}, unit: "km2"}) {
		t.Error("a raster of which nobody knows the unit was ruled out")
	}
}

// A call whose first output has a unit that is known when it has run: another output, whose unit is declared, is not
// marked down for it.
func TestKnownUnitBesideAnUnknownOne(t *testing.T) {
	tools := kit{{Name: "data.count_events", Doc: "count days", Outputs: []schedule.Output{
		{Name: "count", Kind: "scalar"}, {Name: "longest_run", Kind: "scalar", Unit: "1"},
	}}}
	res := Run(Input{
		Catalog: tools, Contract: schedule.Contract{{Key: "spell", Type: "number", Unit: "1"}},
		Text: "What was the longest run of days?", Scores: map[string]float64{"data.count_events": 1},
	}, nil)
	if len(res.Candidates) != 2 {
		t.Fatalf("%d candidates, want one for each output", len(res.Candidates))
	}
	for _, c := range res.Candidates {
		_, vague := c.Terms[vagueOutput]
		if known := c.Text == "count_events = data.count_events()\nanswer(spell=count_events.longest_run)\n"; known == vague {
			t.Errorf("%s has %v", c.Text, c.Terms)
		}
	}
}
