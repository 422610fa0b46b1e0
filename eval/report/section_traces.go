package report

import (
	"encoding/json"
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strconv"
	"strings"

	"almanac/eval"
	"almanac/eval/metric"
	"almanac/orchestrator/event"
)

var tracesSection = section{id: "traces", title: "Every episode", template: traceTemplate + `
{{if .Rows}}<div id="task-filter"></div>
<div class="wide tall" tabindex="0" role="group" aria-label="Every task and setup"><div id="every-task" style="--n:{{len .Setups}}"><div class="task-head"><span>Task</span>{{range .Setups}}<span>{{.}}</span>{{end}}</div>
{{range .Rows}}<div class="task-row" data-task="{{.Task}}"{{if .Differ}} data-differ="1"{{end}}><span>{{if .Link}}<a href="{{.Link}}">{{.Task}}</a>{{else}}{{.Task}}{{end}}</span>{{range .Cells}}<span>{{range .}}<a class="{{.Class}}" href="{{.Link}}" title="{{.Title}}">{{.Mark}}</a>{{else}}–{{end}}</span>{{end}}</div>
{{end}}</div></div><p class="note">✓ solved, ✗ not solved, ○ declined, ! the harness failed it; one mark a repeat.{{if .More}} The traces of {{.Inside}} episodes are below, {{.More}} further ones stand beside this file in the folder episodes.{{end}}</p>{{end}}
{{range .Tasks}}<div class="task" id="task-{{.ID}}" data-task="{{.ID}}"{{if .Differ}} data-differ="1"{{end}}><h3>{{.ID}}</h3><p class="soft">{{.Question}}</p>
{{range .Traces}}{{template "trace" .}}{{end}}</div>
{{else}}<p class="soft">No episode was run.</p>{{end}}`, content: tracesContent}

const traceTemplate = `{{define "trace"}}<details class="trace" id="ep-{{.ID}}"{{if .Open}} open{{end}}><summary><b>{{.Setup}}</b><span class="tag {{.Class}}">{{.Tag}}</span><span class="soft grow">{{.Brief}}</span><span class="soft">{{.Cost}}</span></summary><div class="body">
{{if .Reason}}<p class="note">{{.Reason}}</p>{{end}}
{{if .Fields}}<h4>Answer</h4><div class="wide" tabindex="0" role="group" aria-label="Answer of {{.ID}}"><table><thead><tr><th>Field</th><th class="n">Value</th><th class="n">Expected</th><th>Hit</th><th>Where it comes from</th></tr></thead><tbody>
{{range .Fields}}<tr><td class="name">{{.Key}}</td><td class="n">{{.Value}}</td><td class="n">{{.Gold}}</td><td><span class="{{.Class}}">{{.Verdict}}</span></td><td>{{.From}}{{if .Chain}}<ol class="chain">{{range .Chain}}<li>{{.}}</li>{{end}}</ol>{{end}}</td></tr>{{end}}</tbody></table></div>{{end}}
{{if .Calls}}<h4>Calls beside gold{{if .GoldNumber}} {{.GoldNumber}}{{end}}</h4><div class="wide" tabindex="0" role="group" aria-label="Calls of {{.ID}}"><table class="calls"><thead><tr><th>State</th><th>Gold</th><th>{{.Setup}}</th></tr></thead><tbody>
{{range .Calls}}<tr><td><span class="{{.Class}}">{{.State}}</span></td><td class="call">{{template "call" .Gold}}</td><td class="call">{{template "call" .Own}}</td></tr>{{end}}</tbody></table></div>{{end}}
{{range .Schedules}}<h4>Schedule, version {{.Version}}{{if .Mode}} ({{.Mode}}){{end}}{{if not .Valid}} <span class="bad">refused</span>{{end}}</h4>{{if .Graph}}<div class="wide" tabindex="0" role="group" aria-label="Graph of version {{.Version}} of {{$.ID}}">{{.Graph}}</div>{{end}}<pre>{{.Text}}</pre>{{range .Problems}}<p class="note bad">line {{.Line}}: {{.Code}}: {{.Message}}</p>{{end}}{{range .Repairs}}<p class="note">repaired ({{.ID}}): {{.From}} → {{.To}}</p>{{end}}{{end}}
{{if .Spent}}<h4>What it took</h4><dl class="facts">{{range .Spent}}<dt>{{.Name}}</dt><dd>{{.Value}}</dd>{{end}}</dl>{{end}}
{{if .Model}}<h4>Model</h4>{{range .Model}}<details class="said"><summary><b>{{.Role}}</b><span>{{.Purpose}}</span><span class="soft grow">{{.Outcome}}</span><span class="soft">{{.Prompt}} + {{.Completion}} tokens, {{.Seconds}} s</span></summary><div class="body">{{range .Said}}<h5>{{.Role}}</h5><pre tabindex="0">{{.Text}}</pre>{{else}}<p class="soft">What was said is not kept in this run.</p>{{end}}</div></details>{{end}}{{end}}
{{if .Events}}<h4>Also</h4>{{range .Events}}<p class="note {{.Class}}">{{.Text}}</p>{{end}}{{end}}
</div></details>{{end}}{{define "call"}}{{if .}}{{.Text}}<span class="out">{{.Out}}</span>{{end}}{{end}}`

type traceView struct {
	ID, Setup, Task, Question, Tag, Class, Brief, Cost, Reason, GoldNumber string
	Open                                                                   bool
	Fields                                                                 []fieldRow
	Calls                                                                  []callRow
	Schedules                                                              []scheduleView
	Model                                                                  []modelRow
	Spent                                                                  []fact
	Events                                                                 []note
}

type (
	fieldRow struct {
		Key, Value, Gold, Class, Verdict, From string
		Chain                                  []string
	}
	callRow struct {
		State, Class string
		Gold, Own    *callView
	}
	callView     struct{ Text, Out string }
	scheduleView struct {
		*event.Schedule
		Graph template.HTML
	}
	note struct{ Text, Class string }
)

type taskView struct {
	ID, Question string
	Differ       bool
	Traces       []traceView
}

// mark is one episode in the table of every task.
type mark struct{ Mark, Class, Link, Title string }

type taskRow struct {
	Task, Link string
	Differ     bool
	Cells      [][]mark
}

type tracesView struct {
	Setups       []string
	Rows         []taskRow
	Tasks        []taskView
	Inside, More int
}

func tracesContent(v *view) any {
	out := tracesView{Setups: v.labels(), Inside: len(v.inside), More: len(v.Episodes) - len(v.inside)}
	for i := range v.Tasks {
		t := &v.Tasks[i].Task
		list := v.byTask[t.ID]
		if len(list) == 0 {
			continue
		}
		row := v.taskRow(t.ID, list)
		tv := taskView{ID: t.ID, Question: t.Question, Differ: row.Differ}
		for _, e := range list {
			if v.inside[e.ID] {
				tv.Traces = append(tv.Traces, v.trace(e, false))
			}
		}
		if len(tv.Traces) > 0 {
			out.Tasks = append(out.Tasks, tv)
			row.Link = "#task-" + t.ID
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

func (v *view) taskRow(task string, list []*eval.EpisodeResult) taskRow {
	row := taskRow{Task: task, Cells: make([][]mark, len(v.Setups))}
	solved := map[bool]bool{}
	for i, s := range v.Setups {
		for _, e := range list {
			if e.Arm != s.Arm {
				continue
			}
			m := mark{Class: "bad", Mark: "✗", Link: v.link(e)}
			tag, _ := state(e)
			switch {
			case e.Harness:
				m.Class, m.Mark = "soft", "!"
			case e.Scores.Success():
				m.Class, m.Mark = "good", "✓"
			case e.Scores.Declined:
				m.Mark = "○"
			}
			m.Title = v.label(e.Arm) + ": " + tag
			if contends(e.Arm) && !e.Harness {
				solved[e.Scores.Success()] = true
			}
			row.Cells[i] = append(row.Cells[i], m)
		}
	}
	row.Differ = len(solved) > 1
	return row
}

// trace shows one episode.
func (v *view) trace(e *eval.EpisodeResult, open bool) traceView {
	e = v.full(e)
	s := e.Scores
	out := traceView{
		ID: e.ID, Setup: v.label(e.Arm), Task: e.Task.Task.ID, Question: e.Task.Task.Question, Reason: e.Reason, Open: open,
		Fields: fieldRows(e), Calls: callRows(e), Model: v.modelRows(s.Trace), Events: notes(s.Trace), Spent: spent(e), Cost: cost(e),
	}
	for _, x := range s.Trace.Schedules {
		out.Schedules = append(out.Schedules, scheduleView{x, scheduleGraph(x, s.Trace)})
	}
	if v.Manifest.Repeats > 1 {
		out.Setup += fmt.Sprintf(", repeat %d", e.Repeat+1)
	}
	out.Tag, out.Class = state(e)
	if len(s.Failures) > 0 && !e.Harness {
		out.Brief = strings.ReplaceAll(strings.Join(s.Failures, " · "), "_", " ")
	}
	if len(e.Task.Executed) > 1 && s.Case.GoldIndex >= 0 {
		out.GoldNumber = strconv.Itoa(s.Case.GoldIndex + 1)
	}
	return out
}

// cost is what an episode took, in a few words.
func cost(e *eval.EpisodeResult) string {
	text := ""
	if t := e.Scores.Usage.Tokens.Total; t != nil && *t > 0 {
		text = thousands(*t) + " tokens, "
	} else if t == nil {
		text = "tokens unknown, "
	}
	return text + fmt.Sprintf("%.1f s", e.Working())
}

// spent lists an episode's tokens and times, queueing apart.
func spent(e *eval.EpisodeResult) []fact {
	u := e.Scores.Usage
	shown := func(n *int64) string {
		if n == nil {
			return "unknown"
		}
		return thousands(*n)
	}
	out := []fact{}
	if u.ModelCalls > 0 {
		out = append(out, fact{"Model calls", fmt.Sprint(u.ModelCalls)},
			fact{"Tokens", fmt.Sprintf("%s: prompt %s, completion %s", shown(u.Tokens.Total), shown(u.Tokens.Prompt), shown(u.Tokens.Completion))})
	}
	out = append(out, fact{"Working", fmt.Sprintf("%.2f s: the model %.2f s, tools %.2f s", e.Working(), u.ModelSeconds, u.ToolSeconds)},
		fact{"Queue", fmt.Sprintf("%.2f s", e.QueueSeconds)})
	if e.Attempts > 1 {
		out = append(out, fact{"Attempts", fmt.Sprintf("%d; those that were cut off took %s tokens", e.Attempts, shown(e.AbandonedTokens.Total))})
	}
	return out
}

func state(e *eval.EpisodeResult) (tag, class string) {
	switch {
	case e.Harness:
		return "harness error", "plain"
	case e.Scores.Success() && e.Scores.Declined:
		return "rightly declined", "good"
	case e.Scores.Success():
		return "solved", "good"
	case e.Scores.Declined:
		return "declined", "bad"
	}
	return "not solved", "bad"
}

func fieldRows(e *eval.EpisodeResult) []fieldRow {
	var out []fieldRow
	for _, f := range e.Scores.Fields {
		unit := ""
		if c, ok := e.Task.Task.Field(f.Key); ok {
			unit = c.Unit
		}
		row := fieldRow{Key: f.Key, Value: shownValue(f.Value, f.Unit), Gold: shownValue(f.Gold, unit), Class: "bad", Verdict: "miss"}
		switch {
		case f.Hit:
			row.Class, row.Verdict = "good", "hit"
		case f.Value == nil:
			row.Class, row.Verdict = "soft", "unanswered"
		}
		row.From, row.Chain = source(e, f), chain(e, f)
		out = append(out, row)
	}
	return out
}

// source says which call made a field's value, or why it is not bound.
func source(e *eval.EpisodeResult, f metric.FieldScore) string {
	if f.Value == nil {
		return f.Reason
	}
	a := e.Scores.Trace.Answer
	for _, g := range a.Fields {
		if g.Key != f.Key {
			continue
		}
		switch {
		case f.Bound:
			return fmt.Sprintf("%s.%s, artifact %.12s", g.Call, g.Output, g.Artifact)
		case g.Reason != "":
			return "unbound: " + g.Reason
		}
	}
	return "unbound"
}

// shownValue is a value with its unit, in at most eight significant digits.
func shownValue(v any, unit string) string {
	if v == nil {
		return "–"
	}
	text := ""
	switch x := v.(type) {
	case string:
		return x
	case float64:
		text = strconv.FormatFloat(x, 'g', 8, 64)
	default:
		data, err := json.Marshal(v)
		if err != nil {
			return fmt.Sprint(v)
		}
		text = string(data)
	}
	if unit == "" || unit == "1" {
		return text
	}
	return text + " " + unit
}

// callRows lays an episode's calls beside gold: each gold call with the call that matches it or that stands in its
// place, then what is left over.
func callRows(e *eval.EpisodeResult) []callRow {
	c := e.Scores.Case
	own, gold := ownCalls(e.Scores.Trace), goldCalls(e)
	used := map[int]bool{}
	beside := map[int]int{}
	for _, pair := range c.Aligned() {
		beside[pair[1]] = pair[0]
	}
	rows := make([]callRow, len(c.Gold))
	for k, g := range c.Gold {
		rows[k] = callRow{State: "missing", Class: "bad", Gold: gold[g.ID]}
		if c.Matched[k] {
			i := c.MatchedBy[k]
			used[i] = true
			rows[k].State, rows[k].Class, rows[k].Own = "same", "good", own[c.Predicted[i].ID]
		}
	}
	for k := range c.Gold {
		if i, ok := beside[k]; ok && !c.Matched[k] && !used[i] {
			used[i] = true
			rows[k].State, rows[k].Class, rows[k].Own = "differs", "warn", own[c.Predicted[i].ID]
		}
	}
	for i, p := range c.Predicted {
		if !used[i] {
			rows = append(rows, callRow{State: "extra", Class: "soft", Own: own[p.ID]})
		}
	}
	return rows
}

func ownCalls(t *eval.Trace) map[string]*callView {
	out := map[string]*callView{}
	for _, c := range t.Calls {
		out[c.ID] = shownCall(c, t.Results[c.ID])
	}
	return out
}

func goldCalls(e *eval.EpisodeResult) map[string]*callView {
	out := map[string]*callView{}
	if i := e.Scores.Case.GoldIndex; i >= 0 {
		for k := range e.Task.Executed[i].Calls {
			c := &e.Task.Executed[i].Calls[k]
			out[c.Call.ID] = shownCall(&c.Call, &c.Result)
		}
	}
	return out
}

// maxShown is the length to which one value of a call is shown.
const maxShown = 80

func shownCall(c *event.ToolCall, r *event.ToolResult) *callView {
	var args []string
	for _, a := range c.Arguments {
		if !a.Default && a.Rule != "null" {
			args = append(args, a.Name+"="+shownArgument(a))
		}
	}
	if len(c.Arguments) == 0 && c.Raw != "" {
		args = []string{cut(c.Raw)}
	}
	v := &callView{Text: c.Tool + "(" + strings.Join(args, ", ") + ")"}
	switch {
	case r == nil:
		v.Out = "no result"
	case !r.OK:
		v.Out = "✗ " + r.Code + ": " + r.Message
	default:
		var outs []string
		for _, o := range r.Outputs {
			text := o.Name + " = " + cut(shownValue(o.Value, o.Unit))
			if o.Value == nil {
				text = o.Name + ": " + o.Kind
			}
			outs = append(outs, text)
		}
		v.Out = "→ " + strings.Join(outs, ", ")
	}
	if c.Memo {
		v.Out += " (memo)"
	}
	return v
}

func shownArgument(a event.Argument) string {
	if len(a.Inputs) == 1 && a.Inputs[0].Member == "" {
		return a.Inputs[0].Call + "." + a.Inputs[0].Output
	}
	if a.Given != "" {
		return strconv.Quote(a.Given)
	}
	if s, ok := a.Value.(string); ok {
		if a.Hash != "" {
			return a.Rule + " " + s[:min(12, len(s))]
		}
		return strconv.Quote(cut(s))
	}
	return cut(shownValue(a.Value, a.Unit))
}

func cut(s string) string {
	if r := []rune(s); len(r) > maxShown {
		return string(r[:maxShown]) + "…"
	}
	return s
}

// notes lists checks, revisions, budgets and errors.
func notes(t *eval.Trace) []note {
	var out []note
	passed := map[string]int{}
	for _, c := range t.Checks {
		if c.Passed {
			passed[c.Name+" by "+c.By]++
			continue
		}
		out = append(out, note{Text: fmt.Sprintf("check %s by %s: failed: %s", c.Name, c.By, c.Reason), Class: "bad"})
	}
	if len(passed) > 0 {
		var names []string
		for _, name := range slices.Sorted(maps.Keys(passed)) {
			names = append(names, fmt.Sprintf("%s (%d)", name, passed[name]))
		}
		out = append(out, note{Text: "checks passed: " + strings.Join(names, ", ")})
	}
	for _, r := range t.Revisions {
		out = append(out, note{Text: fmt.Sprintf("revision %d to %d: %s", r.From, r.To, r.Reason)})
	}
	for _, b := range t.Budgets {
		out = append(out, note{Text: fmt.Sprintf("the budget of %s (%g) is used up", b.Name, b.Limit), Class: "bad"})
	}
	for _, e := range t.Errors {
		out = append(out, note{Text: fmt.Sprintf("error %s: %s", e.Code, cut(e.Message)), Class: "bad"})
	}
	if t.Answer != nil && t.Answer.Declined {
		out = append(out, note{Text: "declined: " + t.Answer.Reason})
	}
	return out
}
