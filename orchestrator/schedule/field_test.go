package schedule

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func toJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// An agent's name with a stray quote, in other letters, with spaces or in a list
// is that agent; an unknown one is refused with the names that exist, and never
// taken for the first.
func TestFieldB03(t *testing.T) {
	agents := []string{"Stats", "Ocean analyst"}
	for written, want := range map[string]string{
		`"ocean analyst`: "Ocean analyst", ` Ocean Analyst `: "Ocean analyst", `['Ocean analyst']`: "Ocean analyst",
		"ocean_analyst": "Ocean analyst", "STATS": "Stats", "climate_guru": "", "": "", "[]": "", "Ocean": "",
	} {
		if got, ok := AgentByName(written, agents); got != want || ok != (want != "") {
			t.Errorf("AgentByName(%q) = %q, %v, want %q", written, got, ok, want)
		}
	}
	text := "d = \"'gis' \".distance(a=\"Oslo\", b=\"Rome\")\nw = climate_guru.distance(a=\"Oslo\", b=\"Rome\")\nanswer(x=d.distance, y=w.distance)\n"
	contract := Contract{{Key: "x", Type: "number"}, {Key: "y", Type: "number"}}
	_, records, problems := RepairText(text, newTestCatalog(), contract, testSlots, nil)
	if len(records) != 1 || records[0].ID != AgentVariant || records[0].After != "gis" {
		t.Errorf("repairs %v", records)
	}
	if diff := cmp.Diff([]string{"2:5 unknown_agent"}, brief(problems)); diff != "" {
		t.Fatalf("(-want +got)\n%s", diff)
	}
	if len(problems[0].Legal) != 7 {
		t.Errorf("the agents that exist are not all named: %v", problems[0].Legal)
	}
}

// Two steps that give a field of one name are kept apart as p1.mean and p2.mean;
// two steps of one name are refused.
func TestFieldB15(t *testing.T) {
	apart := prelude + "p1 = gis.zonal_stats(raster=sst, zones=zone)\nback = gis.buffer(geometry=zone, distance=9)\n" +
		"p2 = gis.zonal_stats(raster=sst, zones=back)\ngap = p1.mean - p2.mean\nanswer(x=gap)\n"
	if _, problems := CheckText(apart, newTestCatalog(), oneField, testSlots, nil); len(Errors(problems)) > 0 {
		t.Errorf("fields of one name: %v", problems)
	}
	plan, err := NewPlan(mustParse(t, apart))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"p1", "p2"}, plan.Needs["gap"]); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	same := prelude + "p = gis.zonal_stats(raster=sst, zones=zone)\np = gis.zonal_stats(raster=sst, zones=zone)\nanswer(x=p.mean)\n"
	_, records, problems := RepairText(same, newTestCatalog(), oneField, testSlots, nil)
	if diff := cmp.Diff([]string{"5:1 redefined_name"}, brief(Errors(problems))); diff != "" || len(records) > 0 {
		t.Errorf("two steps of one name (-want +got)\n%s\nrepairs %v", diff, records)
	}
}

// A reference keeps its type, also inside lists and records; one that nothing
// binds is refused before the run; a reference in the clothes of a template never
// reaches a tool as text.
func TestFieldB25(t *testing.T) {
	catalog := newTestCatalog()
	text := "step_1 = gis.boundary(place=\"Peru\")\nstep_2 = gis.overlay(layers=[step_1, step_9])\nstep_3 = compute.evaluate(expression=\"a\", variables={\"q\": {\"ids\": [step_9]}})\n" +
		"step_4 = gis.area(zones=step_2)\nstep_5 = step_3.value + step_4.area\nanswer(x=step_5)\n"
	_, problems := CheckText(text, catalog, Contract{{Key: "x", Type: "number"}}, testSlots, nil)
	if diff := cmp.Diff([]string{"2:38 undefined_name", "3:68 undefined_name"}, brief(problems)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	list := "ways = [gis.distance(a=p, b=task.place) for p in task.ports]\nfar = max(ways.distance)\nanswer(x=far)\n"
	types := Infer(mustParse(t, list), catalog, testSlots)
	if got := types["ways"]["distance"]; !got.List || got.Unit != "km" {
		t.Errorf("the list became %v", got)
	}
	quoted := prelude + "y = gis.zonal_stats(raster=\"{sst}\", zones=\"{step_9}\")\nanswer(x=y.mean)\n"
	p, _, problems := RepairText(quoted, catalog, oneField, testSlots, nil)
	if !strings.Contains(Print(p), "raster=sst, ") {
		t.Errorf("the reference is still a text:\n%s", Print(p))
	}
	if diff := cmp.Diff([]string{"4:43 wrong_type"}, brief(Errors(problems))); diff != "" {
		t.Errorf("a template of nothing (-want +got)\n%s", diff)
	}
	nested := prelude + "y = compute.evaluate(expression=\"a\", variables={\"a\": [\"{step_9}\"]})\nanswer(x=stats.mean)\n"
	if _, problems = CheckText(nested, catalog, oneField, testSlots, nil); len(Errors(problems)) != 1 {
		t.Errorf("a template inside a record: %v", problems)
	}
}

// Cycles and repeated names are refused, the cycle by its steps.
func TestFieldB27(t *testing.T) {
	text := "s1 = gis.buffer(geometry=s2, distance=1)\ns2 = gis.buffer(geometry=s1, distance=1)\ns3 = gis.area(zones=s2)\ns3 = gis.area(zones=s1)\nanswer(x=s3.area)\n"
	contract := Contract{{Key: "x", Type: "number", Unit: "km2"}}
	p, records, problems := RepairText(text, newTestCatalog(), contract, testSlots, nil)
	if diff := cmp.Diff([]string{"1:26 undefined_name", "4:1 redefined_name"}, brief(problems)); diff != "" || len(records) > 0 {
		t.Fatalf("(-want +got)\n%s\nrepairs %v", diff, records)
	}
	if !strings.Contains(problems[0].Message, "s1 > s2 > s1") {
		t.Errorf("the cycle is not named: %s", problems[0].Message)
	}
	if _, err := Bind(p, newTestCatalog(), contract, testSlots, nil); err == nil {
		t.Error("a cycle is bound")
	}
}

// A reply without a plan is a problem like any other, not a failure.
func TestFieldB28(t *testing.T) {
	for _, reply := range []string{"Sure! First I will look at the data.", "", "```\n```", "{\"steps\": []}", "\x00"} {
		p, _, problems := RepairText(reply, newTestCatalog(), oneField, testSlots, nil)
		if len(p.Statements) > 0 {
			t.Errorf("%q became\n%s", reply, Print(p))
		}
		if len(problems) != 1 || problems[0].Code != SyntaxError {
			t.Errorf("%q: problems %v", reply, problems)
		}
	}
}

// A value that is not in the vocabulary is refused with those that are, and no
// other is put in its place.
func TestFieldB30(t *testing.T) {
	text := prelude + "m = data.region_series(raster=sst, zones=zone)\ny = data.trend(series=m, method=\"linear\")\nanswer(x=y.slope)\n"
	p, records, problems := RepairText(text, newTestCatalog(), Contract{{Key: "x", Type: "number"}}, testSlots, nil)
	if diff := cmp.Diff([]string{"5:33 wrong_type"}, brief(Errors(problems))); diff != "" || len(records) > 0 {
		t.Fatalf("(-want +got)\n%s\nrepairs %v", diff, records)
	}
	legal := map[string]bool{}
	for _, v := range Errors(problems)[0].Legal {
		legal[v] = true
	}
	if !legal["ols"] || !legal["theil_sen"] || len(legal) != 2 {
		t.Errorf("legal = %v", legal)
	}
	if !strings.Contains(Print(p), `method="linear"`) {
		t.Errorf("the method was replaced:\n%s", Print(p))
	}
}
