package eval_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"almanac/eval"
	"almanac/eval/internal/sample"
	"almanac/eval/runlog"
	"almanac/orchestrator/event"
	"almanac/toolkits/artifact"
)

// twoModels are the sample's arms, those with a model once on each of two.
func twoModels(arms []eval.Arm) []eval.Arm {
	var out []eval.Arm
	for _, a := range arms {
		if a.Model == "" {
			out = append(out, a)
			continue
		}
		for _, model := range []string{"scripted:one", "scripted:two"} {
			b := a
			b.Model = model
			out = append(out, b)
		}
	}
	return out
}

// begun notes what episodes do, in the order in which they are begun, and how many are under way at the same time.
type begun struct {
	mu    sync.Mutex
	order []string
	now   map[string]int
	most  map[string]int
}

func watch(arms []eval.Arm, took time.Duration) *begun {
	b := &begun{now: map[string]int{}, most: map[string]int{}}
	for i := range arms {
		arms[i].Solver = &timed{arms[i], b, took}
	}
	return b
}

// timed lets an episode take its time, of the fake clock of a test.
type timed struct {
	eval.Arm
	b    *begun
	took time.Duration
}

func (s *timed) Solve(ctx context.Context, job eval.Job, sink event.Sink) error {
	s.b.mu.Lock()
	s.b.order = append(s.b.order, strings.TrimSpace(s.Model+" "+s.Setup))
	s.b.now[s.Model]++
	total := 0
	for _, n := range s.b.now {
		total += n
	}
	s.b.most[s.Model] = max(s.b.most[s.Model], total)
	s.b.mu.Unlock()
	defer func() {
		s.b.mu.Lock()
		s.b.now[s.Model]--
		s.b.mu.Unlock()
	}()
	select {
	case <-time.After(s.took):
	case <-ctx.Done():
		return ctx.Err()
	}
	return s.Solver.Solve(ctx, job, sink)
}

// Setups without a model go first and on every core; then one model after the other, setup by setup.
func TestEpisodesAreGroupedByModelAndSetup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, arms := fresh(t, 2)
		arms = twoModels(arms)
		slices.Reverse(arms) // single two, single one, squad two, squad one, search
		b := watch(arms, time.Second)
		mustRun(t, f, &runlog.Events{}, sample.Tasks(4, false), arms, eval.Options{Parallel: 2, Free: 8})
		var groups []string
		for _, name := range b.order {
			if len(groups) == 0 || groups[len(groups)-1] != name {
				groups = append(groups, name)
			}
		}
		want := []string{"search", "scripted:two single", "scripted:two squad", "scripted:one single", "scripted:one squad"}
		if !slices.Equal(groups, want) {
			t.Errorf("begun in the order %q", groups)
		}
		if b.most[""] != 8 || b.most["scripted:one"] != 2 || b.most["scripted:two"] != 2 {
			t.Errorf("at the same time: %v", b.most)
		}
	})
}

// A run with repeats, two models and several episodes at the same time, cut off again and again at times of chance,
// ends with the bytes of one that was left alone. The clock is the test's: an episode takes a second.
func TestInterruptedAgainAndAgainGivesTheSameBytes(t *testing.T) {
	tasks := sample.Tasks(3, true)
	synctest.Test(t, func(t *testing.T) {
		f, arms := fresh(t, 3)
		mustRun(t, f, &runlog.Events{}, tasks, twoModels(arms), eval.Options{})
		want := read(t, f, "results.json")
		for seed := range uint64(4) {
			rng := rand.New(rand.NewPCG(seed, 1))
			dir := filepath.Join(t.TempDir(), "run")
			g, err := runlog.Create(dir, manifest(3))
			if err != nil {
				t.Fatal(err)
			}
			events, resumed := &runlog.Events{}, 0
			for {
				arms := twoModels(storedArms(t, g))
				watch(arms, time.Second)
				ctx, cancel := context.WithTimeoutCause(t.Context(), time.Duration(1500+rng.IntN(5000))*time.Millisecond, errors.New("killed"))
				_, err := eval.Run(ctx, g, events, tasks, arms, eval.Options{Parallel: 3, Free: 2})
				cancel()
				g.Close()
				if err == nil {
					break
				}
				if resumed++; resumed > 50 {
					t.Fatal("the run never ends")
				}
				tear(t, dir, rng)
				if g, events, err = runlog.Resume(dir); err != nil {
					t.Fatal(err)
				}
			}
			got, err := os.ReadFile(filepath.Join(dir, "results.json"))
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("seed %d: results.json differs after %d interruptions (%v)", seed, resumed, err)
			}
			if resumed < 2 {
				t.Errorf("seed %d: interrupted %d times only", seed, resumed)
			}
		}
	})
}

// tear cuts up to 400 bytes off the log, as a kill in the middle of a write does.
func tear(t *testing.T, dir string, rng *rand.Rand) {
	t.Helper()
	path := filepath.Join(dir, "events.jsonl")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, max(0, info.Size()-int64(rng.IntN(400)))); err != nil {
		t.Fatal(err)
	}
}

// squad takes 1800 tokens an episode: the third is begun at 3600 of 5000, the fourth is not at 5400.
func TestTotalBudgetOfTokens(t *testing.T) {
	tasks := sample.Tasks(5, false)
	f, arms := fresh(t, 1)
	arms = arms[1:2]
	out, err := eval.Run(t.Context(), f, &runlog.Events{}, tasks, arms, eval.Options{Total: eval.Total{Tokens: 5000}})
	if !errors.Is(err, eval.ErrTotal) || !strings.Contains(err.Error(), "5400 of 5000 tokens") {
		t.Fatalf("%v", err)
	}
	want := []string{"squad (scripted:sample): mean-sst-03, repeat 0", "squad (scripted:sample): mean-sst-04, repeat 0"}
	if !slices.Equal(out.Results.Unstarted, want) || out.Ran != 3 || f.Manifest.Status != runlog.Stopped {
		t.Errorf("ran %d, status %s, unstarted %q", out.Ran, f.Manifest.Status, out.Results.Unstarted)
	}
	if !bytes.Contains(read(t, f, "results.json"), []byte("mean-sst-04, repeat 0")) {
		t.Error("results.json does not name what was not begun")
	}
	f.Close()
	// The same budget again: nothing is begun. More: the run goes on, and ends as if it had never been stopped.
	g, events, err := runlog.Resume(f.Dir)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	out, err = eval.Run(t.Context(), g, events, tasks, arms, eval.Options{Total: eval.Total{Tokens: 5000}})
	if !errors.Is(err, eval.ErrTotal) || out.Ran != 0 {
		t.Errorf("the same budget again: %v", err)
	}
	if events, err = g.Events(); err != nil {
		t.Fatal(err)
	}
	mustRun(t, g, events, tasks, arms, eval.Options{Total: eval.Total{Tokens: 9001}})
	h, _ := fresh(t, 1)
	mustRun(t, h, &runlog.Events{}, tasks, arms, eval.Options{})
	if !bytes.Equal(read(t, g, "results.json"), read(t, h, "results.json")) {
		t.Error("results.json differs from that of a run that was not stopped")
	}
}

// Four episodes a minute long, two at a time, and 90 s: the second pair is begun at 60 s, nothing after 120 s.
func TestTotalBudgetOfTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, arms := fresh(t, 1)
		arms = arms[1:2]
		watch(arms, time.Minute)
		out, err := eval.Run(t.Context(), f, &runlog.Events{}, sample.Tasks(6, false), arms,
			eval.Options{Parallel: 2, Total: eval.Total{Time: 90 * time.Second}})
		if !errors.Is(err, eval.ErrTotal) || out.Ran != 4 || len(out.Results.Unstarted) != 2 {
			t.Errorf("%+v, %v", out, err)
		}
	})
}

// Tokens of an attempt that the harness cut off count against the total: they were spent.
func TestTotalBudgetCountsAbandonedAttempts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, arms := fresh(t, 1)
		arms = arms[1:2]
		arms[0].Solver.(*sample.Solver).Before = func(job eval.Job, n int) error {
			if job.Attempt == 1 && n == 6 { // after the model's reply
				return errDown
			}
			return nil
		}
		out, err := eval.Run(t.Context(), f, &runlog.Events{}, sample.Tasks(3, false), arms,
			eval.Options{Harness: isDown, Total: eval.Total{Tokens: 3600}})
		if !errors.Is(err, eval.ErrTotal) || out.Ran != 1 {
			t.Errorf("%+v, %v", out, err)
		}
	})
}

// Time left: each of the four episodes of squad takes 10 s, so 30 s are left after the first; single is not known yet and
// taken to be like squad.
func TestTimeLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, arms := fresh(t, 1)
		watch(arms[:1], 0)
		watch(arms[1:2], 10*time.Second)
		watch(arms[2:], 40*time.Second)
		var left []string
		mustRun(t, f, &runlog.Events{}, sample.Tasks(2, false), arms, eval.Options{Progress: func(p eval.Progress) {
			left = append(left, fmt.Sprintf("%s %s", p.Setup, p.Left))
		}})
		want := []string{"search 0s", "search 0s", "squad 30s", "squad 20s", "single 40s", "single 0s"}
		if !slices.Equal(left, want) {
			t.Errorf("%q", left)
		}
	})
}

// A store that cannot be written is no failure of the setup: the run stops, what is finished is kept, and it goes on later.
func TestStoreThatCannotBeWrittenStopsTheRun(t *testing.T) {
	tasks := sample.Tasks(4, false)
	f, arms := fresh(t, 1)
	arms = arms[1:2]
	full := &artifact.WriteError{Op: "storing", Err: errors.New("no space left on device")}
	solver := arms[0].Solver.(*sample.Solver)
	solver.Before = func(job eval.Job, n int) error {
		if job.Task.Task.ID == "mean-sst-02" && n == 5 {
			return fmt.Errorf("episode: keeping the result of data.open: %w", full)
		}
		return nil
	}
	_, err := eval.Run(t.Context(), f, &runlog.Events{}, tasks, arms, eval.Options{})
	if !eval.Unwritable(err) || f.Manifest.Status != runlog.Stopped {
		t.Fatalf("status %s: %v", f.Manifest.Status, err)
	}
	f.Close()
	solver.Before = nil
	g, events, err := runlog.Resume(f.Dir)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if out := mustRun(t, g, events, tasks, arms, eval.Options{}); out.Ran != 2 || setup(t, out.Results, "squad").HarnessErrors != 0 {
		t.Errorf("ran %d", out.Ran)
	}
}
