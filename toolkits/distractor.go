package toolkits

import (
	"context"
	"sync"
)

// Distractor is a tool under another name that takes and promises what t does and never runs: a call of it fails as
// unavailable. It measures what many tools do to those who choose among them.
func (t *Tool) Distractor(name, purpose string, examples []string) *Tool {
	d := *t
	d.Name, d.Purpose, d.Examples, d.Details = name, purpose, examples, ""
	d.run = func(context.Context, any) (any, error) {
		return nil, Errorf(Unavailable, "%s cannot be run here", name)
	}
	d.inputSchema = sync.OnceValue(d.makeInputSchema)
	return &d
}
