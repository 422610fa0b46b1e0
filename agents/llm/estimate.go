package llm

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// EstimateTokens guesses how many tokens a model reads in text, with white
// space in a row counted once: about 3.6 characters a token for English and
// code, one for scripts without spaces. It is good to about a third.
func EstimateTokens(text string) int {
	letters, wide := weigh(text)
	return int(float64(letters)/3.6) + wide
}

// LeastTokens is a number of tokens that text surely needs, for deciding that
// a prompt cannot fit or was cut: six characters a token.
func LeastTokens(text string) int {
	letters, wide := weigh(text)
	return letters/6 + wide/3
}

// weigh counts narrow characters, blanks in a row once, and wide ones.
func weigh(text string) (letters, wide int) {
	blank := false
	for _, r := range text {
		space := unicode.IsSpace(r)
		if space && blank {
			continue
		}
		blank = space
		if r >= 0x2E80 && r != utf8.RuneError {
			wide++
		} else {
			letters++
		}
	}
	return letters, wide
}

// Text is all that a model reads of a request, joined: what the estimates of
// its size go by.
func (r *Request) Text() string {
	var b strings.Builder
	for _, m := range r.Messages {
		b.WriteString(m.Role + "\n" + m.Content + "\n")
		for _, c := range m.ToolCalls {
			b.WriteString(c.Name + string(c.Arguments) + "\n")
		}
	}
	for _, t := range r.Tools {
		b.WriteString(t.Name + "\n" + t.Description + "\n" + string(t.Schema) + "\n")
	}
	return b.String()
}
