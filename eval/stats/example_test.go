package stats_test

import (
	"fmt"

	"almanac/eval/stats"
)

// Two setups on eight templates: the first solves all, the second two of them.
func ExampleCompare() {
	var squad, single []stats.Observation
	for i := range 8 {
		name := fmt.Sprintf("t%d", i)
		solved := 0.0
		if i < 2 {
			solved = 1
		}
		squad = append(squad, stats.Observation{Template: name, Task: name, Value: 1})
		single = append(single, stats.Observation{Template: name, Task: name, Value: solved})
	}
	c := stats.Compare(squad, single, true, stats.Options{Share: true})
	stats.Judge([]*stats.Paired{&c})
	fmt.Printf("difference %.2f, p = %.4f (%s): %s\n", *c.Diff, *c.P, c.Test, c.Verdict)
	// Output: difference 0.75, p = 0.0312 (mcnemar_exact): better
}
