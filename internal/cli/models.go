package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"almanac/agents/llm"
	"almanac/agents/llm/models"
	"almanac/internal/server"
	"almanac/orchestrator/calibration"

	"github.com/spf13/cobra"
)

// modelJSON is a model at hand. Template is null where it is not known, and for a model that makes vectors only.
type modelJSON struct {
	Name          string   `json:"name"`
	Digest        string   `json:"digest"`
	ParameterSize string   `json:"parameter_size"`
	Quantization  string   `json:"quantization"`
	Capabilities  []string `json:"capabilities"`
	Template      *bool    `json:"template"`
	Context       int      `json:"context"`
	// Calibration is what was measured of it; null for nothing.
	Calibration *calibration.Figures `json:"calibration"`
}

func (p *program) modelsCommand() *cobra.Command {
	f := &modelFlags{}
	list := &cobra.Command{
		Use: "list", Short: "List the models at hand: digest, capabilities, template, calibration", Args: cobra.NoArgs,
		Long: "List the models of the Ollama server that runs, and those named by --model. No server is started.",
		Example: "  almanac models list\n" +
			"  almanac models list --model openai:my-model --base-url http://127.0.0.1:8080/v1",
		RunE: func(cmd *cobra.Command, _ []string) error { return p.modelsList(cmd, f) },
	}
	f.register(list)
	return group("models", "List the models at hand, and measure what setups need to know of one", list, p.calibrateCommand())
}

func (p *program) modelsList(cmd *cobra.Command, f *modelFlags) error {
	ctx := cmd.Context()
	w, err := p.workspace(cmd)
	if err != nil {
		return err
	}
	store, err := calibrations()
	if err != nil {
		return err
	}
	all, err := p.served(ctx)
	if err != nil {
		return err
	}
	named, err := p.named(ctx, f)
	if err != nil {
		return err
	}
	all = append(all, named...)
	for i := range all {
		r, err := store.Load(calibrationKey(w, opened{Name: all[i].Name, Info: llm.ModelInfo{Digest: all[i].Digest}}, ""))
		switch {
		case err == nil:
			all[i].Calibration = r.Figures(nil)
		case !errors.Is(err, calibration.ErrNone):
			return err
		}
	}
	if p.json {
		return p.print(all)
	}
	if len(all) == 0 {
		return &exit{exitMissing, errors.New("no model is at hand: no Ollama server answers, and none was named; bring one with: make model")}
	}
	t := newTable("MODEL", "DIGEST", "SIZE", "CAPABILITIES", "TEMPLATE", "CALIBRATED")
	for _, m := range all {
		t.add(m.Name, fmt.Sprintf("%.12s", m.Digest), strings.TrimSpace(m.ParameterSize+" "+m.Quantization), strings.Join(m.Capabilities, ", "),
			yesNo(m.Template), calibrated(m.Calibration))
	}
	return t.write(p.Out)
}

func yesNo(b *bool) string {
	if b == nil {
		return "–"
	}
	return map[bool]string{true: "yes", false: "no"}[*b]
}

func calibrated(f *calibration.Figures) string {
	if f == nil {
		return "no"
	}
	return plural(f.Tasks, "task") + " of " + f.Key.Suite
}

// served are the models of the server that runs; none where none does, which is said.
func (p *program) served(ctx context.Context) ([]modelJSON, error) {
	s, err := server.Find(ctx, nil)
	if err != nil {
		var missing *server.MissingError
		if errors.As(err, &missing) {
			p.say("no Ollama server answers: %v", err)
			return []modelJSON{}, nil
		}
		return nil, err
	}
	defer func() { p.closing(s.Close) }()
	list, err := s.Models(ctx)
	if err != nil {
		return nil, err
	}
	out := []modelJSON{}
	for _, m := range list {
		x := modelJSON{
			Name: "ollama:" + m.Name, Digest: m.Digest, ParameterSize: m.ParameterSize, Quantization: m.Quantization,
			Capabilities: append([]string{}, m.Capabilities...), Context: m.Context,
		}
		if !m.Can("embedding") {
			x.Template = &m.HasTemplate
		}
		out = append(out, x)
	}
	return out, nil
}

// named are the models that the flags name, each asked what it is.
func (p *program) named(ctx context.Context, f *modelFlags) ([]modelJSON, error) {
	var out []modelJSON
	for _, name := range f.names {
		m, err := models.Open(ctx, name, &models.Options{BaseURL: f.baseURL, NumCtx: f.numCtx})
		if err != nil {
			return nil, fmt.Errorf("opening %s: %w", name, err)
		}
		info, err := llm.Describe(ctx, m)
		if err != nil {
			return nil, fmt.Errorf("asking %s what it is: %w", name, err)
		}
		out = append(out, modelJSON{
			Name: name, Digest: info.Digest, ParameterSize: info.ParameterSize, Quantization: info.Quantization,
			Capabilities: append([]string{}, info.Capabilities...), Template: info.HasTemplate, Context: info.ContextLength,
		})
	}
	return out, nil
}
