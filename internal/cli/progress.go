package cli

import (
	"fmt"
	"os"
	"strings"
	"time"

	"almanac/eval"

	"golang.org/x/term"
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
	setup := s.Setup
	if s.Model != "" {
		setup += " on " + s.Model
	}
	line := fmt.Sprintf("%d/%d  %s: %d of %d solved  %s  %d tokens", s.Done, s.Total, setup, s.Hits, s.SetupDone, s.Task, s.Tokens)
	if s.Left > 0 {
		line += "  about " + s.Left.Round(time.Second).String() + " left"
	}
	if s.LastWasHarness {
		line += "  (the last one failed in the harness)"
	}
	if b.live {
		cells := []rune(line)
		cells = cells[:min(len(cells), b.columns()-1)] // a line that wraps could not be written over
		pad := max(0, b.wide-len(cells))
		b.p.line("\r%s%s", string(cells), strings.Repeat(" ", pad))
		b.wide = len(cells)
		return
	}
	if now := time.Now(); now.Sub(b.last) >= plainEvery || s.Done == s.Total {
		b.last = now
		b.p.line("%s\n", line)
	}
}

// columns is the width of the terminal.
func (b *progress) columns() int {
	if f, ok := b.p.Err.(*os.File); ok {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 20 {
			return n
		}
	}
	return 80
}

// end closes the live line.
func (b *progress) end() {
	if b.live && b.wide > 0 {
		b.p.line("\n")
	}
}
