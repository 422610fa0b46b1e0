package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"almanac/internal/server"
)

// serve finds or starts a server and stops it, if it was started here, when the command has ended.
func serve(ctx context.Context, command []string) (err error) {
	s, err := server.Ensure(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	fmt.Fprintln(os.Stderr, s.Origin)
	if len(command) == 0 {
		fmt.Printf("OLLAMA_HOST=%s\n", s.Host())
		if s.Started {
			<-ctx.Done()
		}
		return nil
	}
	// A Ctrl-C reaches the command by itself: it belongs to the same terminal. It decides when to end.
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = append(os.Environ(), "OLLAMA_HOST="+s.Host())
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	return cmd.Run()
}
