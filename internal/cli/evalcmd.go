package cli

import (
	"context"
	"errors"
	"fmt"

	"almanac/eval"
	"almanac/eval/runlog"
	"almanac/orchestrator/event"

	"github.com/spf13/cobra"
)

func (p *program) evalCommand() *cobra.Command {
	var changed bool
	score := &cobra.Command{
		Use: "score RUN", Short: "Compute every figure of a run again from its log, without a model", Args: exactly(1, "a run folder"),
		Example: "  almanac eval score runs/demo",
		RunE:    func(_ *cobra.Command, args []string) error { return p.evalScore(args[0], changed) },
	}
	score.Flags().BoolVar(&changed, "changed-tasks", false, "score though the run's tasks have changed since, under their new hash")
	rep := p.reportCommand()
	verify := &cobra.Command{
		Use: "verify RUN", Short: "Check a run: hashes, provenance, every figure and total", Args: exactly(1, "a run folder"),
		Example: "  almanac eval verify runs/demo",
		RunE:    func(cmd *cobra.Command, args []string) error { return p.evalVerify(cmd, args[0]) },
	}
	schema := &cobra.Command{
		Use: "schema", Short: "Print the JSON Schema of a line of the log", Args: cobra.NoArgs, Example: "  almanac eval schema > events.schema.json",
		RunE: func(*cobra.Command, []string) error {
			s, err := event.Schema()
			if err != nil {
				return err
			}
			return p.print(s)
		},
	}
	return group("eval", "Score, report and verify runs", score, rep, verify, p.evalDiffCommand(), p.earthbenchCommand(), p.importCommand(), p.evalMetricsCommand(), schema)
}

func atLeastOne(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usage("%s wants at least one %s", cmd.CommandPath(), what)
		}
		return nil
	}
}

// runError gives an error about a run folder its exit code.
func runError(err error) error {
	for _, kind := range []error{runlog.ErrNoRun, runlog.ErrDamaged, runlog.ErrSchema, runlog.ErrLocked, runlog.ErrExists, eval.ErrChanged, eval.ErrTasks} {
		if errors.Is(err, kind) {
			return &exit{exitUsage, err}
		}
	}
	return err
}

func (p *program) evalScore(dir string, changed bool) error {
	folder, err := runlog.Lock(dir) // locked: another process may be writing
	if err != nil {
		return runError(err)
	}
	defer func() { p.closing(folder.Close) }()
	res, err := eval.ScoreRun(folder, eval.ScoreOptions{ChangedTasks: changed})
	if err != nil {
		return runError(err)
	}
	if res.Dropped > 0 {
		p.say("a torn last line of %d bytes is passed over", res.Dropped)
	}
	if err := res.Write(folder); err != nil {
		return err
	}
	return p.conclude(dir, res)
}

func (p *program) evalVerify(cmd *cobra.Command, dir string) error {
	w, err := p.workspace(cmd)
	if err != nil {
		return err
	}
	v, err := eval.Verify(context.WithoutCancel(cmd.Context()), dir, eval.VerifyOptions{Stated: w.Stated})
	if err != nil {
		return runError(err)
	}
	findings := []string{}
	for _, f := range v.Findings {
		findings = append(findings, f.String())
	}
	if p.json {
		err = p.print(map[string]any{
			"run": dir, "ok": len(findings) == 0, "episodes": v.Episodes, "figures": v.Figures, "artifacts": v.Artifacts,
			"messages": v.Messages, "chains": v.Chains, "findings": findings, "unverifiable": emptyList(v.Unverifiable),
		})
	} else {
		for _, f := range findings {
			fmt.Fprintln(p.Out, f)
		}
		for _, u := range v.Unverifiable {
			fmt.Fprintf(p.Out, "not verified: %s\n", u)
		}
		_, err = fmt.Fprintf(p.Out, "%s: %d episodes, %d figures, %d artifacts, %d messages, %d provenance chains looked at: %s\n",
			dir, v.Episodes, v.Figures, v.Artifacts, v.Messages, v.Chains, verdictOf(len(findings)))
	}
	if err != nil {
		return err
	}
	if len(findings) > 0 {
		return &exit{exitWanting, fmt.Errorf("%s: %s", dir, plural(len(findings), "finding"))}
	}
	return nil
}

func verdictOf(findings int) string {
	if findings == 0 {
		return "all hold"
	}
	return plural(findings, "finding")
}
