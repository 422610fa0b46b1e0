package scenarios_test

import (
	"testing"

	"almanac/scenarios"
)

func TestStarterLoads(t *testing.T) {
	s, err := scenarios.Open("starter")
	if err != nil {
		t.Fatal(err)
	}
	t.Log(len(s.Tasks), s.Hash())
}
