package report

import (
	"fmt"
	"html/template"

	"almanac/eval"
	"almanac/eval/metric"
	"almanac/eval/stats"
)

var differencesSection = section{id: "differences", title: "Paired differences", template: `
{{if not .Groups}}<p class="soft">{{.Nothing}}</p>{{else}}
{{range $i, $g := .Groups}}{{if $i}}<details><summary><b>{{$g.Metric}}</b><span class="soft">{{$g.Brief}}</span></summary><div class="body">{{else}}<h3>{{$g.Metric}}</h3>{{end}}
<div class="wide" tabindex="0" role="group" aria-label="Differences in {{$g.Metric}}"><table class="sortable"><thead><tr><th>Comparison</th><th>Verdict</th><th>{{$g.Axis}}</th><th class="n">Points</th><th class="n">95 % interval</th><th class="n">Relative</th><th class="n">p (Holm)</th><th class="n">Could show</th><th class="n">Tokens ×</th><th>Earns them</th></tr></thead><tbody>
{{range .Rows}}<tr><td class="name">{{.Pair}}{{if .Model}}<small>{{.Model}}</small>{{end}}</td><td><span class="tag {{.Class}}">{{.Verdict}}</span></td><td>{{.Plot}}</td>{{.Diff.Td}}<td class="n">{{if .None}}{{.None}}{{else}}{{.Lo.Span}} to {{.Hi.Span}}{{end}}</td>{{.Relative.Td}}{{.P.Td}}{{.Detectable.Td}}{{.Tokens.Td}}<td>{{.Earns}}</td></tr>
{{end}}</tbody></table></div>{{if $i}}</div></details>{{end}}{{end}}
<p class="note">Paired by task. The verdict needs an adjusted p below 0.05 and an interval without 0; “could show” is the smallest true difference, in points, that this number of templates would have shown four times out of five. The comparison of squad with search is a family of its own; oracle and none are in no family.</p>{{end}}`, content: differencesContent}

type differenceGroup struct {
	Metric, Brief string
	Axis          template.HTML
	Rows          []differenceRow
}

type differenceRow struct {
	Pair, Model, Verdict, Class, None, Earns      string
	Diff, Lo, Hi, Relative, P, Detectable, Tokens figure
	Plot                                          template.HTML
}

type differencesView struct {
	Groups  []differenceGroup
	Nothing string
}

func differencesContent(v *view) any { return v.differences() }

func (v *view) differences() differencesView {
	var out differencesView
	out.Nothing = "There is nothing to compare: fewer than two setups contend (oracle and none only bound what can be reached)."
	var plots []difference
	for _, c := range v.Paired {
		plots = append(plots, difference{c.Diff, c.Lo, c.Hi, c.Paired.Verdict})
	}
	scale := scaleOf(plots)
	at := map[string]int{}
	for i, c := range v.Paired {
		m, _ := metric.Find(c.Metric)
		g, ok := at[c.Metric]
		if !ok {
			g = len(out.Groups)
			at[c.Metric] = g
			out.Groups = append(out.Groups, differenceGroup{Metric: m.Title, Axis: axis(scale)})
		}
		row := v.differenceRow(c, i)
		row.Plot = forest(plots[i], scale)
		out.Groups[g].Rows = append(out.Groups[g].Rows, row)
	}
	for i := range out.Groups {
		out.Groups[i].Brief = told(out.Groups[i].Rows)
	}
	return out
}

// told counts the verdicts of a group.
func told(rows []differenceRow) string {
	n := map[string]int{}
	for _, r := range rows {
		n[r.Verdict]++
	}
	text := ""
	for _, verdict := range []string{stats.Better, stats.Worse, stats.Inconclusive} {
		if n[verdict] > 0 {
			if text != "" {
				text += ", "
			}
			text += fmt.Sprintf("%d %s", n[verdict], verdict)
		}
	}
	return text
}

func (v *view) differenceRow(c *eval.Comparison, i int) differenceRow {
	of := fmt.Sprintf("paired/%d/", i)
	row := differenceRow{
		Pair: c.A.Setup + " − " + c.B.Setup, Verdict: c.Paired.Verdict, Class: classOf(c.Paired.Verdict),
		Diff: pointsOf(c.Diff, of+"diff"), Lo: pointsOf(c.Lo, of+"lo"), Hi: pointsOf(c.Hi, of+"hi"),
		P: figure{eval.PValue(c.PHolm), of + "p_holm"}, Relative: figure{Text: nothing}, Detectable: figure{Text: nothing},
		Tokens: figure{Text: nothing}, Earns: nothing,
	}
	if v.several() {
		row.Model = c.Model
	}
	if c.Paired.Verdict == stats.Inconclusive {
		row.Class = "plain"
	}
	if c.Lo == nil || c.Hi == nil {
		row.None = nothing
	}
	if c.Relative != nil {
		row.Relative = figure{minus(fmt.Sprintf("%+.0f %%", *c.Relative*100)), of + "relative"}
	}
	if c.Detectable != nil {
		row.Detectable = figure{fmt.Sprintf("%.0f", *c.Detectable*100), of + "detectable"}
	}
	if c.Tokens.Mean != nil {
		row.Tokens = decimalOf(c.Tokens.Mean, 2, of+"tokens_ratio/mean")
	}
	if c.EarnsTokens != nil {
		row.Earns = map[bool]string{true: "yes", false: "no"}[*c.EarnsTokens]
	}
	return row
}
