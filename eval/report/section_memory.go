package report

import (
	"fmt"
	"strings"

	"almanac/eval/runlog"
)

var memorySection = section{id: "memory", title: "Workflow memory", template: `
{{if .Rows}}<div class="wide" tabindex="0" role="group" aria-label="Workflow memory"><table class="sortable"><thead><tr><th>Setup</th><th class="n">Episodes<br>that asked</th><th class="n">Found it<br>empty</th><th class="n">With a hit</th><th>State</th><th class="n">Gain on hits,<br>points</th><th class="n">95 % interval</th><th>Leak check</th></tr></thead><tbody>
{{range .Rows}}<tr><td class="name">{{.Name}}<small>{{.Model}}</small></td>{{range .Figures}}{{.Td}}{{end}}<td>{{.States}}</td>{{.Gain.Td}}<td class="n">{{if .None}}{{.None}}{{else}}{{.Lo.Span}} to {{.Hi.Span}}{{end}}</td><td>{{if .Leaked}}<span class="bad">{{.Leaked}}</span>{{else}}<span class="good">none of the run’s tasks</span>{{end}}</td></tr>
{{end}}</tbody></table></div>
{{range .Notes}}<p class="note">{{.}}</p>{{end}}
<p class="note">Gain on hits: the paired difference in success from the same setup without a memory, on the tasks that had a hit. The leak check looks for workflows, remembered before the run, of the run’s own tasks and templates.</p>{{else}}<p class="soft">{{.Nothing}}</p>{{end}}`, content: memoryContent}

type memoryRow struct {
	figuresRow
	States, Leaked, None string
	Gain, Lo, Hi         figure
}

type memoryView struct {
	Rows    []memoryRow
	Notes   []string
	Nothing string
}

func memoryContent(v *view) any { return v.memory() }

func (v *view) memory() memoryView {
	var out memoryView
	out.Nothing = "No setup of this run asked a workflow memory, so there are no hits, no gain and nothing that could leak. single+wm asks one."
	for i, s := range v.Setups {
		m := s.Memory
		if m.Asked == 0 {
			continue
		}
		at := fmt.Sprintf("setups/%d/memory/", i)
		row := memoryRow{Gain: figure{Text: nothing}, None: nothing, Leaked: strings.Join(m.Leaked, ", ")}
		row.Name, row.Model = s.Arm.Setup, s.Arm.Model
		row.Figures = []figure{wholeOf(m.Asked, at+"asked"), wholeOf(m.Empty, at+"empty"), wholeOf(m.Hit, at+"hits")}
		row.States = states(m.States, m.Empty == m.Asked)
		if g := m.Gain; g != nil {
			row.Gain = pointsOf(g.Diff, at+"gain/diff")
			if g.Lo != nil && g.Hi != nil {
				row.None, row.Lo, row.Hi = "", pointsOf(g.Lo, at+"gain/lo"), pointsOf(g.Hi, at+"gain/hi")
			}
		} else {
			out.Notes = append(out.Notes, noGain(v, s.Arm, m.Hit))
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

func states(m map[string]int, empty bool) string {
	var out []string
	for _, s := range []string{"seeded", "online"} {
		if m[s] > 0 {
			out = append(out, s)
		}
	}
	if len(out) == 0 && empty {
		return "empty"
	}
	return strings.Join(out, ", ")
}

func noGain(v *view, a runlog.Arm, hits int) string {
	switch {
	case hits == 0:
		return fmt.Sprintf("%s had no hit, so there is no gain to measure: nothing was remembered that could be used.", v.label(a))
	}
	return fmt.Sprintf("%s has no gain: the same setup without a memory is not in this run.", v.label(a))
}
