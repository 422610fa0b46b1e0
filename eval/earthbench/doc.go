// Package earthbench scores recorded runs of Earth-Bench, the benchmark published with Earth-Agent, in two ways.
//
// [Parity] follows the published rules to the digit, so that a run's numbers can be put beside published ones. [Strict]
// scores the same calls by Almanac's own metrics.
//
// A run is a folder with the files that Earth-Agent's own programs write, under their own names, plain or compressed with
// gzip; the gold comes with the program (see [Embedded]) or from a folder. Everything that the files can hold is read:
// numbers that JSON has not (NaN), inputs that are text, keys with and without the word "question", items that are
// missing or there twice. What a file must not hold is refused with its place.
package earthbench
