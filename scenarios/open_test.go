package scenarios_test

import (
	"testing"

	"almanac/scenarios"
)

func open(t testing.TB, name string) *scenarios.Suite {
	t.Helper()
	s, err := scenarios.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
