package agents_test

import (
	"strings"
	"testing"

	"almanac/agents"
)

func TestParseSaysWhereAFaultIs(t *testing.T) {
	cases := []struct{ name, text, want string }{
		{"unknown key", "name: ocean\npurpos: reads the sea\n", `ocean.yaml:2:1: unknown key "purpos"`},
		{"list wanted", "name: ocean\npurpose: reads\ntools: gis\n", "ocean.yaml:3:8: tools is a list"},
		{"text wanted", "name: [ocean]\n", "ocean.yaml:1:7: name is a text"},
		{"number for text", "name: 3\n", "ocean.yaml:1:7: name is a text"},
		{"twice", "name: a\nname: b\n", "ocean.yaml:2:1"},
		{"tool missing", "name: a\npurpose: b\n", "ocean.yaml:1:1: tools missing"},
		{"example", "name: a\npurpose: b\ntools: [gis]\nexamples:\n  - objectiv: x\n", `ocean.yaml:5:5: unknown key "objectiv"`},
		{"no YAML", "name: ocean\n  purpose: [reads\n", "ocean.yaml:2:"},
		{"empty", "", "ocean.yaml:1:1"},
		{"list", "- a\n", "ocean.yaml:1:1: an agent is a mapping"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if _, err := agents.Parse("ocean.yaml", []byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
}
