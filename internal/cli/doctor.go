package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"almanac/internal/server"
	"almanac/internal/workspace"

	"github.com/spf13/cobra"
)

// States of a finding of doctor.
const (
	stateOK   = "ok"
	stateWarn = "warn"
	stateFail = "fail"
)

type checkJSON struct {
	Name   string `json:"name"`
	State  string `json:"state"`
	Detail string `json:"detail"`
	Fix    string `json:"fix,omitempty"`
}

func (p *program) doctorCommand() *cobra.Command {
	var probe bool
	var numCtx int
	cmd := &cobra.Command{
		Use: "doctor", Short: "Check what there is: server, models, data, oracles, and say how to bring what is missing", Args: cobra.NoArgs,
		Example: "  almanac doctor\n  almanac doctor --no-probe --json",
		RunE:    func(cmd *cobra.Command, _ []string) error { return p.doctor(cmd, !probe, numCtx) },
	}
	cmd.Flags().BoolVar(&probe, "no-probe", false, "do not load models to ask each for one token")
	cmd.Flags().IntVar(&numCtx, "num-ctx", 8192, "context size that is asked for, in tokens")
	return cmd
}

func (p *program) doctor(cmd *cobra.Command, probe bool, numCtx int) error {
	ctx := cmd.Context()
	v := buildVersion()
	checks := []checkJSON{{Name: "almanac", State: stateOK, Detail: strings.TrimSpace(v.Version+" "+v.Commit) + ", " + v.Go + ", " + v.Platform}}
	w, err := p.workspace(cmd)
	if err != nil {
		checks = append(checks, checkJSON{"workspace", stateFail, err.Error(), "correct the file that is named"})
	} else {
		checks = append(checks, dataCheck(ctx, w), checkJSON{Name: "tools", State: stateOK, Detail: fmt.Sprintf("%d tools, %d agents", len(w.Tools.Names()), len(w.Agents))})
	}
	checks = append(checks, oracleCheck())
	checks = append(checks, p.serverChecks(ctx, probe, numCtx)...)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if p.json {
		err = p.print(map[string]any{"ok": worst(checks) != stateFail, "checks": checks})
	} else {
		err = p.doctorText(checks)
	}
	if err != nil {
		return err
	}
	if worst(checks) == stateFail {
		return &exit{code: exitMissing}
	}
	return nil
}

func worst(checks []checkJSON) string {
	out := stateOK
	for _, c := range checks {
		if c.State == stateFail || c.State == stateWarn && out == stateOK {
			out = c.State
		}
	}
	return out
}

func (p *program) doctorText(checks []checkJSON) error {
	colour := map[string]string{stateOK: green, stateWarn: yellow, stateFail: red}
	wide := 0
	for _, c := range checks {
		wide = max(wide, len(c.Name))
	}
	for _, c := range checks {
		if _, err := fmt.Fprintf(p.Out, "%s  %-*s  %s\n", paint(p.Out, colour[c.State], fmt.Sprintf("%-4s", c.State)), wide, c.Name, c.Detail); err != nil {
			return err
		}
		if c.Fix != "" {
			fmt.Fprintf(p.Out, "      %-*s  fix: %s\n", wide, "", paint(p.Out, cyan, c.Fix))
		}
	}
	return nil
}

func dataCheck(ctx context.Context, w *workspace.Workspace) checkJSON {
	all := verifyData(ctx, w.Data, nil)
	var bad []string
	for _, v := range all {
		if !v.OK {
			bad = append(bad, v.Name+": "+v.Error)
		}
	}
	if len(bad) > 0 {
		return checkJSON{"data", stateFail, strings.Join(bad, "; "), "make data, or for a set of your own: almanac data add"}
	}
	return checkJSON{Name: "data", State: stateOK, Detail: fmt.Sprintf("%d data sets, every hash as described", len(all))}
}

func oracleCheck() checkJSON {
	python, err := workspace.OraclePython()
	if err != nil {
		return checkJSON{"oracles", stateWarn, "no Python with the second implementations (only tests and tasks audit need it)", "make oracles"}
	}
	return checkJSON{Name: "oracles", State: stateOK, Detail: python}
}

// serverChecks looks for a server that runs, and asks each of its models.
func (p *program) serverChecks(ctx context.Context, probe bool, numCtx int) []checkJSON {
	s, err := server.Ensure(ctx, nil)
	if err != nil {
		fix := "make model"
		var missing *server.MissingError
		if errors.As(err, &missing) {
			fix = missing.Command
		}
		return []checkJSON{{"server", stateFail, err.Error(), fix}}
	}
	defer func() { p.closing(s.Close) }()
	checks := []checkJSON{serverCheck(s)}
	models, err := s.Models(ctx)
	if err != nil {
		return append(checks, checkJSON{"models", stateFail, err.Error(), "make model"})
	}
	chat := 0
	for _, m := range models {
		c := modelCheck(m)
		if m.Can("completion") && !m.Can("embedding") {
			chat++
			if probe && c.State != stateFail {
				p.say("asking %s for one token", m.Name)
				c = probed(ctx, s, m, c, numCtx)
			}
		}
		checks = append(checks, c)
	}
	if chat == 0 {
		checks = append(checks, checkJSON{"models", stateFail, "no model that completes text", "make model"})
	}
	return append(checks, slotsCheck())
}

func serverCheck(s *server.Server) checkJSON {
	c := checkJSON{Name: "server", State: stateOK, Detail: s.Origin}
	if want := strings.TrimPrefix(server.OllamaVersion, "v"); s.Version != want {
		c.Detail += " (tested with " + want + ")"
	}
	return c
}

func modelCheck(m server.Model) checkJSON {
	facts := []string{fmt.Sprintf("%.12s", m.Digest)}
	for _, f := range []string{m.ParameterSize, m.Quantization, strings.Join(m.Capabilities, "+")} {
		if f != "" {
			facts = append(facts, f)
		}
	}
	c := checkJSON{Name: m.Name, State: stateOK}
	if m.Can("embedding") {
		facts = append(facts, fmt.Sprintf("vectors of %d", m.Embedding))
	} else {
		if m.Can("tools") {
			facts = append(facts, "template")
		}
		switch {
		case !m.HasTemplate:
			facts, c.State, c.Fix = append(facts, "no chat template"), stateFail, "make model MODEL="+strings.TrimPrefix(m.Name, server.ImportedPrefix)
		case !m.Can("tools"):
			facts, c.State, c.Fix = append(facts, "no tool calls: setup single will be poor"), stateWarn, "use a model that lists the capability tools"
		}
		if m.Context > 0 {
			facts = append(facts, fmt.Sprintf("trained on %d tokens", m.Context))
		}
	}
	c.Detail = strings.Join(facts, ", ")
	return c
}

// probed adds what a short question to the model showed.
func probed(ctx context.Context, s *server.Server, m server.Model, c checkJSON, numCtx int) checkJSON {
	pr, err := s.Probe(ctx, m.Name, &server.ProbeOptions{Context: numCtx})
	if err != nil {
		c.State, c.Fix = stateFail, "make model MODEL="+strings.TrimPrefix(m.Name, server.ImportedPrefix)
		c.Detail += ", does not answer: " + err.Error()
		return c
	}
	if pr.Logprobs == 0 {
		c.State, c.Fix = stateWarn, "a newer server: make model"
		c.Detail += ", no token probabilities (closed questions fall back to JSON)"
	} else {
		c.Detail += fmt.Sprintf(", %d probabilities a token", pr.Logprobs)
	}
	switch {
	case pr.Context == 0:
	case pr.Context < numCtx:
		c.State, c.Fix = stateWarn, fmt.Sprintf("--num-ctx %d or less, or a server with more memory", pr.Context)
		c.Detail += fmt.Sprintf(", effective context %d of the %d asked for", pr.Context, numCtx)
	default:
		c.Detail += fmt.Sprintf(", effective context %d", pr.Context)
	}
	return c
}

// slotsCheck says what is known of the server's parallel slots: it tells no one, so the environment has to.
func slotsCheck() checkJSON {
	n := os.Getenv("OLLAMA_NUM_PARALLEL")
	if n == "" {
		return checkJSON{Name: "parallel slots", State: stateOK, Detail: "OLLAMA_NUM_PARALLEL is not set here: the server decides; --parallel 1 is safe"}
	}
	return checkJSON{Name: "parallel slots", State: stateOK, Detail: n + " (OLLAMA_NUM_PARALLEL): more with --parallel wait in its queue"}
}
