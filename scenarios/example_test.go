package scenarios_test

import (
	"fmt"
	"log"

	"almanac/scenarios"
)

func ExampleSuite_Select() {
	s, err := scenarios.Open("demo")
	if err != nil {
		log.Fatal(err)
	}
	tasks, err := s.Select(scenarios.Selection{Tasks: "test/windiest-month-*", Wording: scenarios.WordingAll})
	if err != nil {
		log.Fatal(err)
	}
	for _, t := range tasks[:2] {
		fmt.Println(t.Path())
		fmt.Println(t.Asked().Question)
	}
	// Output:
	// test/windiest-month-reykjavik
	// In which month does the wind at sea blow hardest at Reykjavik, and what is the mean wind speed in that month?
	// test/windiest-month-reykjavik~1
	// For the grid point nearest to Reykjavik, give the month with the highest climatological wind speed and its value.
}
