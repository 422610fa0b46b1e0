package judge_test

import (
	"fmt"

	"almanac/eval/judge"
)

func ExampleExact() {
	made := map[string]any{"mean": 12.43, "months": []string{"June", "July"}}
	want := map[string]any{"mean": 12.4, "months": []string{"june", "july"}}
	fmt.Println(judge.Exact(made, want, nil).Reason)
	fmt.Println(judge.Exact(made, want, &judge.Options{AbsTol: 0.05}).Equal)
	// Output:
	// .mean: is 12.43, not 12.4 within 1.24e-08
	// true
}
