// Package pyjson reads JSON as Python's json module writes and reads it: NaN, Infinity and -Infinity are numbers, whole
// numbers are exact at any size, and of two members with one key the last counts. Recorded runs of Python programs hold
// all of these, and encoding/json refuses or changes them.
//
// A [Reader] walks a document once and hands out the parts that are asked for; the rest is checked and passed over.
package pyjson

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// MaxDepth is how deep lists and objects may be nested.
const MaxDepth = 1000

// SyntaxError says where a text is not what was expected. Line and Column count from 1, columns in bytes.
type SyntaxError struct {
	Line, Column int
	Offset       int
	Want, Found  string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d (byte %d): expected %s, found %s", e.Line, e.Column, e.Offset, e.Want, e.Found)
}

// Kind is what a value is.
type Kind byte

// The kinds of values. None is the end of the text, or what is no value.
const (
	None Kind = iota
	Null
	Bool
	Number
	String
	Array
	Object
)

var kindNames = [...]string{"nothing", "null", "true or false", "a number", "text", "a list", "an object"}

func (k Kind) String() string { return kindNames[k] }

// Reader walks one JSON document. Make it with [NewReader].
type Reader struct {
	data  []byte
	pos   int
	depth int
}

// NewReader returns a reader of data, which must not change while the reader or what it handed out is in use. A byte
// order mark is passed over. The error says where data is no UTF-8.
func NewReader(data []byte) (*Reader, error) {
	r := &Reader{data: data}
	if !utf8.Valid(data) {
		for r.pos < len(data) {
			c, n := utf8.DecodeRune(data[r.pos:])
			if c == utf8.RuneError && n <= 1 {
				break
			}
			r.pos += n
		}
		return nil, r.fail("text in UTF-8")
	}
	r.pos = len(data) - len(bytes.TrimPrefix(data, []byte("\uFEFF")))
	return r, nil
}

// Fail is the error that something else was expected at the next value.
func (r *Reader) Fail(want string) error { return r.FailAt(r.Offset(), want) }

// FailAt is the error that something else was expected where offset is.
func (r *Reader) FailAt(offset int, want string) error {
	return (&Reader{data: r.data, pos: offset}).fail(want)
}

func (r *Reader) fail(want string) error {
	before := r.data[:r.pos]
	e := &SyntaxError{Line: bytes.Count(before, []byte("\n")) + 1, Offset: r.pos, Want: want, Found: "the end of the text"}
	e.Column = r.pos - bytes.LastIndexByte(before, '\n')
	if rest := r.data[r.pos:]; len(rest) > 0 {
		cut := rest[:min(len(rest), 24)]
		if i := bytes.IndexByte(cut, '\n'); i > 0 {
			cut = cut[:i]
		}
		e.Found = fmt.Sprintf("%q", cut)
	}
	return e
}

func (r *Reader) space() {
	for r.pos < len(r.data) {
		switch r.data[r.pos] {
		case ' ', '\t', '\n', '\r':
			r.pos++
		default:
			return
		}
	}
}

// Kind looks at the next value without reading it.
func (r *Reader) Kind() Kind {
	r.space()
	if r.pos == len(r.data) {
		return None
	}
	switch c := r.data[r.pos]; {
	case c == '"':
		return String
	case c == '{':
		return Object
	case c == '[':
		return Array
	case c == 'n':
		return Null
	case c == 't', c == 'f':
		return Bool
	case c == '-', c >= '0' && c <= '9', c == 'N', c == 'I':
		return Number
	}
	return None
}

// Offset is where the next value begins, in bytes.
func (r *Reader) Offset() int {
	r.space()
	return r.pos
}

// Since is what was read from an offset on.
func (r *Reader) Since(offset int) []byte { return r.data[offset:r.pos] }

// Array reads a list: each is called with the number of each entry and must read that one value.
func (r *Reader) Array(each func(i int) error) error {
	if r.Kind() != Array {
		return r.fail("a list")
	}
	return r.sequence(']', "a comma or ]", func(i int) error { return each(i) })
}

// Object reads an object: each is called with each key and must read that one value.
func (r *Reader) Object(each func(key string) error) error {
	if r.Kind() != Object {
		return r.fail("an object")
	}
	return r.sequence('}', "a comma or }", func(int) error {
		if r.Kind() != String {
			return r.fail("a key in quotes")
		}
		key, err := r.Text()
		if err != nil {
			return err
		}
		if err := r.colon(); err != nil {
			return err
		}
		return each(key)
	})
}

func (r *Reader) colon() error {
	r.space()
	if r.pos == len(r.data) || r.data[r.pos] != ':' {
		return r.fail("a colon")
	}
	r.pos++
	return nil
}

// sequence reads what stands between brackets, separated by commas; the opening one is next.
func (r *Reader) sequence(end byte, want string, each func(i int) error) error {
	if r.depth++; r.depth > MaxDepth {
		return r.fail(fmt.Sprintf("at most %d levels", MaxDepth))
	}
	r.pos++
	r.space()
	if r.pos < len(r.data) && r.data[r.pos] == end {
		r.pos++
		r.depth--
		return nil
	}
	for i := 0; ; i++ {
		if err := each(i); err != nil {
			return err
		}
		r.space()
		switch {
		case r.pos < len(r.data) && r.data[r.pos] == ',':
			r.pos++
		case r.pos < len(r.data) && r.data[r.pos] == end:
			r.pos++
			r.depth--
			return nil
		default:
			return r.fail(want)
		}
	}
}

// Raw checks the next value, passes over it and returns its bytes.
func (r *Reader) Raw() ([]byte, error) {
	r.space()
	start := r.pos
	if err := r.skip(); err != nil {
		return nil, err
	}
	return r.data[start:r.pos], nil
}

func (r *Reader) skip() error {
	switch r.Kind() {
	case String:
		return r.passText()
	case Number:
		return r.passNumber()
	case Null:
		return r.word("null")
	case Bool:
		if r.data[r.pos] == 't' {
			return r.word("true")
		}
		return r.word("false")
	case Array:
		return r.sequence(']', "a comma or ]", func(int) error { return r.skip() })
	case Object:
		return r.sequence('}', "a comma or }", func(int) error {
			if r.Kind() != String {
				return r.fail("a key in quotes")
			}
			if err := r.passText(); err != nil {
				return err
			}
			if err := r.colon(); err != nil {
				return err
			}
			return r.skip()
		})
	}
	return r.fail("a value")
}

func (r *Reader) word(w string) error {
	if !bytes.HasPrefix(r.data[r.pos:], []byte(w)) {
		return r.fail(w)
	}
	r.pos += len(w)
	return nil
}

// End checks that nothing follows.
func (r *Reader) End() error {
	if r.space(); r.pos < len(r.data) {
		return r.fail("the end of the text")
	}
	return nil
}
