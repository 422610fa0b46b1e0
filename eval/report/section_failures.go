package report

import (
	"fmt"

	"almanac/eval"
)

var failuresSection = section{id: "failures", title: "How episodes failed", template: `
{{if not .Rows}}<p class="soft">No episode failed.</p>{{else}}
<div class="wide"><table><thead><tr><th>Label</th>{{range .Setups}}<th class="n">{{.}}</th>{{end}}<th>Meaning</th></tr></thead><tbody>
{{range .Rows}}<tr><td class="name">{{.Label}}</td>{{range .Shares}}<td class="n">{{.}}</td>{{end}}<td class="soft">{{.Meaning}}</td></tr>
{{end}}</tbody></table></div><p class="note">Share of a setup’s failed episodes that have the label; an episode may have several.</p>{{end}}`, content: failuresContent}

type failureRow struct {
	Label, Meaning string
	Shares         []string
}

func failuresContent(v *view) any {
	var out struct {
		Setups []string
		Rows   []failureRow
	}
	for _, s := range v.Setups {
		out.Setups = append(out.Setups, fmt.Sprintf("%s (%d)", s.Arm.Setup, s.Failed))
	}
	for _, l := range eval.FailureLabels() {
		row := failureRow{Label: l.Name, Meaning: l.Definition}
		found := false
		for _, s := range v.Setups {
			share, ok := s.Failures[l.Name]
			found = found || ok
			if !ok {
				row.Shares = append(row.Shares, "–")
				continue
			}
			row.Shares = append(row.Shares, fmt.Sprintf("%.0f %%", share*100))
		}
		if found {
			out.Rows = append(out.Rows, row)
		}
	}
	return out
}
