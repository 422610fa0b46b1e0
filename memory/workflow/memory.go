// Package workflow remembers schedules that worked, so that they carry over to requests of the same form.
//
// An entry is a request and its schedule with slots in the place of everything that was particular: "How warm is <place>
// in <month>?" with task.place and task.month. What was a value there never comes back: a place, a period or a number is
// read from the new request, or the entry does not fit it. Entries are found by the words of the slotted request; equal
// schedules are one entry, the cheapest. A memory is a file of YAML that a person can read, edit, prune and share.
//
// What may be written is for its caller to see to: only after a verified success. What a reader can check is checked: a
// file made from tasks that others are scored on is refused, and an entry whose tools are gone or have changed is
// left out, with the reason.
package workflow

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"sync"
)

// States of a memory, which are always reported apart.
const (
	Seeded = "seeded" // made from the split of tasks that is there for it
	Online = "online" // grows during a run, from what its own checks passed
)

// MemorySplit is the split that a seeded memory is made from. A memory from any other is refused.
const MemorySplit = "memory"

// Entry is a workflow that worked.
type Entry struct {
	ID       string            `yaml:"id"`               // of its schedule
	Request  string            `yaml:"request"`          // with slots in angle brackets
	Schedule string            `yaml:"schedule"`         // canonical, with task slots
	Agents   []string          `yaml:"agents,omitempty"` // in the order of their first call
	Tools    map[string]string `yaml:"tools"`            // the version and signature of each, as a hash
	Tokens   int64             `yaml:"tokens"`           // of the episode
	State    string            `yaml:"state"`
	Suite    string            `yaml:"suite,omitempty"`
	Split    string            `yaml:"split,omitempty"`
	Template string            `yaml:"template,omitempty"`
	Avoid    []string          `yaml:"avoid,omitempty"` // what did not work, a line each
	Shown    int               `yaml:"shown,omitempty"` // how often it was shown
	Solved   int               `yaml:"solved,omitempty"`
}

// Hit is an entry that fits a request, with how well: the share of the request's weight that the entry's words cover, 0
// to 1.
type Hit struct {
	Entry
	Score float64
}

// Options of a [Memory]. The zero value is useful.
type Options struct {
	// Limit is the largest number of entries; 0 means 500. Beyond it the least useful one is forgotten.
	Limit int
	// Floor is the least score of a hit; 0 means 0.5.
	Floor float64
}

const (
	defaultLimit = 500
	defaultFloor = 0.5
)

// Why an entry is not taken.
var (
	ErrLeak  = errors.New("the entry comes from tasks that are scored")
	ErrEntry = errors.New("the entry is not whole")
)

// Memory is a set of entries. It is safe for concurrent use.
type Memory struct {
	mu      sync.RWMutex
	opts    Options
	entries []Entry // by id
	words   *words
}

// New makes an empty memory.
func New(opts *Options) *Memory {
	m := &Memory{}
	if opts != nil {
		m.opts = *opts
	}
	if m.opts.Limit == 0 {
		m.opts.Limit = defaultLimit
	}
	if m.opts.Floor == 0 {
		m.opts.Floor = defaultFloor
	}
	m.words = weigh(nil)
	return m
}

// Write puts an entry in, and reports whether the memory is another one now. An entry with the schedule of one that is
// there replaces it if it was cheaper, and leaves its notes. It fails with [ErrLeak] and [ErrEntry].
func (m *Memory) Write(e Entry) (bool, error) {
	if err := e.fault(); err != nil {
		return false, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	i, there := slices.BinarySearchFunc(m.entries, e.ID, func(x Entry, id string) int { return strings.Compare(x.ID, id) })
	if there {
		old := m.entries[i]
		e.Avoid = union(old.Avoid, e.Avoid)
		if old.Tokens <= e.Tokens { // the cheaper one stays, with what was learnt of both
			old.Avoid = e.Avoid
			e = old
		}
		e.Shown, e.Solved = old.Shown, old.Solved
		changed := !equal(m.entries[i], e)
		m.entries[i] = e
		m.words = weigh(m.entries)
		return changed, nil
	}
	m.entries = slices.Insert(m.entries, i, e)
	if len(m.entries) > m.opts.Limit {
		m.forget()
	}
	m.words = weigh(m.entries)
	return true, nil
}

func equal(a, b Entry) bool {
	return a.Request == b.Request && a.Tokens == b.Tokens && slices.Equal(a.Avoid, b.Avoid) && a.Template == b.Template
}

func union(a, b []string) []string {
	out := slices.Clone(a)
	for _, x := range b {
		if !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}

// forget drops the least useful entry: the lowest share of requests that were solved when it was shown, smoothed so that
// an entry that was never shown stands in the middle, then the dearest.
func (m *Memory) forget() {
	worst := 0
	for i := range m.entries {
		a, b := m.entries[i].gain(), m.entries[worst].gain()
		if a < b || a == b && m.entries[i].Tokens > m.entries[worst].Tokens {
			worst = i
		}
	}
	m.entries = slices.Delete(m.entries, worst, worst+1)
}

// Source names an entry with where it is from: "memory/warmest-month#1a2b3c", so that a reader sees whether it is from a
// task that is scored.
func (e Entry) Source() string {
	from := e.State
	if e.Split != "" {
		from = e.Split
	}
	if e.Template != "" {
		from += "/" + e.Template
	}
	return from + "#" + e.ID
}

func (e Entry) gain() float64 { return (float64(e.Solved) + 1) / (float64(e.Shown) + 2) }

// fault says why an entry cannot be taken.
func (e Entry) fault() error {
	switch {
	case e.Split != "" && e.Split != MemorySplit:
		return fmt.Errorf("workflow: %w: %s is from the split %q; only %q may be remembered", ErrLeak, e.ID, e.Split, MemorySplit)
	case e.State == Seeded && e.Split == "":
		return fmt.Errorf("workflow: %w: %s does not say which split it is from", ErrLeak, e.ID)
	case e.State != Seeded && e.State != Online:
		return fmt.Errorf("workflow: %w: %s has the state %q; there are %s, %s", ErrEntry, e.ID, e.State, Seeded, Online)
	case e.ID == "", strings.TrimSpace(e.Request) == "", strings.TrimSpace(e.Schedule) == "", len(e.Tools) == 0:
		return fmt.Errorf("workflow: %w: %q needs an id, a request, a schedule and its tools", ErrEntry, e.ID)
	case e.Tokens < 0, e.Shown < 0, e.Solved < 0, e.Solved > e.Shown:
		return fmt.Errorf("workflow: %w: %s counts tokens %d, shown %d, solved %d", ErrEntry, e.ID, e.Tokens, e.Shown, e.Solved)
	}
	return nil
}

// Find returns the k entries that fit a slotted request best, best first, ties by id.
func (m *Memory) Find(ctx context.Context, slotted string, k int) ([]Hit, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	scores := m.words.scores(slotted)
	var hits []Hit
	for i, e := range m.entries {
		if scores[i] >= m.opts.Floor {
			hits = append(hits, Hit{e, math.Round(scores[i]*1e9) / 1e9})
		}
	}
	sort.SliceStable(hits, func(i, j int) bool { return hits[i].Score > hits[j].Score })
	return hits[:max(0, min(k, len(hits)))], nil
}

// Showed counts that an entry was shown, and whether its request was solved then.
func (m *Memory) Showed(id string, solved bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range m.entries {
		if e := &m.entries[i]; e.ID == id {
			e.Shown++
			if solved {
				e.Solved++
			}
		}
	}
}

// Entries are all entries, by id.
func (m *Memory) Entries() []Entry {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return slices.Clone(m.entries)
}

// Len is the number of entries.
func (m *Memory) Len() int {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return len(m.entries)
}

// Limited is a memory of the n most useful entries; for measuring what size does.
func (m *Memory) Limited(n int) *Memory {
	all := m.Entries()
	sort.SliceStable(all, func(i, j int) bool { return all[i].gain() > all[j].gain() })
	out := New(&m.opts)
	out.entries = all[:min(max(n, 0), len(all))]
	sort.Slice(out.entries, func(i, j int) bool { return out.entries[i].ID < out.entries[j].ID })
	out.words = weigh(out.entries)
	return out
}

// Refusal is an entry that was left out, and why.
type Refusal struct{ ID, Reason string }

// Fitting is the memory without the entries that do not fit the tools at hand, which are given with their hashes: a tool
// that is gone, or has changed since.
func (m *Memory) Fitting(tools map[string]string) (*Memory, []Refusal) {
	out := New(&m.opts)
	var refused []Refusal
	for _, e := range m.Entries() {
		if reason := e.stale(tools); reason != "" {
			refused = append(refused, Refusal{e.ID, reason})
			continue
		}
		out.entries = append(out.entries, e)
	}
	out.words = weigh(out.entries)
	return out, refused
}

func (e Entry) stale(tools map[string]string) string {
	names := make([]string, 0, len(e.Tools))
	for name := range e.Tools {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		hash, there := tools[name]
		switch {
		case !there:
			return "there is no tool " + name + " any more"
		case hash != e.Tools[name]:
			return name + " has changed since"
		}
	}
	return ""
}
