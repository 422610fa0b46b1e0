package cftime

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// ErrPeriod marks a period that cannot be read.
var ErrPeriod = errors.New("unknown period")

// Period is a stretch of time with both ends included, or, when only Months
// is set, those months of any year (of a climatology or of every year). It
// has no calendar: it selects from an axis in any calendar by field order.
type Period struct {
	// Start and End are the first and the last moment; zero when the period
	// is months of any year.
	Start, End Time
	// Months are calendar months, 1 to 12, in the order of the season
	// (12, 1, 2 for DJF); nil when Start and End are set.
	Months []int
	// Text is the canonical spelling, which ParsePeriod reads back.
	Text string

	startDay, endDay bool // an end was written as a day, so that day must exist
}

// ParsePeriod reads a year ("2015"), a month ("2015-07", "July 2015"), a day
// ("2015-07-04"), a season ("DJF 2015", which starts in December 2014), a
// range of those ("1991/2020", both included), or months of any year
// ("August", "JJA", "June/August"). Errors wrap ErrPeriod.
func ParsePeriod(s string) (Period, error) {
	text := strings.Join(strings.Fields(s), " ")
	if first, last, ok := cutRange(text); ok {
		return parseRange(text, first, last)
	}
	p, ok := parseOne(text)
	if !ok {
		return Period{}, fmt.Errorf("cftime: %w %q: write a year 2015, a month 2015-07, a day 2015-07-04, a season DJF 2015, a range 1991/2020, or months of any year as August or JJA", ErrPeriod, s)
	}
	return p, p.check()
}

var yearRange = regexp.MustCompile(`^(\d{4}) ?[-–] ?(\d{4})$`)

func cutRange(text string) (first, last string, ok bool) {
	if m := yearRange.FindStringSubmatch(text); m != nil {
		return m[1], m[2], true
	}
	for _, separator := range []string{"/", " to ", " – ", ".."} {
		if first, last, ok := strings.Cut(text, separator); ok {
			return strings.TrimSpace(first), strings.TrimSpace(last), true
		}
	}
	return "", "", false
}

func parseRange(text, first, last string) (Period, error) {
	a, okA := parseOne(first)
	b, okB := parseOne(last)
	switch {
	case !okA || !okB:
		bad := first
		if okA {
			bad = last
		}
		return Period{}, fmt.Errorf("cftime: %w %q in range %q", ErrPeriod, bad, text)
	case (a.Months == nil) != (b.Months == nil):
		return Period{}, fmt.Errorf("cftime: %w %q: one end has a year, the other has none", ErrPeriod, text)
	case a.Months != nil:
		var months []int
		for m, last := a.Months[0], b.Months[len(b.Months)-1]; ; m = m%12 + 1 {
			months = append(months, m)
			if m == last {
				break
			}
		}
		return Period{Months: months, Text: MonthName(months[0]) + "/" + MonthName(months[len(months)-1])}, nil
	}
	p := Period{Start: a.Start, End: b.End, Text: a.Text + "/" + b.Text, startDay: a.startDay, endDay: b.endDay}
	if p.End.Before(p.Start) {
		return Period{}, fmt.Errorf("cftime: %w %q: it ends before it starts", ErrPeriod, text)
	}
	return p, p.check()
}

func parseOne(text string) (Period, bool) {
	if p, ok := parseNumeric(text); ok {
		return p, true
	}
	return parseNamed(text)
}

var numericPeriod = regexp.MustCompile(`^(-?\d{4})(?:-(\d{1,2})(?:-(\d{1,2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?Z?)?)?)?$`)

func parseNumeric(text string) (Period, bool) {
	m := numericPeriod.FindStringSubmatch(text)
	if m == nil {
		return Period{}, false
	}
	n := make([]int, len(m))
	for i := 1; i < len(m); i++ {
		if m[i] != "" {
			n[i], _ = strconv.Atoi(m[i]) // digits only, by the expression
		}
	}
	switch {
	case m[2] == "":
		return span(n[1], 1, n[1], 12, text), true
	case m[3] == "":
		return span(n[1], n[2], n[1], n[2], fmt.Sprintf("%s-%02d", m[1], n[2])), n[2] >= 1 && n[2] <= 12
	}
	start := Time{Year: n[1], Month: n[2], Day: n[3], Hour: n[4], Minute: n[5], Second: n[6]}
	end := endOfDay(start)
	if m[4] != "" {
		end = start
		if m[6] == "" {
			end.Second = 59
		}
		end.Nanosecond = 999_999_999
	}
	return Period{Start: start, End: end, Text: start.String(), startDay: true, endDay: true}, n[2] >= 1 && n[2] <= 12
}

// span covers whole months. Its last day is written 31 whatever the month:
// by field order that includes every day of the month in any calendar.
func span(y1, m1, y2, m2 int, text string) Period {
	return Period{
		Start: Time{Year: y1, Month: m1, Day: 1},
		End:   endOfDay(Time{Year: y2, Month: m2, Day: 31}),
		Text:  text,
	}
}

func endOfDay(t Time) Time {
	t.Hour, t.Minute, t.Second, t.Nanosecond = 23, 59, 59, 999_999_999
	return t
}

// parseNamed reads "August", "JJA", "August 2015", "DJF 2015", "2015 Aug".
func parseNamed(text string) (Period, bool) {
	words := strings.Fields(strings.NewReplacer(",", " ", "_", " ").Replace(text))
	year, hasYear, name := 0, false, ""
	for _, w := range words {
		n, err := strconv.Atoi(w)
		switch {
		case err == nil && !hasYear && len(w) == 4:
			year, hasYear = n, true
		case err != nil && name == "":
			name = w
		case err != nil && strings.EqualFold(w, "of"):
		default:
			return Period{}, false
		}
	}
	months, canonical := namedMonths(name)
	if months == nil {
		return Period{}, false
	}
	if !hasYear {
		return Period{Months: months, Text: canonical}, true
	}
	if len(months) == 1 {
		return span(year, months[0], year, months[0], fmt.Sprintf("%04d-%02d", year, months[0])), true
	}
	first := year
	if months[0] > months[len(months)-1] {
		first-- // a season over New Year has the year of its last month
	}
	return span(first, months[0], year, months[len(months)-1], fmt.Sprintf("%s %04d", canonical, year)), true
}

var monthNames = [13]string{"", "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}

// MonthName is the English name of month 1 to 12, "" for another number.
func MonthName(month int) string {
	if month < 1 || month > 12 {
		return ""
	}
	return monthNames[month]
}

const monthInitials = "JFMAMJJASONDJFMAMJJASOND"

// namedMonths reads a month name (at least three letters of it, or "Sept")
// or a season written in month initials (three to eleven of them).
func namedMonths(name string) (months []int, canonical string) {
	lower := strings.ToLower(strings.TrimSuffix(name, "."))
	for m := 1; m <= 12; m++ {
		full := strings.ToLower(monthNames[m])
		if lower == full || lower == full[:3] || m == 9 && lower == "sept" {
			return []int{m}, monthNames[m]
		}
	}
	initials := strings.ToUpper(name)
	if len(initials) < 3 || len(initials) > 11 {
		return nil, ""
	}
	i := strings.Index(monthInitials, initials)
	if i < 0 {
		return nil, ""
	}
	for k := range len(initials) {
		months = append(months, (i+k)%12+1)
	}
	return months, initials
}

// check refuses a written day that no calendar has.
func (p Period) check() error {
	for _, t := range []Time{p.Start, p.End} {
		if p.startDay || p.endDay {
			if t.Month < 1 || t.Month > 12 || t.Day < 1 || t.Day > 31 || t.Hour > 23 || t.Minute > 59 || t.Second > 59 {
				return fmt.Errorf("cftime: %w %q: no calendar has that date", ErrPeriod, p.Text)
			}
		}
	}
	return nil
}

// CheckCalendar says whether days written out in the period exist in the
// calendar: 2050-12-31 does not in 360_day, 2001-02-29 not in standard. The
// error wraps ErrDate. Years, months and seasons exist in every calendar.
func (p Period) CheckCalendar(calendar string) error {
	for _, end := range []struct {
		t       Time
		written bool
	}{{p.Start, p.startDay}, {p.End, p.endDay}} {
		if !end.written {
			continue
		}
		t := end.t
		t.Calendar = calendar
		if err := t.Valid(); err != nil {
			return fmt.Errorf("period %q: %w", p.Text, err)
		}
	}
	return nil
}

// IsZero reports a period that was never set.
func (p Period) IsZero() bool { return p.Start.IsZero() && p.Months == nil }

// AnyYear reports whether the period is months of any year.
func (p Period) AnyYear() bool { return p.Months != nil }

// Contains reports whether t lies in the period, both ends included.
func (p Period) Contains(t Time) bool {
	if p.Months != nil {
		return slices.Contains(p.Months, t.Month)
	}
	return t.Compare(p.Start) >= 0 && t.Compare(p.End) <= 0
}

// Between is the period from one day to another, both included.
func Between(first, last Time) Period {
	first.Calendar, last.Calendar = "", ""
	p := Period{Start: first.DayStart(), End: endOfDay(last.DayStart()), startDay: true, endDay: true}
	p.Text = p.Start.String() + "/" + last.DayStart().String()
	return p
}

// String is the canonical spelling, which ParsePeriod reads back.
func (p Period) String() string { return p.Text }

// MarshalText writes the canonical spelling.
func (p Period) MarshalText() ([]byte, error) { return []byte(p.Text), nil }

// UnmarshalText reads any spelling of ParsePeriod; empty is the zero Period.
func (p *Period) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*p = Period{}
		return nil
	}
	parsed, err := ParsePeriod(string(text))
	if err != nil {
		return err
	}
	*p = parsed
	return nil
}
