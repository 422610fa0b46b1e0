package report

import "almanac/eval"

var twoByTwoSection = section{id: "two-by-two", title: "Who solved what", template: `
{{range .Tables}}<h3>{{.A}} and {{.B}}</h3>
<div class="grid"><div class="head corner"></div><div class="head">{{.B}} solved it</div><div class="head">{{.B}} did not</div>
<div class="head side">{{.A}} solved it</div>{{template "cell" .Both}}{{template "cell" .OnlyA}}
<div class="head side">{{.A}} did not</div>{{template "cell" .OnlyB}}{{template "cell" .Neither}}</div>{{else}}<p class="soft">There is nothing to compare: fewer than two setups contend (oracle and none only bound what can be reached).</p>{{end}}
{{define "cell"}}<div><span class="count">{{len .}}</span><span class="list">{{range .}}<a href="{{.Link}}">{{.Task}}</a> {{end}}</span></div>{{end}}`, content: twoByTwoContent}

type taskLink struct{ Task, Link string }

type twoByTwoView struct {
	A, B                        string
	Both, OnlyA, OnlyB, Neither []taskLink
}

func twoByTwoContent(v *view) any {
	var out struct{ Tables []twoByTwoView }
	for _, c := range v.Paired {
		if c.Metric != "success" {
			continue
		}
		links := func(tasks []string) []taskLink {
			list := make([]taskLink, len(tasks))
			for i, t := range tasks {
				list[i] = taskLink{t, v.taskLink(t, c)}
			}
			return list
		}
		out.Tables = append(out.Tables, twoByTwoView{A: c.A.Setup, B: c.B.Setup, Both: links(c.Cells.Both), OnlyA: links(c.Cells.OnlyA),
			OnlyB: links(c.Cells.OnlyB), Neither: links(c.Cells.Neither)})
	}
	return out
}

// taskLink leads to the task's traces, or to the first setup's trace where they are beside the page.
func (v *view) taskLink(task string, c *eval.Comparison) string {
	for _, e := range v.Episodes {
		if e.Task.Task.ID == task && e.Arm == c.A {
			if v.inside[e.ID] {
				return "#task-" + task
			}
			return v.link(e)
		}
	}
	return "#traces"
}
