// Package cli is the command line: it reads flags, opens what a command needs, and shows what came of it.
//
// Standard output holds results only; with --json exactly one JSON document. Progress and messages go to standard
// error. Exit codes: 0 done; 1 done and found wanting; 2 bad usage or input; 3 something is missing here, with the
// command that brings it; 4 stopped by a budget; 130 interrupted.
package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"almanac/agents/llm"
	"almanac/eval"
	"almanac/internal/server"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// Streams are where a command reads and writes.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// Exit codes.
const (
	exitDone        = 0
	exitWanting     = 1
	exitUsage       = 2
	exitMissing     = 3
	exitBudget      = 4
	exitInterrupted = 130
)

// exit is an error with the code that the program ends with. A nil err says nothing more.
type exit struct {
	code int
	err  error
}

func (e *exit) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exit) Unwrap() error { return e.err }

func usage(format string, args ...any) error { return &exit{exitUsage, fmt.Errorf(format, args...)} }

// program is what commands share.
type program struct {
	Streams
	json    bool
	verbose bool
	quiet   bool
	config  *settings
	log     *slog.Logger
	cancel  context.CancelCauseFunc // stops the command, which saves what it has
}

// Main runs the command line and returns the exit code. A first interrupt asks the command to stop and save; a second
// ends the program at once.
func Main(ctx context.Context, args []string, s Streams) int {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // the second signal has its usual effect
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	pipe := make(chan os.Signal, 1)
	signal.Notify(pipe, syscall.SIGPIPE) // a pipe that nobody reads is an error of the write, and not the end
	defer signal.Stop(pipe)
	p := &program{Streams: s, cancel: cancel, log: slog.New(slog.NewTextHandler(s.Err, nil))}
	root := p.root()
	root.SetArgs(args)
	root.SetIn(s.In)
	root.SetOut(s.Out)
	root.SetErr(s.Err)
	err := root.ExecuteContext(ctx)
	code := exitCode(ctx, err)
	if err != nil && code != exitDone {
		p.report(err)
	}
	return code
}

func exitCode(ctx context.Context, err error) int {
	var e *exit
	var missing *server.MissingError
	switch {
	case err == nil:
		return exitDone
	case ctx.Err() != nil, errors.Is(err, syscall.EPIPE):
		return exitInterrupted
	case eval.Unwritable(err), errors.Is(err, syscall.ENOSPC):
		return exitWanting
	case errors.As(err, &e):
		return e.code
	case errors.As(err, &missing), errors.Is(err, llm.ErrModelMissing), errors.Is(err, llm.ErrTransport):
		return exitMissing
	}
	return exitUsage
}

// report says what went wrong, unless all was said already.
func (p *program) report(err error) {
	var e *exit
	if errors.As(err, &e) && e.err == nil || errors.Is(err, syscall.EPIPE) {
		return
	}
	fmt.Fprintln(p.Err, "almanac: "+strings.TrimPrefix(err.Error(), "almanac: "))
}

func (p *program) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "almanac",
		Short: "Does a team of agents earn its tokens on Earth-science tasks?",
		Long: "Almanac lets agents solve Earth-science tasks with real tools on real data, compares setups of agents on the same\n" +
			"tasks, and says with error bars whether a team earns its tokens on your model.",
		Example: "  almanac compare --suite demo --setups search,squad,single --model ollama:qwen2.5-coder:1.5b\n" +
			"  almanac run --ask \"How many square kilometres does Kenya cover?\" --field area:km2\n" +
			"  almanac doctor",
		SilenceUsage: true, SilenceErrors: true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return p.configure(cmd) },
	}
	f := root.PersistentFlags()
	f.BoolVar(&p.json, "json", false, "print one JSON document on standard output, nothing else")
	f.BoolVarP(&p.verbose, "verbose", "v", false, "say more on standard error")
	f.BoolVar(&p.quiet, "quiet", false, "say nothing on standard error but errors")
	f.String("config", "", "configuration file (default almanac.yaml, where there is one)")
	f.String("data-dir", "", "folder of your own data sets")
	f.StringSlice("agent", nil, "YAML file of a further agent (may be repeated)")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &exit{exitUsage, err} })
	root.AddCommand(
		p.compareCommand(), p.runCommand(), p.evalCommand(), p.toolsCommand(), p.tasksCommand(), p.scheduleCommand(), p.memoryCommand(),
		p.agentsCommand(), p.setupsCommand(), p.modelsCommand(), p.dataCommand(), p.doctorCommand(), p.configCommand(), p.versionCommand(),
	)
	return root
}

// group is a command that only holds others; without one of them it shows its help and is bad usage.
func group(use, short string, sub ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Args: cobra.ArbitraryArgs}
	c.RunE = func(cmd *cobra.Command, args []string) error {
		var names []string
		for _, s := range cmd.Commands() {
			names = append(names, s.Name())
		}
		if len(args) > 0 {
			return usage("%s has no command %q; there are %s", cmd.CommandPath(), args[0], strings.Join(names, ", "))
		}
		return errors.Join(cmd.Help(), &exit{code: exitUsage})
	}
	c.AddCommand(sub...)
	return c
}

// print writes v as the command's JSON document.
func (p *program) print(v any) error {
	enc := json.NewEncoder(p.Out)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// say writes a line for people to standard error.
func (p *program) say(format string, args ...any) {
	if !p.quiet {
		p.line(format+"\n", args...)
	}
}

// line writes to standard error. Where nobody reads it any more, the command is asked to stop and save.
func (p *program) line(format string, args ...any) {
	if _, err := fmt.Fprintf(p.Err, format, args...); errors.Is(err, syscall.EPIPE) {
		p.cancel(errNobodyReads)
	}
}

var errNobodyReads = errors.New("nobody reads the progress any more")

// terminal reports whether w is one, where colours and a live line make sense.
func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd())) && os.Getenv("NO_COLOR") == ""
}
