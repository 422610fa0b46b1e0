package cftime

import (
	"cmp"
	"errors"
	"fmt"
	"time"
)

// ErrDate marks a date that its calendar does not have.
var ErrDate = errors.New("no such date")

// Time is a moment in a calendar, in UTC. The zero Time is not a date
// (IsZero). Times may be compared with ==, but Compare is usually meant.
type Time struct {
	Year, Month, Day     int
	Hour, Minute, Second int
	Nanosecond           int
	Calendar             string // one of the constants; empty in a Period, which has none
}

const secondsPerDay = 86400

// New makes midnight of a date; the error wraps ErrDate or ErrCalendar.
func New(calendar string, year, month, day int) (Time, error) {
	name, err := CanonicalCalendar(calendar)
	if err != nil {
		return Time{}, err
	}
	t := Time{Year: year, Month: month, Day: day, Calendar: name}
	return t, t.Valid()
}

// maxYear keeps arithmetic far from overflow; no axis goes there.
const maxYear = 1_000_000_000

// Valid says whether the time exists in its calendar; the error wraps ErrDate.
func (t Time) Valid() error {
	days := DaysInMonth(t.Calendar, t.Year, t.Month)
	gap := orStandard(t.Calendar) == Standard && t.Year == 1582 && t.Month == 10
	switch {
	case t.Year > maxYear || t.Year < -maxYear:
		return fmt.Errorf("cftime: %w: year %d", ErrDate, t.Year)
	case days == 0:
		return fmt.Errorf("cftime: %w: month %d", ErrDate, t.Month)
	case gap && (t.Day < 1 || t.Day > 31 || t.Day > 4 && t.Day < 15):
		return fmt.Errorf("cftime: %w: 1582-10-%02d, between the Julian 4 and the Gregorian 15 October", ErrDate, t.Day)
	case !gap && (t.Day < 1 || t.Day > days):
		return fmt.Errorf("cftime: %w: %04d-%02d-%02d in calendar %s, where the month has %d days", ErrDate, t.Year, t.Month, t.Day, orStandard(t.Calendar), days)
	case t.Hour < 0 || t.Hour > 23 || t.Minute < 0 || t.Minute > 59 || t.Second < 0 || t.Second > 59 || t.Nanosecond < 0 || t.Nanosecond > 999_999_999:
		return fmt.Errorf("cftime: %w: time of day %02d:%02d:%02d", ErrDate, t.Hour, t.Minute, t.Second)
	}
	return nil
}

// IsZero reports whether t is the zero Time.
func (t Time) IsZero() bool { return t == Time{} }

// Compare orders by the fields from year to nanosecond, whatever the
// calendars: -1, 0 or 1.
func (t Time) Compare(u Time) int {
	return cmp.Or(
		cmp.Compare(t.Year, u.Year), cmp.Compare(t.Month, u.Month), cmp.Compare(t.Day, u.Day),
		cmp.Compare(t.Hour, u.Hour), cmp.Compare(t.Minute, u.Minute), cmp.Compare(t.Second, u.Second),
		cmp.Compare(t.Nanosecond, u.Nanosecond),
	)
}

// Before reports t < u by Compare.
func (t Time) Before(u Time) bool { return t.Compare(u) < 0 }

// DayNumber counts days from a fixed origin of the calendar (the Julian day
// number in the real calendars). Only differences within one calendar mean
// anything.
func (t Time) DayNumber() int64 { return dayNumber(t.Calendar, t.Year, t.Month, t.Day) }

// dayFraction is the time of day in days.
func (t Time) dayFraction() float64 {
	return (float64(t.Hour*3600+t.Minute*60+t.Second) + float64(t.Nanosecond)/1e9) / secondsPerDay
}

// DaysSince is t - u in days; both must have the same calendar.
func (t Time) DaysSince(u Time) float64 {
	return float64(t.DayNumber()-u.DayNumber()) + (t.dayFraction() - u.dayFraction())
}

// DayOfYear is 1 for 1 January.
func (t Time) DayOfYear() int {
	return int(t.DayNumber()-dayNumber(t.Calendar, t.Year, 1, 1)) + 1
}

// AddDays moves by whole days in the calendar.
func (t Time) AddDays(n int) Time {
	out := t
	out.Year, out.Month, out.Day = dateOf(t.Calendar, t.DayNumber()+int64(n))
	return out
}

// AddSeconds moves by seconds, to the microsecond.
func (t Time) AddSeconds(seconds float64) Time {
	whole := int64(seconds)
	micro := int64((seconds-float64(whole))*1e6 + 0.5)
	if seconds < 0 {
		micro = int64((seconds-float64(whole))*1e6 - 0.5)
	}
	return t.addMicroseconds(whole, micro)
}

func (t Time) addMicroseconds(seconds, micro int64) Time {
	nano := int64(t.Nanosecond) + micro*1000
	carry := floorDiv(nano, 1_000_000_000)
	seconds += carry + int64(t.Hour*3600+t.Minute*60+t.Second)
	days := floorDiv(seconds, secondsPerDay)
	ofDay := int(seconds - days*secondsPerDay)
	out := Time{Calendar: t.Calendar, Nanosecond: int(nano - carry*1_000_000_000)}
	out.Year, out.Month, out.Day = dateOf(t.Calendar, t.DayNumber()+days)
	out.Hour, out.Minute, out.Second = ofDay/3600, ofDay/60%60, ofDay%60
	return out
}

// AddMonths moves by calendar months and keeps the day of the month; when
// the target month lacks that day the error wraps ErrDate.
func (t Time) AddMonths(n int) (Time, error) {
	out := t
	month := int64(t.Year)*12 + int64(t.Month-1) + int64(n)
	out.Year = int(floorDiv(month, 12))
	out.Month = int(month-floorDiv(month, 12)*12) + 1
	return out, out.Valid()
}

// MonthStart is midnight of the first day of t's month.
func (t Time) MonthStart() Time {
	return Time{Year: t.Year, Month: t.Month, Day: 1, Calendar: t.Calendar}
}

// DayStart is midnight of t's day.
func (t Time) DayStart() Time {
	return Time{Year: t.Year, Month: t.Month, Day: t.Day, Calendar: t.Calendar}
}

// FromTime takes the UTC fields of a time.Time into the standard calendar.
func FromTime(t time.Time) Time {
	t = t.UTC()
	return Time{t.Year(), int(t.Month()), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), Standard}
}

// Go is the time.Time of a moment in a real calendar from 15 October 1582 on
// (or any proleptic_gregorian one); other times have none and are an error.
func (t Time) Go() (time.Time, error) {
	calendar := orStandard(t.Calendar)
	real := calendar == ProlepticGregorian || calendar == Standard && t.DayNumber() >= firstGregorian
	if !real {
		return time.Time{}, fmt.Errorf("cftime: %s in calendar %s has no time.Time", t, calendar)
	}
	return time.Date(t.Year, time.Month(t.Month), t.Day, t.Hour, t.Minute, t.Second, t.Nanosecond, time.UTC), nil
}

// String is ISO 8601: the date alone at midnight, otherwise date and time.
func (t Time) String() string {
	year := fmt.Sprintf("%04d", t.Year)
	if t.Year < 0 {
		year = fmt.Sprintf("-%04d", -t.Year)
	}
	s := fmt.Sprintf("%s-%02d-%02d", year, t.Month, t.Day)
	switch {
	case t.Hour == 0 && t.Minute == 0 && t.Second == 0 && t.Nanosecond == 0:
		return s
	case t.Nanosecond != 0:
		return s + fmt.Sprintf("T%02d:%02d:%02d.%06d", t.Hour, t.Minute, t.Second, t.Nanosecond/1000)
	case t.Second != 0:
		return s + fmt.Sprintf("T%02d:%02d:%02d", t.Hour, t.Minute, t.Second)
	}
	return s + fmt.Sprintf("T%02d:%02d", t.Hour, t.Minute)
}
