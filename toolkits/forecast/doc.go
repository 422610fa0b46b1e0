// Package forecast has the tools that continue a time series beyond its last step: persistence, climatology, a straight
// line, and exponential smoothing with trend and season.
//
// What holds for all of them:
//
//   - The future begins with the step after the series' last one, in the series' own frequency and calendar. Months,
//     seasons and years keep the day that the last step is dated with; where a month is too short for it, its last day.
//   - A series without regular steps, and a climatological year, which has no future, are refused.
//   - Running totals are refused: aggregate them to amounts first.
//   - A missing value is no value. Each tool says how many it needs; with fewer it stops with not_enough_data.
//
// Forecasts are series like the one they continue: same variable, unit, place and calendar.
package forecast

import "almanac/toolkits"

// group is the group of the published inventory that these tools belong to.
const group = "Forecast"

// Toolkit returns the tools forecast.*.
func Toolkit() []*toolkits.Tool {
	return []*toolkits.Tool{persistenceTool(), climatologyTool(), trendTool(), holtWintersTool()}
}
