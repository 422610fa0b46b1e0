//go:build oracles

package units_test

import (
	"math"
	"testing"

	"almanac/internal/oracle"
	"almanac/toolkits/units"
)

type convertCase struct {
	From  string  `json:"from"`
	To    string  `json:"to"`
	Value float64 `json:"value"`
}

// groups hold spellings of one dimension that UDUNITS knows too.
var groups = [][]string{
	{"degC", "K", "degF", "celsius", "degrees_C", "degree_Celsius", "kelvin", "mK"},
	{"m", "km", "cm", "mm", "um", "meters", "kilometer", "ft", "feet", "inch", "mile", "nautical_mile", "yard", "0.1 m", "micrometers", "hm", "Mm"},
	{"m2", "km2", "km^2", "ha", "cm2", "m**2", "hectare", "acre"},
	{"m s-1", "m/s", "km h-1", "km/h", "cm s-1", "knot", "kt", "mm day-1", "mm/day", "m.s-1", "m/day", "mile/hour", "kg m-2 s-1/(1000 kg m-3)"},
	{"s", "min", "h", "hour", "hours", "day", "days", "d", "year", "years", "month", "week", "ms", "minutes", "yr", "common_year", "julian_year"},
	{"Pa", "hPa", "mbar", "bar", "kPa", "atm", "millibars", "millibar", "N m-2", "dbar", "kg m-1 s-2", "mmHg"},
	{"kg", "g", "mg", "t", "tonne", "lb", "ug", "Gg", "Tg", "pound"},
	{"kg m-2 s-1", "g m-2 s-1", "kg m^-2 s^-1", "kg m-2 day-1", "kg/m2/s"},
	{"1", "%", "1e-3", "ppm", "ppb", "g kg-1", "kg kg-1", "percent", "g/kg", "ppmv", "mm m-1"},
	{"J", "kJ", "kW h", "W s", "MJ", "cal", "N m", "GW day"},
	{"W", "kW", "MW", "J s-1", "mW"},
	{"W m-2", "kW m-2", "J m-2 day-1", "MJ m-2 day-1", "W/(m2)", "J cm-2 s-1"},
	{"K day", "degC day", "K s", "degF day", "K h"},
	{"m3 s-1", "L s-1", "km3 year-1", "liter/day", "m3/s", "l h-1"},
	{"degree", "degrees_north", "degrees_east", "radian", "degrees_N", "arc_minute", "arcsec", "mrad"},
	{"mol m-3", "mmol L-1", "umol cm-3", "mol/m3"},
	{"V", "mV", "W A-1"}, {"Hz", "s-1", "kHz", "day-1"}, {"kg m-3", "g cm-3", "ug m-3"},
	{"W m-1 K-1", "W m-1 degC-1", "mW cm-1 K-1"}, {"mol m-2 s-1", "umol m-2 s-1"}, {"lux", "lm m-2"}, {"S m-1", "mS cm-1"},
}

func TestOracleConvert(t *testing.T) {
	var cases []convertCase
	values := []float64{0, 1, -17.3, 1234.5, 3e-4}
	for _, group := range groups {
		for i, from := range group {
			for k, to := range group {
				cases = append(cases, convertCase{from, to, values[(i+k)%len(values)]})
			}
		}
	}
	var replies []struct {
		Value *float64 `json:"value"`
		Error string   `json:"error"`
	}
	oracle.Run(t, "scripts/oracles/units.py", cases, &replies)
	if len(replies) != len(cases) || len(cases) < 500 {
		t.Fatalf("%d replies for %d cases", len(replies), len(cases))
	}
	for i, c := range cases {
		if replies[i].Value == nil {
			t.Errorf("UDUNITS refuses %q to %q: %s", c.From, c.To, replies[i].Error)
			continue
		}
		got, err := units.Convert(c.Value, c.From, c.To, false)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		if want := *replies[i].Value; math.Abs(got-want) > 1e-9*math.Max(math.Abs(want), 1e-9) && math.Abs(got-want) > 1e-11 {
			t.Errorf("%v %s is %v %s, UDUNITS says %v", c.Value, c.From, got, c.To, want)
		}
	}
}

// What one refuses, the other must refuse too.
func TestOracleRefuse(t *testing.T) {
	cases := []convertCase{
		{"m", "s", 1}, {"mm", "mm day-1", 1}, {"degC", "m", 1}, {"kg m-2", "mm", 1}, {"kilofurble", "m", 1}, {"m//s", "m", 1},
		{"W m-2", "W", 1}, {"Pa", "hPa m", 1}, {"kg", "N", 1}, {"1", "m", 1}, {"m^", "m", 1}, {"(m", "m", 1}, {"degC day", "degC", 1},
	}
	var replies []struct {
		Value *float64 `json:"value"`
	}
	oracle.Run(t, "scripts/oracles/units.py", cases, &replies)
	for i, c := range cases {
		_, err := units.Convert(c.Value, c.From, c.To, false)
		if replies[i].Value != nil || err == nil {
			t.Errorf("%q to %q: UDUNITS %v, ours %v: both should refuse", c.From, c.To, replies[i].Value, err)
		}
	}
}
