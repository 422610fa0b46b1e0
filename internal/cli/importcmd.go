package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"almanac/eval"
	"almanac/eval/importlog"
	"almanac/eval/report"
	"almanac/eval/runlog"
	"almanac/internal/workspace"
	"almanac/scenarios"

	"github.com/spf13/cobra"
)

// importFlags say what is imported.
type importFlags struct {
	format, suite, only, wording, setup, model, out string
}

// importers read the formats of other harnesses.
var importers = map[string]func(string) ([]importlog.Record, error){
	"openai": importlog.ReadOpenAI, "inspect": importlog.ReadInspect,
}

func (p *program) importCommand() *cobra.Command {
	var f importFlags
	cmd := &cobra.Command{
		Use: "import FILE…", Short: "Make a run that can be scored from another harness's logs", Args: atLeastOne("log file"),
		Long: "Read recorded conversations with tool calls and write a run folder that eval score, report and verify read. Formats:\n" +
			"openai: chats as OpenAI's interface has them, JSON or JSON Lines, each with `messages` and the `task` that it is of;\n" +
			"inspect: a JSON log of inspect_ai (inspect log convert --to json). A conversation belongs to the task whose id it has,\n" +
			"or whose question it asks. No tool is run: calls have no results, and no answer is bound to data.",
		Example: "  almanac eval import --format openai --tasks starter --setup theirs chats.jsonl --out runs/theirs\n" +
			"  almanac eval import --format inspect --tasks demo --setup react logs/demo.json --out runs/react",
		RunE: func(cmd *cobra.Command, args []string) error { return p.evalImport(cmd, &f, args) },
	}
	cmd.Flags().StringVar(&f.format, "format", "", "openai or inspect")
	cmd.Flags().StringVar(&f.suite, "tasks", "", "suite that the tasks are of, by name or folder: "+strings.Join(scenarios.Suites(), ", "))
	cmd.Flags().StringVar(&f.only, "only", "", "glob over split/id: import these tasks alone")
	cmd.Flags().StringVar(&f.wording, "wording", "", "question, far or all")
	cmd.Flags().StringVar(&f.setup, "setup", "", "what to call the setup that was recorded")
	cmd.Flags().StringVar(&f.model, "model", "", "name of the model (default: as the log has it)")
	cmd.Flags().StringVar(&f.out, "out", "", "folder of the run that is written")
	return cmd
}

func (f *importFlags) check() error {
	for _, flag := range [][2]string{{"format", f.format}, {"tasks", f.suite}, {"setup", f.setup}, {"out", f.out}} {
		if flag[1] == "" {
			return usage("eval import wants --%s; see almanac eval import --help", flag[0])
		}
	}
	if importers[f.format] == nil {
		return usage("there is no format %q; there are openai and inspect", f.format)
	}
	return nil
}

func (p *program) evalImport(cmd *cobra.Command, f *importFlags, files []string) error {
	if err := f.check(); err != nil {
		return err
	}
	w, err := p.workspace(cmd)
	if err != nil {
		return err
	}
	suite, err := openSuite(f.suite)
	if err != nil {
		return &exit{exitUsage, err}
	}
	tasks, err := suite.Select(scenarios.Selection{Tasks: f.only, Wording: f.wording})
	if err != nil {
		return &exit{exitUsage, err}
	}
	logs, from, err := f.read(files, tasks)
	if err != nil {
		return err
	}
	m := newManifest(w, f.out, suite.Name, tasks, nil, 0)
	m.Imported = from
	for _, l := range logs {
		m.Repeats = max(m.Repeats, l.Repeats)
		if l.Model != "" {
			m.Models = append(m.Models, runlog.Model{Name: l.Model})
		}
	}
	m.Command = append([]string{"almanac", "eval", "import"}, append(given(cmd), files...)...)
	folder, err := runlog.Create(f.out, m)
	if err != nil {
		return runError(err)
	}
	defer func() { p.closing(folder.Close) }()
	return p.replayed(cmd.Context(), w, folder, f, tasks, logs)
}

// read reads the files and finds the task of every record.
func (f *importFlags) read(files []string, tasks []scenarios.Task) ([]*importlog.Log, *runlog.Import, error) {
	var records []importlog.Record
	from := &runlog.Import{Format: f.format, Files: map[string]string{}}
	for _, name := range files {
		list, err := importers[f.format](name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, nil, &exit{exitMissing, fmt.Errorf("%w; name the log file that %s wrote", err, f.format)}
		case err != nil:
			return nil, nil, &exit{exitUsage, err}
		}
		records = append(records, list...)
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, nil, err
		}
		sum := sha256.Sum256(data)
		from.Files[filepath.ToSlash(name)] = hex.EncodeToString(sum[:])
	}
	if f.model != "" {
		for i := range records {
			records[i].Model = f.model
		}
	}
	logs, err := importlog.Assign(records, tasks)
	if err != nil {
		return nil, nil, &exit{exitUsage, err}
	}
	return logs, from, nil
}

// replayed writes the records as events, scores them and shows the result.
func (p *program) replayed(ctx context.Context, w *workspace.Workspace, folder *runlog.Folder, f *importFlags, tasks []scenarios.Task, logs []*importlog.Log) error {
	env, done, err := scratch(w) // gold runs here: the run itself holds no artifacts
	if err != nil {
		return err
	}
	defer func() { p.closing(done) }()
	prepared := make([]eval.Task, len(tasks))
	for i, t := range tasks {
		if prepared[i], err = w.Executed(ctx, env, t); err != nil {
			return err
		}
	}
	var arms []eval.Arm
	for _, l := range logs {
		arms = append(arms, eval.Arm{Arm: runlog.Arm{Setup: f.setup, Model: l.Model, Note: "recorded elsewhere, imported"}, Solver: &importlog.Solver{
			Log: l, Tools: w.Tools, Env: env, Put: folder.PutMessage,
		}})
	}
	slices.SortStableFunc(arms, func(a, b eval.Arm) int { return strings.Compare(a.Model, b.Model) })
	out, err := eval.Run(ctx, folder, &runlog.Events{}, prepared, arms, eval.Options{
		Harness: func(err error) bool { return errors.Is(err, importlog.ErrNoRecord) }, Retries: -1,
	})
	if err != nil {
		return err
	}
	if err := report.Write(folder.Dir, out.Results); err != nil {
		return err
	}
	for _, l := range logs {
		p.say("%s: %s imported%s", f.setup, plural(l.Count(), "conversation"), of(l.Model))
	}
	return p.conclude(folder.Dir, out.Results)
}

func of(model string) string {
	if model == "" {
		return ""
	}
	return " of " + model
}
