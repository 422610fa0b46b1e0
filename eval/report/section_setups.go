package report

import (
	"fmt"
	"html/template"

	"almanac/eval/metric"
	"almanac/eval/stats"
)

var setupsSection = section{id: "setups", title: "Setups", template: `
<div class="wide" tabindex="0" role="group" aria-label="Scores of the setups"><table class="sortable"><thead><tr><th>Setup</th>{{range .Metrics}}<th>{{.}}</th>{{end}}</tr></thead><tbody>
{{range .Rows}}<tr><td class="name">{{.Name}}<small>{{.Model}}</small></td>{{range .Cells}}<td>{{.Mean.Span}}{{.Bar}}<small>{{if .Range}}{{.Range}}{{else}}{{.Lo.Span}} to {{.Hi.Span}}{{end}}</small></td>{{end}}</tr>
{{end}}</tbody></table></div>
<p class="note">Means over tasks of means over repeats, with 95 % intervals over templates ({{.Method}}).</p>
<div class="wide" tabindex="0" role="group" aria-label="What the setups took"><table class="sortable"><thead><tr><th>Setup</th><th class="n">Tokens<br>an episode</th><th class="n">Tokens<br>a success</th><th class="n">Model calls</th><th class="n">Tool calls</th><th class="n">Working s<br>p50</th><th class="n">Working s<br>p95</th><th class="n">Queue s<br>in all</th><th class="n">Episodes</th><th class="n">Failed</th><th class="n">Errors</th><th class="n">Harness</th><th class="n">Success<br>w/o errors</th></tr></thead><tbody>
{{range .Rows}}<tr><td class="name">{{.Name}}<small>{{.Model}}</small></td>{{range .Costs}}{{.Td}}{{end}}{{.Harness.Bad}}{{.Answered.Td}}</tr>
{{end}}</tbody></table></div>
<p class="note">Errors are of the setup or the model and count as failures: the last column leaves them out and is no score. What the harness failed counts in no score.{{.Abandoned}}</p>`, content: setupsContent}

// tabled are the metrics of the table, by name.
var tabled = []string{"success", "correctness_rate", "hit_at_tol", "num_score", "tool_use_score", "bound"}

type setupRow struct {
	Name, Model       string
	Cells             []setupCell
	Costs             []figure
	Harness, Answered figure
}

type setupCell struct {
	Bar          template.HTML
	Mean, Lo, Hi figure
	Range        string // why there is no interval
}

type setupsView struct {
	Metrics           []string
	Rows              []setupRow
	Method, Abandoned string
}

func setupsContent(v *view) any {
	out := setupsView{Method: "Student’s t below 50 templates, BCa bootstrap above; Wilson’s where all values are equal; cut to 0 and 100"}
	for _, name := range tabled {
		m, _ := metric.Find(name)
		out.Metrics = append(out.Metrics, m.Title)
	}
	abandoned := int64(0)
	for i, s := range v.Setups {
		at, timing := fmt.Sprintf("setups/%d/", i), fmt.Sprintf("timings:setups/%d/", i)
		row := setupRow{Name: s.Arm.Setup, Model: s.Arm.Model, Costs: []figure{
			roundedOf(s.MeanTokens, at+"tokens/mean"), roundedOf(s.TokensPerSuccess, at+"tokens_per_success"),
			wholeOf(s.ModelCalls, at+"model_calls"), wholeOf(s.ToolCalls, at+"tool_calls"),
			decimalOf(&s.Working.P50, 1, timing+"working_s/p50"), decimalOf(&s.Working.P95, 1, timing+"working_s/p95"),
			decimalOf(&s.Queue.Total, 1, timing+"queue_s/total"), wholeOf(s.Episodes, at+"episodes"), wholeOf(s.Failed, at+"failed"),
			wholeOf(s.Errors, at+"errors"),
		}, Harness: wholeOf(s.HarnessErrors, at+"harness_errors"), Answered: percentOf(s.SuccessOfAnswered, at+"success_of_answered")}
		for _, name := range tabled {
			row.Cells = append(row.Cells, estimateCell(s.Metrics[name], at+name))
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

// estimateCell shows an estimate that stands at a place of results.json.
func estimateCell(e stats.Estimate, of string) setupCell {
	c := setupCell{Bar: intervalBar(e.Mean, e.Lo, e.Hi), Mean: percentOf(e.Mean, of+"/mean")}
	if e.Lo == nil || e.Hi == nil {
		c.Range = reasonText(e.Reason)
		if c.Range == "" {
			c.Range = "no interval"
		}
		return c
	}
	bound := func(x float64, end string) figure { x *= 100; return figure{minus(fmt.Sprintf("%.1f", x)), of + end} }
	c.Lo, c.Hi = bound(*e.Lo, "/lo"), bound(*e.Hi, "/hi")
	return c
}
