package reading

import "strings"

// Words that compare: the first list before "than", each with what "no … than" makes of it.
var (
	greater = words("more higher greater larger hotter warmer stronger longer bigger deeper wetter faster steeper heavier taller milder")
	lesser  = words("less lower fewer smaller colder cooler weaker shorter shallower slower drier lighter")
)

func words(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range nameWords(s) {
		m[w] = true
	}
	return m
}

// inverse is what a negated comparison says.
var inverse = map[string]string{Above: AtMost, AtLeast: Below, Below: AtLeast, AtMost: Above}

// cueAt reads a comparison at token i that stands before its number: its meaning, its length, and how many words may
// stand between it and the number.
func (r *run) cueAt(i int) (meaning string, length, reach int) {
	w, next := r.fold(i), r.fold(i+1)
	switch {
	case greater[w] && next == "than":
		return Above, 2, 4
	case lesser[w] && next == "than":
		return Below, 2, 4
	case w == "at" && next == "least":
		return AtLeast, 2, 3
	case w == "at" && next == "most":
		return AtMost, 2, 3
	case w == "up" && next == "to":
		return AtMost, 2, 0
	case (w == "minimum" || w == "maximum") && next == "of" && r.fold(i-1) == "a":
		return map[string]string{"minimum": AtLeast, "maximum": AtMost}[w], 2, 0
	case w == "less" || w == "more" || w == "to":
		return "", 0, 0
	case w == ">" && next == "=", w == "<" && next == "=":
		return map[string]string{">": AtLeast, "<": AtMost}[w], 2, 1
	}
	switch w {
	case "above":
		return Above, 1, 4
	case "exceed", "exceeds", "exceeded", "exceeding", "surpass", "surpasses", "surpassed", "surpassing":
		return Above, 1, 4
	case "over", "past", "beyond", "topped", "tops":
		return Above, 1, 0
	case "top": // the verb, not "the top 10 %"
		if before := r.fold(i - 1); before != "" && before != "the" && before != "of" && before != "." && !r.percent(i+1) {
			return Above, 1, 0
		}
	case "below", "underneath", "beneath":
		return Below, 1, 4
	case "under":
		return Below, 1, 0
	case "reach", "reaches", "reached", "reaching":
		return AtLeast, 1, 0
	case ">":
		return Above, 1, 1
	case "<":
		return Below, 1, 1
	case "≥":
		return AtLeast, 1, 1
	case "≤":
		return AtMost, 1, 1
	}
	return "", 0, 0
}

// filler may stand between a comparison and its number.
var filler = words("a an the about around approximately roughly some threshold limit base level value of temperature speed height mark its")

// ofYears says whether the comparison at token i may as well lead to a year: "drier than 2013", "over 2014".
func (r *run) ofYears(i int) bool {
	if r.fold(i+1) == "than" {
		return !counted[r.fold(i)]
	}
	return r.fold(i) == "over" || r.fold(i) == "past" || r.fold(i) == "beyond"
}

func (r *run) percent(i int) bool {
	unit, _ := unitAt(r.ts, i+1)
	return i < len(r.ts) && r.ts[i].number && unit == "%"
}

// comparison reads a comparison whose number follows.
func (r *run) comparison(i int) bool {
	meaning, length, reach := r.cueAt(i)
	if length == 0 {
		return false
	}
	j := i + length
	for skipped := 0; j < len(r.ts) && skipped <= reach && filler[r.fold(j)]; skipped++ {
		if _, n := numberAt(r.ts, j); n > 0 {
			break
		}
		j++
	}
	if j >= len(r.ts) {
		return false
	}
	n, taken := numberAt(r.ts, j)
	if _, year := r.yearAt(j); year && r.ofYears(i) && !r.quantity(j) {
		return false
	}
	if taken == 0 || n.Form == Ordinal || j > i+length+max(reach, 1) {
		return false
	}
	if after := r.afterNumber(j + taken); after != "" && meaning == AtLeast && r.fold(i) != "at" {
		return false // "reached 30 °C or more" is one comparison
	}
	start := r.ts[i].start
	if k := r.negation(i); k < i {
		meaning, start = inverse[meaning], r.ts[k].start
	}
	r.take(Item{Kind: KindComparison, Name: meaning, Start: start, End: r.ts[i+length-1].end}, i, i+length)
	return true
}

// negation returns the token of a "no" right before token i, or of a "not" or "never" up to two words further back,
// i where there is none.
func (r *run) negation(i int) int {
	if r.fold(i-1) == "no" || r.fold(i-1) == "without" {
		return i - 1
	}
	for k := i - 1; k >= i-3 && k >= 0 && r.ts[k].word(); k-- {
		switch w := r.ts[k].fold; {
		case w == "not" || w == "never" || strings.HasSuffix(w, "n't"):
			return k
		case w == "and" || w == "or" || w == "but" || w == "that":
			return i
		}
	}
	return i
}

// counted are comparative words whose number may be a count: after others four digits are a year, "drier than 2013".
var counted = words("more less fewer greater higher lower larger smaller")

// compared says whether a comparison stands right before token i, so that "above 2000" has no year.
func (r *run) compared(i int) bool {
	for _, back := range []int{1, 2} {
		if i-back >= 0 {
			if _, length, _ := r.cueAt(i - back); length == back && !r.ofYears(i-back) {
				return true
			}
		}
	}
	return false
}

// afterNumber reads "or more", "and above", "or less" at token i.
func (r *run) afterNumber(i int) string {
	_, unit := unitAt(r.ts, i)
	i += unit
	if w := r.fold(i); w != "or" && w != "and" {
		return ""
	}
	w := r.fold(i + 1)
	switch r.fold(i + 2) {
	case "than", "the", "a", "an", "all", "its", "this", "that", "each", "every":
		return "" // "all twelve months and over the region"
	}
	switch {
	case greater[w] || w == "above" || w == "over" || w == "upwards":
		return AtLeast
	case lesser[w] || w == "below" || w == "under":
		return AtMost
	}
	return ""
}

// after takes a comparison that follows its number, which ends before token i.
func (r *run) after(i int) {
	meaning := r.afterNumber(i)
	if meaning == "" || i+1 >= len(r.ts) {
		return
	}
	if _, n := numberAt(r.ts, i+2); n > 0 || r.fold(i) == "and" && greater[r.fold(i+1)] {
		return
	}
	r.take(Item{Kind: KindComparison, Name: meaning, Start: r.ts[i].start, End: r.ts[i+1].end}, i, i+2)
}
