package plausible_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"almanac/toolkits/plausible"
)

func TestFieldE11UnitLabelLies(t *testing.T) {
	err := plausible.Check([]float64{26, 27, 20}, "K", false)
	if err == nil || !strings.Contains(err.Error(), "-253 degC") { // 20 K
		t.Errorf("got %v", err)
	}
}

func TestFieldE19UndeclaredMark(t *testing.T) {
	if err := plausible.Check([]float64{3, 5, -99999}, "1", false); err == nil {
		t.Error("-99999 beside 3 and 5 was taken as a value")
	}
}

func TestWhatIsFine(t *testing.T) {
	for _, c := range []struct {
		values     []float64
		unit       string
		difference bool
	}{
		{[]float64{26, 27, 20}, "degC", false},
		{[]float64{-2, 3}, "K", true},
		{[]float64{-9999, -10100, 5000, 12, math.NaN()}, "m", false}, // a sea floor
		{[]float64{-60, 45}, "degC", false},
		{[]float64{math.NaN()}, "K", false},
		{nil, "degC", false},
		{[]float64{0.001}, "degC day", false},
	} {
		if err := plausible.Check(c.values, c.unit, c.difference); err != nil {
			t.Errorf("%v %s: %v", c.values, c.unit, err)
		}
	}
}

func ExampleCheck() {
	fmt.Println(plausible.Check([]float64{15, 22}, "K", false))
	// Output: 15 K is -258 degC, no temperature of air, water or ground: the unit "K" may be a wrong label
}
