package scenarios_test

import (
	"fmt"
	"strings"
	"testing"

	"almanac/orchestrator/schedule"
	"almanac/scenarios"
)

// suite is the suite of [whole], with a replacement of its text.
func suite(t *testing.T, old, new string) *scenarios.Suite {
	t.Helper()
	if !strings.Contains(whole, old) {
		t.Fatalf("the file has no %q", old)
	}
	return &scenarios.Suite{Name: "box", Tasks: parse(t, strings.Replace(whole, old, new, 1))}
}

func found(list []scenarios.Finding) string {
	var lines []string
	for _, f := range list {
		lines = append(lines, f.String())
	}
	return strings.Join(lines, "\n")
}

func TestValidateAccepts(t *testing.T) {
	if got := found(scenarios.Validate(suite(t, "box", "box"), nil)); got != "" {
		t.Errorf("a sound suite has faults:\n%s", got)
	}
}

func TestValidateRefuses(t *testing.T) {
	cases := []struct{ name, old, new, want string }{
		{"no tolerance", "abs_tol: 0.1", "abs_tol: 0", "tolerance: field warmth is continuous and has no tolerance"},
		{"wide tolerance", "abs_tol: 0.1", "abs_tol: 20", "a tolerance of 20 is wider than the value 19.25; give a floor"},
		{"no unit", "unit: degC, abs_tol", "abs_tol", "is a number without a unit"},
		{"no expected", "    expected: {warmth: 25.5}\n", "", "expected lacks field warmth"},
		{"expected text", "warmth: 25.5", "warmth: warm", "warm (string) is no value of field warmth of type number"},
		{"expected unasked", "{warmth: 25.5}", "{warmth: 25.5, cold: 1}", `expected has "cold"`},
		{"alternative", "[{warmth: 19.75}]", "[{cold: 19.75}]", "alternative 1 lacks field warmth"},
		{"evidence", "evidence: {warmth: worked by hand}", "evidence: {}", "nothing says where the value of warmth comes from"},
		{"gold syntax", "there = gis", "there == gis", "box.yaml:15: task mean-of-box-one: gold: 2:"},
		{"gold slot", "task.place", "task.plce", `gold reads task.plce, which is no slot of the task; did you mean "place"?`},
		{"gold literal", "task.limit", "21", "gold has the number 21, which is neither in the question nor in the context"},
		{"gold twice", "  high = ", "  again = gis.zonal_stats(zones=task.place, raster=sea)\n  high = ", "twice"},
		{"gold declines", "  answer(warmth=there.mean)", `  decline(reason="x", missing=["y"])`, "decline is false, but gold says otherwise"},
		{"fact not stated", "Give the mean of {place} above {limit}.", "Give the mean of {place}.", `task mean-of-box-one~1: slot: gold uses limit, but neither the words nor the context say ["20 °C" "twenty degrees"]`},
		{"one paraphrase", "  - Give the mean of {place} above {limit}.\n", "", "a task has at least two paraphrases, this one 1"},
		{"no far one", "{far: true, text:", "{text:", "no paraphrase is marked far"},
		{"same words", "Give the mean of {place} above {limit}.", "How warm is the sea in {place} at more than {limit}?", "it has the words of mean-of-box-one"},
		{"names a tool", "Give the mean", "Use zonal_stats for the mean", `it names the tool "zonal_stats"`},
		{"leak", "question: How warm", "question: How warm (25.5)", "leak: the words hold 25.5, which is the value of warmth"},
		{"duplicate", "{place: Malta}", "{place: Fiji}", "duplicate: its gold is that of mean-of-box-one"},
		{"leak in the context", "level: 0", "level: 0\ncontext: They say that it is 25.48.", "leak: the words hold 25.48, which is the value of warmth"},
		{"tolerance wider by share", "abs_tol: 0.1", "abs_tol: 0.1, rel_tol: 2", "a tolerance of 51 is wider than the value 25.5"},
		{"region and period", "id: mean-of-box-two\n    slots: {place: Malta}", "id: mean-of-box-two\n    template: other\n    split: test\n    slots: {place: Fiji}", "split: region and period (Fiji) are those of mean-of-box-one in dev"},
		{"split", "id: mean-of-box-two", "id: mean-of-box-two\n    split: test", "split: template mean-of-box is in test and, by mean-of-box-one, in dev"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := found(scenarios.Validate(suite(t, c.old, c.new), nil)); !strings.Contains(got, c.want) {
				t.Errorf("got:\n%s\nwant: %s", got, c.want)
			}
		})
	}
}

// The question asks for four values; the reference answers three.
func TestFieldD07GoldAnswersFewerValuesThanAsked(t *testing.T) {
	four := `answer:
  - {key: coldest, type: number, unit: degC, abs_tol: 0.1}
  - {key: middle, type: number, unit: degC, abs_tol: 0.1}
  - {key: spread, type: number, quantity: difference, unit: degC, abs_tol: 0.1}
  - {key: warmth, type: number, unit: degC, abs_tol: 0.1, description: mean of the box}
`
	src := strings.Replace(whole, "answer:\n  - {key: warmth, type: number, unit: degC, abs_tol: 0.1, description: mean of the box}\n", four, 1)
	src = strings.Replace(src, "answer(warmth=there.mean)", "answer(warmth=there.mean, coldest=there.min, middle=there.mean)", 1)
	src = strings.ReplaceAll(src, "expected: {warmth: 25.5}", "expected: {warmth: 25.5, coldest: 24, middle: 25, spread: 3}")
	got := found(scenarios.Validate(&scenarios.Suite{Tasks: parse(t, src)}, nil))
	if want := "the question asks for spread, gold answers warmth, coldest, middle"; !strings.Contains(got, want) {
		t.Errorf("got:\n%s\nwant: %s", got, want)
	}
	if want := "expected lacks field spread"; !strings.Contains(got, want) {
		t.Errorf("got:\n%s\nwant: %s", got, want)
	}
	// The other way round: gold answers what nobody asked for.
	got = found(scenarios.Validate(suite(t, "answer(warmth=there.mean)", "answer(warmth=there.mean, more=there.max)"), nil))
	if want := `gold answers "more", which the contract does not ask for`; !strings.Contains(got, want) {
		t.Errorf("got:\n%s\nwant: %s", got, want)
	}
}

// The words say that a table be saved, or a map drawn; the gold does not.
func TestFieldD08GoldOmitsARequiredEffect(t *testing.T) {
	for _, words := range []string{"How warm is the sea in {place} at more than {limit}? Save the table.", "Draw a map of {place} and say how warm it is above {limit}."} {
		got := found(scenarios.Validate(suite(t, "How warm is the sea in {place} at more than {limit}?", words), nil))
		if want := "but nothing is required besides the answer"; !strings.Contains(got, want) {
			t.Errorf("%q: got:\n%s\nwant: %s", words, got, want)
		}
	}
	got := found(scenarios.Validate(suite(t, "evidence:", "required: [{call: plot.map}]\nevidence:"), nil))
	if want := "required is a call of plot.map, which gold does not make"; !strings.Contains(got, want) {
		t.Errorf("got:\n%s\nwant: %s", got, want)
	}
	engine := &scenarios.Engine{Catalog: catalog{}}
	got = found(scenarios.Validate(suite(t, "evidence:", "required: [{artifact: image}]\nevidence:"), engine))
	if want := "required is an artifact of kind image, which no call of gold makes"; !strings.Contains(got, want) {
		t.Errorf("got:\n%s\nwant: %s", got, want)
	}
}

// catalog has the tools that [whole] uses.
type catalog struct{}

func (catalog) Signatures() []schedule.Signature {
	var list []schedule.Signature
	for _, name := range []string{"data.count_events", "data.open", "gis.zonal_stats"} {
		s, _ := catalog{}.Signature(name)
		list = append(list, s)
	}
	return list
}

func (catalog) Signature(name string) (schedule.Signature, bool) {
	text, number := []string{schedule.KindString}, []string{schedule.KindNumber}
	any := []string{schedule.KindAny}
	s := schedule.Signature{Name: name}
	switch name {
	case "data.open":
		s.Params = []schedule.Param{{Name: "dataset", Kinds: text, Required: true}, {Name: "variable", Kinds: text, Required: true}}
		s.Outputs = []schedule.Output{{Name: "data", Kind: schedule.KindRaster, Unit: "degC"}}
	case "gis.zonal_stats":
		s.Params = []schedule.Param{{Name: "raster", Kinds: any, Required: true}, {Name: "zones", Kinds: any, Required: true}}
		s.Outputs = []schedule.Output{{Name: "mean", Kind: schedule.KindScalar, Unit: "@raster"}, {Name: "warmth", Kind: schedule.KindScalar, Unit: "1"}}
	case "data.count_events":
		s.Params = []schedule.Param{{Name: "series", Kinds: any, Required: true}, {Name: "comparison", Kinds: text, Required: true}, {Name: "threshold", Kinds: number}}
		s.Outputs = []schedule.Output{{Name: "count", Kind: schedule.KindScalar, Unit: "day"}}
	default:
		return s, false
	}
	return s, true
}

func (catalog) Units() schedule.Units { return sameUnits{} }

type sameUnits struct{}

func (sameUnits) Convertible(a, b string) bool    { return a == b }
func (sameUnits) Mul(a, b string) (string, error) { return a + " " + b, nil }
func (sameUnits) Div(a, b string) (string, error) { return a + " per " + b, nil }

// With the engine's hooks more rules hold.
func TestValidateWithTheEngine(t *testing.T) {
	s := suite(t, "box", "box")
	e := &scenarios.Engine{
		Catalog:       catalog{},
		Documentation: func(string) string { return "Lets swimmers feel the mean over zones." },
		Executed:      func(scenarios.Task) ([]string, error) { return []string{"k1", "k1"}, nil },
		Alternatives:  func(scenarios.Task) (int, error) { return 1, nil },
	}
	got := found(scenarios.Validate(s, e))
	for _, want := range []string{
		"key: field warmth has the name of an output of gis.zonal_stats",
		"far: it shares feel, swimmer with the documentation of data.open",
		"duplicate: its executed gold is that of mean-of-box-one",
		"two executed calls of gold are equal: k1",
		"ambiguity: 0 of 2 tasks have two well-typed schedules",
		"units: 0 of 2 tasks ask for a unit that five tools can give",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("got:\n%s\nwant: %s", got, want)
		}
	}
	e.Executed = func(task scenarios.Task) ([]string, error) { return nil, fmt.Errorf("no data set") }
	if got := found(scenarios.Validate(s, e)); !strings.Contains(got, "gold: it cannot be run: no data set") {
		t.Errorf("got:\n%s", got)
	}
}

func TestSuitesAreValid(t *testing.T) {
	for _, name := range []string{"starter", "core", "irrelevant"} {
		for _, f := range scenarios.Validate(open(t, name), nil) {
			t.Errorf("%s: %s", name, f)
		}
	}
}

// No call is right in the suite of declines: each says what is missing.
func TestIrrelevantDeclines(t *testing.T) {
	s := open(t, "irrelevant")
	if len(s.Tasks) != 20 {
		t.Errorf("%d tasks, want 20", len(s.Tasks))
	}
	for _, task := range s.Tasks {
		if gold := task.Gold[0].Text; !task.Decline || !strings.Contains(gold, "missing=[\"") {
			t.Errorf("%s: decline is %v, gold %s", task.ID, task.Decline, gold)
		}
	}
}

// The suite with many tools asks what the starter suite asks, under a hash of its own.
func TestToolcountIsTheStarterAmongDistractors(t *testing.T) {
	many, few := open(t, "toolcount"), open(t, "starter")
	if len(many.Tasks) != len(few.Tasks) || many.Hash() == few.Hash() || many.Tasks[0].Distractors != 50 {
		t.Errorf("%d tasks of %d, %d distractors, one hash: %v", len(many.Tasks), len(few.Tasks), many.Tasks[0].Distractors, many.Hash() == few.Hash())
	}
	if scenarios.HashTasks(scenarios.Among(many.Tasks, 0)) != few.Hash() {
		t.Error("without the distractors the tasks are others than the starter's")
	}
}

// Two splits may not share a continuous answer: a memory of one would answer the other.
func TestValidateRefusesOneAnswerInTwoSplits(t *testing.T) {
	s := suite(t, "box", "box")
	s.Tasks[1].Split, s.Tasks[1].Template, s.Tasks[1].Expected = "test", "other", map[string]any{"warmth": 25.45}
	if got, want := found(scenarios.Validate(s, nil)), "split: warmth is 25.45 degC, as warmth of mean-of-box-one in dev"; !strings.Contains(got, want) {
		t.Errorf("got:\n%s\nwant: %s", got, want)
	}
}

// A negative tolerance does not come through the loader; of tasks from elsewhere the rule refuses it.
func TestValidateRefusesANegativeTolerance(t *testing.T) {
	s := suite(t, "box", "box")
	s.Tasks[0].Answer[0].AbsTol = -1
	if got, want := found(scenarios.Validate(s, nil)), "tolerance: field warmth has a negative tolerance"; !strings.Contains(got, want) {
		t.Errorf("got:\n%s\nwant: %s", got, want)
	}
}

// Gold may call what is there and runs only: a tool that nobody has is refused, as a distractor is, which no catalog
// of a validation holds.
func TestValidateRefusesGoldOfAToolThatCannotRun(t *testing.T) {
	got := found(scenarios.Validate(suite(t, "gis.zonal_stats(raster=sea", "gis.zonal_stats_masked(raster=sea"), &scenarios.Engine{Catalog: catalog{}}))
	if want := "gold: 2:9 unknown_tool"; !strings.Contains(got, want) {
		t.Errorf("got:\n%s\nwant: %s", got, want)
	}
}

// The suite is as large and as mixed as it has to be.
func TestStarterCovers(t *testing.T) {
	templates, domains, declines := map[string]map[string]bool{}, map[string]bool{}, 0
	tasks := map[string]int{}
	for _, task := range open(t, "starter").Tasks {
		if templates[task.Split] == nil {
			templates[task.Split] = map[string]bool{}
		}
		templates[task.Split][task.Template] = true
		tasks[task.Split]++
		for _, d := range task.Domains {
			domains[d] = true
		}
		if task.Decline {
			declines++
		}
	}
	if len(templates["dev"]) != 8 || tasks["dev"] < 16 || len(templates["test"]) < 12 || tasks["test"] < 24 || declines < 3 {
		t.Errorf("dev: %d templates, %d tasks; test: %d, %d; %d to decline", len(templates["dev"]), tasks["dev"], len(templates["test"]), tasks["test"], declines)
	}
	for _, d := range []string{"ocean", "climate", "water", "heat", "agriculture", "energy"} {
		if !domains[d] {
			t.Errorf("no task of domain %s", d)
		}
	}
}
