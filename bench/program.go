package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

// programRows measures the program as a user meets it: its size, and a command from cold.
func programRows(ctx context.Context, c config) ([]row, error) {
	info, err := os.Stat(c.almanac)
	if err != nil {
		return nil, fmt.Errorf("%w; `make build` makes it", err)
	}
	var times []time.Duration
	for range 9 {
		begun := time.Now()
		if err := exec.CommandContext(ctx, c.almanac, "tools", "list").Run(); err != nil {
			return nil, err
		}
		times = append(times, time.Since(begun))
	}
	slices.Sort(times)
	mb := float64(info.Size()) / 1e6
	return []row{
		timed("`almanac tools list`, median of 9", times[len(times)/2], 50*time.Millisecond, ""),
		{what: "size of the program", measured: fmt.Sprintf("%.1f MB", mb), limit: "60 MB", within: mb < 60},
	}, nil
}

// script answers every question after a second, so that all episodes are under way together: first a tool call, then an
// answer.
const script = `- tool_calls: [{name: gis.area, arguments: {zones: Kenya}}]
  usage: {prompt: 3000, completion: 30}
  delay: 1s
- tool_calls: [{name: decline, arguments: {reason: "a measurement of memory, not of answers"}}]
  usage: {prompt: 3100, completion: 30}
  delay: 1s
`

// episodeRows measures the memory of a comparison with a thousand episodes at the same time.
func episodeRows(ctx context.Context, c config) ([]row, error) {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "script.yaml")
	if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
		return nil, err
	}
	const episodes = 1000 // 8 tasks, 125 repeats
	cmd := exec.CommandContext(ctx, c.almanac, "compare", "--suite", "demo", "--setups", "single", "--model", "scripted:"+file,
		"--repeats", "125", "--parallel", "1000", "--out", filepath.Join(dir, "run"), "--quiet")
	begun := time.Now()
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("compare: %w", err), errors.New(string(out)))
	}
	used, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return nil, errors.New("this system does not tell a process's peak memory")
	}
	mib := float64(used.Maxrss) / 1024 // kilobytes on Linux
	return []row{{
		what:     fmt.Sprintf("peak memory, %d episodes in parallel", episodes),
		measured: fmt.Sprintf("%.0f MiB, %s in all", mib, short(time.Since(begun))),
		limit:    "200 MiB", within: mib < 200,
	}}, nil
}
