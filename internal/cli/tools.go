package cli

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"almanac/toolkits"

	"github.com/spf13/cobra"
)

func (p *program) toolsCommand() *cobra.Command {
	list := &cobra.Command{
		Use: "list", Short: "List the tools", Args: cobra.NoArgs, Example: "  almanac tools list\n  almanac tools list --json",
		RunE: func(cmd *cobra.Command, _ []string) error { return p.toolsList(cmd) },
	}
	show := &cobra.Command{
		Use: "show NAME", Short: "Show a tool: parameters, outputs, units, example questions", Args: exactly(1, "the name of a tool"),
		Example: "  almanac tools show gis.zonal_stats",
		RunE:    func(cmd *cobra.Command, args []string) error { return p.toolsShow(cmd, args[0]) },
	}
	return group("tools", "List, show, search and call tools", list, show, p.toolsSearchCommand(), p.toolsCallCommand())
}

type toolJSON struct {
	Name     string       `json:"name"`
	Agent    string       `json:"agent"`
	Group    string       `json:"group"`
	Purpose  string       `json:"purpose"`
	Details  string       `json:"details,omitempty"`
	Version  string       `json:"version"`
	Effect   string       `json:"effect"`
	Check    bool         `json:"check"`
	Resolver bool         `json:"resolver"`
	Params   []paramJSON  `json:"params"`
	Outputs  []outputJSON `json:"outputs"`
	Examples []string     `json:"examples"`
}

type paramJSON struct {
	Name     string   `json:"name"`
	Doc      string   `json:"doc"`
	Kinds    []string `json:"kinds"`
	List     bool     `json:"list"`
	Unit     string   `json:"unit,omitempty"`
	Required bool     `json:"required"`
	Default  any      `json:"default,omitempty"`
	Values   []string `json:"values,omitempty"`
	Aliases  []string `json:"aliases,omitempty"`
}

type outputJSON struct {
	Name       string `json:"name"`
	Doc        string `json:"doc"`
	Kind       string `json:"kind"`
	List       bool   `json:"list"`
	Unit       string `json:"unit,omitempty"`
	Difference bool   `json:"difference,omitempty"`
}

func newToolJSON(t *toolkits.Tool) toolJSON {
	out := toolJSON{
		Name: t.Name, Agent: t.Agent, Group: t.Group, Purpose: t.Purpose, Details: t.Details, Version: t.Version, Effect: string(t.Effect),
		Check: t.Check, Resolver: t.Resolver, Params: []paramJSON{}, Outputs: []outputJSON{}, Examples: t.Examples,
	}
	for _, a := range t.Params {
		out.Params = append(out.Params, paramJSON{a.Name, a.Doc, a.Kinds, a.List, a.Unit, a.Required, a.Default, values(a.Choices), a.Aliases})
	}
	for _, o := range t.Outputs {
		out.Outputs = append(out.Outputs, outputJSON{o.Name, o.Doc, o.Kind, o.List, o.Unit, o.Difference})
	}
	return out
}

// values are the distinct legal values of a closed vocabulary.
func values(choices []toolkits.Choice) []string {
	var out []string
	for _, c := range choices {
		if !contains(out, c.Value) {
			out = append(out, c.Value)
		}
	}
	return out
}

func (p *program) toolsList(cmd *cobra.Command) error {
	w, err := p.workspace(cmd)
	if err != nil {
		return err
	}
	tools := w.Tools.Tools()
	if p.json {
		out := []toolJSON{}
		for _, t := range tools {
			out = append(out, newToolJSON(t))
		}
		return p.print(out)
	}
	t := newTable("TOOL", "GROUP", "PURPOSE")
	for _, x := range tools {
		t.add(x.Name, x.Group, x.Purpose)
	}
	return t.write(p.Out)
}

func (p *program) toolsShow(cmd *cobra.Command, name string) error {
	w, err := p.workspace(cmd)
	if err != nil {
		return err
	}
	t, err := w.Tools.Tool(name)
	if err != nil {
		return &exit{exitUsage, err}
	}
	if p.json {
		return p.print(newToolJSON(t))
	}
	fmt.Fprintf(p.Out, "%s: %s\n", paint(p.Out, bold, t.Name), t.Purpose)
	if t.Details != "" {
		fmt.Fprintln(p.Out, "\n"+wrapped(t.Details, 100))
	}
	fmt.Fprintln(p.Out)
	in := newTable("PARAMETER", "KIND", "UNIT", "DEFAULT", "MEANING")
	for _, a := range t.Params {
		in.add(a.Name, kindText(a.Kinds, a.List), a.Unit, defaultText(a), meaning(a))
	}
	out := newTable("OUTPUT", "KIND", "UNIT", "MEANING")
	for _, o := range t.Outputs {
		out.add(o.Name, kindText([]string{o.Kind}, o.List), o.Unit, o.Doc)
	}
	if err := in.write(p.Out); err != nil {
		return err
	}
	fmt.Fprintln(p.Out)
	if err := out.write(p.Out); err != nil {
		return err
	}
	if len(t.Examples) > 0 {
		fmt.Fprintf(p.Out, "\nQuestions that it answers\n%s\n", indented(strings.Join(t.Examples, "\n"), 2))
	}
	return nil
}

func kindText(kinds []string, list bool) string {
	s := strings.Join(kinds, "|")
	if list {
		s = "list of " + s
	}
	return s
}

func defaultText(a toolkits.Param) string {
	switch {
	case a.Default != nil:
		return fmt.Sprint(a.Default)
	case a.Required:
		return "required"
	}
	return "none"
}

func meaning(a toolkits.Param) string {
	if v := values(a.Choices); len(v) > 0 {
		return a.Doc + ": " + strings.Join(v, ", ")
	}
	return a.Doc
}

// clipped cuts a text at n characters and says so by an ellipsis.
func clipped(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-1]) + "…"
}

func (p *program) toolsCallCommand() *cobra.Command {
	var pairs []string
	var out string
	cmd := &cobra.Command{
		Use: "call NAME", Short: "Call one tool", Args: exactly(1, "the name of a tool"),
		Long: "Call one tool and print its outputs. An argument is NAME=VALUE: a number (12.5), a number with its unit (\"12.5 degC\"),\n" +
			"a truth value, a place, a period, or JSON. For an artifact give its hash, or how it begins, in the store of --out.",
		Example: "  almanac tools call gis.area --arg zones=Kenya\n" +
			"  almanac tools call gis.distance --arg a=Lima --arg b=Quito --json\n" +
			"  almanac tools call data.open --arg dataset=coads_climatology --arg variable=sst --out store",
		RunE: func(cmd *cobra.Command, args []string) error { return p.toolsCall(cmd, args[0], pairs, out) },
	}
	cmd.Flags().StringArrayVar(&pairs, "arg", nil, "argument NAME=VALUE (may be repeated)")
	cmd.Flags().StringVar(&out, "out", "", "folder of the store for artifacts (default: a folder that is removed again)")
	return cmd
}

func (p *program) toolsCall(cmd *cobra.Command, name string, pairs []string, dir string) error {
	w, err := p.workspace(cmd)
	if err != nil {
		return err
	}
	tool, err := w.Tools.Tool(name)
	if err != nil {
		return &exit{exitUsage, err}
	}
	if dir == "" {
		if dir, err = os.MkdirTemp("", "almanac-call-"); err != nil {
			return err
		}
		defer func() { p.closing(func() error { return os.RemoveAll(dir) }) }()
	}
	env, err := w.Env(dir)
	if err != nil {
		return err
	}
	defer func() { p.closing(env.Store.Close) }()
	args, err := callArguments(cmd.Context(), env.Store, tool, pairs)
	if err != nil {
		return &exit{exitUsage, err}
	}
	res, call, err := w.Call(cmd.Context(), env, name, args)
	if err != nil {
		var te *toolkits.Error
		if errors.As(err, &te) && p.json {
			if err := p.print(map[string]any{"tool": name, "ok": false, "error": map[string]any{
				"code": te.Code, "param": te.Param, "message": te.Message, "legal": te.Legal}}); err != nil {
				return err
			}
		}
		return &exit{exitWanting, fmt.Errorf("%s: %w", name, err)}
	}
	return p.called(call, res)
}

func (p *program) called(call *toolkits.Call, res *toolkits.Result) error {
	type output struct {
		Name     string `json:"name"`
		Kind     string `json:"kind"`
		Value    any    `json:"value,omitempty"`
		Unit     string `json:"unit,omitempty"`
		Artifact string `json:"artifact"`
	}
	var outputs []output
	t := newTable("OUTPUT", "VALUE", "UNIT", "ARTIFACT").numbers(1)
	for _, f := range res.Fields {
		o := output{f.Name, f.Value.Kind, nil, f.Value.Unit, string(f.Value.Hash)}
		shown := f.Value.Kind
		if !f.Value.IsArtifact() {
			o.Value = f.Value.Plain()
			shown = showPlain(o.Value)
		}
		outputs = append(outputs, o)
		t.add(f.Name, shown, f.Value.Unit, f.Value.Hash.Short())
	}
	if p.json {
		return p.print(map[string]any{"tool": call.Tool.Name, "ok": true, "key": call.Key, "arguments": call.Arguments, "outputs": outputs})
	}
	return t.write(p.Out)
}

// showPlain writes a value for people: numbers with seven significant digits.
func showPlain(v any) string {
	switch x := v.(type) {
	case float64:
		return strconv.FormatFloat(x, 'g', 7, 64)
	case nil:
		return "–"
	case []any:
		parts := make([]string, len(x))
		for i := range x {
			parts[i] = showPlain(x[i])
		}
		return strings.Join(parts, ", ")
	}
	return fmt.Sprint(v)
}
