package reading

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// token is a word, a number or a symbol of the text.
type token struct {
	start, end int    // bytes
	text       string // as written
	fold       string // lower case, without accents; of a possessive, without its 's
	number     bool   // starts with a digit
	value      float64
	gap        bool // white space before it
}

// upper says whether a word starts with a capital letter.
func (t token) upper() bool {
	r, _ := utf8.DecodeRuneInString(t.text)
	return unicode.IsUpper(r)
}

func (t token) word() bool {
	r, _ := utf8.DecodeRuneInString(t.text)
	return unicode.IsLetter(r)
}

// tokens cuts text into words, numbers and symbols. A word starts with a letter and may hold digits ("nino34", "CO2",
// "km2"), and after digits a decimal point ("PM2.5"). A number may have thousands separators and an exponent.
func tokens(text string) []token {
	var list []token
	gap := true
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if unicode.IsSpace(r) || r == '\u00ad' {
			i, gap = i+size, true
			continue
		}
		t := token{start: i, gap: gap}
		switch {
		case r >= '0' && r <= '9':
			t.number = true
			t.end, t.value = numeral(text, i)
		case unicode.IsLetter(r):
			t.end = word(text, i)
		default:
			t.end = i + size
		}
		t.text = text[t.start:t.end]
		t.fold = fold(t.text)
		list = append(list, t)
		i, gap = t.end, false
	}
	return list
}

// word returns the end of the word that starts at i.
func word(text string, i int) int {
	digits := false
	for i < len(text) {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case unicode.IsLetter(r) || unicode.Is(unicode.Mn, r):
			digits = false
		case r >= '0' && r <= '9':
			digits = true
		case (r == '\'' || r == '’') && letterAt(text, i+size):
		case r == '.' && digits && digitAt(text, i+1):
		default:
			return i
		}
		i += size
	}
	return i
}

func letterAt(text string, i int) bool {
	r, _ := utf8.DecodeRuneInString(text[min(i, len(text)):])
	return unicode.IsLetter(r)
}

func digitAt(text string, i int) bool { return i < len(text) && text[i] >= '0' && text[i] <= '9' }

// numeral reads an unsigned number: 1234, 1,234.56, 0.5, 1e3. A comma counts only before groups of three digits, a
// point only before a digit.
func numeral(text string, i int) (end int, value float64) {
	start := i
	for digitAt(text, i) {
		i++
	}
	if i-start <= 3 {
		for threeDigits(text, i) {
			i += 4
		}
	}
	if i < len(text) && text[i] == '.' && digitAt(text, i+1) {
		for i++; digitAt(text, i); i++ {
		}
	}
	if i < len(text) && (text[i] == 'e' || text[i] == 'E') {
		j := i + 1
		if j < len(text) && (text[j] == '-' || text[j] == '+') {
			j++
		}
		k := j
		for digitAt(text, k) {
			k++
		}
		if k > j && !letterAt(text, k) { // "120E-160E" is no power of ten
			i = k
		}
	}
	return i, parseNumber(text[start:i])
}

// threeDigits says whether a comma and exactly three digits stand at i.
func threeDigits(text string, i int) bool {
	return i < len(text) && text[i] == ',' && digitAt(text, i+1) && digitAt(text, i+2) && digitAt(text, i+3) && !digitAt(text, i+4)
}

// fold brings a word to lower case without accents and possessive ending.
func fold(s string) string {
	ascii := true
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			ascii = false
			break
		}
	}
	if !ascii {
		var b strings.Builder
		for _, r := range norm.NFD.String(s) {
			switch {
			case unicode.Is(unicode.Mn, r):
			case r == '’':
				b.WriteByte('\'')
			case r == 'ø' || r == 'Ø':
				b.WriteByte('o')
			case r == 'ß':
				b.WriteString("ss")
			case r == 'ı':
				b.WriteByte('i')
			case r == 'æ' || r == 'Æ':
				b.WriteString("ae")
			default:
				b.WriteRune(r)
			}
		}
		s = b.String()
	}
	s = strings.ToLower(s)
	if n := len(s) - 2; n > 0 && s[n] == '\'' && s[n+1] == 's' {
		s = s[:n]
	}
	return s
}
