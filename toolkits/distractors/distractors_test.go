package distractors_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"almanac/toolkits"
	"almanac/toolkits/distractors"
)

type in struct {
	X float64 `arg:"x" doc:"a number"`
}

type out struct {
	Y float64 `out:"y" unit:"mm" doc:"twice the number"`
}

func double(name string) *toolkits.Tool {
	return toolkits.New(name, func(_ context.Context, x in) (out, error) { return out{2 * x.X}, nil }, toolkits.Doc{
		Group: "g", Purpose: "Double a number", Examples: []string{"What is twice two?"},
	})
}

func Example() {
	few, err := distractors.Make([]*toolkits.Tool{double("data.double")}, 2)
	fmt.Println(few[0].Name, "|", few[1].Purpose, "|", err)
	// Output: data.double_weighted | Double a number, after a running mean | <nil>
}

// Distractors are as many as asked for, all of different names, of the same types as their tools, and fail when called.
func TestMake(t *testing.T) {
	tools := []*toolkits.Tool{double("data.double"), double("gis.double"), double("forecast.double")}
	all, err := distractors.Make(tools, distractors.Most(tools))
	if err != nil {
		t.Fatal(err)
	}
	r, err := toolkits.NewRegistry(append(all, tools...)...)
	if err != nil {
		t.Fatal(err)
	}
	few, err := distractors.Make(tools, 4)
	if err != nil {
		t.Fatal(err)
	}
	for i, d := range few {
		if d.Name != all[i].Name {
			t.Errorf("%d: %s is not the first of more, %s", i, d.Name, all[i].Name)
		}
	}
	for _, d := range all {
		of, _, _ := strings.Cut(d.Name, "_")
		real, err := r.Tool(of)
		if err != nil || d.Agent != real.Agent || d.Outputs[0].Unit != "mm" || d.Params[0].Name != "x" || d.Purpose == real.Purpose {
			t.Errorf("%s: %+v, %v", d.Name, d, err)
		}
	}
	call, err := all[0].Bind(t.Context(), &toolkits.Env{}, map[string]toolkits.Value{"x": {Kind: toolkits.KindNumber, Number: 1}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := call.Run(t.Context(), toolkits.Made{}); toolkits.AsError(err) == nil || toolkits.AsError(err).Code != toolkits.Unavailable {
		t.Errorf("a distractor that runs: %v", err)
	}
	for _, n := range []int{-1, distractors.Most(tools) + 1} {
		if _, err := distractors.Make(tools, n); err == nil {
			t.Errorf("%d distractors", n)
		}
	}
}
