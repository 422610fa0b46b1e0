package eval

import (
	"maps"
	"slices"

	"almanac/eval/runlog"
	"almanac/eval/stats"
)

// Summary is one setup over all of its tasks.
type Summary struct {
	Arm           runlog.Arm
	Episodes      int // that count
	HarnessErrors int
	Errors        int // episodes that ended in an error of the setup or the model; they count
	Successes     int
	// Metrics has an estimate for each metric by name.
	Metrics map[string]stats.Estimate
	// SuccessOfAnswered is the share among the episodes without an error: never the headline.
	SuccessOfAnswered *float64
	MeanTokens        *float64 // over tasks of means over repeats; nil if a count is unknown
	Tokens            Tokens   // of all episodes
	ByRole            map[string]Tokens
	Work              map[string]Work
	Embedding, Judge  Tokens
	TokensPerSuccess  *float64
	TokensReason      string // why there are no tokens per success
	ModelCalls        int
	NativeCalls       int
	RepairedCalls     int
	FailedReplies     int
	ToolCalls         int
	MemoHits          int
	Replans           int
	Bytes             int64
	Failed            int                // episodes that count and are no success
	Failures          map[string]float64 // label: share of the failed episodes
	Working           Times
	Queue             Times
	AbandonedTokens   Tokens
	Selection         Selection
	Schedules         Schedules
	Memory            Memory
	Reliability       Reliability
}

// Times are percentiles of seconds an episode, and their sum.
type Times struct {
	P50   float64 `json:"p50"`
	P95   float64 `json:"p95"`
	Total float64 `json:"total"`
}

func summarise(arm runlog.Arm, list []*EpisodeResult) *Summary {
	zero := func() Tokens { return Tokens{Total: new(int64), Prompt: new(int64), Completion: new(int64)} }
	s := &Summary{
		Arm: arm, Metrics: map[string]stats.Estimate{}, ByRole: map[string]Tokens{}, Work: map[string]Work{}, Failures: map[string]float64{},
		Tokens: zero(), Embedding: zero(), Judge: zero(), AbandonedTokens: zero(),
	}
	labels := map[string]int{}
	var working, queue []float64
	answered, answeredRight := 0, 0
	for _, e := range list {
		s.AbandonedTokens = s.AbandonedTokens.add(e.AbandonedTokens)
		if e.Harness {
			s.HarnessErrors++
			continue
		}
		s.count(e.Scores.Usage)
		s.Episodes++
		working, queue = append(working, e.Working()), append(queue, e.QueueSeconds)
		failed := len(e.Scores.Trace.Errors) > 0
		if failed {
			s.Errors++
		} else {
			answered++
		}
		if e.Scores.Success() {
			s.Successes++
			if !failed {
				answeredRight++
			}
			continue
		}
		s.Failed++
		for _, l := range e.Scores.Failures {
			labels[l]++
		}
	}
	for l, n := range labels {
		s.Failures[l] = float64(n) / float64(s.Failed)
	}
	if answered > 0 {
		v := float64(answeredRight) / float64(answered)
		s.SuccessOfAnswered = &v
	}
	s.Working, s.Queue = times(working), times(queue)
	s.estimate(list)
	s.Selection, s.Schedules = selection(list), schedules(list)
	s.Reliability = reliability(list)
	return s
}

func (s *Summary) count(u Usage) {
	s.Tokens = s.Tokens.add(u.Tokens)
	s.Embedding = s.Embedding.add(u.Embedding)
	s.Judge = s.Judge.add(u.Judge)
	for role, t := range u.ByRole {
		if have, ok := s.ByRole[role]; ok {
			t = have.add(t)
		}
		s.ByRole[role] = t
	}
	for role, w := range u.Work {
		s.Work[role] = s.Work[role].add(w)
	}
	s.ModelCalls += u.ModelCalls
	s.NativeCalls += u.NativeCalls
	s.RepairedCalls += u.RepairedCalls
	s.FailedReplies += u.FailedReplies
	s.ToolCalls += u.ToolCalls
	s.MemoHits += u.MemoHits
	s.Replans += u.Replans
	s.Bytes += u.Bytes
}

func (s *Summary) estimate(list []*EpisodeResult) {
	for _, m := range shown() {
		e := stats.Mean(observations(list, metricOf(m.Name)), stats.Options{Share: m.Share})
		e.Lo, e.Hi = stats.Clip(e.Lo, e.Hi, 0, 1) // every metric is in [0, 1]
		s.Metrics[m.Name] = e
	}
	switch {
	case s.Tokens.Total == nil:
		s.TokensReason = stats.Unknown
		return
	case s.Episodes == 0:
		s.TokensReason = stats.NoData
		return
	}
	if m, ok := stats.TaskMean(observations(list, totalTokens)); ok {
		s.MeanTokens = &m
	}
	if s.Successes == 0 {
		s.TokensReason = "no_success"
		return
	}
	v := float64(*s.Tokens.Total) / float64(s.Successes)
	s.TokensPerSuccess = &v
}

func times(x []float64) Times {
	var t Times
	for _, v := range x {
		t.Total += v
	}
	slices.Sort(x)
	if n := len(x); n > 0 {
		at := func(p float64) float64 { return x[min(n-1, int(p*float64(n)))] }
		t.P50, t.P95 = at(0.5), at(0.95)
	}
	return t
}

// Roles returns the roles that used the model, sorted.
func (s *Summary) Roles() []string { return slices.Sorted(maps.Keys(s.ByRole)) }

// NoScore reports whether the setup has no score at all: the harness failed every episode, or none was run.
func (s *Summary) NoScore() bool { return s.Episodes == 0 }
