package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

var comparedSection = section{id: "compared", title: "What was compared", template: `
<dl class="facts">{{range .Facts}}<dt>{{.Name}}</dt><dd>{{.Value}}</dd>{{end}}</dl>
{{range .Notes}}<p class="note bad">{{.}}</p>{{end}}`, content: comparedContent}

type fact struct{ Name, Value string }

func comparedContent(v *view) any {
	m := v.Manifest
	var out struct {
		Facts []fact
		Notes []string
	}
	add := func(name, value string) {
		if value != "" {
			out.Facts = append(out.Facts, fact{name, value})
		}
	}
	templates := map[string]bool{}
	for _, t := range v.Tasks {
		templates[t.Task.Template] = true
	}
	add("Tasks", fmt.Sprintf("%s, %d tasks of %d templates, hash %.16s", m.Suite.Name, len(v.Tasks), len(templates), m.Suite.Hash))
	if m.Suite.Begun != "" {
		out.Notes = append(out.Notes, fmt.Sprintf("The tasks have changed since the run, which was begun on hash %.16s.", m.Suite.Begun))
	}
	for _, model := range m.Models {
		parts := []string{model.Name}
		for _, s := range []string{model.Quantisation, model.Server} {
			if s != "" {
				parts = append(parts, s)
			}
		}
		if model.Context > 0 {
			parts = append(parts, fmt.Sprintf("context %d", model.Context))
		}
		if model.Digest != "" {
			parts = append(parts, fmt.Sprintf("digest %.16s", model.Digest))
		}
		if model.Thinking {
			parts = append(parts, "thinking on")
		}
		add("Model", strings.Join(parts, ", "))
	}
	add("Repeats", fmt.Sprintf("%d, seed %d", max(1, m.Repeats), m.Seed))
	for _, name := range slices.Sorted(maps.Keys(m.Settings)) {
		add(strings.ToUpper(name[:min(1, len(name))])+name[min(1, len(name)):], m.Settings[name])
	}
	add("Almanac", strings.TrimSpace(m.Version+" "+m.Commit))
	add("Machine", strings.TrimSpace(fmt.Sprintf("%s/%s, %d CPUs %s", m.Host.OS, m.Host.Arch, m.Host.CPUs, m.Host.CPU)))
	add("Begun", m.Created.Format("2006-01-02 15:04 MST"))
	add("Status", strings.TrimSpace(m.Status+" "+m.Reason))
	if v.Dropped > 0 {
		add("Log", fmt.Sprintf("%d bytes of a torn last line were passed over", v.Dropped))
	}
	for _, a := range m.Arms {
		if a.Note != "" {
			out.Notes = append(out.Notes, "Differs beside being "+a.Setup+": "+a.Note)
		}
	}
	return out
}
