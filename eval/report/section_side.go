package report

import (
	"fmt"

	"almanac/eval"
)

// maxBeside is the number of tasks that are shown side by side.
const maxBeside = 8

var sideSection = section{id: "side-by-side", title: "Side by side", template: `
{{if .Pairs}}<p class="note">{{.Intro}}</p><ul class="legend"><li><span class="swatch hit"></span>the same call as gold</li><li><span class="swatch near"></span>in its place, but different</li><li><span class="swatch lost"></span>missing</li><li><span class="swatch more"></span>extra</li></ul>
{{range $i, $p := .Pairs}}<details{{if eq $i 0}} open{{end}}><summary><b>{{.Task}}</b><span class="tag {{.ClassA}}">{{.A}}: {{.TagA}}</span><span class="tag {{.ClassB}}">{{.B}}: {{.TagB}}</span></summary><div class="body">
<p>{{.Question}}</p>{{if .Note}}<p class="note">{{.Note}}</p>{{end}}
<div class="wide" tabindex="0" role="group" aria-label="Calls of {{.Task}}"><table class="trio"><thead><tr><th>Gold</th><th>{{.A}}</th><th>{{.B}}</th></tr></thead><tbody>
{{range .Rows}}<tr><td class="call" data-l="Gold">{{template "aligned" .Gold}}</td><td class="call {{.StateA}}" data-l="{{$p.A}}">{{template "aligned" .A}}</td><td class="call {{.StateB}}" data-l="{{$p.B}}">{{template "aligned" .B}}</td></tr>
{{end}}{{range .Answers}}<tr class="answer"><td data-l="Expected"><b>{{.Key}}</b> {{.Gold}}</td><td data-l="{{$p.A}}" class="{{.ClassA}}">{{.A}}</td><td data-l="{{$p.B}}" class="{{.ClassB}}">{{.B}}</td></tr>{{end}}</tbody></table></div>
<p class="note">{{.Cost}} <a href="{{.LinkA}}">Trace of {{.A}}</a>, <a href="{{.LinkB}}">of {{.B}}</a>.</p></div></details>
{{end}}{{else}}<p class="soft">{{.Nothing}}</p>{{end}}{{define "aligned"}}{{if .}}{{.Text}}<span class="out">{{.Out}}</span>{{else}}<span class="soft">–</span>{{end}}{{end}}`, content: sideContent}

type trioRow struct {
	Gold, A, B     *callView
	StateA, StateB string
}

type trioAnswer struct{ Key, Gold, A, B, ClassA, ClassB string }

type sidePair struct {
	Task, Question, A, B, TagA, TagB, ClassA, ClassB, Note, Cost, LinkA, LinkB string
	Rows                                                                       []trioRow
	Answers                                                                    []trioAnswer
}

// apart are the tasks of a comparison, those that only one side solved first, in turn.
func apart(c *eval.Comparison) []string {
	var out []string
	x, y := c.Cells.OnlyA, c.Cells.OnlyB
	for i := range max(len(x), len(y)) {
		if i < len(x) {
			out = append(out, x[i])
		}
		if i < len(y) {
			out = append(out, y[i])
		}
	}
	return append(append(out, c.Cells.Neither...), c.Cells.Both...)
}

func sideContent(v *view) any {
	var out struct {
		Pairs          []sidePair
		Intro, Nothing string
	}
	out.Nothing = "There are no two setups that contend on a common task: nothing can stand side by side."
	for _, c := range v.Verdicts() {
		tasks := apart(c)
		for _, task := range tasks[:min(maxBeside, len(tasks))] {
			a, b := v.first(task, c.A.Setup, c.A.Model), v.first(task, c.B.Setup, c.B.Model)
			if a != nil && b != nil {
				out.Pairs = append(out.Pairs, v.pair(a, b))
			}
		}
		if out.Intro == "" {
			out.Intro = fmt.Sprintf("%d of %d tasks, those first that only one of the two solved. Every other trace stands below.", min(maxBeside, len(tasks)), len(tasks))
		}
	}
	return out
}

// first is the first repeat of a setup on a task; nil if the harness failed it.
func (v *view) first(task, setup, model string) *eval.EpisodeResult {
	for _, e := range v.byTask[task] {
		if e.Arm.Setup == setup && e.Arm.Model == model && !e.Harness {
			return e
		}
	}
	return nil
}

func (v *view) pair(a, b *eval.EpisodeResult) sidePair {
	a, b = v.full(a), v.full(b)
	p := sidePair{Task: a.Task.Task.ID, Question: a.Task.Task.Question, A: v.label(a.Arm), B: v.label(b.Arm), LinkA: v.link(a), LinkB: v.link(b)}
	p.TagA, p.ClassA = state(a)
	p.TagB, p.ClassB = state(b)
	p.Cost = fmt.Sprintf("%s took %s; %s took %s.", p.A, cost(a), p.B, cost(b))
	ra, rb := callRows(a), callRows(b)
	gold := len(a.Scores.Case.Gold)
	if a.Scores.Case.GoldIndex != b.Scores.Case.GoldIndex {
		p.Note = fmt.Sprintf("The task has several gold schedules: %s is closest to number %d, %s to number %d, which is the one shown. What %s has of its own is shown as extra.",
			p.B, b.Scores.Case.GoldIndex+1, p.A, a.Scores.Case.GoldIndex+1, p.B)
		rb = extras(rb)
		for range gold {
			rb = append([]callRow{{State: "missing"}}, rb...)
		}
	}
	for k := range max(len(ra), len(rb)) {
		var row trioRow
		if k < len(ra) {
			row.Gold, row.A, row.StateA = ra[k].Gold, ra[k].Own, sideClass(ra[k].State)
		}
		if k < len(rb) {
			row.B, row.StateB = rb[k].Own, sideClass(rb[k].State)
		}
		p.Rows = append(p.Rows, row)
	}
	fa, fb := fieldRows(a), fieldRows(b)
	for i := range min(len(fa), len(fb)) {
		p.Answers = append(p.Answers, trioAnswer{fa[i].Key, fa[i].Gold, fa[i].Value, fb[i].Value, answerClass(fa[i]), answerClass(fb[i])})
	}
	return p
}

// extras are an episode's own calls, without their place beside gold.
func extras(rows []callRow) []callRow {
	var out []callRow
	for _, r := range rows {
		if r.Own != nil {
			out = append(out, callRow{State: "extra", Own: r.Own})
		}
	}
	return out
}

func sideClass(state string) string {
	return map[string]string{"same": "hit", "differs": "near", "missing": "lost", "extra": "more"}[state]
}

func answerClass(f fieldRow) string {
	return map[string]string{"hit": "hit", "miss": "near", "unanswered": "lost"}[f.Verdict]
}
