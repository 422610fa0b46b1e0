package schedule

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCheckSpecProgram(t *testing.T) {
	_, problems := CheckText(specProgram, newTestCatalog(), specContract, testSlots, nil)
	if len(problems) > 0 {
		t.Errorf("problems in the specification's own program: %v", problems)
	}
}

// problemCase is a program of which exactly these problems are expected, and of
// which the first one names these ways out.
type problemCase struct {
	name    string
	text    string // behind the prelude: its first line is line 4
	want    string // "line:col code" separated by commas; a question mark for warnings
	legal   string // the nearest legal alternative
	resolve string // one of the ways to resolve
	message string // part of the message
}

var oneField = Contract{{Key: "x", Type: "number", Unit: "degC"}}

var problemCases = map[Code][]problemCase{
	SyntaxError: {
		{name: "loop", text: "for y in task.ports:\n    z = gis.boundary(place=y)\nanswer(x=stats.mean)", want: "4:1 syntax", message: "no loops"},
		{name: "branch", text: "if stats.mean > 1:\n    z = gis.boundary(place=task.place)\nanswer(x=stats.mean)", want: "4:1 syntax", message: "no branches"},
		{name: "function", text: "def f(a):\n    return a\nanswer(x=stats.mean)", want: "4:1 syntax", message: "no functions"},
		{name: "import", text: "load(\"x\", \"y\")\nanswer(x=stats.mean)", want: "4:1 syntax", message: "no imports"},
		{name: "augmented", text: "stats += 1\nanswer(x=stats.mean)", want: "4:1 syntax", message: "bound once"},
		{name: "two targets", text: "a, b = gis.area(zones=zone)\nanswer(x=stats.mean)", want: "4:1 syntax", message: "one name"},
		{name: "unclosed", text: "y = gis.area(zones=zone\nw = gis.area(zones=zone)\nanswer(x=stats.mean)", want: "4:24 syntax,5:1 unused_step?"},
		{name: "power", text: "y = stats.mean ** 2\nanswer(x=y)", want: "4:18 syntax"},
		{name: "modulo", text: "y = stats.mean % 2\nanswer(x=y)", want: "4:5 syntax", message: "no operator %"},
		{name: "not", text: "y = gis.area(zones=zone) if not stats.mean > 2 else None\nanswer(x=stats.mean, y=y)", want: "4:29 syntax,5:22 extra_answer"},
		{name: "three comparisons", text: "y = gis.area(zones=zone) if stats.mean > 2 and stats.min > 1 or stats.max < 5 else None\nanswer(x=stats.mean)", want: "4:29 syntax"},
		{name: "subscript", text: "answer(x=stats[\"mean\"])", want: "4:10 syntax", message: "name.mean"},
		{name: "deep field", text: "answer(x=stats.mean.value)", want: "4:10 syntax"},
		{name: "nested call", text: "y = gis.zonal_stats(raster=sst, zones=gis.boundary(place=\"Peru\"))\nanswer(x=y.mean)", want: "4:39 syntax", message: "name in a statement of its own"},
		{name: "nested expression", text: "answer(x=stats.max - stats.min)", want: "4:10 syntax"},
		{name: "lambda", text: "y = lambda: 1\nanswer(x=stats.mean)", want: "4:5 syntax"},
		{name: "slice", text: "y = stats.mean[0:2]\nanswer(x=stats.mean)", want: "4:5 syntax"},
		{name: "star", text: "y = gis.area(**zone)\nanswer(x=stats.mean)", want: "4:14 syntax"},
		{name: "answer in the middle", text: "answer(x=stats.mean)\nverification.in_range(value=stats.mean, low=0, high=40)", want: "4:1 syntax", message: "last"},
		{name: "first of fields", text: "y = first(stats.mean)\nanswer(x=stats.mean)", want: "4:11 syntax"},
		{name: "call or value", text: "y = gis.area(zones=zone) if stats.mean > 2 else 5\nanswer(x=stats.mean)", want: "4:49 syntax"},
		{name: "list by itself", text: "y = [stats.mean, stats.max]\nz = max(y)\nanswer(x=z)", want: "4:5 syntax"},
		{name: "bare value", text: "stats.mean\nanswer(x=stats.mean)", want: "4:1 syntax"},
		{name: "decline without reason", text: "decline(missing=[\"rain\"])", want: "4:1 syntax"},
	},
	UnknownAgent: {
		{name: "misspelt", text: "y = giss.area(zones=zone)\nanswer(x=stats.mean, z=y.area)", want: "4:5 unknown_agent,5:22 extra_answer", legal: "gis", resolve: "gis.area"},
		{name: "none", text: "y = area(zones=zone)\nw = [gis.distance(a=p, b=y) for p in task.ports]\nanswer(x=stats.mean)", want: "4:5 unknown_agent,5:1 unused_step?", legal: "gis.area"},
		{name: "of an objective", text: "y = ocean.ask(\"the mean\", returns=\"scalar[degC]\")\nanswer(x=y)", want: "4:5 unknown_agent"},
	},
	UnknownTool: {
		{name: "misspelt", text: "y = gis.zonal_stat(raster=sst, zones=zone)\nanswer(x=y.mean)", want: "4:5 unknown_tool", legal: "gis.zonal_stats"},
		{name: "of another agent", text: "y = data.area(zones=zone)\nanswer(x=y.area)", want: "4:5 unknown_tool", legal: "gis.area", resolve: "gis.area"},
		{name: "of no agent", text: "y = frobnicate(zones=zone)\nanswer(x=y.area)", want: "4:5 unknown_tool"},
	},
	UnknownParam: {
		{name: "alias", text: "y = gis.zonal_stats(grid=sst, zones=zone)\nanswer(x=y.mean)", want: "4:21 unknown_param", legal: "raster"},
		{name: "unheard of", text: "y = gis.area(zones=zone, colour=\"red\")\nanswer(x=stats.mean, z=y.area)", want: "4:26 unknown_param,5:22 extra_answer", legal: "zones"},
		{name: "twice", text: "y = gis.zonal_stats(raster=sst, grid=sst, zones=zone)\nanswer(x=y.mean)", want: "4:33 unknown_param,4:33 unknown_param"},
		{name: "positional of two", text: "y = gis.zonal_stats(sst, zone)\nanswer(x=y.mean)", want: "4:21 unknown_param,4:26 unknown_param"},
	},
	MissingParam: {
		{name: "one", text: "y = gis.zonal_stats(raster=sst)\nanswer(x=y.mean)", want: "4:5 missing_param", legal: "zone", resolve: "gis.boundary"},
		{name: "none given", text: "y = gis.buffer()\nz = gis.zonal_stats(raster=sst, zones=y)\nanswer(x=z.mean)", want: "4:5 missing_param,4:5 missing_param"},
		{name: "None", text: "y = gis.zonal_stats(raster=sst, zones=None)\nanswer(x=y.mean)", want: "4:33 missing_param"},
		{name: "promise", text: "y = gis.ask(\"the mean\")\nanswer(x=y)", want: "4:5 missing_param"},
	},
	WrongType: {
		{name: "text for a number", text: "y = gis.buffer(geometry=zone, distance=\"far\")\nz = gis.zonal_stats(raster=sst, zones=y)\nanswer(x=z.mean)", want: "4:40 wrong_type"},
		{name: "fraction for an integer", text: "y = forecast.holt_winters(series=w, months=3.7)\nanswer(x=y.last)", want: "4:34 undefined_name,4:44 wrong_type"},
		{name: "outside the range", text: "y = simulation.scs_runoff(rainfall=10, curve_number=120)\nanswer(x=stats.mean, r=y.runoff)", want: "4:53 wrong_type,5:22 extra_answer", legal: "1 to 100"},
		{name: "not in the vocabulary", text: "y = data.region_series(raster=sst, zones=zone, statistic=\"median\")\nanswer(x=y.mean)", want: "4:58 wrong_type", legal: "mean"},
		{name: "variable of another data set", text: "y = data.open(dataset=\"etopo_relief\", variable=\"sst\")\nz = gis.zonal_stats(raster=y, zones=zone)\nanswer(x=z.mean)", want: "4:48 wrong_type", legal: "elevation", message: "coads_climatology"},
		{name: "text for an artifact", text: "y = gis.zonal_stats(raster=\"sst\", zones=zone)\nanswer(x=y.mean)", want: "4:28 wrong_type", resolve: "data.open"},
		{name: "list for one", text: "y = gis.area(zones=[zone])\nanswer(x=stats.mean, a=y.area)", want: "4:20 wrong_type,5:22 extra_answer"},
		{name: "one for a list", text: "y = gis.overlay(layers=zone)\nz = gis.zonal_stats(raster=sst, zones=y)\nanswer(x=z.mean)", want: "4:24 wrong_type", legal: "[zone]"},
		{name: "map over one value", text: "y = [gis.distance(a=p, b=zone) for p in task.place]\nanswer(x=stats.mean)", want: "4:1 unused_step?,4:41 wrong_type"},
		{name: "index of one value", text: "answer(x=stats.mean[0])", want: "4:10 wrong_type", legal: "stats.mean"},
		{name: "list in arithmetic", text: "y = [gis.distance(a=p, b=zone) for p in task.ports]\nz = y.distance + 1\nanswer(x=stats.mean, z=z)", want: "5:5 wrong_type,6:22 extra_answer", legal: "mean(y.distance)"},
		{name: "instants in order", text: "m = data.region_series(raster=sst, zones=zone)\ny = gis.area(zones=zone) if m.argmax > \"2000-01\" else None\nanswer(x=stats.mean)", want: "5:1 unused_step?,5:40 wrong_type"},
		{name: "instants are equal or not", text: "m = data.region_series(raster=sst, zones=zone)\ny = 1 if m.argmax == \"2000-01\" else 2\nz = stats.mean * y\nanswer(x=z)", want: ""},
		{name: "text compared with a number", text: "y = gis.area(zones=zone) if stats.mean > \"hot\" else None\nanswer(x=stats.mean)", want: "4:1 unused_step?,4:42 wrong_type"},
		{name: "decimals of round", text: "y = round(stats.mean, 1)\nanswer(x=stats.mean)", want: "4:1 unused_step?,4:5 wrong_type", legal: "round(x)"},
		{name: "promise of no kind", text: "y = gis.ask(\"the mean\", returns=\"number of degrees\")\nanswer(x=y)", want: "4:33 wrong_type"},
	},
	WrongKind: {
		{name: "raster for a series", text: "y = forecast.holt_winters(series=sst, months=6)\nanswer(x=y.last)", want: "4:34 wrong_kind", resolve: "data.region_series"},
		{name: "vector for a raster", text: "y = gis.zonal_stats(raster=zone, zones=zone)\nanswer(x=y.mean)", want: "4:28 wrong_kind", legal: "sst"},
		{name: "which of several fields", text: "answer(x=stats)", want: "4:10 wrong_kind", legal: "stats.max"},
		{name: "the only field of its kind", text: "a = gis.area(zones=zone)\nb = a.area + 1\nc = a + 1\nanswer(x=stats.mean, d=b, e=c)", want: "6:5 wrong_kind,7:22 extra_answer,7:27 extra_answer", legal: "a.area"},
		{name: "place for a zone", text: "y = gis.area(zones=task.place)\nanswer(x=stats.mean, a=y.area)", want: "4:20 wrong_kind,5:22 extra_answer", resolve: "gis.boundary"},
		{name: "text in arithmetic", text: "n = gis.boundary(place=\"Peru\")\ny = n.name * 2\nanswer(x=y)", want: "5:5 wrong_kind"},
		{name: "second name of a step", text: "y = stats\nanswer(x=y.mean)", want: "4:5 wrong_kind", legal: "stats.max"},
		{name: "second name of an artifact", text: "y = sst.data\nz = gis.zonal_stats(raster=y, zones=zone)\nanswer(x=z.mean)", want: "4:5 wrong_kind"},
		{name: "choice between steps", text: "y = sst if stats.mean > 2 else None\nz = gis.zonal_stats(raster=y, zones=zone)\nanswer(x=z.mean)", want: "4:5 wrong_kind"},
		{name: "nothing in common", text: "y = first(sst, stats)\nanswer(x=stats.mean)", want: "4:1 unused_step?,4:5 wrong_kind"},
	},
	WrongUnit: {
		{name: "argument", text: "y = simulation.scs_runoff(rainfall=stats.mean, curve_number=80)\nanswer(x=stats.mean, r=y.runoff)", want: "4:36 wrong_unit,5:22 extra_answer"},
		{name: "answer", text: "y = gis.area(zones=zone)\nanswer(x=y.area)", want: "5:10 wrong_unit", legal: "stats.mean"},
		{name: "sum", text: "a = gis.area(zones=zone)\ny = stats.mean + a.area\nanswer(x=y)", want: "5:18 wrong_unit"},
		{name: "comparison", text: "y = gis.area(zones=zone) if stats.mean > task.number else None\nanswer(x=stats.mean)", want: "4:1 unused_step?,4:42 wrong_unit"},
		{name: "no unit", text: "y = data.convert_units(data=sst, to=\"parsnip\")\nz = gis.zonal_stats(raster=y, zones=zone)\nanswer(x=z.mean)", want: "4:37 wrong_unit,6:10 wrong_unit"},
		{name: "product of temperatures", text: "y = stats.mean * stats.max\nanswer(x=y)", want: "4:18 wrong_unit"},
		{name: "ratio of temperatures", text: "y = stats.mean / stats.max\nanswer(x=y)", want: "4:18 wrong_unit", message: "offset"},
		{name: "ratio of a difference is one", text: "d = stats.max - stats.min\ny = d / stats.mean * stats.mean\nanswer(x=y)", want: ""},
		{name: "bound of a check", text: "a = gis.area(zones=zone)\nverification.in_range(value=stats.mean, low=a.area, high=9)\nanswer(x=stats.mean)", want: "5:45 wrong_unit"},
	},
	UndefinedName: {
		{name: "nowhere", text: "answer(x=statz.mean)", want: "3:1 unused_step?,4:10 undefined_name", legal: ""},
		{name: "later", text: "y = gis.area(zones=w)\nw = gis.boundary(place=\"Peru\")\nanswer(x=stats.mean, a=y.area)", want: "4:20 undefined_name,6:22 extra_answer", message: "later, in line 5"},
		{name: "itself", text: "y = gis.buffer(geometry=y, distance=3)\nanswer(x=stats.mean)", want: "4:25 undefined_name", message: "y > y"},
		{name: "loop name outside", text: "y = [gis.distance(a=p, b=zone) for p in task.ports]\nz = gis.distance(a=p, b=zone)\nanswer(x=stats.mean)", want: "4:1 unused_step?,5:1 unused_step?,5:20 undefined_name"},
		{name: "in a guard", text: "y = gis.area(zones=zone) if q.mean > 1 else None\nanswer(x=stats.mean)", want: "4:1 unused_step?,4:29 undefined_name"},
	},
	RedefinedName: {
		{name: "step", text: "zone = gis.boundary(place=\"Peru\")\nanswer(x=stats.mean)", want: "4:1 redefined_name", legal: "zone_2"},
		{name: "task", text: "task = gis.boundary(place=\"Peru\")\nanswer(x=stats.mean)", want: "4:1 redefined_name,4:1 unused_step?"},
		{name: "answer twice", text: "answer(x=stats.mean)\nanswer(x=stats.max)", want: "5:1 redefined_name"},
		{name: "answer and decline", text: "answer(x=stats.mean)\ndecline(reason=\"no\")", want: "5:1 redefined_name"},
		{name: "field twice", text: "answer(x=stats.mean, x=stats.max)", want: "4:22 redefined_name"},
		{name: "loop name", text: "y = [gis.distance(a=sst, b=task.place) for sst in task.ports]\nz = max(y.distance)\nanswer(x=stats.mean, z=z)", want: "4:5 redefined_name,6:22 extra_answer"},
	},
	UnknownField: {
		{name: "of another tool", text: "answer(x=sst.mean)", want: "3:1 unused_step?,4:10 unknown_field", legal: "sst.data", resolve: "gis.zonal_stats"},
		{name: "alias", text: "answer(x=stats.average)", want: "4:10 unknown_field", legal: "stats.mean"},
		{name: "of a number", text: "y = stats.mean + 1\nanswer(x=y.mean)", want: "5:10 unknown_field", legal: "y"},
		{name: "empty outside of a guard", text: "answer(x=stats.is_empty)", want: "4:10 unknown_field"},
	},
	UnknownSlot: {
		{name: "unheard of", text: "y = gis.boundary(place=task.plaice)\nz = gis.zonal_stats(raster=sst, zones=y)\nanswer(x=z.mean)", want: "4:24 unknown_slot", legal: "task.place"},
		{name: "whole request", text: "y = gis.boundary(place=task)\nz = gis.zonal_stats(raster=sst, zones=y)\nanswer(x=z.mean)", want: "4:24 unknown_slot"},
	},
	UnusedStep: {
		{name: "step", text: "y = gis.area(zones=zone)\nanswer(x=stats.mean)", want: "4:1 unused_step?"},
		{name: "bare call", text: "gis.area(zones=zone)\nanswer(x=stats.mean)", want: "4:1 unused_step?"},
		{name: "figures and checks are of use", text: "y = plot.map(raster=sst)\nplot.map(raster=sst)\nok = verification.in_range(value=stats.mean, low=0, high=9)\nanswer(x=stats.mean)", want: ""},
	},
	NoAnswer: {
		{name: "none", text: "y = stats.mean", want: "4:1 no_answer,4:1 unused_step?", legal: "answer(x=…)"},
		{name: "decline is one", text: "decline(reason=\"no rain data\", missing=[\"rain\"])", want: ""},
	},
	UnboundAnswer: {
		{name: "other field", text: "answer(y=stats.mean)", want: "4:1 unbound_answer,4:8 extra_answer", legal: "stats.max"},
		{name: "None", text: "answer(x=None)", want: "3:1 unused_step?,4:8 unbound_answer"},
	},
	ExtraAnswer: {
		{name: "more than asked", text: "answer(x=stats.mean, y=stats.max)", want: "4:22 extra_answer", legal: "x"},
	},
}

func TestCheckCodes(t *testing.T) {
	catalog := newTestCatalog()
	for code, cases := range problemCases {
		for _, tc := range cases {
			t.Run(string(code)+"/"+tc.name, func(t *testing.T) {
				_, problems := CheckText(prelude+tc.text+"\n", catalog, oneField, testSlots, nil)
				var want []string
				if tc.want != "" {
					want = strings.Split(tc.want, ",")
				}
				got := withoutPrelude(problems, tc.want)
				if diff := cmp.Diff(want, brief(got)); diff != "" {
					t.Fatalf("(-want +got)\n%s\n%v", diff, got)
				}
				checkWaysOut(t, tc, firstOf(got, code))
			})
		}
	}
}

// withoutPrelude drops the warnings that steps of the prelude are not read,
// unless the case speaks of them.
func withoutPrelude(problems []Problem, want string) []Problem {
	var out []Problem
	for _, p := range problems {
		if p.Line < 4 && p.Warning && !strings.Contains(want, brief([]Problem{p})[0]) {
			continue
		}
		out = append(out, p)
	}
	return out
}

func firstOf(problems []Problem, code Code) *Problem {
	for i := range problems {
		if problems[i].Code == code {
			return &problems[i]
		}
	}
	return nil
}

func checkWaysOut(t *testing.T, tc problemCase, p *Problem) {
	t.Helper()
	if p == nil {
		return
	}
	if p.Found == "" && p.Code != SyntaxError && p.Code != NoAnswer {
		t.Errorf("%v does not say what was found", p)
	}
	if tc.legal != "" && (len(p.Legal) == 0 || p.Legal[0] != tc.legal) {
		t.Errorf("legal = %q, want %q first", p.Legal, tc.legal)
	}
	if tc.resolve != "" && !contains(p.Resolve, tc.resolve) {
		t.Errorf("resolve = %q, want %q among them", p.Resolve, tc.resolve)
	}
	if !strings.Contains(p.Message, tc.message) {
		t.Errorf("message = %q, want %q in it", p.Message, tc.message)
	}
}

func TestCheckOverBudget(t *testing.T) {
	ports := Slots{"ports": {Type: Type{Kind: KindPlace, List: true}, Value: []any{"a", "b", "c"}}, "place": testSlots["place"]}
	text := `ways = [gis.distance(a=p, b=task.place) for p in task.ports]
far = max(ways.distance)
answer(x=far)
`
	for _, tc := range []struct {
		name string
		opt  *Options
		want []string
	}{
		{"within", &Options{MaxCalls: 4}, nil},
		{"three calls and the maximum", &Options{MaxCalls: 3}, []string{"2:1 over_budget"}},
		{"the map itself", &Options{MaxCalls: 2}, []string{"1:8 over_budget"}},
		{"too many items", &Options{MaxMap: 2}, []string{"1:8 over_budget"}},
		{"sixteen by default", nil, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			contract := Contract{{Key: "x", Type: "number", Unit: "km"}}
			_, problems := CheckText(text, newTestCatalog(), contract, ports, tc.opt)
			if diff := cmp.Diff(tc.want, brief(problems)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

var tenContract = Contract{
	{Key: "total_area", Type: "number", Unit: "km2"}, {Key: "hotness", Type: "number", Unit: "degC"},
	{Key: "mean", Type: "number"}, {Key: "slope", Type: "number", Unit: "degC year-1"},
}

func TestCheckTenProblems(t *testing.T) {
	text, err := os.ReadFile("testdata/ten_problems.star")
	if err != nil {
		t.Fatal(err)
	}
	_, problems := CheckText(string(text), newTestCatalog(), tenContract, testSlots, nil)
	want := []string{
		"3:27 unknown_slot", "4:9 unknown_tool", "5:47 undefined_name", "6:44 wrong_type", "7:23 wrong_kind",
		"8:9 missing_param", "9:1 redefined_name", "10:1 syntax", "11:44 unknown_field", "12:38 wrong_unit",
	}
	if diff := cmp.Diff(want, brief(problems)); diff != "" {
		t.Errorf("(-want +got)\n%s\n%v", diff, problems)
	}
}

func TestCheckUnknownContractAndSlots(t *testing.T) {
	text := "zone = gis.boundary(place=task.anything)\na = gis.area(zones=zone)\nanswer(whatever=a.area)\n"
	if _, problems := CheckText(text, newTestCatalog(), nil, nil, nil); len(problems) > 0 {
		t.Errorf("without contract and slots: %v", problems)
	}
	_, problems := CheckText(text, newTestCatalog(), Contract{}, Slots{}, nil)
	if diff := cmp.Diff([]string{"1:27 unknown_slot", "3:8 extra_answer"}, brief(problems)); diff != "" {
		t.Errorf("with empty ones (-want +got)\n%s", diff)
	}
}

func TestInfer(t *testing.T) {
	text := prelude + `months = data.region_series(raster=sst, zones=zone)
tr = data.trend(series=months, method="ols")
kelvin = data.convert_units(data=sst, to="K")
nino = data.open(dataset="el_nino_sst", variable=task.variable)
gap = stats.max - stats.min
share = stats.valid_cells / 100
inverse = 1 / months.count
hot = stats.mean > 26.5
side = [gis.distance(a=p, b=task.place) for p in task.ports]
which = "north" if stats.mean > 20 else "south"
got = gis.ask("mean temperature", returns="scalar[degC]", raster=sst)
`
	p, problems := Parse(text)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	got := Infer(p, newTestCatalog(), testSlots)
	for ref, want := range map[string]Type{
		"sst.data":      {Kind: "raster", Unit: "degC", Variable: "sst"},
		"stats.mean":    {Kind: "scalar", Unit: "degC", Variable: "sst"},
		"months.argmax": {Kind: "instant"},
		"tr.slope":      {Kind: "scalar", Unit: "degC year-1"},
		"kelvin.data":   {Kind: "raster", Unit: "K", Variable: "sst"},
		"nino.data":     {Kind: "series", Unit: "degC", Variable: "sst"},
		"gap.value":     {Kind: "scalar", Unit: "degC", Variable: "sst", Difference: true},
		"share.value":   {Kind: "scalar", Unit: "1"},
		"inverse.value": {Kind: "scalar", Unit: "1"},
		"hot.value":     {Kind: "boolean"},
		"side.distance": {Kind: "scalar", Unit: "km", List: true},
		"which.value":   {Kind: "string"},
		"got.value":     {Kind: "scalar", Unit: "degC"},
	} {
		step, field, _ := strings.Cut(ref, ".")
		if diff := cmp.Diff(want, got[step][field]); diff != "" {
			t.Errorf("%s (-want +got)\n%s", ref, diff)
		}
	}
}
