package cli

import (
	"errors"
	"fmt"

	"almanac/eval"

	"github.com/spf13/cobra"
)

func (p *program) evalDiffCommand() *cobra.Command {
	var common bool
	cmd := &cobra.Command{
		Use: "diff RUN_A RUN_B", Short: "Compare two runs, paired by task: two models, or two versions", Args: exactly(2, "two run folders"),
		Example: "  almanac eval diff runs/qwen-1.5b runs/qwen-0.5b\n  almanac eval diff runs/new runs/old --common --json",
		RunE:    func(_ *cobra.Command, args []string) error { return p.evalDiff(args[0], args[1], common) },
	}
	cmd.Flags().BoolVar(&common, "common", false, "compare the tasks that both runs have, unchanged, and leave the others out")
	return cmd
}

func (p *program) evalDiff(dirA, dirB string, common bool) error {
	a, err := eval.ReadRun(dirA)
	if err != nil {
		return runError(err)
	}
	b, err := eval.ReadRun(dirB)
	if err != nil {
		return runError(err)
	}
	d, err := eval.Diff(a, b, eval.DiffOptions{Common: common})
	if errors.Is(err, eval.ErrOtherTasks) {
		return &exit{exitUsage, err}
	}
	if err != nil {
		return err
	}
	if p.json {
		return p.print(d.JSON())
	}
	fmt.Fprintf(p.Out, "A %s\nB %s\n%s compared\n\n", dirA, dirB, plural(d.Tasks, "task"))
	t := newTable("SETUP", "METRIC", "A %", "B %", "A − B", "95 %", "P (HOLM)", "VERDICT", "TOKENS A/B")
	for _, x := range d.Differences {
		interval := "–"
		if x.Lo != nil && x.Hi != nil {
			interval = eval.Points(x.Lo) + " to " + eval.Points(x.Hi)
		}
		ratio := "–"
		if x.Tokens.Mean != nil {
			ratio = fmt.Sprintf("%.2f", *x.Tokens.Mean)
		}
		t.add(x.A.Setup, x.Metric, eval.Percent(x.MeanA), eval.Percent(x.MeanB), eval.Points(x.Diff), interval, eval.PValue(x.PHolm), x.Paired.Verdict, ratio)
	}
	if err := t.write(p.Out); err != nil {
		return err
	}
	for _, s := range d.Settings {
		fmt.Fprintf(p.Out, "differs: %s\n", s)
	}
	if len(d.LeftOut) > 0 {
		fmt.Fprintf(p.Out, "left out: %s that only one run has, or that changed\n", plural(len(d.LeftOut), "task"))
	}
	for _, u := range d.Unpaired {
		fmt.Fprintf(p.Out, "only in one run: %s\n", u)
	}
	return nil
}
