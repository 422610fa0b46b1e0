package report

import (
	"fmt"
	"strings"

	"almanac/eval"
	"almanac/eval/metric"
	"almanac/eval/stats"

	"github.com/mattn/go-runewidth"
)

// Markdown is the report for a terminal: the same parts, with tables where the page draws.
func Markdown(r *eval.Results) []byte {
	v := newView(r, Options{})
	b := &markdown{}
	m := r.Manifest
	fmt.Fprintf(b, "# Almanac: %s\n\n%s\n\n", m.Suite.Name, r.VerdictLine())
	for _, e := range r.HarnessErrors {
		fmt.Fprintf(b, "- harness error, in no score: %s: %s\n", e.ID, e.Reason)
	}
	for _, u := range r.Unstarted {
		fmt.Fprintf(b, "- not run: %s\n", u)
	}
	b.compared(v)
	b.table("Setups", "", setupLines(v))
	differences := v.differences()
	b.table("Paired differences", differences.Nothing, differenceLines(v))
	b.table("Who solved what", differences.Nothing, cellLines(v))
	b.strata(v)
	b.table("What the tokens buy", "No setup has both a score and a count of tokens.", costLines(v))
	b.table("How episodes failed", "No episode failed.", failureLines(v))
	b.selection(v)
	b.schedules(v)
	b.memory(v)
	b.repeats(v)
	fmt.Fprintf(b, "\n## Side by side\n\nTraces beside gold, and every episode with its schedule, stand in report.html.\n")
	b.sensitivity(v)
	b.table("Where the tokens went", "No setup used a model.", roleLines(v))
	b.table("Tasks", "No episode was run.", taskLines(v))
	fmt.Fprintf(b, "\n## How to run it again\n\n    %s\n", v.command())
	return []byte(b.String())
}

// markdown writes parts of the report.
type markdown struct{ strings.Builder }

// table writes a part that is a table; none says why there are no lines below its head.
func (b *markdown) table(title, none string, rows [][]string) {
	if title != "" {
		fmt.Fprintf(b, "\n## %s\n\n", title)
	}
	if len(rows) < 2 {
		b.WriteString(none + "\n")
		return
	}
	b.WriteString(grid(rows))
}

func (b *markdown) compared(v *view) {
	c := v.compared()
	b.WriteString("\n## What was compared\n\n")
	for _, f := range c.Facts {
		fmt.Fprintf(b, "- %s: %s\n", f.Name, f.Value)
	}
	if c.Changed != "" {
		fmt.Fprintf(b, "- **%s**\n", c.Changed)
	}
	for _, n := range c.Notes {
		fmt.Fprintf(b, "- **differs beside the setup:** %s\n", n)
	}
}

func (b *markdown) strata(v *view) {
	s := v.strata()
	b.WriteString("\n## Where the difference lies\n\n")
	if len(s.Tables) == 0 {
		b.WriteString("There is nothing to compare, and so nothing to split by kinds of task.\n")
	}
	for _, t := range s.Tables {
		rows := [][]string{{t.A + " − " + t.B, "tasks", "templates", t.A, t.B, "points", "95 % interval"}}
		head := ""
		for _, r := range t.Rows {
			name := r.Name
			if r.Head != "" {
				head = r.Head
			}
			if !r.All {
				name = head + ": " + name
			}
			rows = append(rows, []string{name, r.Tasks.Text, r.Templates.Text, r.MeanA.Text, r.MeanB.Text, r.Diff.Text, span(r.None, r.Lo, r.Hi)})
		}
		b.table("", "", rows)
	}
}

// span is an interval; none stands where there is none.
func span(none string, lo, hi figure) string {
	if none != "" {
		return none
	}
	return lo.Text + " to " + hi.Text
}

func (b *markdown) selection(v *view) {
	s := v.selection()
	head := []string{"setup", "episodes", "queries"}
	for _, k := range s.Ranks {
		head = append(head, fmt.Sprintf("recall@%d", k))
	}
	b.table("Tool selection", "No setup selected tools: each was shown all that it may use, or none.",
		figureLines(append(head, "recall of shown", "MRR", "tools shown"), s.Rows))
	b.WriteString("\n")
	b.table("", "No reply of a model held a tool call.", figureLines([]string{"setup", "native calls", "repaired calls", "replies of no use"}, s.Calls))
}

func figureLines(head []string, rows []figuresRow) [][]string {
	out := [][]string{head}
	for _, r := range rows {
		line := []string{r.Name}
		if r.Model != "" {
			line[0] += " (" + r.Model + ")"
		}
		for _, f := range r.Figures {
			line = append(line, f.Text)
		}
		out = append(out, line)
	}
	return out
}

func (b *markdown) schedules(v *view) {
	s := v.schedules()
	b.table("Schedules", "No setup wrote a schedule.", figureLines([]string{"setup", "episodes", "versions", "valid at once", "valid in the end",
		"repaired", "revisions", "memo hits", "side by side"}, s.Rows))
	for _, t := range []countsTable{s.Repairs, s.Problems, s.Calls} {
		fmt.Fprintf(b, "\n%s:\n\n", t.Title)
		b.table("", t.Nothing, figureLines(append([]string{t.Of}, t.Setups...), t.Rows))
	}
}

func (b *markdown) memory(v *view) {
	m := v.memory()
	rows := [][]string{{"setup", "asked", "empty", "hits", "state", "gain, points", "95 % interval", "leaked"}}
	for _, r := range m.Rows {
		line := figureLines(nil, []figuresRow{r.figuresRow})[1]
		leaked := "none"
		if r.Leaked != "" {
			leaked = r.Leaked
		}
		rows = append(rows, append(line, r.States, r.Gain.Text, span(r.None, r.Lo, r.Hi), leaked))
	}
	b.table("Workflow memory", m.Nothing, rows)
	for _, n := range m.Notes {
		b.WriteString("\n" + n + "\n")
	}
}

// grid lays out a Markdown table with aligned columns, so that it can be read as it stands. The first column is
// aligned left, the others right.
func grid(rows [][]string) string {
	width := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, c := range row {
			width[i] = max(width[i], runewidth.StringWidth(c), 3)
		}
	}
	var b strings.Builder
	for k, row := range rows {
		for i, c := range row {
			pad := strings.Repeat(" ", width[i]-runewidth.StringWidth(c))
			if i == 0 {
				b.WriteString("| " + c + pad + " ")
			} else {
				b.WriteString("| " + pad + c + " ")
			}
		}
		b.WriteString("|\n")
		if k == 0 {
			for i, w := range width {
				if i == 0 {
					b.WriteString("|" + strings.Repeat("-", w+2))
				} else {
					b.WriteString("|" + strings.Repeat("-", w+1) + ":")
				}
			}
			b.WriteString("|\n")
		}
	}
	return b.String()
}

func setupLines(v *view) [][]string {
	head := []string{"setup"}
	for _, name := range tabled {
		m, _ := metric.Find(name)
		head = append(head, m.Title)
	}
	rows := [][]string{append(head, "tokens", "a success", "model calls", "tool calls", "p50 s", "p95 s", "queue s", "harness")}
	for _, s := range v.Setups {
		row := []string{name(s)}
		for _, name := range tabled {
			row = append(row, bracketed(s.Metrics[name]))
		}
		rows = append(rows, append(row, number(s.MeanTokens), number(s.TokensPerSuccess), fmt.Sprint(s.ModelCalls), fmt.Sprint(s.ToolCalls),
			fmt.Sprintf("%.1f", s.Working.P50), fmt.Sprintf("%.1f", s.Working.P95), fmt.Sprintf("%.1f", s.Queue.Total), fmt.Sprint(s.HarnessErrors)))
	}
	return rows
}

// bracketed is a mean with its interval in brackets, both in percent.
func bracketed(e stats.Estimate) string {
	c := estimateCell(e, "")
	if c.Range == "" {
		c.Range = c.Lo.Text + " to " + c.Hi.Text
	}
	return strings.TrimSpace(strings.TrimSuffix(c.Mean.Text, " %") + " [" + c.Range + "]")
}

func name(s *eval.Summary) string {
	if s.Arm.Model == "" {
		return s.Arm.Setup
	}
	return s.Arm.Setup + " (" + s.Arm.Model + ")"
}

func differenceLines(v *view) [][]string {
	rows := [][]string{{"comparison", "metric", "points", "95 % interval", "p (Holm)", "verdict", "earns tokens"}}
	for i, c := range v.Paired {
		m, _ := metric.Find(c.Metric)
		r := v.differenceRow(c, i)
		if r.Model != "" {
			r.Pair += " (" + r.Model + ")"
		}
		rows = append(rows, []string{r.Pair, m.Title, r.Diff.Text, span(r.None, r.Lo, r.Hi), r.P.Text, r.Verdict, r.Earns})
	}
	return rows
}

func cellLines(v *view) [][]string {
	rows := [][]string{{"comparison", "both", "only the first", "only the second", "neither"}}
	for _, c := range v.Paired {
		if c.Metric == "success" {
			x := c.Cells
			rows = append(rows, []string{v.label(c.A) + ", " + v.label(c.B), fmt.Sprint(len(x.Both)), fmt.Sprint(len(x.OnlyA)), fmt.Sprint(len(x.OnlyB)), fmt.Sprint(len(x.Neither))})
		}
	}
	return rows
}

func costLines(v *view) [][]string {
	rows := [][]string{{"setup", "tokens", "success", "beaten at as few tokens", "control of"}}
	points := v.costPoints("success")
	pareto(points)
	for _, p := range points {
		beaten, of := "yes", nothing
		if p.Pareto {
			beaten = "no"
		}
		if p.Oracle {
			beaten = "shown the answer"
		}
		if p.Matches >= 0 {
			of = points[p.Matches].Name
		}
		rows = append(rows, []string{p.Name, thousands(int64(p.Tokens + 0.5)), fmt.Sprintf("%.1f %%", p.Score*100), beaten, of})
	}
	return rows
}

func failureLines(v *view) [][]string {
	f := v.failures()
	rows := [][]string{append([]string{"label"}, f.Setups...)}
	for _, r := range f.Rows {
		line := []string{r.Label}
		for _, s := range r.Shares {
			line = append(line, s.Text)
		}
		rows = append(rows, line)
	}
	return rows
}

func roleLines(v *view) [][]string {
	rows := [][]string{{"setup", "role", "prompt", "completion", "thinking", "total"}}
	for _, r := range v.roles() {
		rows = append(rows, []string{r.Setup, r.Role, r.Prompt, r.Completion, r.Thinking, r.Total.Text})
	}
	return rows
}

// taskLines show for each task which setups solved it, as solved of repeats.
func taskLines(v *view) [][]string {
	rows := [][]string{append([]string{"task"}, v.labels()...)}
	for _, t := range v.Tasks {
		row := []string{t.Task.ID}
		for _, s := range v.Setups {
			row = append(row, v.solved(s, t.Task.ID))
		}
		rows = append(rows, row)
	}
	return rows
}

func (v *view) solved(s *eval.Summary, task string) string {
	n, of := 0, 0
	for _, e := range v.byTask[task] {
		if e.Arm != s.Arm || e.Harness {
			continue
		}
		of++
		if e.Scores.Success() {
			n++
		}
	}
	switch {
	case of == 0:
		return nothing
	case of == 1:
		return map[int]string{0: "no", 1: "yes"}[n]
	}
	return fmt.Sprintf("%d/%d", n, of)
}
