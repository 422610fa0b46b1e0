package report

import (
	"fmt"
	"strings"

	"almanac/eval"
	"almanac/eval/metric"

	"github.com/mattn/go-runewidth"
)

// Markdown is the report for a terminal: the verdict, the tables and a line for each task.
func Markdown(r *eval.Results) []byte {
	var b strings.Builder
	m := r.Manifest
	fmt.Fprintf(&b, "# Almanac: %s\n\n%s\n\n", m.Suite.Name, r.VerdictLine())
	for _, e := range r.HarnessErrors {
		fmt.Fprintf(&b, "- harness error, in no score: %s: %s\n", e.ID, e.Reason)
	}
	for _, u := range r.Unstarted {
		fmt.Fprintf(&b, "- not run: %s\n", u)
	}
	b.WriteString("\n## Setups\n\n")
	b.WriteString(grid(setupLines(r)))
	b.WriteString("\n## Paired differences\n\n")
	if len(r.Paired) == 0 {
		b.WriteString("There is nothing to compare: fewer than two setups contend (oracle and none only bound what can be reached).\n")
	} else {
		b.WriteString(grid(differenceLines(r)))
	}
	b.WriteString("\n## Tasks\n\n")
	b.WriteString(grid(taskLines(r)))
	fmt.Fprintf(&b, "\n## Again\n\n    %s\n", strings.Join(quoted(m.Command), " "))
	return []byte(b.String())
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

func setupLines(r *eval.Results) [][]string {
	head := []string{"setup"}
	for _, name := range tabled {
		m, _ := metric.Find(name)
		head = append(head, m.Title)
	}
	rows := [][]string{append(head, "tokens", "a success", "model calls", "tool calls", "p50 s", "harness")}
	for _, s := range r.Setups {
		row := []string{name(s)}
		for _, name := range tabled {
			c := estimateCell(s.Metrics[name])
			row = append(row, strings.TrimSpace(strings.TrimSuffix(c.Mean, " %")+" ["+c.Range+"]"))
		}
		rows = append(rows, append(row, number(s.MeanTokens), number(s.TokensPerSuccess), fmt.Sprint(s.ModelCalls), fmt.Sprint(s.ToolCalls),
			fmt.Sprintf("%.1f", s.Working.P50), fmt.Sprint(s.HarnessErrors)))
	}
	return rows
}

func name(s *eval.Summary) string {
	if s.Arm.Model == "" {
		return s.Arm.Setup
	}
	return s.Arm.Setup + " (" + s.Arm.Model + ")"
}

func differenceLines(r *eval.Results) [][]string {
	rows := [][]string{{"comparison", "metric", "points", "95 % interval", "p (Holm)", "verdict", "earns tokens"}}
	for _, c := range r.Paired {
		m, _ := metric.Find(c.Metric)
		interval, earns := "–", "–"
		if c.Lo != nil && c.Hi != nil {
			interval = eval.Points(c.Lo) + " to " + eval.Points(c.Hi)
		}
		if c.EarnsTokens != nil {
			earns = map[bool]string{true: "yes", false: "no"}[*c.EarnsTokens]
		}
		rows = append(rows, []string{c.A.Setup + " − " + c.B.Setup, m.Title, eval.Points(c.Diff), interval, eval.PValue(c.PHolm), c.Paired.Verdict, earns})
	}
	return rows
}

// taskLines show for each task which setups solved it, as solved of repeats.
func taskLines(r *eval.Results) [][]string {
	head := []string{"task"}
	for _, s := range r.Setups {
		head = append(head, name(s))
	}
	rows := [][]string{head}
	for _, t := range r.Tasks {
		row := []string{t.Task.ID}
		for _, s := range r.Setups {
			row = append(row, solved(r, s, t.Task.ID))
		}
		rows = append(rows, row)
	}
	return rows
}

func solved(r *eval.Results, s *eval.Summary, task string) string {
	n, of := 0, 0
	for _, e := range r.Episodes {
		if e.Arm != s.Arm || e.Task.Task.ID != task || e.Harness {
			continue
		}
		of++
		if e.Scores.Success() {
			n++
		}
	}
	switch {
	case of == 0:
		return "–"
	case of == 1:
		return map[int]string{0: "no", 1: "yes"}[n]
	}
	return fmt.Sprintf("%d/%d", n, of)
}
