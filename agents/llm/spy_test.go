package llm_test

import (
	"context"
	"sync"

	"almanac/agents/llm"
)

// spy keeps what a model was asked.
type spy struct {
	llm.Model
	mu    sync.Mutex
	asked []*llm.Request
}

func (s *spy) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	s.mu.Lock()
	s.asked = append(s.asked, req)
	s.mu.Unlock()
	return s.Model.Generate(ctx, req)
}
