package pyjson

import (
	"encoding/binary"
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Literal is a number as it is written: "1", "1.0", "1e3", "NaN", "-Infinity".
type Literal string

// Text reads a string. A lone half of a surrogate pair, which JSON can hold and UTF-8 cannot, is kept as the three bytes
// that it would have, so that different texts stay different.
func (r *Reader) Text() (string, error) {
	if r.Kind() != String {
		return "", r.fail("text")
	}
	start := r.pos
	if err := r.passText(); err != nil {
		return "", err
	}
	return unquote(r.data[start+1 : r.pos-1]), nil
}

// plain marks the bytes of a string that stand for themselves.
var plain = func() (t [256]bool) {
	for c := 0x20; c < 256; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()

// allPlain reports whether eight bytes stand for themselves: none is a quote, a backslash or below 0x20. A byte of w^q is
// zero where w has the byte of q, and a borrow out of a zero byte shows in its high bit.
func allPlain(w uint64) bool {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	quote, slash := w^ones*'"', w^ones*'\\'
	return ((quote-ones)&^quote|(slash-ones)&^slash|(w-ones*0x20)&^w)&highs == 0
}

func (r *Reader) passText() error {
	data, i := r.data, r.pos+1
	for {
		for i+8 <= len(data) && allPlain(binary.LittleEndian.Uint64(data[i:])) {
			i += 8
		}
		for i < len(data) && plain[data[i]] {
			i++
		}
		switch {
		case i < len(data) && data[i] == '"':
			r.pos = i + 1
			return nil
		case i < len(data) && data[i] == '\\':
			n := escape(data[i:])
			if n == 0 {
				r.pos = i
				return r.fail(`an escape such as \n or \u00e9`)
			}
			i += n
		default:
			r.pos = i
			if i == len(data) {
				return r.fail("the closing quote of a text")
			}
			return r.fail("an escape instead of a control character")
		}
	}
}

// escape is the length of the escape that s begins with; 0 for none.
func escape(s []byte) int {
	if len(s) < 2 {
		return 0
	}
	switch s[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if _, ok := hex4(s[2:]); ok {
			return 6
		}
	}
	return 0
}

func hex4(s []byte) (rune, bool) {
	if len(s) < 4 {
		return 0, false
	}
	v, err := strconv.ParseUint(string(s[:4]), 16, 16)
	return rune(v), err == nil
}

var escapes = map[byte]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// unquote turns the checked inside of a string into what it stands for.
func unquote(s []byte) string {
	i := 0
	for i < len(s) && s[i] != '\\' {
		i++
	}
	if i == len(s) {
		return string(s)
	}
	out := append(make([]byte, 0, len(s)), s[:i]...)
	for i < len(s) {
		if s[i] != '\\' {
			out, i = append(out, s[i]), i+1
			continue
		}
		if s[i+1] != 'u' {
			out, i = append(out, escapes[s[i+1]]), i+2
			continue
		}
		c, _ := hex4(s[i+2:])
		i += 6
		if utf16.IsSurrogate(c) {
			if i+6 <= len(s) && s[i] == '\\' && s[i+1] == 'u' {
				low, _ := hex4(s[i+2:])
				if whole := utf16.DecodeRune(c, low); whole != utf8.RuneError {
					out, i = utf8.AppendRune(out, whole), i+6
					continue
				}
			}
			out = append(out, 0xE0|byte(c>>12), 0x80|byte(c>>6)&0x3F, 0x80|byte(c)&0x3F)
			continue
		}
		out = utf8.AppendRune(out, c)
	}
	return string(out)
}

func (r *Reader) passNumber() error {
	data, i := r.data, r.pos
	if data[i] == '-' {
		i++
	}
	for _, w := range []string{"NaN", "Infinity"} {
		if strings.HasPrefix(string(data[i:min(len(data), i+8)]), w) && (w != "NaN" || data[r.pos] != '-') {
			r.pos = i + len(w)
			return nil
		}
	}
	digits := func() bool {
		start := i
		for i < len(data) && data[i] >= '0' && data[i] <= '9' {
			i++
		}
		return i > start
	}
	if i < len(data) && data[i] == '0' {
		i++
	} else if !digits() {
		return r.fail("a number")
	}
	if i+1 < len(data) && data[i] == '.' && data[i+1] >= '0' && data[i+1] <= '9' {
		i++
		digits()
	}
	if i+1 < len(data) && data[i]|0x20 == 'e' {
		before := i
		i++
		if data[i] == '+' || data[i] == '-' {
			i++
		}
		if !digits() {
			i = before
		}
	}
	r.pos = i
	return nil
}

// Value reads any value: nil, bool, [Literal], string, []any or map[string]any.
func (r *Reader) Value() (any, error) {
	switch r.Kind() {
	case String:
		return r.Text()
	case Array:
		out := []any{}
		err := r.Array(func(int) error {
			v, err := r.Value()
			out = append(out, v)
			return err
		})
		return out, err
	case Object:
		out := map[string]any{}
		err := r.Object(func(key string) error {
			v, err := r.Value()
			out[key] = v
			return err
		})
		return out, err
	}
	raw, err := r.Raw()
	if err != nil {
		return nil, err
	}
	switch s := string(raw); s {
	case "null":
		return nil, nil
	case "true", "false":
		return s == "true", nil
	default:
		return Literal(s), nil
	}
}

// Parse reads a document that is one value.
func Parse(data []byte) (any, error) {
	r, err := NewReader(data)
	if err != nil {
		return nil, err
	}
	v, err := r.Value()
	if err != nil {
		return nil, err
	}
	return v, r.End()
}

// Whole reports whether the number is written as a whole one.
func (l Literal) Whole() bool { return !strings.ContainsAny(string(l), ".eENI") }

// Float is the number as a float64; one that is too large is infinite, as in Python.
func (l Literal) Float() float64 {
	// The literal was checked when it was read: what is left of an error is the range, where the value is ±Inf.
	v, _ := strconv.ParseFloat(string(l), 64)
	return v
}

// largest is the number of digits beyond which a whole number is no float64.
const largest = 309

func equalNumbers(a, b Literal) bool {
	switch {
	case a.Whole() && b.Whole():
		return integer(a) == integer(b)
	case b.Whole():
		a, b = b, a
	case !a.Whole():
		return a.Float() == b.Float()
	}
	if len(strings.TrimPrefix(string(a), "-")) > largest {
		return false
	}
	f := new(big.Float)
	y := b.Float()
	if y != y || y-y != 0 { // NaN or infinite
		return false
	}
	n, exact := f.SetFloat64(y).Int(nil)
	return exact == big.Exact && n.String() == integer(a)
}

// integer is the one way in which a whole number is written: JSON allows no leading zeros, but -0.
func integer(l Literal) string {
	if l == "-0" {
		return "0"
	}
	return string(l)
}

// Plain is a value with its literals as numbers of the standard library, every digit kept.
func Plain(v any) any {
	switch x := v.(type) {
	case Literal:
		return json.Number(x)
	case []any:
		out := make([]any, len(x))
		for i := range x {
			out[i] = Plain(x[i])
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(x))
		for k := range x {
			out[k] = Plain(x[k])
		}
		return out
	}
	return v
}
