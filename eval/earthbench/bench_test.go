package earthbench_test

import (
	"testing"

	"almanac/eval/earthbench"
)

func BenchmarkParity(b *testing.B) {
	gold := goldOf(b)
	_, run := recorded(b, gold, "Kimik2_IF")
	for b.Loop() {
		earthbench.Parity(gold, run)
	}
}

func BenchmarkReadRun(b *testing.B) {
	gold := goldOf(b)
	for b.Loop() {
		recorded(b, gold, "Kimik2_IF")
	}
}
