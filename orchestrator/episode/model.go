package episode

import (
	"context"
	"strconv"
	"strings"

	"almanac/agents/llm"
)

// ModelSize is the number of the model's parameters, 0 when it is not known.
func (e *Episode) ModelSize(ctx context.Context) float64 {
	if e.opts.Model == nil {
		return 0
	}
	info, err := llm.Describe(ctx, e.opts.Model)
	if err != nil {
		return 0
	}
	return ParameterCount(info.ParameterSize)
}

// ParameterCount reads sizes such as "1.5B" and "494.03M"; 0 for what it cannot read.
func ParameterCount(size string) float64 {
	size = strings.ToUpper(strings.TrimSpace(size))
	factor := map[byte]float64{'K': 1e3, 'M': 1e6, 'B': 1e9, 'T': 1e12}
	if size == "" || factor[size[len(size)-1]] == 0 {
		return 0
	}
	n, err := strconv.ParseFloat(size[:len(size)-1], 64)
	if err != nil {
		return 0
	}
	return n * factor[size[len(size)-1]]
}
