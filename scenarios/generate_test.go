package scenarios_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"almanac/scenarios"

	"github.com/google/go-cmp/cmp"
)

const drawn = `template: TEMPLATE
split: SPLIT
track: fundamentals
domain: ocean
level: 0
draw: 3
question: How warm is the sea in {place} in {month}, with {limit}?
paraphrases:
  - Give the mean of {place} for {month} with {limit}.
  - {far: true, text: "{place}, {month}, {limit}: what would a swimmer feel?"}
answer:
  - {key: warmth, type: number, unit: degC, abs_tol: 0.1, description: mean of the box}
evidence: {warmth: worked by hand}
gold: |
  sea = data.open(dataset="coads_climatology", variable="sst", period=task.month)
  there = gis.zonal_stats(raster=sea, zones=task.place)
  high = data.count_events(series=sea, comparison="above", threshold=task.limit)
  answer(warmth=there.mean)
vary:
  place: islands
  month+limit:
    - [May, {number: 20, unit: degC, as: [20 °C]}]
    - [June, {number: 21, unit: degC, as: [21 °C]}]
    - ["July", {number: 22, unit: degC, as: ["22 °C"]}]
`

func blueprints(old, new string) fstest.MapFS {
	one := strings.NewReplacer("TEMPLATE", "one", "SPLIT", "dev").Replace(drawn)
	two := strings.NewReplacer("TEMPLATE", "two", "SPLIT", "test", "swimmer", "diver").Replace(drawn)
	return folder(map[string]string{
		"s/suite.yaml": "name: s\npools:\n  islands: [Fiji, Malta, Samoa, Tonga]\n",
		"s/one.yaml":   strings.Replace(one, old, new, 1),
		"s/two.yaml":   two,
	})
}

// count gives every candidate another value, far from the others.
func count(files map[string][]byte) (map[string]map[string]any, error) {
	values := map[string]map[string]any{}
	for _, name := range []string{"one", "two"} {
		for i := range 24 {
			id := fmt.Sprintf("%s-%d", name, i+1)
			if strings.Contains(string(files[name+".yaml"]), "id: "+id+",") {
				values[id] = map[string]any{"warmth": 30 + float64(i) + 40*float64(name[0]-'o')/5}
			}
		}
	}
	return values, nil
}

func generate(t *testing.T, fsys fstest.MapFS, how scenarios.Drawing) (*scenarios.Suite, map[string][]byte) {
	t.Helper()
	if how.Second == nil {
		how.Second = count
	}
	files, err := scenarios.Generate(fsys, "s", how)
	if err != nil {
		t.Fatal(err)
	}
	made := fstest.MapFS{}
	for name, src := range files {
		made["d/"+name] = &fstest.MapFile{Data: src}
	}
	suite, err := scenarios.Load(made, "d")
	if err != nil {
		t.Fatal(err)
	}
	return suite, files
}

func TestGenerateDrawsSoundTasks(t *testing.T) {
	suite, files := generate(t, blueprints("", ""), scenarios.Drawing{Seed: 1})
	if len(suite.Tasks) != 6 {
		t.Errorf("%d tasks, want 6", len(suite.Tasks))
	}
	if got := found(scenarios.Validate(suite, nil)); got != "" {
		t.Errorf("what was drawn has faults:\n%s", got)
	}
	_, again := generate(t, blueprints("", ""), scenarios.Drawing{Seed: 1})
	if d := cmp.Diff(files, again); d != "" {
		t.Errorf("one seed, other bytes (-first +second):\n%s", d)
	}
	if _, other := generate(t, blueprints("", ""), scenarios.Drawing{Seed: 2}); cmp.Equal(files, other) {
		t.Error("another seed draws the same")
	}
}

// The files written are templates again: drawing from them with the seed gives them.
func TestGenerateFromItsOwnFiles(t *testing.T) {
	_, files := generate(t, blueprints("", ""), scenarios.Drawing{Seed: 1})
	fsys := fstest.MapFS{}
	for name, src := range files {
		fsys["s/"+name] = &fstest.MapFile{Data: src}
	}
	if _, again := generate(t, fsys, scenarios.Drawing{Seed: 1}); !cmp.Equal(files, again) {
		t.Error("other bytes from its own files")
	}
}

// A hidden set asks nothing that the suite asks, and draws from private regions.
func TestGenerateHidden(t *testing.T) {
	public, files := generate(t, blueprints("", ""), scenarios.Drawing{Seed: 1})
	fsys := fstest.MapFS{}
	for name, src := range files {
		fsys["s/"+name] = &fstest.MapFile{Data: src}
	}
	pools, err := scenarios.ParsePools("private.yaml", []byte("islands: [Crete, Fiji, Malta, Samoa, Tonga]\n"))
	if err != nil {
		t.Fatal(err)
	}
	hidden, _ := generate(t, fsys, scenarios.Drawing{Seed: 1, Hidden: true, Pools: pools})
	asked := map[string]bool{}
	for _, task := range public.Tasks {
		asked[task.Template+task.Question] = true
	}
	for _, task := range hidden.Tasks {
		if asked[task.Template+task.Question] {
			t.Errorf("%s asks what the suite asks: %s", task.ID, task.Question)
		}
	}
}

func TestGenerateRefuses(t *testing.T) {
	few := func(map[string][]byte) (map[string]map[string]any, error) { return map[string]map[string]any{}, nil }
	broken := func(map[string][]byte) (map[string]map[string]any, error) { return nil, errors.New("no Python") }
	pools, err := scenarios.ParsePools("p.yaml", []byte("iles: [Crete]\n"))
	if err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		name, old, new string
		how            scenarios.Drawing
		want           string
	}{
		{"no sound answers", "", "", scenarios.Drawing{Second: few}, "template one: 0 of 3 tasks found among"},
		{"no second implementation", "", "", scenarios.Drawing{Second: broken}, "no Python"},
		{"none given", "", "", scenarios.Drawing{}, "nothing computes expected values"},
		{"unknown pool of the template", "place: islands", "place: isles", scenarios.Drawing{Second: count}, `the suite has no pool "isles"`},
		{"unknown private pool", "", "", scenarios.Drawing{Second: count, Pools: pools}, `draws from no pool "iles"`},
		{"one task", "draw: 3", "draw: 1", scenarios.Drawing{Second: count}, "two or more"},
		{"values not paired", "[May, {number: 20, unit: degC, as: [20 °C]}]", "May", scenarios.Drawing{Second: count}, "each value must be a list of 2"},
		{"a fault of every draw", "Give the mean of", "Use zonal_stats for", scenarios.Drawing{Second: count}, `it names the tool "zonal_stats"`},
		{"neither tasks nor vary", drawn[strings.Index(drawn, "vary:"):], "", scenarios.Drawing{Second: count}, "neither tasks nor vary"},
	}
	for _, c := range cases {
		if _, err := scenarios.Generate(blueprints(c.old, c.new), "s", c.how); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
	}
}
