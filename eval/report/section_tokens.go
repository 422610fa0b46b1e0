package report

import (
	"fmt"
	"html/template"
	"strings"

	"almanac/eval/metric"
)

var tokensSection = section{id: "tokens", title: "What the tokens buy", template: `
{{if .Plots}}<div class="plots">{{range .Plots}}<figure><figcaption>{{.Title}}</figcaption>{{.SVG}}</figure>{{end}}</div>
<p class="note">The line joins the setups that no other one beats with as few tokens. Whiskers are 95 % intervals.{{if .Zero}} Setups that ask no model stand left, at 0.{{end}}{{if .Controls}} Diamonds are controls matched in tokens.{{end}}{{if .Oracle}} The hollow point is shown the answer: a bound, not a competitor.{{end}}</p>
{{else}}<p class="soft">{{.Nothing}}</p>{{end}}
{{range .Notes}}<p class="note">{{.}}</p>{{end}}`, content: tokensContent}

type plotView struct {
	Title string
	SVG   template.HTML
}

type tokensView struct {
	Plots                  []plotView
	Zero, Controls, Oracle bool
	Nothing                string
	Notes                  []string
}

// controlOf is the setup whose tokens a control is matched to, by the control's name.
var controlOf = map[string]string{"single-sc": "squad"}

func tokensContent(v *view) any {
	out := tokensView{Nothing: "No setup has both a score and a count of tokens."}
	unknown := []string{}
	for _, s := range v.Setups {
		if s.MeanTokens == nil && s.Episodes > 0 {
			unknown = append(unknown, v.label(s.Arm))
		}
	}
	for _, name := range []string{"success", "correctness_rate"} {
		points := v.costPoints(name)
		if len(points) == 0 {
			continue
		}
		pareto(points)
		m, _ := metric.Find(name)
		out.Plots = append(out.Plots, plotView{m.Title + " against tokens", newCostPlot(points).svg(described(m.Title, points))})
		for _, p := range points {
			out.Zero, out.Controls, out.Oracle = out.Zero || p.Tokens == 0, out.Controls || p.Control, out.Oracle || p.Oracle
		}
	}
	if len(unknown) > 0 {
		out.Notes = append(out.Notes, "Not drawn, because the server did not count every token: "+strings.Join(unknown, ", ")+".")
	}
	if len(out.Plots) > 0 && !out.Controls {
		out.Notes = append(out.Notes, "There is no token-matched control in this run: single-sc would show what one agent makes of as many tokens.")
	}
	return out
}

func (v *view) costPoints(name string) []costPoint {
	var out []costPoint
	at := map[[2]string]int{}
	for _, s := range v.Setups {
		e := s.Metrics[name]
		if s.MeanTokens == nil || e.Mean == nil {
			continue
		}
		at[[2]string{s.Arm.Setup, s.Arm.Model}] = len(out)
		_, control := controlOf[s.Arm.Setup]
		out = append(out, costPoint{Name: v.label(s.Arm), Tokens: *s.MeanTokens, Score: *e.Mean, Lo: e.Lo, Hi: e.Hi, Control: control,
			Oracle: s.Arm.Setup == "oracle", Matches: -1})
	}
	for key, i := range at {
		if other, ok := controlOf[key[0]]; ok {
			if j, ok := at[[2]string{other, key[1]}]; ok {
				out[i].Matches = j
			}
		}
	}
	return out
}

// described tells in words what a plot shows.
func described(title string, points []costPoint) string {
	parts := make([]string, len(points))
	for i, p := range points {
		parts[i] = fmt.Sprintf("%s %.1f %% at %s tokens", p.Name, p.Score*100, thousands(int64(p.Tokens+0.5)))
	}
	return title + " against tokens an episode: " + strings.Join(parts, "; ")
}
