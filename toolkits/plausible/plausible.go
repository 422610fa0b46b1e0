// Package plausible notices numbers that cannot be what their label says: temperatures labelled kelvin that are plainly
// degrees Celsius, and marks for missing data that were never declared as such. A tool that finds one stops: a wrong
// number is worse than none.
package plausible

import (
	"fmt"
	"math"

	"almanac/toolkits/units"
)

// Coldest and hottest temperature that is taken as one of air, water, ground or snow, in kelvin.
const (
	Coldest = 120
	Hottest = 400
)

// marks are numbers that files use for missing data.
var marks = [...]float64{-9999, -99999, -999999, -32768, 1e20, -1e20, 9.969209968386869e36, -1e34, 1e30, -1e30}

// Extremes returns the smallest and the largest value that is not missing; NaN for none.
func Extremes(values []float64) (low, high float64) {
	low, high = math.NaN(), math.NaN()
	for _, v := range values {
		if v < low || low != low {
			low = v
		}
		if v > high || high != high {
			high = v
		}
	}
	return low, high
}

// Check says whether values in the unit can be what they claim to be. NaN is missing and never looked at.
func Check(values []float64, unit string, difference bool) error {
	low, high := Extremes(values)
	for _, mark := range marks {
		if (float32(low) == float32(mark) || float32(high) == float32(mark)) && alone(values, mark) {
			return fmt.Errorf("the value %g stands far from all others and looks like a mark for missing data that was not declared; declare it as fill value and open the data again", mark)
		}
	}
	return temperature(low, high, unit, difference)
}

// alone reports whether the mark is far outside the range of the other values.
func alone(values []float64, mark float64) bool {
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if float32(v) != float32(mark) {
			low, high = min(low, v), max(high, v)
		}
	}
	if low > high {
		return false // nothing else to compare with
	}
	margin := 10 * max(high-low, 1)
	return mark < low-margin || mark > high+margin
}

func temperature(low, high float64, unit string, difference bool) error {
	if difference || low != low || !units.Convertible(unit, "K") {
		return nil
	}
	for _, v := range [2]float64{low, high} {
		k, err := units.Convert(v, unit, "K", false)
		if err != nil {
			return err
		}
		if k < Coldest || k > Hottest {
			return fmt.Errorf("%g %s is %.0f degC, no temperature of air, water or ground: the unit %q may be a wrong label", v, unit, k-273.15, unit)
		}
	}
	return nil
}
