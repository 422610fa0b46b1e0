package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"almanac/eval"
	"almanac/orchestrator/event"
)

// liveSolver tells on standard error what an episode does while it does it.
type liveSolver struct {
	eval.Solver
	p *program
}

// Solve implements [eval.Solver].
func (l *liveSolver) Solve(ctx context.Context, job eval.Job, sink event.Sink) error {
	return l.Solver.Solve(ctx, job, &liveSink{Sink: sink, p: l.p, begun: time.Now()})
}

// liveSink passes events on and shows those that a person wants to see.
type liveSink struct {
	event.Sink
	p     *program
	begun time.Time
}

// Emit implements [event.Sink].
func (l *liveSink) Emit(e event.Event) (int64, error) {
	seq, err := l.Sink.Emit(e)
	if err == nil {
		if line := liveLine(e.Body, l.p.verbose); line != "" {
			l.p.say("%s %s", paint(l.p.Err, faint, fmt.Sprintf("%6.1fs", time.Since(l.begun).Seconds())), line)
		}
	}
	return seq, err
}

func liveLine(body any, verbose bool) string {
	switch b := body.(type) {
	case *event.ToolSelection:
		return fmt.Sprintf("selected %s: %s", plural(len(b.Chosen), "tool"), strings.Join(b.Chosen[:min(3, len(b.Chosen))], ", ")+" …")
	case *event.Search:
		return fmt.Sprintf("searched: %d derivations, %s in %.0f ms", b.Expanded, plural(len(b.Candidates), "candidate"), b.Seconds*1000)
	case *event.ModelReply:
		if b.Error != "" {
			return fmt.Sprintf("%s: %s: %s", b.Role, b.Purpose, b.Error)
		}
		if b.Total != nil {
			return fmt.Sprintf("%s: %s, %d tokens", b.Role, b.Purpose, *b.Total)
		}
		return fmt.Sprintf("%s: %s", b.Role, b.Purpose)
	case *event.Schedule:
		state := "valid"
		if !b.Valid {
			state = plural(len(b.Problems), "problem")
		}
		return fmt.Sprintf("schedule %d (%s): %s\n%s", b.Version, b.Mode, state, indented(b.Text, 9))
	case *event.ToolCall:
		return "→ " + b.Tool
	case *event.ToolResult:
		switch {
		case !b.OK:
			return fmt.Sprintf("✗ %s: %s", b.Code, b.Message)
		case verbose:
			return "  " + outputsText(b.Outputs)
		}
	case *event.Check:
		if !b.Passed {
			return fmt.Sprintf("check %s: %s", b.Name, b.Reason)
		}
	case *event.Budget:
		return fmt.Sprintf("budget %s is used up (%g of %g)", b.Name, b.Used, b.Limit)
	case *event.Error:
		return "error: " + b.Message
	}
	return ""
}

// outputsText is what a call gave, in a line.
func outputsText(outputs []event.Output) string {
	parts := make([]string, len(outputs))
	for i, o := range outputs {
		value := o.Kind
		if o.Value != nil {
			value = showPlain(o.Value)
		}
		parts[i] = strings.TrimSpace(o.Name + " = " + value + " " + o.Unit)
	}
	return strings.Join(parts, ", ")
}
