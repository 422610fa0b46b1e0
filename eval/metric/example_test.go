package metric_test

import (
	"fmt"

	"almanac/eval/metric"
)

// Gold opens a field and takes its mean; the episode opened it and took its mean over another zone.
func ExampleNewCase() {
	open := metric.Call{ID: "1", Tool: "data.open", Group: "data", Valid: true, Success: true,
		Arguments: []metric.Argument{{Name: "variable", Rule: metric.RuleText, Value: "sst"}}}
	mean := func(zone string) metric.Call {
		return metric.Call{ID: "2", Tool: "gis.zonal_stats", Group: "gis", Valid: true, Success: true,
			Arguments: []metric.Argument{
				{Name: "raster", Rule: metric.RuleArtifact, Origins: []metric.Origin{{Call: "1", Output: "data"}}},
				{Name: "zones", Rule: metric.RuleText, Value: zone},
			}}
	}
	c := metric.NewCase(metric.Evidence{
		Calls: []metric.Call{open, mean("Kenya")},
		Gold:  []metric.Gold{{Calls: []metric.Call{open, mean("Uganda")}}},
	})
	for _, name := range []string{"correctness_rate", "arg_acc"} {
		m, _ := metric.Find(name)
		fmt.Println(name, *m.Compute(c).Value)
	}
	// Output:
	// correctness_rate 0.5
	// arg_acc 0.875
}
