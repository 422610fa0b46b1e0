package replay_test

import (
	"testing"

	"almanac/agents/llm"
	"almanac/agents/llm/replay"
	"almanac/agents/llm/scripted"
)

// asked is one request of an episode.
func asked(episode string) *llm.Request {
	r := req("How warm is it?")
	r.Meta.Episode = episode
	return r
}

// Two episodes ask the same and get different answers, one of them twice. Replayed in the other order, each gets its own.
func TestEachEpisodeGetsItsOwnAnswers(t *testing.T) {
	dir := t.TempDir()
	script := &scripted.Script{BySetup: map[string]*scripted.Script{
		"squad":  {Replies: []scripted.Reply{{Content: "warm"}, {Content: "warmer"}}},
		"single": {Replies: []scripted.Reply{{Content: "cold"}}},
	}}
	r, err := replay.Record(t.Context(), dir, "scripted:s", scripted.New("scripted:s", script))
	if err != nil {
		t.Fatal(err)
	}
	play := func(m llm.Model, setup, episode string, times int) string {
		t.Helper()
		m, got := llm.Session(m, setup, "t"), ""
		for range times {
			resp, err := m.Generate(t.Context(), asked(episode))
			if err != nil {
				t.Fatal(err)
			}
			got += resp.Message.Content + " "
		}
		return got
	}
	play(r, "squad", "squad.t.0", 2)
	play(r, "single", "single.t.0", 1)
	p, err := replay.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := play(p, "", "single.t.0", 1) + play(p, "", "squad.t.0", 2); got != "cold warm warmer " {
		t.Errorf("replayed %q", got)
	}
	if got := play(p, "", "other.t.0", 4); got != "warm warmer cold cold " {
		t.Errorf("an episode that was not recorded gets %q", got)
	}
	if p.Name() != "scripted:s" {
		t.Errorf("the recorded model is %s", p.Name())
	}
}

// An episode that was cut off and tried again is replayed as it went in the end.
func TestTheLastAttemptIsReplayed(t *testing.T) {
	dir := t.TempDir()
	answers := []scripted.Reply{{Content: "first"}, {Content: "second"}}
	r, err := replay.Record(t.Context(), dir, "scripted:s", scripted.New("scripted:s", &scripted.Script{ByTask: map[string]*scripted.Script{
		"one": {Replies: answers[:1]}, "two": {Replies: answers[1:]}}}))
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range []string{"one", "two"} { // two attempts at one episode
		if _, err := r.Session("squad", task).Generate(t.Context(), asked("e")); err != nil {
			t.Fatal(err)
		}
	}
	p, err := replay.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if resp, err := p.Generate(t.Context(), asked("e")); err != nil || resp.Message.Content != "second" {
		t.Errorf("%+v, %v", resp, err)
	}
}
