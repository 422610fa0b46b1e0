package eval

import "testing"

// BenchmarkScore scores an episode of two calls; ten thousand of eight steps have five seconds.
func BenchmarkScore(b *testing.B) {
	task, log := meanTask(), chain()
	for b.Loop() {
		Score(task, log)
	}
}
