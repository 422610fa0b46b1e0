// Package cftime is time as climate data knows it: dates in the calendars of
// the CF conventions, time axes ("days since 1950-01-01"), periods ("DJF
// 2015") and the labels that answers use.
//
// # Calendars
//
// The calendars are standard (Julian up to 4 October 1582, Gregorian from the
// 15th; also called gregorian), proleptic_gregorian, julian, noleap (365_day),
// all_leap (366_day) and 360_day. A date that a calendar does not have (30
// February in standard, 31 December in 360_day) is an error, never moved to
// another day. Year 0 exists and is the year before year 1, as in ISO 8601.
//
// # Comparing
//
// Times compare by their fields, so a period written without a calendar
// selects from an axis in any calendar. Arithmetic stays in the calendar of
// the time. There are no time zones: everything is UTC, and an offset in the
// reference of a time axis is applied, not dropped.
package cftime
