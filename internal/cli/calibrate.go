package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"almanac/eval"
	"almanac/eval/runlog"
	"almanac/internal/workspace"
	"almanac/orchestrator"
	"almanac/orchestrator/calibration"
	"almanac/orchestrator/episode"
	"almanac/scenarios"
	"almanac/toolkits"

	"github.com/spf13/cobra"
)

// calibrateFlags are those of models calibrate.
type calibrateFlags struct {
	modelFlags
	budgetFlags
	suite string
	limit int
	seed  int64
}

func (p *program) calibrateCommand() *cobra.Command {
	f := &calibrateFlags{}
	cmd := &cobra.Command{
		Use: "calibrate", Short: "Measure a model on the dev split: valid schedules, tokens, how often its votes are right", Args: cobra.NoArgs,
		Long: "Run squad in program and in slot mode and single on dev tasks, and keep what mode auto, the weight of votes and single-sc need:\n" +
			"the share of valid schedules, the tokens of squad and single, and how often the model was right on each kind of question.\n" +
			"It is kept for this model's digest and these tools, and used by compare and run for tasks of other templates only.",
		Example: "  almanac models calibrate --model ollama:qwen2.5-coder:1.5b\n" +
			"  almanac models calibrate --suite core --limit 20 --model ollama:qwen2.5-coder:1.5b",
		RunE: func(cmd *cobra.Command, _ []string) error { return p.calibrate(cmd, f) },
	}
	f.modelFlags.register(cmd)
	f.budgetFlags.register(cmd)
	cmd.Flags().StringVar(&f.suite, "suite", "starter", "suite whose dev split is measured on")
	cmd.Flags().IntVar(&f.limit, "limit", 12, "at most this many tasks, one of each template before a second")
	cmd.Flags().Int64Var(&f.seed, "seed", 1, "seed of the model's sampling")
	return cmd
}

// calibrationJSON is what models calibrate prints.
type calibrationJSON struct {
	*calibration.Figures
	Samples *int   `json:"samples"` // of single-sc that match squad's tokens; null where not known
	File    string `json:"file"`
}

func (p *program) calibrate(cmd *cobra.Command, f *calibrateFlags) error {
	if len(f.names) != 1 {
		return usage("models calibrate measures one model: name it with --model, such as --model ollama:qwen2.5-coder:1.5b")
	}
	if err := f.budgetFlags.check(); err != nil {
		return err
	}
	ctx := cmd.Context()
	w, err := p.workspace(cmd)
	if err != nil {
		return err
	}
	suite, err := openSuite(f.suite)
	if err != nil {
		return &exit{exitUsage, err}
	}
	tasks, err := suite.Select(scenarios.Selection{Tasks: "dev/*", Limit: f.limit})
	if err != nil {
		return &exit{exitUsage, err}
	}
	team, err := w.Team()
	if err != nil {
		return err
	}
	numCtx := f.numCtx
	if numCtx == 0 {
		window, err := fit(ctx, w, team, tasks, []string{"squad", "single"}, &orchestrator.Options{})
		if err != nil {
			return err
		}
		numCtx = window.Size
	}
	list, closeModels, err := p.models(ctx, &f.modelFlags, numCtx)
	defer func() { p.closing(closeModels) }()
	if err != nil {
		return err
	}
	res, err := p.measure(ctx, w, f, tasks, list[0], numCtx)
	if err != nil {
		return err
	}
	return p.keepCalibration(w, suite.Name, list[0], res)
}

// The arms of a calibration.
const (
	armProgram = "squad in program mode"
	armSlot    = "squad in slot mode"
	armSingle  = "single"
)

// measure runs the arms in a folder that is removed again.
func (p *program) measure(ctx context.Context, w *workspace.Workspace, f *calibrateFlags, tasks []scenarios.Task, o opened, numCtx int) (res *eval.Results, err error) {
	dir, err := os.MkdirTemp("", "almanac-calibrate-*")
	if err != nil {
		return nil, fmt.Errorf("making a folder to work in: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	m := newManifest(w, filepath.Join(dir, "run"), f.suite, tasks, []opened{o}, numCtx)
	m.Seed, m.Settings = f.seed, f.settings()
	folder, err := runlog.Create(filepath.Join(dir, "run"), m)
	if err != nil {
		return nil, err
	}
	defer func() { p.closing(folder.Close) }()
	env, err := w.Env(folder.ArtifactDir())
	if err != nil {
		return nil, err
	}
	defer func() { p.closing(env.Store.Close) }()
	prepared := make([]eval.Task, len(tasks))
	for i, t := range tasks {
		if prepared[i], err = w.Executed(ctx, env, t); err != nil {
			return nil, err
		}
	}
	arms, err := calibrationArms(w, f, folder, env, o)
	if err != nil {
		return nil, err
	}
	bar := newProgress(p)
	out, err := eval.Run(ctx, folder, &runlog.Events{}, prepared, arms, eval.Options{Harness: episode.Harness, Again: episode.Transient, Progress: bar.show})
	bar.end()
	if err != nil {
		return nil, err
	}
	return out.Results, nil
}

func calibrationArms(w *workspace.Workspace, f *calibrateFlags, folder *runlog.Folder, env *toolkits.Env, o opened) ([]eval.Arm, error) {
	team, err := w.Team()
	if err != nil {
		return nil, err
	}
	zero := 0.0
	var arms []eval.Arm
	for _, a := range []struct{ label, setup, mode string }{
		{armProgram, "squad", orchestrator.ModeProgram}, {armSlot, "squad", orchestrator.ModeSlot}, {armSingle, "single", ""},
	} {
		s, err := orchestrator.New(a.setup, team, &orchestrator.Options{Mode: a.mode})
		if err != nil {
			return nil, err
		}
		arms = append(arms, eval.Arm{Arm: runlog.Arm{Setup: a.label, Model: o.Name}, Solver: &workspace.Solver{
			Setup: s, Team: team, Workspace: w, Env: env, Folder: folder, Model: o.Model, ModelName: o.Name, Temperature: &zero, Budget: f.budget(),
		}})
	}
	return arms, nil
}

// keepCalibration turns the episodes into rows and stores them. Nothing is stored where they give no figure.
func (p *program) keepCalibration(w *workspace.Workspace, suite string, o opened, res *eval.Results) error {
	r := &calibration.Record{Key: calibrationKey(w, o, suite), Created: time.Now().UTC(), Rows: rows(res, armProgram)}
	r.Mode = orchestrator.AutoMode(r.Figures(nil), episode.ParameterCount(o.Info.ParameterSize))
	if r.Mode == orchestrator.ModeSlot {
		r.Rows = rows(res, armSlot)
	}
	if f := r.Figures(nil); f.ValidShare == nil && f.SquadTokens == nil && len(f.Votes) == 0 {
		why := fmt.Sprintf("a figure needs %d tasks", calibration.MinRows)
		if n := len(res.HarnessErrors); n > 0 {
			why = fmt.Sprintf("the harness failed %s; the first: %s", plural(n, "episode"), res.HarnessErrors[0].Reason)
		}
		return &exit{exitWanting, errors.New("nothing was measured, and nothing is kept: " + why)}
	}
	store, err := calibrations()
	if err != nil {
		return err
	}
	path, err := store.Save(r)
	if err != nil {
		return err
	}
	doc := calibrationJSON{Figures: r.Figures(nil), File: path}
	if n, ok := doc.Figures.Samples(); ok {
		doc.Samples = &n
	}
	if p.json {
		return p.print(doc)
	}
	return p.showCalibration(doc)
}

// rows has a row for each task: squad's tokens are those of the arm named.
func rows(res *eval.Results, squad string) []calibration.Row {
	byTask := map[string]*calibration.Row{}
	out := make([]calibration.Row, len(res.Tasks))
	for i, t := range res.Tasks {
		out[i] = calibration.Row{Task: t.Task.ID, Template: t.Task.Template}
		byTask[t.Task.ID] = &out[i]
	}
	for _, e := range res.Episodes {
		if e.Harness {
			continue
		}
		row := byTask[e.Task.Task.ID]
		tokens := e.Scores.Usage.Tokens.Total
		if e.Arm.Setup == squad {
			row.SquadTokens = tokens
		}
		switch e.Arm.Setup {
		case armSingle:
			row.SingleTokens = tokens
		case armProgram:
			valid := firstIsValid(e)
			row.Valid = &valid
		case armSlot:
			row.Votes = votes(e)
		}
	}
	return out
}

// firstIsValid reports whether the first schedule that the model wrote passed the checker, certain repairs made.
func firstIsValid(e *eval.EpisodeResult) bool {
	for _, s := range e.Scores.Trace.Schedules {
		return s.Valid && s.Mode == orchestrator.ModeProgram
	}
	return false
}

// votes are the closed questions of an episode whose right answer the gold tells: a variable, an output or an option that
// a gold schedule uses.
func votes(e *eval.EpisodeResult) []calibration.Vote {
	words := goldWords(e.Task)
	var out []calibration.Vote
	for _, s := range e.Scores.Trace.Searches {
		for _, q := range s.Questions {
			known := false
			for option := range q.Probabilities {
				known = known || words[option]
			}
			if known {
				out = append(out, calibration.Vote{Kind: q.Kind, Options: len(q.Probabilities), Right: words[q.Chosen]})
			}
		}
	}
	return out
}

// goldWords are the texts that the gold's calls were given, and the outputs that its answer takes.
func goldWords(t *eval.Task) map[string]bool {
	words := map[string]bool{}
	for _, x := range t.Executed {
		for _, c := range x.Calls {
			for _, a := range c.Call.Arguments {
				if text, ok := a.Value.(string); ok {
					words[text] = true
				}
			}
		}
		for _, f := range x.Answer.Fields {
			words[f.Output] = f.Output != ""
		}
	}
	delete(words, "")
	return words
}

func (p *program) showCalibration(doc calibrationJSON) error {
	t := newTable("MEASURED", "VALUE", "USED BY").numbers(1)
	t.add("dev tasks", fmt.Sprint(doc.Tasks), "")
	t.add("valid schedules", eval.Percent(doc.ValidShare), "mode auto: "+doc.Mode)
	samples := "single-sc: not known"
	if doc.Samples != nil {
		samples = fmt.Sprintf("single-sc: n = %d", *doc.Samples)
		if *doc.Samples == 1 {
			samples += ", no match of tokens is possible"
		}
	}
	t.add("tokens of squad ("+doc.Mode+")", rounded(doc.SquadTokens), samples)
	t.add("tokens of single", rounded(doc.SingleTokens), "")
	for _, kind := range []string{"variable", "output", "option", "quantity"} {
		x, asked := doc.Votes[kind]
		if !asked {
			continue
		}
		use := fmt.Sprintf("too few for a weight (%d are needed): the default", calibration.MinVotes)
		if skill, ok := doc.Skill(kind); ok {
			use = fmt.Sprintf("weight of the vote: %.2f", skill)
		}
		t.add(kind+" questions right", fmt.Sprintf("%d of %d", x.Right, x.Asked), use)
	}
	if err := t.write(p.Out); err != nil {
		return err
	}
	_, err := fmt.Fprintf(p.Out, "\nKept in %s\n", strings.TrimSpace(doc.File))
	return err
}

func rounded(v *float64) string {
	if v == nil {
		return "–"
	}
	return fmt.Sprintf("%.0f", *v)
}
