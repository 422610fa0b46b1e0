package report

import (
	"fmt"
	"strings"

	"almanac/eval"
	"almanac/eval/metric"
)

// LaTeX writes the tables for a paper: the setups, the paired differences in success and correctness, and the failure
// modes. They want the package booktabs.
func LaTeX(r *eval.Results) []byte {
	v := newView(r, Options{})
	var b strings.Builder
	fmt.Fprintf(&b, "%% %s, hash %s; written by almanac eval report --latex. Wants \\usepackage{booktabs}.\n", r.Manifest.Suite.Name, r.Manifest.Suite.Hash)
	templates := map[string]bool{}
	for _, t := range r.Tasks {
		templates[t.Task.Template] = true
	}
	note := fmt.Sprintf("%d tasks of %d templates, %s of each; 95\\,\\%% intervals over templates in brackets.", len(r.Tasks), len(templates),
		plural(max(1, r.Manifest.Repeats), "run"))
	latexTable(&b, "setups", "Setups on \\texttt{"+latexText(r.Manifest.Suite.Name)+"}: "+note, latexSetups(v))
	if rows := latexDifferences(v); len(rows) > 1 {
		latexTable(&b, "differences", "Paired differences in points. $p$ is adjusted by Holm's method.", rows)
	} else {
		b.WriteString("% Nothing to compare: fewer than two setups contend.\n")
	}
	if rows := latexFailures(v); len(rows) > 1 {
		latexTable(&b, "failures", "Failure modes: share of a setup's failed episodes (their number in brackets), several an episode.", rows)
	} else {
		b.WriteString("% No episode failed.\n")
	}
	return []byte(b.String())
}

// latexTable writes rows, the first of which is the head; cells are LaTeX already.
func latexTable(b *strings.Builder, label, caption string, rows [][]string) {
	fmt.Fprintf(b, "\n\\begin{table}\n\\centering\n\\caption{%s}\n\\label{tab:%s}\n\\begin{tabular}{l%s}\n\\toprule\n", caption, label,
		strings.Repeat("r", len(rows[0])-1))
	for i, row := range rows {
		b.WriteString(strings.Join(row, " & ") + " \\\\\n")
		if i == 0 {
			b.WriteString("\\midrule\n")
		}
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\n\\end{table}\n")
}

func latexSetups(v *view) [][]string {
	head := []string{"Setup"}
	for _, name := range tabled {
		m, _ := metric.Find(name)
		head = append(head, latexText(m.Title))
	}
	rows := [][]string{append(head, "Tokens", "Tokens a success")}
	for _, s := range v.Setups {
		row := []string{latexText(v.label(s.Arm))}
		for _, name := range tabled {
			e := s.Metrics[name]
			cell := latexNumber(strings.TrimSuffix(eval.Percent(e.Mean), " %"))
			if e.Lo != nil && e.Hi != nil {
				cell += fmt.Sprintf(" [%.1f, %.1f]", *e.Lo*100, *e.Hi*100)
			}
			row = append(row, cell)
		}
		rows = append(rows, append(row, latexNumber(number(s.MeanTokens)), latexNumber(number(s.TokensPerSuccess))))
	}
	return rows
}

func latexDifferences(v *view) [][]string {
	rows := [][]string{{"Comparison", "Metric", "Difference", "$p$", "Tokens $\\times$", "Verdict"}}
	for i, c := range v.Paired {
		if c.Metric != "success" && c.Metric != "correctness_rate" {
			continue
		}
		m, _ := metric.Find(c.Metric)
		r := v.differenceRow(c, i)
		pair := latexText(c.A.Setup) + " $-$ " + latexText(c.B.Setup)
		if r.Model != "" {
			pair += " (" + latexText(r.Model) + ")"
		}
		diff := latexNumber(r.Diff.Text)
		if r.None == "" {
			diff += " [" + latexNumber(r.Lo.Text) + ", " + latexNumber(r.Hi.Text) + "]"
		}
		rows = append(rows, []string{pair, latexText(m.Title), diff, latexNumber(r.P.Text), latexNumber(r.Tokens.Text), r.Verdict})
	}
	return rows
}

func latexFailures(v *view) [][]string {
	f := v.failures()
	head := []string{"Label"}
	for _, s := range f.Setups {
		head = append(head, latexText(s))
	}
	rows := [][]string{head}
	for _, r := range f.Rows {
		row := []string{latexText(r.Label)}
		for _, s := range r.Shares {
			row = append(row, latexNumber(s.Text))
		}
		rows = append(rows, row)
	}
	return rows
}

// latexText escapes what LaTeX would read as its own.
func latexText(s string) string {
	return strings.NewReplacer(`\`, `\textbackslash{}`, "&", `\&`, "%", `\%`, "$", `\$`, "#", `\#`, "_", `\_`, "{", `\{`, "}", `\}`,
		"~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "·", `$\cdot$`, "–", "--", "−", "$-$", "<", "$<$", ">", "$>$", "\u202f", `\,`).Replace(s)
}

// latexNumber sets a figure as the page shows it: its minus, its thin spaces, its dash.
func latexNumber(s string) string {
	s = strings.ReplaceAll(s, " %", `\,%`)
	return strings.NewReplacer("%", `\%`, "−", "$-$", "+", "$+$", "<", "$<$", "\u202f", `\,`, nothing, "--").Replace(s)
}
