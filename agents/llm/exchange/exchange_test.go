package exchange_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"almanac/agents/llm"
	"almanac/agents/llm/exchange"
	"almanac/agents/llm/scripted"
)

func open(t testing.TB, opts *exchange.Options, replies ...scripted.Reply) *exchange.Model {
	m, err := exchange.New(scripted.New("scripted:test", &scripted.Script{Replies: replies}), opts)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

var ask = &llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: "go on"}}}

// Waits double from half a second; chance makes each half to one and a half.
func TestBackOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		busy := scripted.Reply{Error: "overloaded"}
		draws := []float64{0, 0.5, 0.99}
		m := open(t, &exchange.Options{Jitter: func() float64 { d := draws[0]; draws = draws[1:]; return d }}, busy, busy, busy, scripted.Reply{Content: "yes"})
		start := time.Now()
		resp, err := m.Generate(t.Context(), ask)
		if err != nil {
			t.Fatal(err)
		}
		var waits []time.Duration
		for _, a := range resp.Attempts {
			waits = append(waits, a.Wait)
		}
		// 0.5 s × 0.5, 0.75 s × 1.0, 1.125 s × 1.49: the library's factor is 1.5
		want := []time.Duration{0, 250 * time.Millisecond, 750 * time.Millisecond, 1676250 * time.Microsecond}
		if diff := cmp.Diff(want, waits); diff != "" {
			t.Error(diff)
		}
		if took := time.Since(start); took != 2676250*time.Microsecond {
			t.Errorf("took %s", took)
		}
	})
}

func TestRetriesEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := scripted.Reply{Error: "transport"}
		m := open(t, &exchange.Options{Retries: 2}, down, down, down, scripted.Reply{Content: "too late"})
		_, err := m.Generate(t.Context(), ask)
		if e := llm.AsError(err); !errors.Is(err, llm.ErrTransport) || len(e.Attempts) != 3 || e.Usage.Tokens() != 0 || !e.Usage.Known() {
			t.Errorf("err = %v", err)
		}
	})
}

// refusing fails with a wish of how long to wait.
type refusing struct{ left int }

func (r *refusing) Generate(context.Context, *llm.Request) (*llm.Response, error) {
	if r.left--; r.left >= 0 {
		return nil, &llm.Error{Kind: llm.KindOverloaded, RetryAfter: 40 * time.Second, Usage: llm.Spent(0, 0)}
	}
	return &llm.Response{Message: llm.Message{Content: "yes"}, Finish: llm.FinishStop, Usage: llm.Spent(1, 1)}, nil
}

func TestRetryAfterIsObeyed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, err := exchange.New(&refusing{left: 1}, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := m.Generate(t.Context(), ask)
		if err != nil || resp.Attempts[1].Wait != 40*time.Second {
			t.Errorf("%+v, %v", resp, err)
		}
	})
}

func TestCancelWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := llm.Spent(5, 2)
		m := open(t, nil, scripted.Reply{Error: "server", Usage: &u}, scripted.Reply{Content: "too late"})
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		_, err := m.Generate(ctx, ask)
		e := llm.AsError(err)
		if !errors.Is(err, context.DeadlineExceeded) || e == nil || e.Usage.Tokens() != 7 || len(e.Attempts) != 1 {
			t.Errorf("err = %v", err)
		}
	})
}

// The tokens of every attempt are in the account, of the failed ones too.
func TestAccount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b, c := llm.Spent(10, 1), llm.Spent(20, 2), llm.Spent(30, 3)
		m := open(t, nil, scripted.Reply{Error: "server", Usage: &a}, scripted.Reply{Error: "runaway", Usage: &b}, scripted.Reply{Content: "yes", Usage: &c})
		resp, err := m.Generate(t.Context(), ask)
		if err != nil || resp.Usage.Tokens() != 66 || len(resp.Attempts) != 3 {
			t.Fatalf("%+v, %v", resp, err)
		}
		bad := scripted.Reply{Error: "empty_reply", Usage: &b}
		_, err = open(t, nil, bad, bad, bad).Generate(t.Context(), ask)
		if e := llm.AsError(err); e == nil || e.Usage.Tokens() != 44 || len(e.Attempts) != 2 {
			t.Errorf("err = %v", err)
		}
	})
}

func TestSessionsStartOver(t *testing.T) {
	m := open(t, nil, scripted.Reply{Content: "first"}, scripted.Reply{Content: "second"})
	for range 2 {
		s := llm.Session(m, "single", "t1")
		for _, want := range []string{"first", "second"} {
			if resp, err := s.Generate(t.Context(), ask); err != nil || resp.Message.Content != want {
				t.Errorf("%+v, %v, want %s", resp, err, want)
			}
		}
	}
}

func TestRequestsAreChecked(t *testing.T) {
	for _, req := range []*llm.Request{nil, {}, {Messages: ask.Messages, ToolChoice: "any"}, {Messages: ask.Messages, ToolChoice: "required"}} {
		if _, err := open(t, nil, scripted.Reply{Content: "x"}).Generate(t.Context(), req); !errors.Is(err, llm.ErrRequest) {
			t.Errorf("%+v: %v", req, err)
		}
	}
}

// A server that is busy for a moment, and a model that forgets to answer.
func ExampleModel_Generate() {
	inner := scripted.New("scripted:example", &scripted.Script{Replies: []scripted.Reply{
		{Error: "overloaded"}, {Content: "<think>What now"}, {Content: "42 km"},
	}})
	m, err := exchange.New(inner, &exchange.Options{FirstWait: time.Millisecond})
	if err != nil {
		fmt.Println(err)
		return
	}
	resp, err := m.Generate(context.Background(), &llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: "How wide is the strait?"}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, a := range resp.Attempts {
		fmt.Printf("%q %q\n", a.Kind, a.Reason)
	}
	fmt.Println(resp.Message.Content)
	// Output:
	// "overloaded" ""
	// "bad_reply" "unclosed_thinking"
	// "" ""
	// 42 km
}
