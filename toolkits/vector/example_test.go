package vector_test

import (
	"fmt"
	"strings"

	"almanac/toolkits/vector"
)

func Example() {
	// A clockwise square over the antimeridian, drawn on past 180 degrees.
	f, err := vector.ReadGeoJSON(strings.NewReader(
		`{"type":"Polygon","coordinates":[[[178,-2],[178,2],[182,2],[182,-2],[178,-2]]]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	b, err := f.Bound()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(b.West, b.East, b.Width())
	fmt.Println(f.Contains(-179, 0), f.Contains(0, 0))
	// Output:
	// 178 -178 4
	// true false
}
