package scenarios_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"almanac/scenarios"
	"almanac/toolkits/cftime"

	"github.com/google/go-cmp/cmp"
)

// whole is a task file without a fault.
const whole = `template: mean-of-box
split: dev
track: fundamentals
domain: ocean
level: 0
question: How warm is the sea in {place} at more than {limit}?
paraphrases:
  - Give the mean of {place} above {limit}.
  - {far: true, text: "{place}, {limit}: what would a swimmer feel?"}
answer:
  - {key: warmth, type: number, unit: degC, abs_tol: 0.1, description: mean of the box}
evidence: {warmth: worked by hand}
gold: |
  sea = data.open(dataset="coads_climatology", variable="sst")
  there = gis.zonal_stats(raster=sea, zones=task.place)
  high = data.count_events(series=sea, comparison="above", threshold=task.limit)
  answer(warmth=there.mean)
slots:
  limit: {number: 20, unit: degC, as: [20 °C, twenty degrees]}
tasks:
  - id: mean-of-box-one
    slots: {place: Fiji}
    expected: {warmth: 25.5}
  - id: mean-of-box-two
    slots: {place: Malta}
    expected: {warmth: 19.25}
    alternatives: [{warmth: 19.75}]
`

func parse(t *testing.T, src string) []scenarios.Task {
	t.Helper()
	tasks, err := scenarios.Parse("box.yaml", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return tasks
}

func TestParseMergesTheFileIntoItsTasks(t *testing.T) {
	tasks := parse(t, whole)
	if len(tasks) != 2 {
		t.Fatalf("%d tasks, want 2", len(tasks))
	}
	two := tasks[1]
	if two.Question != "How warm is the sea in Malta at more than 20 °C?" {
		t.Errorf("question: %s", two.Question)
	}
	if two.Paraphrases[1].Text != "Malta, 20 °C: what would a swimmer feel?" || !two.Paraphrases[1].Far {
		t.Errorf("paraphrase: %+v", two.Paraphrases[1])
	}
	limit, ok := two.Slot("limit")
	if !ok || limit.Number != 20 || limit.Unit != "degC" {
		t.Errorf("slot: %+v", limit)
	}
	if d := cmp.Diff(map[string]any{"number": 20.0, "unit": "degC"}, limit.Value()); d != "" {
		t.Errorf("value (-want +got):\n%s", d)
	}
	if two.Line != 24 || two.Gold[0].Line != 14 {
		t.Errorf("the task stands on line %d, its gold on %d; want 24 and 14", two.Line, two.Gold[0].Line)
	}
	if two.Expected["warmth"] != 19.25 || two.Alternatives[0]["warmth"] != 19.75 {
		t.Errorf("expected %v, alternatives %v", two.Expected, two.Alternatives)
	}
	if place, _ := tasks[0].Slot("place"); place.Text != "Fiji" {
		t.Errorf("the tasks share their slots: %+v", place)
	}
}

func TestWordingsAreTasks(t *testing.T) {
	w := parse(t, whole)[0].Wordings()
	var got []string
	for _, x := range w {
		got = append(got, fmt.Sprint(x.Path(), " ", x.Wording, " ", x.Far))
	}
	want := []string{"dev/mean-of-box-one 0 false", "dev/mean-of-box-one~1 1 false", "dev/mean-of-box-one~2 2 true"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestAskedHidesWhatASetupMustNotSee(t *testing.T) {
	asked := fmt.Sprintf("%+v", parse(t, whole)[0].Asked())
	for _, secret := range []string{"25.5", "0.1", "mean-of-box", "zonal_stats", "by hand", "twenty"} {
		if strings.Contains(asked, secret) {
			t.Errorf("the setup sees %q: %s", secret, asked)
		}
	}
}

// Every fault is reported with the position of its key or value, and all faults of a file at once.
func TestParseRefuses(t *testing.T) {
	cases := []struct{ name, old, new, want string }{
		{"unknown key", "level: 0", "levl: 0", `box.yaml:5:1: unknown key "levl" in the file; did you mean "level"?`},
		{"unknown key of a field", "abs_tol: 0.1", "abstol: 0.1", `box.yaml:11:45: unknown key "abstol" in a field; did you mean "abs_tol"?`},
		{"key given twice", "level: 0", "level: 0\nlevel: 1", "box.yaml:"},
		{"vocabulary", "track: fundamentals", "track: fundamental", `box.yaml:3:8: track "fundamental": there are fundamentals, simulation, document`},
		{"level", "level: 0", "level: 7", "box.yaml:5:8: level 7: there are 0 to 3"},
		{"whole number", "level: 0", "level: 0.5", `box.yaml:5:8: level must be a whole number, found "0.5"`},
		{"negative tolerance", "abs_tol: 0.1", "abs_tol: -0.1", "box.yaml:11:54: abs_tol is negative"},
		{"not finite", "abs_tol: 0.1", "abs_tol: .inf", `box.yaml:11:54: abs_tol must be a finite number, found ".inf"`},
		{"NaN expected", "warmth: 25.5", "warmth: .nan", `box.yaml:23:24: expected warmth must be a finite number, found ".nan"`},
		{"number for text", "far: true", "far: yes", `box.yaml:9:11: far must be true or false, found "yes"`},
		{"anchor", "level: 0", "level: &x 0", "box.yaml:5:8: anchors and aliases are not allowed"},
		{"slot that is none", "sea in {place}", "sea in {plac}", `{plac} is no slot of the task; did you mean "place"?`},
		{"open brace", "sea in {place}", "sea in {place", "is no slot of the task"},
		{"slot of two kinds", "number: 20, unit", "number: 20, value: x, unit", "box.yaml:19:10: slot limit needs value, or number"},
		{"slot without words", "unit: degC, as: [20 °C, twenty degrees]", "unit: degC", "slot limit needs as"},
		{"bad date", "{number: 20, unit: degC, as: [20 °C, twenty degrees]}", "{start: 1999-02-30, end: 2000-01-01, as: [x]}", "box.yaml:19:18: slot limit start must be a date"},
		{"period backwards", "{number: 20, unit: degC, as: [20 °C, twenty degrees]}", "{start: 2001-02-03, end: 2000-01-01, as: [x]}", "ends (2000-01-01) before it starts (2001-02-03)"},
		{"no question", "question: How warm is the sea in {place} at more than {limit}?\n", "", `box.yaml:20:1: task "mean-of-box-one" has no question`},
		{"null", "split: dev", "split:", "box.yaml:2:7: split must be text, found nothing"},
		{"list item", "unit: degC, abs_tol", "item: number, unit: degC, abs_tol", `field "warmth": item is for lists`},
		{"effect", "evidence:", "required: [{call: plot.map, artifact: image}]\nevidence:", "a required effect is a call or an artifact"},
		{"tasks empty", whole[strings.Index(whole, "tasks:"):], "tasks: []\n", "box.yaml:20:8: tasks is empty"},
		{"id", "id: mean-of-box-one", "id: mean/of~box", `id "mean/of~box": use letters, digits and hyphens`},
		{"not YAML", "domain: ocean", "domain: [ocean", "box.yaml:"},
		{"two documents", "tasks:", "---\ntasks:", "expected one YAML document, found 2"},
		{"top is a list", whole, "- a\n- b\n", "box.yaml:1:1: the file must be a mapping, found a list"},
		{"empty", whole, "", "box.yaml:1:1: "},
		{"domain", "domain: ocean", "domain: [ocean, sky]", `domain "sky": there are agriculture`},
		{"budget", "level: 0", "level: 0\nbudget: {tokens: 0}", "box.yaml:6:18: tokens must be above 0"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if !strings.Contains(whole, c.old) {
				t.Fatalf("the file has no %q", c.old)
			}
			_, err := scenarios.Parse("box.yaml", []byte(strings.Replace(whole, c.old, c.new, 1)))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v\nwant %s", err, c.want)
			}
			var at *scenarios.Error
			if !errors.As(err, &at) || at.Line < 1 || at.Col < 1 {
				t.Errorf("no position: %v", err)
			}
		})
	}
}

func TestParseReportsAllFaultsAtOnce(t *testing.T) {
	src := strings.NewReplacer("level: 0", "level: x", "split: dev", "splt: dev", "abs_tol: 0.1", "abs_tol: -1").Replace(whole)
	_, err := scenarios.Parse("box.yaml", []byte(src))
	if got := strings.Count(fmt.Sprint(err), "box.yaml:"); got != 3 {
		t.Errorf("%d faults, want 3: %v", got, err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(whole))
	f.Add([]byte("a: &a [*a]"))
	f.Add([]byte("tasks: {id: [}"))
	f.Add([]byte("question: {\nanswer: [[[[["))
	f.Fuzz(func(t *testing.T, src []byte) {
		tasks, err := scenarios.Parse("x.yaml", src)
		if err != nil {
			return
		}
		scenarios.Validate(&scenarios.Suite{Name: "x", Tasks: tasks}, nil)
	})
}

func folder(files map[string]string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for name, src := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(src)}
	}
	return fsys
}

func TestLoadRefuses(t *testing.T) {
	meta := "name: s\n"
	cases := []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"no suite.yaml", map[string]string{"a/s/t.yaml": whole}, "reading the suite in a/s"},
		{"no tasks", map[string]string{"a/s/suite.yaml": meta}, "has no task files"},
		{"one id twice", map[string]string{"a/s/suite.yaml": meta, "a/s/t.yaml": whole, "a/s/u.yaml": whole}, `a/s/u.yaml:21:1: id "mean-of-box-one" is already the id of the task at a/s/t.yaml:21`},
		{"unknown task included", map[string]string{"a/s/suite.yaml": "include: {from: b, tasks: [dev/nothing]}", "a/b/suite.yaml": meta, "a/b/t.yaml": whole}, `a/s/suite.yaml:1:28: suite s has no task "dev/nothing"`},
		{"include outside", map[string]string{"a/s/suite.yaml": "include: {from: ../b, tasks: []}"}, "name another suite"},
		{"include in a circle", map[string]string{"a/s/suite.yaml": "include: {from: b, tasks: [x]}", "a/b/suite.yaml": "include: {from: s, tasks: [x]}"}, "may not include another"},
		{"unknown key", map[string]string{"a/s/suite.yaml": "nam: s\n"}, `a/s/suite.yaml:1:1: unknown key "nam" in the suite; did you mean "name"?`},
	}
	for _, c := range cases {
		if _, err := scenarios.Load(folder(c.files), "a/s"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
	}
}

func TestOpenNamesTheSuites(t *testing.T) {
	_, err := scenarios.Open("nothing")
	if !errors.Is(err, scenarios.ErrNoSuite) || !strings.Contains(err.Error(), "core, demo, irrelevant, starter, toolcount") {
		t.Errorf("got %v", err)
	}
}

// The periods of slots are what the tools read.
func TestSlotPeriodsParse(t *testing.T) {
	for _, task := range open(t, "starter").Tasks {
		for _, s := range task.Slots {
			if s.Kind != scenarios.PeriodSlot {
				continue
			}
			if _, err := cftime.ParsePeriod(s.Value().(string)); err != nil {
				t.Errorf("%s: %v", task.ID, err)
			}
		}
	}
}
