package forecast_test

import (
	"testing"

	"almanac/toolkits/forecast"
	"almanac/toolkits/toolstest"
)

func TestConform(t *testing.T) {
	for _, tool := range forecast.Toolkit() {
		toolstest.Conform(t, tool)
	}
}
