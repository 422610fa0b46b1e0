package schedule

import (
	"strings"
	"unicode/utf8"
)

// MaxSource is the longest text, in bytes, that is read as a schedule.
const MaxSource = 1 << 20

// MaxStatements is the largest number of statements of a schedule.
const MaxStatements = 5000

// chunk is one logical line: a statement with all the lines that its brackets
// span.
type chunk struct {
	text      string
	line, col int
	endLine   int
}

// comment is one '#' comment; own tells that nothing stands before it.
type comment struct {
	line int
	text string
	own  bool
}

// splitter cuts a text into logical lines and comments. It knows strings and
// brackets as Starlark does, and nothing else, so that one broken statement does
// not hide the others.
type splitter struct {
	src      string
	i        int
	line     int
	lineAt   int // offset of the current line's first byte
	depth    int
	start    int // offset of the current chunk, -1 when none is open
	startPos Pos
	last     int // end of the current chunk's last visible byte
	// resync lets a line that plainly starts a statement end an unclosed bracket.
	resync   bool
	chunks   []chunk
	comments []comment
}

func split(src string, resync bool) ([]chunk, []comment) {
	s := &splitter{src: src, line: 1, start: -1, resync: resync}
	for s.i < len(s.src) {
		s.step()
	}
	s.close()
	return s.chunks, s.comments
}

func (s *splitter) step() {
	c := s.src[s.i]
	switch {
	case c == '\n':
		s.newline()
	case c == '#':
		end := strings.IndexByte(s.src[s.i:], '\n')
		if end < 0 {
			end = len(s.src) - s.i
		}
		text := strings.TrimRight(s.src[s.i:s.i+end], " \t\r")
		own := strings.TrimSpace(s.src[s.lineAt:s.i]) == ""
		s.comments = append(s.comments, comment{line: s.line, text: text, own: own})
		s.i += end
	case c == ' ' || c == '\t' || c == '\r':
		s.i++
	case c == '\\' && s.i+1 < len(s.src) && s.src[s.i+1] == '\n':
		s.i += 2
		s.line++
		s.lineAt = s.i
	case c == '"' || c == '\'':
		s.open()
		s.str(c)
		s.last = s.i
	default:
		s.open()
		s.bracket(c)
		s.i++
		s.last = s.i
	}
}

func (s *splitter) bracket(c byte) {
	switch c {
	case '(', '[', '{':
		s.depth++
	case ')', ']', '}':
		s.depth = max(0, s.depth-1)
	}
}

func (s *splitter) newline() {
	s.i++
	if s.depth > 0 && s.resync && startsStatement(s.src[s.i:]) {
		s.depth = 0
	}
	if s.depth == 0 {
		s.close()
	}
	s.line++
	s.lineAt = s.i
}

// open starts a chunk at the current byte when none is open.
func (s *splitter) open() {
	if s.start >= 0 {
		return
	}
	s.start = s.i
	s.startPos = Pos{s.line, utf8.RuneCountInString(s.src[s.lineAt:s.i]) + 1}
}

func (s *splitter) close() {
	if s.start >= 0 {
		s.chunks = append(s.chunks, chunk{
			text: s.src[s.start:s.last], line: s.startPos.Line, col: s.startPos.Col, endLine: s.line})
	}
	s.start, s.depth = -1, 0
}

// str moves behind a string literal, or to the end of the line that leaves a
// single-quoted one open.
func (s *splitter) str(q byte) {
	triple := strings.Repeat(string(q), 3)
	if strings.HasPrefix(s.src[s.i:], triple) {
		s.i += 3
		for s.i < len(s.src) {
			switch {
			case strings.HasPrefix(s.src[s.i:], triple):
				s.i += 3
				return
			case s.src[s.i] == '\\' && s.i+1 < len(s.src) && s.src[s.i+1] != '\n':
				s.i++
			case s.src[s.i] == '\n':
				s.line++
				s.lineAt = s.i + 1
			}
			s.i++
		}
		return
	}
	for s.i++; s.i < len(s.src) && s.src[s.i] != '\n'; s.i++ {
		switch s.src[s.i] {
		case q:
			s.i++
			return
		case '\\':
			if s.i+1 < len(s.src) && s.src[s.i+1] != '\n' {
				s.i++
			}
		}
	}
}

// startsStatement tells whether a text begins, at the margin, like `x = a.b(`,
// `answer(` or `decline(`. An argument on a line of its own does not.
func startsStatement(text string) bool {
	if strings.HasPrefix(text, "answer(") || strings.HasPrefix(text, "decline(") {
		return true
	}
	name, rest := word(text)
	if name == "" {
		return false
	}
	rest = strings.TrimLeft(rest, " \t")
	if !strings.HasPrefix(rest, "=") || strings.HasPrefix(rest, "==") {
		return false
	}
	agent, rest := word(strings.TrimLeft(rest[1:], " \t"))
	if agent == "" || !strings.HasPrefix(rest, ".") {
		return false
	}
	tool, rest := word(rest[1:])
	return tool != "" && strings.HasPrefix(rest, "(")
}

// word cuts an identifier from the front of a text.
func word(text string) (name, rest string) {
	n := 0
	for n < len(text) && isWordByte(text[n], n == 0) {
		n++
	}
	return text[:n], text[n:]
}

func isWordByte(c byte, first bool) bool {
	switch {
	case c == '_', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= utf8.RuneSelf:
		return true
	case c >= '0' && c <= '9':
		return !first
	}
	return false
}

func isWord(text string) bool {
	name, rest := word(text)
	return name != "" && rest == ""
}
