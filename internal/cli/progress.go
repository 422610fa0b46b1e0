package cli

import (
	"fmt"
	"strings"
	"time"

	"almanac/eval"
)

// progress tells where a run stands: one live line on a terminal, a plain line every few seconds elsewhere.
type progress struct {
	p    *program
	live bool
	last time.Time
	wide int
}

const plainEvery = 5 * time.Second

func newProgress(p *program) *progress { return &progress{p: p, live: terminal(p.Err)} }

func (b *progress) show(s eval.Progress) {
	if b.p.quiet {
		return
	}
	line := fmt.Sprintf("%d/%d  %s  %s  %d of %d solved  %d tokens", s.Done, s.Total, s.Setup, s.Task, s.Hits, s.SetupDone, s.Tokens)
	if s.Left > 0 {
		line += "  about " + s.Left.Round(time.Second).String() + " left"
	}
	if s.LastWasHarness {
		line += "  (the last one failed in the harness)"
	}
	if b.live {
		pad := max(0, b.wide-len(line))
		fmt.Fprintf(b.p.Err, "\r%s%s", line, strings.Repeat(" ", pad))
		b.wide = len(line)
		return
	}
	if now := time.Now(); now.Sub(b.last) >= plainEvery || s.Done == s.Total {
		b.last = now
		fmt.Fprintln(b.p.Err, line)
	}
}

// end closes the live line.
func (b *progress) end() {
	if b.live && b.wide > 0 {
		fmt.Fprintln(b.p.Err)
	}
}
