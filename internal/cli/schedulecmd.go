package cli

import (
	"fmt"
	"io"
	"os"

	"almanac/internal/workspace"
	"almanac/orchestrator"
	"almanac/orchestrator/schedule"
	"almanac/scenarios"
	"almanac/toolkits"

	"github.com/spf13/cobra"
)

func (p *program) scheduleCommand() *cobra.Command {
	var checked, ran askFlags
	check := &cobra.Command{
		Use: "check FILE", Short: "Check a schedule against the tools: all problems at once, with positions", Args: exactly(1, "one file (- is standard input)"),
		Example: "  almanac schedule check plan.star\n" +
			"  almanac schedule check plan.star --task hot-days-2012\n" +
			"  almanac schedule check plan.star --ask \"How large is Kenya?\" --field area:km2",
		RunE: func(cmd *cobra.Command, args []string) error { return p.scheduleCheck(cmd, args[0], &checked) },
	}
	checked.register(check, true)
	var format string
	print := &cobra.Command{
		Use: "print FILE", Short: "Print a schedule canonically, or as a diagram", Args: exactly(1, "one file (- is standard input)"),
		Example: "  almanac schedule print plan.star\n  almanac schedule print plan.star --format mermaid",
		RunE:    func(_ *cobra.Command, args []string) error { return p.schedulePrint(args[0], format) },
	}
	print.Flags().StringVar(&format, "format", "text", "text, mermaid or dot")
	var out string
	var asked modelFlags
	run := &cobra.Command{
		Use: "run FILE", Short: "Run a schedule; only objective steps need a model", Args: exactly(1, "one file (- is standard input)"),
		Example: "  almanac schedule run plan.star --ask \"How large is Kenya?\" --field area:km2\n" +
			"  almanac schedule run plan.star --task hot-days-2012 --json\n" +
			"  almanac schedule run objectives.star --task hot-days-2012 --model ollama:qwen2.5-coder:1.5b",
		RunE: func(cmd *cobra.Command, args []string) error { return p.scheduleRun(cmd, args[0], out, &ran, &asked) },
	}
	ran.register(run, true)
	asked.register(run)
	run.Flags().StringVar(&out, "out", "", "run folder (default runs/schedule-TIME)")
	return group("schedule", "Check, print and run schedule files", check, print, run)
}

// readSchedule reads a file, or standard input for "-".
func (p *program) readSchedule(file string) (string, error) {
	if file == "-" {
		data, err := io.ReadAll(io.LimitReader(p.In, 1<<20))
		return string(data), err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return "", &exit{exitUsage, err}
	}
	return string(data), nil
}

// subject is a schedule with what it is checked against: nil contract and slots where nothing is asked.
type subject struct {
	file, text string
	team       *orchestrator.Team
	task       scenarios.Task
	contract   schedule.Contract
	types      schedule.Slots
	values     map[string]toolkits.Value
}

func (p *program) subject(cmd *cobra.Command, file string, f *askFlags) (*workspace.Workspace, subject, error) {
	s := subject{file: file}
	w, err := p.workspace(cmd)
	if err != nil {
		return nil, s, err
	}
	if s.text, err = p.readSchedule(file); err != nil {
		return nil, s, err
	}
	if s.team, err = w.Team(); err != nil {
		return nil, s, err
	}
	t, ok, err := f.asked()
	if err != nil {
		return nil, s, err
	}
	if !ok {
		s.task = scenarios.Task{ID: ownTask, Template: ownTask, Split: ownTask, Track: scenarios.Fundamentals, Question: "a schedule by itself"}
		return w, s, nil
	}
	s.task, s.contract = t, workspace.Contract(t)
	s.types, s.values, err = slotsOf(w, t)
	return w, s, err
}

func (p *program) scheduleCheck(cmd *cobra.Command, file string, f *askFlags) error {
	_, s, err := p.subject(cmd, file, f)
	if err != nil {
		return err
	}
	_, problems := schedule.CheckText(s.text, s.team.Catalog, s.contract, s.types, nil)
	errs := len(schedule.Errors(problems))
	if p.json {
		if problems == nil {
			problems = []schedule.Problem{}
		}
		if err := p.print(map[string]any{"file": file, "valid": errs == 0, "problems": problems}); err != nil {
			return err
		}
	} else {
		for _, pr := range problems {
			kind := ""
			if pr.Warning {
				kind = " (a warning)"
			}
			fmt.Fprintf(p.Out, "%s:%s%s\n", file, pr, kind)
		}
		if errs == 0 {
			fmt.Fprintf(p.Out, "%s: valid\n", file)
		}
	}
	if errs > 0 {
		return &exit{exitWanting, fmt.Errorf("%s: %s", file, plural(errs, "problem"))}
	}
	return nil
}

func (p *program) schedulePrint(file, format string) error {
	text, err := p.readSchedule(file)
	if err != nil {
		return err
	}
	program, problems := schedule.Parse(text)
	if errs := schedule.Errors(problems); len(errs) > 0 {
		for _, pr := range errs {
			fmt.Fprintf(p.Err, "%s:%s\n", file, pr)
		}
		return usage("%s: %s", file, plural(len(errs), "problem"))
	}
	var out string
	switch format {
	case "text":
		out = schedule.Print(program)
	case "mermaid":
		out = schedule.Mermaid(program)
	case "dot":
		out = schedule.DOT(program)
	default:
		return usage("--format %q: there are text, mermaid, dot", format)
	}
	if p.json {
		return p.print(map[string]string{"file": file, "format": format, "text": out, "hash": schedule.Hash(program)})
	}
	_, err = io.WriteString(p.Out, out)
	return err
}

func (p *program) scheduleRun(cmd *cobra.Command, file, out string, f *askFlags, m *modelFlags) error {
	w, s, err := p.subject(cmd, file, f)
	if err != nil {
		return err
	}
	bound, err := p.bound(&s)
	if err != nil {
		return err
	}
	one := &single{
		task: s.task, scored: f.task != "", setup: orchestrator.NewGiven(s.team, bound, s.values), name: "schedule", out: out, folder: "schedule",
		command: []string{"schedule", "run", file},
	}
	switch {
	case len(m.names) > 1:
		return usage("schedule run takes one --model")
	case one.setup.UsesModel() && len(m.names) == 0:
		return usage("%s has an objective step, which a specialist carries out with a model: name one with --model, such as --model ollama:qwen2.5-coder:1.5b", file)
	case !one.setup.UsesModel() && len(m.names) > 0:
		return usage("%s has no objective step: leave --model out", file)
	case one.setup.UsesModel():
		if one.numCtx = m.numCtx; one.numCtx == 0 {
			one.numCtx = scheduleCtx
		}
		list, closeModels, err := p.models(cmd.Context(), m, one.numCtx)
		if err != nil {
			return err
		}
		defer func() { p.closing(closeModels) }()
		one.models = list
	}
	return p.oneEpisode(cmd.Context(), w, one)
}

// scheduleCtx is the context size for a specialist: its few tools, the data sets and six short turns.
const scheduleCtx = 8192

// bound reads, checks and binds a schedule; its problems are printed.
func (p *program) bound(s *subject) (*schedule.Program, error) {
	parsed, problems := schedule.Parse(s.text)
	if len(schedule.Errors(problems)) == 0 {
		problems = schedule.Check(parsed, s.team.Catalog, s.contract, s.types, nil)
	}
	if errs := schedule.Errors(problems); len(errs) > 0 {
		for _, pr := range errs {
			fmt.Fprintf(p.Err, "%s:%s\n", s.file, pr)
		}
		return nil, usage("%s: %s", s.file, plural(len(errs), "problem"))
	}
	bound, err := schedule.Bind(parsed, s.team.Catalog, s.contract, s.types, nil)
	if err != nil {
		return nil, &exit{exitUsage, fmt.Errorf("%s: %w", s.file, err)}
	}
	return bound, nil
}
