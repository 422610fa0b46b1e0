package cli

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"almanac/scenarios"

	"github.com/spf13/cobra"
)

// generateFlags are those of tasks generate.
type generateFlags struct {
	suite, regions, out string
	seed                uint64
	hidden              bool
}

func (p *program) tasksGenerateCommand() *cobra.Command {
	f := &generateFlags{}
	cmd := &cobra.Command{
		Use: "generate", Short: "Draw the tasks of a suite anew from its templates, with their right values", Args: cobra.NoArgs,
		Long: "Draw slots (regions, periods, variables, thresholds) for every template of a suite that says what to draw from, compute\n" +
			"the right values by the second implementation in Python, and write a suite of its own. The same seed gives the same bytes.\n" +
			"With --hidden nothing is drawn that the suite itself asks; with --regions the suite's pools of values are replaced by your own.",
		Example: "  almanac tasks generate --suite core --seed 7 --out my-core\n" +
			"  almanac tasks generate --suite core --seed 90125 --hidden --regions private.yaml --out hidden\n  almanac tasks audit --suite hidden",
		RunE: func(cmd *cobra.Command, _ []string) error { return p.tasksGenerate(cmd.Context(), f) },
	}
	cmd.Flags().StringVar(&f.suite, "suite", "core", "suite by name, or a folder")
	cmd.Flags().Uint64Var(&f.seed, "seed", 1, "what the draw depends on")
	cmd.Flags().StringVar(&f.regions, "regions", "", "YAML file that replaces pools of the suite: a mapping from the pool's name to its values")
	cmd.Flags().BoolVar(&f.hidden, "hidden", false, "leave out what the suite itself asks")
	cmd.Flags().StringVar(&f.out, "out", "", "folder of the new suite; must not exist")
	return cmd
}

func (p *program) tasksGenerate(ctx context.Context, f *generateFlags) error {
	if f.out == "" {
		return usage("say with --out where the new suite is to be written")
	}
	if _, err := os.Stat(f.out); err == nil {
		return usage("%s exists already: name a new folder with --out", f.out)
	}
	how := scenarios.Drawing{Seed: f.seed, Hidden: f.hidden, Second: func(files map[string][]byte) (map[string]map[string]any, error) {
		return draftValues(ctx, files)
	}}
	if f.regions != "" {
		src, err := os.ReadFile(f.regions)
		if err != nil {
			return &exit{exitUsage, err}
		}
		if how.Pools, err = scenarios.ParsePools(f.regions, src); err != nil {
			return &exit{exitUsage, err}
		}
	}
	fsys, dir := suiteFiles(f.suite)
	files, err := scenarios.Generate(fsys, dir, how)
	if err != nil {
		return err
	}
	if err := writeFiles(f.out, files); err != nil {
		return err
	}
	made, err := openSuite(f.out)
	if err != nil {
		return err
	}
	if p.json {
		return p.print(map[string]any{"suite": made.Name, "folder": f.out, "seed": f.seed, "tasks": len(made.Tasks), "hash": made.Hash()})
	}
	_, err = fmt.Fprintf(p.Out, "%s: %s in %s\ncheck them with: almanac tasks validate --suite %s && almanac tasks audit --suite %s\n",
		made.Name, plural(len(made.Tasks), "task"), f.out, f.out, f.out)
	return err
}

// suiteFiles is where the files of a suite are: a folder, or what comes with the program.
func suiteFiles(name string) (fs.FS, string) {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return os.DirFS(filepath.Dir(name)), filepath.Base(name)
	}
	return scenarios.Files(), "suites/" + name
}

// draftValues writes files to a folder of their own and runs the second implementation on them.
func draftValues(ctx context.Context, files map[string][]byte) (map[string]map[string]any, error) {
	dir, err := os.MkdirTemp("", "almanac-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) // a folder of ours in the system's place for them; what stays behind harms nobody
	suite := filepath.Join(dir, "drafts")
	if err := writeFiles(suite, files); err != nil {
		return nil, err
	}
	return secondValues(ctx, suite, "--drafts")
}

func writeFiles(dir string, files map[string][]byte) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
