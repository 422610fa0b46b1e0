package series_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"almanac/toolkits/cftime"
	"almanac/toolkits/series"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func daily(units, calendar string, values ...float64) *series.Series {
	numbers := make([]float64, len(values))
	for i := range numbers {
		numbers[i] = float64(i)
	}
	times, _, err := cftime.Decode(numbers, units, calendar)
	if err != nil {
		panic(err)
	}
	s := &series.Series{Variable: "x", Unit: "mm", Times: times, Calendar: calendar, Values: values}
	s.InferFrequency()
	return s
}

func ExampleSeries_Select() {
	s := daily("days since 2014-12-30", "standard", 1, 2, 3, 4)
	p, _ := cftime.ParsePeriod("2015")
	january, _ := s.Select(p)
	fmt.Println(january.Label(0), january.Values)
	// Output: 2015-01-01 [3 4]
}

func TestFieldE21SumOfNothing(t *testing.T) {
	// The series keeps what is missing apart from 0: a sum over it can tell
	// "no measurement" from "none fell", and its coverage.
	values := make([]float64, 30)
	for i := range values {
		values[i] = math.NaN()
	}
	s := daily("days since 2020-06-01", "standard", values...)
	if s.Valid() != 0 || s.Len() != 30 {
		t.Errorf("%d of %d valid", s.Valid(), s.Len())
	}
	s.Values[3] = 4
	if s.Valid() != 1 {
		t.Errorf("%d valid, want 1 of 30", s.Valid())
	}
}

func TestFieldE32SelectByMonthAndDay(t *testing.T) {
	for year, want := range map[int]int{2023: 60, 2024: 61} {
		s := daily(fmt.Sprintf("days since %d-01-01", year), "standard", make([]float64, 366)...)
		p, err := cftime.ParsePeriod(fmt.Sprintf("%d-03-01", year))
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Select(p)
		if err != nil || got.Len() != 1 || got.Times[0].DayOfYear() != want {
			t.Errorf("1 March %d: %+v, %v", year, got, err)
		}
	}
}

func TestSelect(t *testing.T) {
	s := daily("months since 1998-01-16", "standard", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13)
	if s.Frequency != "month" || s.PeriodLabel() != "1998-01/1999-01" {
		t.Errorf("frequency %q, %s", s.Frequency, s.PeriodLabel())
	}
	for text, want := range map[string][]float64{
		"1998-08": {8}, "JJA 1998": {6, 7, 8}, "DJF 1999": {12, 13}, "January": {1, 13}, "1998-12/1999": {12, 13},
	} {
		p, err := cftime.ParsePeriod(text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Select(p)
		if err != nil || !slices.Equal(got.Values, want) || got.Frequency != "month" {
			t.Errorf("%s: %+v, %v, want %v", text, got, err, want)
		}
	}
	late, _ := cftime.ParsePeriod("2020")
	if _, err := s.Select(late); !errors.Is(err, series.ErrEmpty) {
		t.Errorf("2020: %v", err)
	}
	wrong, _ := cftime.ParsePeriod("1998-02-30")
	if _, err := s.Select(wrong); !errors.Is(err, cftime.ErrDate) {
		t.Errorf("30 February: %v", err)
	}
}

func TestBinaryRoundTrip(t *testing.T) {
	s := daily("days since 2015-02-27", "noleap", 1, math.NaN(), 3)
	latitude := 47.45
	s.Latitude, s.Place, s.Source = &latitude, "Seattle", "here"
	data, err := s.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var back series.Series
	if err := back.UnmarshalBinary(data); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(s, &back, cmpopts.EquateNaNs()); diff != "" {
		t.Error(diff)
	}
	for i := range data {
		var cut series.Series
		if err := cut.UnmarshalBinary(data[:i]); err == nil {
			t.Errorf("%d of %d bytes decode", i, len(data))
		}
	}
}

func TestValidate(t *testing.T) {
	for name, spoil := range map[string]func(*series.Series){
		"lengths":  func(s *series.Series) { s.Values = s.Values[1:] },
		"order":    func(s *series.Series) { s.Times[0], s.Times[1] = s.Times[1], s.Times[0] },
		"infinite": func(s *series.Series) { s.Values[0] = math.Inf(-1) },
		"edges":    func(s *series.Series) { s.TimeEdges = make([][2]cftime.Time, 1) },
		"calendar": func(s *series.Series) { s.Calendar = "noleap" },
	} {
		s := daily("days since 2000-01-01", "standard", 1, 2, 3)
		if err := s.Validate(); err != nil {
			t.Fatal(err)
		}
		spoil(s)
		if err := s.Validate(); !errors.Is(err, series.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzUnmarshalBinary(f *testing.F) {
	data, err := daily("days since 2015-02-27", "noleap", 1, math.NaN(), 3).MarshalBinary()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		var s series.Series
		if s.UnmarshalBinary(data) != nil {
			return
		}
		if _, err := s.MarshalBinary(); err != nil {
			t.Errorf("a decoded series does not encode: %v", err)
		}
	})
}
