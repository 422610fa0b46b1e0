package cli

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"almanac/internal/workspace"
	"almanac/toolkits"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

var update = flag.Bool("update", false, "write the generated pages of docs anew")

// The generated pages say what the program says. `go test ./internal/cli -run Pages -update` writes them anew.
func TestGeneratedPages(t *testing.T) {
	tools, err := toolsPage(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"commands.md": commandsPage(), "tools.md": tools} {
		path := filepath.Join("..", "..", "docs", name)
		if *update {
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		have, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(have), want); diff != "" {
			t.Errorf("docs/%s is stale; run: go test ./internal/cli -run GeneratedPages -update\n%s", name, diff)
		}
	}
}

const generated = "<!-- Generated: go test ./internal/cli -run GeneratedPages -update -->\n\n"

// commandsPage lists every command with its flags and examples.
func commandsPage() string {
	var b strings.Builder
	b.WriteString("# Commands\n\n" + generated)
	p := &program{Streams: Streams{Out: &b, Err: &b}}
	root := p.root()
	b.WriteString("Every command takes these flags; `ALMANAC_NAME` in the environment and `name:` in `almanac.yaml` stand for `--name`.\n\n")
	flagTable(&b, root.PersistentFlags())
	b.WriteString("\nExit codes: 0 done; 1 done and found wanting; 2 bad usage or input; 3 something is missing here, with the command that\nbrings it; 4 stopped by a budget with a field unanswered; 130 interrupted, with what is finished saved.\n")
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		if c != root && c.Name() != "help" && c.Name() != "completion" {
			commandSection(&b, c)
		}
		for _, s := range c.Commands() {
			walk(s)
		}
	}
	walk(root)
	return b.String()
}

func commandSection(b *strings.Builder, c *cobra.Command) {
	if c.HasSubCommands() {
		fmt.Fprintf(b, "\n## %s\n\n%s.\n", c.CommandPath(), c.Short)
		return
	}
	level := "##"
	if c.Parent().HasParent() {
		level = "###"
	}
	fmt.Fprintf(b, "\n%s %s\n\n%s.\n\n    %s\n", level, c.CommandPath(), c.Short, c.UseLine())
	if c.Long != "" {
		fmt.Fprintf(b, "\n%s\n", c.Long)
	}
	if c.LocalNonPersistentFlags().HasAvailableFlags() {
		b.WriteString("\n")
		flagTable(b, c.LocalNonPersistentFlags())
	}
	if c.Example != "" {
		fmt.Fprintf(b, "\nFor example:\n\n%s\n", indented(strings.ReplaceAll(c.Example, "  almanac", "almanac"), 4))
	}
}

func flagTable(b *strings.Builder, flags *pflag.FlagSet) {
	b.WriteString("| flag | default | meaning |\n|---|---|---|\n")
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		def := strings.Trim(f.DefValue, "[]")
		if def == "false" {
			def = ""
		}
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", name, def, strings.ReplaceAll(f.Usage, "|", "\\|"))
	})
}

// toolsPage lists every tool with agent, group, parameters and outputs.
func toolsPage(userData string) (string, error) {
	w, err := workspace.Open(&workspace.Options{UserData: userData})
	if err != nil {
		return "", err
	}
	var b strings.Builder
	byAgent := map[string][]*toolkits.Tool{}
	for _, t := range w.Tools.Tools() {
		byAgent[t.Agent] = append(byAgent[t.Agent], t)
	}
	names := make([]string, 0, len(byAgent))
	for n := range byAgent {
		names = append(names, n)
	}
	sort.Strings(names)
	fmt.Fprintf(&b, "# Tools\n\n%s%d tools. A unit in brackets; `@name` is the unit of that argument; `?` marks what may be left out.\n", generated, len(w.Tools.Tools()))
	b.WriteString("`almanac tools show NAME` has the details: what each value means, formulas with their sources, example questions.\n")
	for _, n := range names {
		fmt.Fprintf(&b, "\n## %s\n\n| tool | group | takes | gives | purpose |\n|---|---|---|---|---|\n", n)
		for _, t := range byAgent[n] {
			mark := ""
			if t.Check {
				mark = " (a check)"
			}
			if t.Resolver {
				mark = " (a resolver)"
			}
			fmt.Fprintf(&b, "| `%s`%s | %s | %s | %s | %s |\n", t.Name, mark, t.Group, takes(t), gives(t), t.Purpose)
		}
	}
	return b.String(), nil
}

func takes(t *toolkits.Tool) string {
	var parts []string
	for _, a := range t.Params {
		s := "`" + a.Name + "`"
		if !a.Required {
			s += "?"
		}
		s += " " + kindText(a.Kinds, a.List)
		parts = append(parts, withUnit(s, a.Unit))
	}
	return strings.ReplaceAll(strings.Join(parts, ", "), "|", " or ")
}

func gives(t *toolkits.Tool) string {
	var parts []string
	for _, o := range t.Outputs {
		parts = append(parts, withUnit("`"+o.Name+"` "+kindText([]string{o.Kind}, o.List), o.Unit))
	}
	return strings.Join(parts, ", ")
}

func withUnit(s, unit string) string {
	if unit == "" || unit == "?" {
		return s
	}
	return s + " [" + unit + "]"
}
