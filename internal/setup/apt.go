package setup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// ErrNotHere means that something must be installed by hand on this kind of system.
var ErrNotHere = errors.New("cannot be installed from here")

// Apt installs Debian packages by name.
type Apt struct {
	run func(ctx context.Context, out io.Writer, name string, args ...string) error
	out io.Writer
	// root tells that no sudo is needed.
	root bool
}

// NewApt reports to out.
func NewApt(out io.Writer) *Apt { return &Apt{run: runCommand, out: out, root: os.Geteuid() == 0} }

func runCommand(ctx context.Context, out io.Writer, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stdout, cmd.Stderr, cmd.Stdin = out, out, os.Stdin
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
	return cmd.Run()
}

// Missing returns those of the packages that are not installed.
func (a *Apt) Missing(ctx context.Context, packages ...string) ([]string, error) {
	if _, err := exec.LookPath("dpkg-query"); err != nil {
		return nil, fmt.Errorf("setup: %s: %w: this is not a Debian system; install what they hold by your own means",
			strings.Join(packages, " "), ErrNotHere)
	}
	var out bytes.Buffer
	args := append([]string{"--show", "--showformat", "${binary:Package} ${db:Status-Status}\n"}, packages...)
	// A package that was never heard of makes dpkg-query fail, after it has printed the others.
	err := a.run(ctx, &out, "dpkg-query", args...)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, fmt.Errorf("setup: asking for %s: %w", strings.Join(packages, " "), err)
	}
	return missingIn(out.String(), packages), nil
}

// missingIn reads lines of dpkg-query: "NAME[:ARCHITECTURE] installed".
func missingIn(text string, packages []string) []string {
	var installed []string
	for line := range strings.Lines(text) {
		if fields := strings.Fields(line); len(fields) == 2 && fields[1] == "installed" {
			name, _, _ := strings.Cut(fields[0], ":")
			installed = append(installed, name)
		}
	}
	var missing []string
	for _, p := range packages {
		if !slices.Contains(installed, p) {
			missing = append(missing, p)
		}
	}
	return missing
}

// Install installs those of the packages that are missing, and says so first.
func (a *Apt) Install(ctx context.Context, packages ...string) error {
	missing, err := a.Missing(ctx, packages...)
	if err != nil || len(missing) == 0 {
		return err
	}
	fmt.Fprintf(a.out, "installing Debian packages: %s\n", strings.Join(missing, " "))
	if err := a.Update(ctx); err != nil {
		return err
	}
	return a.get(ctx, append([]string{"install", "--yes", "--no-install-recommends"}, missing...)...)
}

// Update fetches the lists of packages.
func (a *Apt) Update(ctx context.Context) error { return a.get(ctx, "update") }

// get runs apt-get, with sudo unless this is root, and shows what it said only when it fails. It waits for another
// apt-get to end.
func (a *Apt) get(ctx context.Context, step ...string) error {
	args := append([]string{"apt-get", "-qq", "-o", "DPkg::Lock::Timeout=600", "-o", "Dpkg::Use-Pty=0"}, step...)
	if !a.root {
		args = append([]string{"sudo"}, args...)
	}
	var log bytes.Buffer
	if err := a.run(ctx, &log, args[0], args[1:]...); err != nil {
		return fmt.Errorf("setup: apt-get %s: %w: %s", strings.Join(step, " "), err, tail(log.String(), 3))
	}
	return nil
}

// tail returns the last lines of a text in one line.
func tail(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], " | ")
}
