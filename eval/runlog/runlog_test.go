package runlog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"almanac/orchestrator/event"

	"github.com/google/go-cmp/cmp"
)

func start(id string, attempt int) event.Event {
	return event.Event{Episode: id, Type: event.TypeEpisodeStart, Body: &event.EpisodeStart{Setup: "squad", Task: id, Attempt: attempt}}
}

func end(id, outcome string) event.Event {
	return event.Event{Episode: id, Type: event.TypeEpisodeEnd, Body: &event.EpisodeEnd{Outcome: outcome}}
}

func call(id, tool string) event.Event {
	return event.Event{Episode: id, Type: event.TypeToolCall, Body: &event.ToolCall{ID: tool, Tool: tool}}
}

func emit(t *testing.T, l *Log, events ...event.Event) {
	t.Helper()
	for _, e := range events {
		if _, err := l.Emit(e); err != nil {
			t.Fatal(err)
		}
	}
}

func newRun(t *testing.T) *Folder {
	t.Helper()
	f, err := Create(filepath.Join(t.TempDir(), "run"), Manifest{ID: "r", Suite: Suite{Name: "demo"}})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestCreateEmitOpen(t *testing.T) {
	f := newRun(t)
	emit(t, f.Log(), start("a", 1), call("a", "data.open"), end("a", event.Answered))
	if err := f.SetStatus(Complete, ""); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	g, events, err := Open(f.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if g.Manifest.Status != Complete || events.Torn != 0 || len(events.List) != 3 {
		t.Errorf("status %s, %d events, torn %d", g.Manifest.Status, len(events.List), events.Torn)
	}
	for i, e := range events.List {
		if e.Seq != int64(i+1) || e.Time.IsZero() {
			t.Errorf("event %d has number %d and time %v", i, e.Seq, e.Time)
		}
	}
	if got := events.List[1].Body.(*event.ToolCall).Tool; got != "data.open" {
		t.Errorf("tool %q", got)
	}
}

// A kill at any byte of the log: what is whole is kept, the rest is cut off and said so, and the log goes on.
func TestResumeAtEveryByte(t *testing.T) {
	f := newRun(t)
	emit(t, f.Log(), start("a", 1), call("a", "data.open"), end("a", event.Answered), start("b", 1), call("b", "gis.area"))
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(f.Dir, logName)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	ends := int64(bytes.Index(whole, []byte("episode_end")))
	ends += int64(bytes.IndexByte(whole[ends:], '\n')) + 1
	for n := int64(0); n <= int64(len(whole)); n++ {
		if err := os.WriteFile(path, whole[:n], 0o644); err != nil {
			t.Fatal(err)
		}
		g, events, err := Resume(f.Dir)
		if err != nil {
			t.Fatalf("cut at byte %d: %v", n, err)
		}
		lines := bytes.Count(whole[:n], []byte("\n"))
		if len(events.List) != lines || g.Dropped != n-events.Size {
			t.Fatalf("cut at byte %d: %d events of %d, dropped %d", n, len(events.List), lines, g.Dropped)
		}
		finished := 0
		for _, ep := range Episodes(events.List) {
			if a := ep.Final(); a != nil && a.Counts() {
				finished++
			}
		}
		if want := map[bool]int{true: 1, false: 0}[n >= ends]; finished != want {
			t.Fatalf("cut at byte %d: %d finished episodes, want %d", n, finished, want)
		}
		emit(t, g.Log(), start("c", 1))
		if err := g.Close(); err != nil {
			t.Fatal(err)
		}
		if again, err := ReadEvents(path); err != nil || len(again.List) != lines+1 {
			t.Fatalf("cut at byte %d, then one more event: %v", n, err)
		}
	}
}

func TestPowerCutLeavesZeros(t *testing.T) {
	f := newRun(t)
	emit(t, f.Log(), start("a", 1))
	f.Close()
	path := filepath.Join(f.Dir, logName)
	whole, _ := os.ReadFile(path)
	for _, tail := range []string{"\x00\x00\x00", "\x00\x00\n"} {
		if err := os.WriteFile(path, append(bytes.Clone(whole), tail...), 0o644); err != nil {
			t.Fatal(err)
		}
		events, err := ReadEvents(path)
		if err != nil || len(events.List) != 1 || events.Torn != int64(len(tail)) {
			t.Errorf("%q: %+v, %v", tail, events, err)
		}
	}
}

func TestDamageInTheMiddleIsAnError(t *testing.T) {
	f := newRun(t)
	emit(t, f.Log(), start("a", 1), end("a", event.Answered), start("b", 1))
	f.Close()
	path := filepath.Join(f.Dir, logName)
	whole, _ := os.ReadFile(path)
	lines := bytes.SplitAfter(whole, []byte("\n"))
	cases := map[string][]byte{
		"line 2": bytes.Join([][]byte{lines[0], []byte("{\"seq\":2,\n"), lines[2]}, nil),
		"line 3": bytes.Join([][]byte{lines[0], lines[1], lines[1]}, nil),
	}
	for want, data := range cases {
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		_, _, err := Resume(f.Dir)
		if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
		if now, _ := os.ReadFile(path); !bytes.Equal(now, data) {
			t.Errorf("%s: the log was changed", want)
		}
	}
}

func TestFieldB23CorruptCheckpoint(t *testing.T) {
	f := newRun(t)
	emit(t, f.Log(), start("a", 1), end("a", event.Answered))
	if err := f.SetStatus(Interrupted, "ctrl-c"); err != nil {
		t.Fatal(err)
	}
	f.Close()
	path := filepath.Join(f.Dir, manifestName)
	good, _ := os.ReadFile(path)
	half := good[:len(good)/2]
	if err := os.WriteFile(path, half, 0o644); err != nil {
		t.Fatal(err)
	}
	_, _, err := Resume(f.Dir)
	if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), backupName) {
		t.Errorf("resume: %v", err)
	}
	if _, err := Create(f.Dir, Manifest{}); !errors.Is(err, ErrExists) {
		t.Errorf("create over it: %v", err)
	}
	if now, _ := os.ReadFile(path); !bytes.Equal(now, half) {
		t.Error("the damaged file was overwritten")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Resume(f.Dir); !errors.Is(err, ErrDamaged) {
		t.Errorf("a run whose manifest is gone: %v", err)
	}
	if backup, err := decodeManifest(filepath.Join(f.Dir, backupName)); err != nil || backup.ID != "r" {
		t.Errorf("the backup: %+v, %v", backup, err)
	}
}

// A log that is gone is no beginning where the manifest says that the run came to its end.
func TestFieldB23LogOfAFinishedRunIsGone(t *testing.T) {
	f := newRun(t)
	emit(t, f.Log(), start("a", 1), end("a", event.Answered))
	path := filepath.Join(f.Dir, logName)
	if err := errors.Join(f.SetStatus(Complete, ""), f.Close(), os.Remove(path)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Resume(f.Dir); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), path) {
		t.Error(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a new log was begun: %v", err)
	}
}

func TestSecondProcessIsRefused(t *testing.T) {
	f := newRun(t)
	if _, _, err := Resume(f.Dir); !errors.Is(err, ErrLocked) {
		t.Errorf("resume of a locked run: %v", err)
	}
	if _, _, err := Open(f.Dir); err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Errorf("reading a locked run: %v", err)
	}
	f.Close()
	g, _, err := Resume(f.Dir)
	if err != nil {
		t.Fatal(err)
	}
	g.Close()
}

func TestSchemaIsRefusedByName(t *testing.T) {
	f := newRun(t)
	f.Close()
	m := f.Manifest
	m.Schema = 7
	data, _ := json.Marshal(m)
	if err := os.WriteFile(filepath.Join(f.Dir, manifestName), data, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Resume(f.Dir); !errors.Is(err, ErrSchema) || !strings.Contains(err.Error(), "schema 7") {
		t.Errorf("%v", err)
	}
	g := newRun(t)
	emit(t, g.Log(), event.Event{Type: event.TypeRunStart, Body: &event.RunStart{Schema: 9}})
	g.Close()
	if _, _, err := Open(g.Dir); !errors.Is(err, ErrSchema) || !strings.Contains(err.Error(), "schema 9") {
		t.Errorf("%v", err)
	}
}

func TestNotANumberNeverReachesTheFile(t *testing.T) {
	f := newRun(t)
	defer f.Close()
	_, err := f.Log().Emit(event.Event{Type: event.TypeBudget, Body: &event.Budget{Used: math.NaN()}})
	if err == nil {
		t.Fatal("NaN was written")
	}
	emit(t, f.Log(), start("a", 1))
	if events, err := ReadEvents(filepath.Join(f.Dir, logName)); err != nil || events.LastSeq() != 1 {
		t.Errorf("after a refused event: %v", err)
	}
}

// The file is closed underneath, as a full disk would refuse the write: the log refuses everything after it.
func TestFailedWriteIsFinal(t *testing.T) {
	f := newRun(t)
	emit(t, f.Log(), start("a", 1), end("a", event.Answered))
	f.log.file.Close()
	for range 2 {
		if _, err := f.Log().Emit(start("b", 1)); !errors.Is(err, ErrClosed) {
			t.Errorf("%v", err)
		}
	}
	f.release()
	g, events, err := Resume(f.Dir)
	if err != nil || len(events.List) != 2 {
		t.Fatalf("%d events, %v", len(events.List), err)
	}
	g.Close()
}

func TestAttempts(t *testing.T) {
	list := []event.Event{
		start("a", 1), call("a", "one"), // cut off
		start("a", 2), start("b", 1), call("a", "two"), call("b", "x"), end("b", event.Harness), end("a", event.Answered),
		start("b", 2), call("b", "y"), end("b", event.Partial),
		start("a", 3), end("a", event.Harness), // a later failure of the harness does not undo a finished attempt
		start("c", 1), end("c", event.Cancelled),
	}
	got := map[string]string{}
	for _, ep := range Episodes(list) {
		a := ep.Final()
		got[ep.ID] = fmt.Sprint(a.Start.Attempt, " ", a.End.Outcome, " ", len(a.Events), " ", len(ep.Abandoned()), " ", a.Counts())
	}
	want := map[string]string{"a": "2 answered 1 2 true", "b": "2 partial 1 1 true", "c": "1 cancelled 0 0 false"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestMessagesArePooled(t *testing.T) {
	f := newRun(t)
	defer f.Close()
	a, err := f.PutMessage([]byte("hello"))
	if err != nil {
		t.Fatal(err)
	}
	if b, _ := f.PutMessage([]byte("hello")); a != b {
		t.Error("one message has two hashes")
	}
	// SHA-256 of "hello", from coreutils sha256sum.
	if a != "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824" {
		t.Errorf("hash %s", a)
	}
	if err := os.WriteFile(f.messagePath(a), []byte("hell"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Message(a); !errors.Is(err, ErrDamaged) {
		t.Errorf("a changed message: %v", err)
	}
}

func TestSafeNames(t *testing.T) {
	seen := map[string]string{}
	for _, id := range []string{"squad.area-kenya~1", "a/b", "a\\b", "a:b", "..", "", "ünï", strings.Repeat("x", 300)} {
		name := SafeName(id)
		if other, ok := seen[name]; ok || strings.ContainsAny(name, "/\\: ") || strings.HasPrefix(name, ".") || len(name) > 160 || name == "" {
			t.Errorf("%q is named %q like %q", id, name, other)
		}
		seen[name] = id
	}
}

func TestParallelWriters(t *testing.T) {
	f := newRun(t)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			if _, err := f.Log().Emit(start(fmt.Sprint(i), 1)); err != nil {
				t.Error(err)
			}
			for j := range 49 {
				if _, err := f.Log().Emit(call(fmt.Sprint(i), fmt.Sprint(j))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	f.Close()
	if _, events, err := Open(f.Dir); err != nil || events.LastSeq() != 400 {
		t.Errorf("%v", err)
	}
}

func BenchmarkEmit(b *testing.B) {
	f, err := Create(filepath.Join(b.TempDir(), "run"), Manifest{})
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	e := event.Event{Episode: "squad.area-kenya.0", Type: event.TypeStep, Agent: "engine", Body: &event.Step{Step: "zone", State: "done", Item: -1}}
	for b.Loop() {
		if _, err := f.Log().Emit(e); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
}

func FuzzReadEvents(f *testing.F) {
	f.Add([]byte(`{"seq":1,"time":"2026-01-01T00:00:00Z","type":"step","body":{"step":"a"}}` + "\n"))
	f.Add([]byte("\x00\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		events, err := readEvents(bytes.NewReader(data), "log")
		if err == nil && events.Size+events.Torn != int64(len(data)) {
			t.Fatalf("%d bytes read as %d and %d torn", len(data), events.Size, events.Torn)
		}
	})
}
