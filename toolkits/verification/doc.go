// Package verification has the tools that look at what other tools made: checks that pass or fail with a reason, and the
// errors of a forecast against what was observed.
//
// A check has the outputs passed and reason. It fails with a reason when the thing looked at is not as it should be; it
// returns an error only when the question itself makes no sense, as a range in another dimension than the number.
//
// What holds for all of them: a missing value is no value, units are converted before anything is compared, and steps
// of two series belong together when they have the same label, never because they have the same place in the list.
package verification

import "almanac/toolkits"

// Groups of the published inventory that these tools belong to.
const (
	groupChecks = "Checks"
	groupScores = "Ensemble and verification"
)

// Toolkit returns the tools verification.*.
func Toolkit() []*toolkits.Tool {
	return []*toolkits.Tool{
		inRangeTool(), unitIsTool(), nonEmptyTool(), coversRegionTool(), coversPeriodTool(), recomputeTool(),
		errorScoresTool(),
	}
}

// verdict is what every check returns.
type verdict struct {
	Passed bool   `out:"passed" doc:"whether it is so"`
	Reason string `out:"reason" doc:"what was found"`
}
