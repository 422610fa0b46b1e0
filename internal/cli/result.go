package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"almanac/eval"
	"almanac/orchestrator/schedule"
	"almanac/toolkits"
)

func noGold(string) (*schedule.Program, map[string]toolkits.Value, error) {
	return nil, nil, fmt.Errorf("no gold here")
}

// show shows what a comparison found: the document or a summary.
func (p *program) show(dir string, res *eval.Results) error {
	if !p.json {
		return p.summary(dir, res)
	}
	data, err := os.ReadFile(filepath.Join(dir, "results.json"))
	if err != nil {
		return err
	}
	return p.print(json.RawMessage(data))
}

// conclude shows what a comparison found, and turns it into an exit code.
func (p *program) conclude(dir string, res *eval.Results) error {
	if err := p.show(dir, res); err != nil {
		return err
	}
	if code := res.ExitCode(); code != exitDone && res.Manifest.Imported != nil {
		return &exit{code, fmt.Errorf("%s of the suite's tasks have no record in the log that counts; they are in no score",
			plural(len(res.HarnessErrors)+len(res.Unstarted), "episode"))}
	} else if code != exitDone {
		return &exit{code, fmt.Errorf("%s in the harness, %d not run; go on with: almanac compare --resume %s",
			plural(len(res.HarnessErrors), "episode"), len(res.Unstarted), dir)}
	}
	return nil
}

func reportPath(dir string) string { return filepath.Join(dir, "report.html") }

// summary prints the verdict and a line for each setup; the report has the rest.
func (p *program) summary(dir string, res *eval.Results) error {
	fmt.Fprintf(p.Out, "%s\n\n", paint(p.Out, bold, wrapped(res.VerdictLine(), 100)))
	t := newTable("SETUP", "MODEL", "SUCCESS %", "95 %", "RIGHT %", "BOUND %", "TOKENS", "A SUCCESS", "CALLS", "SECONDS").numbers(2, 3, 4, 5, 6, 7, 8, 9)
	for _, s := range res.Setups {
		model := s.Arm.Model
		if model == "" {
			model = "–"
		}
		e := s.Metrics["success"]
		interval := "–"
		if e.Lo != nil && e.Hi != nil {
			interval = bare(e.Lo) + " to " + bare(e.Hi)
		}
		t.add(s.Arm.Setup, model, bare(e.Mean), interval, bare(s.Metrics["correctness_rate"].Mean), bare(s.Metrics["bound"].Mean),
			whole(s.MeanTokens), whole(s.TokensPerSuccess), fmt.Sprint(s.ToolCalls), worked(res, s))
	}
	if err := t.write(p.Out); err != nil {
		return err
	}
	for _, e := range res.HarnessErrors {
		fmt.Fprintf(p.Out, "harness error, in no score: %s: %s\n", e.ID, e.Reason)
	}
	_, err := fmt.Fprintf(p.Out, "\nReport: %s\n", reportPath(dir))
	return err
}

// worked is the working time of a setup; "–" where an imported log does not say.
func worked(res *eval.Results, s *eval.Summary) string {
	if res.Manifest.Imported != nil && s.Working.Total == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f", s.Working.Total)
}

// bare is a percentage without its sign.
func bare(v *float64) string {
	return strings.TrimSuffix(strings.TrimSpace(strings.TrimSuffix(eval.Percent(v), "%")), "\u00a0")
}

// whole is a number without decimals; "–" where there is none.
func whole(v *float64) string {
	if v == nil {
		return "–"
	}
	return fmt.Sprintf("%.0f", *v)
}

// expectation says before the run what it will take, where that can be known.
func (p *program) expectation(arms []eval.Arm, episodes int) {
	withModel := 0
	for _, a := range arms {
		if a.Model != "" {
			withModel++
		}
	}
	p.say("%d episodes: %s × %d; %s. Expect %s.",
		len(arms)*episodes, plural(len(arms), "setup"), episodes, asking(withModel), expected(arms, episodes))
}

// asking says how many setups ask a model.
func asking(n int) string {
	switch n {
	case 0:
		return "no setup asks a model"
	case 1:
		return "1 of the setups asks a model"
	}
	return fmt.Sprintf("%d of the setups ask a model", n)
}

// expected guesses tokens and minutes from what episodes of each setup took with a 1.5B model on two cores. It
// is said to be a guess.
func expected(arms []eval.Arm, episodes int) string {
	perEpisode := map[string][2]float64{"none": {150, 4}, "squad": {200, 3}, "single": {20000, 60}}
	var tokens, seconds float64
	for _, a := range arms {
		e := perEpisode[a.Setup]
		if a.Model != "" && strings.HasPrefix(a.Model, "scripted:") {
			e = [2]float64{}
		}
		tokens += e[0] * float64(episodes)
		seconds += e[1] * float64(episodes)
	}
	if seconds == 0 {
		return "a few seconds and no tokens"
	}
	return fmt.Sprintf("about %.0f thousand tokens and %s on two cores (a guess, from runs of a 1.5B model)", tokens/1000, time.Duration(seconds*float64(time.Second)).Round(time.Minute))
}
