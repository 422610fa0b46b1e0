package report

import (
	"fmt"
	"html/template"
	"strings"

	"almanac/eval"
	"almanac/eval/metric"
	"almanac/eval/stats"
)

var setupsSection = section{id: "setups", title: "Setups", template: `
<div class="wide"><table><thead><tr><th>Setup</th>{{range .Metrics}}<th>{{.}}</th>{{end}}</tr></thead><tbody>
{{range .Rows}}<tr><td class="name">{{.Name}}<small>{{.Model}}</small></td>{{range .Cells}}<td>{{.Bar}}<span>{{.Mean}}</span><small>{{.Range}}</small></td>{{end}}</tr>
{{end}}</tbody></table></div>
<p class="note">Means over tasks of means over repeats, with 95 % intervals over templates ({{.Method}}.</p>
<div class="wide"><table><thead><tr><th>Setup</th><th class="n">Tokens<br>an episode</th><th class="n">Tokens<br>a success</th><th class="n">Model calls</th><th class="n">Tool calls</th><th class="n">Calls native /<br>repaired</th><th class="n">Working s<br>p50 / p95</th><th class="n">Queue s</th><th class="n">Episodes</th><th class="n">Errors</th><th class="n">Harness</th></tr></thead><tbody>
{{range .Rows}}<tr><td class="name">{{.Name}}<small>{{.Model}}</small></td><td class="n">{{.Tokens}}</td><td class="n">{{.PerSuccess}}</td><td class="n">{{.ModelCalls}}</td><td class="n">{{.ToolCalls}}</td><td class="n">{{.Calls}}</td><td class="n">{{.Working}}</td><td class="n">{{.Queue}}</td><td class="n">{{.Episodes}}</td><td class="n">{{.Errors}}</td><td class="n{{if .Harness}} bad{{end}}">{{.Harness}}</td></tr>
{{end}}</tbody></table></div>
<p class="note">Errors are of the setup or the model and count as failures. What the harness failed counts in no score.{{.Abandoned}}</p>`, content: setupsContent}

// tabled are the metrics of the table, by name.
var tabled = []string{"success", "correctness_rate", "hit_at_tol", "num_score", "tool_use_score", "bound"}

type setupRow struct {
	Name, Model, Tokens, PerSuccess, Calls, Working, Queue string
	Cells                                                  []setupCell
	ModelCalls, ToolCalls, Episodes, Errors, Harness       int
}

type setupCell struct {
	Bar         template.HTML
	Mean, Range string
}

type setupsView struct {
	Metrics           []string
	Rows              []setupRow
	Method, Abandoned string
}

func setupsContent(v *view) any {
	out := setupsView{Method: "Student’s t below 50 templates, BCa bootstrap above; Wilson’s where all values are equal), cut to 0 and 100"}
	for _, name := range tabled {
		m, _ := metric.Find(name)
		out.Metrics = append(out.Metrics, m.Title)
	}
	abandoned := int64(0)
	for _, s := range v.Setups {
		row := setupRow{
			Name: s.Arm.Setup, Model: s.Arm.Model, Tokens: number(s.MeanTokens), PerSuccess: number(s.TokensPerSuccess),
			ModelCalls: s.ModelCalls, ToolCalls: s.ToolCalls, Episodes: s.Episodes, Errors: s.Errors, Harness: s.HarnessErrors,
			Calls: fmt.Sprintf("%d / %d", s.NativeCalls, s.RepairedCalls), Working: fmt.Sprintf("%.1f / %.1f", s.Working.P50, s.Working.P95),
			Queue: fmt.Sprintf("%.1f", s.Queue.Total),
		}
		for _, name := range tabled {
			row.Cells = append(row.Cells, estimateCell(s.Metrics[name]))
		}
		if t := s.AbandonedTokens.Total; t != nil {
			abandoned += *t
		}
		out.Rows = append(out.Rows, row)
	}
	if abandoned > 0 {
		out.Abandoned = fmt.Sprintf(" Attempts that were cut off took %s tokens more.", thousands(abandoned))
	}
	return out
}

func estimateCell(e stats.Estimate) setupCell {
	c := setupCell{Bar: intervalBar(e.Mean, e.Lo, e.Hi), Mean: eval.Percent(e.Mean), Range: reasonText(e.Reason)}
	if e.Lo != nil && e.Hi != nil {
		c.Range = minus(fmt.Sprintf("%.1f to %.1f", *e.Lo*100, *e.Hi*100))
	}
	return c
}

// minus writes negative numbers with a minus sign, not a hyphen.
func minus(s string) string { return strings.ReplaceAll(s, "-", "−") }

// reasonText says why there is no figure.
func reasonText(reason string) string {
	switch reason {
	case stats.NoVariation:
		return "all equal, no interval"
	case stats.One:
		return "one template, no interval"
	case stats.NoData:
		return "no data"
	}
	return reason
}

// number shows a count; "–" where it is not known.
func number(v *float64) string {
	if v == nil {
		return "–"
	}
	return thousands(int64(*v + 0.5))
}

// thousands groups digits with thin spaces.
func thousands(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "\u2009" + s[i:]
	}
	return s
}
