package executor_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"almanac/orchestrator/episode"
	"almanac/orchestrator/event"
	"almanac/orchestrator/executor"
	"almanac/orchestrator/schedule"
	"almanac/toolkits"
	"almanac/toolkits/artifact"
	"almanac/toolkits/compute"

	"github.com/google/go-cmp/cmp"
)

type in struct {
	X     toolkits.Quantity   `arg:"x,optional" doc:"a number"`
	All   []toolkits.Quantity `arg:"all,optional" doc:"numbers"`
	Wait  float64             `arg:"wait" default:"0" doc:"seconds that it takes"`
	Fails int                 `arg:"fails" default:"0" doc:"times that it fails first; -1 for ever, -2 for good"`
	Label string              `arg:"label,optional" doc:"tells calls apart"`
}

type out struct {
	Value toolkits.Quantity `out:"value" unit:"?" doc:"x + 1"`
	List  []float64         `out:"list" unit:"1" doc:"1, 2, 3"`
	Count int               `out:"count" unit:"1" doc:"x as a count"`
}

type check struct {
	Passed bool   `out:"passed" doc:"whether"`
	Reason string `out:"reason" doc:"why"`
}

// bench is a set of tools whose duration and faults are known.
type bench struct {
	mu    sync.Mutex
	runs  []string
	fails map[string]int
}

func (b *bench) step(ctx context.Context, in in) (out, error) {
	b.mu.Lock()
	b.runs = append(b.runs, in.Label)
	b.fails[in.Label]++
	n := b.fails[in.Label]
	b.mu.Unlock()
	if in.Wait > 0 {
		select {
		case <-time.After(time.Duration(in.Wait * float64(time.Second))):
		case <-ctx.Done():
			return out{}, ctx.Err()
		}
	}
	switch {
	case in.Fails == -1 || in.Fails > 0 && n <= in.Fails:
		return out{}, toolkits.Errorf(toolkits.Unavailable, "try again")
	case in.Fails == -2:
		return out{}, toolkits.Errorf(toolkits.OutOfDomain, "layer not found")
	}
	unit := in.X.Unit
	if unit == "" {
		unit = "1"
	}
	sum := in.X.Value + 1
	for _, q := range in.All {
		sum += q.Value
	}
	return out{Value: toolkits.Quantity{Value: sum, Unit: unit}, List: []float64{1, 2, 3}, Count: int(in.X.Value)}, nil
}

type checkIn struct {
	Value toolkits.Quantity `arg:"value" doc:"what is checked"`
	High  float64           `arg:"high" doc:"limit"`
}

func (b *bench) tools() []*toolkits.Tool {
	doc := toolkits.Doc{Group: "Test", Purpose: "for tests"}
	return append(compute.Toolkit(),
		toolkits.New("lab.step", b.step, doc),
		toolkits.New("lab.below", func(_ context.Context, in checkIn) (check, error) {
			return check{in.Value.Value < in.High, "compared"}, nil
		}, doc),
	)
}

// sink keeps events and can fail at the n-th.
type sink struct {
	mu     sync.Mutex
	events []event.Event
	failAt int
}

var errDisk = errors.New("no space left on device")

func (s *sink) Emit(e event.Event) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failAt > 0 && len(s.events)+1 >= s.failAt {
		return 0, errDisk
	}
	e.Seq = int64(len(s.events) + 1)
	s.events = append(s.events, e)
	return e.Seq, nil
}

type lab struct {
	*bench
	sink *sink
	ep   *episode.Episode
}

func newLab(t testing.TB, budget episode.Budget) *lab {
	t.Helper()
	b := &bench{fails: map[string]int{}}
	reg, err := toolkits.NewRegistry(b.tools()...)
	if err != nil {
		t.Fatal(err)
	}
	store, err := artifact.Open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	s := &sink{}
	ep := episode.New(episode.Request{Task: "t"}, reg, &toolkits.Env{Store: store}, s, episode.Options{ID: "e", Budget: budget})
	return &lab{b, s, ep}
}

func program(t testing.TB, text string) *schedule.Program {
	t.Helper()
	p, problems := schedule.Parse(text)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return p
}

func (l *lab) run(t testing.TB, text string, opts *executor.Options) *executor.Result {
	t.Helper()
	res, err := executor.Run(context.Background(), l.ep, program(t, text), nil, opts)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func states(res *executor.Result) map[string]string {
	m := map[string]string{}
	for _, s := range res.Steps {
		m[s.Name] = s.State
	}
	return m
}

func values(res *executor.Result) map[string]any {
	m := map[string]any{}
	for _, f := range res.Answer {
		m[f.Key] = f.Value
	}
	return m
}

// Each value is counted by hand: a step adds one to x.
func TestLanguage(t *testing.T) {
	for name, tt := range map[string]struct {
		text   string
		states map[string]string
		values map[string]any
	}{
		"chain": {
			"a = lab.step(x=1)\nb = lab.step(x=a.value)\nanswer(r=b.value)",
			map[string]string{"a": "done", "b": "done"}, map[string]any{"r": 3.0},
		},
		"guard taken and not": {
			"a = lab.step(x=1)\nb = lab.step(x=10) if a.value > 1 else None\nc = lab.step(x=20) if a.value > 5 else None\nd = lab.step(x=c.value)\n" +
				"f = first(c, b)\nanswer(r=f.value, s=d.value)",
			map[string]string{"a": "done", "b": "done", "c": "skipped", "d": "skipped", "f": "done"}, map[string]any{"r": 11.0, "s": nil},
		},
		"map, a list and its last item": {
			"a = lab.step(x=1)\nm = [lab.step(x=y) for y in a.list]\ntop = max(m.value)\nl = lab.step(x=m.value[-1])\nanswer(r=top, s=l.value)",
			map[string]string{"a": "done", "m": "done", "top": "done", "l": "done"}, map[string]any{"r": 4.0, "s": 5.0},
		},
		"expression and choice": {
			"a = lab.step(x=1)\nb = lab.step(x=7)\nc = (b.value - a.value) / 2\nw = \"A\" if a.value > b.value else \"B\"\nt = a.value < 3\nanswer(c=c, w=w, t=t)",
			map[string]string{"a": "done", "b": "done", "c": "done", "w": "done", "t": "done"}, map[string]any{"c": 3.0, "w": "B", "t": true},
		},
		"failed, cancelled, the rest stands": {
			"a = lab.step(x=1, label=\"a\")\nb = lab.step(fails=-2, label=\"b\")\nc = lab.step(x=b.value)\nf = first(b, a)\nanswer(r=a.value, s=c.value)",
			map[string]string{"a": "done", "b": "failed", "c": "cancelled", "f": "cancelled"}, map[string]any{"r": 2.0, "s": nil},
		},
	} {
		t.Run(name, func(t *testing.T) {
			res := newLab(t, episode.Budget{}).run(t, tt.text, nil)
			if d := cmp.Diff(tt.states, states(res)); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(tt.values, values(res)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestMapTooLongIsAnErrorNotACut(t *testing.T) {
	res := newLab(t, episode.Budget{}).run(t, "a = lab.step(x=1)\nm = [lab.step(x=y) for y in a.list]\nanswer(r=a.value)", &executor.Options{MaxMap: 2})
	if states(res)["m"] != "failed" || res.Failures[0].Code != "too_large" {
		t.Errorf("%+v", res)
	}
}

// A tool that fails is a failed step; what needs it is cancelled and says why; nothing looks like success.
func TestFieldB08FailureIsNoSuccess(t *testing.T) {
	l := newLab(t, episode.Budget{})
	res := l.run(t, "a = lab.step(fails=-2, label=\"a\")\nb = lab.step(x=a.value)\nanswer(r=b.value)", nil)
	if f := res.Answer[0]; f.Value != nil || !strings.Contains(f.Reason, "cancelled") {
		t.Errorf("%+v", f)
	}
	if s := res.Steps[1]; s.State != "cancelled" || !strings.Contains(s.Reason, "layer not found") {
		t.Errorf("%+v", s)
	}
}

// Two steps that both make a value keep them apart; a hundred runs give the same.
func TestFieldB15SameNameOfTwoSteps(t *testing.T) {
	l := newLab(t, episode.Budget{})
	for range 100 {
		res := l.run(t, "p1 = lab.step(x=0)\np2 = lab.step(x=1)\nanswer(a=p1.value, b=p2.value)", nil)
		if d := cmp.Diff(map[string]any{"a": 1.0, "b": 2.0}, values(res)); d != "" {
			t.Fatal(d)
		}
	}
}

// Independent steps of 300 ms take 300 ms together when three may run at the same time, 900 ms one at a time.
func TestFieldB17ParallelIsParallel(t *testing.T) {
	text := "a = lab.step(wait=0.3, label=\"a\")\nb = lab.step(wait=0.3, label=\"b\")\nc = lab.step(wait=0.3, label=\"c\")\nanswer(r=a.value, s=b.value, t=c.value)"
	for parallel, want := range map[int]time.Duration{3: 300 * time.Millisecond, 1: 900 * time.Millisecond} {
		l := newLab(t, episode.Budget{})
		synctest.Test(t, func(t *testing.T) {
			begun := time.Now()
			l.run(t, text, &executor.Options{MaxParallel: parallel})
			if took := time.Since(begun); took != want {
				t.Errorf("%d at a time took %v, want %v", parallel, took, want)
			}
		})
	}
}

// The wall time is that of the critical path: a and b 1 s and 2 s, c after both 1 s, d beside them 2.5 s.
func TestWallTimeIsTheCriticalPath(t *testing.T) {
	l := newLab(t, episode.Budget{})
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		l.run(t, "a = lab.step(wait=1, label=\"a\")\nb = lab.step(wait=2, label=\"b\")\nc = lab.step(wait=1, all=[a.value, b.value])\nd = lab.step(wait=2.5, label=\"d\")\nanswer(r=c.value, s=d.value)", nil)
		if took := time.Since(begun); took != 3*time.Second {
			t.Errorf("%v", took)
		}
	})
}

// One branch fails, the others' results stay.
func TestFieldB18SiblingsStay(t *testing.T) {
	res := newLab(t, episode.Budget{}).run(t, "a = lab.step(x=0)\nb = lab.step(fails=-2, label=\"b\")\nc = lab.step(x=2)\nanswer(a=a.value, b=b.value, c=c.value)", nil)
	if d := cmp.Diff(map[string]any{"a": 1.0, "b": nil, "c": 3.0}, values(res)); d != "" {
		t.Error(d)
	}
	if len(res.Failures) != 1 || res.Failures[0].Step != "b" {
		t.Errorf("%+v", res.Failures)
	}
}

// Two calls that differ in one argument are two calls; two equal ones are run once and logged twice.
func TestFieldB39CallsAreToldApart(t *testing.T) {
	l := newLab(t, episode.Budget{})
	l.run(t, "a = lab.step(label=\"A\")\nb = lab.step(label=\"B\")\nc = lab.step(label=\"A\")\nanswer(r=a.value, s=b.value, t=c.value)", &executor.Options{MaxParallel: 1})
	slices.Sort(l.runs)
	if d := cmp.Diff([]string{"A", "B"}, l.runs); d != "" {
		t.Error(d)
	}
	calls, memo := 0, 0
	for _, e := range l.sink.events {
		if c, ok := e.Body.(*event.ToolCall); ok {
			calls++
			if c.Memo {
				memo++
			}
		}
	}
	if calls != 3 || memo != 1 {
		t.Errorf("%d calls, %d from the memo", calls, memo)
	}
}

func TestOnlyTransientErrorsAreRetried(t *testing.T) {
	l := newLab(t, episode.Budget{})
	synctest.Test(t, func(t *testing.T) {
		res := l.run(t, "a = lab.step(fails=2, label=\"a\")\nb = lab.step(fails=-2, label=\"b\")\nanswer(r=a.value, s=b.value)", nil)
		if d := cmp.Diff(map[string]any{"r": 1.0, "s": nil}, values(res)); d != "" {
			t.Error(d)
		}
		if l.fails["a"] != 3 || l.fails["b"] != 1 {
			t.Errorf("runs %v", l.fails)
		}
	})
}

func TestChecksUnbindNothingAndAreReported(t *testing.T) {
	res := newLab(t, episode.Budget{}).run(t, "a = lab.step(x=5)\nlab.below(value=a.value, high=3)\nanswer(r=a.value)", nil)
	if len(res.Checks) != 1 || values(res)["r"] != 6.0 || len(res.Failures) != 0 {
		t.Errorf("%+v", res)
	}
}

func TestBudgetStopsWhatHasNotStarted(t *testing.T) {
	l := newLab(t, episode.Budget{ToolCalls: 2})
	res := l.run(t, "a = lab.step(x=1)\nb = lab.step(x=a.value)\nc = lab.step(x=b.value)\nanswer(r=b.value, s=c.value)", nil)
	if d := cmp.Diff(map[string]any{"r": 3.0, "s": nil}, values(res)); d != "" {
		t.Error(d)
	}
	if l.ep.Exhausted() != "tool_calls" {
		t.Errorf("exhausted %q", l.ep.Exhausted())
	}
	found := false
	for _, e := range l.sink.events {
		if b, ok := e.Body.(*event.Budget); ok {
			found = b.Name == "tool_calls"
		}
	}
	if !found {
		t.Error("no event says which budget was hit")
	}
}

func TestCancelWaitsForWhatRuns(t *testing.T) {
	l := newLab(t, episode.Budget{})
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(time.Second, cancel)
		_, err := executor.Run(ctx, l.ep, program(t, "a = lab.step(wait=60, label=\"a\")\nb = lab.step(x=a.value)\nanswer(r=b.value)"), nil, nil)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
		if len(l.runs) != 1 {
			t.Errorf("runs %v", l.runs)
		}
	})
}

// Whatever event cannot be written, the run ends with the log's error, and what is in the log is consistent: every
// result has its call, no step is done twice.
func TestLogThatCannotBeWritten(t *testing.T) {
	text := "a = lab.step(x=1)\nb = lab.step(x=2)\nm = [lab.step(x=y) for y in a.list]\nlab.below(value=b.value, high=9)\nanswer(r=b.value)"
	whole := newLab(t, episode.Budget{})
	whole.run(t, text, nil)
	for failAt := 1; failAt <= len(whole.sink.events); failAt++ {
		l := newLab(t, episode.Budget{})
		l.sink.failAt = failAt
		_, err := executor.Run(context.Background(), l.ep, program(t, text), nil, nil)
		if !errors.Is(err, errDisk) {
			t.Fatalf("failing at event %d: %v", failAt, err)
		}
		consistent(t, l.sink.events)
	}
	consistent(t, whole.sink.events)
}

func consistent(t *testing.T, events []event.Event) {
	t.Helper()
	calls, ended := map[string]bool{}, map[string]bool{}
	for _, e := range events {
		switch b := e.Body.(type) {
		case *event.ToolCall:
			calls[b.ID] = true
		case *event.ToolResult:
			if !calls[b.Call] {
				t.Errorf("result of %s without its call", b.Call)
			}
		case *event.Step:
			if b.State != executor.Running && b.State != executor.Waiting && b.Item < 0 {
				if ended[b.Step] {
					t.Errorf("step %s ended twice", b.Step)
				}
				ended[b.Step] = true
			}
		}
	}
}

func TestNoGoroutineIsLeft(t *testing.T) {
	l := newLab(t, episode.Budget{})
	before := runtime.NumGoroutine()
	l.run(t, "a = lab.step(x=1)\nm = [lab.step(x=y) for y in a.list]\nanswer(r=a.value)", nil)
	// A goroutine that is done still counts until the scheduler has put it away.
	for limit := time.Now().Add(2 * time.Second); runtime.NumGoroutine() > before && time.Now().Before(limit); {
		runtime.Gosched()
	}
	if after := runtime.NumGoroutine(); after > before {
		stacks := make([]byte, 1<<16)
		t.Errorf("%d goroutines before, %d after:\n%s", before, after, stacks[:runtime.Stack(stacks, true)])
	}
}

func BenchmarkSteps1000(b *testing.B) {
	l := newLab(b, episode.Budget{})
	var text strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&text, "s%d = lab.step(x=%d)\n", i, i%10)
	}
	text.WriteString("answer(r=s0.value)")
	p := program(b, text.String())
	for b.Loop() {
		l.sink.events = l.sink.events[:0]
		if _, err := executor.Run(context.Background(), l.ep, p, nil, nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/1000, "µs/step")
}
