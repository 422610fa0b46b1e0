package report

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	"almanac/eval"
)

var failuresSection = section{id: "failures", title: "How episodes failed", template: `
{{if not .Rows}}<p class="soft">No episode failed.</p>{{else}}
<div class="stacks">{{range .Bars}}<div class="stack"><span class="who">{{.Name}}</span><span class="track">{{.SVG}}</span><span class="soft">{{.Failed}}</span></div>{{end}}</div>
<ul class="legend">{{range .Rows}}<li><span class="swatch {{.Class}}"></span>{{.Label}}</li>{{end}}</ul>
<p class="note">Each bar stacks how many of 100 episodes have each label; an episode that failed may have several, so a bar may be longer than the share that failed.</p>
<div class="wide" tabindex="0" role="group" aria-label="Failure modes"><table class="sortable"><thead><tr><th>Label</th>{{range .Setups}}<th class="n">{{.}}</th>{{end}}<th>Examples</th></tr></thead><tbody>
{{range .Rows}}<tr><td class="label">{{.Label}}<small>{{.Meaning}}</small></td>{{range .Shares}}{{.Td}}{{end}}<td class="examples">{{range .Examples}}<a href="{{.Link}}">{{.Task}}</a><br>{{end}}</td></tr>
{{end}}</tbody></table></div><p class="note">Share of a setup’s failed episodes (their number in brackets) that have the label.</p>{{end}}`, content: failuresContent}

type failureRow struct {
	Label, Meaning, Class string
	Shares                []figure
	Examples              []taskLink
}

type failureBar struct {
	Name, Failed string
	SVG          template.HTML
}

// families give labels that are of a kind one hue.
var families = [][]string{
	{"tool_not_retrieved", "wrong_tool", "missing_call", "repeated_call"},
	{"wrong_order", "wrong_argument", "schema_invalid"},
	{"reply_unreadable", "format", "unit"},
	{"tool_error", "context_overflow", "budget", "stalled"},
	{"premature_answer", "wrong_decline", "claim_without_call", "numeric_miss", "unbound"},
}

// hueOf is the class of a label's colour: its family, and its place in it.
func hueOf(label string) string {
	for i, f := range families {
		if j := slices.Index(f, label); j >= 0 {
			return fmt.Sprintf("f%d s%d", i, j)
		}
	}
	return "f5 s0"
}

type failuresView struct {
	Setups []string
	Rows   []failureRow
	Bars   []failureBar
}

func failuresContent(v *view) any { return v.failures() }

func (v *view) failures() failuresView {
	var out failuresView
	for _, s := range v.Setups {
		out.Setups = append(out.Setups, fmt.Sprintf("%s (%d)", v.label(s.Arm), s.Failed))
	}
	examples := v.examples()
	for _, l := range eval.FailureLabels() {
		row := failureRow{Label: l.Name, Meaning: l.Definition, Class: hueOf(l.Name), Examples: examples[l.Name]}
		found := false
		for i, s := range v.Setups {
			share, ok := s.Failures[l.Name]
			found = found || ok
			cell := figure{Text: nothing}
			if ok {
				cell = figure{fmt.Sprintf("%.0f %%", share*100), fmt.Sprintf("setups/%d/failures/%s", i, l.Name)}
			}
			row.Shares = append(row.Shares, cell)
		}
		if found {
			out.Rows = append(out.Rows, row)
		}
	}
	longest := 1.0
	for _, s := range v.Setups {
		longest = max(longest, labelsAnEpisode(s))
	}
	for _, s := range v.Setups {
		if s.Episodes > 0 {
			out.Bars = append(out.Bars, failureBar{v.label(s.Arm), fmt.Sprintf("%d of %d failed", s.Failed, s.Episodes), stack(s, longest)})
		}
	}
	return out
}

func labelsAnEpisode(s *eval.Summary) float64 {
	sum := 0.0
	for _, share := range s.Failures {
		sum += share
	}
	if s.Episodes == 0 {
		return 0
	}
	return sum * float64(s.Failed) / float64(s.Episodes)
}

// stack draws a setup's labels, each as long as the share of episodes that have it.
func stack(s *eval.Summary, longest float64) template.HTML {
	const width, height = 640.0, 18.0
	var b strings.Builder
	fmt.Fprintf(&b, `<svg viewBox="0 0 %.0f %.0f" preserveAspectRatio="none" role="img" aria-label="%d of %d episodes failed"><rect class="rest" x="0" y="0" width="%.0f" height="%.0f"/>`,
		width, height, s.Failed, s.Episodes, width, height)
	x := 0.0
	for _, l := range eval.FailureLabels() {
		w := s.Failures[l.Name] * float64(s.Failed) / float64(max(1, s.Episodes)) / longest * width
		if w <= 0 {
			continue
		}
		fmt.Fprintf(&b, `<rect class="%s" x="%.2f" y="0" width="%.2f" height="%.0f"><title>%s: %.0f %% of the failed</title></rect>`, hueOf(l.Name), x, max(0.5, w-1), height,
			l.Name, s.Failures[l.Name]*100)
		x += w
	}
	b.WriteString("</svg>")
	return template.HTML(b.String()) // labels are this program's own
}

// examples are up to two episodes with each label, of different setups where that can be.
func (v *view) examples() map[string][]taskLink {
	out := map[string][]taskLink{}
	setups := map[string][]string{}
	for _, e := range v.Episodes {
		if e.Harness {
			continue
		}
		for _, l := range e.Scores.Failures {
			if len(out[l]) < 2 && !slices.Contains(setups[l], e.Arm.Setup) {
				setups[l] = append(setups[l], e.Arm.Setup)
				out[l] = append(out[l], taskLink{e.Arm.Setup + ": " + e.Task.Task.ID, v.link(e)})
			}
		}
	}
	return out
}
