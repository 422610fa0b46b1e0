package cli

import (
	"context"
	"fmt"
	"strings"

	"almanac/agents/llm"
	"almanac/agents/llm/models"
	"almanac/internal/server"
	"almanac/internal/workspace"
	"almanac/orchestrator/calibration"

	"github.com/spf13/cobra"
)

// workspace opens the data, tools and agents that the flags name.
func (p *program) workspace(cmd *cobra.Command) (*workspace.Workspace, error) {
	dir, err := cmd.Flags().GetString("data-dir")
	if err != nil {
		return nil, err
	}
	files, err := cmd.Flags().GetStringSlice("agent")
	if err != nil {
		return nil, err
	}
	return workspace.Open(&workspace.Options{UserData: dir, Agents: files})
}

// modelFlags are those of every command that asks a model.
type modelFlags struct {
	names   []string
	baseURL string
	numCtx  int
}

func (f *modelFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&f.names, "model", nil, "model: "+strings.Join(models.Providers(), ", ")+" (may be repeated)")
	cmd.Flags().StringVar(&f.baseURL, "base-url", "", "address of an OpenAI-compatible server, for openai:NAME")
	cmd.Flags().IntVar(&f.numCtx, "num-ctx", 0, "context size in tokens (default: the smallest that fits every setup's first prompt)")
}

// opened is a model that answers.
type opened struct {
	Model llm.Model
	Info  llm.ModelInfo
	Name  string               // as it was asked for; behind a recording, the recorded model's
	Known *calibration.Figures // what was measured of it before; nil for nothing

	server bool // a server answers for it
	slots  int  // how many requests the server answers at once; 0 means that it is not known
}

// models opens every model that was named. A server that is not running is started, and stopped by close.
func (p *program) models(ctx context.Context, f *modelFlags, numCtx int) (list []opened, close func() error, err error) {
	close = func() error { return nil }
	host, slots := "", 0
	for _, name := range f.names {
		if strings.Contains(name, "ollama:") && !strings.HasPrefix(name, "replay:") && host == "" {
			s, err := server.Ensure(ctx, nil)
			if err != nil {
				return nil, close, err
			}
			p.say("%s", s.Origin)
			host, close, slots = s.URL.String(), s.Close, s.Slots()
		}
		m, err := models.Open(ctx, name, &models.Options{Host: host, BaseURL: f.baseURL, NumCtx: numCtx})
		if err != nil {
			return nil, close, fmt.Errorf("opening %s: %w", name, err)
		}
		info, err := llm.Describe(ctx, m)
		if err != nil {
			return nil, close, fmt.Errorf("asking %s what it is: %w", name, err)
		}
		if info.Imported {
			p.say("%s is the imported %s (digest %.12s)", name, info.Name, info.Digest)
		}
		recorded, err := models.Recorded(name)
		if err != nil {
			return nil, close, err
		}
		o := opened{Model: m, Info: info, Name: recorded}
		if !strings.HasPrefix(name, "replay:") {
			o.server = strings.Contains(name, "ollama:") || strings.Contains(name, "openai:")
			if strings.Contains(name, "ollama:") {
				o.slots = slots
			}
		}
		list = append(list, o)
	}
	return list, close, nil
}
