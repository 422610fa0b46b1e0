package schedule

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// repairCase is a reply, or a program, in which exactly one kind of repair makes
// it pass the checker.
type repairCase struct {
	name string
	text string // behind the prelude, unless whole
	want string // what stands behind the prelude after the repair
	// whole cases have no prelude.
	whole bool
}

var repairCases = map[RepairID][]repairCase{
	StripFence: {
		{name: "fence", whole: true, text: "```python\nd = gis.distance(a=\"Oslo\", b=\"Rome\")\nanswer(x=d.distance)\n```\n", want: "d = gis.distance(a=\"Oslo\", b=\"Rome\")\nanswer(x=d.distance)\n"},
		{name: "bare fence", whole: true, text: "~~~\nd = gis.distance(a=\"Oslo\", b=\"Rome\")\nanswer(x=d.distance)\n~~~", want: "d = gis.distance(a=\"Oslo\", b=\"Rome\")\nanswer(x=d.distance)\n"},
		{name: "never closed", whole: true, text: "```\nd = gis.distance(a=\"Oslo\", b=\"Rome\")\nanswer(x=d.distance)\n", want: "d = gis.distance(a=\"Oslo\", b=\"Rome\")\nanswer(x=d.distance)\n"},
		{name: "quotes around a line", whole: true, text: "`d = gis.distance(a=\"Oslo\", b=\"Rome\")`\n`answer(x=d.distance)`\n", want: "d = gis.distance(a=\"Oslo\", b=\"Rome\")\nanswer(x=d.distance)\n"},
	},
	StripProse: {
		{name: "around", whole: true, text: "Sure! First (see below the distance:\nd = gis.distance(a=\"Oslo\", b=\"Rome\")\nanswer(x=d.distance)\nThis computes it.", want: "d = gis.distance(a=\"Oslo\", b=\"Rome\")\nanswer(x=d.distance)\n"},
		{name: "heading", whole: true, text: "## Schedule\n\nd = gis.distance(a=\"Oslo\", b=\"Rome\")\n# a comment stays\nanswer(x=d.distance)\nDone: that's all, isn't it?", want: "d = gis.distance(a=\"Oslo\", b=\"Rome\")\n# a comment stays\nanswer(x=d.distance)\n"},
	},
	StripNumbering: {
		{name: "digits", whole: true, text: "1. d = gis.distance(a=\"Oslo\", b=\"Rome\")\n2. answer(x=d.distance)\n", want: "d = gis.distance(a=\"Oslo\", b=\"Rome\")\nanswer(x=d.distance)\n"},
		{name: "bullets", whole: true, text: "- d = gis.distance(\n    a=\"Oslo\",\n    b=\"Rome\")\n- answer(x=d.distance)\n", want: "d = gis.distance(a=\"Oslo\", b=\"Rome\")\nanswer(x=d.distance)\n"},
		{name: "steps", whole: true, text: "Step 1: d = gis.distance(a=\"Oslo\", b=\"Rome\")\nStep 2: answer(x=d.distance)\n", want: "d = gis.distance(a=\"Oslo\", b=\"Rome\")\nanswer(x=d.distance)\n"},
	},
	Dedent: {
		{name: "margin", whole: true, text: "    d = gis.distance(a=\"Oslo\", b=\"Rome\")\n    answer(x=d.distance)\n", want: "d = gis.distance(a=\"Oslo\", b=\"Rome\")\nanswer(x=d.distance)\n"},
	},
	DropTypeNote: {
		{name: "arrow", whole: true, text: "d = gis.distance(a=\"Oslo\", b=\"Rome\") -> {distance: km}\nanswer(x=d.distance)\n", want: "d = gis.distance(a=\"Oslo\", b=\"Rome\")\nanswer(x=d.distance)\n"},
		{name: "other arrow", whole: true, text: "d = gis.distance(a=\"Oslo -> x\", b=\"Rome\")  → scalar[km]\nanswer(x=d.distance)\n", want: "d = gis.distance(a=\"Oslo -> x\", b=\"Rome\")\nanswer(x=d.distance)\n"},
		{name: "annotation", whole: true, text: "d: scalar[km] = gis.distance(a=\"Oslo\", b=\"Rome\")\nanswer(x=d.distance)\n", want: "d = gis.distance(a=\"Oslo\", b=\"Rome\")\nanswer(x=d.distance)\n"},
	},
	AddAgent:     {{name: "one agent has it", text: "y = zonal_stats(raster=sst, zones=zone)\nanswer(x=y.mean)", want: "y = gis.zonal_stats(raster=sst, zones=zone)\nanswer(x=y.mean)\n"}},
	AgentVariant: {{name: "quoted", text: "y = ['gis'].zonal_stats(raster=sst, zones=zone)\nanswer(x=y.mean)", want: "y = gis.zonal_stats(raster=sst, zones=zone)\nanswer(x=y.mean)\n"}, {name: "stray quote", text: "y = \" \\\"gis\".zonal_stats(raster=sst, zones=zone)\nanswer(x=y.mean)", want: "y = gis.zonal_stats(raster=sst, zones=zone)\nanswer(x=y.mean)\n"}},
	AgentName:    {{name: "value and agent", text: "gis = gis.zonal_stats(raster=sst, zones=zone)\ny = gis.buffer(geometry=zone, distance=3)\nz = gis.zonal_stats(raster=sst, zones=y)\nw = z.mean - gis.mean\nanswer(x=w)", want: "gis = gis.zonal_stats(raster=sst, zones=zone)\ny = gis.buffer(geometry=zone, distance=3)\nz = gis.zonal_stats(raster=sst, zones=y)\nw = z.mean - gis.mean\nanswer(x=w)\n"}},
	LetterCase: {
		{name: "agent", text: "y = GIS.zonal_stats(raster=sst, zones=zone)\nanswer(x=y.mean)", want: "y = gis.zonal_stats(raster=sst, zones=zone)\nanswer(x=y.mean)\n"},
		{name: "tool", text: "y = gis.Zonal_Stats(raster=sst, zones=zone)\nanswer(x=y.mean)", want: "y = gis.zonal_stats(raster=sst, zones=zone)\nanswer(x=y.mean)\n"},
		{name: "parameter", text: "y = gis.zonal_stats(Raster=sst, zones=zone)\nanswer(x=y.mean)", want: "y = gis.zonal_stats(raster=sst, zones=zone)\nanswer(x=y.mean)\n"},
		{name: "name", text: "y = gis.zonal_stats(raster=SST, zones=zone)\nanswer(x=y.mean)", want: "y = gis.zonal_stats(raster=sst, zones=zone)\nanswer(x=y.mean)\n"},
		{name: "field", text: "answer(x=stats.Mean)", want: "answer(x=stats.mean)\n"},
		{name: "value", text: "y = data.region_series(raster=sst, zones=zone, statistic=\"MIN\")\nanswer(x=y.mean)", want: "y = data.region_series(raster=sst, zones=zone, statistic=\"min\")\nanswer(x=y.mean)\n"},
		{name: "answer", text: "answer(X=stats.mean)", want: "answer(x=stats.mean)\n"},
		{name: "slot", text: "y = gis.boundary(place=task.Place)\nz = gis.zonal_stats(raster=sst, zones=y)\nanswer(x=z.mean)", want: "y = gis.boundary(place=task.place)\nz = gis.zonal_stats(raster=sst, zones=y)\nanswer(x=z.mean)\n"},
	},
	ParamAlias:     {{name: "declared", text: "y = gis.zonal_stats(grid=sst, zone=zone)\nanswer(x=y.mean)", want: "y = gis.zonal_stats(raster=sst, zones=zone)\nanswer(x=y.mean)\n"}},
	PositionalKind: {{name: "by kind", text: "y = gis.zonal_stats(zone, sst)\nanswer(x=y.mean)", want: "y = gis.zonal_stats(zones=zone, raster=sst)\nanswer(x=y.mean)\n"}, {name: "the only field of the answer", text: "answer(stats.mean)", want: "answer(x=stats.mean)\n"}},
	ValueAlias:     {{name: "declared", whole: true, text: "s = data.open(dataset=\"COADS\", variable=\"sea surface temperature\")\nz = gis.boundary(place=\"Peru\")\ny = gis.zonal_stats(raster=s, zones=z)\nanswer(x=y.mean)\n", want: "s = data.open(dataset=\"coads_climatology\", variable=\"sst\")\nz = gis.boundary(place=\"Peru\")\ny = gis.zonal_stats(raster=s, zones=z)\nanswer(x=y.mean)\n"}},
	NumberText:     {{name: "integer", text: "m = data.region_series(raster=sst, zones=zone)\ny = forecast.holt_winters(series=m, months=\"6\")\nanswer(x=y.last)", want: "m = data.region_series(raster=sst, zones=zone)\ny = forecast.holt_winters(series=m, months=6)\nanswer(x=y.last)\n"}},
	UnquoteRef:     {{name: "template", text: "y = gis.zonal_stats(raster=sst, zones=\"{zone}\")\nanswer(x=y.mean)", want: "y = gis.zonal_stats(raster=sst, zones=zone)\nanswer(x=y.mean)\n"}},
	OneToList:      {{name: "artifact", text: "o = gis.overlay(layers=zone)\ny = gis.zonal_stats(raster=sst, zones=o)\nanswer(x=y.mean)", want: "o = gis.overlay(layers=[zone])\ny = gis.zonal_stats(raster=sst, zones=o)\nanswer(x=y.mean)\n"}},
	ListToOne:      {{name: "zone", text: "y = gis.zonal_stats(raster=sst, zones=[zone])\nanswer(x=y.mean)", want: "y = gis.zonal_stats(raster=sst, zones=zone)\nanswer(x=y.mean)\n"}},
	InlineAlias:    {{name: "step and artifact", text: "raster = sst\nhere = zone.zone\ny = gis.zonal_stats(raster=raster, zones=here)\ns = y\nanswer(x=s.mean)", want: "y = gis.zonal_stats(raster=sst, zones=zone.zone)\nanswer(x=y.mean)\n"}},
	LiftCall: {
		{name: "argument", text: "y = gis.zonal_stats(raster=sst, zones=gis.boundary(place=\"Peru\"))\nanswer(x=y.mean)", want: "zones = gis.boundary(place=\"Peru\")\ny = gis.zonal_stats(raster=sst, zones=zones)\nanswer(x=y.mean)\n"},
		{name: "twice nested, names taken", text: "y = gis.zonal_stats(raster=sst, zones=gis.buffer(geometry=gis.boundary(place=\"Peru\"), distance=5))\nzones = gis.area(zones=zone)\nu = zones.area / 2\nverification.in_range(value=u, low=0, high=9)\nanswer(x=y.mean)",
			want: "geometry = gis.boundary(place=\"Peru\")\nzones_2 = gis.buffer(geometry=geometry, distance=5)\ny = gis.zonal_stats(raster=sst, zones=zones_2)\nzones = gis.area(zones=zone)\nu = zones.area / 2\nverification.in_range(value=u, low=0, high=9)\nanswer(x=y.mean)\n"},
	},
	LiftExpression: {{name: "answer", text: "answer(x=stats.max - stats.min)", want: "x = stats.max - stats.min\nanswer(x=x)\n"}},
	InsertBoundary: {
		{name: "place", text: "y = gis.zonal_stats(raster=sst, zones=\"Peru\")\nanswer(x=y.mean)", want: "zone_2 = gis.boundary(place=\"Peru\")\ny = gis.zonal_stats(raster=sst, zones=zone_2)\nanswer(x=y.mean)\n"},
		{name: "slot that has its step", text: "y = gis.zonal_stats(raster=sst, zones=task.place)\nanswer(x=y.mean)", want: "y = gis.zonal_stats(raster=sst, zones=zone)\nanswer(x=y.mean)\n"},
		{name: "box slot", text: "y = gis.zonal_stats(raster=sst, zones=task.box)\nanswer(x=y.mean)", want: "zone_2 = gis.boundary(place=task.box)\ny = gis.zonal_stats(raster=sst, zones=zone_2)\nanswer(x=y.mean)\n"},
		{name: "box", text: "y = gis.zonal_stats(raster=sst, zones={\"west\": 0, \"south\": -5, \"east\": 9, \"north\": 5})\nanswer(x=y.mean)", want: "zone_2 = gis.boundary(place={\"west\": 0, \"south\": -5, \"east\": 9, \"north\": 5})\ny = gis.zonal_stats(raster=sst, zones=zone_2)\nanswer(x=y.mean)\n"},
	},
	NearName: {
		{name: "plural", text: "y = gis.zonal_stats(raster=sst, zones=zones)\nanswer(x=y.mean)", want: "y = gis.zonal_stats(raster=sst, zones=zone)\nanswer(x=y.mean)\n"},
		{name: "swapped letters", text: "answer(x=stast.mean)", want: "answer(x=stats.mean)\n"},
	},
	NameToField:    {{name: "step named for its field", text: "mean = gis.zonal_stats(raster=sst, zones=zone)\nanswer(x=mean)", want: "mean = gis.zonal_stats(raster=sst, zones=zone)\nanswer(x=mean.mean)\n"}, {name: "only field", text: "a = gis.distance(a=\"Oslo\", b=\"Rome\")\nb = gis.buffer(geometry=zone, distance=a)\ny = gis.zonal_stats(raster=sst, zones=b)\nanswer(x=y.mean)", want: "a = gis.distance(a=\"Oslo\", b=\"Rome\")\nb = gis.buffer(geometry=zone, distance=a.distance)\ny = gis.zonal_stats(raster=sst, zones=b)\nanswer(x=y.mean)\n"}},
	FieldAlias:     {{name: "declared", text: "answer(x=stats.average)", want: "answer(x=stats.mean)\n"}},
	SubscriptField: {{name: "brackets", text: "y = stats[\"max\"] - stats['min']\nanswer(x=y)", want: "y = stats.max - stats.min\nanswer(x=y)\n"}},
	QuoteValue:     {{name: "variable", whole: true, text: "sst = data.open(dataset=coads_climatology, variable=sst)\nz = gis.boundary(place=\"Peru\")\ny = gis.zonal_stats(raster=sst, zones=z)\nanswer(x=y.mean)\n", want: "sst = data.open(dataset=\"coads_climatology\", variable=\"sst\")\nz = gis.boundary(place=\"Peru\")\ny = gis.zonal_stats(raster=sst, zones=z)\nanswer(x=y.mean)\n"}},
	AnswerLast:     {{name: "check behind", text: "answer(x=stats.mean)\nverification.in_range(value=stats.mean, low=0, high=40)", want: "verification.in_range(value=stats.mean, low=0, high=40)\nanswer(x=stats.mean)\n"}},
	AddAnswer:      {{name: "step of that name", text: "x = stats.max - stats.min", want: "x = stats.max - stats.min\nanswer(x=x)\n"}},
}

func TestRepairs(t *testing.T) {
	catalog := newTestCatalog()
	for id, cases := range repairCases {
		for _, tc := range cases {
			t.Run(string(id)+"/"+tc.name, func(t *testing.T) {
				text, want, contract := tc.text, tc.want, oneField
				if tc.whole {
					contract = Contract{{Key: "x", Type: "number"}}
				} else {
					text, want = prelude+text+"\n", prelude+want
				}
				p, records, problems := RepairText(text, catalog, contract, testSlots, nil)
				if errs := Errors(problems); len(errs) > 0 {
					t.Errorf("problems are left: %v", errs)
				}
				if diff := cmp.Diff(want, Print(p)); diff != "" {
					t.Errorf("(-want +got)\n%s", diff)
				}
				checkRecords(t, id, records)
				off := &Options{Off: map[RepairID]bool{id: true}}
				if _, records, problems = RepairText(text, catalog, contract, testSlots, off); len(Errors(problems)) == 0 {
					t.Errorf("with %s off the checker passes the program", id)
				}
				if slices.ContainsFunc(records, func(r RepairRecord) bool { return r.ID == id }) {
					t.Errorf("%s is off and was made", id)
				}
			})
		}
	}
	for _, id := range RepairIDs() {
		if len(repairCases[id]) == 0 {
			t.Errorf("%s has no case", id)
		}
	}
}

// checkRecords wants at least one record, all of the kind, and nothing in them
// left out.
func checkRecords(t *testing.T, id RepairID, records []RepairRecord) {
	t.Helper()
	if len(records) == 0 {
		t.Error("no repair is recorded")
	}
	for _, r := range records {
		if r.ID != id {
			t.Errorf("a repair of another kind: %+v", r)
		}
		if r.Before == "" {
			t.Errorf("%+v does not say what stood there", r)
		}
	}
}

// What has a second reading, or would change the meaning, stays as it is: each
// entry is the opposite of a repair above.
func TestRepairLeavesMeaningAlone(t *testing.T) {
	catalog := newTestCatalog()
	for _, tc := range []struct {
		name, text string
		want       Code
	}{
		{"another variable is no spelling of this one", `y = data.open(dataset="coads_climatology", variable="sss")` + "\nz = gis.zonal_stats(raster=y, zones=zone)\nanswer(x=z.mean)", WrongType},
		{"a variable of another data set", `y = data.open(dataset="etopo_relief", variable="sst")` + "\nz = gis.zonal_stats(raster=y, zones=zone)\nanswer(x=z.mean)", WrongType},
		{"a name that differs by a digit", "zone1 = gis.boundary(place=\"Peru\")\ny = gis.zonal_stats(raster=sst, zones=zone3)\nanswer(x=y.mean)", UndefinedName},
		{"a name that differs by its last letter", "wind_u = data.open(dataset=\"coads_climatology\", variable=\"sst\")\ny = gis.zonal_stats(raster=wind_v, zones=zone)\nanswer(x=y.mean)", UndefinedName},
		{"two names as near", "region = gis.boundary(place=\"Peru\")\nregionss = gis.boundary(place=\"Chad\")\ny = gis.zonal_stats(raster=sst, zones=regions)\nanswer(x=y.mean)", UndefinedName},
		{"the near name is of another kind", "y = gis.zonal_stats(raster=zones, zones=zone)\nanswer(x=y.mean)", UndefinedName},
		{"another word", "y = gis.zonal_stats(raster=sst, zones=area)\nanswer(x=y.mean)", UndefinedName},
		{"several fields of the kind", "answer(x=stats)", WrongKind},
		{"min is not mean", "y = data.trend(series=sst, method=\"ols\")\nanswer(x=stats.mode)", UnknownField},
		{"a text that is the name of a step", "y = gis.zonal_stats(raster=sst, zones=\"stats\")\nanswer(x=y.mean)", WrongType},
		{"a text for a number that is none", "m = data.region_series(raster=sst, zones=zone)\ny = forecast.holt_winters(series=m, months=\"six\")\nanswer(x=y.last)", WrongType},
		{"a fraction for an integer", "m = data.region_series(raster=sst, zones=zone)\ny = forecast.holt_winters(series=m, months=\"3.7\")\nanswer(x=y.last)", WrongType},
		{"two positional arguments of one kind", "y = gis.distance(\"Oslo\", \"Rome\")\nz = gis.buffer(geometry=zone, distance=y.distance)\nw = gis.zonal_stats(raster=sst, zones=z)\nanswer(x=w.mean)", UnknownParam},
		{"a nested call in a branch", "y = gis.zonal_stats(raster=sst, zones=gis.boundary(place=\"Peru\")) if stats.mean > 2 else None\nanswer(x=y.mean)", SyntaxError},
		{"a unit is not converted by name", "y = gis.area(zones=zone)\nanswer(x=y.area)", WrongUnit},
		{"two outputs of the answer's name", "x = stats.max - stats.min\ny = gis.area(zones=zone)", NoAnswer},
		{"a tool of another agent", "y = data.area(zones=zone)\nanswer(x=stats.mean)", UnknownTool},
		{"an agent that nobody is", "y = climate_guru.zonal_stats(raster=sst, zones=zone)\nanswer(x=y.mean)", UnknownAgent},
		{"an alias beside the parameter itself", "y = gis.zonal_stats(raster=sst, grid=sst, zones=zone)\nanswer(x=y.mean)", UnknownParam},
		{"a loop is not flattened", "for p in task.ports:\n    y = gis.boundary(place=p)\nanswer(x=stats.mean)", SyntaxError},
		{"a field of a field", "y = stats[\"max\"][\"min\"] - stats.min\nanswer(x=y)", SyntaxError},
		{"a word that is no value of the vocabulary", "y = data.region_series(raster=sst, zones=zone, statistic=median)\nanswer(x=y.mean)", UndefinedName},
		{"a place without quotes may be a step that was forgotten", "y = gis.boundary(place=Kenya)\nz = gis.zonal_stats(raster=sst, zones=y)\nanswer(x=z.mean)", UndefinedName},
		{"a list of two", "y = gis.zonal_stats(raster=sst, zones=[zone, zone])\nanswer(x=y.mean)", WrongType},
		{"an empty place", "y = gis.zonal_stats(raster=sst, zones=\" \")\nanswer(x=y.mean)", WrongType},
		{"a broken statement is not prose", "y = gis.zonal_stats(raster=sst, zones=zone\nanswer(x=stats.mean)", SyntaxError},
	} {
		t.Run(tc.name, func(t *testing.T) {
			contract := oneField
			if tc.want == NoAnswer {
				contract = Contract{{Key: "mean", Type: "number", Unit: "degC"}}
				tc.text = "other = gis.zonal_stats(raster=sst, zones=zone)"
			}
			p, records, problems := RepairText(prelude+tc.text+"\n", catalog, contract, testSlots, nil)
			if firstOf(Errors(problems), tc.want) == nil {
				t.Errorf("no %s is left in\n%s\nrepairs %v\nproblems %v", tc.want, Print(p), records, problems)
			}
		})
	}
}

func TestRepairReply(t *testing.T) {
	text, err := os.ReadFile("testdata/reply.txt")
	if err != nil {
		t.Fatal(err)
	}
	contract := Contract{{Key: "mean_temperature", Type: "number", Unit: "degC"}}
	p, records, problems := RepairText(string(text), newTestCatalog(), contract, testSlots, nil)
	if len(problems) > 0 {
		t.Errorf("problems are left: %v", problems)
	}
	want := `sst = data.open(dataset="coads_climatology", variable="sst")
zone = gis.boundary(place="Kenya")
stats = gis.zonal_stats(raster=sst, zones=zone)
answer(mean_temperature=stats.mean)
`
	if diff := cmp.Diff(want, Print(p)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	made := map[RepairID]int{}
	for _, r := range records {
		made[r.ID]++
	}
	wantMade := map[RepairID]int{StripProse: 2, StripFence: 1, StripNumbering: 3, DropTypeNote: 2, ValueAlias: 1,
		AddAgent: 1, ParamAlias: 1, InsertBoundary: 1, FieldAlias: 1}
	if diff := cmp.Diff(wantMade, made); diff != "" {
		t.Errorf("repairs made (-want +got)\n%s", diff)
	}
}

func TestRepairIsIdempotent(t *testing.T) {
	catalog := newTestCatalog()
	for id, cases := range repairCases {
		for _, tc := range cases {
			p, _, _ := RepairText(prelude+tc.text+"\n", catalog, oneField, testSlots, nil)
			again, records := Repair(p, catalog, oneField, testSlots, nil)
			if !Equal(p, again) {
				t.Errorf("%s/%s: a second repair changes\n%s\nto\n%s", id, tc.name, Print(p), Print(again))
			}
			records = slices.DeleteFunc(records, func(r RepairRecord) bool { return r.ID == AgentName })
			if len(records) > 0 {
				t.Errorf("%s/%s: a second repair records %v", id, tc.name, records)
			}
		}
	}
}

// A program that the checker passes is not repaired, and with every kind off
// nothing is.
func TestRepairLeavesGoodProgramsAlone(t *testing.T) {
	catalog := newTestCatalog()
	off := &Options{Off: map[RepairID]bool{}}
	for _, id := range RepairIDs() {
		off.Off[id] = true
	}
	good := 0
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlausible(t, catalog)
		if again, records := Repair(p, catalog, nil, testSlots, off); len(records) > 0 || !Equal(p, again) {
			t.Fatalf("every kind is off, and\n%s\nbecame\n%s", Print(p), Print(again))
		}
		if len(Errors(Check(p, catalog, nil, testSlots, nil))) > 0 {
			return
		}
		good++
		if again, records := Repair(p, catalog, nil, testSlots, nil); len(records) > 0 || !Equal(p, again) {
			t.Fatalf("a good program\n%s\nbecame\n%s\n%v", Print(p), Print(again), records)
		}
	})
	if good == 0 {
		t.Error("no program was good")
	}
}

func TestRepairKeepsTheProgramGiven(t *testing.T) {
	p, _ := Parse(prelude + "answer(x=stats.average - 1)\n")
	before := Print(p)
	Repair(p, newTestCatalog(), oneField, testSlots, nil)
	if Print(p) != before {
		t.Errorf("Repair changed its argument to\n%s", Print(p))
	}
}

func TestInsertedNamesGiveNoMeaningToOthers(t *testing.T) {
	// "zone" is read below but nowhere bound: the inserted step must not become it.
	text := "s = data.open(dataset=\"coads_climatology\", variable=\"sst\")\ny = gis.zonal_stats(raster=s, zones=\"Peru\")\na = gis.area(zones=zone)\nanswer(x=y.mean)\n"
	p, _, problems := RepairText(text, newTestCatalog(), oneField, testSlots, nil)
	if firstOf(problems, UndefinedName) == nil || !strings.Contains(Print(p), "zone_2 = gis.boundary") {
		t.Errorf("zone got a meaning:\n%s", Print(p))
	}
}
