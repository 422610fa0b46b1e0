package cli

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"almanac/eval"
	"almanac/eval/report"
	"almanac/eval/runlog"

	"github.com/spf13/cobra"
)

// reportFormats are the formats of a report; html is written into the run's folder, the others are printed.
var reportFormats = []string{"html", "md", "csv", "json"}

// runsPage is the page of several runs, where no other is asked for.
const runsPage = "almanac-runs.html"

type reportOptions struct {
	format, out string
	latex       bool
}

func (p *program) reportCommand() *cobra.Command {
	var o reportOptions
	cmd := &cobra.Command{
		Use: "report RUN…", Short: "Write the reports of runs again, and print the verdicts", Args: atLeastOne("run folder"),
		Long: "Write the report of each run into its folder, report.html and report.md, and print its verdict. Several runs get a page of their own\n" +
			"as well, with what differs between them in red. With --format md, csv or json, or --latex, the report is printed instead:\n" +
			"md is the same for a terminal, csv a row a setup and metric, json is results.json, and --latex the tables for a paper.",
		Example: "  almanac eval report runs/demo\n  almanac eval report runs/small runs/large --out both.html\n" +
			"  almanac eval report runs/demo --format md\n  almanac eval report runs/demo --latex > tables.tex",
		RunE: func(_ *cobra.Command, args []string) error { return p.evalReport(args, o) },
	}
	cmd.Flags().StringVar(&o.format, "format", "html", "html, md, csv or json")
	cmd.Flags().BoolVar(&o.latex, "latex", false, "print the tables for a paper")
	cmd.Flags().StringVar(&o.out, "out", "", "file to write instead: the page of several runs (default "+runsPage+"), or what would be printed")
	return cmd
}

func (p *program) evalReport(dirs []string, o reportOptions) error {
	if !slices.Contains(reportFormats, o.format) {
		return usage("there is no format %q; there are %s", o.format, strings.Join(reportFormats, ", "))
	}
	if o.latex && o.format != "html" {
		return usage("--latex and --format %s are two formats: ask for one", o.format)
	}
	if o.out != "" && o.format == "html" && !o.latex && len(dirs) < 2 {
		return usage("--out is the page of several runs; the report of one run is written into its folder, %s", reportPath(dirs[0]))
	}
	runs := make([]report.Run, len(dirs))
	for i, dir := range dirs {
		res, err := eval.ReadRun(dir)
		if err != nil {
			return runError(err)
		}
		runs[i] = report.Run{Name: filepath.Clean(dir), Results: res}
	}
	if o.latex || o.format != "html" {
		return p.printReports(runs, o)
	}
	return p.writeReports(dirs, runs, o.out)
}

// printReports prints reports one after another, or writes them into a file.
func (p *program) printReports(runs []report.Run, o reportOptions) error {
	var b bytes.Buffer
	var results []json.RawMessage
	for i, run := range runs {
		if i > 0 && o.format != "json" {
			b.WriteString("\n")
		}
		switch {
		case o.latex:
			b.Write(report.LaTeX(run.Results))
		case o.format == "md":
			b.Write(report.Markdown(run.Results))
		case o.format == "csv":
			b.Write(run.Results.MetricsCSV())
		default:
			data, err := run.Results.JSON()
			if err != nil {
				return err
			}
			results = append(results, data)
		}
	}
	if o.format == "json" && !o.latex {
		if len(results) == 1 {
			b.Write(results[0])
		} else if err := encodeIndented(&b, results); err != nil {
			return err
		}
	}
	if o.out != "" {
		return runlog.WriteFile(o.out, b.Bytes())
	}
	if p.json && (o.latex || o.format != "json") {
		return p.print(map[string]any{"report": b.String()})
	}
	_, err := p.Out.Write(b.Bytes())
	return err
}

func encodeIndented(b *bytes.Buffer, v any) error {
	e := json.NewEncoder(b)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// writeReports writes each run's report into its folder, and the page of several runs.
func (p *program) writeReports(dirs []string, runs []report.Run, out string) error {
	if out == "" {
		out = runsPage
	}
	verdicts := []map[string]any{}
	for i, dir := range dirs {
		if err := report.Write(dir, runs[i].Results); err != nil {
			return err
		}
		runs[i].Link = linkFrom(out, reportPath(dir))
		if p.json {
			verdicts = append(verdicts, map[string]any{"run": dir, "verdict": runs[i].Results.VerdictLine(), "report": reportPath(dir)})
			continue
		}
		if err := p.summary(dir, runs[i].Results); err != nil {
			return err
		}
	}
	if len(runs) > 1 {
		page, err := report.Runs(runs)
		if err != nil {
			return err
		}
		if err := runlog.WriteFile(out, page); err != nil {
			return err
		}
		p.say("All runs on one page: %s", out)
	}
	if p.json {
		return p.print(verdicts)
	}
	return nil
}

// linkFrom is how a page names another file: relative to its own folder where that can be.
func linkFrom(page, file string) string {
	from, err := filepath.Abs(filepath.Dir(page))
	if err != nil {
		return ""
	}
	to, err := filepath.Abs(file)
	if err != nil {
		return ""
	}
	rel, err := filepath.Rel(from, to)
	if err != nil {
		return ""
	}
	return filepath.ToSlash(rel)
}
