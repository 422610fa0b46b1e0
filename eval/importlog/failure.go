package importlog

import (
	"strings"
	"unicode"
)

// failureIn reads an error out of the text of a tool's reply, where the format has no mark for it: an object with a
// member error, or text that begins with "error". What it returns is the error, "" for none.
func failureIn(text string) string {
	t := strings.TrimSpace(text)
	if strings.HasPrefix(t, "{") {
		switch e := object(t)["error"].(type) {
		case nil:
			return ""
		case string:
			return e
		case bool:
			if !e {
				return ""
			}
		}
		return t
	}
	word := strings.FieldsFunc(t, func(c rune) bool { return !unicode.IsLetter(c) })
	if len(word) > 0 && strings.EqualFold(word[0], "error") && strings.HasPrefix(t, word[0]) {
		return t
	}
	return ""
}
