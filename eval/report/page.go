package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"os"
	"path/filepath"

	"almanac/eval"
	"almanac/eval/runlog"
)

//go:embed style.css
var style string

//go:embed script.js
var script string

// section is a part of the report: the text of its template, and what fills it. A nil content leaves it out.
type section struct {
	id, title string
	template  string
	content   func(*view) any
}

// sections are the parts of the report, in order.
func sections() []section {
	return []section{verdictSection, comparedSection, setupsSection, differencesSection, twoByTwoSection, strataSection,
		tokensSection, failuresSection, selectionSection, schedulesSection, memorySection, repeatsSection, sideSection,
		sensitivitySection, rolesSection, tracesSection, againSection}
}

// Options of a report. The zero value is useful.
type Options struct {
	// Message reads a model message by its hash; nil leaves what was said to models out of the traces.
	Message func(hash string) ([]byte, error)
}

// The policy lets the page run its own script and load nothing.
const pageTemplate = `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="{{.Policy}}">
<title>{{.Title}}</title>
{{if .Beside}}<link rel="stylesheet" href="style.css">{{else}}<style>{{.Style}}</style>{{end}}</head>
<body><main>
<header class="top"><p class="brand">Almanac</p><p class="run">{{.Subtitle}}</p></header>
{{range $i, $p := .Parts}}<section id="{{.ID}}">{{if .Title}}<h2>{{.Title}}</h2>{{end}}
{{.Body}}
{{if and (eq $i 0) $.Contents}}<nav aria-label="Parts of the report"><ul class="parts">{{range $.Parts}}{{if .Title}}<li><a href="#{{.ID}}">{{.Title}}</a></li>{{end}}{{end}}</ul></nav>{{end}}</section>
{{end}}</main>{{if not .Beside}}<script>{{.Script}}</script>{{end}}</body></html>
`

type part struct {
	ID, Title string
	Body      template.HTML
}

type page struct {
	Title, Subtitle, Policy string
	Style                   template.CSS
	Script                  template.JS
	Contents                bool // a list of the parts stands below the first
	Beside                  bool // it stands beside the report, and takes its style from a file
	Parts                   []part
}

// newPage is a page without parts.
func newPage(title, subtitle string) page {
	sum := sha256.Sum256([]byte(script))
	return page{
		Title: title, Subtitle: subtitle, Style: template.CSS(style), Script: template.JS(script),
		Policy: "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'",
	}
}

// Report is the report of one run: the page, and the traces that do not fit into it.
type Report struct {
	HTML []byte
	view *view
}

// HTML makes the report of one run.
func HTML(r *eval.Results, opt Options) (*Report, error) {
	v := newView(r, opt)
	m := r.Manifest
	p := newPage("Almanac: "+m.Suite.Name, fmt.Sprintf("%s · %d tasks · %d episodes · %s", m.Suite.Name, len(r.Tasks), len(r.Episodes),
		m.Created.Format("2 January 2006")))
	p.Contents = true
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
	if v.err != nil {
		return nil, v.err
	}
	html, err := render(p)
	return &Report{HTML: html, view: v}, err
}

// Beside returns the episodes whose trace is not in the page.
func (r *Report) Beside() []*eval.EpisodeResult {
	var out []*eval.EpisodeResult
	for _, e := range r.view.Episodes {
		if !r.view.inside[e.ID] {
			out = append(out, e)
		}
	}
	return out
}

// Trace makes the page of one episode, to stand in the folder episodes with a style.css.
func (r *Report) Trace(e *eval.EpisodeResult) ([]byte, error) {
	content := r.view.trace(e, true)
	if r.view.err != nil {
		return nil, r.view.err
	}
	body, err := execute(aloneTemplate, content)
	if err != nil {
		return nil, err
	}
	p := page{Title: "Almanac: " + e.ID, Beside: true, Policy: "default-src 'none'; style-src 'self' 'unsafe-inline'",
		Subtitle: r.view.Manifest.Suite.Name, Parts: []part{{"trace", "", body}}}
	return render(p)
}

// aloneTemplate is parsed once: a run may have thousands of traces.
var aloneTemplate = template.Must(template.New("alone").Parse(traceTemplate +
	`<p><a href="../report.html">Back to the report</a></p><h1>{{.Task}}</h1><p>{{.Question}}</p>{{template "trace" .}}`))

var parsedPage = template.Must(template.New("page").Parse(pageTemplate))

func render(p page) ([]byte, error) {
	var b bytes.Buffer
	if err := parsedPage.Execute(&b, p); err != nil {
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
	return execute(t, content)
}

func execute(t *template.Template, content any) (template.HTML, error) {
	var b bytes.Buffer
	if err := t.Execute(&b, content); err != nil {
		return "", fmt.Errorf("report: section %s: %w", t.Name(), err)
	}
	return template.HTML(b.String()), nil
}

// Write writes report.html, report.md and the further traces into the run's folder. Messages come from there too.
func Write(dir string, r *eval.Results) error {
	folder := &runlog.Folder{Dir: dir}
	rep, err := HTML(r, Options{Message: folder.Message})
	if err != nil {
		return err
	}
	if err := rep.writeTraces(filepath.Join(dir, "episodes")); err != nil {
		return err
	}
	if err := runlog.WriteFile(filepath.Join(dir, "report.md"), Markdown(r)); err != nil {
		return err
	}
	return runlog.WriteFile(filepath.Join(dir, "report.html"), rep.HTML)
}

func (r *Report) writeTraces(dir string) error {
	beside := r.Beside()
	if len(beside) == 0 {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "style.css"), []byte(style), 0o644); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	for _, e := range beside {
		data, err := r.Trace(e)
		if err != nil {
			return err
		}
		// Thousands of small files: not flushed one by one, they can be made again from the log.
		if err := os.WriteFile(filepath.Join(dir, e.ID+".html"), data, 0o644); err != nil {
			return fmt.Errorf("report: %w", err)
		}
	}
	return nil
}
