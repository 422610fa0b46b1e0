package llm

// Usage counts tokens. A nil count is unknown, which is not zero: a server
// that sends no usage must not look cheaper than one that does.
//
// The zero Usage is "nothing is known"; for "nothing was spent" use [Spent].
type Usage struct {
	Prompt     *int64 `json:"prompt"`             // tokens read, cached ones included
	Completion *int64 `json:"completion"`         // tokens written, thinking included
	Thinking   *int64 `json:"thinking,omitempty"` // of Completion; nil where there is no split
	Total      *int64 `json:"total"`              // Prompt + Completion

	// Estimated is true if a count was made on this side because the server
	// was stopped before it sent its own: stream pieces for what was written,
	// the estimate for what was read.
	Estimated bool `json:"estimated,omitzero"`
}

// Spent is the Usage of prompt tokens read and completion tokens written,
// with no split for thinking.
func Spent(prompt, completion int64) Usage {
	total := prompt + completion
	return Usage{Prompt: &prompt, Completion: &completion, Total: &total}
}

// Add returns u and v together. A count that is unknown in either is unknown
// in the sum, except Thinking: it is the sum of what is known, and unknown
// only if both are.
func (u Usage) Add(v Usage) Usage {
	sum := Usage{
		Prompt:     addKnown(u.Prompt, v.Prompt),
		Completion: addKnown(u.Completion, v.Completion),
		Thinking:   addKnown(u.Thinking, v.Thinking),
		Total:      addKnown(u.Total, v.Total),
		Estimated:  u.Estimated || v.Estimated,
	}
	if sum.Thinking == nil {
		sum.Thinking = firstKnown(u.Thinking, v.Thinking)
	}
	return sum
}

// Known reports whether the total is known.
func (u Usage) Known() bool { return u.Total != nil }

// Tokens is the total, 0 when unknown; see [Usage.Known].
func (u Usage) Tokens() int64 {
	if u.Total == nil {
		return 0
	}
	return *u.Total
}

func addKnown(a, b *int64) *int64 {
	if a == nil || b == nil {
		return nil
	}
	sum := *a + *b
	return &sum
}

func firstKnown(counts ...*int64) *int64 {
	for _, c := range counts {
		if c != nil {
			n := *c
			return &n
		}
	}
	return nil
}
