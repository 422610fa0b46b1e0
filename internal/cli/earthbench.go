package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"almanac/eval/earthbench"

	"github.com/spf13/cobra"
)

func (p *program) earthbenchCommand() *cobra.Command {
	var gold, run string
	cmd := &cobra.Command{
		Use: "earthbench", Short: "Score a recorded Earth-Bench run by the published rules and by our metrics", Args: cobra.NoArgs,
		Long: "Score a run that Earth-Agent's programs recorded: parity by the published rules, strict by our own metrics. The folders\n" +
			"hold the files under their own names, plain or gzipped. Where the run's folder has published_step_scores.json or\n" +
			"published_end_to_end.json, every value is compared with them; a difference ends with exit code 1.",
		Example: "  almanac eval earthbench --run eval/earthbench/data/runs/Kimik2_IF\n" +
			"  almanac eval earthbench --gold ~/Earth-Agent/gold --run ~/Earth-Agent/evaluate_langchain/gpt5_IF --json",
		RunE: func(*cobra.Command, []string) error { return p.evalEarthbench(gold, run) },
	}
	cmd.Flags().StringVar(&gold, "gold", "", "folder with extracted_tool_calls_GT.json (default: the gold that comes with the program)")
	cmd.Flags().StringVar(&run, "run", "", "folder of the run, with extracted_tool_calls.json and results_summary_polished.json")
	return cmd
}

func (p *program) evalEarthbench(goldDir, runDir string) error {
	if runDir == "" {
		return usage("eval earthbench wants --run DIR: the folder of a recorded run, such as eval/earthbench/data/runs/Kimik2_IF")
	}
	goldFiles, goldName, err := goldFolder(goldDir)
	if err != nil {
		return err
	}
	if err := folder("--run", runDir); err != nil {
		return err
	}
	gold, err := earthbench.ReadGold(goldFiles, goldName)
	if err != nil {
		return earthbenchError(err)
	}
	files := os.DirFS(runDir)
	run, err := earthbench.ReadRun(files, runDir, gold)
	if err != nil {
		return earthbenchError(err)
	}
	published, err := earthbench.ReadPublished(files, runDir)
	if err != nil {
		return earthbenchError(err)
	}
	parity, strict := earthbench.Parity(gold, run), earthbench.Strict(gold, run)
	if len(parity.Items) == 0 {
		return usage("%s has no item of the gold: keys are like %q or a number alone", runDir, "question190")
	}
	differences := published.Compare(parity)
	if p.json {
		err = p.print(map[string]any{"parity": parity, "strict": strict})
	} else {
		err = p.showEarthbench(runDir, parity, strict, published, differences)
	}
	if err != nil {
		return err
	}
	if len(differences) > 0 {
		return &exit{exitWanting, fmt.Errorf("%s: %s from what was published; the first: %s", runDir, plural(len(differences), "difference"), differences[0])}
	}
	return nil
}

// goldFolder is the folder of the gold, with its name; without one, what comes with the program.
func goldFolder(dir string) (fs.FS, string, error) {
	if dir == "" {
		return earthbench.Embedded(), "earthbench", nil
	}
	return os.DirFS(dir), dir, folder("--gold", dir)
}

// folder refuses what is no folder.
func folder(flag, dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return &exit{exitMissing, fmt.Errorf("%s %s: %w; name the folder that holds the files", flag, dir, err)}
	}
	if !info.IsDir() {
		return usage("%s %s is a file; name the folder that holds it: %s %s", flag, dir, flag, filepath.Dir(dir))
	}
	return nil
}

// earthbenchError gives an error about files its exit code.
func earthbenchError(err error) error {
	if errors.Is(err, earthbench.ErrMissing) {
		return &exit{exitMissing, err}
	}
	return &exit{exitUsage, err}
}

func (p *program) showEarthbench(dir string, r *earthbench.Report, strict *earthbench.StrictReport, published *earthbench.Published, differences []earthbench.Difference) error {
	out := p.Out
	n := 0
	for i := range r.Items {
		if r.Items[i].Position >= earthbench.PublishedFrom {
			n++
		}
	}
	fmt.Fprintf(out, "%s: %d items, %d of them at the published positions (%d onward)\n\n%s\n",
		dir, len(r.Items), n, earthbench.PublishedFrom, paint(out, bold, "By the published rules"))
	t := newTable("MEAN", "PUBLISHED POSITIONS", "AS PUBLISHED", "ALL ITEMS").numbers(1, 2, 3)
	all, as := map[string]*float64{}, map[string]*float64{}
	r.Means.All.Each(func(name string, v *float64) { all[name] = v })
	published.Means.Each(func(name string, v *float64) { as[name] = v })
	r.Means.Published.Each(func(name string, v *float64) { t.add(name, four(v), four(as[name]), four(all[name])) })
	if err := t.write(out); err != nil {
		return err
	}
	switch {
	case len(published.Files) == 0:
		fmt.Fprintln(out, "The folder has no published results to compare with.")
	default:
		fmt.Fprintf(out, "%s from what was published.\n", plural(len(differences), "difference"))
	}
	for i, d := range differences {
		if i == 10 {
			fmt.Fprintf(out, "  … and %d more\n", len(differences)-i)
			break
		}
		fmt.Fprintf(out, "  %s\n", d)
	}
	fmt.Fprintf(out, "\n%s\n", paint(out, bold, "By our metrics, on the same calls"))
	t = newTable("METRIC", "PUBLISHED POSITIONS", "ALL ITEMS").numbers(1, 2)
	for _, name := range strict.Names() {
		t.add(name, four(at(strict.Means.Published, name)), four(at(strict.Means.All, name)))
	}
	return t.write(out)
}

func at(m map[string]float64, name string) *float64 {
	v, ok := m[name]
	if !ok {
		return nil
	}
	return &v
}

func four(v *float64) string {
	if v == nil {
		return "–"
	}
	return fmt.Sprintf("%.4f", *v)
}

// taskImportCommand makes a suite of another benchmark's questions.
func (p *program) taskImportCommand() *cobra.Command {
	var gold, out, data string
	earth := &cobra.Command{
		Use: "earthbench", Short: "Write the questions of Earth-Bench as a suite of tasks", Args: cobra.NoArgs,
		Long: "Write a task for each question of Earth-Bench that has choices and a right letter: in the words for autonomous planning,\n" +
			"with those for instruction following as a paraphrase. What a task cannot express is said in the suite's README.md.",
		Example: "  almanac tasks import earthbench --out suites/earthbench\n" +
			"  almanac tasks import earthbench --gold ~/Earth-Agent/gold --data ~/Earth-Agent --out suites/earthbench",
		RunE: func(*cobra.Command, []string) error { return p.tasksImportEarthbench(gold, data, out) },
	}
	earth.Flags().StringVar(&gold, "gold", "", "folder with question.json and extracted_tool_calls_GT.json (default: those that come with the program)")
	earth.Flags().StringVar(&data, "data", "", "folder that holds benchmark/data: write the questions alone whose files are there")
	earth.Flags().StringVar(&out, "out", "", "folder of the suite that is written")
	return group("import", "Make a suite of another benchmark's questions", earth)
}

func (p *program) tasksImportEarthbench(goldDir, dataDir, out string) error {
	if out == "" {
		return usage("tasks import earthbench wants --out DIR: the folder of the suite")
	}
	files, name, err := goldFolder(goldDir)
	if err != nil {
		return err
	}
	gold, err := earthbench.ReadGold(files, name)
	if err != nil {
		return earthbenchError(err)
	}
	questions, left, err := earthbench.Questions(files, name, gold)
	if err != nil {
		return earthbenchError(err)
	}
	without := 0
	if dataDir != "" {
		if err := folder("--data", dataDir); err != nil {
			return err
		}
		have := questions[:0]
		for _, q := range questions {
			if info, err := os.Stat(filepath.Join(dataDir, filepath.FromSlash(q.Data))); q.Data != "" && err == nil && info.IsDir() {
				have = append(have, q)
			}
		}
		questions, without = have, len(questions)-len(have)
		if len(questions) == 0 {
			return &exit{exitMissing, fmt.Errorf("%s holds the files of no question: they are in folders like %s", dataDir, filepath.Join(dataDir, "benchmark", "data", "question1"))}
		}
	}
	if err := earthbench.WriteSuite(out, questions, left); err != nil {
		return &exit{exitUsage, err}
	}
	if p.json {
		why := map[string]string{}
		for _, l := range left {
			why["question"+l.Question] = l.Why
		}
		return p.print(map[string]any{"suite": out, "tasks": len(questions), "left_out": why, "without_data": without})
	}
	fmt.Fprintf(p.Out, "%s: %s written\n", out, plural(len(questions), "task"))
	for _, l := range left {
		fmt.Fprintf(p.Out, "question %s is left out: %s\n", l.Question, l.Why)
	}
	if without > 0 {
		fmt.Fprintf(p.Out, "%s left out: %s has no files for them\n", plural(without, "question"), dataDir)
	}
	_, err = fmt.Fprintf(p.Out, "What the tasks cannot express is in %s. Look at them: almanac tasks list --suite %s\n", filepath.Join(out, "README.md"), out)
	return err
}
