package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"os"
	"path/filepath"

	"almanac/eval"
	"almanac/eval/runlog"
)

// maxTraces is the number of traces inside the page; further ones are files beside it.
const maxTraces = 100

//go:embed style.css
var style string

// section is a part of the report: the text of its template, and what fills it. A nil content leaves it out.
type section struct {
	id, title string
	template  string
	content   func(*view) any
}

// sections are the parts of the report, in order.
func sections() []section {
	return []section{verdictSection, comparedSection, setupsSection, differencesSection, twoByTwoSection, failuresSection,
		rolesSection, tracesSection, againSection}
}

// view is what sections are filled from.
type view struct {
	*eval.Results
	inside map[string]bool // episodes whose trace is in the page
}

// Page is the report and what stands beside it.
type Page struct {
	HTML []byte
	// Traces are further pages by episode id, for what does not fit into the page.
	Traces map[string][]byte
}

const pageTemplate = `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{{.Title}}</title>
<style>{{.Style}}</style></head>
<body><main>
<header class="top"><p class="brand">Almanac</p><p class="run">{{.Subtitle}}</p></header>
{{range .Parts}}<section id="{{.ID}}">{{if .Title}}<h2>{{.Title}}</h2>{{end}}
{{.Body}}
</section>
{{end}}</main></body></html>
`

type part struct {
	ID, Title string
	Body      template.HTML
}

type page struct {
	Title, Subtitle string
	Style           template.CSS
	Parts           []part
}

// HTML makes the report of one run.
func HTML(r *eval.Results) (*Page, error) {
	v := &view{Results: r, inside: map[string]bool{}}
	v.choose()
	m := r.Manifest
	p := page{
		Title: "Almanac: " + m.Suite.Name, Style: template.CSS(style),
		Subtitle: fmt.Sprintf("%s · %d tasks · %d episodes · %s", m.Suite.Name, len(r.Tasks), len(r.Episodes), m.Created.Format("2 January 2006")),
	}
	for _, s := range sections() {
		content := s.content(v)
		if content == nil {
			continue
		}
		body, err := fill(s.id, s.template, content)
		if err != nil {
			return nil, err
		}
		p.Parts = append(p.Parts, part{s.id, s.title, body})
	}
	out := &Page{Traces: map[string][]byte{}}
	var err error
	if out.HTML, err = render(p); err != nil {
		return nil, err
	}
	for _, e := range r.Episodes {
		if v.inside[e.ID] {
			continue
		}
		if out.Traces[e.ID], err = v.alone(p, e); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// alone is the page of one trace.
func (v *view) alone(p page, e *eval.EpisodeResult) ([]byte, error) {
	body, err := fill("alone", traceTemplate+`<p><a href="../report.html">Back to the report</a></p><h1>{{.Task}}</h1><p>{{.Question}}</p>{{template "trace" .}}`, v.trace(e, true))
	if err != nil {
		return nil, err
	}
	p.Title = "Almanac: " + e.ID
	p.Parts = []part{{"trace", "", body}}
	return render(p)
}

func render(p page) ([]byte, error) {
	var b bytes.Buffer
	if err := template.Must(template.New("page").Parse(pageTemplate)).Execute(&b, p); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	return b.Bytes(), nil
}

// fill executes a section's template; what comes out is HTML already.
func fill(name, text string, content any) (template.HTML, error) {
	t, err := template.New(name).Parse(text)
	if err != nil {
		return "", fmt.Errorf("report: section %s: %w", name, err)
	}
	var b bytes.Buffer
	if err := t.Execute(&b, content); err != nil {
		return "", fmt.Errorf("report: section %s: %w", name, err)
	}
	return template.HTML(b.String()), nil
}

// choose picks the traces for the page: task by task, so that setups stand beside each other.
func (v *view) choose() {
	byTask := map[string][]*eval.EpisodeResult{}
	for _, e := range v.Episodes {
		byTask[e.Task.Task.ID] = append(byTask[e.Task.Task.ID], e)
	}
	for _, t := range v.Tasks {
		for _, e := range byTask[t.Task.ID] {
			if len(v.inside) < maxTraces {
				v.inside[e.ID] = true
			}
		}
	}
}

// link leads to an episode's trace, in the page or beside it.
func (v *view) link(e *eval.EpisodeResult) string {
	if v.inside[e.ID] {
		return "#ep-" + e.ID
	}
	return "episodes/" + e.ID + ".html"
}

// Write writes report.html, report.md and the further traces into the run's folder.
func Write(dir string, r *eval.Results) error {
	p, err := HTML(r)
	if err != nil {
		return err
	}
	if len(p.Traces) > 0 {
		if err := os.MkdirAll(filepath.Join(dir, "episodes"), 0o755); err != nil {
			return fmt.Errorf("report: %w", err)
		}
	}
	for id, data := range p.Traces {
		// Thousands of small files: not flushed one by one, they can be made again from the log.
		if err := os.WriteFile(filepath.Join(dir, "episodes", id+".html"), data, 0o644); err != nil {
			return fmt.Errorf("report: %w", err)
		}
	}
	if err := runlog.WriteFile(filepath.Join(dir, "report.md"), Markdown(r)); err != nil {
		return err
	}
	return runlog.WriteFile(filepath.Join(dir, "report.html"), p.HTML)
}
