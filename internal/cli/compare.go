package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"almanac/eval"
	"almanac/eval/report"
	"almanac/eval/runlog"
	"almanac/internal/workspace"
	"almanac/orchestrator"
	"almanac/orchestrator/episode"
	"almanac/scenarios"
	"almanac/toolkits"

	"github.com/spf13/cobra"
)

// compareFlags are those of compare.
type compareFlags struct {
	modelFlags
	budgetFlags
	setupFlags
	ablate                bool
	domains               int
	suite, tasks, wording string
	limit, repeats        int
	crowd                 int // distractors for every setup; -1 as the suite says
	setups                []string
	seed                  int64
	parallel              int
	total                 []string
	out, resume           string
	memory                string   // file of a workflow memory, or online
	command               []string // what begins the run again, where this command is another
}

// budgetFlags bound each episode.
type budgetFlags struct {
	modelCalls, toolCalls, replans int
	tokens                         int64
	working                        time.Duration
}

func (f *budgetFlags) register(cmd *cobra.Command) {
	cmd.Flags().IntVar(&f.modelCalls, "budget-model-calls", 30, "model calls of an episode")
	cmd.Flags().IntVar(&f.toolCalls, "budget-tool-calls", 40, "tool calls of an episode")
	cmd.Flags().Int64Var(&f.tokens, "budget-tokens", 200_000, "tokens of an episode")
	cmd.Flags().IntVar(&f.replans, "budget-replans", 3, "revisions of an episode's schedule")
	cmd.Flags().DurationVar(&f.working, "budget-working", 10*time.Minute, "working time of an episode, queueing apart")
}

func (f *budgetFlags) budget() episode.Budget {
	return episode.Budget{ModelCalls: f.modelCalls, ToolCalls: f.toolCalls, Tokens: f.tokens, Replans: f.replans, Working: f.working}
}

// check refuses bounds below 0. 0 is no bound.
func (f *budgetFlags) check() error {
	for _, b := range []struct {
		name  string
		value int64
	}{
		{"model-calls", int64(f.modelCalls)}, {"tool-calls", int64(f.toolCalls)}, {"replans", int64(f.replans)}, {"tokens", f.tokens}, {"working", int64(f.working)},
	} {
		if b.value < 0 {
			return usage("--budget-%s is 0, for no bound, or more, not %d", b.name, b.value)
		}
	}
	return nil
}

func (f *budgetFlags) settings() map[string]string {
	return map[string]string{
		"budget model calls": fmt.Sprint(f.modelCalls), "budget tool calls": fmt.Sprint(f.toolCalls), "budget tokens": fmt.Sprint(f.tokens),
		"budget replans": fmt.Sprint(f.replans), "budget working": f.working.String(),
	}
}

func (p *program) compareCommand() *cobra.Command {
	f := &compareFlags{}
	cmd := &cobra.Command{
		Use:   "compare",
		Short: "Run setups on the same tasks and say which is better, by how much, how sure, at what cost",
		Example: "  almanac compare --suite demo --setups search,squad,single --model ollama:qwen2.5-coder:1.5b\n" +
			"  almanac compare --suite starter --tasks 'dev/*' --setups search,oracle --out runs/dev\n" +
			"  almanac compare --suite starter --setups squad,single --model ollama:qwen2.5-coder:1.5b --budget-total 2M,90m\n" +
			"  almanac compare --resume runs/dev",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.compare(cmd, f) },
	}
	f.modelFlags.register(cmd)
	f.budgetFlags.register(cmd)
	f.setupFlags.register(cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.suite, "suite", "demo", "suite of tasks: "+strings.Join(scenarios.Suites(), ", "))
	fl.StringVar(&f.tasks, "tasks", "", "glob over split/id, such as 'dev/*'")
	fl.StringVar(&f.wording, "wording", "", "question, far or all")
	fl.IntVar(&f.limit, "limit", 0, "at most this many tasks, one of each template before a second")
	fl.IntVar(&f.crowd, "distractors-all", -1, "tools that look plausible and never run, shown to every setup beside the others; -1: as the suite says")
	fl.StringSliceVar(&f.setups, "setups", []string{"search", "squad", "single"}, "setups: "+strings.Join(orchestrator.Names(), ", "))
	fl.IntVar(&f.repeats, "repeats", 1, "episodes of each setup and task; more than one samples at temperature 0.7")
	fl.Int64Var(&f.seed, "seed", 1, "seed of the first repeat; the next ones count up")
	fl.IntVar(&f.parallel, "parallel", 0, "episodes that ask a model at the same time; 0: as many as the server answers at once. Setups without a model use every core")
	fl.StringSliceVar(&f.total, "budget-total", nil, "bound of the whole run: tokens such as 500000 or 2M, time such as 90m, or both: 2M,90m; once used up, no episode is begun")
	fl.StringVar(&f.out, "out", "", "run folder (default runs/SUITE-TIME)")
	fl.StringVar(&f.resume, "resume", "", "go on with an interrupted run in this folder")
	fl.BoolVar(&f.ablate, "ablate", false, "squad, and squad without each of its parts: beside --setups where these are named")
	fl.StringVar(&f.memory, "memory", "", "workflow memory of squad and single+wm: a file that memory build wrote, or online for one that grows during the run (default empty)")
	fl.IntVar(&f.domains, "domains", 0, "only tasks that join this many domains")
	return cmd
}

func (p *program) compare(cmd *cobra.Command, f *compareFlags) error {
	ctx := cmd.Context()
	if f.resume != "" {
		if err := p.onlyResume(); err != nil {
			return err
		}
		return p.resume(ctx, cmd, f)
	}
	f.grid(cmd)
	run, err := p.begin(cmd, f)
	if err != nil {
		return err
	}
	defer run.close()
	return p.carryOut(ctx, run)
}

// begun is a run that has a folder, a workspace and open models.
type begun struct {
	workspace *workspace.Workspace
	folder    *runlog.Folder
	events    *runlog.Events
	suite     string
	tasks     []scenarios.Task
	models    []opened
	flags     *compareFlags
	closers   []func()
}

func (b *begun) close() {
	for _, c := range slices.Backward(b.closers) {
		c()
	}
}

// begin checks what was asked for, opens the models and makes the run's folder.
func (p *program) begin(cmd *cobra.Command, f *compareFlags) (run *begun, err error) {
	run = &begun{flags: f, events: &runlog.Events{}}
	defer func() {
		if err != nil {
			run.close()
		}
	}()
	if err := f.check(); err != nil {
		return run, err
	}
	w, err := p.workspace(cmd)
	if err != nil {
		return run, err
	}
	tasks, suite, err := selected(f)
	if err != nil {
		return run, &exit{exitUsage, err}
	}
	if w, err = w.Among(tasks[0].Distractors); err != nil {
		return run, &exit{exitUsage, err}
	}
	if f.out == "" {
		f.out = newRunDir(suite.Name)
	}
	team, err := w.Team()
	if err != nil {
		return run, err
	}
	if err := p.needsModel(f, w, team); err != nil {
		return run, err
	}
	if err := f.checkMemory(tasks); err != nil {
		return run, err
	}
	numCtx, err := p.window(cmd.Context(), f, w, team, tasks)
	if err != nil {
		return run, err
	}
	list, closeModels, err := p.models(cmd.Context(), &f.modelFlags, numCtx)
	run.closers = append(run.closers, func() { p.closing(closeModels) })
	if err != nil {
		return run, err
	}
	if err := p.calibrated(w, list, tasks); err != nil {
		return run, err
	}
	run.workspace, run.suite, run.tasks, run.models = w, suite.Name, tasks, list
	run.folder, err = runlog.Create(f.out, manifest(cmd, f, w, suite, tasks, list, numCtx))
	if err != nil {
		return run, &exit{exitUsage, err}
	}
	run.closers = append(run.closers, func() { p.closing(run.folder.Close) })
	return run, nil
}

// check refuses what makes no comparison.
func (f *compareFlags) check() error {
	if len(f.setups) == 0 {
		return usage("--setups names no setup; there are %s", strings.Join(orchestrator.Names(), ", "))
	}
	if again := repeated(f.setups); again != nil {
		return usage("setup %s is named twice: every episode of it would count twice", again[0])
	}
	if again := repeated(f.names); again != nil {
		return usage("model %s is named twice: every episode on it would count twice", again[0])
	}
	if f.repeats < 1 {
		return usage("--repeats is 1 or more, not %d", f.repeats)
	}
	if f.parallel < 0 {
		return usage("--parallel is 1 or more, or 0 for what the server does, not %d", f.parallel)
	}
	if _, err := parseTotal(f.total); err != nil {
		return err
	}
	return f.budgetFlags.check()
}

// repeated are the names that occur before in the list.
func repeated(names []string) []string {
	var out []string
	for i, name := range names {
		if contains(names[:i], name) {
			out = append(out, name)
		}
	}
	return out
}

func (p *program) closing(f func() error) {
	if err := f(); err != nil {
		p.log.Warn("closing", "error", err)
	}
}

func selected(f *compareFlags) ([]scenarios.Task, *scenarios.Suite, error) {
	suite, err := openSuite(f.suite)
	if err != nil {
		return nil, nil, err
	}
	tasks, err := suite.Select(scenarios.Selection{Limit: f.limit, Tasks: f.tasks, Wording: f.wording, Joined: f.domains})
	if f.crowd >= 0 {
		tasks = scenarios.Among(tasks, f.crowd)
	}
	return tasks, suite, err
}

// openSuite opens a suite by name, or from a folder.
func openSuite(name string) (*scenarios.Suite, error) {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return scenarios.Load(os.DirFS(filepath.Dir(name)), filepath.Base(name))
	}
	return scenarios.Open(name)
}

// needsModel refuses setups that use a model when none is named.
func (p *program) needsModel(f *compareFlags, w *workspace.Workspace, team *orchestrator.Team) error {
	opts := f.options(w, nil, nil)
	opts.Gold = noGold
	for _, name := range f.setups {
		s, err := orchestrator.New(name, team, opts)
		if err != nil {
			return &exit{exitUsage, err}
		}
		if s.UsesModel() && len(f.names) == 0 {
			return usage("setup %s uses a model: name one with --model, such as --model ollama:qwen2.5-coder:1.5b", name)
		}
	}
	return nil
}

// temperature is 0 with one repeat, and 0.7 with more: repeats of the same are no repeats.
func temperature(repeats int) float64 {
	if repeats > 1 {
		return 0.7
	}
	return 0
}

// carryOut runs what is left of the comparison and shows the result.
func (p *program) carryOut(ctx context.Context, run *begun) error {
	results, err := p.execute(ctx, run)
	if err != nil {
		return err
	}
	return p.conclude(run.folder.Dir, results)
}

// execute executes the gold of the tasks, runs what is left and writes the report.
func (p *program) execute(ctx context.Context, run *begun) (*eval.Results, error) {
	folder, f := run.folder, run.flags
	env, err := run.workspace.Env(folder.ArtifactDir())
	if err != nil {
		return nil, err
	}
	defer func() { p.closing(env.Store.Close) }()
	prepared := make([]eval.Task, len(run.tasks))
	for i, t := range run.tasks {
		if prepared[i], err = run.workspace.Executed(ctx, env, t); err != nil {
			return nil, goOn(folder.Dir, err)
		}
	}
	arms, err := p.arms(run, env, prepared)
	if err != nil {
		return nil, err
	}
	total, err := parseTotal(f.total)
	if err != nil {
		return nil, err
	}
	opts := eval.Options{
		Parallel: lanes(f.parallel, run.models), Free: runtime.GOMAXPROCS(0), Total: total, Harness: episode.Harness, Again: episode.Transient,
	}
	if f.memory == memoryOnline {
		opts.Parallel, opts.Free = 1, 1 // what a task finds in the memory depends on those before it
	}
	p.expectation(arms, len(run.tasks)*max(1, f.repeats))
	if len(arms)*len(run.tasks)*max(1, f.repeats) > 2000 && os.Getenv("GOGC") == "" {
		debug.SetGCPercent(50) // a long run holds a long account: a fifth less memory at its peak, for no time that could be measured
	}
	bar := newProgress(p)
	opts.Progress = bar.show
	out, err := eval.Run(ctx, folder, run.events, prepared, arms, opts)
	bar.end()
	switch {
	case errors.Is(err, eval.ErrTotal) && out != nil:
		return nil, p.stopped(folder.Dir, out.Results, err)
	case err != nil:
		if ctx.Err() != nil {
			p.say("interrupted; what is finished is saved. Go on with: almanac compare --resume %s", folder.Dir)
		}
		return nil, goOn(folder.Dir, err)
	}
	if out.Ran == 0 {
		p.say("the run in %s was complete already: nothing was run", folder.Dir)
	}
	if err := report.Write(folder.Dir, out.Results); err != nil {
		return nil, goOn(folder.Dir, err)
	}
	return out.Results, nil
}

// arms are the setups with their models, in the order of the flags.
func (p *program) arms(run *begun, env *toolkits.Env, tasks []eval.Task) ([]eval.Arm, error) {
	w, f := run.workspace, run.flags
	team, err := w.Team()
	if err != nil {
		return nil, err
	}
	temp := temperature(f.repeats)
	var arms []eval.Arm
	for _, name := range f.setups {
		d, err := orchestrator.Describe(name)
		if err != nil {
			return nil, err
		}
		used := behindGates(run.models, lanes(f.parallel, run.models))
		if !d.Model {
			used = []opened{{}}
		}
		for _, o := range used {
			opts := f.options(w, tasks, o.Known)
			recaller, growing, err := p.memoryOf(run, team, name, o.Name)
			if err != nil {
				return nil, err
			}
			opts.Memory = recaller
			s, err := orchestrator.New(name, team, opts)
			if err != nil {
				return nil, err
			}
			var solver eval.Solver = &workspace.Solver{
				Setup: s, Team: team, Workspace: w, Env: env, Folder: run.folder, Model: o.Model, ModelName: o.Name,
				Temperature: &temp, Budget: f.budget(),
			}
			if growing != nil {
				solver = growing.Solver(solver)
			}
			if p.verbose {
				solver = &liveSolver{solver, p}
			}
			arms = append(arms, eval.Arm{Arm: runlog.Arm{Setup: name, Model: o.Name, Note: note(name, opts)}, Solver: solver})
		}
	}
	return arms, nil
}
