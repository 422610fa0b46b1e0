package eval_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"almanac/eval"
	"almanac/eval/internal/sample"
	"almanac/eval/runlog"
	"almanac/orchestrator/event"
	"almanac/toolkits/artifact"
)

func manifest(repeats int) runlog.Manifest {
	return runlog.Manifest{ID: "sample", Version: "test", Suite: runlog.Suite{Name: "sample"}, Repeats: repeats, Seed: 7,
		Models: []runlog.Model{{Name: "scripted:sample"}}}
}

// fresh makes a folder with a store and the sample's arms on it.
func fresh(t *testing.T, repeats int) (*runlog.Folder, []eval.Arm) {
	t.Helper()
	f, err := runlog.Create(filepath.Join(t.TempDir(), "run"), manifest(repeats))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f, storedArms(t, f)
}

func storedArms(t *testing.T, f *runlog.Folder) []eval.Arm {
	t.Helper()
	store, err := artifact.Open(f.ArtifactDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return sample.Arms(store)
}

func mustRun(t *testing.T, f *runlog.Folder, events *runlog.Events, tasks []eval.Task, arms []eval.Arm, opt eval.Options) *eval.Outcome {
	t.Helper()
	out, err := eval.Run(context.Background(), f, events, tasks, arms, opt)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func read(t *testing.T, f *runlog.Folder, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(f.Dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func setup(t *testing.T, r *eval.Results, name string) *eval.Summary {
	t.Helper()
	for _, s := range r.Setups {
		if s.Arm.Setup == name {
			return s
		}
	}
	t.Fatalf("no setup %s", name)
	return nil
}

func TestRunScoresAndVerifies(t *testing.T) {
	f, arms := fresh(t, 1)
	out := mustRun(t, f, &runlog.Events{}, sample.Tasks(10, true), arms, eval.Options{})
	if out.Ran != 30 || len(out.Results.Unstarted) != 0 {
		t.Fatalf("ran %d, unstarted %v", out.Ran, out.Results.Unstarted)
	}
	// Task 9 is to be declined. search: tasks 0..8 of which 1, 4, 7 are wrong, and 9 answered: 6 of 10.
	if s := setup(t, out.Results, "search"); s.Successes != 6 || s.Tokens.Total == nil || *s.Tokens.Total != 0 {
		t.Errorf("search: %d successes", s.Successes)
	}
	// squad: (2i) mod 5 = 3 declines at i = 4 and 9: right for 9, wrong for 4: 9 of 10.
	s := setup(t, out.Results, "squad")
	if s.Successes != 9 || *s.Tokens.Total != 18000 || *s.TokensPerSuccess != 2000 {
		t.Errorf("squad: %d successes, %d tokens, %v a success", s.Successes, *s.Tokens.Total, s.TokensPerSuccess)
	}
	// 9 of 10: s = √0.1, half width 2.262157163·√0.1/√10 = 0.2262157163, so that its upper end would lie above 1.
	if e := s.Metrics["success"]; math.Abs(*e.Lo-(0.9-0.2262157163)) > 1e-8 || *e.Hi != 1 {
		t.Errorf("squad: interval [%v, %v] of success", *e.Lo, *e.Hi)
	}
	verified, err := eval.Verify(context.Background(), f.Dir, eval.VerifyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, finding := range verified.Findings {
		t.Error(finding)
	}
	if verified.Artifacts == 0 || verified.Chains == 0 || verified.Figures < 500 {
		t.Errorf("little was looked at: %+v", verified)
	}
	var doc struct {
		Schema int
		Setups []struct {
			Success struct{ Mean, Lo, Hi *float64 }
		}
		Paired   []struct{ A, B, Metric, Verdict string }
		Episodes []struct {
			Answer map[string]struct {
				Hit, Bound     bool
				Artifact, Call *string
			}
		}
	}
	if err := json.Unmarshal(read(t, f, "results.json"), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Schema != 1 || *doc.Setups[0].Success.Mean != 0.6 || doc.Paired[0].B != "single" || len(doc.Episodes) != 30 {
		t.Errorf("results.json: %+v", doc.Setups)
	}
	if a := doc.Episodes[0].Answer["warmth"]; !a.Hit || !a.Bound || a.Artifact == nil || *a.Call != "months" {
		t.Errorf("answer %+v", a)
	}
}

func TestVerifyFindsWhatWasChanged(t *testing.T) {
	f, arms := fresh(t, 1)
	mustRun(t, f, &runlog.Events{}, sample.Tasks(4, false), arms, eval.Options{})
	find := func(want string) {
		t.Helper()
		v, err := eval.Verify(context.Background(), f.Dir, eval.VerifyOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, finding := range v.Findings {
			if strings.Contains(finding.String(), want) {
				return
			}
		}
		t.Errorf("nothing about %q in %v", want, v.Findings)
	}
	path := filepath.Join(f.Dir, "results.json")
	good := read(t, f, "results.json")
	change := func(path string, data []byte) {
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	change(path, bytes.Replace(good, []byte(`"successes": 3`), []byte(`"successes": 4`), 1))
	find("successes: is 4, the log gives 3")
	change(path, good[:len(good)-3])
	find("cannot be read")
	change(path, good)

	objects, err := filepath.Glob(filepath.Join(f.ArtifactDir(), "objects", "*", "*.scalar"))
	if err != nil || len(objects) == 0 {
		t.Fatal("no scalar artifact", err)
	}
	blob, _ := os.ReadFile(objects[0])
	change(objects[0], append(blob, 'x'))
	find("does not match its hash")
	change(objects[0], blob)
	if err := os.Remove(filepath.Join(f.ArtifactDir(), "provenance.jsonl")); err != nil {
		t.Fatal(err)
	}
	find("no provenance record")
}

// The log cut at many bytes, as kill -9 would leave it: the run taken up again ends with the same results.json.
func TestResumeGivesTheSameBytes(t *testing.T) {
	tasks := sample.Tasks(3, false)
	f, arms := fresh(t, 2)
	mustRun(t, f, &runlog.Events{}, tasks, arms, eval.Options{})
	want, whole := read(t, f, "results.json"), read(t, f, "events.jsonl")
	f.Close()
	for cut := 0; cut < len(whole); cut += 2003 {
		dir := filepath.Join(t.TempDir(), "run")
		if err := os.CopyFS(dir, os.DirFS(f.Dir)); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "events.jsonl"), whole[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		g, events, err := runlog.Resume(dir)
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		mustRun(t, g, events, tasks, storedArms(t, g), eval.Options{})
		if got := read(t, g, "results.json"); !bytes.Equal(got, want) {
			t.Fatalf("cut at %d: results.json differs", cut)
		}
		g.Close()
	}
}

func TestParallelGivesTheSameBytes(t *testing.T) {
	tasks := sample.Tasks(6, true)
	f, arms := fresh(t, 1)
	mustRun(t, f, &runlog.Events{}, tasks, arms, eval.Options{})
	g, arms := fresh(t, 1)
	mustRun(t, g, &runlog.Events{}, tasks, arms, eval.Options{Parallel: 5})
	if !bytes.Equal(read(t, f, "results.json"), read(t, g, "results.json")) {
		t.Error("results.json differs")
	}
}

func TestFieldB22ResumeOfAFinishedRun(t *testing.T) {
	tasks := sample.Tasks(3, false)
	f, arms := fresh(t, 1)
	mustRun(t, f, &runlog.Events{}, tasks, arms, eval.Options{})
	want, log := read(t, f, "results.json"), read(t, f, "events.jsonl")
	f.Close()
	g, events, err := runlog.Resume(f.Dir)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	var called atomic.Int32
	for i := range arms {
		arms[i].Solver.(*sample.Solver).Before = func(eval.Job, int) error { called.Add(1); return nil }
	}
	out := mustRun(t, g, events, tasks, arms, eval.Options{})
	if out.Ran != 0 || called.Load() != 0 {
		t.Errorf("ran %d episodes again", out.Ran)
	}
	if !bytes.Equal(read(t, g, "results.json"), want) || !bytes.Equal(read(t, g, "events.jsonl"), log) {
		t.Error("results or log changed")
	}
}

func TestResumeWithOtherTasksIsRefused(t *testing.T) {
	f, arms := fresh(t, 1)
	mustRun(t, f, &runlog.Events{}, sample.Tasks(3, false), arms, eval.Options{})
	events, err := f.Events()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := eval.Run(context.Background(), f, events, sample.Tasks(4, false), arms, eval.Options{}); !errors.Is(err, eval.ErrChanged) {
		t.Errorf("other tasks: %v", err)
	}
	if _, err := eval.Run(context.Background(), f, events, sample.Tasks(3, false), arms[:2], eval.Options{}); !errors.Is(err, eval.ErrChanged) {
		t.Errorf("other setups: %v", err)
	}
}

// An attempt that is cut off is handed to the next one, so that its finished writing calls are not repeated.
func TestFieldB20PreviousAttemptIsHandedOver(t *testing.T) {
	tasks := sample.Tasks(1, false)
	f, arms := fresh(t, 1)
	stop := errors.New("interrupted")
	ctx, cancel := context.WithCancelCause(context.Background())
	arms = arms[1:2]
	solver := arms[0].Solver.(*sample.Solver)
	solver.Before = func(_ eval.Job, n int) error {
		if n == 8 {
			cancel(stop)
		}
		return nil
	}
	if _, err := eval.Run(ctx, f, &runlog.Events{}, tasks, arms, eval.Options{}); !errors.Is(err, stop) {
		t.Fatalf("interrupted: %v", err)
	}
	if f.Manifest.Status != runlog.Interrupted {
		t.Errorf("status %s", f.Manifest.Status)
	}
	f.Close()
	g, events, err := runlog.Resume(f.Dir)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	solver.Before = func(job eval.Job, n int) error {
		if n > 0 {
			return nil
		}
		found := false
		for _, e := range job.Previous {
			r, ok := e.Body.(*event.ToolResult)
			found = found || ok && r.Call == "sst"
		}
		if !found || job.Attempt != 2 {
			t.Errorf("attempt %d got %d events", job.Attempt, len(job.Previous))
		}
		return nil
	}
	out := mustRun(t, g, events, tasks, arms, eval.Options{})
	e := out.Results.Episodes[0]
	if e.Attempts != 2 || *e.AbandonedTokens.Total != 1800 || *e.Scores.Usage.Tokens.Total != 1800 {
		t.Errorf("attempts %d, abandoned %d, tokens %d", e.Attempts, *e.AbandonedTokens.Total, *e.Scores.Usage.Tokens.Total)
	}
}

// A call that finished in the first attempt is known to the third, though the second was cut off before it.
func TestFieldB20EveryAttemptIsHandedOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, arms := fresh(t, 1)
		arms = arms[1:2]
		arms[0].Solver.(*sample.Solver).Before = func(job eval.Job, n int) error {
			switch {
			case job.Attempt == 1 && n == 8, job.Attempt == 2 && n == 1:
				return errDown
			case job.Attempt == 3 && n == 0:
				results := 0
				for _, e := range job.Previous {
					if _, ok := e.Body.(*event.ToolResult); ok {
						results++
					}
				}
				if results != 1 {
					t.Errorf("the third attempt knows of %d finished calls", results)
				}
			}
			return nil
		}
		out := mustRun(t, f, &runlog.Events{}, sample.Tasks(1, false), arms, eval.Options{Harness: isDown})
		if e := out.Results.Episodes[0]; e.Attempts != 3 || !e.Scores.Success() {
			t.Errorf("%d attempts", e.Attempts)
		}
	})
}

var errDown = errors.New("connection refused")

func isDown(err error) bool { return errors.Is(err, errDown) }

// A server that is down for a while: the episode is tried again with back-off, and counts once.
func TestHarnessErrorsAreRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, arms := fresh(t, 1)
		failures := 0
		arms = arms[1:2]
		arms[0].Solver.(*sample.Solver).Before = func(eval.Job, int) error {
			if failures < 2 {
				failures++
				return errDown
			}
			return nil
		}
		begun := time.Now()
		out := mustRun(t, f, &runlog.Events{}, sample.Tasks(1, false), arms, eval.Options{Harness: isDown})
		if waited := time.Since(begun); waited != 6*time.Second { // 2 s, then 4 s
			t.Errorf("waited %v", waited)
		}
		e := out.Results.Episodes[0]
		if e.Attempts != 3 || e.Harness || !e.Scores.Success() {
			t.Errorf("attempts %d, outcome %s", e.Attempts, e.Outcome)
		}
	})
}

// What cannot go away by waiting is not tried again.
func TestLastingHarnessErrorsAreNotRetried(t *testing.T) {
	f, arms := fresh(t, 1)
	arms = arms[1:2]
	arms[0].Solver.(*sample.Solver).Before = func(eval.Job, int) error { return errDown }
	never := func(error) bool { return false }
	out := mustRun(t, f, &runlog.Events{}, sample.Tasks(1, false), arms, eval.Options{Harness: isDown, Again: never})
	if e := out.Results.Episodes[0]; e.Attempts != 1 || !e.Harness {
		t.Errorf("attempts %d, outcome %s", e.Attempts, e.Outcome)
	}
}

func TestFieldD27NoNumberExitZero(t *testing.T) {
	f, arms := fresh(t, 1)
	for i := range arms {
		arms[i].Solver.(*sample.Solver).Before = func(eval.Job, int) error { return errDown }
	}
	out := mustRun(t, f, &runlog.Events{}, sample.Tasks(2, false), arms, eval.Options{Harness: isDown, Retries: -1})
	if !out.Results.NoScore() || len(out.Results.HarnessErrors) != 6 || out.Results.ExitCode() == 0 {
		t.Errorf("no score %v, %d harness errors, exit %d", out.Results.NoScore(), len(out.Results.HarnessErrors), out.Results.ExitCode())
	}
	if s := out.Results.Setups[0]; s.Metrics["success"].Mean != nil {
		t.Errorf("success %v", *s.Metrics["success"].Mean)
	}
	if line := out.Results.VerdictLine(); !strings.Contains(line, "no score") {
		t.Errorf("verdict %q", line)
	}
	read(t, f, "events.jsonl")
}

func TestFieldD29HarnessErrorsLeaveBothArms(t *testing.T) {
	f, arms := fresh(t, 1)
	arms[1].Solver.(*sample.Solver).Before = func(job eval.Job, _ int) error {
		if job.Task.Task.ID < "mean-sst-06" {
			return errDown
		}
		return nil
	}
	out := mustRun(t, f, &runlog.Events{}, sample.Tasks(20, false), arms, eval.Options{Harness: isDown, Retries: -1})
	v := out.Results.Verdict()
	if v.A.Setup != "squad" || v.B.Setup != "single" || v.Paired.Tasks != 14 || v.LeftOut != 6 {
		t.Errorf("%s − %s on %d tasks, %d left out", v.A.Setup, v.B.Setup, v.Paired.Tasks, v.LeftOut)
	}
	if s := setup(t, out.Results, "single"); s.Episodes != 20 || s.Metrics["success"].Templates != 20 {
		t.Errorf("the unpaired figures of single rest on %d episodes", s.Episodes)
	}
	if out.Results.ExitCode() != 1 {
		t.Errorf("exit %d", out.Results.ExitCode())
	}
}

func TestFieldD12ErrorsStayInTheDenominator(t *testing.T) {
	f, arms := fresh(t, 1)
	arms = arms[:1]
	arms[0].Solver = &sample.Solver{
		Quality: func(task string, _ int) sample.Quality {
			if task >= "mean-sst-80" {
				return sample.Wrong
			}
			return sample.Right
		},
		Before: func(job eval.Job, _ int) error {
			if job.Task.Task.ID >= "mean-sst-90" {
				panic("the setup crashed")
			}
			return nil
		},
	}
	out := mustRun(t, f, &runlog.Events{}, sample.Tasks(100, false), arms, eval.Options{})
	s := out.Results.Setups[0]
	if *s.Metrics["success"].Mean != 0.8 || s.Errors != 10 || s.HarnessErrors != 0 {
		t.Errorf("success %g, errors %d", *s.Metrics["success"].Mean, s.Errors)
	}
	if got := fmt.Sprintf("%.3f", *s.SuccessOfAnswered); got != "0.889" {
		t.Errorf("of answered %s", got)
	}
}

func TestFieldD21CompletionOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, arms := fresh(t, 1)
		arms = arms[1:2]
		arms[0].Solver.(*sample.Solver).Before = func(job eval.Job, n int) error {
			if n == 0 && job.Task.Task.ID == "mean-sst-00" {
				time.Sleep(time.Hour) // the fake clock of the test
			}
			return nil
		}
		out := mustRun(t, f, &runlog.Events{}, sample.Tasks(5, false), arms, eval.Options{Parallel: 5})
		for i, e := range out.Results.Episodes {
			want := fmt.Sprintf("mean-sst-%02d", i)
			if e.Task.Task.ID != want || e.Scores.Trace.Answer == nil {
				t.Errorf("row %d is %s", i, e.Task.Task.ID)
			}
		}
	})
}

// The disk is full from some event on: nothing finished is lost, nothing else is started, and the run can go on later.
func TestFullDiskStopsCleanly(t *testing.T) {
	tasks := sample.Tasks(3, false)
	f, arms := fresh(t, 1)
	arms = arms[:1]
	started := 0
	arms[0].Solver.(*sample.Solver).Before = func(job eval.Job, n int) error {
		if n == 0 {
			started++
		}
		if job.Task.Task.ID == "mean-sst-01" && n == 3 {
			f.Log().Close() // every write fails from here
		}
		return nil
	}
	if _, err := eval.Run(context.Background(), f, &runlog.Events{}, tasks, arms, eval.Options{}); !errors.Is(err, runlog.ErrClosed) {
		t.Fatalf("full disk: %v", err)
	}
	if started != 2 {
		t.Errorf("%d episodes were started", started)
	}
	f.Close()
	arms[0].Solver.(*sample.Solver).Before = nil
	g, events, err := runlog.Resume(f.Dir)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if out := mustRun(t, g, events, tasks, arms, eval.Options{}); out.Ran != 2 || len(out.Results.Episodes) != 3 {
		t.Errorf("ran %d of %d", out.Ran, len(out.Results.Episodes))
	}
}

func TestProgress(t *testing.T) {
	f, arms := fresh(t, 1)
	var seen []string
	mustRun(t, f, &runlog.Events{}, sample.Tasks(2, false), arms[:2], eval.Options{Progress: func(p eval.Progress) {
		seen = append(seen, fmt.Sprintf("%s %s %d/%d hits %d tokens %d", p.Setup, p.Task, p.Done, p.Total, p.Hits, p.Tokens))
	}})
	want := []string{
		"search mean-sst-00 1/4 hits 1 tokens 0", "search mean-sst-01 2/4 hits 1 tokens 0",
		"squad mean-sst-00 3/4 hits 1 tokens 1800", "squad mean-sst-01 4/4 hits 2 tokens 3600",
	}
	if fmt.Sprint(seen) != fmt.Sprint(want) {
		t.Errorf("%q", seen)
	}
}
