package cli

import (
	"fmt"
	"strings"

	"almanac/orchestrator"

	"github.com/spf13/cobra"
)

func (p *program) setupsCommand() *cobra.Command {
	list := &cobra.Command{
		Use: "list", Short: "List the setups that can be compared, and the ablations of squad", Args: cobra.NoArgs,
		Example: "  almanac setups list\n  almanac setups list --json",
		RunE:    func(*cobra.Command, []string) error { return p.setupsList() },
	}
	show := &cobra.Command{
		Use: "show NAME", Short: "Show a setup: how it works, its source, what is faithful and what is hardened, its prompts",
		Args:    exactly(1, "the name of a setup"),
		Example: "  almanac setups show magentic\n  almanac setups show squad-no-ts --json",
		RunE:    func(_ *cobra.Command, args []string) error { return p.setupsShow(args[0]) },
	}
	return group("setups", "List and show the setups: the ways to solve a task that are compared", list, show)
}

// setupNames are all setups that can be named: those of their own, then the ablations.
func setupNames() []string { return append(orchestrator.Names(), orchestrator.AblationGrid()[1:]...) }

func (p *program) setupsList() error {
	all := []orchestrator.Description{}
	for _, name := range setupNames() {
		d, err := orchestrator.Describe(name)
		if err != nil {
			return err
		}
		all = append(all, d)
	}
	if p.json {
		return p.print(all)
	}
	t := newTable("SETUP", "MODEL", "WHAT DIFFERS")
	for _, d := range all {
		model := "no"
		if d.Model {
			model = "yes"
		}
		t.add(d.Name, model, d.Differs)
	}
	return t.write(p.Out)
}

func (p *program) setupsShow(name string) error {
	d, err := orchestrator.Describe(name)
	if err != nil {
		return &exit{exitUsage, err}
	}
	if p.json {
		return p.print(d)
	}
	fmt.Fprintf(p.Out, "%s: %s\n\n%s\n", paint(p.Out, bold, d.Name), d.Differs, wrapped(d.Summary, 100))
	if d.Diagram != "" {
		fmt.Fprintf(p.Out, "\n%s\n", indented(strings.TrimRight(d.Diagram, "\n"), 2))
	}
	for _, part := range [][2]string{{"Source", d.Source}, {"As published", d.Faithful}, {"Hardened", d.Hardened}} {
		if part[1] != "" {
			fmt.Fprintf(p.Out, "\n%s\n%s\n", part[0], indented(wrapped(part[1], 98), 2))
		}
	}
	for _, f := range d.Prompts {
		fmt.Fprintf(p.Out, "\n%s\n%s\n", paint(p.Out, bold, "Prompt "+f.File), indented(strings.TrimRight(f.Text, "\n"), 2))
	}
	return nil
}
