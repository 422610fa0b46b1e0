package zonal

import (
	"bytes"
	"math"
	"testing"

	"almanac/scenarios/data"
	"almanac/toolkits/toolstest"
	"almanac/toolkits/vector"
)

func country(b testing.TB, name string) *vector.Features {
	b.Helper()
	text, err := data.Files.ReadFile("natural_earth_countries.geojson")
	if err != nil {
		b.Fatal(err)
	}
	all, err := vector.ReadGeoJSON(bytes.NewReader(text))
	if err != nil {
		b.Fatal(err)
	}
	for _, f := range all.Features {
		if f.Text("name") == name {
			return &vector.Features{CRS: vector.WGS84, Features: []vector.Feature{f}}
		}
	}
	b.Fatalf("no country is named %s", name)
	return nil
}

// BenchmarkZonalMean is the mean of a global field of 1° over a country, shape clipped anew each time. The peers' times
// for the same are in BenchmarkZonalMeanPeers (build tag oracles).
func BenchmarkZonalMean(b *testing.B) {
	r := toolstest.Raster(toolstest.Axis(0.5, 1, 360), toolstest.Axis(-89.5, 1, 180), nil, make([]float64, 64800)...)
	for i := range r.Values {
		r.Values[i] = math.Sin(float64(i))
	}
	for _, name := range []string{"Kenya", "Brazil", "Russia"} {
		zone := country(b, name)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				c, err := Cover(r, zone)
				if err != nil {
					b.Fatal(err)
				}
				if s := c.Field(r.Values); s.Valid == 0 {
					b.Fatal("no cells")
				}
			}
		})
	}
}
