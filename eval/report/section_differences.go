package report

import (
	"fmt"
	"html/template"

	"almanac/eval"
	"almanac/eval/metric"
	"almanac/eval/stats"
)

var differencesSection = section{id: "differences", title: "Paired differences", template: `
{{if not .Rows}}<p class="soft">{{.Nothing}}</p>{{else}}
<div class="wide"><table><thead><tr><th>Comparison</th><th>Metric</th><th>{{.Axis}}</th><th class="n">Points</th><th class="n">95 % interval</th><th class="n">Relative</th><th class="n">p (Holm)</th><th class="n">Could show</th><th>Verdict</th></tr></thead><tbody>
{{range .Rows}}<tr><td class="name">{{.Pair}}{{if .Model}}<small>{{.Model}}</small>{{end}}</td><td>{{.Metric}}</td><td>{{.Plot}}</td><td class="n">{{.Diff}}</td><td class="n">{{.Interval}}</td><td class="n">{{.Relative}}</td><td class="n">{{.P}}</td><td class="n">{{.Detectable}}</td><td><span class="tag {{.Class}}">{{.Verdict}}</span></td></tr>
{{end}}</tbody></table></div>
<p class="note">Paired by task. The verdict needs an adjusted p below 0.05 and an interval without 0; “could show” is the smallest true difference that this number of templates would have shown four times out of five.</p>{{end}}`, content: differencesContent}

type differenceRow struct {
	Pair, Model, Metric, Diff, Interval, Relative, P, Detectable, Verdict, Class string
	Plot                                                                         template.HTML
}

type differencesView struct {
	Rows    []differenceRow
	Axis    template.HTML
	Nothing string
}

func differencesContent(v *view) any {
	out := differencesView{Nothing: "There is nothing to compare: fewer than two setups contend (oracle and none only bound what can be reached)."}
	var plots []difference
	for _, c := range v.Paired {
		plots = append(plots, difference{c.Diff, c.Lo, c.Hi, c.Paired.Verdict})
	}
	scale := scaleOf(plots)
	out.Axis = axis(scale)
	for i, c := range v.Paired {
		m, _ := metric.Find(c.Metric)
		row := differenceRow{
			Pair: c.A.Setup + " − " + c.B.Setup, Model: c.Model, Metric: m.Title, Diff: eval.Points(c.Diff), P: eval.PValue(c.PHolm),
			Interval: "–", Relative: "–", Detectable: "–", Verdict: c.Paired.Verdict, Class: classOf(c.Paired.Verdict), Plot: forest(plots[i], scale),
		}
		if len(v.Manifest.Models) < 2 {
			row.Model = "" // there is one only
		}
		if c.Paired.Verdict == stats.Inconclusive {
			row.Class = "plain"
		}
		if c.Lo != nil && c.Hi != nil {
			row.Interval = eval.Points(c.Lo) + " to " + eval.Points(c.Hi)
		}
		if c.Relative != nil {
			row.Relative = minus(fmt.Sprintf("%+.0f %%", *c.Relative*100))
		}
		if c.Detectable != nil {
			row.Detectable = fmt.Sprintf("%.0f", *c.Detectable*100)
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}
