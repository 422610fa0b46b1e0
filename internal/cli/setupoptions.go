package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"almanac/eval"
	"almanac/internal/server"
	"almanac/internal/workspace"
	"almanac/orchestrator"
	"almanac/orchestrator/calibration"
	"almanac/scenarios"

	"github.com/spf13/cobra"
)

// setupFlags change what setups do.
type setupFlags struct {
	mode                             string
	samples                          int
	noTS, noWM, noChecks, noParallel bool
	noRevision, noCompletion         bool
	fullReplan, oneAgent             bool
	tools, memorySize, distractors   int
	leftOut                          map[string]string // setups that fit no window, and what was done
}

func (f *setupFlags) register(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.mode, "mode", "", "of squad: program, objective, slot or auto")
	fl.IntVar(&f.samples, "samples", 0, "of single-sc (default: what matches squad's tokens by the calibration, else 3)")
	fl.BoolVar(&f.noTS, "no-ts", false, "of squad: show every tool")
	fl.BoolVar(&f.noWM, "no-wm", false, "of squad: no workflow memory")
	fl.BoolVar(&f.noChecks, "no-checks", false, "of squad: no check statements")
	fl.BoolVar(&f.noParallel, "no-parallel", false, "of squad: one step at a time")
	fl.BoolVar(&f.noRevision, "no-revision", false, "of squad: the first schedule stands")
	fl.BoolVar(&f.noCompletion, "no-completion", false, "of squad: the search does not complete a refused program")
	fl.BoolVar(&f.fullReplan, "full-replan", false, "of squad: a whole new schedule instead of a revision")
	fl.BoolVar(&f.oneAgent, "one-agent", false, "of squad: one agent instead of the specialists")
	fl.IntVar(&f.tools, "tools-k", 0, "of squad and single+ts: tools selected (default 10 and 8)")
	fl.IntVar(&f.memorySize, "memory-size", 0, "of squad: entries of the memory that count (default all)")
	fl.IntVar(&f.distractors, "distractors", 0, "of squad: further tools that look plausible and never run")
}

// changed says what is other than usual, for the record of a run.
func (f *setupFlags) changed() map[string]string {
	out := map[string]string{}
	for name, on := range map[string]bool{
		"no-ts": f.noTS, "no-wm": f.noWM, "no-checks": f.noChecks, "no-parallel": f.noParallel, "no-revision": f.noRevision,
		"no-completion": f.noCompletion, "full-replan": f.fullReplan, "one-agent": f.oneAgent,
	} {
		if on {
			out["setup "+name] = "true"
		}
	}
	for name, n := range map[string]int{"samples": f.samples, "tools-k": f.tools, "memory-size": f.memorySize, "distractors": f.distractors} {
		if n != 0 {
			out["setup "+name] = fmt.Sprint(n)
		}
	}
	for name, text := range f.leftOut {
		out["setup "+name] = text
	}
	return out
}

// options are those of the setups of a run over these tasks, with what is known of the model.
func (f *setupFlags) options(w *workspace.Workspace, tasks []eval.Task, known *calibration.Figures) *orchestrator.Options {
	o := &orchestrator.Options{
		Mode: f.mode, Samples: f.samples, TopK: f.tools, NoSelection: f.noTS, NoMemory: f.noWM, NoChecks: f.noChecks,
		NoRevision: f.noRevision, NoCompletion: f.noCompletion, FullReplan: f.fullReplan, OneAgent: f.oneAgent,
		MemorySize: f.memorySize, Distractors: f.distractors, Distracted: w.Distracted, Calibration: known,
		Tolerance: workspace.Tolerance(tasks), Gold: w.Gold(tasks),
	}
	if f.noParallel {
		o.MaxParallel = 1
	}
	return o
}

// grid adds squad and its ablations to the setups, or replaces the default ones by them.
func (f *compareFlags) grid(cmd *cobra.Command) {
	if !f.ablate {
		return
	}
	if !cmd.Flags().Changed("setups") {
		f.setups = nil
	}
	for _, name := range orchestrator.AblationGrid() {
		if !contains(f.setups, name) {
			f.setups = append(f.setups, name)
		}
	}
}

// schedules reports whether a setup makes a schedule that can be shown without running it.
func schedules(setup string) bool {
	return setup == "squad" || setup == "search" || setup == "oracle" || orchestrator.IsAblation(setup)
}

// note says how a setup differs beyond being that setup; "" for one that does not.
func note(setup string, o *orchestrator.Options) string {
	switch {
	case setup == "single-sc":
		return orchestrator.SamplesNote(o)
	case orchestrator.IsAblation(setup):
		d, err := orchestrator.Describe(setup)
		if err == nil {
			return d.Summary
		}
	}
	return ""
}

// calibrations is the user's store of what was measured of models.
func calibrations() (calibration.Store, error) {
	dir, err := server.CacheDir()
	return calibration.Store{Dir: filepath.Join(dir, "calibration")}, err
}

// known is what was measured of a model on other tasks than those that are scored; nil where nothing was.
func (p *program) known(w *workspace.Workspace, o opened, scored func(template string) bool) (*calibration.Figures, error) {
	store, err := calibrations()
	if err != nil {
		return nil, err
	}
	r, err := store.Load(calibrationKey(w, o, ""))
	if errors.Is(err, calibration.ErrNone) {
		p.say("%s: no calibration, documented defaults hold; measure with: almanac models calibrate --model %s", o.Name, o.Name)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	figures := r.Figures(scored)
	p.say("%s: calibrated on %s of %s, %d left out since they or their like are scored here", o.Name, plural(figures.Tasks, "dev task"), r.Key.Suite, figures.LeftOut)
	return figures, nil
}

// calibrated looks up what was measured of each model, tasks of the templates at hand left out.
func (p *program) calibrated(w *workspace.Workspace, list []opened, tasks []scenarios.Task) error {
	templates := map[string]bool{}
	for _, t := range tasks {
		templates[t.Template] = true
	}
	for i := range list {
		var err error
		if list[i].Known, err = p.known(w, list[i], func(template string) bool { return templates[template] }); err != nil {
			return err
		}
	}
	return nil
}

func calibrationKey(w *workspace.Workspace, o opened, suite string) calibration.Key {
	return calibration.Key{Model: o.Name, Digest: o.Info.Digest, Catalog: w.CatalogHash(), Suite: suite}
}

// fit is the context size for these tasks and setups.
func fit(ctx context.Context, w *workspace.Workspace, team *orchestrator.Team, tasks []scenarios.Task, setups []string, o *orchestrator.Options) (orchestrator.Window, error) {
	asked, err := w.Asked(tasks)
	if err != nil {
		return orchestrator.Window{}, err
	}
	return orchestrator.Fit(ctx, team, asked, setups, o)
}

// inItsPlace is the setup that is compared where single fits no window.
const inItsPlace = "single+ts"

// window settles the context size. Setups that fit no window are left out, and single+ts stands in for single: the run
// says so.
func (p *program) window(ctx context.Context, f *compareFlags, w *workspace.Workspace, team *orchestrator.Team, tasks []scenarios.Task) (int, error) {
	if f.numCtx != 0 {
		return f.numCtx, nil
	}
	o := f.options(w, nil, nil)
	o.Gold = noGold
	window, err := fit(ctx, w, team, tasks, f.setups, o)
	if err != nil || len(window.TooLarge) == 0 {
		return window.Size, err
	}
	var setups []string
	for _, name := range f.setups {
		stand := name
		if contains(window.TooLarge, name) {
			text := fmt.Sprintf("left out: its first prompt of about %d tokens fits no window", window.First[name])
			if stand = ""; name == "single" {
				stand = inItsPlace
				text += "; " + inItsPlace + " is compared in its place"
			}
			p.say("%s is %s", name, text)
			if f.leftOut == nil {
				f.leftOut = map[string]string{}
			}
			f.leftOut[name] = text
		}
		if stand != "" && !contains(setups, stand) {
			setups = append(setups, stand)
		}
	}
	if f.setups = setups; len(setups) == 0 {
		return 0, usage("no setup fits a window: allow fewer tools")
	}
	window, err = fit(ctx, w, team, tasks, f.setups, o)
	return window.Size, err
}
