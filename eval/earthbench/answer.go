package earthbench

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// What is read out of an answer that names no choice.
const (
	Fail    = "FAIL"
	Unknown = "UNKNOWN"
)

// Letter reads the chosen letter out of the text of an answer, by the published rules: FAIL where the text is empty or
// has that word; the letter of the first <Answer>X<Answer>, else of the first <Answer>X</Answer>, in any case; else the
// last capital A to F that stands alone; else UNKNOWN.
func Letter(text string) string {
	if text == "" || strings.Contains(text, "FAIL") {
		return Fail
	}
	if l := tagged(text); l != "" {
		return l
	}
	if l := alone(text); l != "" {
		return l
	}
	return Unknown
}

// tagged finds the first letter between two opening tags, else the first between an opening and a closing one.
func tagged(text string) string {
	if strings.IndexByte(text, '<') < 0 {
		return ""
	}
	if len(text) == len("<Answer>A<Answer>") && text[:8] == "<Answer>" && text[9:] == "<Answer>" && isChoice(text[8]) { // most are
		return text[8:9]
	}
	text = strings.ReplaceAll(text, "ſ", "s") // which is an s where the case does not count
	closed := ""
	for {
		i := strings.IndexByte(text, '<')
		if i < 0 {
			return closed
		}
		text = text[i:]
		if rest, ok := cutFold(text, "<answer>"); ok && rest != "" && isChoice(rest[0]&^0x20) {
			letter := choices[rest[0]&^0x20-'A':][:1]
			if _, ok := cutFold(rest[1:], "<answer>"); ok {
				return letter
			}
			if _, ok := cutFold(rest[1:], "</answer>"); ok && closed == "" {
				closed = letter
			}
		}
		text = text[1:]
	}
}

// choices are the letters that an answer can be.
const choices = "ABCDEF"

// cutFold cuts a prefix of ASCII off, in any case.
func cutFold(s, prefix string) (string, bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}

func isChoice(c byte) bool { return c >= 'A' && c <= 'F' }

// alone finds the last capital A to F that has no letter, digit or underscore beside it.
func alone(text string) string {
	for i := len(text) - 1; i >= 0; i-- {
		if !isChoice(text[i]) {
			continue
		}
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		after, _ := utf8.DecodeRuneInString(text[i+1:])
		if (i == 0 || !isWord(before)) && (i+1 == len(text) || !isWord(after)) {
			return text[i : i+1]
		}
	}
	return ""
}

func isWord(c rune) bool { return c == '_' || unicode.IsLetter(c) || unicode.IsNumber(c) }

func isDigits(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(c rune) bool { return !unicode.IsDigit(c) })
}

// stripped is text without white space around it, as Python sees white space.
func stripped(s string) string {
	return strings.TrimFunc(s, func(c rune) bool { return unicode.IsSpace(c) || c >= 0x1c && c <= 0x1f })
}
