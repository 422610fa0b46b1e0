package reading

import "unicode"

// UnitsAsked are the units that a request names without a number: "How many square kilometres …" asks for one. Units
// written as a letter or two are left out, since they are words as well.
func UnitsAsked(text string) []string {
	ts := tokens(text)
	var out []string
	for i := 0; i < len(ts); i++ {
		unit, n := unitAt(ts, i)
		if n == 0 {
			continue
		}
		numbered := i > 0 && unicode.IsDigit(rune(ts[i-1].text[0]))
		if !numbered && (n > 1 || len(ts[i].text) > 2) {
			out = append(out, unit)
		}
		i += n - 1
	}
	return out
}
