package table_test

import (
	"fmt"
	"strings"

	"almanac/toolkits/table"
)

func Example() {
	t, err := table.ReadCSV(strings.NewReader("time,rain [mm]\n2012-01-01,0\n2012-01-02,10.9\n"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	rain, err := t.Series("time", "rain")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(rain.Label(1), rain.Values[1], rain.Unit, rain.Frequency)
	_, err = table.ReadCSV(strings.NewReader("time,rain [mm]\n2012-01-01,\"1,234.56\"\n"), nil)
	fmt.Println(err)
	// Output:
	// 2012-01-02 10.9 mm day
	// table: bad CSV: line 2, column rain: "1,234.56" is not a number, but the column has the unit mm
}
