package cftime

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// ErrAxis marks time units, or values of a time axis, that cannot be decoded.
var ErrAxis = errors.New("undecodable time axis")

// Axis is the meaning of the numbers of a time axis: how long one is, and
// from when they count.
type Axis struct {
	Unit      string // "day", "month", …, singular
	Reference Time   // in the calendar, in UTC
	Calendar  string // canonical

	seconds float64 // length of the unit; 0 for months and years
	months  int     // calendar months in the unit; 0 for the others
}

// ParseAxis reads the units attribute of a time axis, "<unit> since
// <reference>", in a calendar (empty is standard). A month or a year counts
// calendar months from the reference. Errors wrap ErrAxis, ErrCalendar or
// ErrDate.
func ParseAxis(units, calendar string) (Axis, error) {
	name, err := CanonicalCalendar(calendar)
	if err != nil {
		return Axis{}, err
	}
	fields := strings.Fields(units)
	if len(fields) < 3 || !isSince(fields[1]) {
		return Axis{}, fmt.Errorf("cftime: %w: units %q: want \"<unit> since <date>\"", ErrAxis, units)
	}
	a := Axis{Calendar: name}
	if err := a.setUnit(fields[0]); err != nil {
		return Axis{}, fmt.Errorf("cftime: %w: units %q: %w", ErrAxis, units, err)
	}
	a.Reference, err = parseReference(strings.Join(fields[2:], " "), name)
	if err != nil {
		return Axis{}, fmt.Errorf("cftime: %w: units %q in calendar %s: %w", ErrAxis, units, name, err)
	}
	return a, nil
}

func isSince(word string) bool {
	switch strings.ToLower(word) {
	case "since", "after", "from", "ref", "@":
		return true
	}
	return false
}

func (a *Axis) setUnit(word string) error {
	lower := strings.ToLower(word)
	if len(lower) > 2 {
		lower = strings.TrimSuffix(lower, "s")
	}
	switch lower {
	case "microsecond", "microsec":
		a.Unit, a.seconds = "microsecond", 1e-6
	case "millisecond", "millisec", "msec", "ms":
		a.Unit, a.seconds = "millisecond", 1e-3
	case "second", "sec", "s":
		a.Unit, a.seconds = "second", 1
	case "minute", "min":
		a.Unit, a.seconds = "minute", 60
	case "hour", "hr", "h":
		a.Unit, a.seconds = "hour", 3600
	case "day", "d":
		a.Unit, a.seconds = "day", secondsPerDay
	case "week":
		a.Unit, a.seconds = "week", 7*secondsPerDay
	case "month", "mon":
		a.Unit, a.months = "month", 1
	case "year", "yr":
		a.Unit, a.months = "year", 12
	case "common_year":
		a.Unit, a.seconds = "common_year", 365*secondsPerDay
		if a.Calendar != NoLeap {
			return fmt.Errorf("common_years are for calendar noleap only")
		}
	default:
		return fmt.Errorf("unknown time unit %q: known are second, minute, hour, day, week, month, year", word)
	}
	return nil
}

var (
	isoReference  = regexp.MustCompile(`^([+-]?\d{1,6})(?:-(\d{1,2})(?:-(\d{1,2}))?)?(?:[T ]+(.*))?$`)
	textReference = regexp.MustCompile(`^(\d{1,2})-([A-Za-z]{3})-(\d{1,4})(?:[T ]+(.*))?$`)
	clockPattern  = regexp.MustCompile(`^(\d{1,2})(?::(\d{1,2})(?::(\d{1,2})(?:\.(\d{0,9})\d*)?)?)?$`)
	zonePattern   = regexp.MustCompile(`^([+-])(\d{1,2})(?::?(\d{2}))?$`)
)

// parseReference reads "1950-01-01 12:00:00 +01:00" and Ferret's
// "14-JAN-1980 14:00:00". An offset is applied, so that the result is UTC.
func parseReference(text, calendar string) (Time, error) {
	t := Time{Month: 1, Day: 1, Calendar: calendar}
	clock := ""
	if m := isoReference.FindStringSubmatch(text); m != nil {
		t.Year = atoi(m[1])
		if m[2] != "" {
			t.Month = atoi(m[2])
		}
		if m[3] != "" {
			t.Day = atoi(m[3])
		}
		clock = m[4]
	} else if m := textReference.FindStringSubmatch(text); m != nil {
		months, _ := namedMonths(m[2])
		if len(months) != 1 {
			return t, fmt.Errorf("unknown month %q", m[2])
		}
		t.Day, t.Month, t.Year, clock = atoi(m[1]), months[0], atoi(m[3]), m[4]
	} else {
		return t, fmt.Errorf("cannot read the reference date %q: write it like 1950-01-01", text)
	}
	offset, err := t.setClock(strings.TrimSpace(clock))
	if err != nil {
		return t, err
	}
	if err := t.Valid(); err != nil {
		return t, err
	}
	return t.addMicroseconds(-int64(offset)*60, 0), nil
}

func atoi(digits string) int {
	n, _ := strconv.Atoi(digits) // digits only, by the expressions above
	return n
}

// setClock sets the time of day from "14:00:00.5 +01:00" and gives the offset
// from UTC in minutes.
func (t *Time) setClock(text string) (offset int, err error) {
	if text == "" {
		return 0, nil
	}
	zone := ""
	for _, suffix := range []string{"UTC", "GMT", "Z", "z"} {
		if cut, ok := strings.CutSuffix(text, suffix); ok {
			text = strings.TrimSpace(cut)
			break
		}
	}
	if i := strings.IndexAny(text, "+-"); i >= 0 {
		text, zone = strings.TrimSpace(text[:i]), text[i:]
	} else if clock, rest, ok := strings.Cut(text, " "); ok {
		text, zone = clock, "+"+strings.TrimSpace(rest)
	}
	if text != "" {
		m := clockPattern.FindStringSubmatch(text)
		if m == nil {
			return 0, fmt.Errorf("cannot read the time of day %q", text)
		}
		t.Hour, t.Minute, t.Second = atoi(m[1]), atoi("0"+m[2]), atoi("0"+m[3])
		t.Nanosecond = atoi((m[4] + "000000000")[:9])
	}
	if zone == "" {
		return 0, nil
	}
	m := zonePattern.FindStringSubmatch(zone)
	if m == nil {
		return 0, fmt.Errorf("cannot read the offset from UTC %q", zone)
	}
	offset = atoi(m[2])*60 + atoi("0"+m[3])
	if offset > 18*60 {
		return 0, fmt.Errorf("the offset from UTC %q is more than 18 hours", zone)
	}
	if m[1] == "-" {
		offset = -offset
	}
	return offset, nil
}

// maxAxisDays keeps the seconds of an axis within exact integers.
const maxAxisDays = 4e8

// Decode turns one number of the axis into a time, to the microsecond. A
// fraction of a month or year has no meaning and is an error: months have no
// fixed length. Errors wrap ErrAxis or ErrDate.
func (a Axis) Decode(value float64) (Time, error) {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return Time{}, fmt.Errorf("cftime: %w: value %g", ErrAxis, value)
	}
	if a.months != 0 {
		return a.decodeMonths(value)
	}
	if math.Abs(value)*a.seconds > maxAxisDays*secondsPerDay {
		return Time{}, fmt.Errorf("cftime: %w: %g %ss since %s is out of range", ErrAxis, value, a.Unit, a.Reference)
	}
	if a.seconds < 1 {
		micro := math.Round(value * a.seconds * 1e6)
		whole := math.Floor(micro / 1e6)
		return a.Reference.addMicroseconds(int64(whole), int64(micro-whole*1e6)), nil
	}
	// The whole part in exact seconds, the fraction apart: a large day number
	// times 86400e6 would lose microseconds.
	whole, fraction := math.Modf(value)
	micro := math.Round(fraction * a.seconds * 1e6)
	return a.Reference.addMicroseconds(int64(whole)*int64(a.seconds), int64(micro)), nil
}

func (a Axis) decodeMonths(value float64) (Time, error) {
	months := value * float64(a.months)
	if math.Abs(months) > maxAxisDays/30 {
		return Time{}, fmt.Errorf("cftime: %w: %g %ss since %s is out of range", ErrAxis, value, a.Unit, a.Reference)
	}
	if months != math.Trunc(months) {
		return Time{}, fmt.Errorf("cftime: %w: %g %ss since %s in calendar %s: a part of a month has no fixed length; only whole months count", ErrAxis, value, a.Unit, a.Reference, a.Calendar)
	}
	t, err := a.Reference.AddMonths(int(months))
	if err != nil {
		return Time{}, fmt.Errorf("cftime: %w: %g %ss since %s: %w", ErrAxis, value, a.Unit, a.Reference, err)
	}
	return t, nil
}

// Encode is the inverse of Decode. A time that is not a whole number of
// months from the reference cannot be written in months or years.
func (a Axis) Encode(t Time) (float64, error) {
	if t.Calendar != a.Calendar {
		return 0, fmt.Errorf("cftime: %w: time %s has calendar %q, the axis %q", ErrAxis, t, t.Calendar, a.Calendar)
	}
	if a.months != 0 {
		months := (t.Year-a.Reference.Year)*12 + t.Month - a.Reference.Month
		back, err := a.Reference.AddMonths(months)
		if err != nil || back != t {
			return 0, fmt.Errorf("cftime: %w: %s is not a whole number of months since %s", ErrAxis, t, a.Reference)
		}
		return float64(months) / float64(a.months), nil
	}
	days := t.DayNumber() - a.Reference.DayNumber()
	fraction := t.dayFraction() - a.Reference.dayFraction()
	return float64(days)*(secondsPerDay/a.seconds) + fraction*(secondsPerDay/a.seconds), nil
}

// String is the units attribute, "day since 1950-01-01 00:00:00".
func (a Axis) String() string {
	r := a.Reference
	s := fmt.Sprintf("%ss since %s %02d:%02d:%02d", a.Unit, r.DayStart(), r.Hour, r.Minute, r.Second)
	if r.Nanosecond != 0 {
		s += strings.TrimRight(fmt.Sprintf(".%09d", r.Nanosecond), "0")
	}
	return s
}

// Note says what a reader should be told about the axis, "" when nothing:
// months and years counted by the calendar, not by an average length.
func (a Axis) Note() string {
	if a.months == 0 {
		return ""
	}
	return fmt.Sprintf("%ss are counted as calendar months of %s from %s", a.Unit, a.Calendar, a.Reference)
}

// Decode decodes a whole axis: the units and calendar attributes of a file
// and its numbers. The note is that of Axis.Note.
func Decode(values []float64, units, calendar string) (times []Time, note string, err error) {
	a, err := ParseAxis(units, calendar)
	if err != nil {
		return nil, "", err
	}
	times = make([]Time, len(values))
	for i, v := range values {
		if times[i], err = a.Decode(v); err != nil {
			return nil, "", fmt.Errorf("time %d: %w", i, err)
		}
	}
	return times, a.Note(), nil
}

// Encode writes times as numbers in the units; all must have the calendar.
func Encode(times []Time, units, calendar string) ([]float64, error) {
	a, err := ParseAxis(units, calendar)
	if err != nil {
		return nil, err
	}
	values := make([]float64, len(times))
	for i, t := range times {
		if values[i], err = a.Encode(t); err != nil {
			return nil, fmt.Errorf("time %d: %w", i, err)
		}
	}
	return values, nil
}
