package forecast_test

import (
	"testing"

	"almanac/toolkits/toolstest"
	"almanac/toolkits/forecast"
)

func TestConform(t *testing.T) {
	for _, tool := range forecast.Toolkit() {
		toolstest.Conform(t, tool)
	}
}
