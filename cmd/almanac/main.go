// Command almanac finds out whether a team of agents earns its tokens on Earth-science tasks. See almanac --help.
package main

import (
	"context"
	"os"

	"almanac/internal/cli"
)

func main() {
	os.Exit(cli.Main(context.Background(), os.Args[1:], cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
}
