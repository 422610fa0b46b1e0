package report

import (
	"fmt"
	"html/template"

	"almanac/eval"
	"almanac/eval/metric"
)

// Run is one of the runs of a common report.
type Run struct {
	Name    string // as it was asked for
	Link    string // to its own report; "" for none
	Results *eval.Results
}

const runsTemplate = `<h1>{{.Title}}</h1>
<dl class="verdicts">{{range .Runs}}<dt>{{if .Link}}<a href="{{.Link}}">{{.Name}}</a>{{else}}{{.Name}}{{end}}</dt><dd>{{.Verdict}}</dd>{{end}}</dl>
<h2>What was compared</h2>
<div class="wide" tabindex="0" role="group" aria-label="What was compared"><table><thead><tr><th>What</th>{{range .Runs}}<th>{{.Name}}</th>{{end}}</tr></thead><tbody>
{{range .Facts}}<tr><td class="name{{if .Differs}} bad{{end}}">{{.Name}}</td>{{range .Values}}<td>{{.}}</td>{{end}}</tr>{{end}}</tbody></table></div>
<p class="note">{{if .Differ}}What differs between the runs is named in red: figures of runs that differ in more than what they are to compare are not comparable.{{else}}The runs do not differ in anything that is recorded here.{{end}}</p>
<h2>Setups</h2>
<div class="wide" tabindex="0" role="group" aria-label="Setups of all runs"><table class="sortable"><thead><tr><th>Run</th><th>Setup</th>{{range .Metrics}}<th>{{.}}</th>{{end}}<th class="n">Tokens<br>an episode</th><th class="n">Tokens<br>a success</th><th class="n">Working s<br>p50</th><th class="n">Episodes</th><th class="n">Harness</th></tr></thead><tbody>
{{range .Rows}}<tr><td>{{.Run}}</td><td class="name">{{.Name}}<small>{{.Model}}</small></td>{{range .Cells}}<td>{{.Mean.Text}}{{.Bar}}<small>{{if .Range}}{{.Range}}{{else}}{{.Lo.Text}} to {{.Hi.Text}}{{end}}</small></td>{{end}}{{range .Figures}}<td class="n">{{.Text}}</td>{{end}}</tr>
{{end}}</tbody></table></div>
<h2>What the tokens buy</h2>
{{if .Plot}}<div class="plots"><figure><figcaption>Success against tokens</figcaption>{{.Plot}}</figure></div>{{else}}<p class="soft">No setup has both a score and a count of tokens.</p>{{end}}`

type (
	runLine struct{ Name, Link, Verdict string }
	runFact struct {
		Name    string
		Values  []string
		Differs bool
	}
	runRow struct {
		Run string
		figuresRow
		Cells []setupCell
	}
	runsView struct {
		Title   string
		Runs    []runLine
		Facts   []runFact
		Differ  bool
		Metrics []string
		Rows    []runRow
		Plot    template.HTML
	}
)

// Runs makes one page of several runs: their verdicts, what differs between them, all their setups in one table and one
// plot. Runs are not compared with each other by tests: they need not have a task in common.
func Runs(runs []Run) ([]byte, error) {
	out := runsView{Title: fmt.Sprintf("%d runs", len(runs)), Facts: factsOf(runs)}
	for _, f := range out.Facts {
		out.Differ = out.Differ || f.Differs
	}
	for _, name := range []string{"success", "correctness_rate", "tool_use_score"} {
		m, _ := metric.Find(name)
		out.Metrics = append(out.Metrics, m.Title)
	}
	var points []costPoint
	for _, run := range runs {
		v := newView(run.Results, Options{})
		out.Runs = append(out.Runs, runLine{run.Name, run.Link, run.Results.VerdictLine()})
		for _, s := range run.Results.Setups {
			row := runRow{Run: run.Name}
			row.Name, row.Model = s.Arm.Setup, s.Arm.Model
			for _, name := range []string{"success", "correctness_rate", "tool_use_score"} {
				row.Cells = append(row.Cells, estimateCell(s.Metrics[name], ""))
			}
			row.Figures = []figure{roundedOf(s.MeanTokens, ""), roundedOf(s.TokensPerSuccess, ""), decimalOf(&s.Working.P50, 1, ""),
				wholeOf(s.Episodes, ""), wholeOf(s.HarnessErrors, "")}
			out.Rows = append(out.Rows, row)
		}
		before := len(points)
		for _, p := range v.costPoints("success") {
			p.Name += ", " + run.Name
			if p.Matches >= 0 {
				p.Matches += before
			}
			points = append(points, p)
		}
	}
	if len(points) > 0 {
		pareto(points)
		out.Plot = newCostPlot(points).svg(described("Success", points))
	}
	body, err := fill("runs", runsTemplate, out)
	if err != nil {
		return nil, err
	}
	p := newPage("Almanac: "+out.Title, "")
	p.Parts = []part{{"runs", "", body}}
	return render(p)
}

// factsOf lays what runs were made with beside each other.
func factsOf(runs []Run) []runFact {
	var out []runFact
	at := map[string]int{}
	for i, run := range runs {
		m := run.Results.Manifest
		list := append([]fact{{"Tasks", fmt.Sprintf("%s, %d, hash %.16s", m.Suite.Name, len(run.Results.Tasks), m.Suite.Hash)}}, facts(m)...)
		for _, f := range list {
			k, ok := at[f.Name]
			if !ok {
				k = len(out)
				at[f.Name] = k
				out = append(out, runFact{Name: f.Name, Values: make([]string, len(runs))})
			}
			if out[k].Values[i] != "" {
				out[k].Values[i] += "; "
			}
			out[k].Values[i] += f.Value
		}
	}
	for k := range out {
		for _, value := range out[k].Values {
			// When a run began says nothing about what it measured.
			out[k].Differs = out[k].Differs || value != out[k].Values[0] && out[k].Name != "Begun"
		}
	}
	return out
}
