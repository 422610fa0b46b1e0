package cli

import (
	"fmt"
	"github.com/mattn/go-runewidth"
	"io"
	"strings"
)

// Colours of a terminal. They are left out elsewhere.
const (
	bold   = "1"
	faint  = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
	cyan   = "36"
)

// paint colours s where w is a terminal.
func paint(w io.Writer, colour, s string) string {
	if s == "" || !terminal(w) {
		return s
	}
	return "\x1b[" + colour + "m" + s + "\x1b[0m"
}

// textTable is rows of cells in aligned columns. The last column may be as long as it likes.
type textTable struct {
	head  []string
	rows  [][]string
	right map[int]bool // columns of numbers
}

func newTable(head ...string) *textTable { return &textTable{head: head, right: map[int]bool{}} }

// numbers marks columns that are aligned to the right.
func (t *textTable) numbers(columns ...int) *textTable {
	for _, c := range columns {
		t.right[c] = true
	}
	return t
}

func (t *textTable) add(cells ...string) { t.rows = append(t.rows, cells) }

// write writes the table; the heading is bold on a terminal.
func (t *textTable) write(w io.Writer) error {
	width := make([]int, len(t.head))
	for _, row := range append([][]string{t.head}, t.rows...) {
		for i, c := range row {
			width[i] = max(width[i], runewidth.StringWidth(c))
		}
	}
	var b strings.Builder
	line := func(row []string, colour string) {
		var l strings.Builder
		for i, c := range row {
			pad := strings.Repeat(" ", width[i]-runewidth.StringWidth(c))
			if t.right[i] {
				l.WriteString(pad + c + "  ")
			} else {
				l.WriteString(c + pad + "  ")
			}
		}
		text := strings.TrimRight(l.String(), " ")
		if colour != "" {
			text = paint(w, colour, text)
		}
		b.WriteString(text + "\n")
	}
	line(t.head, bold)
	for _, row := range t.rows {
		line(row, "")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// indented puts spaces before every line of a text.
func indented(text string, spaces int) string {
	pad := strings.Repeat(" ", spaces)
	return pad + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n"+pad)
}

// wrapped breaks a text into lines of at most width characters where it has spaces.
func wrapped(text string, width int) string {
	var b strings.Builder
	n := 0
	for i, w := range strings.Fields(text) {
		k := runewidth.StringWidth(w)
		switch {
		case i == 0:
		case n+1+k > width:
			b.WriteByte('\n')
			n = 0
		default:
			b.WriteByte(' ')
			n++
		}
		b.WriteString(w)
		n += k
	}
	return b.String()
}

// plural is "1 task" or "3 tasks".
func plural(n int, what string) string {
	if n == 1 {
		return fmt.Sprintf("1 %s", what)
	}
	return fmt.Sprintf("%d %ss", n, what)
}
