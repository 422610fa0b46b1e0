package search

import (
	"errors"
	"strings"
	"testing"

	"almanac/orchestrator/schedule"
)

// kit is a small catalog, written for these tests: the expected programs below follow from it by hand.
type kit []schedule.Signature

func (k kit) Signatures() []schedule.Signature { return k }
func (k kit) Units() schedule.Units            { return sameUnits{} }
func (k kit) Signature(name string) (schedule.Signature, bool) {
	for _, s := range k {
		if s.Name == name {
			return s, true
		}
	}
	return schedule.Signature{}, false
}

// sameUnits knows no conversion but that of a unit to itself.
type sameUnits struct{}

func (sameUnits) Convertible(a, b string) bool    { return a == b }
func (sameUnits) Mul(a, b string) (string, error) { return strings.TrimSpace(a + " " + b), nil }
func (sameUnits) Div(a, b string) (string, error) { return strings.TrimSuffix(a, " "+b), nil }

func testKit() kit {
	choices := []schedule.Choice{
		{Value: "sst", Doc: "sea surface temperature", Kind: "raster", Unit: "degC"},
		{Value: "wind", Doc: "wind speed", Kind: "raster", Unit: "m s-1"},
		{Value: "co2", Doc: "carbon dioxide", Kind: "series", Unit: "ppm"},
	}
	return kit{
		{Name: "data.open", Doc: "open a variable", Params: []schedule.Param{
			{Name: "variable", Kinds: []string{"string"}, Enum: choices, Required: true},
		}, Outputs: []schedule.Output{{Name: "data", Kind: "@variable", Unit: "@variable"}}},
		{Name: "data.trend", Doc: "trend of a series", Params: []schedule.Param{
			{Name: "series", Kinds: []string{"series"}, Required: true},
		}, Outputs: []schedule.Output{{Name: "slope", Kind: "scalar", Unit: "@series year-1"}}},
		{Name: "gis.distance", Doc: "distance between two places", Params: []schedule.Param{
			{Name: "a", Kinds: []string{"place"}, Required: true}, {Name: "b", Kinds: []string{"place"}, Required: true},
		}, Outputs: []schedule.Output{{Name: "distance", Kind: "scalar", Unit: "km"}}},
		{Name: "gis.zonal_stats", Doc: "statistics of a field over an area", Params: []schedule.Param{
			{Name: "raster", Kinds: []string{"raster"}, Required: true},
			{Name: "zones", Kinds: []string{"vector", "box", "place"}, Required: true},
			{Name: "period", Kinds: []string{"period"}},
		}, Outputs: []schedule.Output{{Name: "mean", Kind: "scalar", Unit: "@raster"}, {Name: "max", Kind: "scalar", Unit: "@raster"}}},
	}
}

func fact(kind, field, text string, index int) Fact {
	f := Fact{Ref: schedule.Ref{Name: "task", Field: field}, Kind: kind, Text: text, Name: text, HasArea: true}
	if index >= 0 {
		f.Ref.Index = &index
	}
	return f
}

func TestSearch(t *testing.T) {
	kenya, chile := fact("place", "places", "Kenya", 0), fact("place", "places", "Chile", 1)
	one := fact("place", "place", "Kenya", -1)
	for name, tt := range map[string]struct {
		text  string
		facts []Fact
		field schedule.Field
		want  string
	}{
		"mean over a place": {
			"What is the average sea surface temperature off Kenya?", []Fact{one}, schedule.Field{Key: "t", Type: "number", Unit: "degC"},
			"sst = data.open(variable=\"sst\")\nzonal_stats = gis.zonal_stats(raster=sst.data, zones=task.place)\nanswer(t=zonal_stats.mean)\n",
		},
		"the word decides the output": {
			"What is the highest sea surface temperature off Kenya?", []Fact{one}, schedule.Field{Key: "t", Type: "number", Unit: "degC"},
			"sst = data.open(variable=\"sst\")\nzonal_stats = gis.zonal_stats(raster=sst.data, zones=task.place)\nanswer(t=zonal_stats.max)\n",
		},
		"the month is used": {
			"What is the average sea surface temperature off Kenya in May?", []Fact{one, fact("period", "month", "May", -1)},
			schedule.Field{Key: "t", Type: "number", Unit: "degC"},
			"sst = data.open(variable=\"sst\")\nzonal_stats = gis.zonal_stats(raster=sst.data, zones=task.place, period=task.month)\nanswer(t=zonal_stats.mean)\n",
		},
		"the unit is solved for": {
			"How fast does carbon dioxide rise?", nil, schedule.Field{Key: "r", Type: "number", Unit: "ppm year-1"},
			"co2 = data.open(variable=\"co2\")\ntrend = data.trend(series=co2.data)\nanswer(r=trend.slope)\n",
		},
		"two places, one call": {
			"How far is Kenya from Chile?", []Fact{kenya, chile}, schedule.Field{Key: "d", Type: "number", Unit: "km"},
			"distance = gis.distance(a=task.places[0], b=task.places[1])\nanswer(d=distance.distance)\n",
		},
		"two places, a difference": {
			"By how much is the sea surface off Kenya warmer than off Chile in the mean?", []Fact{kenya, chile},
			schedule.Field{Key: "gap", Type: "number", Unit: "degC", Quantity: "difference"},
			"sst = data.open(variable=\"sst\")\nzonal_stats = gis.zonal_stats(raster=sst.data, zones=task.places[0])\n" +
				"zonal_stats_2 = gis.zonal_stats(raster=sst.data, zones=task.places[1])\nresult = zonal_stats.mean - zonal_stats_2.mean\nanswer(gap=result)\n",
		},
		"which of two": {
			"Off which coast is the sea surface warmer in the mean, Kenya or Chile?", []Fact{kenya, chile}, schedule.Field{Key: "warmer", Type: "text"},
			"sst = data.open(variable=\"sst\")\nzonal_stats = gis.zonal_stats(raster=sst.data, zones=task.places[0])\n" +
				"zonal_stats_2 = gis.zonal_stats(raster=sst.data, zones=task.places[1])\n" +
				"result = task.places[0] if zonal_stats.mean > zonal_stats_2.mean else task.places[1]\nanswer(warmer=result)\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			in := Input{
				Catalog: testKit(), Contract: schedule.Contract{tt.field}, Facts: tt.facts, Text: tt.text,
				Scores: map[string]float64{"gis.zonal_stats": 0.9, "gis.distance": 0.9, "data.trend": 0.9, "data.open": 0.5},
			}
			res := Run(in, nil)
			if len(res.Candidates) == 0 {
				t.Fatalf("no candidate: %s", res.Reason)
			}
			if got := res.Candidates[0].Text; got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
				for _, c := range res.Candidates {
					t.Logf("%.2f %v\n%s", c.Score, c.Terms, c.Text)
				}
			}
			if again := Run(in, nil); again.Candidates[0].Text != res.Candidates[0].Text || again.Candidates[0].Score != res.Candidates[0].Score {
				t.Error("a second search gave another result")
			}
		})
	}
}

// Amounts of a time step are added up where the words do not ask for the mean; and of two ways to a length, the one that
// opens the variable that the request names is taken.
func TestAmountsAndNamedVariables(t *testing.T) {
	k := append(testKit(),
		schedule.Signature{Name: "data.series_stats", Doc: "statistics of a series", Params: []schedule.Param{
			{Name: "series", Kinds: []string{"series"}, Required: true},
		}, Outputs: []schedule.Output{{Name: "mean", Kind: "scalar", Unit: "@series"}, {Name: "sum", Kind: "scalar", Unit: "@series"}}},
		schedule.Signature{Name: "gis.border", Doc: "length of a border", Params: []schedule.Param{
			{Name: "zones", Kinds: []string{"vector", "place"}, Required: true},
		}, Outputs: []schedule.Output{{Name: "length", Kind: "scalar", Unit: "mm"}}})
	open := &k[0].Params[0]
	open.Enum = append(open.Enum, schedule.Choice{Value: "rain", Doc: "rain of a day", Kind: "series", Unit: "mm", When: map[string]string{}})
	for words, want := range map[string]string{"How much did it rain in Kenya?": "sum", "How much did it rain on average in Kenya?": "mean"} {
		res := Run(Input{
			Catalog: k, Contract: schedule.Contract{{Key: "water", Type: "number", Unit: "mm"}}, Text: words,
			Facts: []Fact{fact("place", "place", "Kenya", -1)}, Named: []string{"rain"}, Amounts: map[string]bool{"rain": true},
			Implied: map[string]uint64{"rain": 1}, Scores: map[string]float64{"gis.border": 1, "data.series_stats": 0.5, "data.open": 0.5},
		}, nil)
		if len(res.Candidates) == 0 || !strings.Contains(res.Candidates[0].Text, "answer(water=series_stats."+want+")") {
			t.Errorf("%s: %+v", words, res.Candidates)
		}
	}
}

// A variable that is named and may not be opened is not replaced by another of the same unit.
func TestNamedVariableIsNotReplaced(t *testing.T) {
	k := testKit()
	open := &k[0].Params[0]
	for i := range open.Enum {
		open.Enum[i].When = map[string]string{}
	}
	open.Enum = append(open.Enum, schedule.Choice{Value: "air", Doc: "air temperature", Kind: "raster", Unit: "degC", When: map[string]string{}})
	in := Input{
		Catalog: k, Contract: schedule.Contract{{Key: "t", Type: "number", Unit: "degC"}}, Text: "How warm is the air off Kenya?",
		Facts: []Fact{fact("place", "place", "Kenya", -1)}, Named: []string{"air"}, Scores: map[string]float64{"gis.zonal_stats": 1, "data.open": 1},
		Legal: func(p *schedule.Program) error {
			if strings.Contains(schedule.Print(p), `"air"`) {
				return errors.New("no air there")
			}
			return nil
		},
	}
	if res := Run(in, nil); len(res.Candidates) != 0 || res.Reason != "no air there" {
		t.Errorf("%+v", res)
	}
	in.Legal = nil
	if res := Run(in, nil); len(res.Candidates) == 0 || !strings.Contains(res.Candidates[0].Text, `"air"`) {
		t.Errorf("%+v", res)
	}
}

func TestSearchDeclines(t *testing.T) {
	res := Run(Input{
		Catalog: testKit(), Contract: schedule.Contract{{Key: "mass", Type: "number", Unit: "kg"}}, Text: "How heavy is Kenya?",
		Facts: []Fact{fact("place", "place", "Kenya", -1)},
	}, nil)
	if len(res.Candidates) != 0 || !strings.Contains(res.Reason, "mass") {
		t.Errorf("a mass was found where no tool gives one: %+v", res)
	}
}

// A schedule has opened the variable already: what is found refers to it by its name, and opens nothing again.
func TestWrittenStepsAreUsed(t *testing.T) {
	open := &schedule.Call{Agent: "data", Tool: "open", Args: []schedule.Arg{{Name: "variable", Value: &schedule.String{Value: "sst"}}}}
	res := Run(Input{
		Catalog: testKit(), Contract: schedule.Contract{{Key: "t", Type: "number", Unit: "degC"}}, Facts: []Fact{fact("place", "place", "Kenya", -1)},
		Text:    "What is the average sea surface temperature off Kenya?",
		Scores:  map[string]float64{"gis.zonal_stats": 0.9, "data.open": 0.5},
		Written: []Step{{Name: "warmth", Call: open}, {Name: "zonal_stats"}}, // the second name is only taken
	}, nil)
	want := "zonal_stats_2 = gis.zonal_stats(raster=warmth.data, zones=task.place)\nanswer(t=zonal_stats_2.mean)\n"
	if len(res.Candidates) == 0 || res.Candidates[0].Text != want {
		t.Errorf("got %+v\nwant\n%s", res.Candidates, want)
	}
}

// A step of another variable is there, but the words ask for this one: the step has to win, and loses.
func TestWrittenStepHasToWin(t *testing.T) {
	other := &schedule.Call{Agent: "data", Tool: "open", Args: []schedule.Arg{{Name: "variable", Value: &schedule.String{Value: "co2"}}}}
	res := Run(Input{
		Catalog: testKit(), Contract: schedule.Contract{{Key: "t", Type: "number", Unit: "degC"}}, Facts: []Fact{fact("place", "place", "Kenya", -1)},
		Text:    "What is the average sea surface temperature off Kenya?",
		Scores:  map[string]float64{"gis.zonal_stats": 0.9, "data.open": 0.5},
		Written: []Step{{Name: "air", Call: other}},
	}, nil)
	if len(res.Candidates) == 0 || !strings.HasPrefix(res.Candidates[0].Text, "sst = data.open(variable=\"sst\")") {
		t.Errorf("got %+v", res.Candidates)
	}
}

// The context tells of another country; the question asks about one, and no difference.
func TestContextIsNoQuestion(t *testing.T) {
	aside := fact("place", "places", "Chile", 1)
	aside.Aside = true
	res := Run(Input{
		Catalog: testKit(), Contract: schedule.Contract{{Key: "t", Type: "number", Unit: "degC"}},
		Facts:  []Fact{fact("place", "places", "Kenya", 0), aside},
		Text:   "What is the average sea surface temperature off Kenya?\nWe worked on Chile before.",
		Scores: map[string]float64{"gis.zonal_stats": 0.9, "data.open": 0.5},
	}, nil)
	want := "sst = data.open(variable=\"sst\")\nzonal_stats = gis.zonal_stats(raster=sst.data, zones=task.places[0])\nanswer(t=zonal_stats.mean)\n"
	if len(res.Candidates) == 0 || res.Candidates[0].Text != want {
		t.Errorf("got %+v\nwant\n%s", res.Candidates, want)
	}
}

func best(t *testing.T, in Input) string {
	t.Helper()
	in.Catalog = testKit()
	in.Scores = map[string]float64{"gis.zonal_stats": 0.9, "gis.distance": 0.9, "data.trend": 0.9, "data.open": 0.5}
	res := Run(in, nil)
	if len(res.Candidates) == 0 {
		t.Fatal(res.Reason)
	}
	return res.Candidates[0].Text
}

// Of a change a difference is wanted, and not a value of the same unit.
func TestDifferenceOfTwoMonths(t *testing.T) {
	may, june := fact("period", "months", "May", 0), fact("period", "months", "June", 1)
	got := best(t, Input{
		Contract: schedule.Contract{{Key: "gap", Type: "number", Unit: "degC", Quantity: "difference"}},
		Facts:    []Fact{fact("place", "place", "Kenya", -1), may, june},
		Text:     "How much warmer is the sea off Kenya in May than in June on average?",
	})
	want := "sst = data.open(variable=\"sst\")\nzonal_stats = gis.zonal_stats(raster=sst.data, zones=task.place, period=task.months[0])\n" +
		"zonal_stats_2 = gis.zonal_stats(raster=sst.data, zones=task.place, period=task.months[1])\nresult = zonal_stats.mean - zonal_stats_2.mean\nanswer(gap=result)\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// "at least" is a bound, and does not turn the difference round; "colder" does.
func TestBoundIsNoOrder(t *testing.T) {
	first := "zonal_stats = gis.zonal_stats(raster=sst.data, zones=task.places[0])"
	for text, want := range map[string]bool{
		"By how much is the mean sea temperature off Kenya above that off Chile, with at least 5 cells?": true,
		"By how much is the sea off Kenya colder than off Chile in the mean?":                            false,
	} {
		got := best(t, Input{
			Contract: schedule.Contract{{Key: "gap", Type: "number", Unit: "degC", Quantity: "difference"}},
			Facts:    []Fact{fact("place", "places", "Kenya", 0), fact("place", "places", "Chile", 1)}, Text: text,
		})
		if strings.Contains(got, first) != want {
			t.Errorf("%s\n%s", text, got)
		}
	}
}
