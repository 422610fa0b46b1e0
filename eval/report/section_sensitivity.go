package report

import (
	"fmt"
	"strings"

	"almanac/eval/metric"
	"almanac/eval/stats"
)

var sensitivitySection = section{id: "sensitivity", title: "Sensitivity and validity", template: `
<h3>If ToolUseScore had other weights</h3>
{{if .NoWeights}}<p class="soft">{{.NoWeights}}</p>{{else}}<table class="plain"><thead><tr><th>Order of the contenders against the published one</th><th class="n">Spearman</th></tr></thead><tbody><tr><td>median of the draws</td>{{.Median.Td}}</tr><tr><td>least of the draws</td>{{.Least.Td}}</tr></tbody></table>
<p class="note">1,000 draws, each weight moved by up to 0.10, cut at 0 and made to sum to 1 again.</p>{{end}}
<h3>If tolerances were others</h3>
{{if .Tolerance}}<div class="wide" tabindex="0" role="group" aria-label="Scores with other tolerances"><table><thead><tr><th>Setup</th>{{range .Factors}}<th class="n">Success<br>{{.}}</th>{{end}}{{range .Factors}}<th class="n">NumScore<br>{{.}}</th>{{end}}</tr></thead><tbody>
{{range .Tolerance}}<tr><td class="name">{{.Name}}<small>{{.Model}}</small></td>{{range .Figures}}{{.Td}}{{end}}</tr>
{{end}}<tr><td class="soft">contenders at another place</td>{{range .Moved}}{{.Td}}{{end}}{{range .Factors}}<td></td>{{end}}</tr></tbody></table></div>
<p class="note">Every answer scored again with all of its tolerances multiplied; a place is by success.</p>{{else}}<p class="soft">No setup has a score.</p>{{end}}
<h3>What the process tells about the answer</h3>
{{if .Pearson}}<div class="wide" tabindex="0" role="group" aria-label="Process metrics and answers"><table class="sortable"><thead><tr><th>Process metric</th><th class="n">Pearson’s r with NumScore</th><th>Undefined because</th></tr></thead><tbody>
{{range .Pearson}}<tr><td class="name">{{.Name}}</td>{{.R.Td}}<td class="soft">{{.Why}}</td></tr>{{end}}</tbody></table></div>
{{if .NoRegression}}<p class="note">{{.NoRegression}}</p>{{else}}<table class="plain"><thead><tr><th>Logistic regression of success on all of them</th><th class="n">Value</th></tr></thead><tbody><tr><td>AUC</td>{{.AUC.Td}}</tr><tr><td>McFadden’s R²</td>{{.McFadden.Td}}</tr></tbody></table>{{end}}
<p class="note">Over {{.N}} episodes of the contenders; tasks to decline have no calls and are left out.{{.Dropped}}</p>{{else}}<p class="soft">No episode has both calls to judge and fields to answer.</p>{{end}}`, content: sensitivityContent}

type pearsonRow struct {
	Name, Why string
	R         figure
}

type sensitivityView struct {
	NoWeights, NoRegression, Dropped string
	Median, Least, AUC, McFadden     figure
	Factors                          []string
	Tolerance                        []figuresRow
	Moved                            []figure
	Pearson                          []pearsonRow
	N                                int
}

func sensitivityContent(v *view) any { return v.sensitivity() }

func (v *view) sensitivity() sensitivityView {
	x := v.Sensitivity
	if x == nil || v.Validity == nil {
		return sensitivityView{NoWeights: "No setup contends: there is no order that weights or tolerances could change."}
	}
	out := sensitivityView{Median: decimalOf(x.Median, 3, "sensitivity/weights/spearman_median"), Least: decimalOf(x.Least, 3, "sensitivity/weights/spearman_min"),
		N: v.Validity.Episodes}
	if x.Median == nil {
		out.NoWeights = undefined(x.WeightsReason, "contenders have a score: there is no order that weights could change")
	}
	v.tolerance(&out)
	if v.Validity.Episodes == 0 {
		return out
	}
	for i, c := range v.Validity.Correlations {
		m, _ := metric.Find(c.Metric)
		row := pearsonRow{Name: m.Title, R: decimalOf(c.R, 3, fmt.Sprintf("validity/with_num_score/%d/pearson", i))}
		if c.R == nil {
			row.Why = undefined(c.Reason, "episodes")
		}
		out.Pearson = append(out.Pearson, row)
	}
	l := v.Validity.Model
	out.AUC, out.McFadden = decimalOf(l.AUC, 3, "validity/logistic/auc"), decimalOf(l.McFadden, 3, "validity/logistic/mcfadden_r2")
	if l.AUC == nil {
		out.NoRegression = "There is no logistic regression of success: " + undefined(l.Reason, "episodes") + "."
	}
	if len(l.Dropped) > 0 {
		out.Dropped = " Left out of the regression, because they do not vary or copy another: " + strings.Join(l.Dropped, ", ") + "."
	}
	return out
}

func (v *view) tolerance(out *sensitivityView) {
	for j, t := range v.Sensitivity.Tolerances {
		out.Factors = append(out.Factors, map[float64]string{0.25: "× ¼", 0.5: "× ½"}[t.Factor])
		if out.Factors[j] == "" {
			out.Factors[j] = fmt.Sprintf("× %g", t.Factor)
		}
		out.Moved = append(out.Moved, wholeOf(t.Moved, fmt.Sprintf("sensitivity/tolerance/%d/moved", j)))
	}
	for i, arm := range v.Sensitivity.Setups {
		row := figuresRow{Name: arm.Setup, Model: arm.Model}
		for j, t := range v.Sensitivity.Tolerances {
			row.Figures = append(row.Figures, percentOf(t.Success[i], fmt.Sprintf("sensitivity/tolerance/%d/success/%d", j, i)))
		}
		for j, t := range v.Sensitivity.Tolerances {
			row.Figures = append(row.Figures, percentOf(t.NumScore[i], fmt.Sprintf("sensitivity/tolerance/%d/num_score/%d", j, i)))
		}
		out.Tolerance = append(out.Tolerance, row)
	}
}

// undefined says why a figure of association is not there. few is what there are fewer than three of.
func undefined(reason, few string) string {
	switch reason {
	case stats.FewValues:
		return "fewer than three " + few
	case stats.Separable:
		return "the metrics part successes from failures, and no coefficients are the likeliest"
	case stats.NoVariation:
		return "all values are equal"
	}
	return reasonText(reason)
}

func (b *markdown) sensitivity(v *view) {
	x := v.sensitivity()
	none := x.NoWeights
	rows := [][]string{{"order under other weights", "Spearman"}}
	if none == "" {
		rows = append(rows, []string{"median of 1,000 draws", x.Median.Text}, []string{"least of 1,000 draws", x.Least.Text})
	}
	b.table("Sensitivity and validity", none, rows)
	head := []string{"setup"}
	for _, what := range []string{"success", "NumScore"} {
		for _, f := range x.Factors {
			head = append(head, what+" "+f)
		}
	}
	b.WriteString("\n")
	b.table("", "No setup has a score.", figureLines(head, x.Tolerance))
	rows = [][]string{{"process metric", "r with NumScore"}}
	for _, p := range x.Pearson {
		rows = append(rows, []string{p.Name, p.R.Text})
	}
	if len(x.Pearson) > 0 && x.NoRegression == "" {
		rows = append(rows, []string{"all, of success: AUC", x.AUC.Text}, []string{"all, of success: McFadden's R²", x.McFadden.Text})
	}
	b.WriteString("\n")
	b.table("", "No episode has both calls to judge and fields to answer.", rows)
	if x.NoRegression != "" {
		b.WriteString("\n" + x.NoRegression + "\n")
	}
}
