package docs_test

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"almanac/eval"
	"almanac/eval/earthbench"
	"almanac/eval/metric"
	"almanac/orchestrator"
	"almanac/scenarios/data"
	"almanac/toolkits/catalog"
)

var update = flag.Bool("update", false, "write the generated parts of the guides anew")

// Parts of the guides are made from the code and the manifest: what they say must be what there is.
func TestGeneratedParts(t *testing.T) {
	for _, part := range []struct {
		file, name string
		make       func(*testing.T) string
	}{
		{"data.md", "datasets", datasets},
		{"method.md", "metrics", metrics},
		{"method.md", "failures", failures},
		{"search.md", "weights", weights},
		{"earthbench.md", "earthbench", recorded},
		{"setups.md", "setups", setups},
	} {
		t.Run(part.name, func(t *testing.T) {
			text, err := os.ReadFile(part.file)
			if err != nil {
				t.Fatal(err)
			}
			begin, end := fmt.Sprintf("<!-- begin %s: go test ./docs -update -->\n", part.name), fmt.Sprintf("<!-- end %s -->", part.name)
			before, rest, okBegin := strings.Cut(string(text), begin)
			have, after, okEnd := strings.Cut(rest, end)
			if !okBegin || !okEnd {
				t.Fatalf("%s has no place for %s: %s…%s", part.file, part.name, begin, end)
			}
			want := part.make(t)
			if have == want {
				return
			}
			if !*update {
				t.Fatalf("%s: %s is out of date: go test ./docs -update", part.file, part.name)
			}
			if err := os.WriteFile(part.file, []byte(before+begin+want+end+after), 0o644); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func datasets(t *testing.T) string {
	c, err := catalog.Open(data.Files, "")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, d := range c.Datasets() {
		fmt.Fprintf(&b, "\n### `%s`\n\n%s. Kind: %s.\n\n", d.Name, d.Title, d.Kind)
		for _, line := range [][2]string{
			{"Period", d.Period}, {"Region", d.Region}, {"Resolution", d.Resolution}, {"Licence", d.Licence}, {"Source", d.Source},
			{"Cut and changed", d.Cut}, {"SHA-256", "`" + d.SHA256 + "`"},
		} {
			if line[1] != "" {
				fmt.Fprintf(&b, "- %s: %s\n", line[0], line[1])
			}
		}
		if d.Synthetic {
			b.WriteString("- Synthetic: generated, not observed\n")
		}
		b.WriteString("\n| variable | unit | meaning | CF standard name | levels |\n|---|---|---|---|---|\n")
		for _, v := range d.Variables {
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", v.Name, v.Unit, v.LongName, v.StandardName, levels(v))
		}
	}
	b.WriteString("\n")
	return b.String()
}

func levels(v catalog.Variable) string {
	if len(v.Levels) == 0 {
		return ""
	}
	return strings.Trim(fmt.Sprint(v.Levels), "[]") + " " + v.LevelUnit
}

func metrics(*testing.T) string {
	var b strings.Builder
	b.WriteString("\n| metric | definition | range, better | source |\n|---|---|---|---|\n")
	for _, m := range metric.All() {
		fmt.Fprintf(&b, "| `%s` | %s | %g to %g, %s | %s |\n", m.Name, strings.ReplaceAll(m.Definition, "|", "\\|"), m.Low, m.High, m.Direction(), m.Source)
	}
	b.WriteString("\n")
	return b.String()
}

// setups has a section for every setup that is registered, then the ablations of squad.
func setups(t *testing.T) string {
	var b strings.Builder
	b.WriteString("\n| setup | model | what differs |\n|---|---|---|\n")
	var sections strings.Builder
	for _, name := range orchestrator.Names() {
		d, err := orchestrator.Describe(name)
		if err != nil {
			t.Fatal(err)
		}
		model := "no"
		if d.Model {
			model = "yes"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", name, model, d.Differs)
		fmt.Fprintf(&sections, "\n### `%s`\n\n%s\n\n```text\n%s```\n", name, d.Summary, d.Diagram)
		for _, part := range [][2]string{{"Source", d.Source}, {"As published", d.Faithful}, {"Hardened", d.Hardened}} {
			if part[1] != "" {
				fmt.Fprintf(&sections, "\n- %s: %s", part[0], part[1])
			}
		}
		for i, f := range d.Prompts {
			if i == 0 {
				sections.WriteString("\n- Prompts:")
			}
			fmt.Fprintf(&sections, " [`%s`](../orchestrator/prompts/%s)", f.File, f.File)
		}
		sections.WriteString("\n")
	}
	b.WriteString(sections.String())
	b.WriteString("\n### Ablations of `squad`\n\n| setup | what is left out or changed | amounts compared |\n|---|---|---|\n")
	for _, a := range orchestrator.Ablations() {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", a.Name, a.What, strings.Trim(fmt.Sprint(a.Grid), "[]"))
	}
	b.WriteString("\n")
	return b.String()
}

func failures(*testing.T) string {
	var b strings.Builder
	b.WriteString("\n| label | holds when |\n|---|---|\n")
	for _, l := range eval.FailureLabels() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", l.Name, l.Definition)
	}
	b.WriteString("\n")
	return b.String()
}

// recorded is the published means of the recorded Earth-Bench runs, as this program scores them.
func recorded(t *testing.T) string {
	gold, err := earthbench.ReadGold(earthbench.Embedded(), "earthbench")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("\n| run |")
	const folder = "../eval/earthbench/data/runs"
	runs, err := os.ReadDir(folder)
	if err != nil || len(runs) == 0 {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	for i, entry := range runs {
		run, err := earthbench.ReadRun(os.DirFS(folder+"/"+entry.Name()), entry.Name(), gold)
		if err != nil {
			t.Fatal(err)
		}
		means := earthbench.Parity(gold, run).Means.Published
		if i == 0 {
			means.Each(func(name string, _ *float64) { fmt.Fprintf(&b, " `%s` |", name) })
			b.WriteString("\n|---|")
			means.Each(func(string, *float64) { b.WriteString("---:|") })
		}
		fmt.Fprintf(&b, "\n| %s |", entry.Name())
		means.Each(func(_ string, v *float64) { fmt.Fprintf(&b, " %.4f |", *v) })
	}
	b.WriteString("\n\n")
	return b.String()
}

var (
	defaultWeights = regexp.MustCompile(`d := Weights\{(.*)\}`)
	weight         = regexp.MustCompile(`(\w+): ([0-9.]+)`)
	comment        = regexp.MustCompile(`(?m)^\t(\w+) +float64(?: // (.*))?$`)
)

// weights reads the defaults out of the search's source, where nobody else needs them.
func weights(t *testing.T) string {
	source, err := os.ReadFile("../orchestrator/search/search.go")
	if err != nil {
		t.Fatal(err)
	}
	found := defaultWeights.FindSubmatch(source)
	if found == nil {
		t.Fatal("the search has no default weights where they are looked for")
	}
	says := map[string]string{}
	for _, m := range comment.FindAllStringSubmatch(string(source), -1) {
		says[m[1]] = m[2]
	}
	for name, text := range map[string]string{"Number": "penalty for a number that is not used", "Comparison": "penalty for a comparison that is not used", "Period": "penalty for a period that is not used"} {
		if says[name] == "" {
			says[name] = text
		}
	}
	var b strings.Builder
	b.WriteString("\n| weight | value | what it weighs |\n|---|---:|---|\n")
	for _, m := range weight.FindAllSubmatch(found[1], -1) {
		if says[string(m[1])] == "" {
			t.Errorf("nothing says what the weight %s is", m[1])
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", m[1], m[2], says[string(m[1])])
	}
	b.WriteString("\n")
	return b.String()
}
