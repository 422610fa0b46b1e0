package memory

import (
	"strings"
	"unicode"

	"github.com/kljensen/snowball/english"
)

// term is what a text is found by: a stem, a pair of neighbouring words, a line of the thesaurus, or a sort of number or
// name, with what one occurrence of it counts.
type term struct {
	key    string
	weight float64
}

// What terms count beside a stem's 1, chosen on the half dev of the held-out questions.
const (
	pairWeight   = 0.35 // "how far", "on average"
	kinWeight    = 0.9  // another word of the same line of the thesaurus
	askingWeight = 0.3  // a word of [asking]
)

// asking are words that lists of stop words have, and that tell what is asked for.
var asking = map[string]bool{
	"where": true, "when": true, "how": true, "which": true, "who": true, "above": true, "below": true, "over": true, "under": true,
	"between": true, "within": true, "than": true, "more": true, "most": true, "same": true, "again": true, "once": true, "no": true,
	"not": true, "any": true, "all": true, "each": true, "both": true, "other": true, "few": true, "only": true, "own": true, "if": true,
	"up": true, "down": true, "off": true, "out": true, "until": true, "through": true, "further": true, "before": true, "after": true,
	"have": true,
}

// termsOf splits a text into terms. A word with a capital letter inside a sentence is a name, whichever it is, unless
// described has it: the example that asks about Chile is no nearer to a question about Chile than to one about Peru.
func (th thesaurus) termsOf(text string, described map[string]bool) []term {
	var out []term
	stems := map[string]string{} // a long text says the same words again
	before := ""
	for i, w := range strings.FieldsFunc(text, notInWord) {
		lower := strings.ToLower(w)
		stem, ok := stems[lower]
		if !ok {
			stem = english.Stem(lower, true)
			stems[lower] = stem
		}
		if s := sortOf(w); s != "" && (s != name || i > 0 && !described[stem]) {
			stem = s
			out = append(out, term{stem, 1})
		} else {
			switch {
			case asking[lower]:
				out = append(out, term{stem, askingWeight})
			case len(w) > 1 && !english.IsStopWord(lower):
				out = append(out, term{stem, 1})
			}
			for _, line := range th[stem] {
				out = append(out, term{line, kinWeight})
			}
		}
		if before != "" {
			out = append(out, term{before + " " + stem, pairWeight})
		}
		before = stem
	}
	return out
}

// Sorts of words, under names that no word has.
const (
	name   = "#name"
	number = "#number"
	nth    = "#nth"
	year   = "#year"
)

// sortOf is the sort of a number, and [name] for what could be one; "" for an ordinary word.
func sortOf(w string) string {
	switch rest := strings.TrimLeft(w, "0123456789"); {
	case rest == w:
		if r := []rune(w); len(r) > 2 && unicode.IsUpper(r[0]) {
			return name
		}
	case rest == "" && len(w) == 4 && (w[0] == '1' || w[0] == '2'):
		return year
	case rest == "":
		return number
	case rest == "th", rest == "st", rest == "nd", rest == "rd":
		return nth
	}
	return ""
}

func notInWord(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// Stems splits a text into stemmed words, stop words left out.
func Stems(text string) []string {
	var out []string
	known := map[string]string{}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), notInWord) {
		if len(w) < 2 || english.IsStopWord(w) {
			continue
		}
		stem, ok := known[w]
		if !ok {
			stem = english.Stem(w, false)
			known[w] = stem
		}
		out = append(out, stem)
	}
	return out
}
