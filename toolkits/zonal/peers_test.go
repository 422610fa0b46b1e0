//go:build oracles

package zonal

import (
	"testing"

	"almanac/internal/oracle"
)

// BenchmarkZonalMeanPeers reports what exactextract and rasterstats take for the work of BenchmarkZonalMean, in the
// same run on the same machine.
func BenchmarkZonalMeanPeers(b *testing.B) {
	var times map[string]map[string]float64
	oracle.Run(b, "scripts/bench/zonal.py", nil, &times)
	for _, country := range []string{"Kenya", "Brazil", "Russia"} {
		for _, peer := range []string{"exactextract", "rasterstats"} {
			b.Run(country+"/"+peer, func(b *testing.B) {
				for b.Loop() {
				}
				b.ReportMetric(times[country][peer], "ns/op")
			})
		}
	}
}
