package catalog_test

import (
	"context"
	"fmt"

	"almanac/scenarios/data"
	"almanac/toolkits/catalog"
)

func Example() {
	cat, err := catalog.Open(data.Files, "")
	if err != nil {
		fmt.Println(err)
		return
	}
	co2, err := cat.OpenSeries(context.Background(), "keeling curve", "co2")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(co2.Label(0), co2.Values[0], co2.Unit)
	place, err := cat.Gazetteer().Place("Ivory Coast")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(place.Name, place.Kind, place.ISO3)
	_, err = cat.Dataset("coads_climatolgy")
	fmt.Println(err)
	// Output:
	// 1958-03-29 316.1 ppm
	// Côte d'Ivoire country CIV
	// catalog: no data set is named "coads_climatolgy"; the nearest: coads_climatology
}
