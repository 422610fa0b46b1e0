package replay_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"almanac/agents/llm"
	"almanac/agents/llm/replay"
	"almanac/agents/llm/scripted"
)

func req(text string) *llm.Request {
	return &llm.Request{Messages: []llm.Message{{Role: llm.RoleSystem, Content: "Answer with one tool."}, {Role: llm.RoleUser, Content: text}}}
}

func record(t testing.TB, dir string, replies []scripted.Reply, asks ...string) {
	r, err := replay.Record(t.Context(), dir, "scripted:a", scripted.New("scripted:a", &scripted.Script{Replies: replies}))
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range asks {
		if _, err := r.Generate(t.Context(), req(a)); err != nil && llm.AsError(err) == nil {
			t.Fatal(err)
		}
	}
}

func answers(t testing.TB, m llm.Model, asks ...string) string {
	var got []string
	for _, a := range asks {
		resp, err := m.Generate(t.Context(), req(a))
		if err != nil {
			got = append(got, llm.AsError(err).Reason)
			continue
		}
		got = append(got, resp.Message.Content)
	}
	return strings.Join(got, ",")
}

func TestRoundTrip(t *testing.T) {
	dir := t.TempDir()
	record(t, dir, []scripted.Reply{{Content: "one"}, {Error: "empty_reply"}, {Content: "again"}, {Content: "again"}}, "a", "b", "a", "a")
	p, err := replay.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := answers(t, p, "a", "b", "a", "a", "a", "b"); got != "one,empty_reply,again,again,again,empty_reply" {
		t.Errorf("answers = %s", got)
	}
	if got := answers(t, p.Session("s", "t"), "a"); got != "one" {
		t.Errorf("a new session starts with %s", got)
	}
	if hashes, err := replay.Recorded(dir); err != nil || len(hashes) != 2 {
		t.Errorf("recorded %v, %v", hashes, err)
	}
}

func TestFailuresThatPassAreNotStored(t *testing.T) {
	dir := t.TempDir()
	record(t, dir, []scripted.Reply{{Error: "overloaded"}, {Error: "transport"}, {Content: "one"}}, "a", "a", "a")
	p, err := replay.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := answers(t, p, "a"); got != "one" {
		t.Errorf("answers = %s", got)
	}
}

func TestMissShowsTheNearest(t *testing.T) {
	dir := t.TempDir()
	record(t, dir, []scripted.Reply{{Content: "x"}, {Content: "y"}}, "How warm is the North Sea in May?", "Area of Kenya")
	p, err := replay.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.Generate(t.Context(), req("How warm is the North Sea in June?"))
	if !errors.Is(err, llm.ErrReplayMiss) || !strings.Contains(err.Error(), "June?") || !strings.Contains(err.Error(), "May?") || strings.Contains(err.Error(), "Kenya") {
		t.Errorf("err = %v", err)
	}
	hot := req("Area of Kenya")
	one := 1.0
	hot.Temperature = &one
	if _, err = p.Generate(t.Context(), hot); !errors.Is(err, llm.ErrReplayMiss) || !strings.Contains(err.Error(), "temperature=1") {
		t.Errorf("another temperature: %v", err)
	}
}

func TestFoldersAreChecked(t *testing.T) {
	dir := t.TempDir()
	record(t, dir, []scripted.Reply{{Content: "x"}}, "a")
	if _, err := replay.Record(t.Context(), dir, "scripted:a", scripted.New("scripted:b", &scripted.Script{})); err == nil || !strings.Contains(err.Error(), "scripted:a") {
		t.Errorf("another model into the same folder: %v", err)
	}
	if _, err := replay.Open(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
	hash, err := req("a").Hash()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "exchanges", hash+".json")
	for _, broken := range []string{"{", "{}", `{"answers":[{}]}`, `{"answers":[null]}`} {
		if err := os.WriteFile(path, []byte(broken), 0o644); err != nil {
			t.Fatal(err)
		}
		p, err := replay.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Generate(t.Context(), req("a")); !errors.Is(err, llm.ErrScript) {
			t.Errorf("%s: %v", broken, err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "model.json"), []byte(`{"schema":99}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := replay.Open(dir); err == nil || !strings.Contains(err.Error(), "schema 99") {
		t.Errorf("another schema: %v", err)
	}
}

func TestConcurrentRecording(t *testing.T) {
	dir := t.TempDir()
	replies := make([]scripted.Reply, 40)
	for i := range replies {
		replies[i] = scripted.Reply{Content: "same"}
	}
	r, err := replay.Record(t.Context(), dir, "scripted:a", scripted.New("scripted:a", &scripted.Script{Replies: replies}))
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range replies {
		wg.Go(func() {
			if _, err := r.Generate(t.Context(), req(fmt.Sprint(i%4))); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	left, err := filepath.Glob(filepath.Join(dir, "exchanges", "*"))
	if err != nil || len(left) != 4 {
		t.Errorf("files %v, %v", left, err)
	}
}

func Example() {
	dir, err := os.MkdirTemp("", "recording")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	ctx := context.Background()
	recorder, err := replay.Record(ctx, dir, "scripted:a", scripted.New("scripted:example", &scripted.Script{Replies: []scripted.Reply{{Content: "14.6 °C"}}}))
	if err != nil {
		fmt.Println(err)
		return
	}
	question := &llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: "How warm is it?"}}}
	if _, err := recorder.Generate(ctx, question); err != nil {
		fmt.Println(err)
		return
	}
	player, err := replay.Open(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	resp, err := player.Generate(ctx, question)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(resp.Message.Content)
	// Output: 14.6 °C
}
