package server

import (
	"errors"
	"fmt"
	"strings"
)

// Sentinels that callers branch on with errors.Is.
var (
	// ErrNoServer means that no server answers and none can be started.
	ErrNoServer = errors.New("no Ollama server")
	// ErrNoModel means that the server does not have the model.
	ErrNoModel = errors.New("model not on the server")
	// ErrStart means that a server was found on disk but did not come up.
	ErrStart = errors.New("server did not start")
)

// MissingError says what is missing, where it was looked for, and what brings it. Programs exit with 3 on it.
type MissingError struct {
	// What was asked for, such as a model's name.
	What string
	// Tried has a line for each place that was looked at, in order.
	Tried []string
	// Have lists what exists instead, such as the models that the server does have.
	Have []string
	// Command is what a person types to get it.
	Command string
	// Kind is [ErrNoServer], [ErrNoModel] or [ErrStart].
	Kind error
}

// Error gives one line: what, where, what exists, what to type.
func (e *MissingError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "server: %v: %s", e.Kind, e.What)
	if len(e.Tried) > 0 {
		fmt.Fprintf(&b, " (%s)", strings.Join(e.Tried, "; "))
	}
	if len(e.Have) > 0 {
		fmt.Fprintf(&b, "; it has %s", strings.Join(e.Have, ", "))
	}
	if e.Command != "" {
		fmt.Fprintf(&b, "; run: %s", e.Command)
	}
	return b.String()
}

// Unwrap returns the kind, so that errors.Is(err, ErrNoModel) works.
func (e *MissingError) Unwrap() error { return e.Kind }

// Fix returns the command that brings what is missing.
func (e *MissingError) Fix() string { return e.Command }
