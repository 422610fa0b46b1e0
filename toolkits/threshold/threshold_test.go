package threshold_test

import (
	"fmt"
	"math"
	"testing"

	"almanac/toolkits/threshold"
)

func TestMeets(t *testing.T) {
	for _, c := range []struct {
		v, limit float64
		want     string // comparisons that are met
	}{
		{1, 2, "below at_most "},
		{2, 2, "at_least at_most "},
		{3, 2, "above at_least "},
		{298.15000000000003, 298.15, "at_least at_most "}, // 25 degC in K
		{math.NaN(), 2, ""},
	} {
		got := ""
		for _, comparison := range []string{"above", "at_least", "below", "at_most", "beside"} {
			if threshold.Meets(c.v, comparison, c.limit) {
				got += comparison + " "
			}
		}
		if got != c.want {
			t.Errorf("%v against %v: %q, want %q", c.v, c.limit, got, c.want)
		}
	}
}

func ExampleMeets() {
	fmt.Println(threshold.Meets(25, "above", 25), threshold.Meets(25, "at_least", 25))
	// Output: false true
}
