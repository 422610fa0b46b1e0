// Command setup brings what Almanac needs: a model server, model weights, Debian packages.
//
//	setup model [NAME ...]      a server, and the models (default: the default model and the embedding)
//	setup serve [-- CMD ...]    runs CMD with OLLAMA_HOST set to a server that is found or started; without CMD, prints
//	                            OLLAMA_HOST and keeps the server until it is interrupted
//	setup apt PACKAGE ...       installs the Debian packages that are missing
//	setup apt-lists             fetches the lists of Debian packages
//
// It exits with 0 when all is there, 3 when something is missing that it cannot bring, and else with 1 or the exit
// code of CMD.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"almanac/internal/server"
	"almanac/internal/setup"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	var exit *exec.ExitError
	var missing *server.MissingError
	switch {
	case err == nil:
	case errors.As(err, &exit) && exit.ExitCode() > 0:
		os.Exit(exit.ExitCode())
	case errors.As(err, &missing), errors.Is(err, setup.ErrNotHere):
		fmt.Fprintln(os.Stderr, "setup:", err)
		os.Exit(3)
	default:
		fmt.Fprintln(os.Stderr, "setup:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		args = []string{""}
	}
	rest := args[1:]
	if len(rest) > 0 && rest[0] == "--" {
		rest = rest[1:]
	}
	switch args[0] {
	case "model":
		return bringModels(ctx, rest)
	case "serve":
		return serve(ctx, rest)
	case "apt":
		return setup.NewApt(os.Stderr).Install(ctx, rest...)
	case "apt-lists":
		return setup.NewApt(os.Stderr).Update(ctx)
	}
	return fmt.Errorf("want model, serve, apt or apt-lists, got %q", args[0])
}
