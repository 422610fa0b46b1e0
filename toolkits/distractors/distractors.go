// Package distractors makes tools that look plausible and never run, from those that do: the same agents, kinds and
// units, so that no type filter tells them apart, under names and words of their own.
package distractors

import (
	"fmt"

	"almanac/toolkits"
)

// variant is a way in which a tool could differ.
type variant struct{ suffix, words string }

var variants = []variant{
	{"weighted", "with weights from a mask layer"},
	{"smoothed", "after a running mean"},
	{"detrended", "with the long-term trend taken out"},
	{"ensemble", "over the members of an ensemble"},
	{"lagged", "with a lag of some steps"},
	{"robust", "without outliers"},
	{"kriged", "after kriging to a finer grid"},
	{"bias_corrected", "after quantile mapping to a reference"},
	{"coastal", "for the strip along the coast only"},
	{"urban", "for built-up land only"},
	{"alpine", "above the tree line only"},
	{"nightly", "for the hours of night only"},
	{"bayesian", "with a prior from neighbouring stations"},
	{"spectral", "in the frequency domain"},
	{"downscaled", "after statistical downscaling"},
	{"upscaled", "after averaging to a coarser grid"},
	{"masked", "where a quality flag is set"},
	{"rolling", "in a moving window"},
	{"paired", "for two sites side by side"},
	{"lunar", "by phase of the moon"},
	{"tidal", "by stage of the tide"},
	{"gust", "for short peaks only"},
	{"catchment", "along a river's catchment"},
	{"cropland", "for sown land only"},
}

// Most is how many distractors there can be over these tools.
func Most(tools []*toolkits.Tool) int { return len(base(tools)) * len(variants) }

// base are the tools that others are made from: no checks and no resolvers, which setups call by rule.
func base(tools []*toolkits.Tool) []*toolkits.Tool {
	var out []*toolkits.Tool
	for _, t := range tools {
		if !t.Check && !t.Resolver {
			out = append(out, t)
		}
	}
	return out
}

// Make makes n distractors over the tools, always the same ones: first one of each tool, then a second of each. The
// first n of a larger number are these n.
func Make(tools []*toolkits.Tool, n int) ([]*toolkits.Tool, error) {
	from := base(tools)
	if most := len(from) * len(variants); n < 0 || n > most {
		return nil, fmt.Errorf("distractors: %d tools are wanted; there can be 0 to %d over %d tools", n, most, len(tools))
	}
	out := make([]*toolkits.Tool, n)
	for i := range out {
		t, round := from[i%len(from)], i/len(from)
		v := variants[(round+i%len(from))%len(variants)]
		examples := make([]string, len(t.Examples))
		for k, q := range t.Examples {
			examples[k] = q + " Take it " + v.words + "."
		}
		out[i] = t.Distractor(t.Name+"_"+v.suffix, t.Purpose+", "+v.words, examples)
	}
	return out, nil
}
