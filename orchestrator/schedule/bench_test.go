package schedule

import (
	"fmt"
	"strings"
	"testing"
)

// twentySteps is a program of 20 statements over the test catalog.
func twentySteps() string {
	var b strings.Builder
	b.WriteString("sst = data.open(dataset=\"coads_climatology\", variable=\"sst\")\nzone = gis.boundary(place=task.place)\n")
	for i := range 8 {
		fmt.Fprintf(&b, "area_%d = gis.buffer(geometry=zone, distance=%d)\nstats_%d = gis.zonal_stats(raster=sst, zones=area_%d)\n", i, i+1, i, i)
	}
	b.WriteString("gap = max([stats_0.mean, stats_1.mean, stats_2.mean, stats_3.mean, stats_4.mean, stats_5.mean, stats_6.mean, stats_7.mean])\nanswer(x=gap)\n")
	return b.String()
}

func TestTwentyStepsPass(t *testing.T) {
	p, problems := CheckText(twentySteps(), newTestCatalog(), oneField, testSlots, nil)
	if len(problems) > 0 || len(p.Statements) != 20 {
		t.Errorf("%d statements, problems %v", len(p.Statements), problems)
	}
}

// The specification allows 200 µs for 20 steps.
func BenchmarkParseAndCheck(b *testing.B) {
	text, catalog := twentySteps(), newTestCatalog()
	b.ReportAllocs()
	for b.Loop() {
		p, problems := Parse(text)
		if problems = append(problems, Check(p, catalog, oneField, testSlots, nil)...); len(problems) > 0 {
			b.Fatal(problems)
		}
	}
}

func BenchmarkRepair(b *testing.B) {
	p, _ := Parse(twentySteps())
	catalog := newTestCatalog()
	b.ReportAllocs()
	for b.Loop() {
		Repair(p, catalog, oneField, testSlots, nil)
	}
}
