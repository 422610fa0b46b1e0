package report

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"almanac/eval"
	"almanac/eval/internal/sample"
	"almanac/eval/runlog"
	"almanac/orchestrator/event"
	"almanac/scenarios"
)

// remembering is a setup that asks a workflow memory first.
type remembering struct{ *sample.Solver }

func (s remembering) Solve(ctx context.Context, job eval.Job, sink event.Sink) error {
	hit := &event.MemoryHit{State: event.MemoryEmpty}
	if strings.HasSuffix(job.Task.Task.ID, "1") {
		hit = &event.MemoryHit{Entry: "memory/warmest-month-03", Score: 0.7, State: event.MemorySeeded}
	}
	if strings.HasSuffix(job.Task.Task.ID, "5") {
		hit = &event.MemoryHit{Entry: "memory/" + job.Task.Task.ID, Score: 1, State: event.MemorySeeded} // it must not be there
	}
	if _, err := sink.Emit(event.Event{Type: event.TypeMemoryHit, Agent: "engine", Body: hit}); err != nil {
		return err
	}
	return s.Solver.Solve(ctx, job, sink)
}

// many are tasks of several tracks, domains and levels.
func many(n int) []eval.Task {
	tasks := sample.Tasks(n, true)
	for i := range tasks {
		t := &tasks[i].Task
		t.Template = fmt.Sprintf("template-%02d", i*2/3)
		t.Level = i % 4
		t.Domains = [][]string{{"ocean"}, {"atmosphere"}, {"ocean", "land"}}[i%3]
		if i%5 == 0 {
			t.Track = scenarios.Simulation
		}
		for range []int{0, 8, 40, 90}[i%4] {
			t.Tools = append(t.Tools, fmt.Sprintf("tool.%d", len(t.Tools)))
		}
	}
	return tasks
}

// contenders are as many setups as a run may well have, with quality and tokens spread over what is seen in practice.
func contenders(models ...string) []eval.Arm {
	names := []struct {
		setup  string
		tokens int64
		good   int // of ten
	}{{"none", 150, 1}, {"search", 0, 7}, {"squad", 1800, 8}, {"single", 5200, 5}, {"single-sc", 20400, 6}, {"single+ts", 3100, 5},
		{"single+wm", 5600, 6}, {"plan-execute", 7400, 4}, {"chameleon", 2600, 3}, {"magentic", 31000, 5}, {"geollm-squad", 11800, 6},
		{"langchain", 9000, 4}, {"oracle", 0, 10}}
	var arms []eval.Arm
	for m, model := range models {
		for k, n := range names {
			if n.tokens == 0 && m > 0 {
				continue // setups without a model stand once
			}
			s := &sample.Solver{Tokens: n.tokens - int64(m)*n.tokens/3, Quality: func(task string, repeat int) sample.Quality {
				i := 0
				_, _ = fmt.Sscanf(task, "mean-sst-%d", &i)
				if (i*7+k*3+m+repeat*(i%3))%10 < n.good {
					return sample.Right
				}
				return []sample.Quality{sample.Wrong, sample.Guess, sample.Broken, sample.Declines}[(i+k)%4]
			}}
			arm := eval.Arm{Arm: runlog.Arm{Setup: n.setup}, Solver: s}
			if n.tokens > 0 {
				arm.Model = model
			}
			switch n.setup {
			case "single-sc":
				arm.Note = "draws 4 samples: the tokens of squad, measured on dev"
			case "single+wm":
				arm.Solver = remembering{s}
			}
			arms = append(arms, arm)
		}
	}
	return arms
}

// memory is a log that is kept nowhere.
type memory struct {
	events []event.Event
	now    time.Time
}

func (m *memory) Emit(e event.Event) (int64, error) {
	m.now = m.now.Add(40 * time.Millisecond)
	e.Seq, e.Time = int64(len(m.events)+1), m.now
	m.events = append(m.events, e)
	return e.Seq, nil
}

// runOf plays a run with repeats, and writes what a run's folder has of results into a folder.
func runOf(t testing.TB, tasks []eval.Task, arms []eval.Arm, repeats int, models ...string) (string, *eval.Results) {
	t.Helper()
	m := runlog.Manifest{ID: "crowded", Version: "v0.1.0", Commit: "abc1234", Go: "go1.26", Created: time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC),
		Status: runlog.Complete, Suite: runlog.Suite{Name: "crowded", Hash: strings.Repeat("5a", 32)}, Seed: 7, Repeats: repeats, Host: runlog.Host{OS: "linux", Arch: "amd64", CPUs: 2}}
	for i, name := range models {
		m.Models = append(m.Models, runlog.Model{Name: name, Digest: strings.Repeat("c0", 32), Quantisation: "Q4_K_M", Server: "0.17.4", Context: 8192 * (i + 1)})
	}
	log := &memory{now: m.Created}
	for _, a := range arms {
		m.Arms = append(m.Arms, a.Arm)
		for i := range tasks {
			for repeat := range repeats {
				play(t, log, a, &tasks[i], repeat)
			}
		}
	}
	r, err := eval.Summarise(m, tasks, log.events)
	if err != nil {
		t.Fatal(err)
	}
	return kept(t, r), r
}

// brokenServer is a setup whose server is gone for the first tasks.
type brokenServer struct {
	eval.Solver
	tasks int
}

var errServer = errors.New("connection refused")

func (s brokenServer) Solve(ctx context.Context, job eval.Job, sink event.Sink) error {
	i := 0
	_, _ = fmt.Sscanf(job.Task.Task.ID, "mean-sst-%d", &i)
	if i < s.tasks {
		return errServer
	}
	return s.Solver.Solve(ctx, job, sink)
}

// harnessed is a comparison of squad with single on some tasks, with squad's server gone for the first of them.
func harnessed(t testing.TB, tasks, gone int) (string, *eval.Results) {
	t.Helper()
	arms := sample.Arms(nil)[1:]
	arms[0].Solver = brokenServer{arms[0].Solver, gone}
	return runOf(t, sample.Tasks(tasks, false), arms, 1, "scripted:sample")
}

func play(t testing.TB, log *memory, a eval.Arm, task *eval.Task, repeat int) {
	t.Helper()
	id := eval.EpisodeID(a.Arm, task.Task.ID, repeat)
	sink := inEpisode{log, id}
	begun := log.now
	emit := func(kind event.Type, body any) {
		if _, err := sink.Emit(event.Event{Type: kind, Body: body}); err != nil {
			t.Fatal(err)
		}
	}
	emit(event.TypeEpisodeStart, &event.EpisodeStart{Setup: a.Setup, Model: a.Model, Task: task.Task.ID, Repeat: repeat, Attempt: 1})
	outcome, reason := event.Answered, ""
	switch err := a.Solver.Solve(context.Background(), eval.Job{ID: id, Task: task, Repeat: repeat}, sink); {
	case errors.Is(err, errServer):
		outcome, reason = event.Harness, err.Error()
	case err != nil:
		t.Fatal(err)
	}
	emit(event.TypeEpisodeEnd, &event.EpisodeEnd{Outcome: outcome, Reason: reason, Seconds: log.now.Sub(begun).Seconds(), QueueSeconds: 0.01})
}

type inEpisode struct {
	log *memory
	id  string
}

func (s inEpisode) Emit(e event.Event) (int64, error) {
	e.Episode = s.id
	return s.log.Emit(e)
}

// kept writes the figures beside where the report will be; with ALMANAC_REPORT_DIR all of it is kept, to be looked at.
func kept(t testing.TB, r *eval.Results) string {
	t.Helper()
	dir := t.TempDir()
	if keep := os.Getenv("ALMANAC_REPORT_DIR"); keep != "" {
		dir = filepath.Join(keep, t.Name())
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, f := range map[string]func() ([]byte, error){"results.json": r.JSON, "timings.json": r.TimingsJSON} {
		data, err := f()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Every part of the report has content where the run has it.
func TestCrowdedReport(t *testing.T) {
	dir, r := runOf(t, many(24), contenders("scripted:a"), 1, "scripted:a")
	if err := Write(dir, r); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "report.html"))
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for _, want := range []string{
		"<li>single-sc: draws 4 samples",     // a difference other than the setup
		`class="matched"`,                    // a control beside what it is matched with
		"2 intervene", "ocean", "simulation", // kinds of task
		"11–50", "51–100", "Recall@10", "→ data", // tools, who called whom
		"memory/mean-sst-05", // a leak
		`<table class="trio">`, `<td class="call hit"`, `class="graph"`, `class="node done"`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %q", want)
		}
	}
}

func TestSeveralModelsAndRepeats(t *testing.T) {
	var few []eval.Arm
	for _, a := range contenders("scripted:a", "scripted:b") {
		if slices.Contains([]string{"search", "squad", "single", "single-sc"}, a.Setup) {
			few = append(few, a)
		}
	}
	dir, r := runOf(t, many(5), few, 3, "scripted:a", "scripted:b")
	if err := Write(dir, r); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "report.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"With scripted:a, ", "With scripted:b: ", "squad · scripted:b", "The models differ in context size", "repeat 3"} {
		if !strings.Contains(string(data), want) {
			t.Errorf("the report lacks %q", want)
		}
	}
}
