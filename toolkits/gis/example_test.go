package gis_test

import (
	"context"
	"fmt"
	"os"

	files "almanac/scenarios/data"
	"almanac/toolkits"
	"almanac/toolkits/artifact"
	"almanac/toolkits/catalog"
	"almanac/toolkits/gis"
)

// The area of one square degree at the equator, on the ellipsoid.
func ExampleToolkit() {
	cat, err := catalog.Open(files.Files, "")
	if err != nil {
		fmt.Println(err)
		return
	}
	registry, err := toolkits.NewRegistry(gis.Toolkit(cat)...)
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

	tool, err := registry.Tool("gis.area")
	if err != nil {
		fmt.Println(err)
		return
	}
	square, err := toolkits.Literal(map[string]any{"west": 0, "south": 0, "east": 1, "north": 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	call, err := tool.Bind(context.Background(), &toolkits.Env{Store: store}, map[string]toolkits.Value{"zones": square})
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := call.Run(context.Background(), toolkits.Made{Call: "c1"})
	if err != nil {
		fmt.Println(err)
		return
	}
	area, _ := res.Get("area")
	fmt.Printf("%.0f %s\n", area.Number, area.Unit)
	// Output: 12308 km2
}
