package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing/fstest"
	"time"

	"almanac/eval/earthbench"
)

// The recorded runs that are scored, and the files of each.
var (
	earthRuns  = []string{"Kimik2_IF", "deepseek-V3_1_IF", "llama-4_IF", "seed1.6_IF"}
	earthFiles = []string{"extracted_tool_calls.json", "results_summary_polished.json"}
)

// earthbenchRows measures the published scores of the four recorded runs of Earth-Bench beside the published evaluators,
// on the same plain files: with everything in memory, on the 59 questions of a run that the evaluators score; and from
// files to scores, where Almanac scores all 247.
func earthbenchRows(ctx context.Context, c config) ([]row, error) {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := unpackEarthbench(filepath.Join(c.root, "eval", "earthbench", "data"), dir); err != nil {
		return nil, err
	}
	gold, err := publishedGold(dir)
	if err != nil {
		return nil, err
	}
	var runs []*earthbench.Run
	for _, name := range earthRuns {
		run, err := earthbench.ReadRun(os.DirFS(filepath.Join(dir, name)), name, gold)
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	questions := 0
	memory, err := bench(func() error {
		questions = 0
		for _, run := range runs {
			questions += len(earthbench.Parity(gold, run).Items)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	files, err := bench(func() error { return scoreFiles(dir) })
	if err != nil {
		return nil, err
	}
	peer, missing := peerEarthbench(ctx, c, dir)
	question, whole := per(memory, questions), per(files, 1)
	return []row{
		faster("Earth-Bench, a question scored, in memory", question, peer.Question),
		faster("Earth-Bench, four runs, files to scores", whole, peer.Whole),
	}, missing
}

// publishedGold is the gold of the positions that the evaluators score.
func publishedGold(dir string) (*earthbench.Gold, error) {
	const name = "extracted_tool_calls_GT.json"
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return nil, err
	}
	var items []json.RawMessage
	if err := json.Unmarshal(text, &items); err != nil {
		return nil, err
	}
	if text, err = json.Marshal(items[earthbench.PublishedFrom:]); err != nil {
		return nil, err
	}
	return earthbench.ReadGold(fstest.MapFS{name: {Data: text}}, "published")
}

// faster makes a row whose limit is a fiftieth of what the evaluators take.
func faster(what string, took time.Duration, peer float64) row {
	r := row{what: what, measured: short(took), within: true}
	if peer > 0 {
		limit := time.Duration(peer * 1e9 / 50)
		r.limit, r.within = short(limit), took <= limit
		r.peers = fmt.Sprintf("published evaluators %s: %.0f times as long", short(time.Duration(peer*1e9)), peer*1e9/float64(took.Nanoseconds()))
	}
	return r
}

// scoreFiles reads the gold and the runs and scores them.
func scoreFiles(dir string) error {
	gold, err := earthbench.ReadGold(os.DirFS(dir), dir)
	if err != nil {
		return err
	}
	for _, name := range earthRuns {
		run, err := earthbench.ReadRun(os.DirFS(filepath.Join(dir, name)), name, gold)
		if err != nil {
			return err
		}
		earthbench.Parity(gold, run)
	}
	return nil
}

func unpackEarthbench(from, to string) error {
	names := []string{"extracted_tool_calls_GT.json"}
	for _, run := range earthRuns {
		if err := os.MkdirAll(filepath.Join(to, run), 0o755); err != nil {
			return err
		}
		for _, f := range earthFiles {
			names = append(names, filepath.Join(run, f))
		}
	}
	for _, name := range names {
		source := filepath.Join(from, "runs", name)
		if name == names[0] {
			source = filepath.Join(from, name)
		}
		packed, err := os.ReadFile(source + ".gz")
		if err != nil {
			return err
		}
		z, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			return err
		}
		plain, err := io.ReadAll(z)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(to, name), plain, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// earthDriver times the evaluators in one process, with what they print thrown away: with files, and with the files'
// content handed to them. It takes their folder, that of the data, the rounds and the runs.
const earthDriver = `
import contextlib, io, json, sys, time
sys.path.insert(0, sys.argv[1])
import end_to_end, step_by_step
folder, rounds, runs = sys.argv[2], int(sys.argv[3]), sys.argv[4:]

def once():
    n = 0
    for run in runs:
        calls, answers, gold = f"{folder}/{run}/extracted_tool_calls.json", f"{folder}/{run}/results_summary_polished.json", f"{folder}/extracted_tool_calls_GT.json"
        with contextlib.redirect_stdout(io.StringIO()):
            n += len(step_by_step.run_step_by_step_evaluation(calls, gold)["individual_results"])
            end_to_end.run_end_to_end_evaluation(gold, answers, calls)
    return n

def best():
    took = []
    for _ in range(rounds):
        begun = time.perf_counter()
        n = once()
        took.append(time.perf_counter() - begun)
    return min(took), n

whole, _ = best()
kept, load = {}, step_by_step.load_json_data
def memory(path):
    if path not in kept:
        kept[path] = load(path)
    return kept[path]
step_by_step.load_json_data = end_to_end.load_json_data = memory
once()
took, n = best()
json.dump({"whole": whole, "question": took / n}, sys.stdout)
`

type earthTimes struct{ Whole, Question float64 } // seconds

// peerEarthbench runs the published evaluators, which are not part of the project.
func peerEarthbench(ctx context.Context, c config, dir string) (t earthTimes, err error) {
	folder := c.evaluators
	if folder == "" {
		folder = filepath.Join(c.root, "..", "shared", "data", "earthbench", "reference")
	}
	if _, err := os.Stat(filepath.Join(folder, "step_by_step.py")); err != nil {
		return t, fmt.Errorf("no published evaluators to compare with: %w; name the folder of step_by_step.py and end_to_end.py with -evaluators", fs.ErrNotExist)
	}
	python := c.python
	if python == "" {
		python = "python3"
	}
	args := append([]string{"-c", earthDriver, folder, dir, strconv.Itoa(7)}, earthRuns...)
	cmd := exec.CommandContext(ctx, python, args...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return t, fmt.Errorf("the published evaluators: %w: %s", err, errs.String())
	}
	return t, json.Unmarshal(out, &t)
}
