// Package threshold compares values with a limit the same way in every tool.
package threshold

import "math"

// Meets reports whether v is on the side of the limit that comparison names: "above" and "below" are strict,
// "at_least" and "at_most" take the limit in. Values within 1e-9 of the limit (relative for limits above 1) count as
// equal to it, so that a limit that was converted between units still meets values written as the limit was.
// Any other comparison is never met.
func Meets(v float64, comparison string, limit float64) bool {
	equal := math.Abs(v-limit) <= 1e-9*max(1, math.Abs(limit))
	switch comparison {
	case "above":
		return v > limit && !equal
	case "at_least":
		return v > limit || equal
	case "below":
		return v < limit && !equal
	case "at_most":
		return v < limit || equal
	}
	return false
}
