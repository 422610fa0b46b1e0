package report

import (
	"fmt"
	"html/template"
	"strings"
)

var strataSection = section{id: "strata", title: "Where the difference lies", template: `
{{if not .Tables}}<p class="soft">There is nothing to compare, and so nothing to split by kinds of task.</p>{{end}}
{{range .Tables}}<h3>{{.A}} − {{.B}}, success</h3>
<div class="wide" tabindex="0" role="group" aria-label="{{.A}} against {{.B}} by kinds of task"><table class="strata"><thead><tr><th>Kind of task</th><th>{{.Axis}}</th><th class="n">Points</th><th class="n">95 % interval</th><th class="n">{{.A}}</th><th class="n">{{.B}}</th><th class="n">Tasks</th><th class="n">Templates</th></tr></thead><tbody>
{{range .Rows}}{{if .Head}}<tr class="by"><th colspan="8" scope="colgroup">{{.Head}}</th></tr>{{end}}<tr{{if .All}} class="all"{{end}}><td>{{.Name}}</td><td>{{.Plot}}</td>{{.Diff.Td}}<td class="n">{{if .None}}{{.None}}{{else}}{{.Lo.Span}} to {{.Hi.Span}}{{end}}</td>{{.MeanA.Td}}{{.MeanB.Td}}{{.Tasks.Td}}{{.Templates.Td}}</tr>
{{end}}</tbody></table></div>{{range .Notes}}<p class="note">{{.}}</p>{{end}}{{end}}
{{if .Tables}}<p class="note">Intervals over the templates of each part, not adjusted for looking at many parts: a hint where to look, no verdict. A task of several domains stands in each of them; length is the number of calls of the first gold schedule.</p>{{end}}`, content: strataContent}

type strataRow struct {
	Head, Name, None                             string
	All                                          bool
	Tasks, Templates, MeanA, MeanB, Diff, Lo, Hi figure
	Plot                                         template.HTML
}

type strataTable struct {
	A, B  string
	Axis  template.HTML
	Rows  []strataRow
	Notes []string
}

var dimensionTitles = map[string]string{"track": "Track", "domain": "Domain", "level": "Level of the question", "length": "Length",
	"tools": "Tools to choose from"}

type strataView struct{ Tables []strataTable }

func strataContent(v *view) any { return v.strata() }

func (v *view) strata() strataView {
	var out strataView
	for i, s := range v.Strata {
		verdict := v.Verdicts()[i]
		plots := []difference{{verdict.Diff, verdict.Lo, verdict.Hi, verdict.Paired.Verdict}}
		for _, p := range s.Parts {
			plots = append(plots, difference{p.Diff, p.Lo, p.Hi, ""})
		}
		scale := scaleOf(plots)
		t := strataTable{A: v.label(s.A), B: v.label(s.B), Axis: axis(scale)}
		of := fmt.Sprintf("paired/%d/", v.index(verdict))
		all := strataRow{Name: "All", All: true, Tasks: wholeOf(verdict.Paired.Tasks, of+"tasks"), Templates: wholeOf(verdict.Templates, of+"n"),
			MeanA: percentOf(verdict.MeanA, of+"mean_a"), MeanB: percentOf(verdict.MeanB, of+"mean_b"), Plot: forest(plots[0], scale)}
		all.bounds(verdict.Diff, verdict.Lo, verdict.Hi, of)
		t.Rows = append(t.Rows, all)
		by := ""
		parts := map[string]int{}
		for k, p := range s.Parts {
			parts[p.By]++
			of := fmt.Sprintf("strata/%d/parts/%d/", i, k)
			row := strataRow{Name: p.Value, Tasks: wholeOf(p.Tasks, of+"tasks"), Templates: wholeOf(p.Templates, of+"n"),
				MeanA: percentOf(p.MeanA, of+"mean_a"), MeanB: percentOf(p.MeanB, of+"mean_b"), Plot: forest(plots[k+1], scale)}
			if p.By != by {
				by, row.Head = p.By, dimensionTitles[p.By]
			}
			row.bounds(p.Diff, p.Lo, p.Hi, of)
			t.Rows = append(t.Rows, row)
		}
		if alone := oneParted(parts); alone != "" {
			t.Notes = append(t.Notes, "All tasks are of one "+alone+": nothing to set apart there.")
		}
		out.Tables = append(out.Tables, t)
	}
	return out
}

func (r *strataRow) bounds(diff, lo, hi *float64, of string) {
	r.Diff, r.Lo, r.Hi = pointsOf(diff, of+"diff"), pointsOf(lo, of+"lo"), pointsOf(hi, of+"hi")
	if lo == nil || hi == nil {
		r.None = nothing
	}
}

// oneParted names the dimensions in which all tasks are alike.
func oneParted(parts map[string]int) string {
	var out []string
	for _, by := range []string{"track", "domain", "level", "length", "tools"} {
		if parts[by] == 1 {
			out = append(out, map[string]string{"tools": "toolset"}[by]+map[bool]string{true: by}[by != "tools"])
		}
	}
	return strings.Join(out, ", ")
}
