package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"almanac/internal/workspace"
	"almanac/scenarios"
	"almanac/toolkits"

	"github.com/spf13/cobra"
)

func (p *program) tasksCommand() *cobra.Command {
	var suite, glob, wording string
	suiteFlag := func(cmd *cobra.Command) *cobra.Command {
		cmd.Flags().StringVar(&suite, "suite", "starter", "suite by name, or a folder: "+strings.Join(scenarios.Suites(), ", "))
		return cmd
	}
	list := suiteFlag(&cobra.Command{
		Use: "list", Short: "List the tasks of a suite", Args: cobra.NoArgs,
		Example: "  almanac tasks list\n  almanac tasks list --suite starter --tasks 'dev/*' --wording all",
		RunE:    func(*cobra.Command, []string) error { return p.tasksList(suite, glob, wording) },
	})
	list.Flags().StringVar(&glob, "tasks", "", "glob over split/id, such as 'dev/*'")
	list.Flags().StringVar(&wording, "wording", "", "question, far or all")
	show := suiteFlag(&cobra.Command{
		Use: "show TASK", Short: "Show a task: question, answer fields, gold, right values", Args: exactly(1, "the id of a task"),
		Example: "  almanac tasks show hot-days-2012",
		RunE:    func(_ *cobra.Command, args []string) error { return p.tasksShow(suite, args[0]) },
	})
	validate := suiteFlag(&cobra.Command{
		Use: "validate", Short: "Check a suite: contracts, gold, wordings, leaks, duplicates, splits", Args: cobra.NoArgs,
		Example: "  almanac tasks validate --suite starter",
		RunE:    func(cmd *cobra.Command, _ []string) error { return p.tasksValidate(cmd, suite) },
	})
	audit := suiteFlag(&cobra.Command{
		Use: "audit", Short: "Compare every right value with a second implementation and with the gold as executed", Args: cobra.NoArgs,
		Long: "Compare, for every answer field of every task, the stored value with that of the second implementation in Python and\n" +
			"with that of the gold schedule as the engine runs it. A difference of more than a tenth of the field's tolerance fails.",
		Example: "  almanac tasks audit --suite starter",
		RunE:    func(cmd *cobra.Command, _ []string) error { return p.tasksAudit(cmd, suite) },
	})
	return group("tasks", "List, show, validate, audit, import and generate the tasks of suites",
		list, show, validate, audit, p.taskImportCommand(), p.tasksGenerateCommand())
}

func (p *program) tasksList(name, glob, wording string) error {
	suite, err := openSuite(name)
	if err != nil {
		return &exit{exitUsage, err}
	}
	tasks, err := suite.Select(scenarios.Selection{Tasks: glob, Wording: wording})
	if err != nil {
		return &exit{exitUsage, err}
	}
	if p.json {
		type item struct {
			ID       string   `json:"id"`
			Split    string   `json:"split"`
			Template string   `json:"template"`
			Track    string   `json:"track"`
			Domains  []string `json:"domains"`
			Level    int      `json:"level"`
			Decline  bool     `json:"decline"`
			Question string   `json:"question"`
		}
		out := []item{}
		for _, t := range tasks {
			out = append(out, item{t.ID, t.Split, t.Template, t.Track, t.Domains, t.Level, t.Decline, t.Question})
		}
		return p.print(map[string]any{"suite": suite.Name, "title": suite.Title, "licence": suite.Licence, "hash": suite.Hash(), "tasks": out})
	}
	t := newTable("TASK", "DOMAIN", "QUESTION")
	for _, x := range tasks {
		t.add(x.Path(), strings.Join(x.Domains, ","), clipped(x.Question, 90))
	}
	return t.write(p.Out)
}

func (p *program) tasksShow(name, id string) error {
	suite, err := openSuite(name)
	if err != nil {
		return &exit{exitUsage, err}
	}
	t, err := suite.Task(id)
	if err != nil {
		return &exit{exitUsage, err}
	}
	if p.json {
		return p.print(t)
	}
	out := p.Out
	fmt.Fprintf(out, "%s  %s, %s, level %d\n\n%s\n", paint(out, bold, t.Path()), t.Track, strings.Join(t.Domains, ","), t.Level, wrapped(t.Question, 100))
	if t.Context != "" {
		fmt.Fprintf(out, "\nContext: %s\n", wrapped(t.Context, 100))
	}
	for i, w := range t.Paraphrases {
		if i == 0 {
			fmt.Fprintln(out, "\nOther words")
		}
		far := ""
		if w.Far {
			far = "far: "
		}
		fmt.Fprintf(out, "  ~%d  %s%s\n", i+1, far, w.Text)
	}
	fmt.Fprintln(out)
	tab := newTable("FIELD", "TYPE", "UNIT", "RIGHT", "TOLERANCE", "MEANING").numbers(3, 4)
	for _, f := range t.Answer {
		right, tolerance := "decline", "–"
		if !t.Decline {
			right = showPlain(t.Expected[f.Key])
			if y, ok := t.Expected[f.Key].(float64); ok {
				tolerance = fmt.Sprintf("%.3g", f.Tolerance(y))
			}
		}
		tab.add(f.Key, f.Type, f.Unit, right, tolerance, f.Description)
	}
	if err := tab.write(out); err != nil {
		return err
	}
	for i, g := range t.Gold {
		fmt.Fprintf(out, "\nGold %d\n%s\n", i+1, indented(g.Text, 2))
	}
	return nil
}

func (p *program) tasksValidate(cmd *cobra.Command, name string) error {
	w, err := p.workspace(cmd)
	if err != nil {
		return err
	}
	suite, err := openSuite(name)
	if err != nil {
		return &exit{exitUsage, err}
	}
	env, done, err := scratch(w)
	if err != nil {
		return err
	}
	defer func() { p.closing(done) }()
	engine, err := w.Engine(cmd.Context(), env)
	if err != nil {
		return err
	}
	found := emptyList(scenarios.Validate(suite, engine))
	if p.json {
		if err := p.print(map[string]any{"suite": suite.Name, "tasks": len(suite.Tasks), "valid": len(found) == 0, "findings": found}); err != nil {
			return err
		}
	} else {
		for _, f := range found {
			fmt.Fprintln(p.Out, f)
		}
		fmt.Fprintf(p.Out, "%s: %s, %s\n", suite.Name, plural(len(suite.Tasks), "task"), verdictOf(len(found)))
	}
	if len(found) > 0 {
		return &exit{exitWanting, fmt.Errorf("%s: %s", suite.Name, plural(len(found), "finding"))}
	}
	return nil
}

// scratch is an environment in a folder that is removed by done.
func scratch(w *workspace.Workspace) (*toolkits.Env, func() error, error) {
	dir, err := os.MkdirTemp("", "almanac-")
	if err != nil {
		return nil, nil, err
	}
	env, err := w.Env(filepath.Join(dir, "artifacts"))
	if err != nil {
		return nil, nil, err
	}
	return env, func() error {
		if err := env.Store.Close(); err != nil {
			return err
		}
		return os.RemoveAll(dir)
	}, nil
}
