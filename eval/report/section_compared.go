package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"almanac/eval/runlog"
)

var comparedSection = section{id: "compared", title: "What was compared", template: `
<dl class="facts">{{range .Facts}}<dt>{{.Name}}</dt><dd>{{.Value}}</dd>{{end}}</dl>
{{if .Changed}}<p class="note bad">{{.Changed}}</p>{{end}}{{if .Notes}}<h3 class="bad">Differences other than the setup</h3><ul class="bad">{{range .Notes}}<li>{{.}}</li>{{end}}</ul>{{else}}<p class="note">The setups had the same tasks, tools, budgets and seeds; nothing else that is recorded differs between them.</p>{{end}}`, content: comparedContent}

type fact struct{ Name, Value string }

type comparedView struct {
	Facts   []fact
	Changed string // what of the run is not as it was
	Notes   []string
}

func comparedContent(v *view) any { return v.compared() }

func (v *view) compared() comparedView {
	m := v.Manifest
	var out comparedView
	templates := map[string]bool{}
	for _, t := range v.Tasks {
		templates[t.Task.Template] = true
	}
	out.Facts = append([]fact{{"Tasks", fmt.Sprintf("%s, %d tasks of %d templates, hash %.16s", m.Suite.Name, len(v.Tasks), len(templates), m.Suite.Hash)}},
		facts(m)...)
	if v.Dropped > 0 {
		out.Facts = append(out.Facts, fact{"Log", fmt.Sprintf("%d bytes of a torn last line were passed over", v.Dropped)})
	}
	if m.Suite.Begun != "" {
		out.Changed = fmt.Sprintf("The tasks have changed since the run, which was begun on hash %.16s.", m.Suite.Begun)
	}
	out.Notes = v.inequalities()
	return out
}

// facts are what a run was made with, beside its tasks.
func facts(m runlog.Manifest) []fact {
	var out []fact
	add := func(name, value string) {
		if value != "" {
			out = append(out, fact{name, value})
		}
	}
	var setups []string
	for _, a := range m.Arms {
		if !slices.Contains(setups, a.Setup) {
			setups = append(setups, a.Setup)
		}
	}
	add("Setups", strings.Join(setups, ", "))
	for _, model := range m.Models {
		add("Model", modelFacts(model))
	}
	if len(m.Models) == 0 {
		add("Model", "none: no setup asked one")
	}
	add("Repeats", fmt.Sprintf("%d, seed %d", max(1, m.Repeats), m.Seed))
	for _, name := range slices.Sorted(maps.Keys(m.Settings)) {
		add(strings.ToUpper(name[:min(1, len(name))])+name[min(1, len(name)):], m.Settings[name])
	}
	var sets []string
	for _, name := range slices.Sorted(maps.Keys(m.Datasets)) {
		sets = append(sets, fmt.Sprintf("%s %.8s", name, m.Datasets[name]))
	}
	add("Data sets", strings.Join(sets, ", "))
	add("Almanac", strings.TrimSpace(m.Version+" "+m.Commit))
	add("Machine", strings.TrimSpace(fmt.Sprintf("%s/%s, %d CPUs %s", m.Host.OS, m.Host.Arch, m.Host.CPUs, m.Host.CPU)))
	add("At the same time", plural(max(1, m.Parallel), "episode"))
	add("Begun", m.Created.Format("2006-01-02 15:04 MST"))
	add("Status", strings.TrimSpace(m.Status+" "+m.Reason))
	return out
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return thousands(int64(n)) + " " + what + "s"
}

func modelFacts(m runlog.Model) string {
	parts := []string{m.Name}
	for _, s := range []string{m.Quantisation, m.Server} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	if m.Context > 0 {
		parts = append(parts, fmt.Sprintf("context %d", m.Context))
	}
	if m.Digest != "" {
		parts = append(parts, fmt.Sprintf("digest %.16s", m.Digest))
	}
	thinking := "thinking off"
	if m.Thinking {
		thinking = "thinking on"
	}
	return strings.Join(append(parts, thinking), ", ")
}

// inequalities are the differences between setups other than the setup: what arms say of themselves, models that differ
// beside their names, tasks that not every arm has a score for.
func (v *view) inequalities() []string {
	var out []string
	m := v.Manifest
	for _, a := range m.Arms {
		if a.Note != "" {
			out = append(out, fmt.Sprintf("%s: %s", v.label(a), a.Note))
		}
	}
	if len(m.Models) > 1 {
		for _, x := range []struct {
			what string
			of   func(runlog.Model) string
		}{
			{"context size", func(m runlog.Model) string { return fmt.Sprint(m.Context) }},
			{"quantisation", func(m runlog.Model) string { return m.Quantisation }},
			{"server", func(m runlog.Model) string { return m.Server }},
			{"thinking", func(m runlog.Model) string { return fmt.Sprint(m.Thinking) }},
		} {
			if text := differing(m.Models, x.of); text != "" {
				out = append(out, "The models differ in "+x.what+": "+text)
			}
		}
	}
	for _, s := range v.Setups {
		if n := len(v.Tasks) * max(1, m.Repeats); s.Episodes < n {
			out = append(out, fmt.Sprintf("%s has a score for %d of %d episodes", v.label(s.Arm), s.Episodes, n))
		}
	}
	return out
}

// differing lists the models' values of something if they are not all equal.
func differing(models []runlog.Model, of func(runlog.Model) string) string {
	values := map[string]bool{}
	var list []string
	for _, m := range models {
		value := of(m)
		if value == "" || value == "0" {
			value = "unknown"
		}
		values[value] = true
		list = append(list, m.Name+" "+value)
	}
	if len(values) < 2 {
		return ""
	}
	return strings.Join(list, ", ")
}
