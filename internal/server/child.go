package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
)

// launch is what starting a server needs to know.
type launch struct {
	binary, cache, models string
	timeout               time.Duration
	prune                 bool
}

// child is a server process of ours. One goroutine owns it from start to end; done is closed when it has ended.
type child struct {
	cmd  *exec.Cmd
	log  string
	done chan struct{}
	err  error // set before done is closed
	once sync.Once
}

// startServer tries a few ports, since one may be taken between asking for it and listening on it.
func startServer(ctx context.Context, l launch) (*Server, error) {
	var last error
	for range 3 {
		addr, err := freePort()
		if err != nil {
			return nil, err
		}
		s, err := l.at(ctx, addr)
		if err == nil {
			return s, nil
		}
		if last = err; !portTaken(err) || ctx.Err() != nil {
			break
		}
	}
	return nil, last
}

func portTaken(err error) bool { return strings.Contains(err.Error(), "address already in use") }

// at starts the server on one address and waits until it answers.
func (l launch) at(ctx context.Context, addr string) (*Server, error) {
	u, err := ParseHost(addr)
	if err != nil {
		return nil, err
	}
	c, err := l.spawn(addr)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, l.timeout)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		if s, err := answering(ctx, u); err == nil {
			s.Started, s.Binary, s.child = true, l.binary, c
			s.Origin = fmt.Sprintf("started %s at %s, version %s, models in %s", l.binary, u.Host, s.Version, l.models)
			return s, nil
		}
		select {
		case <-tick.C:
		case <-c.done:
			return nil, l.failed(c, fmt.Sprintf("it ended at once: %v", c.err))
		case <-ctx.Done():
			err := l.failed(c, fmt.Sprintf("no answer at %s: %v", addr, context.Cause(ctx)))
			return nil, errors.Join(err, c.stop())
		}
	}
}

// failed makes the error of a server that did not come up, with the end of what it wrote.
func (l launch) failed(c *child, why string) error {
	return &MissingError{
		What: l.binary, Kind: ErrStart, Command: l.binary + " serve, to see why; or make model",
		Tried: []string{why, "its log " + c.log + " ends: " + lastLines(c.log, 3)},
	}
}

// spawn starts the process. The goroutine keeps its system thread until the process has ended: on Linux the kernel
// stops the server when that thread goes, so a kill -9 of this program leaves no server behind.
func (l launch) spawn(addr string) (*child, error) {
	logDir := filepath.Join(l.cache, "log")
	for _, dir := range []string{logDir, l.models} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, fmt.Errorf("server: starting %s: %w", l.binary, err)
		}
	}
	_, port, _ := strings.Cut(addr, ":")
	logFile, err := os.Create(filepath.Join(logDir, "ollama-"+port+".log"))
	if err != nil {
		return nil, fmt.Errorf("server: starting %s: %w", l.binary, err)
	}
	c := &child{cmd: exec.Command(l.binary, "serve"), log: logFile.Name(), done: make(chan struct{})}
	c.cmd.Env = l.environment(os.Environ(), addr)
	c.cmd.Stdout, c.cmd.Stderr = logFile, logFile
	c.cmd.SysProcAttr = processAttributes()
	started := make(chan error, 1)
	go func() {
		defer close(c.done)
		defer logFile.Close()
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := c.cmd.Start()
		started <- err
		if err != nil {
			c.err = err
			return
		}
		c.err = c.cmd.Wait()
	}()
	if err := <-started; err != nil {
		return nil, &MissingError{What: l.binary, Kind: ErrStart, Tried: []string{err.Error()}, Command: "make model"}
	}
	return c, nil
}

// stop ends the process: kindly, then after five seconds by force. It returns when the process has ended.
func (c *child) stop() error {
	var err error
	c.once.Do(func() {
		terminate(c.cmd.Process)
		kill := time.AfterFunc(5*time.Second, func() { _ = c.cmd.Process.Kill() })
		defer kill.Stop()
		<-c.done
		var exit *exec.ExitError
		if c.err != nil && !errors.As(c.err, &exit) {
			err = fmt.Errorf("server: stopping %s: %w", c.cmd.Path, c.err)
		}
	})
	return err
}

// environment is that of a server of ours: one slot, so that a prompt's cached prefix stays where the next
// prompt looks for it; no cloud; its key file in the cache rather than in the user's home. What the user set stays.
// The context length is left to each request.
func (l launch) environment(env []string, addr string) []string {
	set := func(key, value string) { env = append(withoutKey(env, key), key+"="+value) }
	unlessSet := func(key, value string) {
		if !hasKey(env, key) {
			set(key, value)
		}
	}
	set("OLLAMA_HOST", addr)
	set("OLLAMA_MODELS", l.models)
	set("OLLAMA_NO_CLOUD", "1")
	unlessSet("OLLAMA_NUM_PARALLEL", "1")
	unlessSet("OLLAMA_KEEP_ALIVE", "30m")
	if !l.prune {
		unlessSet("OLLAMA_NOPRUNE", "1")
	}
	if runtime.GOOS == "windows" {
		set("USERPROFILE", l.cache)
	} else {
		set("HOME", l.cache)
	}
	return env
}

func hasKey(env []string, key string) bool { return len(withoutKey(env, key)) < len(env) }

func withoutKey(env []string, key string) []string {
	kept := make([]string, 0, len(env))
	for _, entry := range env {
		if name, _, _ := strings.Cut(entry, "="); name != key {
			kept = append(kept, entry)
		}
	}
	return kept
}

// lastLines returns the end of a log in one line, for an error.
func lastLines(path string, n int) string {
	f, err := os.Open(path)
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > 4096 {
		if _, err := f.Seek(-4096, io.SeekEnd); err != nil {
			return err.Error()
		}
	}
	text, err := io.ReadAll(io.LimitReader(f, 4096))
	if err != nil {
		return err.Error()
	}
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	return string(bytes.Join(lines[max(0, len(lines)-n):], []byte(" | ")))
}
