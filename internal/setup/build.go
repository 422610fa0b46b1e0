package setup

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"almanac/internal/server"
)

// malgo carries miniaudio.h, which the module zip of Ollama lacks because it stands in a folder named vendor.
const malgo = "github.com/gen2brain/malgo@v0.11.24"

// buildPackages are the Debian packages that the build needs: the compilers, and two more headers that the module zip
// lacks.
var buildPackages = []string{"gcc", "g++", "libc6-dev", "nlohmann-json3-dev", "libstb-dev"}

// Builder compiles Ollama from its Go module into the cache.
type Builder struct {
	cache string
	out   io.Writer
	apt   *Apt
}

// NewBuilder builds below the cache folder and reports to out.
func NewBuilder(cache string, out io.Writer) *Builder {
	return &Builder{cache: cache, out: out, apt: NewApt(out)}
}

// Ready reports whether the build is there, was made for this processor, and runs. A build that came along from a
// machine with another processor would end on an illegal instruction in the middle of a reply.
func (b *Builder) Ready(ctx context.Context) bool {
	stamp, err := os.ReadFile(b.stampFile())
	if err != nil || string(stamp) != processor() {
		return false
	}
	return exec.CommandContext(ctx, server.BuiltBinary(b.cache), "--version").Run() == nil
}

// Build makes the binary and returns its path. It takes four to ten minutes on two cores. An interrupted build goes on
// where it was, since the compiler's cache is kept until the end.
func (b *Builder) Build(ctx context.Context) (string, error) {
	binary := server.BuiltBinary(b.cache)
	if b.Ready(ctx) {
		return binary, nil
	}
	if runtime.GOOS != "linux" {
		return "", fmt.Errorf("setup: building Ollama: %w on %s: install it from its own site, then run this again", ErrNotHere, runtime.GOOS)
	}
	fmt.Fprintf(b.out, "building Ollama %s into %s (once, 4 to 10 minutes on two cores, about 40 MB)\n", server.OllamaVersion, b.dir())
	if err := b.apt.Install(ctx, buildPackages...); err != nil {
		return "", err
	}
	include, err := b.headers(ctx)
	if err != nil {
		return "", err
	}
	fresh := filepath.Join(b.dir(), "fresh")
	goCache := filepath.Join(b.dir(), "gocache-"+processor())
	if err := b.compile(ctx, b.environment(include, fresh, goCache)); err != nil {
		return "", err
	}
	err = errors.Join(
		os.Rename(filepath.Join(fresh, filepath.Base(binary)), binary),
		os.WriteFile(b.stampFile(), []byte(processor()), 0o644),
		os.RemoveAll(fresh), os.RemoveAll(goCache),
	)
	if err != nil {
		return "", fmt.Errorf("setup: building Ollama: %w", err)
	}
	if !b.Ready(ctx) {
		return "", fmt.Errorf("setup: building Ollama: %s was built but does not run", binary)
	}
	return binary, nil
}

func (b *Builder) dir() string { return filepath.Dir(server.BuiltBinary(b.cache)) }

func (b *Builder) stampFile() string { return filepath.Join(b.dir(), "processor") }

// headers puts miniaudio.h where the sources look for it and returns the folder to search.
func (b *Builder) headers(ctx context.Context) (string, error) {
	include := filepath.Join(b.dir(), "include")
	if err := os.MkdirAll(filepath.Join(include, "miniaudio"), 0o755); err != nil {
		return "", fmt.Errorf("setup: building Ollama: %w", err)
	}
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", malgo)
	cmd.Dir = b.dir()
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("setup: building Ollama: fetching %s: %w: %s", malgo, err, tail(string(out), 3))
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(out, &module); err != nil {
		return "", fmt.Errorf("setup: building Ollama: fetching %s: %w", malgo, err)
	}
	header, err := os.ReadFile(filepath.Join(module.Dir, "miniaudio.h"))
	if err != nil {
		return "", fmt.Errorf("setup: building Ollama: %w", err)
	}
	if err := os.WriteFile(filepath.Join(include, "miniaudio", "miniaudio.h"), header, 0o644); err != nil {
		return "", fmt.Errorf("setup: building Ollama: %w", err)
	}
	return include, nil
}

// environment is that of the compiler. Without -march=native only the oldest kernels come out and prompts are several
// times slower. The compiler's own cache is not used: it does not know which processor "native" was.
func (b *Builder) environment(include, fresh, goCache string) []string {
	flags := "-O3 -march=native"
	if runtime.GOARCH == "arm64" {
		flags = "-O3 -mcpu=native"
	}
	return append(os.Environ(),
		"CGO_ENABLED=1", "GOWORK=off", "GOFLAGS=-mod=mod", "GOOS=", "GOARCH=",
		"GOBIN="+fresh, "GOCACHE="+goCache,
		"CGO_CPPFLAGS=-I"+include+" -I/usr/include",
		"CGO_CFLAGS="+flags, "CGO_CXXFLAGS="+flags,
	)
}

// compile runs the Go tool, with its many warnings in a log and a line a minute for the person who waits.
func (b *Builder) compile(ctx context.Context, env []string) error {
	logPath := filepath.Join(b.cache, "log", "ollama-build.log")
	if err := os.MkdirAll(filepath.Dir(logPath), 0o755); err != nil {
		return fmt.Errorf("setup: building Ollama: %w", err)
	}
	log, err := os.Create(logPath)
	if err != nil {
		return fmt.Errorf("setup: building Ollama: %w", err)
	}
	defer log.Close()
	version := strings.TrimPrefix(server.OllamaVersion, "v")
	cmd := exec.CommandContext(ctx, "go", "install",
		"-ldflags=-s -w -X=github.com/ollama/ollama/version.Version="+version,
		"github.com/ollama/ollama@"+server.OllamaVersion)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = b.dir(), env, log, log
	// The Go tool is asked to stop, so that it stops the compilers too.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	done := make(chan error, 1)
	start := time.Now()
	go func() { done <- cmd.Run() }()
	tick := time.NewTicker(time.Minute)
	defer tick.Stop()
	for {
		select {
		case err := <-done:
			if err != nil {
				return fmt.Errorf("setup: building Ollama: %w; the compiler's words are in %s", err, logPath)
			}
			return nil
		case <-tick.C:
			fmt.Fprintf(b.out, "  building for %v\n", time.Since(start).Round(time.Second))
		}
	}
}

// processor identifies what "native" means here: the architecture and, on Linux, the instruction sets.
func processor() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	return runtime.GOARCH + "-" + instructionSets(string(text))
}

// instructionSets hashes the first line that lists features; every core has the same.
func instructionSets(cpuinfo string) string {
	for line := range strings.Lines(cpuinfo) {
		key, value, _ := strings.Cut(line, ":")
		if key = strings.TrimSpace(key); key == "flags" || key == "Features" {
			return fmt.Sprintf("%x", sha256.Sum256([]byte(strings.TrimSpace(value))))[:12]
		}
	}
	return "unknown"
}
