package cli

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"almanac/eval"
	"almanac/eval/runlog"
	"almanac/scenarios"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// onlyResume refuses flags that say what a comparison is beside --resume: the run's manifest says that.
func (p *program) onlyResume() error {
	beside := []string{"resume", "parallel", "budget-total", "json", "quiet", "verbose", "config", "data-dir"}
	for _, s := range p.config.all {
		if s.Origin == "flag" && !contains(beside, s.Name) {
			return usage("--%s does not go with --resume: a run goes on as it was begun", s.Name)
		}
	}
	return nil
}

// resume goes on with a run: its manifest says with what.
func (p *program) resume(ctx context.Context, cmd *cobra.Command, f *compareFlags) error {
	folder, events, err := runlog.Resume(f.resume)
	if err != nil {
		return &exit{exitUsage, err}
	}
	defer func() { p.closing(folder.Close) }()
	if folder.Dropped > 0 {
		p.say("a torn last line of %d bytes was dropped from the log", folder.Dropped)
	}
	m := folder.Manifest
	if err := p.fromManifest(cmd, f, m); err != nil {
		return &exit{exitUsage, err}
	}
	w, err := p.workspace(cmd)
	if err != nil {
		return err
	}
	for _, d := range w.Data.Datasets() {
		if was, ok := m.Datasets[d.Name]; ok && was != d.SHA256 {
			return usage("data set %s has changed since the run in %s was begun: begin a new run", d.Name, f.resume)
		}
	}
	tasks, _, err := selected(f)
	if err != nil {
		return &exit{exitUsage, err}
	}
	if h := scenarios.HashTasks(tasks); h != m.Suite.Hash {
		return usage("the tasks have changed since the run in %s was begun (%.12s then, %.12s now): begin a new run", f.resume, m.Suite.Hash, h)
	}
	if w, err = w.Among(tasks[0].Distractors); err != nil {
		return &exit{exitUsage, err}
	}
	numCtx := f.numCtx
	for _, x := range m.Models {
		numCtx = x.Context
	}
	list, closeModels, err := p.models(ctx, &f.modelFlags, numCtx)
	defer func() { p.closing(closeModels) }()
	if err != nil {
		return err
	}
	for i, o := range list {
		if i < len(m.Models) && m.Models[i].Digest != o.Info.Digest {
			return usage("%s has digest %.12s now and had %.12s when the run was begun: a run has one model", o.Name, o.Info.Digest, m.Models[i].Digest)
		}
	}
	for i := range list {
		if i < len(m.Models) {
			list[i].Known = m.Models[i].Calibration // what held when the run was begun holds to its end
		}
	}
	return p.carryOut(ctx, &begun{workspace: w, folder: folder, events: events, suite: m.Suite.Name, tasks: tasks, models: list, flags: f})
}

// fromManifest takes the flags from the command that began the run. How many episodes run at the same time, and how much
// the run may take in all, may be said anew.
func (p *program) fromManifest(cmd *cobra.Command, f *compareFlags, m runlog.Manifest) error {
	if len(m.Command) < 2 {
		return errors.New("the run's manifest does not say how it was begun")
	}
	resume, parallel, total := f.resume, m.Parallel, f.total
	given := func(name string) bool { return p.config.origin(name) == "flag" }
	if given("parallel") {
		parallel = f.parallel
	}
	raised := given("budget-total")
	var errs []error
	cmd.Flags().VisitAll(func(fl *pflag.Flag) { // what else is configured now does not count
		if list, ok := fl.Value.(pflag.SliceValue); ok {
			errs = append(errs, list.Replace(nil))
		}
	})
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if err := cmd.Flags().Parse(m.Command[2:]); err != nil {
		return fmt.Errorf("the command in the run's manifest cannot be read: %w", err)
	}
	f.resume, f.parallel = resume, parallel
	if raised {
		f.total = total
	}
	return f.check()
}

// goOn says after a failure to write how the run goes on.
func goOn(dir string, err error) error {
	if !eval.Unwritable(err) && !errors.Is(err, syscall.ENOSPC) {
		return err
	}
	return fmt.Errorf("%w; what is finished is saved: make room, and go on with: almanac compare --resume %s", err, dir)
}
