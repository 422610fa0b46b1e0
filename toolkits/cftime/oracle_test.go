//go:build oracles

package cftime_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"almanac/internal/oracle"
	"almanac/toolkits/cftime"
)

type axisCase struct {
	Units    string    `json:"units"`
	Calendar string    `json:"calendar"`
	Values   []float64 `json:"values"`
}

type axisReply struct {
	Times     [][7]int  `json:"times"`
	Back      []float64 `json:"back"`
	DayOfYear []int     `json:"day_of_year"`
}

func oracleCases() []axisCase {
	r := rand.New(rand.NewPCG(7, 11))
	calendars := []string{"standard", "proleptic_gregorian", "julian", "noleap", "all_leap", "360_day"}
	references := []string{"1-1-1", "1582-10-04", "1582-10-15 12:30:00", "1850-01-01 06:00", "1970-01-01T00:00:00Z", "2000-02-28 00:00:00 +01:30", "1999-12-30 23:59:59.5", "1900-03-01 00:00:00 -06:00"}
	units := map[string]float64{"days": 200000, "hours": 3e6, "minutes": 1e8, "seconds": 5e9}
	var cases []axisCase
	for _, calendar := range calendars {
		for _, reference := range references {
			for unit, span := range units {
				if reference == "1-1-1" && unit != "days" {
					continue
				}
				c := axisCase{Units: unit + " since " + reference, Calendar: calendar}
				for range 30 {
					v := math.Floor(r.Float64() * span)
					if r.IntN(2) == 0 {
						v += float64(r.IntN(8)) / 8 // exact in binary
					}
					c.Values = append(c.Values, v)
				}
				cases = append(cases, c)
			}
		}
	}
	for _, value := range []float64{0, 1, 13, 64, 300} {
		cases = append(cases, axisCase{Units: "months since 1995-01-01", Calendar: "360_day", Values: []float64{value}})
	}
	return cases
}

func TestOracleAxis(t *testing.T) {
	cases := oracleCases()
	var replies []axisReply
	oracle.Run(t, "scripts/oracles/cftime_axis.py", cases, &replies)
	if len(replies) != len(cases) {
		t.Fatalf("%d replies for %d cases", len(replies), len(cases))
	}
	for i, c := range cases {
		axis, err := cftime.ParseAxis(c.Units, c.Calendar)
		if err != nil {
			t.Fatal(err)
		}
		for k, v := range c.Values {
			got, err := axis.Decode(v)
			if err != nil {
				t.Fatal(err)
			}
			w := replies[i].Times[k]
			have := [7]int{got.Year, got.Month, got.Day, got.Hour, got.Minute, got.Second, got.Nanosecond / 1000}
			if have != w {
				t.Errorf("%s, %s: %v is %v, cftime says %v", c.Units, c.Calendar, v, have, w)
			}
			if got.DayOfYear() != replies[i].DayOfYear[k] && !(c.Calendar == "standard" && got.Year == 1582) {
				t.Errorf("%s %s: day of year %d, cftime says %d", got, c.Calendar, got.DayOfYear(), replies[i].DayOfYear[k])
			}
			back, err := axis.Encode(got)
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(back-replies[i].Back[k]) > 1e-6*math.Max(1, math.Abs(back)*1e-6) {
				t.Errorf("%s, %s: %s encodes to %v, cftime says %v", c.Units, c.Calendar, got, back, replies[i].Back[k])
			}
		}
	}
}
