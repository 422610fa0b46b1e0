package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// scaleEpisodes are 8 tasks with as many repeats as make ten thousand.
const scaleEpisodes = 10_000

// longScript calls eight tools, one a turn, and declines: nine requests an episode.
func longScript() string {
	var b strings.Builder
	for _, place := range []string{"Jamaica", "Cyprus", "Lebanon", "Gambia", "Qatar", "Brunei", "Malta", "Bhutan"} {
		fmt.Fprintf(&b, "- {tool_calls: [{name: gis.area, arguments: {zones: %s}}], usage: {prompt: 3000, completion: 30}}\n", place)
	}
	b.WriteString(`- {tool_calls: [{name: decline, arguments: {reason: "a measurement of speed, not of answers"}}], usage: {prompt: 3100, completion: 30}}` + "\n")
	return b.String()
}

// scaleRows measures a long run: ten thousand scripted episodes of eight steps each, scoring its log again, and writing its
// report again. The episodes carry out their tools and store what those make; only the model is a script.
func scaleRows(ctx context.Context, c config) ([]row, error) {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file, run := filepath.Join(dir, "script.yaml"), filepath.Join(dir, "run")
	if err := os.WriteFile(file, []byte(longScript()), 0o600); err != nil {
		return nil, err
	}
	took, mib, err := measured(ctx, c.almanac, "compare", "--suite", "demo", "--setups", "single", "--model", "scripted:"+file,
		"--repeats", fmt.Sprint(scaleEpisodes/8), "--out", run, "--quiet")
	if err != nil {
		return nil, err
	}
	rows := []row{
		timed("compare, 10,000 scripted episodes × 8 steps", took, time.Minute, ""),
		{what: "its peak memory", measured: fmt.Sprintf("%.0f MiB", mib), limit: "300 MiB", within: mib < 300},
	}
	if took, mib, err = measured(ctx, c.almanac, "eval", "score", run, "--quiet"); err != nil {
		return rows, err
	}
	rows = append(rows, timed(fmt.Sprintf("scoring its log again (%.0f MiB of memory)", mib), took, 5*time.Second, ""))
	info, err := os.Stat(filepath.Join(run, "report.html"))
	if err != nil {
		return rows, err
	}
	kb := float64(info.Size()) / 1000
	return append(rows, row{what: "its report.html", measured: fmt.Sprintf("%.0f kB", kb), within: true}), nil
}

// measured runs a command and gives its time and its peak memory in MiB.
func measured(ctx context.Context, program string, args ...string) (time.Duration, float64, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	begun := time.Now()
	out, err := cmd.CombinedOutput()
	if err != nil {
		return 0, 0, errors.Join(fmt.Errorf("%s: %w", args[0], err), errors.New(string(out)))
	}
	took := time.Since(begun)
	used, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return took, 0, errors.New("this system does not tell a process's peak memory")
	}
	return took, float64(used.Maxrss) / 1024, nil // kilobytes on Linux
}
