package units_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"almanac/toolkits/units"

	"pgregory.net/rapid"
)

func ExampleConvert() {
	absolute, _ := units.Convert(20, "degC", "K", false)
	warming, _ := units.Convert(20, "degC", "K", true)
	fmt.Println(absolute, warming)
	// Output: 293.15 20
}

func ExampleDiv() {
	rate, _ := units.Div("mm", "day")
	lapse, _ := units.Div("degC", "km")
	fmt.Println(rate, "|", lapse)
	// Output: mm day-1 | degC km-1
}

func TestCanonical(t *testing.T) {
	for in, want := range map[string]string{
		"m/s": "m s-1", "m s-1": "m s-1", "m*s^-1": "m s-1", "m s**-1": "m s-1", "meters per second": "m s-1",
		"m s⁻¹": "m s-1", "W/(m2 K)": "W m-2 K-1", "kg m^-2": "kg m-2", "g/kg": "g kg-1", "G/KG": "g kg-1",
		"Deg C": "degC", "DEG C": "degC", "°C": "degC", "celsius": "degC", "degrees_celsius": "degC",
		"M/S": "m s-1", "MB": "mb", "METERS": "m", "days": "day", "hPa": "hPa", "kWh": "kWh", "degC day": "degC day",
		"1e-3": "1e-3", "0.001": "1e-3", "": "1", "1": "1", "%": "%", "km²": "km2", "square kilometers": "km2",
		"degree_north": "degrees_north", "µm": "um", "m/s/s": "m s-2", "m s-1 s": "m", "kilometres": "km",
	} {
		if got, err := units.Canonical(in); err != nil || got != want {
			t.Errorf("Canonical(%q) = %q, %v, want %q", in, got, err, want)
		}
	}
}

func TestConvert(t *testing.T) {
	for _, c := range []struct {
		value      float64
		from, to   string
		difference bool
		want       float64
	}{
		{15, "degC", "K", false, 288.15},
		{288.15, "K", "degC", false, 15},
		{212, "degF", "degC", false, 100},
		{9, "degF", "degC", true, 5},
		{1013.25, "hPa", "Pa", false, 101325},
		{5, "mb", "hPa", false, 5},
		{36, "km/h", "m/s", false, 10},
		{1, "kg m-2", "kg m-2", false, 1},
		{1, "kWh", "J", false, 3.6e6},
		{10, "degC day", "K day", false, 10},
		{1, "year", "day", false, 365.242198781},
		{12, "month", "year", false, 1},
		{2.5, "km2", "ha", false, 250},
		{35, "1e-3", "psu", false, 35},
		{415, "ppm", "1e-6", false, 415},
		{12, "%", "1", false, 0.12},
		{86400, "mm day-1", "mm s-1", false, 1},
		{10, "degrees_west", "degrees_east", false, -10},
	} {
		got, err := units.Convert(c.value, c.from, c.to, c.difference)
		if err != nil || math.Abs(got-c.want) > 1e-12*math.Max(1, math.Abs(c.want)) {
			t.Errorf("%v %s = %v %s, %v, want %v", c.value, c.from, got, c.to, err, c.want)
		}
	}
}

func TestRefused(t *testing.T) {
	for _, c := range []struct {
		from, to string
		want     error
		message  string
	}{
		{"mm", "mm day-1", units.ErrIncompatible, `"mm" to "mm day-1"`},
		{"degree", "1", units.ErrIncompatible, ""},
		{"kelvim", "K", units.ErrUnit, "kelvin"},
		{"m", "metres per", units.ErrUnit, ""},
		{"ppt", "1", units.ErrUnit, `"1e-3" for parts per thousand`},
		{"m^1.5", "m", units.ErrUnit, ""},
		{"days since 2000-01-01", "day", units.ErrUnit, ""},
		{"m^9999999999999999999", "m", units.ErrUnit, ""},
		{"0 m", "m", units.ErrUnit, ""},
		{strings.Repeat("(", 150) + "m", "m", units.ErrUnit, ""},
	} {
		_, err := units.Convert(1, c.from, c.to, false)
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.message) {
			t.Errorf("%q to %q: %v", c.from, c.to, err)
		}
	}
}

func TestFieldE13Bias273(t *testing.T) {
	observed, err := units.Convert(288.15, "K", "degC", false)
	if err != nil || observed-15 != 0 {
		t.Errorf("288.15 K is %v degC, %v", observed, err)
	}
}

func TestCombine(t *testing.T) {
	for _, c := range []struct{ a, b, product, quotient string }{
		{"m s-1", "s", "m", "m s-2"},
		{"mm", "mm", "mm2", "1"},
		{"kW", "h", "kW h", "kW h-1"},
		{"degC", "day", "degC day", "degC day-1"},
		{"1", "m", "m", "m-1"},
		{"g kg-1", "kg", "g", "g kg-2"},
	} {
		product, err1 := units.Mul(c.a, c.b)
		quotient, err2 := units.Div(c.a, c.b)
		if err1 != nil || err2 != nil || product != c.product || quotient != c.quotient {
			t.Errorf("%q, %q: %q, %q (%v, %v), want %q, %q", c.a, c.b, product, quotient, err1, err2, c.product, c.quotient)
		}
	}
	if got, err := units.Pow("km", 2); err != nil || got != "km2" {
		t.Errorf("km squared is %q, %v", got, err)
	}
	if _, err := units.Pow("m", 1000); err == nil {
		t.Error("m to the power 1000 was accepted")
	}
}

func TestCanonicalReadsBack(t *testing.T) {
	words := []string{"m", "kg", "s", "degC", "hPa", "day", "%", "kWh", "degrees_north", "1e-3", "um", "K"}
	rapid.Check(t, func(t *rapid.T) {
		var parts []string
		for range rapid.IntRange(1, 4).Draw(t, "n") {
			part := rapid.SampledFrom(words).Draw(t, "word")
			if n := rapid.IntRange(-3, 3).Draw(t, "power"); part != "1e-3" && n != 0 && n != 1 {
				part += fmt.Sprint(n)
			}
			parts = append(parts, part)
		}
		text := strings.Join(parts, " ")
		u, err := units.Parse(text)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		v, err := units.Parse(u.String())
		if err != nil || !u.Equal(v) || v.String() != u.String() {
			t.Fatalf("%q prints as %q, which reads as %q, %v", text, u, v, err)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"m s-1", "W/(m2 K)", "1e-3", "degC day", "m^-2", "µg/m³", "((", "per per", "\x00", "10^3 m"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		u, err := units.Parse(s)
		if err != nil {
			return
		}
		if v, err := units.Parse(u.String()); err != nil || !u.Equal(v) {
			t.Errorf("%q prints as %q, which reads as %q, %v", s, u, v, err)
		}
	})
}
