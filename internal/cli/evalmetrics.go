package cli

import (
	"fmt"

	"almanac/eval"
	"almanac/eval/metric"

	"github.com/spf13/cobra"
)

func (p *program) evalMetricsCommand() *cobra.Command {
	return &cobra.Command{
		Use: "metrics", Short: "List every metric: definition, source, range and direction, and the failure modes", Args: cobra.NoArgs,
		Example: "  almanac eval metrics\n  almanac eval metrics --json",
		RunE:    func(*cobra.Command, []string) error { return p.evalMetrics() },
	}
}

// described is a metric as --json prints it. Range is the lowest and the highest value that it can have.
type described struct {
	Name       string     `json:"name"`
	Title      string     `json:"title"`
	Definition string     `json:"definition"`
	Source     string     `json:"source"`
	Range      [2]float64 `json:"range"`
	Direction  string     `json:"direction"` // higher or lower: what is better
}

type failureMode struct {
	Name       string `json:"name"`
	Definition string `json:"definition"`
}

func (p *program) evalMetrics() error {
	out := struct {
		Metrics  []described   `json:"metrics"`
		Failures []failureMode `json:"failure_modes"`
	}{}
	for _, m := range metric.All() {
		out.Metrics = append(out.Metrics, described{m.Name, m.Title, m.Definition, m.Source, [2]float64{m.Low, m.High}, m.Direction()})
	}
	for _, l := range eval.FailureLabels() {
		out.Failures = append(out.Failures, failureMode{l.Name, l.Definition})
	}
	if p.json {
		return p.print(out)
	}
	for _, m := range out.Metrics {
		fmt.Fprintf(p.Out, "%s (%s): %g to %g, %s is better\n  %s\n  source: %s\n\n", m.Name, m.Title, m.Range[0], m.Range[1], m.Direction,
			m.Definition, m.Source)
	}
	fmt.Fprintln(p.Out, "Failure modes; a failed episode may have several:")
	for _, l := range out.Failures {
		if _, err := fmt.Fprintf(p.Out, "  %-20s %s\n", l.Name, l.Definition); err != nil {
			return err
		}
	}
	return nil
}
