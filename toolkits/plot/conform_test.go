package plot_test

import (
	"testing"

	"almanac/scenarios/data"
	"almanac/toolkits"
	"almanac/toolkits/catalog"
	"almanac/toolkits/plot"
	"almanac/toolkits/toolstest"
)

func kit(t testing.TB) []*toolkits.Tool {
	t.Helper()
	cat, err := catalog.Open(data.Files, "")
	if err != nil {
		t.Fatal(err)
	}
	return plot.Toolkit(cat)
}

func TestConform(t *testing.T) {
	for _, tool := range kit(t) {
		toolstest.Conform(t, tool)
	}
}
