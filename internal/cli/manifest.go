package cli

import (
	"fmt"
	"maps"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"almanac/eval/runlog"
	"almanac/internal/workspace"
	"almanac/orchestrator"
	"almanac/scenarios"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// manifest says how a comparison was asked for.
func manifest(cmd *cobra.Command, f *compareFlags, w *workspace.Workspace, suite *scenarios.Suite, tasks []scenarios.Task, list []opened, numCtx int) runlog.Manifest {
	m := newManifest(w, f.out, suite.Name, tasks, list, numCtx)
	m.Repeats, m.Seed, m.Parallel, m.Settings = f.repeats, f.seed, lanes(f.parallel, list), f.settings()
	if m.Command = f.command; m.Command == nil {
		m.Command = append([]string{"almanac", "compare"}, given(cmd)...)
	}
	m.Settings["memory"] = f.memoryState()
	maps.Copy(m.Settings, f.changed())
	m.Settings["squad mode"] = f.mode
	if f.mode == "" {
		m.Settings["squad mode"] = orchestrator.ModeAuto
	}
	m.Settings["temperature"] = fmt.Sprint(temperature(f.repeats))
	return m
}

// newManifest says what a run is made of: tasks, models, data sets, machine and version.
func newManifest(w *workspace.Workspace, dir, suite string, tasks []scenarios.Task, list []opened, numCtx int) runlog.Manifest {
	v := buildVersion()
	m := runlog.Manifest{
		ID: filepath.Base(dir), Created: time.Now().UTC(), Version: v.Version, Commit: v.Commit, Go: runtime.Version(),
		Host:  runlog.Host{OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.NumCPU(), CPU: cpuName()},
		Suite: runlog.Suite{Name: suite, Hash: scenarios.HashTasks(tasks)}, Repeats: 1, Seed: 1, Parallel: 1,
		Settings: map[string]string{}, Datasets: map[string]string{}, Models: []runlog.Model{},
	}
	for _, d := range w.Data.Datasets() {
		m.Datasets[d.Name] = d.SHA256
	}
	for _, o := range list {
		m.Models = append(m.Models, runlog.Model{
			Name: o.Name, Digest: o.Info.Digest, Quantisation: o.Info.Quantization, Server: o.Info.ServerVersion, Context: numCtx,
			Calibration: o.Known,
		})
	}
	return m
}

// given are the flags that say what a comparison is, as they would have to be typed to run it again: those that were
// given, by whatever way, and the suite, setups, seed and repeats in any case. Where it is written and how it is shown
// are no part of it.
func given(cmd *cobra.Command) []string {
	always := []string{"suite", "setups", "seed", "repeats"}
	never := []string{"out", "resume", "parallel", "json", "quiet", "verbose", "config"}
	var args []string
	cmd.Flags().VisitAll(func(fl *pflag.Flag) {
		if contains(never, fl.Name) || !fl.Changed && !contains(always, fl.Name) {
			return
		}
		if fl.Value.Type() == "bool" {
			args = append(args, "--"+fl.Name+map[bool]string{true: "", false: "=false"}[fl.Value.String() == "true"])
			return
		}
		values := []string{fl.Value.String()}
		if list, ok := fl.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
			if fl.Name == "setups" {
				values = []string{strings.Join(values, ",")}
			}
		}
		for _, v := range values {
			args = append(args, "--"+fl.Name, v)
		}
	})
	return args
}
