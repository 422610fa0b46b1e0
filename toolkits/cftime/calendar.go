package cftime

import (
	"errors"
	"fmt"
	"strings"
)

// The canonical calendar names of CF.
const (
	Standard           = "standard"
	ProlepticGregorian = "proleptic_gregorian"
	Julian             = "julian"
	NoLeap             = "noleap"
	AllLeap            = "all_leap"
	Day360             = "360_day"
)

// ErrCalendar marks an unknown calendar name.
var ErrCalendar = errors.New("unknown calendar")

// CanonicalCalendar maps the names CF allows to the six constants; the empty
// name is standard, as CF says. The error wraps ErrCalendar.
func CanonicalCalendar(name string) (string, error) {
	switch strings.ToLower(strings.TrimSpace(name)) {
	case "", "standard", "gregorian":
		return Standard, nil
	case "proleptic_gregorian":
		return ProlepticGregorian, nil
	case "julian":
		return Julian, nil
	case "noleap", "365_day":
		return NoLeap, nil
	case "all_leap", "366_day":
		return AllLeap, nil
	case "360_day", "360":
		return Day360, nil
	}
	return "", fmt.Errorf("cftime: %w %q: known are standard (gregorian), proleptic_gregorian, julian, noleap (365_day), all_leap (366_day), 360_day", ErrCalendar, name)
}

// orStandard takes a time without a calendar (from a Period) as standard.
func orStandard(calendar string) string {
	if calendar == "" {
		return Standard
	}
	return calendar
}

// IsLeap reports whether the year has a 29 February in the calendar.
func IsLeap(calendar string, year int) bool {
	gregorian := year%4 == 0 && (year%100 != 0 || year%400 == 0)
	switch orStandard(calendar) {
	case AllLeap:
		return true
	case Julian:
		return year%4 == 0
	case ProlepticGregorian:
		return gregorian
	case Standard:
		return year < 1582 && year%4 == 0 || year >= 1582 && gregorian
	}
	return false
}

var monthLengths = [13]int{0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

// DaysInMonth is the number of days of a month (1 to 12); 0 for another
// number. October 1582 of the standard calendar has 21 days.
func DaysInMonth(calendar string, year, month int) int {
	switch {
	case month < 1 || month > 12:
		return 0
	case calendar == Day360:
		return 30
	case month == 2 && IsLeap(calendar, year):
		return 29
	case orStandard(calendar) == Standard && year == 1582 && month == 10:
		return 21
	}
	return monthLengths[month]
}

// DaysInYear is the number of days of a year.
func DaysInYear(calendar string, year int) int {
	n := 0
	for m := 1; m <= 12; m++ {
		n += DaysInMonth(calendar, year, m)
	}
	return n
}

// MeanMonthDays is the length in days of a month of a climatological year:
// February is 28.2425 in the Gregorian calendars, 28.25 in the Julian one.
func MeanMonthDays(calendar string, month int) float64 {
	if month == 2 {
		switch orStandard(calendar) {
		case Standard, ProlepticGregorian:
			return 28.2425
		case Julian:
			return 28.25
		}
	}
	return float64(DaysInMonth(calendar, 2001, month))
}

// dayNumber counts days from an origin of the calendar's own. Fields must be
// valid.
func dayNumber(calendar string, year, month, day int) int64 {
	switch orStandard(calendar) {
	case Day360:
		return int64(year)*360 + int64(month-1)*30 + int64(day-1)
	case NoLeap, AllLeap:
		n := int64(year) * int64(365)
		if calendar == AllLeap {
			n = int64(year) * 366
		}
		for m := 1; m < month; m++ {
			n += int64(DaysInMonth(calendar, year, m))
		}
		return n + int64(day-1)
	case Julian:
		return julianDay(year, month, day)
	case ProlepticGregorian:
		return gregorianDay(year, month, day)
	}
	if year < 1582 || year == 1582 && (month < 10 || month == 10 && day < 15) {
		return julianDay(year, month, day)
	}
	return gregorianDay(year, month, day)
}

// firstGregorian is the Julian day number of 15 October 1582.
const firstGregorian = 2299161

// The Julian day number of a date whose year begins in March, so that the
// leap day comes last: days before the month are (153 m + 2) / 5.
func marchDay(year, month, day int) (y, days int64) {
	y, m := int64(year), int64(month)
	if m <= 2 {
		y, m = y-1, m+12
	}
	return y, (153*(m-3)+2)/5 + int64(day)
}

func julianDay(year, month, day int) int64 {
	y, days := marchDay(year, month, day)
	return days + 365*y + floorDiv(y, 4) + 1721117
}

func gregorianDay(year, month, day int) int64 {
	y, days := marchDay(year, month, day)
	return days + 365*y + floorDiv(y, 4) - floorDiv(y, 100) + floorDiv(y, 400) + 1721119
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

// dateOf is the inverse of dayNumber.
func dateOf(calendar string, n int64) (year, month, day int) {
	switch orStandard(calendar) {
	case Day360:
		y := floorDiv(n, 360)
		r := int(n - y*360)
		return int(y), r/30 + 1, r%30 + 1
	case NoLeap, AllLeap:
		length := int64(365)
		if calendar == AllLeap {
			length = 366
		}
		y := floorDiv(n, length)
		return monthOf(calendar, int(y), int(n-y*length))
	case Julian:
		return fromMarch(n-1721118, false)
	case ProlepticGregorian:
		return fromMarch(n-1721120, true)
	}
	if n < firstGregorian {
		return fromMarch(n-1721118, false)
	}
	return fromMarch(n-1721120, true)
}

// monthOf splits a zero-based day of the year.
func monthOf(calendar string, year, dayOfYear int) (int, int, int) {
	month := 1
	for dayOfYear >= DaysInMonth(calendar, year, month) {
		dayOfYear -= DaysInMonth(calendar, year, month)
		month++
	}
	return year, month, dayOfYear + 1
}

// fromMarch turns days since 1 March of year 0 into a date.
func fromMarch(n int64, gregorian bool) (year, month, day int) {
	var y int64
	if gregorian {
		era := floorDiv(n, 146097)
		r := n - era*146097
		y = era*400 + (r-r/1460+r/36524-r/146096)/365
	} else {
		era := floorDiv(n, 1461)
		r := n - era*1461
		y = era*4 + (r-r/1460)/365
	}
	start := 365*y + floorDiv(y, 4)
	if gregorian {
		start += floorDiv(y, 400) - floorDiv(y, 100)
	}
	d := n - start
	m := (5*d + 2) / 153
	day = int(d-(153*m+2)/5) + 1
	month = int(m) + 3
	if month > 12 {
		month -= 12
		y++
	}
	return int(y), month, day
}
