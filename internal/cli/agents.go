package cli

import (
	"fmt"
	"strings"

	"almanac/agents"
	"almanac/memory"

	"github.com/spf13/cobra"
)

type agentJSON struct {
	Name     string           `json:"name"`
	Purpose  string           `json:"purpose"`
	Tools    []string         `json:"tools"`
	Guidance string           `json:"guidance"`
	Examples []agents.Example `json:"examples"`
}

func (p *program) agentsCommand() *cobra.Command {
	list := &cobra.Command{
		Use: "list", Short: "List the specialists with their tools", Args: cobra.NoArgs, Example: "  almanac agents list",
		RunE: func(cmd *cobra.Command, _ []string) error { return p.agentsList(cmd) },
	}
	show := &cobra.Command{
		Use: "show NAME", Short: "Show a specialist: purpose, tools, guidance, examples", Args: exactly(1, "the name of an agent"),
		Example: "  almanac agents show gis",
		RunE:    func(cmd *cobra.Command, args []string) error { return p.agentsShow(cmd, args[0]) },
	}
	check := &cobra.Command{
		Use: "check", Short: "Warn of tools that cannot be told apart", Args: cobra.NoArgs,
		Long: "Compare the one-line purposes of all tools, two by two, and warn of those that say nearly the same: whoever chooses\n" +
			"between them, guesses.",
		Example: "  almanac agents check",
		RunE:    func(cmd *cobra.Command, _ []string) error { return p.agentsCheck(cmd) },
	}
	return group("agents", "List, show and check the specialists that a supervisor can call", list, show, check)
}

// members are the specialists with the tools of their own, those that everyone has left out.
func (p *program) members(cmd *cobra.Command) ([]agentJSON, error) {
	w, err := p.workspace(cmd)
	if err != nil {
		return nil, err
	}
	out := make([]agentJSON, len(w.Agents))
	for i, a := range w.Agents {
		out[i] = agentJSON{a.Name, a.Purpose, []string{}, a.Guidance, a.Examples}
		for _, t := range w.Tools.Names() {
			agent, _, _ := strings.Cut(t, ".")
			if a.Has(t) && !contains(agents.Anyone(), agent) {
				out[i].Tools = append(out[i].Tools, t)
			}
		}
	}
	return out, nil
}

func (p *program) agentsList(cmd *cobra.Command) error {
	all, err := p.members(cmd)
	if err != nil {
		return err
	}
	if p.json {
		return p.print(all)
	}
	t := newTable("AGENT", "TOOLS", "PURPOSE").numbers(1)
	for _, a := range all {
		t.add(a.Name, fmt.Sprint(len(a.Tools)), a.Purpose)
	}
	if err := t.write(p.Out); err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.Out, "\nEvery agent also has the tools of %s.\n", strings.Join(agents.Anyone(), " and "))
	return err
}

func (p *program) agentsShow(cmd *cobra.Command, name string) error {
	all, err := p.members(cmd)
	if err != nil {
		return err
	}
	var names []string
	for _, a := range all {
		names = append(names, a.Name)
		if a.Name != name {
			continue
		}
		if p.json {
			return p.print(a)
		}
		fmt.Fprintf(p.Out, "%s: %s\n\nTools\n%s\n", paint(p.Out, bold, a.Name), a.Purpose, indented(strings.Join(a.Tools, "\n"), 2))
		if a.Guidance != "" {
			fmt.Fprintf(p.Out, "\nGuidance\n%s\n", indented(a.Guidance, 2))
		}
		for i, e := range a.Examples {
			if i == 0 {
				fmt.Fprintln(p.Out, "\nExamples")
			}
			fmt.Fprintf(p.Out, "  %s\n    %s\n", e.Objective, e.Call)
		}
		return nil
	}
	return usage("no agent is named %q; there are %s", name, strings.Join(names, ", "))
}

type nearJSON struct {
	A      string  `json:"a"`
	B      string  `json:"b"`
	Shared float64 `json:"shared"`
}

func (p *program) agentsCheck(cmd *cobra.Command) error {
	w, err := p.workspace(cmd)
	if err != nil {
		return err
	}
	near := []nearJSON{}
	t := newTable("TOOL", "CANNOT BE TOLD FROM", "SHARED WORDS").numbers(2)
	for _, n := range memory.TooNear(w.Tools.Tools()) {
		near = append(near, nearJSON{n.A, n.B, n.Shared})
		t.add(n.A, n.B, fmt.Sprintf("%.0f %%", 100*n.Shared))
	}
	if p.json {
		return p.print(map[string]any{"tools": len(w.Tools.Tools()), "near": near})
	}
	if len(near) == 0 {
		_, err := fmt.Fprintf(p.Out, "%s, and no two of them have purposes that are too near.\n", plural(len(w.Tools.Tools()), "tool"))
		return err
	}
	return t.write(p.Out)
}

// exactly is cobra.ExactArgs with a message that says what the arguments are.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return usage("%s wants %s; %s was given", cmd.CommandPath(), what, plural(len(args), "argument"))
		}
		return nil
	}
}
