package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func (p *program) configCommand() *cobra.Command {
	show := &cobra.Command{
		Use: "show [COMMAND…]", Short: "Show the effective settings and where each came from",
		Long: "Show the effective settings of a command, and where each came from: a flag, the environment (ALMANAC_NAME),\n" +
			"the configuration file, or the default. Without a command, those that every command has.",
		Example: "  almanac config show\n  almanac config show compare",
		RunE:    p.configShow,
	}
	initial := &cobra.Command{
		Use: "init", Short: "Write a configuration file with every setting as a comment", Args: cobra.NoArgs,
		Example: "  almanac config init\n  almanac config init --config my.yaml",
		RunE:    p.configInit,
	}
	return group("config", "Show the effective settings, or begin a configuration file", show, initial)
}

func (p *program) configShow(cmd *cobra.Command, args []string) error {
	all := p.config.all
	if len(args) > 0 {
		target, rest, err := cmd.Root().Find(args)
		if err != nil || len(rest) > 0 || target == cmd.Root() {
			return usage("there is no command %q", strings.Join(args, " "))
		}
		target.InheritedFlags() // makes the flags of its parents its own
		if err := p.configure(target); err != nil {
			return err
		}
		all = p.config.all
	}
	if p.json {
		return p.print(map[string]any{"file": p.config.file, "settings": all})
	}
	t := newTable("SETTING", "VALUE", "FROM")
	for _, s := range all {
		t.add(s.Name, s.Value, s.Origin)
	}
	return t.write(p.Out)
}

// configInit writes every flag of every command as a comment with its default.
func (p *program) configInit(cmd *cobra.Command, _ []string) error {
	file := defaultConfig
	if f := cmd.Flag("config"); f != nil && f.Changed {
		file = f.Value.String()
	}
	if _, err := os.Stat(file); err == nil {
		return usage("%s is there already", file)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var b strings.Builder
	b.WriteString("# Settings of almanac. A flag goes before the environment (ALMANAC_NAME), which goes before this file.\n")
	seen := map[string]bool{"help": true, "config": true, "version": true}
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if seen[f.Name] || f.Hidden {
				return
			}
			seen[f.Name] = true
			fmt.Fprintf(&b, "\n# %s\n# %s: %s\n", f.Usage, f.Name, strings.Trim(f.DefValue, "[]"))
		})
		for _, s := range c.Commands() {
			if s.Name() != "completion" && s.Name() != "help" {
				walk(s)
			}
		}
	}
	walk(cmd.Root())
	if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
		return err
	}
	if p.json {
		return p.print(map[string]string{"file": file})
	}
	_, err := fmt.Fprintf(p.Out, "wrote %s\n", file)
	return err
}
