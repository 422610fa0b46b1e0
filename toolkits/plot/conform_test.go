package plot_test

import (
	"fmt"
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
		toolstest.ConformCalls(t, tool, 60)
	}
}

func ExampleToolkit() {
	cat, err := catalog.Open(data.Files, "")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, tool := range plot.Toolkit(cat) {
		fmt.Println(tool.Name)
	}
	// Output:
	// plot.map
	// plot.series
}
