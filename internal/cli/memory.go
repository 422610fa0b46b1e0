package cli

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"almanac/eval"
	"almanac/eval/runlog"
	"almanac/internal/workspace"
	"almanac/memory/workflow"
	"almanac/orchestrator"
	"almanac/scenarios"

	"github.com/spf13/cobra"
)

// memoryOnline is the name of a memory that grows during a run.
const memoryOnline = "online"

func (p *program) memoryCommand() *cobra.Command {
	file := ""
	within := func(cmd *cobra.Command) *cobra.Command {
		cmd.Flags().StringVar(&file, "memory", "", "file of the memory (default the user's own)")
		return cmd
	}
	list := within(&cobra.Command{
		Use: "list", Short: "List the workflows that are remembered", Args: cobra.NoArgs,
		Example: "  almanac memory list\n  almanac memory list --memory team.yaml --json",
		RunE:    func(*cobra.Command, []string) error { return p.memoryList(file) },
	})
	show := within(&cobra.Command{
		Use: "show ID", Short: "Show a remembered workflow: its request, schedule and what to avoid", Args: exactly(1, "one id, see memory list"),
		Example: "  almanac memory show 1a2b3c4d5e6f",
		RunE:    func(_ *cobra.Command, args []string) error { return p.memoryShow(file, args[0]) },
	})
	stats := within(&cobra.Command{
		Use: "stats", Short: "Say how much is remembered, where it is from, how often it was used, and what does not fit the tools", Args: cobra.NoArgs,
		Example: "  almanac memory stats",
		RunE:    func(cmd *cobra.Command, _ []string) error { return p.memoryStats(cmd, file) },
	})
	clear := within(&cobra.Command{
		Use: "clear [ID…]", Short: "Forget workflows: those named, or with --all everything",
		Example: "  almanac memory clear 1a2b3c4d5e6f\n  almanac memory clear --all",
	})
	all := clear.Flags().Bool("all", false, "forget everything")
	clear.RunE = func(_ *cobra.Command, args []string) error { return p.memoryClear(file, args, *all) }
	return group("memory", "Build and look at the memory of workflows that worked", p.memoryBuildCommand(), list, show, stats, clear)
}

func (p *program) memoryBuildCommand() *cobra.Command {
	f := &compareFlags{}
	var split, file, setup string
	cmd := &cobra.Command{
		Use: "build", Short: "Solve the tasks of the memory split and remember the schedules that were right", Args: cobra.NoArgs,
		Example: "  almanac memory build --suite core --split memory --model ollama:qwen2.5-coder:1.5b\n" +
			"  almanac memory build --suite core --setup search",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if split != workflow.MemorySplit {
				return usage("--split %s: a memory is built from the split %q alone, since others are scored", split, workflow.MemorySplit)
			}
			f.tasks, f.repeats, f.seed = split+"/*", 1, 1
			f.setups = []string{setup}
			if setup == "" {
				f.setups = []string{map[bool]string{true: "squad", false: "search"}[len(f.names) > 0]}
			}
			f.command = []string{"almanac", "compare", "--suite", f.suite, "--tasks", f.tasks, "--setups", f.setups[0], "--seed", "1", "--repeats", "1"}
			for _, m := range f.names {
				f.command = append(f.command, "--model", m)
			}
			return p.memoryBuild(cmd, f, file)
		},
	}
	f.modelFlags.register(cmd)
	f.budgetFlags.register(cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.suite, "suite", "core", "suite of tasks: "+strings.Join(scenarios.Suites(), ", "))
	fl.StringVar(&split, "split", workflow.MemorySplit, "split of the suite")
	fl.StringVar(&setup, "setup", "", "setup that solves them (default squad with a model, search without)")
	fl.StringVar(&file, "memory", "", "file of the memory (default the user's own); what is in it stays")
	fl.StringVar(&f.out, "out", "", "run folder (default runs/SUITE-TIME)")
	return cmd
}

// memoryBuild runs the tasks, and writes what was right into the memory.
func (p *program) memoryBuild(cmd *cobra.Command, f *compareFlags, file string) error {
	path, err := memoryPath(file)
	if err != nil {
		return err
	}
	m, err := workflow.Load(path, nil)
	if errors.Is(err, fs.ErrNotExist) {
		m, err = workflow.New(nil), nil
	}
	if err != nil {
		return &exit{exitUsage, err}
	}
	had := m.Len()
	run, err := p.begin(cmd, f)
	if err != nil {
		return err
	}
	defer run.close()
	results, err := p.execute(cmd.Context(), run)
	if err != nil || results == nil {
		return err
	}
	log, err := runlog.ReadEvents(filepath.Join(run.folder.Dir, "events.jsonl"))
	if err != nil {
		return err
	}
	team, err := run.workspace.Team()
	if err != nil {
		return err
	}
	written, left, err := workspace.Remember(team, m, run.suite, results, log.List)
	if err != nil {
		return err
	}
	if err := m.Save(path); err != nil {
		return err
	}
	solved := solvedOf(results)
	if p.json {
		return p.print(map[string]any{
			"memory": path, "run": run.folder.Dir, "episodes": len(results.Episodes), "solved": solved, "written": written, "entries": m.Len(),
			"before": had, "left_out": orEmptyList(left),
		})
	}
	for _, u := range left {
		p.say("not remembered: %s: %s", u.Episode, u.Reason)
	}
	_, err = fmt.Fprintf(p.Out, "%d of %s solved, %s new or better; %s remembers %s\n",
		solved, plural(len(results.Episodes), "task"), plural(written, "workflow"), path, plural(m.Len(), "workflow"))
	return err
}

// memoryState says which memory a run has: empty, online, or the file and how much is in it.
func (f *compareFlags) memoryState() string {
	switch f.memory {
	case "":
		return "empty"
	case memoryOnline:
		return memoryOnline
	}
	data, err := os.ReadFile(f.memory)
	if err != nil {
		return f.memory
	}
	sum := sha256.Sum256(data)
	return fmt.Sprintf("%s %s, SHA-256 %x", workflow.Seeded, filepath.Base(f.memory), sum[:6])
}

// checkMemory refuses a memory that cannot be read, and one that is from templates of the very tasks.
func (f *compareFlags) checkMemory(tasks []scenarios.Task) error {
	if f.memory == "" || f.memory == memoryOnline {
		return nil
	}
	m, err := workflow.Load(f.memory, nil)
	if errors.Is(err, fs.ErrNotExist) {
		return &exit{exitMissing, err}
	}
	if err != nil {
		return &exit{exitUsage, err}
	}
	for _, e := range m.Entries() {
		for _, t := range tasks {
			if e.Template == t.Template {
				return usage("%s remembers a workflow of the template %s, and %s is among the tasks: a memory and what is scored share no template", f.memory, e.Template, t.Path())
			}
		}
	}
	return nil
}

// memoryOf is the workflow memory of one setup and model of a run; nil for none. One that grows is the arm's own.
func (p *program) memoryOf(run *begun, team *orchestrator.Team, setup, model string) (orchestrator.Recaller, *workspace.Growing, error) {
	switch run.flags.memory {
	case "":
		return nil, nil, nil
	case memoryOnline:
		file := filepath.Join(run.folder.Dir, "memory", runlog.SafeName(setup+"@"+model)+".yaml")
		g, err := workspace.NewGrowing(team, file)
		if err != nil {
			return nil, nil, err
		}
		return g.Recaller(), g, nil
	}
	m, err := workflow.Load(run.flags.memory, nil)
	if err != nil {
		return nil, nil, err
	}
	w, refused := orchestrator.NewWorkflows(team, m)
	for _, r := range refused {
		p.say("not used from the memory: %s: %s", r.ID, r.Reason)
	}
	return w, nil, nil
}

func orEmptyList(list []workspace.Unremembered) []workspace.Unremembered {
	if list == nil {
		return []workspace.Unremembered{}
	}
	return list
}

func solvedOf(r *eval.Results) int {
	n := 0
	for _, e := range r.Episodes {
		if !e.Harness && e.Scores.Success() {
			n++
		}
	}
	return n
}

// memoryPath is the memory's file: the one named, or the user's own.
func memoryPath(file string) (string, error) {
	if file != "" {
		return file, nil
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("no folder for the memory: %w; name a file with --memory", err)
	}
	return filepath.Join(dir, "almanac", "memory.yaml"), nil
}

func (p *program) readMemory(file string) (*workflow.Memory, string, error) {
	path, err := memoryPath(file)
	if err != nil {
		return nil, "", err
	}
	m, err := workflow.Load(path, nil)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, path, &exit{exitMissing, err}
	case err != nil:
		return nil, path, &exit{exitUsage, err}
	}
	return m, path, nil
}

// entryJSON is a remembered workflow.
type entryJSON struct {
	ID       string   `json:"id"`
	Source   string   `json:"source"`
	Request  string   `json:"request"`
	Schedule string   `json:"schedule"`
	Agents   []string `json:"agents"`
	Tokens   int64    `json:"tokens"`
	State    string   `json:"state"`
	Avoid    []string `json:"avoid"`
	Shown    int      `json:"shown"`
	Solved   int      `json:"solved"`
}

func newEntryJSON(e workflow.Entry) entryJSON {
	return entryJSON{
		e.ID, e.Source(), e.Request, e.Schedule, append([]string{}, e.Agents...), e.Tokens, e.State, append([]string{}, e.Avoid...), e.Shown, e.Solved,
	}
}

func (p *program) memoryList(file string) error {
	m, _, err := p.readMemory(file)
	if err != nil {
		return err
	}
	if p.json {
		out := []entryJSON{}
		for _, e := range m.Entries() {
			out = append(out, newEntryJSON(e))
		}
		return p.print(out)
	}
	t := newTable("ID", "STATE", "TOKENS", "SHOWN", "SOLVED", "REQUEST")
	for _, e := range m.Entries() {
		t.add(e.ID, e.State, fmt.Sprint(e.Tokens), fmt.Sprint(e.Shown), fmt.Sprint(e.Solved), clipped(strings.ReplaceAll(e.Request, "\n", " "), 90))
	}
	return t.write(p.Out)
}

func (p *program) memoryShow(file, id string) error {
	m, path, err := p.readMemory(file)
	if err != nil {
		return err
	}
	var ids []string
	for _, e := range m.Entries() {
		if e.ID == id {
			if p.json {
				return p.print(newEntryJSON(e))
			}
			fmt.Fprintf(p.Out, "%s\n  %s\n\n%s", paint(p.Out, bold, e.Source()), strings.ReplaceAll(e.Request, "\n", "\n  "), indented(e.Schedule, 2))
			for _, a := range e.Avoid {
				fmt.Fprintf(p.Out, "  avoid: %s\n", a)
			}
			_, err := fmt.Fprintf(p.Out, "\n  %d tokens, shown %d times, solved %d\n", e.Tokens, e.Shown, e.Solved)
			return err
		}
		ids = append(ids, e.ID)
	}
	return usage("%s remembers no workflow %q; the nearest: %s", path, id, nearest(id, ids))
}

func (p *program) memoryStats(cmd *cobra.Command, file string) error {
	m, path, err := p.readMemory(file)
	if err != nil {
		return err
	}
	w, err := p.workspace(cmd)
	if err != nil {
		return err
	}
	team, err := w.Team()
	if err != nil {
		return err
	}
	_, refused := orchestrator.NewWorkflows(team, m)
	states, shown, solved, tokens := map[string]int{}, 0, 0, int64(0)
	for _, e := range m.Entries() {
		states[e.State]++
		shown, solved, tokens = shown+e.Shown, solved+e.Solved, tokens+e.Tokens
	}
	if p.json {
		if refused == nil {
			refused = []workflow.Refusal{}
		}
		return p.print(map[string]any{
			"memory": path, "entries": m.Len(), "states": states, "sources": m.Sources(), "shown": shown, "solved": solved, "refused": refused,
		})
	}
	fmt.Fprintf(p.Out, "%s: %s", path, plural(m.Len(), "workflow"))
	for _, s := range []string{workflow.Seeded, workflow.Online} {
		if states[s] > 0 {
			fmt.Fprintf(p.Out, ", %d %s", states[s], s)
		}
	}
	fmt.Fprintf(p.Out, "\nfrom %s\nshown %d times, solved %d of these\n", strings.Join(m.Sources(), ", "), shown, solved)
	for _, r := range refused {
		fmt.Fprintf(p.Out, "left out: %s: %s\n", r.ID, r.Reason)
	}
	return nil
}

func (p *program) memoryClear(file string, ids []string, all bool) error {
	m, path, err := p.readMemory(file)
	if err != nil {
		return err
	}
	if all == (len(ids) > 0) {
		return usage("memory clear forgets the workflows that are named, or everything with --all")
	}
	kept := workflow.New(nil)
	for _, e := range m.Entries() {
		if all || slices.Contains(ids, e.ID) {
			continue
		}
		if _, err := kept.Write(e); err != nil {
			return err
		}
	}
	if gone := m.Len() - kept.Len(); gone != len(ids) && !all {
		return usage("%s remembers %d of the %d workflows that are named; nothing was forgotten", path, gone, len(ids))
	}
	if err := kept.Save(path); err != nil {
		return err
	}
	if p.json {
		return p.print(map[string]any{"memory": path, "entries": kept.Len(), "forgotten": m.Len() - kept.Len()})
	}
	_, err = fmt.Fprintf(p.Out, "forgot %s; %s remembers %d\n", plural(m.Len()-kept.Len(), "workflow"), path, kept.Len())
	return err
}
