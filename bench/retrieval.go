package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"almanac/internal/workspace"
	"almanac/memory"
	"almanac/orchestrator"
	"almanac/orchestrator/episode"
	"almanac/orchestrator/schedule"
	"almanac/orchestrator/search"
	"almanac/scenarios"
	"almanac/toolkits"
)

// catalog shows some tools, and copies of them under other names.
type catalog struct {
	schedule.Catalog
	list []schedule.Signature
}

func (c catalog) Signatures() []schedule.Signature { return c.list }

func (c catalog) Signature(name string) (schedule.Signature, bool) {
	i := slices.IndexFunc(c.list, func(s schedule.Signature) bool { return s.Name == name })
	if i < 0 {
		return schedule.Signature{}, false
	}
	return c.list[i], true
}

// sized makes a catalog of n tools: those that the questions' gold needs first, then the others, then copies.
func sized(from schedule.Catalog, needed map[string]bool, n int) catalog {
	all := slices.Clone(from.Signatures())
	slices.SortStableFunc(all, func(a, b schedule.Signature) int {
		return strings.Compare(fmt.Sprint(!needed[a.Name], a.Check, a.Name), fmt.Sprint(!needed[b.Name], b.Check, b.Name))
	})
	list := slices.Clone(all)
	for i := 0; len(list) < n; i++ {
		c := all[i%len(all)]
		c.Name += fmt.Sprintf("_%d", i/len(all)+2)
		list = append(list, c)
	}
	return catalog{from, list[:n]}
}

// searchRows measures the typed search on the first task of each template of the dev part of the starter suite.
func searchRows(ctx context.Context, _ config) ([]row, error) {
	inputs, needed, team, err := devInputs(ctx)
	if err != nil {
		return nil, err
	}
	var rows []row
	for _, n := range []int{30, 150} {
		cat := sized(team.Catalog, needed, n)
		var total, worst time.Duration
		for _, in := range inputs {
			in.Catalog, in.Scores = cat, copied(in.Scores, cat)
			r, err := bench(func() error {
				search.Run(in, nil)
				return nil
			})
			if err != nil {
				return rows, err
			}
			total += per(r, 1)
			worst = max(worst, per(r, 1))
		}
		limit := 20 * time.Millisecond
		if n == 150 {
			limit = 200 * time.Millisecond
		}
		rows = append(rows, timed(fmt.Sprintf("typed search, %d tools, mean of %d questions", n, len(inputs)), total/time.Duration(len(inputs)), limit, ""),
			timed(fmt.Sprintf("typed search, %d tools, slowest question", n), worst, limit, ""))
	}
	return rows, nil
}

// copied gives each copy of a tool the retrieval score of its original.
func copied(scores map[string]float64, c catalog) map[string]float64 {
	out := map[string]float64{}
	for _, s := range c.list {
		name := s.Name
		if i := strings.LastIndex(name, "_"); i > 0 && scores[name] == 0 {
			if original := name[:i]; scores[original] != 0 {
				name = original
			}
		}
		out[s.Name] = scores[name]
	}
	return out
}

func devInputs(ctx context.Context) ([]search.Input, map[string]bool, *orchestrator.Team, error) {
	w, err := workspace.Open(nil)
	if err != nil {
		return nil, nil, nil, err
	}
	team, err := w.Team()
	if err != nil {
		return nil, nil, nil, err
	}
	suite, err := scenarios.Open("starter")
	if err != nil {
		return nil, nil, nil, err
	}
	tasks, err := suite.Select(scenarios.Selection{Tasks: "dev/*"})
	if err != nil {
		return nil, nil, nil, err
	}
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return nil, nil, nil, err
	}
	defer os.RemoveAll(dir)
	env, err := w.Env(dir)
	if err != nil {
		return nil, nil, nil, err
	}
	defer env.Store.Close()
	var inputs []search.Input
	needed, seen := map[string]bool{}, map[string]bool{}
	for _, t := range tasks {
		if seen[t.Template] {
			continue
		}
		seen[t.Template] = true
		ep := episode.New(workspace.Request(t), w.Tools, env, nowhere{}, episode.Options{ID: "e"})
		in, err := team.SearchInput(ctx, ep)
		if err != nil {
			return nil, nil, nil, err
		}
		inputs = append(inputs, in)
		for _, g := range t.Gold {
			p, _ := schedule.Parse(g.Text)
			for _, s := range p.Statements {
				for _, c := range s.Calls() {
					needed[c.FullName()] = true
				}
			}
		}
	}
	return inputs, needed, team, nil
}

// lexicalRows measures a query of the tool index at 500 tools.
func lexicalRows(ctx context.Context, _ config) ([]row, error) {
	w, err := workspace.Open(nil)
	if err != nil {
		return nil, err
	}
	own := w.Tools.Tools()
	var tools []*toolkits.Tool
	for i := range 500 {
		t := *own[i%len(own)]
		t.Name += fmt.Sprintf("_%d", i/len(own)+1)
		tools = append(tools, &t)
	}
	index := memory.NewLexical(tools)
	r, err := bench(func() error {
		_, err := index.Query(ctx, "How many days of 2014 did it rain more than 10 mm in Seattle, and how long was the longest run?", 5, nil)
		return err
	})
	return []row{timed("tool index, a query at 500 tools", per(r, 1), time.Millisecond, "")}, err
}
