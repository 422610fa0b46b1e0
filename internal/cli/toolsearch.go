package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"almanac/internal/server"
	"almanac/memory"
	"almanac/memory/embed"

	"github.com/spf13/cobra"
)

func (p *program) toolsSearchCommand() *cobra.Command {
	var k int
	var explain bool
	var embedder string
	cmd := &cobra.Command{
		Use: `search "QUESTION"`, Short: "Show which tools would be selected for a question, with scores", Args: exactly(1, "a question in quotes"),
		Long: "Rank the tools by how well their descriptions and example questions fit a question: by their words, or with\n" +
			"--embedder by their words and their meaning. Tools that cannot be called are left out before that.",
		Example: "  almanac tools search \"how warm is the sea near Fiji?\" -k 3 --explain\n" +
			"  almanac tools search \"how thirsty was the lawn?\" --embedder ollama:all-minilm --explain",
		RunE: func(cmd *cobra.Command, args []string) error {
			if k < 1 {
				return usage("-k is the number of tools to show: 1 at least, not %d", k)
			}
			return p.toolsSearch(cmd, args[0], k, embedder, explain)
		},
	}
	cmd.Flags().IntVarP(&k, "k", "k", 5, "number of tools")
	cmd.Flags().BoolVar(&explain, "explain", false, "show the entry that matched, the words that it shares, every score, and which tools were left out")
	cmd.Flags().StringVar(&embedder, "embedder", "lexical", "how texts are compared: lexical, ollama:NAME or openai:NAME")
	return cmd
}

type hitJSON struct {
	Tool    string   `json:"tool"`
	Score   float64  `json:"score"`
	Words   float64  `json:"words"`
	Meaning *float64 `json:"meaning,omitempty"`
	Entry   string   `json:"entry"`
	Shared  []string `json:"shared"`
}

// selector ranks tools for a question, see package memory.
type selector interface {
	Name() string
	Query(ctx context.Context, text string, k int, keep func(tool string) bool) ([]memory.Hit, error)
}

func (p *program) toolsSearch(cmd *cobra.Command, question string, k int, embedder string, explain bool) error {
	w, err := p.workspace(cmd)
	if err != nil {
		return err
	}
	tools := w.Tools.Tools()
	words := memory.NewLexical(tools)
	var meaning *memory.Dense
	var index selector = words
	if embedder != "lexical" {
		m, err := p.embedder(cmd.Context(), embedder)
		if err != nil {
			return err
		}
		if meaning, err = memory.OpenDense(cmd.Context(), tools, m, &memory.DenseOptions{Note: func(s string) { p.say("%s", s) }}); err != nil {
			return err
		}
		index = memory.NewFused(words, meaning, func(s string) { p.say("%s", s) })
	}
	dropped := memory.Unmet(tools)
	keep := func(tool string) bool { return dropped[tool] == "" }
	hits, err := index.Query(cmd.Context(), question, k, keep)
	if err != nil {
		return err
	}
	out, err := scored(cmd.Context(), question, hits, words, meaning)
	if err != nil {
		return err
	}
	if p.json {
		return p.print(map[string]any{"question": question, "index": index.Name(), "tools": out, "dropped": dropped})
	}
	return p.showHits(out, dropped, explain, meaning != nil)
}

// scored adds to hits what each ranking by itself says of them.
func scored(ctx context.Context, question string, hits []memory.Hit, words *memory.Lexical, meaning *memory.Dense) ([]hitJSON, error) {
	of := func(index selector) (map[string]float64, error) {
		all, err := index.Query(ctx, question, 1<<20, nil)
		out := map[string]float64{}
		for _, h := range all {
			out[h.Tool] = h.Score
		}
		return out, err
	}
	byWords, err := of(words)
	if err != nil {
		return nil, err
	}
	byMeaning := map[string]float64{}
	if meaning != nil {
		if byMeaning, err = of(meaning); err != nil {
			return nil, err
		}
	}
	out := []hitJSON{}
	for _, h := range hits {
		x := hitJSON{Tool: h.Tool, Score: h.Score, Words: byWords[h.Tool], Entry: h.Entry, Shared: shared(question, h.Entry)}
		if v, ok := byMeaning[h.Tool]; ok {
			x.Meaning = &v
		}
		out = append(out, x)
	}
	return out, nil
}

func (p *program) showHits(hits []hitJSON, dropped map[string]string, explain, both bool) error {
	t := newTable("TOOL", "SCORE", "BEST ENTRY").numbers(1)
	switch {
	case explain && both:
		t = newTable("TOOL", "SCORE", "WORDS", "MEANING", "SHARED STEMS", "BEST ENTRY").numbers(1, 2, 3)
	case explain:
		t = newTable("TOOL", "SCORE", "SHARED STEMS", "BEST ENTRY").numbers(1)
	}
	for _, h := range hits {
		row := []string{h.Tool, fmt.Sprintf("%.2f", h.Score)}
		if explain && both {
			m := "–"
			if h.Meaning != nil {
				m = fmt.Sprintf("%.2f", *h.Meaning)
			}
			row = append(row, fmt.Sprintf("%.2f", h.Words), m)
		}
		if explain {
			row = append(row, strings.Join(h.Shared, " "))
		}
		t.add(append(row, clipped(h.Entry, 80))...)
	}
	if err := t.write(p.Out); err != nil || !explain {
		return err
	}
	if len(dropped) == 0 {
		_, err := fmt.Fprintln(p.Out, "\nNo tool was left out: what each of them needs can be said, or another tool makes it.")
		return err
	}
	d := newTable("LEFT OUT", "WHY")
	names := make([]string, 0, len(dropped))
	for name := range dropped {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		d.add(name, dropped[name])
	}
	fmt.Fprintln(p.Out)
	return d.write(p.Out)
}

// embedder opens what --embedder names. Its vectors are kept in the user's cache.
func (p *program) embedder(ctx context.Context, name string) (embed.Model, error) {
	kind, model, _ := strings.Cut(name, ":")
	var m embed.Model
	var err error
	switch {
	case kind == "ollama" && model != "":
		var s *server.Server
		if s, err = server.Find(ctx, nil); err == nil {
			m, err = embed.OpenOllama(ctx, model, s.URL, nil)
		}
	case kind == "openai" && model != "":
		m, err = embed.OpenOpenAI(ctx, model, os.Getenv("OPENAI_BASE_URL"), os.Getenv("OPENAI_API_KEY"))
	default:
		return nil, usage("--embedder %q: there are lexical, ollama:NAME and openai:NAME", name)
	}
	if err != nil {
		var missing *server.MissingError
		if errors.As(err, &missing) || errors.Is(err, embed.ErrUnavailable) {
			return nil, &exit{exitMissing, fmt.Errorf("--embedder %s: %w", name, err)}
		}
		return nil, err
	}
	if dir, err := server.CacheDir(); err == nil {
		m = embed.NewCached(m, filepath.Join(dir, "embeddings"))
	}
	return m, nil
}

// shared are the stems that two texts have in common, in the order of the first.
func shared(a, b string) []string {
	in := map[string]bool{}
	for _, s := range memory.Stems(b) {
		in[s] = true
	}
	out := []string{}
	for _, s := range memory.Stems(a) {
		if in[s] && !contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}
