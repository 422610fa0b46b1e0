package reading

import (
	"math"
	"strconv"
	"strings"
)

// Forms in which a number is written.
const (
	Digits  = "digits"  // 1,234.56
	Word    = "word"    // twenty-five, half, a dozen
	Ordinal = "ordinal" // 95th, third
	MonthOf = "month"   // August: 8
	Signed  = "signed"  // 50°W: -50
)

// Number is a number of the text.
type Number struct {
	Value      float64
	Unit       string // UDUNITS-like; "" where none is written or the word does not tell ("degrees")
	Form       string
	Start, End int // bytes, with the unit
}

// Numbers returns every number that occurs in the text: digits, number words, ordinals, percentages and months, also
// those inside dates, coordinates and names. It decides what a literal may be, so it leaves nothing out; what a
// number is for is the business of [Reader.Read].
func Numbers(text string) []Number {
	ts := tokens(text)
	var list []Number
	for i := 0; i < len(ts); {
		if n, length := numberAt(ts, i); length > 0 {
			n = withUnit(ts, n, i+length, text)
			list = append(list, n)
			if c, ok := coordinateAt(ts, i, true); ok && c.value != n.Value {
				list = append(list, Number{c.value, "degree", Signed, n.Start, ts[c.next-1].end})
			}
			i += length
			continue
		}
		if m := monthOf(ts[i].fold); m > 0 {
			list = append(list, Number{float64(m), "", MonthOf, ts[i].start, ts[i].end})
		}
		list = append(list, inside(ts[i])...)
		i++
	}
	return shareUnits(list, text)
}

// inside finds the numbers in a word such as nino3.4 or day7.
func inside(t token) []Number {
	var list []Number
	for i := 0; i < len(t.text); i++ {
		if digitAt(t.text, i) {
			end, v := numeral(t.text, i)
			list = append(list, Number{v, "", Digits, t.start + i, t.start + end})
			i = end
		}
	}
	return list
}

// shareUnits gives the first number of "10 to 20 mm" the unit of the second.
func shareUnits(list []Number, text string) []Number {
	for i := len(list) - 2; i >= 0; i-- {
		a, b := &list[i], list[i+1]
		if a.Unit != "" || b.Unit == "" || a.Form != Digits || b.Form != Digits || b.Start < a.End {
			continue
		}
		switch strings.TrimSpace(text[a.End:b.Start]) {
		case "and", "to", "or", "-", "–", "—":
			a.Unit = b.Unit
		}
	}
	return list
}

// withUnit adds the unit that stands at token i, directly or after a hyphen.
func withUnit(ts []token, n Number, i int, text string) Number {
	j := i
	if j < len(ts) && ts[j].text == "-" && j+1 < len(ts) && !ts[j].gap && !ts[j+1].gap && ts[j+1].word() {
		j++
	}
	if unit, length := unitAt(ts, j); length > 0 {
		n.Unit, n.End = unit, ts[j+length-1].end
	} else if n.Form == Ordinal && j < len(ts) && (ts[j].fold == "percentile" || ts[j].fold == "centile") {
		n.Unit, n.End = "%", ts[j].end
	}
	return n
}

// numberAt reads a number at token i, its sign and multiplier included.
func numberAt(ts []token, i int) (Number, int) {
	start, sign, first := i, 1.0, i
	if s := signAt(ts, i); s > 0 {
		sign, first = -1, i+s
	}
	if first < len(ts) && ts[first].number {
		n := Number{Value: sign * ts[first].value, Form: Digits, Start: ts[start].start, End: ts[first].end}
		next := first + 1
		if next < len(ts) && !ts[next].gap && ordinalEnding(ts[next].fold) {
			n.Form, n.End = Ordinal, ts[next].end
			return n, next + 1 - start
		}
		if next < len(ts) && multiplier(ts[next].fold) > 0 {
			n.Value, n.End = n.Value*multiplier(ts[next].fold), ts[next].end
			next++
		}
		return n, next - start
	}
	v, length, form := wordsAt(ts, first)
	if length == 0 {
		return Number{}, 0
	}
	return Number{Value: sign * v, Form: form, Start: ts[start].start, End: ts[first+length-1].end}, first + length - start
}

// signAt is the number of tokens of a minus sign before a number: "-5", "−5", "minus five". A hyphen between two
// words or numbers is none.
func signAt(ts []token, i int) int {
	if i+1 >= len(ts) {
		return 0
	}
	switch ts[i].text {
	case "-", "−", "–":
		if ts[i+1].number && !ts[i+1].gap && (ts[i].gap || i > 0 && (ts[i-1].text == "(" || ts[i-1].text == "[" || ts[i-1].text == "=")) {
			return 1
		}
	default:
		if ts[i].fold == "minus" {
			return 1
		}
	}
	return 0
}

func ordinalEnding(s string) bool { return s == "st" || s == "nd" || s == "rd" || s == "th" }

func multiplier(s string) float64 {
	switch s {
	case "hundred":
		return 100
	case "thousand":
		return 1e3
	case "million":
		return 1e6
	case "billion":
		return 1e9
	}
	return 0
}

var (
	small = map[string]float64{"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
		"eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15,
		"sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19}
	tens = map[string]float64{"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70,
		"eighty": 80, "ninety": 90}
	ordinals = map[string]float64{"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6,
		"seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10, "eleventh": 11, "twelfth": 12, "fifteenth": 15, "twentieth": 20}
	single = map[string]float64{"half": 0.5, "dozen": 12, "twice": 2, "double": 2, "couple": 2, "decade": 10, "century": 100}
)

// wordsAt reads a number in words: "twenty-five", "a hundred and twenty", "two thousand", "one and a half".
func wordsAt(ts []token, i int) (value float64, length int, form string) {
	at := func(k int) string {
		if k < len(ts) {
			return ts[k].fold
		}
		return ""
	}
	if v, ok := ordinals[at(i)]; ok {
		return v, 1, Ordinal
	}
	if v, ok := single[at(i)]; ok {
		return v, 1, Word
	}
	var total, group float64
	k, used := i, 0
	if m := multiplier(at(i + 1)); at(i) == "a" && m > 0 {
		group, k, used = m, i+2, 2
	}
	for {
		w := at(k)
		s, isSmall := small[w]
		t, isTens := tens[w]
		m := multiplier(w)
		switch {
		case isTens && math.Mod(group, 100) == 0 && (used == 0 || group > 0 || total > 0):
			group += t
		case isSmall && (math.Mod(group, 100) == 0 || (s < 10 && s > 0 && math.Mod(group, 10) == 0 && math.Mod(group, 100) >= 20)) && (used == 0 || group > 0 || total > 0):
			group += s
		case m == 100 && group > 0 && group < 100:
			group *= 100
		case m > 100 && group > 0:
			total, group = total+group*m, 0
		case w == "-" && used > 0 && tens[at(k-1)] > 0 && small[at(k+1)] > 0:
			k++
			continue
		case w == "and" && used > 0 && (multiplier(at(k-1)) > 0) && (isWordNumber(at(k + 1))):
			k++
			continue
		default:
			if used > 0 && w == "and" && at(k+1) == "a" && at(k+2) == "half" {
				return total + group + 0.5, k + 3 - i, Word
			}
			return total + group, used, Word
		}
		k++
		used = k - i
	}
}

func isWordNumber(s string) bool { return small[s] > 0 || tens[s] > 0 }

func parseNumber(s string) float64 {
	v, err := strconv.ParseFloat(strings.ReplaceAll(s, ",", ""), 64)
	if err != nil {
		return math.MaxFloat64 // digits beyond float64: no value that a request can mean
	}
	return v
}
