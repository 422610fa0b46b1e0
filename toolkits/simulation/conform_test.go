package simulation_test

import (
	"testing"

	"almanac/toolkits/simulation"
	"almanac/toolkits/toolstest"
)

func TestConform(t *testing.T) {
	for _, tool := range simulation.Toolkit() {
		toolstest.Conform(t, tool)
	}
}
