package report

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"almanac/eval"
)

// The tables for a paper hold the figures of the report, escaped, with as many cells in each line as in the head.
func TestLaTeX(t *testing.T) {
	_, r := runOf(t, many(12), contenders("scripted:a"), 1, "scripted:a")
	text := string(LaTeX(r))
	columns := 0
	for _, line := range strings.Split(text, "\n") {
		if m := regexp.MustCompile(`^\\begin\{tabular\}\{(l?r*)\}$`).FindStringSubmatch(line); m != nil {
			columns = len(m[1])
		}
		if strings.HasSuffix(line, `\\`) && strings.Count(line, " & ") != columns-1 {
			t.Errorf("%d columns, but: %s", columns, line)
		}
		if !strings.HasPrefix(line, "%") && regexp.MustCompile(`(^|[^\\])[%_#]|[−–\x{202f}]`).MatchString(line) {
			t.Errorf("not escaped: %s", line)
		}
	}
	if n := strings.Count(text, `\begin{table}`); n != 3 {
		t.Errorf("%d tables", n)
	}
	s := r.Setups[2].Metrics["success"]
	for _, want := range []string{fmt.Sprintf("squad & %.1f [%.1f, %.1f] &", *s.Mean*100, *s.Lo*100, *s.Hi*100), `wrong\_tool &`, `squad $-$ single & Success & `} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestLaTeXWithoutContent(t *testing.T) {
	_, r := runOf(t, many(3), contenders("scripted:a")[12:], 1)
	if text := string(LaTeX(r)); !strings.Contains(text, "% Nothing to compare") {
		t.Error(text)
	}
}

// Markdown has every part of the page, and a table's lines are as wide as its head.
func TestMarkdownHasEveryPart(t *testing.T) {
	_, r := runOf(t, many(12), contenders("scripted:a"), 1, "scripted:a")
	text := string(Markdown(r))
	for _, s := range sections() {
		if s.title != "" && s.id != "traces" && !strings.Contains(text, "## "+s.title+"\n") {
			t.Errorf("no part %q", s.title)
		}
	}
	cells := 0
	for _, line := range strings.Split(text, "\n") {
		if !strings.HasPrefix(line, "|") {
			cells = 0
			continue
		}
		if n := strings.Count(line, "|"); cells != 0 && n != cells {
			t.Errorf("%d cells, not %d: %s", n, cells, line)
		} else {
			cells = n
		}
	}
}

func TestRunsNamesWhatDiffers(t *testing.T) {
	_, a := runOf(t, many(6), contenders("scripted:a"), 1, "scripted:a")
	_, b := runOf(t, many(6), contenders("scripted:a")[:5], 1, "scripted:a")
	b.Manifest.Models[0].Context = 4096
	page, err := Runs([]Run{{"one", "one/report.html", a}, {"two", "", b}})
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	for _, want := range []string{`<td class="name bad">Model</td>`, `<td class="name bad">Setups</td>`, `<td class="name">Repeats</td>`, `href="one/report.html"`, "squad, one", eval.Percent(a.Setups[2].Metrics["success"].Mean)} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
}

// With some of the episodes failed by the harness, figures stand for the rest: the page says how many are left out on both
// sides, and shows what each setup reached on its own.
func TestFieldD29ReportSaysWhatIsLeftOut(t *testing.T) {
	_, r := harnessed(t, 20, 6)
	text := pageOf(t, r)
	for _, want := range []string{"The harness failed 6 episodes", "6 tasks are left out of the paired comparison on both sides", "squad has a score for 14 of 20 episodes"} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %q", want)
		}
	}
}

// Where the harness failed everything there is no score, and the page shows none.
func TestFieldD27ReportShowsNoScore(t *testing.T) {
	_, r := harnessed(t, 4, 4)
	r.Setups = r.Setups[:1] // squad, that the harness failed throughout
	text := pageOf(t, r)
	if !strings.Contains(text, "There is no score") || strings.Contains(text, "0.0 %</span>") {
		t.Error("a score is shown, or it is not said that there is none")
	}
}
