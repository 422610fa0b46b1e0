package gate_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"almanac/agents/llm"
	"almanac/agents/llm/gate"
	"almanac/agents/llm/scripted"
)

// slow answers after a second, and knows how many it answered at the same time.
type slow struct {
	mu        sync.Mutex
	now, most int
	fail      error
}

func (s *slow) Generate(context.Context, *llm.Request) (*llm.Response, error) {
	s.mu.Lock()
	s.now++
	s.most = max(s.most, s.now)
	s.mu.Unlock()
	time.Sleep(time.Second) // the fake clock of the test
	s.mu.Lock()
	s.now--
	s.mu.Unlock()
	if s.fail != nil {
		return nil, s.fail
	}
	return &llm.Response{Message: llm.Message{Content: "yes"}}, nil
}

// Five requests of a second each through two slots: two wait not at all, two for one second, one for two.
func TestWaitIsQueueTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := &slow{}
		m := gate.New(2).Model(inner)
		waits := map[time.Duration]int{}
		var mu sync.Mutex
		var wg sync.WaitGroup
		for i := range 5 {
			wg.Go(func() {
				resp, err := m.Session("squad", fmt.Sprint(i)).Generate(t.Context(), &llm.Request{})
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				defer mu.Unlock()
				waits[resp.Timings.Queue]++
			})
		}
		wg.Wait()
		if inner.most != 2 || waits[0] != 2 || waits[time.Second] != 2 || waits[2*time.Second] != 1 {
			t.Errorf("%d at the same time, waits %v", inner.most, waits)
		}
	})
}

func TestErrorsTellTheWaitToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cause := &llm.Error{Kind: llm.KindServer, Message: "down"}
		m := gate.New(1).Model(&slow{fail: cause})
		var wg sync.WaitGroup
		var total time.Duration
		var mu sync.Mutex
		for range 2 {
			wg.Go(func() {
				_, err := m.Generate(t.Context(), &llm.Request{})
				if !errors.Is(err, llm.ErrServer) {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				total += llm.AsError(err).Timings.Queue
			})
		}
		wg.Wait()
		if total != time.Second || cause.Timings.Queue != 0 {
			t.Errorf("waited %v, and the cause was changed by %v", total, cause.Timings.Queue)
		}
	})
}

func TestGivingUpLeavesTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := gate.New(1).Model(&slow{})
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := m.Generate(t.Context(), &llm.Request{}); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		if _, err := m.Generate(ctx, &llm.Request{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
		wg.Wait()
	})
}

func TestSessionsStartOver(t *testing.T) {
	m := gate.New(0).Model(scripted.New("scripted:s", &scripted.Script{Replies: []scripted.Reply{{Content: "one"}}}))
	for range 2 {
		resp, err := m.Session("", "").Generate(t.Context(), &llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: "?"}}})
		if err != nil || resp.Message.Content != "one" {
			t.Fatalf("%+v, %v", resp, err)
		}
	}
	if info, err := m.Describe(t.Context()); err != nil || info.Name != "scripted:s" {
		t.Errorf("%+v, %v", info, err)
	}
}

func ExampleGate() {
	g := gate.New(1)
	m := g.Model(scripted.New("scripted:s", &scripted.Script{Replies: []scripted.Reply{{Content: "yes"}}}))
	resp, err := m.Generate(context.Background(), &llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: "?"}}})
	fmt.Println(resp.Message.Content, err)
	// Output: yes <nil>
}
