package cftime_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"almanac/toolkits/cftime"

	"pgregory.net/rapid"
)

func ExampleParsePeriod() {
	p, _ := cftime.ParsePeriod("DJF 2015")
	fmt.Println(p, "starts", p.Start)
	// Output: DJF 2015 starts 2014-12-01
}

func ExampleDecode() {
	times, _, _ := cftime.Decode([]float64{0, 59}, "days since 2001-01-01", "noleap")
	fmt.Println(times[0], times[1])
	// Output: 2001-01-01 2001-03-01
}

func date(t *testing.T, calendar string, y, m, d int) cftime.Time {
	t.Helper()
	out, err := cftime.New(calendar, y, m, d)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestFieldE30Calendar360Day(t *testing.T) {
	date(t, "360_day", 2000, 2, 30)
	p, err := cftime.ParsePeriod("2040-01-01/2050-12-31")
	if err != nil {
		t.Fatal(err)
	}
	err = p.CheckCalendar("360_day")
	if !errors.Is(err, cftime.ErrDate) || !strings.Contains(err.Error(), "2050-12-31") {
		t.Errorf("a range ending 2050-12-31 in 360_day: %v", err)
	}
	if year, _ := cftime.ParsePeriod("2050"); year.CheckCalendar("360_day") != nil || !year.Contains(date(t, "360_day", 2050, 12, 30)) {
		t.Error("the year 2050 exists in 360_day")
	}
}

func TestFieldE32DayOfYearShift(t *testing.T) {
	a, b := date(t, "standard", 2023, 3, 1), date(t, "standard", 2024, 3, 1)
	if a.DayOfYear() != 60 || b.DayOfYear() != 61 {
		t.Errorf("1 March is day %d and %d, want 60 and 61", a.DayOfYear(), b.DayOfYear())
	}
}

func TestFieldE33MonthsSince(t *testing.T) {
	axis, err := cftime.ParseAxis("months since 1960-01-01", "standard")
	if err != nil {
		t.Fatal(err)
	}
	one, err := axis.Decode(1)
	if err != nil || one.String() != "1960-02-01" || !strings.Contains(axis.Note(), "calendar months") {
		t.Errorf("1 is %s, %v, note %q", one, err, axis.Note())
	}
	_, err = axis.Decode(1.5)
	if !errors.Is(err, cftime.ErrAxis) || !strings.Contains(err.Error(), "month") || !strings.Contains(err.Error(), "standard") {
		t.Errorf("1.5: %v", err)
	}
}

func TestFieldE34MonthsSince360Day(t *testing.T) {
	times, _, err := cftime.Decode([]float64{64}, "months since 1995-01-01", "360_day")
	if err != nil || times[0].String() != "2000-05-01" {
		t.Errorf("64 is %v, %v", times, err)
	}
}

func TestFieldE47MonthLengths(t *testing.T) {
	// (31·10 + 28·40)/59 = 24.237…, (31·10 + 29·40)/60 = 24.5.
	for year, want := range map[int][2]float64{2023: {31, 28}, 2024: {31, 29}} {
		times := []cftime.Time{date(t, "standard", year, 1, 1), date(t, "standard", year, 2, 1)}
		days, err := cftime.StepDays(times, nil, cftime.InferFrequency(times))
		if err != nil || days[0] != want[0] || days[1] != want[1] {
			t.Errorf("%d: %v, %v, want %v", year, days, err, want)
		}
	}
}

func TestPeriods(t *testing.T) {
	for _, c := range []struct{ in, canonical, inside, outside string }{
		{"2015", "2015", "2015-12-31", "2016-01-01"},
		{"2015-02", "2015-02", "2015-02-28", "2015-03-01"},
		{"July 2015", "2015-07", "2015-07-31", "2015-08-01"},
		{"2015-07-04", "2015-07-04", "2015-07-04", "2015-07-05"},
		{"DJF 2015", "DJF 2015", "2014-12-01", "2015-12-01"},
		{"djf 2015", "DJF 2015", "2015-02-28", "2014-11-30"},
		{"JJA 2015", "JJA 2015", "2015-08-31", "2015-09-01"},
		{"1991/2020", "1991/2020", "2020-12-31", "2021-01-01"},
		{"1991-2020", "1991/2020", "1991-01-01", "1990-12-31"},
		{"1991 to 2020", "1991/2020", "1991-01-01", "1990-12-31"},
		{"2012-06-01/2012-08-31", "2012-06-01/2012-08-31", "2012-08-31", "2012-09-01"},
		{"August", "August", "1999-08-15", "1999-09-15"},
		{"jja", "JJA", "1999-06-01", "1999-05-31"},
		{"Nov/Feb", "November/February", "2001-01-15", "2001-03-15"},
	} {
		p, err := cftime.ParsePeriod(c.in)
		if err != nil || p.String() != c.canonical {
			t.Errorf("%q: %q, %v", c.in, p, err)
			continue
		}
		again, err := cftime.ParsePeriod(p.String())
		if err != nil || again.Start != p.Start || again.End != p.End || !slices.Equal(again.Months, p.Months) {
			t.Errorf("%q reads back as %+v, %v", p, again, err)
		}
		in, out := mustDay(t, c.inside), mustDay(t, c.outside)
		if !p.Contains(in) || p.Contains(out) {
			t.Errorf("%q: contains %s: %t, %s: %t", c.in, in, p.Contains(in), out, p.Contains(out))
		}
	}
	for _, bad := range []string{"", "2015-13", "2015-07-32", "last summer", "2020/1991", "August/2015", "DJFX 2015", "15", "2015-00", "/"} {
		if p, err := cftime.ParsePeriod(bad); !errors.Is(err, cftime.ErrPeriod) {
			t.Errorf("%q: %+v, %v", bad, p, err)
		}
	}
}

func TestBetween(t *testing.T) {
	p := cftime.Between(date(t, "standard", 2015, 6, 1), date(t, "standard", 2015, 8, 31))
	again, err := cftime.ParsePeriod(p.String())
	if err != nil || again.Start != p.Start || again.End != p.End || p.String() != "2015-06-01/2015-08-31" {
		t.Errorf("%+v reads back as %+v, %v", p, again, err)
	}
}

func mustDay(t *testing.T, iso string) cftime.Time {
	t.Helper()
	axis, err := cftime.ParseAxis("days since "+iso, "standard")
	if err != nil {
		t.Fatal(err)
	}
	return axis.Reference
}

func TestReferences(t *testing.T) {
	for units, want := range map[string]string{
		"hour since 0000-01-01 00:00:00":         "0000-01-01",
		"days since 14-JAN-1980 14:00:00":        "1980-01-14T14:00",
		"seconds since 1992-10-8 15:15:42.5 -6":  "1992-10-08T21:15:42.500000",
		"days since 2000-01-01T00:00:00+05:30":   "1999-12-31T18:30",
		"days since 1970-01-01 00:00:00 UTC":     "1970-01-01",
		"hours since 1900-1-1 0:0:0":             "1900-01-01",
		"days since 1850":                        "1850-01-01",
		"days since -4713-01-01 12:00:00.000000": "-4713-01-01T12:00",
	} {
		a, err := cftime.ParseAxis(units, "")
		if err != nil || a.Reference.String() != want {
			t.Errorf("%q: %s, %v, want %s", units, a.Reference, err, want)
		}
	}
	for _, bad := range []string{"days", "days since", "days since yesterday", "fortnights since 2000-01-01", "days since 2001-02-29", "days since 1582-10-10", "common_years since 2000-01-01", "days since 2000-01-01 25:00"} {
		if _, err := cftime.ParseAxis(bad, "standard"); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
	if _, err := cftime.ParseAxis("days since 2000-01-01", "lunar"); !errors.Is(err, cftime.ErrCalendar) {
		t.Errorf("calendar lunar: %v", err)
	}
}

func TestLabels(t *testing.T) {
	d := date(t, "standard", 1998, 8, 15)
	for frequency, want := range map[string]string{
		"climatological_month": "August", "month": "1998-08", "day": "1998-08-15", "year": "1998",
		"season": "JJA 1998", "climatological_season": "JJA", "irregular": "1998-08-15",
	} {
		if got := d.Label(frequency); got != want {
			t.Errorf("%s: %q, want %q", frequency, got, want)
		}
	}
	if got := date(t, "standard", 2014, 12, 1).Label("season"); got != "DJF 2015" {
		t.Errorf("December 2014 is in %q", got)
	}
}

func TestAddMonthsNeverMovesTheDay(t *testing.T) {
	if got, err := date(t, "standard", 2001, 1, 31).AddMonths(1); !errors.Is(err, cftime.ErrDate) {
		t.Errorf("31 January plus a month is %s, %v", got, err)
	}
	if got, err := date(t, "standard", 2001, 11, 30).AddMonths(-24); err != nil || got.String() != "1999-11-30" {
		t.Errorf("%s, %v", got, err)
	}
}

func TestGregorianSwitch(t *testing.T) {
	// The day after Thursday 4 October 1582 was Friday 15 October.
	if got := date(t, "standard", 1582, 10, 4).AddDays(1); got.String() != "1582-10-15" {
		t.Errorf("the day after 4 October 1582 is %s", got)
	}
	if n := cftime.DaysInYear("standard", 1582); n != 355 {
		t.Errorf("1582 has %d days", n)
	}
	if got := date(t, "standard", 2000, 1, 1).DayNumber(); got != 2451545 {
		t.Errorf("the Julian day number of 1 January 2000 is %d", got)
	}
}

func TestDayNumberInverse(t *testing.T) {
	calendars := []string{"standard", "proleptic_gregorian", "julian", "noleap", "all_leap", "360_day"}
	rapid.Check(t, func(t *rapid.T) {
		start := cftime.Time{Year: 1, Month: 1, Day: 1, Calendar: rapid.SampledFrom(calendars).Draw(t, "calendar")}
		n := rapid.IntRange(-2_000_000, 2_000_000).Draw(t, "days")
		moved := start.AddDays(n)
		if err := moved.Valid(); err != nil {
			t.Fatal(err)
		}
		if moved.DayNumber()-start.DayNumber() != int64(n) {
			t.Fatalf("%s is %d days from %s, not %d", moved, moved.DayNumber()-start.DayNumber(), start, n)
		}
		next := moved.AddDays(1)
		if next.Compare(moved) != 1 {
			t.Fatalf("%s does not follow %s", next, moved)
		}
	})
}

func TestEncodeDecode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		calendar := rapid.SampledFrom([]string{"standard", "noleap", "360_day"}).Draw(t, "calendar")
		unit := rapid.SampledFrom([]string{"seconds", "minutes", "hours", "days", "weeks", "months", "years"}).Draw(t, "unit")
		value := float64(rapid.IntRange(-5000, 5000).Draw(t, "value"))
		axis, err := cftime.ParseAxis(unit+" since 1901-01-01", calendar)
		if err != nil {
			t.Fatal(err)
		}
		at, err := axis.Decode(value)
		if err != nil {
			t.Fatal(err)
		}
		back, err := axis.Encode(at)
		if err != nil || back-value > 1e-9 || value-back > 1e-9 {
			t.Fatalf("%v %s is %s, which encodes to %v, %v", value, axis, at, back, err)
		}
	})
}

func FuzzParsePeriod(f *testing.F) {
	for _, s := range []string{"2015", "DJF 2015", "1991/2020", "August", "2015-02-30", "-0001", "2015-07-04T12:00", "to"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := cftime.ParsePeriod(s)
		if err != nil {
			return
		}
		again, err := cftime.ParsePeriod(p.String())
		if err != nil || again.Start != p.Start || again.End != p.End {
			t.Errorf("%q prints as %q, which reads as %+v, %v", s, p, again, err)
		}
	})
}

func FuzzParseAxis(f *testing.F) {
	f.Add("days since 2000-01-01", "standard", 1.5)
	f.Add("months since 14-JAN-1980 14:00:00 +1", "360_day", 1e300)
	f.Fuzz(func(t *testing.T, units, calendar string, value float64) {
		a, err := cftime.ParseAxis(units, calendar)
		if err != nil {
			return
		}
		if at, err := a.Decode(value); err == nil {
			if err := at.Valid(); err != nil {
				t.Errorf("%q %q %v: %v", units, calendar, value, err)
			}
		}
	})
}
