package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"almanac/internal/server"
	"almanac/internal/workspace"
	"almanac/memory"
	"almanac/memory/embed"
	"almanac/memory/recall"
	"almanac/toolkits"
	"almanac/toolkits/distractors"
)

// shownTools are the numbers of tools at which recall is measured: 5 is what a step is shown, 8 what a program is.
var shownTools = []int{1, 3, 5, 8}

// selectionRows measures how often the right tool of a held-out question is among the first: of plain cosine over
// descriptions, of the ranking by words, by meaning and by both. It wants the embedding model on a server (OLLAMA_HOST);
// without one the words are measured alone, and that is an error.
func selectionRows(ctx context.Context, _ config) ([]row, error) {
	w, err := workspace.Open(nil)
	if err != nil {
		return nil, err
	}
	model, missing := embedding(ctx)
	var rows []row
	for _, n := range []int{0, 100, 500} {
		more, err := distractors.Make(w.Tools.Tools(), n)
		if err != nil {
			return rows, err
		}
		indexes, err := rankings(ctx, append(more, w.Tools.Tools()...), model)
		if err != nil {
			return rows, err
		}
		for _, x := range indexes {
			more, err := recallRows(ctx, x, n)
			if err != nil {
				return rows, err
			}
			rows = append(rows, more...)
		}
	}
	return rows, missing
}

// embedding is all-minilm on the server that answers, its vectors kept in the user's cache.
func embedding(ctx context.Context) (embed.Model, error) {
	s, err := server.Find(ctx, nil)
	if err != nil {
		return nil, err
	}
	m, err := embed.OpenOllama(ctx, "all-minilm", s.URL, nil)
	if err != nil {
		return nil, err
	}
	dir, err := server.CacheDir()
	if err != nil {
		return m, nil
	}
	return embed.NewCached(m, filepath.Join(dir, "embeddings")), nil
}

type ranking struct {
	name string
	recall.Selector
}

func rankings(ctx context.Context, tools []*toolkits.Tool, model embed.Model) ([]ranking, error) {
	words := memory.NewLexical(tools)
	if model == nil {
		return []ranking{{"words", words}}, nil
	}
	var described []*toolkits.Tool
	for _, t := range tools {
		d := *t
		d.Purpose, d.Examples = t.Name+": "+t.Purpose, nil
		described = append(described, &d)
	}
	plain, err := memory.OpenDense(ctx, described, model, nil)
	if err != nil {
		return nil, err
	}
	dense, err := memory.OpenDense(ctx, tools, model, nil)
	if err != nil {
		return nil, err
	}
	return []ranking{
		{"cosine of descriptions", plain}, {"words", words}, {"meaning", dense}, {"words and meaning", memory.NewFused(words, dense, nil)},
	}, nil
}

func recallRows(ctx context.Context, x ranking, distractors int) ([]row, error) {
	var rows []row
	for _, half := range []string{recall.Dev, recall.Test} {
		questions, err := recall.Questions(half)
		if err != nil {
			return nil, err
		}
		start := time.Now()
		out, err := recall.Measure(ctx, x, questions, 1000)
		if err != nil {
			return nil, err
		}
		took := time.Since(start) / time.Duration(len(out))
		text := ""
		for _, k := range shownTools {
			text += fmt.Sprintf("@%d %.3f  ", k, recall.At(out, k))
		}
		r := row{what: fmt.Sprintf("%s, %s, %d distractors", x.name, half, distractors), measured: text + fmt.Sprintf("MRR %.3f", recall.MRR(out)), within: true, peers: short(took) + " a query"}
		least := map[string][2]float64{"words": {0.95, 0.90}, "words and meaning": {0.98, 0.95}}[x.name]
		if limit := least[min(1, distractors/500)]; limit > 0 && half == recall.Test && distractors != 100 {
			r.limit, r.within = fmt.Sprintf("@5 %.2f", limit), recall.At(out, 5) >= limit
		}
		rows = append(rows, r)
		if half == recall.Test && distractors == 0 && limitOf(x.name) {
			rows = append(rows, byAgent(x.name, out)...)
			showMisses(x.name, out)
		}
	}
	return rows, nil
}

func limitOf(name string) bool { return name == "words" || name == "words and meaning" }

// byAgent has a row for the tools of each agent.
func byAgent(name string, out []recall.Outcome) []row {
	of := map[string][]recall.Outcome{}
	for _, o := range out {
		of[o.Agent()] = append(of[o.Agent()], o)
	}
	var rows []row
	for _, agent := range slices.Sorted(maps.Keys(of)) {
		text := ""
		for _, k := range shownTools {
			text += fmt.Sprintf("@%d %.3f  ", k, recall.At(of[agent], k))
		}
		rows = append(rows, row{
			what: fmt.Sprintf("%s, test, %d questions of %s", name, len(of[agent]), agent), measured: text + fmt.Sprintf("MRR %.3f", recall.MRR(of[agent])), within: true,
		})
	}
	return rows
}

// showMisses lists the questions whose tool is not among the first five.
func showMisses(name string, out []recall.Outcome) {
	for _, o := range out {
		if o.Rank == 0 || o.Rank > 5 {
			fmt.Fprintf(os.Stderr, "missed by %s: %s is number %d for %q, %s is first\n", name, o.Tool, o.Rank, o.Text, o.First[0].Tool)
		}
	}
}
