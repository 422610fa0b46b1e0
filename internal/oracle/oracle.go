// Package oracle lets a Go test ask a second implementation in Python.
//
// A test with build tag oracles sends seeded inputs as JSON to a script of
// scripts/oracles and compares the script's JSON reply with what our code
// says. The Python that runs them has the libraries; `make oracles` makes it.
// ALMANAC_ORACLES names another Python. A missing oracle fails the test: a
// comparison that did not happen must not look like one that passed.
package oracle

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// Run sends in as JSON to the script, a path from the module's root, and
// decodes its JSON reply into out. It fails the test when the oracle is
// missing, exits with an error, takes over two minutes or replies with
// something else. NaN has no JSON form: scripts reply null.
func Run(t testing.TB, script string, in, out any) {
	t.Helper()
	input, err := json.Marshal(in)
	if err != nil {
		t.Fatalf("oracle: encoding the input of %s: %v", script, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, Python(t), filepath.Join(Root(t), script))
	cmd.Stdin = bytes.NewReader(input)
	cmd.WaitDelay = 5 * time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("oracle: running %s: %v (run `make oracles` if a library is missing)\n%s", script, err, lastBytes(stderr.Bytes(), 4000))
	}
	if err := json.Unmarshal(stdout.Bytes(), out); err != nil {
		t.Fatalf("oracle: reading the reply of %s: %v\n%s", script, err, lastBytes(stdout.Bytes(), 1000))
	}
}

// Python is the interpreter that has the oracles; the test fails when there
// is none.
func Python(t testing.TB) string {
	t.Helper()
	python := os.Getenv("ALMANAC_ORACLES")
	if python == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			t.Fatalf("oracle: %v", err)
		}
		python = filepath.Join(home, ".cache", "almanac", "oracles", "bin", "python")
	}
	if _, err := exec.LookPath(python); err != nil {
		t.Fatalf("oracle: no Python with the second implementations at %s: run `make oracles`", python)
	}
	return python
}

// Root is the module's root folder.
func Root(t testing.TB) string {
	t.Helper()
	_, file, _, ok := runtime.Caller(0)
	if !ok {
		t.Fatal("oracle: cannot find the module's root")
	}
	return filepath.Dir(filepath.Dir(filepath.Dir(file)))
}

func lastBytes(b []byte, n int) []byte {
	if len(b) > n {
		return b[len(b)-n:]
	}
	return b
}
