package replay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"almanac/agents/llm"
)

// Player answers from a recording. It is safe for concurrent use.
type Player struct {
	dir  string
	name string
	info llm.ModelInfo

	mu   sync.Mutex
	seen map[string]int // how often each hash was asked
}

// Open opens a recording for replay. It reports the recorded model's name and
// digest as its own.
func Open(dir string) (*Player, error) {
	h, err := readHeader(dir)
	if err != nil {
		return nil, err
	}
	name := h.Name
	if name == "" {
		name = h.Model.Name
	}
	return &Player{dir: dir, name: name, info: h.Model, seen: map[string]int{}}, nil
}

// Describe is what was recorded.
func (p *Player) Describe(context.Context) (llm.ModelInfo, error) { return p.info, nil }

// Name is how the recorded model was asked for, such as
// "ollama:qwen2.5-coder:1.5b".
func (p *Player) Name() string { return p.name }

// Session starts over: repeated requests get their first answer again.
func (p *Player) Session(_, _ string) llm.Model {
	return &Player{dir: p.dir, name: p.name, info: p.info, seen: map[string]int{}}
}

// Generate gives the stored answer of an equal request. If there is none, the
// error shows the stored request that is nearest and where it differs.
func (p *Player) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	fail := func(reason, message string, cause error) error {
		return &llm.Error{Kind: llm.KindScript, Reason: reason, Op: "replay", Model: p.info.Name,
			Message: message, Usage: llm.Spent(0, 0), Err: cause}
	}
	if err := ctx.Err(); err != nil {
		return nil, &llm.Error{Kind: llm.KindTransport, Reason: llm.ReasonInterrupted, Op: "replay", Model: p.info.Name,
			Message: "the caller gave up", Usage: llm.Spent(0, 0), Err: err}
	}
	hash, err := req.Hash()
	if err != nil {
		return nil, fail("", "", err)
	}
	entry, err := readStored(filepath.Join(p.dir, "exchanges", hash+".json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fail(llm.ReasonReplayMiss, p.miss(req, hash), nil)
	}
	if err != nil {
		return nil, fail("", "", err)
	}
	if len(entry.Answers) == 0 {
		return nil, fail("", fmt.Sprintf("the exchange %s holds no answer", hash), nil)
	}
	p.mu.Lock()
	p.seen[hash]++
	n := p.seen[hash]
	p.mu.Unlock()
	return entry.turn(req, n).give(p.info.Name)
}

// turn is the answer that the episode got when it asked this for the n-th time. An episode that was not recorded gets the
// answers in their order.
func (s *stored) turn(req *llm.Request, n int) answer {
	if t := turn(req, n); t != "" {
		for _, a := range s.Answers {
			if slices.Contains(a.Given, t) {
				return a
			}
		}
	}
	return s.Answers[min(n, len(s.Answers))-1]
}

func (a answer) give(name string) (*llm.Response, error) {
	if e := a.Error; e != nil {
		return nil, &llm.Error{Kind: e.Kind, Reason: e.Reason, Op: e.Op, Model: name, Status: e.Status,
			Message: e.Message, Usage: e.Usage, Timings: e.Timings, Reply: e.Reply}
	}
	if a.Response == nil {
		return nil, &llm.Error{Kind: llm.KindScript, Op: "replay", Model: name, Usage: llm.Spent(0, 0),
			Message: "a stored answer is empty"}
	}
	return a.Response, nil
}

// miss describes a request that was not recorded.
func (p *Player) miss(req *llm.Request, hash string) string {
	canonical, err := req.Canonical()
	if err != nil {
		return err.Error()
	}
	want := parts(canonical)
	paths, err := filepath.Glob(filepath.Join(p.dir, "exchanges", "*.json"))
	if err != nil || len(paths) == 0 {
		return fmt.Sprintf("no request %.12s in %s, which holds no exchange", hash, p.dir)
	}
	best, bestScore := "", -1.0
	var nearest []string
	for _, path := range paths {
		entry, err := readStored(path)
		if err != nil {
			continue
		}
		have := parts(entry.Request)
		if score := overlap(want, have); score > bestScore {
			best, bestScore, nearest = path, score, have
		}
	}
	name := strings.TrimSuffix(filepath.Base(best), ".json")
	return fmt.Sprintf("no request %.12s among %d in %s; the nearest is %.12s (%.0f %% of its words): %s; record it with record:%s/…",
		hash, len(paths), p.dir, name, 100*bestScore, difference(want, nearest), p.dir)
}

// parts is a canonical request as words of its messages and its other fields.
func parts(canonical json.RawMessage) []string {
	var r map[string]json.RawMessage
	if err := json.Unmarshal(canonical, &r); err != nil {
		return nil
	}
	var words []string
	var messages []struct{ Role, Content string }
	if err := json.Unmarshal(r["messages"], &messages); err == nil {
		for _, m := range messages {
			words = append(words, m.Role+":")
			words = append(words, strings.Fields(m.Content)...)
		}
	}
	for _, key := range []string{"tools", "tool_choice", "schema", "temperature", "seed", "max_tokens", "logprobs"} {
		if v, ok := r[key]; ok {
			words = append(words, key+"="+string(v))
		}
	}
	return words
}

// overlap is the Jaccard index of two bags of words.
func overlap(a, b []string) float64 {
	count := map[string]int{}
	for _, w := range a {
		count[w]++
	}
	common := 0
	for _, w := range b {
		if count[w] > 0 {
			count[w]--
			common++
		}
	}
	all := len(a) + len(b) - common
	if all == 0 {
		return 0
	}
	return float64(common) / float64(all)
}

// difference shows where two requests part.
func difference(want, have []string) string {
	i := 0
	for i < len(want) && i < len(have) && want[i] == have[i] {
		i++
	}
	show := func(words []string) string {
		from, to := max(0, min(i, len(words))-3), min(len(words), i+6)
		return fmt.Sprintf("%.120q", strings.Join(words[from:to], " "))
	}
	return "asked " + show(want) + ", recorded " + show(have)
}

// Recorded lists the hashes of the stored requests, sorted.
func Recorded(dir string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(dir, "exchanges"))
	if err != nil {
		return nil, fmt.Errorf("replay: listing a recording: %w", err)
	}
	var hashes []string
	for _, e := range entries {
		if hash, ok := strings.CutSuffix(e.Name(), ".json"); ok {
			hashes = append(hashes, hash)
		}
	}
	return hashes, nil
}
