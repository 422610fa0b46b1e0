package data_test

import (
	"context"
	"fmt"
	"os"

	files "almanac/scenarios/data"
	"almanac/toolkits"
	"almanac/toolkits/artifact"
	"almanac/toolkits/catalog"
	"almanac/toolkits/data"
)

// The wettest month of a year, from daily values: open, join to months, look for the largest.
func ExampleToolkit() {
	cat, err := catalog.Open(files.Files, "")
	if err != nil {
		fmt.Println(err)
		return
	}
	registry, err := toolkits.NewRegistry(data.Toolkit(cat)...)
	if err != nil {
		fmt.Println(err)
		return
	}
	dir, err := os.MkdirTemp("", "almanac")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	store, err := artifact.Open(dir, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer store.Close()
	env := &toolkits.Env{Store: store}

	rain := run(registry, env, "data.open", map[string]any{"dataset": "seattle_weather", "variable": "precipitation", "period": "2014"}, "data")
	months := run(registry, env, "data.aggregate_time", map[string]any{"data": rain, "by": "month", "method": "sum"}, "data")
	wettest := run(registry, env, "data.series_stats", map[string]any{"series": months}, "argmax")
	fmt.Println(wettest.Text)
	// Output: 2014-03
}

// run makes one call and returns one of its outputs.
func run(registry *toolkits.Registry, env *toolkits.Env, name string, args map[string]any, output string) toolkits.Value {
	tool, err := registry.Tool(name)
	if err != nil {
		panic(err)
	}
	values := make(map[string]toolkits.Value, len(args))
	for k, x := range args {
		if values[k], err = toolkits.Literal(x); err != nil {
			panic(err)
		}
	}
	call, err := tool.Bind(context.Background(), env, values)
	if err != nil {
		panic(err)
	}
	res, err := call.Run(context.Background(), toolkits.Made{Call: name})
	if err != nil {
		panic(err)
	}
	v, _ := res.Get(output)
	return v
}
