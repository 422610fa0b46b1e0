// Package judge decides whether what a program or a plan made is what was asked for, where a metric over calls and
// answers cannot: on artifacts, on plots and on code.
//
//   - [Exact] compares two values of a kind, one comparator a kind: rasters cell by cell, shapes by their outline, tables
//     by column names, numbers within a tolerance. The kinds must be the same; an integer counts as a number.
//   - [Visual] asks a model that can see to score a plot from 0 to 3 by a rubric. Its scores count for nothing until they
//     were held against labels of people with [Visual.Validate]; how well they agree stands beside every score.
//   - [CheckPlot] looks at a plot without a model: axes labelled, units named, data drawn, the right extent, not blank.
//   - [Stage] says at which stage a piece of code failed.
package judge
