package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"almanac/eval"
	"almanac/eval/report"
	"almanac/eval/runlog"
	"almanac/internal/workspace"
	"almanac/orchestrator"
	"almanac/orchestrator/episode"
	"almanac/orchestrator/event"
	"almanac/scenarios"

	"github.com/spf13/cobra"
)

// runFlags are those of run.
type runFlags struct {
	askFlags
	modelFlags
	budgetFlags
	setupFlags
	setup, out, trace string
	explain, dryRun   bool
	seed              int64
}

func (p *program) runCommand() *cobra.Command {
	f := &runFlags{}
	cmd := &cobra.Command{
		Use: "run [TASK]", Short: "Answer one question, live: schedule, steps, answer with where each number came from",
		Long: "Answer a task of a suite, or a question of your own with --ask. The episode is kept in a run folder.\n" +
			"Exit code 1: declined, or a field left unanswered; 4: stopped by a budget with a field unanswered.",
		Example: "  almanac run --ask \"How many square kilometres does Kenya cover?\" --field area:km2\n" +
			"  almanac run hot-days-2012 --model ollama:qwen2.5-coder:1.5b\n" +
			"  almanac run --ask \"Which month is the sea warmest near Fiji?\" --field month:instant --dry-run",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				f.task = args[0]
			}
			return p.run(cmd, f)
		},
	}
	f.askFlags.register(cmd, false)
	f.modelFlags.register(cmd)
	f.budgetFlags.register(cmd)
	f.setupFlags.register(cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.setup, "setup", "", "setup: "+strings.Join(orchestrator.Names(), ", ")+" (default squad with a model, search without)")
	fl.StringVar(&f.out, "out", "", "run folder (default runs/TASK-TIME)")
	fl.StringVar(&f.trace, "trace", "", "file for the episode's events, one JSON object a line")
	fl.BoolVar(&f.explain, "explain", false, "let the model put the answer into a sentence, after it is fixed")
	fl.BoolVar(&f.dryRun, "dry-run", false, "make and check the schedule, run nothing")
	fl.Int64Var(&f.seed, "seed", 1, "seed of the model's sampling")
	return cmd
}

func (p *program) run(cmd *cobra.Command, f *runFlags) error {
	t, ok, err := f.asked()
	if err != nil {
		return err
	}
	if !ok {
		return usage("run wants a task of a suite, or --ask \"question\"; tasks are listed by: almanac tasks list")
	}
	if err := f.budgetFlags.check(); err != nil {
		return err
	}
	if len(f.names) > 1 {
		return usage("run takes one --model; compare takes several")
	}
	if f.setup == "" {
		f.setup = "search"
		if len(f.names) > 0 {
			f.setup = "squad"
		}
	}
	ctx := cmd.Context()
	w, err := p.workspace(cmd)
	if err != nil {
		return err
	}
	s, closeModels, err := p.prepare(ctx, w, f, t)
	defer func() { p.closing(closeModels) }()
	if err != nil {
		return err
	}
	if f.dryRun {
		return p.dryRun(ctx, w, s)
	}
	return p.oneEpisode(ctx, w, s)
}

// prepare makes the setup and opens the model.
func (p *program) prepare(ctx context.Context, w *workspace.Workspace, f *runFlags, t scenarios.Task) (*single, func() error, error) {
	nothing := func() error { return nil }
	team, err := w.Team()
	if err != nil {
		return nil, nothing, err
	}
	tasks := []eval.Task{{Task: t}}
	setup, err := orchestrator.New(f.setup, team, f.options(w, tasks, nil))
	if err != nil {
		return nil, nothing, &exit{exitUsage, err}
	}
	switch {
	case setup.Name() == "oracle" && f.ask != "":
		return nil, nothing, usage("oracle runs the gold schedule of a task, and a question of your own has none")
	case setup.UsesModel() && len(f.names) == 0:
		return nil, nothing, usage("setup %s uses a model: name one with --model, such as --model ollama:qwen2.5-coder:1.5b", f.setup)
	case f.explain && len(f.names) == 0:
		return nil, nothing, usage("--explain asks a model for a sentence: name one with --model")
	case f.dryRun && !schedules(f.setup):
		return nil, nothing, usage("setup %s makes no schedule: --dry-run has nothing to show", f.setup)
	}
	s := &single{
		task: t, scored: f.ask == "", setup: setup, name: f.setup, out: f.out, folder: t.ID, trace: f.trace, explain: f.explain,
		budget: f.budget(), settings: f.settings(), seed: f.seed, numCtx: f.numCtx, command: f.command(),
	}
	if !setup.UsesModel() && !f.explain {
		return s, nothing, nil
	}
	if s.numCtx == 0 {
		window, err := fit(ctx, w, team, []scenarios.Task{t}, []string{f.setup}, f.options(w, tasks, nil))
		if err != nil {
			return nil, nothing, err
		}
		s.numCtx = window.Size
	}
	list, closeModels, err := p.models(ctx, &f.modelFlags, s.numCtx)
	if err != nil {
		return nil, closeModels, err
	}
	if err := p.calibrated(w, list, []scenarios.Task{t}); err != nil {
		return nil, closeModels, err
	}
	s.models = list
	s.setup, err = orchestrator.New(f.setup, team, f.options(w, tasks, list[0].Known))
	return s, closeModels, err
}

// command is what has to be typed to run the episode again.
func (f *runFlags) command() []string {
	args := []string{"run"}
	if f.ask != "" {
		args = append(args, "--ask", f.ask)
		for _, x := range f.fields {
			args = append(args, "--field", x)
		}
	} else {
		args = append(args, f.task, "--suite", f.suite)
	}
	args = append(args, "--setup", f.setup)
	for _, m := range f.names {
		args = append(args, "--model", m)
	}
	if f.mode != "" {
		args = append(args, "--mode", f.mode)
	}
	return args
}

// single is one episode to be run.
type single struct {
	task        scenarios.Task
	scored      bool // the task has right answers
	setup       orchestrator.Setup
	name        string
	models      []opened
	budget      episode.Budget
	settings    map[string]string
	seed        int64
	numCtx      int
	explain     bool
	out, trace  string
	folder      string // default name of the run folder
	command     []string
	explanation string
}

func (s *single) arm() runlog.Arm {
	a := runlog.Arm{Setup: s.name}
	if len(s.models) > 0 {
		a.Model = s.models[0].Name
	}
	return a
}

// solver is the setup ready to solve the task.
func (s *single) solver(w *workspace.Workspace) (*workspace.Solver, error) {
	team, err := w.Team()
	if err != nil {
		return nil, err
	}
	zero := 0.0
	sol := &workspace.Solver{Setup: s.setup, Team: team, Workspace: w, Temperature: &zero, Budget: s.budget}
	if len(s.models) > 0 {
		sol.Model, sol.ModelName = s.models[0].Model, s.models[0].Name
	}
	if s.explain {
		sol.After = s.say
	}
	return sol, nil
}

// say asks for a sentence with the answer, which is fixed by then.
func (s *single) say(ctx context.Context, ep *episode.Episode) error {
	if ep.Given() == nil {
		return nil
	}
	text, err := orchestrator.Explain(ctx, ep)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		text = "(no sentence: " + err.Error() + ")" // the answer stands
	}
	s.explanation = text
	return nil
}

// oneEpisode runs the episode in a run folder of its own and shows it.
func (p *program) oneEpisode(ctx context.Context, w *workspace.Workspace, s *single) error {
	if s.out == "" {
		s.out = newRunDir(s.folder)
	}
	m := newManifest(w, s.out, "run", []scenarios.Task{s.task}, s.models, s.numCtx)
	m.Command, m.Seed = append([]string{"almanac"}, s.command...), max(1, s.seed)
	if s.settings != nil {
		m.Settings = s.settings
	}
	folder, err := runlog.Create(s.out, m)
	if err != nil {
		return runError(err)
	}
	defer func() { p.closing(folder.Close) }()
	env, err := w.Env(folder.ArtifactDir())
	if err != nil {
		return err
	}
	defer func() { p.closing(env.Store.Close) }()
	task := eval.Task{Task: s.task}
	if s.scored {
		if task, err = w.Executed(ctx, env, s.task); err != nil {
			return err
		}
	}
	sol, err := s.solver(w)
	if err != nil {
		return err
	}
	sol.Env, sol.Folder = env, folder
	arm := eval.Arm{Arm: s.arm(), Solver: &liveSolver{sol, p}}
	out, err := eval.Run(ctx, folder, &runlog.Events{}, []eval.Task{task}, []eval.Arm{arm}, eval.Options{Harness: episode.Harness, Again: episode.Transient})
	if err != nil {
		return err
	}
	if err := report.Write(folder.Dir, out.Results); err != nil {
		return err
	}
	if len(out.Results.Episodes) != 1 {
		return errors.New("the episode left no result")
	}
	return p.shown(s, out.Results.Episodes[0])
}

// newRunDir names a folder under runs that is not there yet, by what is run and when.
func newRunDir(what string) string {
	name := filepath.Join("runs", runlog.SafeName(what)+"-"+time.Now().Format("20060102-150405"))
	for dir, i := name, 2; ; i++ {
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) || i > 1000 {
			return dir
		}
		dir = fmt.Sprintf("%s-%d", name, i)
	}
}

// errDry ends a dry run once the schedule is there.
var errDry = errors.New("dry run")

// drySink keeps the first schedule, and ends the episode with it.
type drySink struct {
	schedule *event.Schedule
	search   *event.Search
	n        int64
}

func (d *drySink) Emit(e event.Event) (int64, error) {
	d.n++
	switch b := e.Body.(type) {
	case *event.Search:
		d.search = b
	case *event.Schedule:
		d.schedule = b
		return d.n, errDry
	}
	return d.n, nil
}

// dryRun makes and checks the schedule.
func (p *program) dryRun(ctx context.Context, w *workspace.Workspace, s *single) error {
	sol, err := s.solver(w)
	if err != nil {
		return err
	}
	sol.Env, sol.After = w.DryEnv(), nil
	d := &drySink{}
	err = sol.Solve(ctx, eval.Job{ID: "dry", Task: &eval.Task{Task: s.task}, Seed: max(1, s.seed), Attempt: 1}, d)
	if d.schedule == nil {
		if err == nil {
			err = errors.New("the setup made no schedule")
		}
		return &exit{exitWanting, err}
	}
	sch := d.schedule
	if p.json {
		if err := p.print(map[string]any{"task": s.task.ID, "setup": s.name, "schedule": sch.Text, "hash": sch.Hash, "mode": sch.Mode,
			"valid": sch.Valid, "problems": emptyList(sch.Problems), "repairs": emptyList(sch.Repairs)}); err != nil {
			return err
		}
	} else {
		fmt.Fprint(p.Out, sch.Text)
		for _, r := range sch.Repairs {
			fmt.Fprintf(p.Out, "# repaired (%s): %s → %s\n", r.ID, r.From, r.To)
		}
		for _, pr := range sch.Problems {
			fmt.Fprintf(p.Out, "# %d:%d %s: %s\n", pr.Line, pr.Column, pr.Code, pr.Message)
		}
	}
	if !sch.Valid {
		return &exit{exitWanting, fmt.Errorf("the schedule has %s", plural(len(sch.Problems), "problem"))}
	}
	return nil
}

func emptyList[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
