package eval

import (
	"slices"

	"almanac/orchestrator/event"
)

// Roles whose tokens stand in columns of their own.
const (
	RoleEmbedder = "embedder"
	RoleJudge    = "judge"
)

// Tokens counts the tokens of some model calls. A nil count is unknown, which is not zero. Thinking is the part of
// what was completed that was thought, where servers say so.
type Tokens struct {
	Total      *int64 `json:"total"`
	Prompt     *int64 `json:"prompt"`
	Completion *int64 `json:"completion"`
	Thinking   *int64 `json:"thinking"`
}

// Usage is what an episode took. Tokens are those of the roles that work on the task; the embedder's and the judge's
// are apart.
type Usage struct {
	Tokens    Tokens
	ByRole    map[string]Tokens // every role, embedder and judge too
	Work      map[string]Work   // of every role and of every agent whose tools were called
	Embedding Tokens
	Judge     Tokens

	ModelCalls    int // requests, embeddings and judgements apart
	NativeCalls   int // tool calls in replies, as the server gave them
	RepairedCalls int // tool calls that had to be repaired
	FailedReplies int // replies of no use
	ToolCalls     int // every call, checks and resolvers too
	MemoHits      int
	Replans       int
	Bytes         int64   // context sent
	QueueSeconds  float64 // waiting for the server, loading included
	ModelSeconds  float64 // reading prompts and generating
	ToolSeconds   float64
}

// Work is what one role did, beside its tokens. Embedder and judge have model calls here, and none in an episode's own
// count.
type Work struct {
	ModelCalls     int
	NativeCalls    int // tool calls in replies, as the server gave them
	RepairedCalls  int
	FailedReplies  int
	ToolCalls      int
	Bytes          int64 // context sent
	QueueSeconds   float64
	WorkingSeconds float64 // reading prompts, generating, and running tools
}

func (w Work) add(x Work) Work {
	return Work{
		w.ModelCalls + x.ModelCalls, w.NativeCalls + x.NativeCalls, w.RepairedCalls + x.RepairedCalls, w.FailedReplies + x.FailedReplies,
		w.ToolCalls + x.ToolCalls, w.Bytes + x.Bytes, w.QueueSeconds + x.QueueSeconds, w.WorkingSeconds + x.WorkingSeconds,
	}
}

// replyWork is the work that a reply stands for.
func replyWork(r *event.ModelReply) Work {
	w := Work{ModelCalls: 1, QueueSeconds: r.Queue + r.Load, WorkingSeconds: r.PromptTime + r.Generate}
	if r.Error != "" {
		w.FailedReplies = 1
	}
	for _, c := range r.Calls {
		if c.Obtained == "native" {
			w.NativeCalls++
		} else {
			w.RepairedCalls++
		}
	}
	return w
}

func usage(t *Trace) Usage {
	u := Usage{ByRole: map[string]Tokens{}, Work: map[string]Work{}, ToolCalls: len(t.Calls), Replans: len(t.Revisions)}
	none := func() Tokens {
		return Tokens{Total: new(int64), Prompt: new(int64), Completion: new(int64)}
	}
	u.Tokens, u.Embedding, u.Judge = none(), none(), none()
	for _, r := range t.Requests {
		u.Bytes += r.Bytes
		u.Work[r.Role] = u.Work[r.Role].add(Work{Bytes: r.Bytes})
	}
	for _, r := range t.Replies {
		u.QueueSeconds += r.Queue + r.Load
		u.ModelSeconds += r.PromptTime + r.Generate
		work := replyWork(r)
		u.Work[r.Role] = u.Work[r.Role].add(work)
		tokens := replyTokens(r)
		role, ok := u.ByRole[r.Role]
		if !ok {
			role = none()
		}
		u.ByRole[r.Role] = role.add(tokens)
		switch r.Role {
		case RoleEmbedder:
			u.Embedding = u.Embedding.add(tokens)
			continue
		case RoleJudge:
			u.Judge = u.Judge.add(tokens)
			continue
		}
		u.Tokens = u.Tokens.add(tokens)
		u.ModelCalls++
		u.FailedReplies += work.FailedReplies
		u.NativeCalls += work.NativeCalls
		u.RepairedCalls += work.RepairedCalls
	}
	for _, c := range t.Calls {
		if c.Memo {
			u.MemoHits++
		}
		work := Work{ToolCalls: 1}
		if r := t.Results[c.ID]; r != nil {
			u.ToolSeconds += r.Seconds
			work.WorkingSeconds = r.Seconds
		}
		u.Work[c.Agent] = u.Work[c.Agent].add(work)
	}
	return u
}

// unspent are the errors after which a server has read and written nothing.
var unspent = []string{"overloaded", "model_missing", "script", "script_end", "replay_miss", "bad_request"}

// replyTokens reads a reply's counts. A total that is missing is the sum of its parts if both are there.
func replyTokens(r *event.ModelReply) Tokens {
	t := Tokens{Total: r.Total, Prompt: r.Prompt, Completion: r.Completion, Thinking: r.Thinking}
	if t.Total == nil && t.Prompt != nil && t.Completion != nil {
		sum := *t.Prompt + *t.Completion
		t.Total = &sum
	}
	if t.Total == nil && slices.Contains(unspent, r.Error) {
		return Tokens{Total: new(int64), Prompt: new(int64), Completion: new(int64)}
	}
	return t
}

// add sums two counts; what is unknown in either is unknown in the sum, except thinking, which is the sum of what is
// known.
func (t Tokens) add(u Tokens) Tokens {
	known := func(a, b *int64) *int64 {
		if a == nil || b == nil {
			return nil
		}
		sum := *a + *b
		return &sum
	}
	out := Tokens{known(t.Total, u.Total), known(t.Prompt, u.Prompt), known(t.Completion, u.Completion), known(t.Thinking, u.Thinking)}
	if t.Thinking == nil {
		out.Thinking = u.Thinking
	} else if u.Thinking == nil {
		out.Thinking = t.Thinking
	}
	return out
}
