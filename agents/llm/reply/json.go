package reply

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

const maxDepth = 100

// syntaxError says where a value cannot be read. cut is true if the text ends
// within the value.
type syntaxError struct {
	at      int
	message string
	cut     bool
}

func (e *syntaxError) Error() string { return fmt.Sprintf("%s at byte %d", e.message, e.at) }

// parser reads one JSON value, with the repairs that are allowed. Numbers stay
// as json.Number with the digits that were written.
type parser struct {
	s     string
	i     int
	fix   *fixes
	depth int
	lists int // lists that are open around the place

	// closeOpen allows brackets that are missing at the end of the text to be
	// added, if what stands there is complete without them.
	closeOpen bool
}

// parsePrefix reads the value at the start of s and returns where it ends.
func parsePrefix(s string, f *fixes, closeOpen bool) (v any, end int, err error) {
	p := &parser{s: s, fix: f, closeOpen: closeOpen}
	v, err = p.value()
	return v, p.i, err
}

// parseWhole reads s as one value with nothing around it but blanks and, as a
// repair, closing brackets too many.
func parseWhole(s string, f *fixes, closeOpen bool) (any, error) {
	v, end, err := parsePrefix(s, f, closeOpen)
	if err != nil {
		return nil, err
	}
	rest := strings.TrimSpace(s[end:])
	if rest == "" {
		return v, nil
	}
	if strings.Trim(rest, "]}) \t\r\n") == "" && f.use(FixStrayCloser) {
		return v, nil
	}
	return nil, &syntaxError{at: end, message: fmt.Sprintf("text after the value: %.20q", rest)}
}

func (p *parser) fail(format string, args ...any) error {
	return &syntaxError{at: p.i, message: fmt.Sprintf(format, args...), cut: p.i >= len(p.s)}
}

// space skips blanks and, as a repair, comments.
func (p *parser) space() {
	for p.i < len(p.s) {
		rest := p.s[p.i:]
		switch {
		case strings.IndexByte(" \t\r\n", rest[0]) >= 0:
			p.i++
		case (strings.HasPrefix(rest, "//") || rest[0] == '#') && p.fix.may(FixComment):
			p.fix.use(FixComment)
			n := strings.IndexByte(rest, '\n')
			if n < 0 {
				n = len(rest)
			}
			p.i += n
		case strings.HasPrefix(rest, "/*") && strings.Contains(rest, "*/") && p.fix.may(FixComment):
			p.fix.use(FixComment)
			p.i += strings.Index(rest, "*/") + 2
		default:
			return
		}
	}
}

func (p *parser) value() (any, error) {
	p.space()
	if p.i >= len(p.s) {
		return nil, p.fail("the text ends where a value is expected")
	}
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > maxDepth {
		return nil, p.fail("nested more than %d deep", maxDepth)
	}
	switch c := p.s[p.i]; {
	case c == '{':
		return p.object()
	case c == '[':
		return p.list(']')
	case c == '(' && p.fix.may(FixPython):
		p.fix.use(FixPython)
		return p.list(')')
	case c == '"':
		return p.str('"')
	case c == '\'' && p.fix.may(FixPython):
		p.fix.use(FixPython)
		return p.str('\'')
	case c == '-' || c == '+' || c == '.' || c >= '0' && c <= '9':
		return p.number()
	}
	return p.word()
}

func (p *parser) word() (any, error) {
	start := p.i
	for p.i < len(p.s) && isWord(p.s[p.i]) {
		p.i++
	}
	w := p.s[start:p.i]
	switch w {
	case "true":
		return true, nil
	case "false":
		return false, nil
	case "null":
		return nil, nil
	case "True", "False", "None":
		if p.fix.use(FixPython) {
			return map[string]any{"True": true, "False": false}[w], nil
		}
	}
	cut := p.i >= len(p.s)
	p.i = start
	return nil, &syntaxError{at: start, message: fmt.Sprintf("no JSON value: %.20q", p.s[start:]), cut: cut}
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func (p *parser) object() (any, error) {
	p.i++ // {
	obj := map[string]any{}
	comma := false // the last thing was a comma
	for first := true; ; first = false {
		p.space()
		if p.i >= len(p.s) {
			return p.missing(obj, first)
		}
		if p.s[p.i] == '}' {
			if comma && !p.fix.use(FixTrailingComma) {
				return nil, p.fail("a comma before }")
			}
			p.i++
			return obj, nil
		}
		comma = false
		if err := p.member(obj); err != nil {
			return nil, err
		}
		p.space()
		switch {
		case p.i >= len(p.s):
			return p.missing(obj, false)
		case p.s[p.i] == ',':
			p.i++
			comma = true
		case p.s[p.i] == '}':
			p.i++
			return obj, nil
		case p.s[p.i] == ']' && p.lists == 0 && p.fix.use(FixStrayCloser):
			p.i++ // closes nothing: no list is open
			p.space()
			if p.i < len(p.s) && p.s[p.i] == '}' {
				continue
			}
			return nil, p.fail("expected }")
		default:
			return nil, p.fail("expected a comma or }")
		}
	}
}

// missing ends a container at the end of the text. It is certain only after a
// whole value that cannot go on: not after a number, not after a comma, and
// not right after the opening bracket.
func (p *parser) missing(v any, empty bool) (any, error) {
	last := strings.TrimRight(p.s, " \t\r\n")
	if empty || last == "" || !p.closeOpen || !strings.ContainsRune("\"'}])eEl", rune(last[len(last)-1])) {
		return nil, p.fail("the text ends within a value")
	}
	if !p.fix.use(FixMissingCloser) {
		return nil, p.fail("the text ends within a value")
	}
	return v, nil
}

func (p *parser) member(obj map[string]any) error {
	key, err := p.key()
	if err != nil {
		return err
	}
	p.space()
	if p.i >= len(p.s) || p.s[p.i] != ':' {
		return p.fail("expected a colon after %q", key)
	}
	p.i++
	v, err := p.value()
	if err != nil {
		return err
	}
	if old, twice := obj[key]; twice && !reflect.DeepEqual(old, v) {
		return p.fail("the key %q occurs twice with different values", key)
	}
	obj[key] = v
	return nil
}

func (p *parser) key() (string, error) {
	switch c := p.s[p.i]; {
	case c == '"':
		return p.str('"')
	case c == '\'' && p.fix.use(FixPython):
		return p.str('\'')
	case isWord(c) && p.fix.may(FixBareKey):
		start := p.i
		for p.i < len(p.s) && isWord(p.s[p.i]) {
			p.i++
		}
		p.fix.use(FixBareKey)
		return p.s[start:p.i], nil
	}
	return "", p.fail("expected a key in quotes")
}

func (p *parser) list(closer byte) (any, error) {
	p.i++
	p.lists++
	defer func() { p.lists-- }()
	list := []any{}
	for first := true; ; first = false {
		p.space()
		if p.i >= len(p.s) {
			return p.missing(list, first)
		}
		if p.s[p.i] == closer {
			if !first && !p.fix.use(FixTrailingComma) {
				return nil, p.fail("a comma before %c", closer)
			}
			p.i++
			return list, nil
		}
		v, err := p.value()
		if err != nil {
			return nil, err
		}
		list = append(list, v)
		p.space()
		switch {
		case p.i >= len(p.s):
			return p.missing(list, false)
		case p.s[p.i] == ',':
			p.i++
		case p.s[p.i] == closer:
			p.i++
			if closer == ')' && len(list) == 1 {
				return list[0], nil // Python: a value in parentheses, not a tuple
			}
			return list, nil
		default:
			return nil, p.fail("expected a comma or %c", closer)
		}
	}
}

// number reads a number. A form that JSON does not have is rewritten if it has
// one meaning; a leading zero has two.
func (p *parser) number() (any, error) {
	start := p.i
	for p.i < len(p.s) && strings.IndexByte("+-.eE_0123456789", p.s[p.i]) >= 0 {
		p.i++
	}
	text := p.s[start:p.i]
	if validNumber(text) {
		return json.Number(text), nil
	}
	plain := strings.ReplaceAll(strings.TrimPrefix(text, "+"), "_", "")
	sign, digits := "", plain
	if strings.HasPrefix(plain, "-") {
		sign, digits = "-", plain[1:]
	}
	if strings.HasPrefix(digits, ".") {
		digits = "0" + digits
	}
	if strings.HasSuffix(digits, ".") {
		digits += "0"
	}
	if plain = sign + digits; validNumber(plain) && p.fix.use(FixNumberForm) {
		return json.Number(plain), nil
	}
	cut := p.i >= len(p.s)
	p.i = start
	return nil, &syntaxError{at: start, message: fmt.Sprintf("no number: %q", text), cut: cut}
}

// validNumber reports whether s is a number by JSON's grammar and finite.
func validNumber(s string) bool {
	if s == "" || !json.Valid([]byte(s)) || s[0] != '-' && (s[0] < '0' || s[0] > '9') {
		return false
	}
	f, err := strconv.ParseFloat(s, 64)
	return err == nil && !math.IsInf(f, 0)
}

func (p *parser) str(quote byte) (string, error) {
	p.i++
	var b strings.Builder
	for p.i < len(p.s) {
		c := p.s[p.i]
		switch {
		case c == quote:
			p.i++
			return b.String(), nil
		case c == '\\':
			if err := p.escape(&b, quote); err != nil {
				return "", err
			}
		case c == '\n' || c == '\r' || c == '\t':
			if !p.fix.use(FixRawNewline) {
				return "", p.fail("a line break or tab inside a string")
			}
			b.WriteByte(c)
			p.i++
		case c < 0x20:
			return "", p.fail("control character U+%04X inside a string", c)
		default:
			r, n := utf8.DecodeRuneInString(p.s[p.i:])
			if r == utf8.RuneError && n == 1 {
				return "", p.fail("a byte that is not UTF-8")
			}
			b.WriteString(p.s[p.i : p.i+n])
			p.i += n
		}
	}
	return "", p.fail("the text ends within a string")
}

func (p *parser) escape(b *strings.Builder, quote byte) error {
	if p.i+1 >= len(p.s) {
		p.i = len(p.s)
		return p.fail("the text ends within a string")
	}
	c := p.s[p.i+1]
	if plain, ok := simpleEscapes[c]; ok {
		b.WriteByte(plain)
		p.i += 2
		return nil
	}
	switch {
	case c == 'u':
		return p.unicode(b)
	case c == '\'' && (quote == '\'' || p.fix.use(FixEscape)):
		b.WriteByte('\'')
		p.i += 2
		return nil
	case c == 'x' && quote == '\'' && p.i+4 <= len(p.s):
		if n, err := strconv.ParseUint(p.s[p.i+2:p.i+4], 16, 8); err == nil {
			b.WriteRune(rune(n))
			p.i += 4
			return nil
		}
	}
	if c < 0x20 || c >= utf8.RuneSelf || !p.fix.use(FixEscape) {
		return p.fail("an escape that JSON does not have: %q", p.s[p.i:p.i+2])
	}
	b.WriteString(p.s[p.i : p.i+2])
	p.i += 2
	return nil
}

var simpleEscapes = map[byte]byte{
	'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}

// unicode reads \uXXXX, two of them for a surrogate pair.
func (p *parser) unicode(b *strings.Builder) error {
	r, ok := p.hex4(p.i)
	if !ok {
		if p.i+6 > len(p.s) {
			p.i = len(p.s)
		}
		return p.fail("a \\u escape without four hexadecimal digits")
	}
	if !utf16.IsSurrogate(r) {
		b.WriteRune(r)
		p.i += 6
		return nil
	}
	if low, ok := p.hex4(p.i + 6); ok {
		if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
			b.WriteRune(pair)
			p.i += 12
			return nil
		}
	}
	return p.fail("half a surrogate pair")
}

func (p *parser) hex4(at int) (rune, bool) {
	if at+6 > len(p.s) || p.s[at] != '\\' || p.s[at+1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(p.s[at+2:at+6], 16, 32)
	return rune(n), err == nil
}
