package report

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"html"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"almanac/eval"
	"almanac/eval/internal/sample"
	"almanac/eval/runlog"
)

// run makes a run of the sample in a folder.
func run(t *testing.T, tasks []eval.Task, arms []eval.Arm) (string, *eval.Results) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	f, err := runlog.Create(dir, runlog.Manifest{
		ID: "sample", Version: "v0.1.0", Commit: "abc1234", Go: "go1.26", Created: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC),
		Suite: runlog.Suite{Name: "sample", Hash: strings.Repeat("5a", 32)}, Seed: 7,
		Models:   []runlog.Model{{Name: "scripted:sample", Digest: strings.Repeat("c0", 32), Quantisation: "Q4_K_M", Server: "0.17.4", Context: 8192}},
		Host:     runlog.Host{OS: "linux", Arch: "amd64", CPUs: 2},
		Settings: map[string]string{"temperature": "0", "budget": "8 model calls, 20 tool calls, 20 000 tokens"},
		Command:  []string{"almanac", "compare", "--suite", "sample", "--setups", "search,squad,single"},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	out, err := eval.Run(context.Background(), f, &runlog.Events{}, tasks, arms, eval.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return dir, out.Results
}

func pageOf(t *testing.T, r *eval.Results) string {
	t.Helper()
	p, err := HTML(r, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return string(p.HTML)
}

// ALMANAC_REPORT_DIR keeps the sample's report, to be looked at in a browser.
func TestSampleReport(t *testing.T) {
	dir, r := run(t, sample.Tasks(16, true), sample.Arms(nil))
	if err := Write(dir, r); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "report.html"))
	if err != nil {
		t.Fatal(err)
	}
	if keep := os.Getenv("ALMANAC_REPORT_DIR"); keep != "" {
		if err := os.CopyFS(keep, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
	}
	text := html.UnescapeString(string(data))
	v := r.Verdict()
	for _, want := range []string{"squad", eval.Points(v.Diff) + " points", eval.PText(v.PHolm), "How to run it again", "mean-sst-03",
		"data.region_series(", "almanac compare --suite sample"} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	md, err := os.ReadFile(filepath.Join(dir, "report.md"))
	if err != nil || !bytes.Contains(md, []byte(r.VerdictLine())) {
		t.Errorf("report.md: %v", err)
	}
}

// The page must need nothing from elsewhere and run nothing but its own script, which does not change what it says; every link inside it must lead somewhere.
func TestReportIsSelfContained(t *testing.T) {
	_, r := run(t, sample.Tasks(6, false), sample.Arms(nil))
	text := pageOf(t, r)
	text, own := strings.CutSuffix(text, "<script>"+script+"</script></body></html>\n")
	if !own {
		t.Error("the page does not end in its script")
	}
	text += "</body></html>"
	ids, links := map[string]bool{}, []string{}
	d := xml.NewDecoder(strings.NewReader(text))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		tok, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		switch tok.Name.Local {
		case "script", "link", "img", "iframe":
			t.Errorf("the page has a %s", tok.Name.Local)
		}
		for _, a := range tok.Attr {
			switch {
			case a.Name.Local == "id":
				if ids[a.Value] {
					t.Errorf("two elements have the id %s", a.Value)
				}
				ids[a.Value] = true
			case a.Name.Local == "href":
				links = append(links, a.Value)
			case strings.HasPrefix(a.Name.Local, "on"):
				t.Errorf("a handler %s", a.Name.Local)
			}
		}
	}
	if len(links) == 0 {
		t.Error("no links")
	}
	for _, l := range links {
		if !strings.HasPrefix(l, "#") || !ids[l[1:]] {
			t.Errorf("the link %s leads nowhere", l)
		}
	}
	if m := regexp.MustCompile(`https?://[^\s"<]+|@import|url\(`).FindString(text); m != "" {
		t.Errorf("the page refers to %s", m)
	}
	if strings.Contains(text, "NaN") || strings.Contains(text, "Inf") || strings.Contains(text, "%!") {
		t.Error("the page shows NaN, Inf or a broken format")
	}
}

// What comes from a task or a model is shown as text, whatever it holds.
func TestReportEscapes(t *testing.T) {
	tasks := sample.Tasks(2, false)
	tasks[0].Task.Question = `<script>alert(1)</script>`
	_, r := run(t, tasks, sample.Arms(nil))
	if text := pageOf(t, r); strings.Contains(text, "<script>alert") || !strings.Contains(text, "&lt;script&gt;") {
		t.Error("a question is not escaped")
	}
}

func TestOnlyOneSetup(t *testing.T) {
	_, r := run(t, sample.Tasks(3, false), sample.Arms(nil)[:1])
	text := pageOf(t, r)
	if !strings.Contains(text, "fewer than two setups contend") || !strings.Contains(text, "No setup used a model") {
		t.Error("parts without content do not say why")
	}
	if md := string(Markdown(r)); !strings.Contains(md, "nothing to compare") {
		t.Error(md)
	}
}

func TestNothingWasRun(t *testing.T) {
	r, err := eval.Summarise(runlog.Manifest{}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	pageOf(t, r)
	Markdown(r)
}

// With many episodes a hundred traces are inside, the others beside, and every link leads to a file that is written.
func TestManyEpisodes(t *testing.T) {
	dir, r := runOf(t, sample.Tasks(50, false), sample.Arms(nil), 1, "scripted:sample")
	if err := Write(dir, r); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "report.html"))
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(data, []byte(`<details class="trace" id="ep-`)); n != maxTraces {
		t.Errorf("%d traces inside", n)
	}
	links := regexp.MustCompile(`href="(episodes/[^"]+)"`).FindAllSubmatch(data, -1)
	if len(links) == 0 {
		t.Error("no link to a trace beside the page")
	}
	for _, l := range links {
		if _, err := os.Stat(filepath.Join(dir, string(l[1]))); err != nil {
			t.Error(err)
		}
	}
}

func TestSVGStaysOnItsTrack(t *testing.T) {
	v := func(x float64) *float64 { return &x }
	bar := string(intervalBar(v(0.9), v(0.4), v(1.4)))
	for _, m := range regexp.MustCompile(`(?:x[12]|cx)="([-\d.]+)"`).FindAllStringSubmatch(bar, -1) {
		var x float64
		if _, err := fmt.Sscan(m[1], &x); err != nil || x < 0 || x > 132 {
			t.Errorf("%s in %s", m[1], bar)
		}
	}
	if scaleOf([]difference{{v(0.2), v(-0.3), v(0.4), ""}}) != 0.5 {
		t.Error("scale")
	}
}
