package report

import (
	"fmt"

	"almanac/eval"
)

var twoByTwoSection = section{id: "two-by-two", title: "Who solved what", template: `
{{range $i, $t := .Tables}}<details{{if eq $i 0}} open{{end}}><summary><b>{{.A}} and {{.B}}</b><span class="soft">{{.Brief}}</span></summary><div class="body">
<div class="grid"><div class="head corner"></div><div class="head">{{.B}} solved it</div><div class="head">{{.B}} did not</div>
<div class="head side">{{.A}} solved it</div>{{template "cell" .Both}}{{template "cell" .OnlyA}}
<div class="head side">{{.A}} did not</div>{{template "cell" .OnlyB}}{{template "cell" .Neither}}</div></div></details>{{else}}<p class="soft">There is nothing to compare: fewer than two setups contend (oracle and none only bound what can be reached).</p>{{end}}
{{if .Tables}}<p class="note">Solved is solved in more than half of the repeats.</p>{{end}}
{{define "cell"}}<div><span class="count">{{len .Links}}</span><span class="list" tabindex="0" role="group" aria-label="{{.Label}}">{{range .Links}}<a href="{{.Link}}">{{.Task}}</a> {{end}}</span></div>{{end}}`, content: twoByTwoContent}

type taskLink struct{ Task, Link string }

type tasksCell struct {
	Label string
	Links []taskLink
}

type twoByTwoView struct {
	A, B, Brief                 string
	Both, OnlyA, OnlyB, Neither tasksCell
}

func twoByTwoContent(v *view) any {
	var out struct{ Tables []twoByTwoView }
	verdict := v.Verdict()
	for _, c := range v.Paired {
		if c.Metric != "success" {
			continue
		}
		t := v.twoByTwo(c)
		if c == verdict { // the one that the verdict speaks of comes first, and open
			out.Tables = append([]twoByTwoView{t}, out.Tables...)
			continue
		}
		out.Tables = append(out.Tables, t)
	}
	return out
}

func (v *view) twoByTwo(c *eval.Comparison) twoByTwoView {
	a, b := v.label(c.A), v.label(c.B)
	if c.A.Model == "" && v.several() {
		a += " (" + c.Model + ")"
	}
	links := func(label string, tasks []string) tasksCell {
		cell := tasksCell{label, make([]taskLink, len(tasks))}
		for i, t := range tasks {
			cell.Links[i] = taskLink{t, v.taskLink(t, c)}
		}
		return cell
	}
	x := c.Cells
	return twoByTwoView{A: a, B: b,
		Brief: fmt.Sprintf("both %d, only %s %d, only %s %d, neither %d", len(x.Both), a, len(x.OnlyA), b, len(x.OnlyB), len(x.Neither)),
		Both:  links("Solved by both", x.Both), OnlyA: links("Solved by "+a+" only", x.OnlyA),
		OnlyB: links("Solved by "+b+" only", x.OnlyB), Neither: links("Solved by neither", x.Neither)}
}

// taskLink leads to the task's traces, or to the first setup's trace where they are beside the page.
func (v *view) taskLink(task string, c *eval.Comparison) string {
	for _, e := range v.byTask[task] {
		if e.Arm == c.A {
			if v.inside[e.ID] {
				return "#task-" + task
			}
			return v.link(e)
		}
	}
	return "#traces"
}
