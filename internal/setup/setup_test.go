package setup

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"almanac/internal/server"
)

// The text is what dpkg-query prints for a library of one architecture, a removed package and an installed one.
func TestMissingIn(t *testing.T) {
	text := "libstb-dev:amd64 installed\nudunits-bin config-files\npython3 installed\n"
	got := missingIn(text, []string{"python3", "udunits-bin", "libstb-dev", "gdal-bin"})
	if diff := cmp.Diff([]string{"udunits-bin", "gdal-bin"}, got); diff != "" {
		t.Error(diff)
	}
}

// script is a system in which commands only leave a record.
type script struct {
	installed string
	fails     string
	ran       []string
}

func (s *script) run(_ context.Context, out io.Writer, name string, args ...string) error {
	if name == "dpkg-query" {
		_, err := io.WriteString(out, s.installed)
		return err
	}
	line := name + " " + strings.Join(args, " ")
	s.ran = append(s.ran, line)
	if s.fails != "" && strings.Contains(line, s.fails) {
		_, _ = io.WriteString(out, "Reading lists\nE: Unable to locate package\n")
		return errors.New("exit status 100")
	}
	return nil
}

func apt(t *testing.T, s *script, root bool) (*Apt, *bytes.Buffer) {
	t.Helper()
	// Missing asks only whether dpkg-query is there; the script answers for it.
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "dpkg-query"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	var out bytes.Buffer
	return &Apt{run: s.run, out: &out, root: root}, &out
}

func TestInstall(t *testing.T) {
	const options = "apt-get -qq -o DPkg::Lock::Timeout=600 -o Dpkg::Use-Pty=0 "
	s := &script{installed: "a installed\n"}
	a, out := apt(t, s, true)
	if err := a.Install(t.Context(), "a", "b", "c"); err != nil {
		t.Fatal(err)
	}
	want := []string{options + "update", options + "install --yes --no-install-recommends b c"}
	if diff := cmp.Diff(want, s.ran); diff != "" {
		t.Error(diff)
	}
	if got := out.String(); got != "installing Debian packages: b c\n" {
		t.Errorf("said %q", got)
	}
}

func TestInstallAsAnotherUserAsksSudo(t *testing.T) {
	s := &script{}
	a, _ := apt(t, s, false)
	if err := a.Install(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	for _, line := range s.ran {
		if !strings.HasPrefix(line, "sudo apt-get ") {
			t.Errorf("ran %q", line)
		}
	}
}

func TestInstallDoesNothingWhenAllIsThere(t *testing.T) {
	s := &script{installed: "a installed\nb:amd64 installed\n"}
	a, out := apt(t, s, true)
	if err := a.Install(t.Context(), "a", "b"); err != nil || len(s.ran) > 0 || out.Len() > 0 {
		t.Errorf("ran %v, said %q, %v", s.ran, out, err)
	}
}

func TestInstallSaysWhyItFailed(t *testing.T) {
	s := &script{fails: "install"}
	a, _ := apt(t, s, true)
	err := a.Install(t.Context(), "nonesuch")
	if err == nil || !strings.Contains(err.Error(), "nonesuch") || !strings.Contains(err.Error(), "Unable to locate") {
		t.Errorf("got %v", err)
	}
}

func TestNotDebian(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	err := NewApt(io.Discard).Install(t.Context(), "gdal-bin")
	if !errors.Is(err, ErrNotHere) || !strings.Contains(err.Error(), "gdal-bin") {
		t.Errorf("got %v, want ErrNotHere that names the package", err)
	}
}

func TestInstructionSets(t *testing.T) {
	x86 := "processor\t: 0\nflags\t\t: fpu avx512f\nprocessor\t: 1\nflags\t\t: fpu avx512f\n"
	arm := "processor\t: 0\nFeatures\t: fp asimd\n"
	if a, b := instructionSets(x86), instructionSets(strings.ReplaceAll(x86, "avx512f", "avx2")); a == b {
		t.Errorf("processors with and without AVX-512 look the same: %s", a)
	}
	for _, text := range []string{x86, arm} {
		if got := instructionSets(text); len(got) != 12 {
			t.Errorf("instructionSets(%q) = %q, want 12 hex digits", text, got)
		}
	}
	if got := instructionSets("processor: 0\n"); got != "unknown" {
		t.Errorf("got %q, want unknown", got)
	}
}

// A build for another processor, a build that does not run and no build are all not ready.
func TestBuildIsReadyOnlyHere(t *testing.T) {
	cache := t.TempDir()
	b := NewBuilder(cache, io.Discard)
	if b.Ready(t.Context()) {
		t.Error("ready without a build")
	}
	program, err := exec.LookPath("true")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(b.dir(), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(program, server.BuiltBinary(cache)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		stamp string
		want  bool
	}{{processor(), true}, {processor() + "-other", false}} {
		if err := os.WriteFile(b.stampFile(), []byte(c.stamp), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := b.Ready(t.Context()); got != c.want {
			t.Errorf("built for %s on %s: ready %v, want %v", c.stamp, processor(), got, c.want)
		}
	}
	if err := os.Remove(server.BuiltBinary(cache)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(server.BuiltBinary(cache), []byte("cut off"), 0o755); err != nil {
		t.Fatal(err)
	}
	if b.Ready(t.Context()) {
		t.Error("a broken program is ready")
	}
}

func TestBuildEnvironment(t *testing.T) {
	t.Setenv("CGO_ENABLED", "0")
	env := NewBuilder("/cache", io.Discard).environment("/inc", "/fresh", "/gocache")
	last := make(map[string]string)
	for _, e := range env {
		key, value, _ := strings.Cut(e, "=")
		last[key] = value
	}
	for key, want := range map[string]string{
		"CGO_ENABLED": "1", "GOBIN": "/fresh", "GOCACHE": "/gocache", "CGO_CPPFLAGS": "-I/inc -I/usr/include",
	} {
		if last[key] != want {
			t.Errorf("%s=%s, want %s", key, last[key], want)
		}
	}
	if !strings.HasPrefix(last["CGO_CXXFLAGS"], "-O3 -m") || last["CGO_CFLAGS"] != last["CGO_CXXFLAGS"] {
		t.Errorf("flags are %q and %q", last["CGO_CFLAGS"], last["CGO_CXXFLAGS"])
	}
}
