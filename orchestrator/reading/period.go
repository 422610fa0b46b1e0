package reading

import (
	"fmt"
	"strings"
)

// date is a year, a month, a day or a season as written; 0 means not given.
type date struct {
	year, month, day int
	season           string
	decade           bool
	next             int // token after it
}

var monthNames = []string{"", "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}

// monthOf is the number of a folded month name, 0 for another word.
func monthOf(s string) int {
	switch s {
	case "january", "jan":
		return 1
	case "february", "feb":
		return 2
	case "march", "mar":
		return 3
	case "april", "apr":
		return 4
	case "may":
		return 5
	case "june", "jun":
		return 6
	case "july", "jul":
		return 7
	case "august", "aug":
		return 8
	case "september", "sep", "sept":
		return 9
	case "october", "oct":
		return 10
	case "november", "nov":
		return 11
	case "december", "dec":
		return 12
	}
	return 0
}

var seasons = map[string]string{"djf": "DJF", "mam": "MAM", "jja": "JJA", "son": "SON",
	"winter": "winter", "spring": "spring", "summer": "summer", "autumn": "autumn", "fall": "autumn"}

// northern are the months of a season north of the equator; south of it they are half a year later.
var northern = map[string]string{"winter": "DJF", "spring": "MAM", "summer": "JJA", "autumn": "SON"}
var southern = map[string]string{"winter": "JJA", "spring": "SON", "summer": "DJF", "autumn": "MAM"}

// yearAt reads a year 1600 to 2200 written in four digits.
func (r *run) yearAt(i int) (int, bool) {
	if i >= len(r.ts) || !r.ts[i].number || len(r.ts[i].text) != 4 {
		return 0, false
	}
	y := int(r.ts[i].value)
	if y < 1600 || y > 2200 || float64(y) != r.ts[i].value {
		return 0, false
	}
	return y, true
}

// monthAt reads a month name that is meant as one: "may" and "march" are words too.
func (r *run) monthAt(i int) int {
	if i >= len(r.ts) {
		return 0
	}
	t := r.ts[i]
	m := monthOf(t.fold)
	if m == 0 || t.fold != "may" && t.fold != "march" && t.fold != "mar" && t.fold != "dec" && t.fold != "sep" && t.fold != "jan" {
		return m
	}
	before, after := r.fold(i-1), r.fold(i+1)
	if !t.upper() && !monthCue(before) && !(i+1 < len(r.ts) && r.ts[i+1].number) {
		return 0
	}
	if t.fold == "may" && (before == "" || before == "." || before == "?") && !dateCue(after) && !(i+1 < len(r.ts) && r.ts[i+1].number) {
		return 0
	}
	return m
}

// monthCue are words before a month.
func monthCue(s string) bool {
	switch s {
	case "in", "during", "of", "from", "to", "until", "till", "since", "through", "between", "and", "each", "every", "last", "next", "come", "-", "–", "month":
		return true
	}
	return false
}

func dateCue(s string) bool {
	return s == "to" || s == "and" || s == "through" || s == "until" || s == "-" || s == "–" || s == "," || s == "climatology"
}

func (r *run) fold(i int) string {
	if i < 0 || i >= len(r.ts) {
		return ""
	}
	return r.ts[i].fold
}

// dateAt reads one date at token i: 2015, 2015-07, 2015-07-04, July 2015, 4 July 2015, July 4, 2015, DJF 2015, winter
// of 2014/15, the 1990s, and without a year July, 4 July, DJF.
func (r *run) dateAt(i int) (date, bool) {
	if d, ok := r.isoAt(i); ok {
		return d, true
	}
	if r.fold(i) == "the" || r.fold(i) == "year" {
		if d, ok := r.dateAt(i + 1); ok && (d.decade || r.fold(i) == "year" || d.day > 0) {
			return d, true
		}
		return date{}, false
	}
	if d, ok := r.decadeAt(i); ok {
		return d, true
	}
	if y, ok := r.yearAt(i); ok {
		return date{year: y, next: i + 1}, true
	}
	if y, ok := r.shortYear(i); ok {
		return date{year: y, next: i + 2}, true
	}
	if m := r.monthAt(i); m > 0 {
		return r.afterMonth(date{month: m, next: r.dot(i + 1)}), true
	}
	if n, j := r.dayAt(i); n > 0 {
		if r.fold(j) == "of" {
			j++
		}
		if m := r.monthAt(j); m > 0 {
			return r.yearAfter(date{day: n, month: m, next: r.dot(j + 1)}), true
		}
	}
	if s, ok := seasons[r.fold(i)]; ok && i < len(r.ts) && (r.ts[i].fold != "son" || r.ts[i].text == "SON") && (r.ts[i].fold != "fall" || r.seasonal(i)) && (r.ts[i].fold != "spring" || r.seasonal(i)) {
		return r.seasonYear(date{season: s, next: i + 1}), true
	}
	return date{}, false
}

// seasonal tells the season from the verb "fall" and the water "spring".
func (r *run) seasonal(i int) bool {
	switch r.fold(i - 1) {
	case "in", "of", "during", "the", "last", "next", "each", "every", "from", "this", "and", "to", "for", "over", "through":
	default:
		return false
	}
	if r.fold(i-1) == "to" && r.ts[i].fold == "fall" {
		_, year := r.yearAt(i + 1)
		return year
	}
	return r.fold(i+1) != "in" && r.fold(i+1) != "on" && r.fold(i+1) != "water"
}

func (r *run) dot(i int) int {
	if i < len(r.ts) && r.ts[i].text == "." && !r.ts[i].gap && len(r.ts[i-1].text) <= 4 && i+1 < len(r.ts) && (r.ts[i+1].number) {
		return i + 1
	}
	return i
}

// isoAt reads 2015-07 and 2015-07-04.
func (r *run) isoAt(i int) (date, bool) {
	y, ok := r.yearAt(i)
	if !ok {
		return date{}, false
	}
	two := func(j, top int) int {
		if j+1 < len(r.ts) && r.ts[j].text == "-" && !r.ts[j].gap && !r.ts[j+1].gap && r.ts[j+1].number && len(r.ts[j+1].text) == 2 && int(r.ts[j+1].value) <= top {
			return int(r.ts[j+1].value)
		}
		return 0
	}
	m := two(i+1, 12)
	if m == 0 {
		return date{}, false
	}
	if d := two(i+3, 31); d > 0 {
		return date{year: y, month: m, day: d, next: i + 5}, true
	}
	return date{year: y, month: m, next: i + 3}, true
}

// decadeAt reads 1990s, 1990's, '90s and the nineties.
func (r *run) decadeAt(i int) (date, bool) {
	if i >= len(r.ts) {
		return date{}, false
	}
	words := map[string]int{"twenties": 1920, "thirties": 1930, "forties": 1940, "fifties": 1950, "sixties": 1960, "seventies": 1970, "eighties": 1980, "nineties": 1990}
	if y, ok := words[r.ts[i].fold]; ok && r.fold(i-1) == "the" {
		return date{year: y, decade: true, next: i + 1}, true
	}
	t, j := r.ts[i], i+1
	if (t.text == "'" || t.text == "’") && j < len(r.ts) && r.ts[j].number && len(r.ts[j].text) == 2 && !r.ts[j].gap {
		t, j = r.ts[j], j+1
	} else if y, ok := r.yearAt(i); !ok || y%10 != 0 {
		return date{}, false
	}
	if j < len(r.ts) && (r.ts[j].text == "'" || r.ts[j].text == "’") && !r.ts[j].gap {
		j++
	}
	if j >= len(r.ts) || r.ts[j].fold != "s" || r.ts[j].gap {
		return date{}, false
	}
	y := int(t.value)
	if y < 100 {
		y += 1900
	}
	return date{year: y - y%10, decade: true, next: j + 1}, true
}

// shortYear reads '97 after a word that a year follows. Years up to '29 are of this century.
func (r *run) shortYear(i int) (int, bool) {
	if i+1 >= len(r.ts) || r.ts[i].text != "'" && r.ts[i].text != "’" || !r.ts[i+1].number || len(r.ts[i+1].text) != 2 || r.ts[i+1].gap {
		return 0, false
	}
	y := int(r.ts[i+1].value)
	if y < 30 {
		return 2000 + y, true
	}
	return 1900 + y, true
}

// dayAt reads a day of the month: 4, 4th.
func (r *run) dayAt(i int) (day, next int) {
	if i >= len(r.ts) || !r.ts[i].number || len(r.ts[i].text) > 2 || r.ts[i].value < 1 || r.ts[i].value > 31 {
		return 0, i
	}
	next = i + 1
	if next < len(r.ts) && !r.ts[next].gap && ordinalEnding(r.ts[next].fold) {
		next++
	}
	return int(r.ts[i].value), next
}

// afterMonth reads what may follow a month: a year, or a day and a year.
func (r *run) afterMonth(d date) date {
	if with := r.yearAfter(d); with.year > 0 {
		return with
	}
	if n, j := r.dayAt(d.next); n > 0 {
		if unit, _ := unitAt(r.ts, j); unit == "" || unit == "degC" {
			with := r.yearAfter(date{day: n, month: d.month, next: j})
			if with.year > 0 || r.fold(j) != "°" && j > d.next+1 {
				return with
			}
		}
	}
	return d
}

// yearAfter adds the year that follows: "July 2015", "July of 2015", "July 4, 2015".
func (r *run) yearAfter(d date) date {
	j := d.next
	if w := r.fold(j); w == "of" || w == "," && d.day > 0 || w == "in" {
		j++
	}
	if y, ok := r.yearAt(j); ok && !r.quantity(j) {
		d.year, d.next = y, j+1
	}
	return d
}

// seasonYear adds the year of a season. A winter of two years counts to the second: "winter 2014/15" is DJF 2015.
func (r *run) seasonYear(d date) date {
	d = r.yearAfter(d)
	if d.year == 0 {
		return d
	}
	j := d.next
	if w := r.fold(j); w != "/" && w != "-" && w != "–" || j+1 >= len(r.ts) || r.ts[j].gap {
		return d
	}
	t := r.ts[j+1]
	short := t.number && len(t.text) == 2 && int(t.value) == (d.year+1)%100
	if y, ok := r.yearAt(j + 1); short || ok && y == d.year+1 {
		d.year, d.next = d.year+1, j+2
	}
	return d
}

// quantity says whether the number at token i has a unit, so that it is no year: "2000 m".
func (r *run) quantity(i int) bool {
	unit, length := unitAt(r.ts, i+1)
	if length == 0 && i+2 < len(r.ts) && r.ts[i+1].text == "-" && !r.ts[i+1].gap && !r.ts[i+2].gap {
		unit, length = unitAt(r.ts, i+2)
	}
	return length > 0 && unit != "s" && unit != "in" || r.fold(i+1) == "people" || r.fold(i+1) == "inhabitants"
}

// text writes a date for cftime.ParsePeriod.
func (d date) text(south bool) string {
	switch {
	case d.season != "":
		s := d.season
		if m, ok := northern[s]; ok {
			s = m
			if south {
				s = southern[d.season]
			}
		}
		if d.year > 0 {
			return fmt.Sprintf("%s %d", s, d.year)
		}
		return s
	case d.decade:
		return fmt.Sprintf("%d/%d", d.year, d.year+9)
	case d.year == 0:
		return monthNames[d.month]
	case d.month == 0:
		return fmt.Sprintf("%04d", d.year)
	case d.day == 0:
		return fmt.Sprintf("%04d-%02d", d.year, d.month)
	default:
		return fmt.Sprintf("%04d-%02d-%02d", d.year, d.month, d.day)
	}
}

// period reads a date or a range of dates at token i.
func (r *run) period(i int) bool {
	ts := r.ts
	first, ok := r.dateAt(i)
	if !ok || first.year > 0 && first.month == 0 && first.season == "" && !first.decade && (r.quantity(first.next-1) || r.compared(i)) {
		return false
	}
	it := Item{Kind: KindPeriod, Start: ts[i].start, End: ts[first.next-1].end}
	next := first.next
	if last, ok := r.rangeEnd(i, first); ok {
		if first.year == 0 && last.year > 0 && first.season == "" {
			first.year = last.year
			if first.month > last.month {
				first.year--
			}
		}
		it.Period = ends(first.text(r.south), 0) + "/" + ends(last.text(r.south), 1)
		it.End, next = ts[last.next-1].end, last.next
		if first.year == 0 && (first.day > 0 || last.day > 0) {
			return false
		}
	} else {
		switch {
		case first.year == 0 && first.season != "":
			it.Kind, it.Name, it.Period = KindSeason, first.season, first.text(r.south)
		case first.year == 0 && first.day > 0:
			return false
		case first.year == 0:
			it.Kind, it.Name, it.Period = KindMonth, monthNames[first.month], monthNames[first.month]
		default:
			it.Period = first.text(r.south)
		}
	}
	r.take(it, i, next)
	return true
}

// ends is the first or last part of a range.
func ends(text string, k int) string {
	if parts := strings.Split(text, "/"); len(parts) == 2 {
		return parts[k]
	}
	return text
}

// rangeEnd reads "to 1994", "–1994", "and 1994" (after between), "/83" after a date.
func (r *run) rangeEnd(i int, first date) (date, bool) {
	j := first.next
	switch r.fold(j) {
	case "to", "through", "until", "till", "-", "–", "—", "/":
	case "and":
		if r.fold(i-1) != "between" && !(r.fold(i-1) == "the" && r.fold(i-2) == "between") {
			return date{}, false
		}
	default:
		return date{}, false
	}
	if r.fold(j+1) == "the" {
		j++
	}
	last, ok := r.dateAt(j + 1)
	short := first.year > 0 && first.month == 0 && j+1 < len(r.ts) && r.ts[j+1].number && len(r.ts[j+1].text) == 2 && !r.ts[j+1].gap
	if !ok && short && first.year%100 < int(r.ts[j+1].value) {
		return date{year: first.year - first.year%100 + int(r.ts[j+1].value), next: j + 2}, true
	}
	if !ok || (first.season == "") != (last.season == "") && last.year == 0 || first.year > 0 && last.year == 0 || last.year > 0 && r.quantity(last.next-1) {
		return date{}, false
	}
	return last, last.year == 0 || first.year == 0 || last.year >= first.year
}
