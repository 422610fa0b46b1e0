package report

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	"almanac/eval"
	"almanac/eval/stats"
)

var repeatsSection = section{id: "repeats", title: "Reliability over repeats", template: `
{{if .Nothing}}<p class="soft">{{.Nothing}}</p>{{else}}{{if .Plot}}<div class="plots"><figure><figcaption>pass^k: all of k tries solve the task</figcaption>{{.Plot}}</figure></div>
<ul class="legend">{{range .Legend}}<li><span class="swatch {{.Class}}"></span>{{.Name}}</li>{{end}}</ul>{{end}}
<div class="wide" tabindex="0" role="group" aria-label="Figures over repeats"><table class="sortable"><thead><tr><th>Setup</th>{{range .Heads}}<th class="n">{{.}}</th>{{end}}</tr></thead><tbody>
{{range .Rows}}<tr><td class="name">{{.Name}}<small>{{.Model}}</small></td>{{range .Figures}}{{.Td}}{{end}}</tr>
{{end}}</tbody></table></div>
<p class="note">pass^k is C(c, k)/C(n, k), pass@k is 1 − C(n − c, k)/C(n, k), of n repeats of which c solved the task, a mean over tasks; plug-in: any of the first k. cv and SA want 5 repeats: gain is (pass@5 − pass@1)/pass@5, spread the standard deviation of pass@1, pass@3 and pass@5 over their mean; SA is pass@5/(1 + cv).{{range .Notes}} {{.}}{{end}}</p>{{end}}`, content: repeatsContent}

const oneRun = "Every task was run once: how reliably it is solved again would take --repeats."

type legendItem struct{ Name, Class string }

type repeatsView struct {
	Nothing string
	Plot    template.HTML
	Legend  []legendItem
	Heads   []string
	Rows    []figuresRow
	Notes   []string
}

func repeatsContent(v *view) any { return v.repeats() }

func (v *view) repeats() repeatsView {
	n := v.Manifest.Repeats
	if n < 2 {
		return repeatsView{Nothing: oneRun}
	}
	var out repeatsView
	ks := v.tried()
	for _, name := range []string{"pass^", "pass@", "plug-in @"} {
		for _, k := range ks {
			out.Heads = append(out.Heads, fmt.Sprintf("%s%d", name, k))
		}
	}
	out.Heads = append(out.Heads, "cv gain", "cv spread", "SA gain", "SA spread")
	for i, s := range v.Setups {
		row := figuresRow{Name: s.Arm.Setup, Model: s.Arm.Model}
		of := fmt.Sprintf("setups/%d/repeats/", i)
		for _, part := range []struct {
			key  string
			pick func(stats.Repeated) *float64
		}{{"pass_hat", func(r stats.Repeated) *float64 { return r.All }}, {"pass_at", func(r stats.Repeated) *float64 { return r.Pass }},
			{"pass_at_plug_in", func(r stats.Repeated) *float64 { return r.PlugIn }}} {
			for _, k := range ks {
				cell := figure{Text: nothing}
				for _, r := range s.Reliability.Over {
					if r.K == k {
						cell = percentOf(part.pick(r), fmt.Sprintf("%s%s/%d", of, part.key, k))
					}
				}
				row.Figures = append(row.Figures, cell)
			}
		}
		x := s.Reliability.Stability
		row.Figures = append(row.Figures, decimalOf(x.Gain, 3, of+"cv_gain"), decimalOf(x.Spread, 3, of+"cv_spread"),
			decimalOf(x.SAGain, 3, of+"sa_gain"), decimalOf(x.SASpread, 3, of+"sa_spread"))
		out.Rows = append(out.Rows, row)
		if last := s.Reliability.Over; len(last) > 0 && last[len(last)-1].Reason == stats.FewRepeats {
			out.Notes = append(out.Notes, v.label(s.Arm)+" has tasks with fewer repeats that count.")
		}
	}
	out.Plot, out.Legend = v.reliability()
	return out
}

// tried are the k that some setup has figures for.
func (v *view) tried() []int {
	var out []int
	for _, s := range v.Setups {
		for _, r := range s.Reliability.Over {
			if !slices.Contains(out, r.K) {
				out = append(out, r.K)
			}
		}
	}
	slices.Sort(out)
	return out
}

// reliability draws pass^k against k for every setup.
func (v *view) reliability() (template.HTML, []legendItem) {
	n := v.Manifest.Repeats
	x := func(k int) float64 {
		return plotLeft + 12 + float64(k-1)/float64(max(1, n-1))*(plotWidth-plotRight-plotLeft-24)
	}
	p := &costPlot{}
	var b strings.Builder
	var legend []legendItem
	var words []string
	for i, s := range v.Setups {
		class := fmt.Sprintf("c%d", i%8)
		path := ""
		for _, r := range s.Reliability.Over {
			if r.All == nil {
				continue
			}
			step := " L"
			if path == "" {
				step = "M"
			}
			path += fmt.Sprintf("%s%.1f %.1f", step, x(r.K), p.y(*r.All))
			fmt.Fprintf(&b, `<circle class="dot %s" cx="%.1f" cy="%.1f" r="3.5"><title>%s, k = %d: %.1f %%</title></circle>`, class, x(r.K), p.y(*r.All),
				template.HTMLEscapeString(v.label(s.Arm)), r.K, *r.All*100)
		}
		if path == "" {
			continue
		}
		dash := ""
		if i >= 8 { // the colours come round again
			dash = ` stroke-dasharray="6 3"`
		}
		fmt.Fprintf(&b, `<path class="curve %s" d="%s"%s/>`, class, path, dash)
		legend = append(legend, legendItem{v.label(s.Arm), class})
		words = append(words, reliabilityInWords(v.label(s.Arm), s))
	}
	if len(legend) == 0 {
		return "", nil
	}
	var head strings.Builder
	fmt.Fprintf(&head, `<svg class="plot" viewBox="0 0 %.0f %.0f" role="img" aria-label="%s">`, plotWidth, plotHeight, template.HTMLEscapeString(strings.Join(words, "; ")))
	for _, s := range []float64{0, 0.25, 0.5, 0.75, 1} {
		fmt.Fprintf(&head, `<line class="track" x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f"/><text x="%.1f" y="%.1f" text-anchor="end">%.0f %%</text>`,
			plotLeft, plotWidth-plotRight, p.y(s), p.y(s), plotLeft-6, p.y(s)+4, s*100)
	}
	for _, k := range v.tried() {
		fmt.Fprintf(&head, `<text x="%.1f" y="%.1f" text-anchor="middle">%d</text>`, x(k), plotHeight-plotBottom+16, k)
	}
	fmt.Fprintf(&head, `<text x="%.1f" y="%.1f" text-anchor="middle">tries that all solve it, k</text>`, (plotLeft+plotWidth-plotRight)/2, plotHeight-8)
	return template.HTML(head.String() + b.String() + "</svg>"), legend // names are escaped, the rest is numbers
}

func reliabilityInWords(name string, s *eval.Summary) string {
	var parts []string
	for _, r := range s.Reliability.Over {
		if r.All != nil {
			parts = append(parts, fmt.Sprintf("%.0f %%", *r.All*100))
		}
	}
	return name + ": " + strings.Join(parts, ", ")
}

func (b *markdown) repeats(v *view) {
	x := v.repeats()
	b.table("Reliability over repeats", x.Nothing, figureLines(append([]string{"setup"}, x.Heads...), x.Rows))
}
