package reading_test

import (
	"testing"

	"almanac/orchestrator/reading"

	"github.com/google/go-cmp/cmp"
)

func TestUnitsAsked(t *testing.T) {
	cases := []struct {
		text string
		want []string
	}{
		{"How many square kilometres does Kenya cover?", []string{"km2"}},
		{"How many millimetres of rain fell in Seattle on days above 20 °C?", []string{"mm", "day"}},
		{"Who is in Lima?", nil},
		{"What area lies above 2000 metres?", nil},
	}
	for _, c := range cases {
		if diff := cmp.Diff(c.want, reading.UnitsAsked(c.text)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", c.text, diff)
		}
	}
}
