package memory_test

import (
	"testing"

	"almanac/memory"
	"almanac/toolkits"

	"github.com/google/go-cmp/cmp"
)

// By hand: measur area countri and measur area countri shape share three of four stems, 0.75; with the third tool nothing.
func TestTooNear(t *testing.T) {
	tools := []*toolkits.Tool{
		{Name: "x.area", Purpose: "Measure the area of a country."}, {Name: "x.trend", Purpose: "Fit a trend."},
		{Name: "x.size", Purpose: "Measure the area of a country or shape."}, {Name: "x.none"},
	}
	if d := cmp.Diff([]memory.Near{{A: "x.area", B: "x.size", Shared: 0.75}}, memory.TooNear(tools)); d != "" {
		t.Error(d)
	}
}
