// Package stream watches a reply while it is being written: that it does not
// run away, that it comes in time, and that letters split over two pieces are
// put together again. Both network adapters use it.
package stream

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of a reply. The zero value has the defaults.
type Limits struct {
	Blanks int // white space in a row; default 400
	Bytes  int // of the whole text; default 64 KiB
	Pieces int // pieces of the stream; default no limit
}

const (
	defaultBlanks = 400
	defaultBytes  = 64 << 10
	checkEvery    = 64 // bytes between two looks for repetition
)

// repeatWindows are the stretches of text that are looked at for repetition: a
// window that is the same short piece at least minRepeats times over is a
// runaway. Tables and lists that people write do not come near it.
var repeatWindows = []int{800, 4000, 12000}

const minRepeats = 25

// Guard decides when a reply has run away. It is fed with [Guard.Add] and is
// for one reply and one goroutine.
type Guard struct {
	limits  Limits
	text    strings.Builder
	blanks  int
	pieces  int
	checked int
}

// NewGuard makes a Guard; nil limits are the defaults.
func NewGuard(limits *Limits) *Guard {
	g := &Guard{}
	if limits != nil {
		g.limits = *limits
	}
	if g.limits.Blanks == 0 {
		g.limits.Blanks = defaultBlanks
	}
	if g.limits.Bytes == 0 {
		g.limits.Bytes = defaultBytes
	}
	return g
}

// Add takes the next piece and says why the reply must be stopped; "" if it
// may go on.
func (g *Guard) Add(piece string) string {
	g.pieces++
	g.text.WriteString(piece)
	for _, r := range piece {
		if unicode.IsSpace(r) {
			g.blanks++
		} else {
			g.blanks = 0
		}
		if g.blanks > g.limits.Blanks {
			return fmt.Sprintf("more than %d blanks in a row", g.limits.Blanks)
		}
	}
	if g.text.Len() > g.limits.Bytes {
		return fmt.Sprintf("more than %d bytes", g.limits.Bytes)
	}
	if g.limits.Pieces > 0 && g.pieces > g.limits.Pieces {
		return fmt.Sprintf("more than %d pieces, beyond the token limit that was sent", g.limits.Pieces)
	}
	if g.text.Len()-g.checked >= checkEvery {
		g.checked = g.text.Len()
		return repeats(g.text.String())
	}
	return ""
}

// Text is what came so far.
func (g *Guard) Text() string { return g.text.String() }

// Check applies the guard to a reply that came in one piece.
func Check(text string, limits *Limits) string {
	g := NewGuard(limits)
	for at := 0; at < len(text); {
		end := min(at+checkEvery, len(text))
		for end < len(text) && !utf8.RuneStart(text[end]) {
			end++
		}
		if why := g.Add(text[at:end]); why != "" {
			return why
		}
		at = end
	}
	return ""
}

// repeats says whether the text ends in a short piece over and over.
func repeats(text string) string {
	for _, window := range repeatWindows {
		if len(text) < window {
			break
		}
		tail := text[len(text)-window:]
		if p := period(tail); p*minRepeats <= window {
			return fmt.Sprintf("%.40q over and over", tail[len(tail)-p:])
		}
	}
	return ""
}

// period is the length of the shortest piece of which s is a repetition, the
// last one possibly cut (by the prefix function of Knuth, Morris and Pratt).
func period(s string) int {
	border := make([]int, len(s))
	for i, k := 1, 0; i < len(s); i++ {
		for k > 0 && s[i] != s[k] {
			k = border[k-1]
		}
		if s[i] == s[k] {
			k++
		}
		border[i] = k
	}
	return len(s) - border[len(s)-1]
}
