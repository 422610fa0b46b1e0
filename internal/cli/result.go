package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"almanac/eval"
	"almanac/eval/report"
	"almanac/orchestrator/schedule"
	"almanac/toolkits"
)

func noGold(string) (*schedule.Program, map[string]toolkits.Value, error) {
	return nil, nil, fmt.Errorf("no gold here")
}

// conclude shows what a comparison found, and turns it into an exit code.
func (p *program) conclude(dir string, res *eval.Results) error {
	if p.json {
		data, err := os.ReadFile(filepath.Join(dir, "results.json"))
		if err != nil {
			return err
		}
		if err := p.print(json.RawMessage(data)); err != nil {
			return err
		}
	} else {
		fmt.Fprintln(p.Out, report.Terminal(res))
		fmt.Fprintln(p.Out, "Report: "+filepath.Join(dir, "report.html"))
	}
	if code := res.ExitCode(); code != exitDone {
		return &exit{code: code}
	}
	return nil
}

// expectation says before the run what it will take, where that can be known.
func (p *program) expectation(arms []eval.Arm, episodes int) {
	withModel := 0
	for _, a := range arms {
		if a.Model != "" {
			withModel++
		}
	}
	p.say("%d episodes: %d setups × %d; %d of the setups ask a model. Expect about %s.",
		len(arms)*episodes, len(arms), episodes, withModel, expected(arms, episodes))
}

// expected guesses tokens and minutes from what episodes of each setup took with a 1.5B model on two cores: see
// docs/runs. It is said to be a guess.
func expected(arms []eval.Arm, episodes int) string {
	perEpisode := map[string][2]float64{"none": {400, 15}, "squad": {1200, 15}, "single": {30000, 60}}
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
	return fmt.Sprintf("%.0f thousand tokens and %s on two cores (a guess, from runs of a 1.5B model)", tokens/1000, time.Duration(seconds*float64(time.Second)).Round(time.Minute))
}
