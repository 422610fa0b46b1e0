package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"time"

	"almanac/scenarios/data"
	"almanac/toolkits/grid"
	"almanac/toolkits/vector"
	"almanac/toolkits/zonal"
)

var countries = []string{"Kenya", "Brazil", "Russia"}

// zonalRows measures the mean of a global field of one degree over a country, the shape clipped anew each time, beside
// exactextract (cells weighted by their area) and rasterstats (cells counted by their centres) on the same field.
func zonalRows(ctx context.Context, c config) ([]row, error) {
	text, err := data.Files.ReadFile("natural_earth_countries.geojson")
	if err != nil {
		return nil, err
	}
	all, err := vector.ReadGeoJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	field := oneDegree()
	peers, missing := peerZonal(ctx, c)
	var rows []row
	for _, name := range countries {
		var zone *vector.Features
		for _, f := range all.Features {
			if f.Text("name") == name {
				zone = &vector.Features{CRS: vector.WGS84, Features: []vector.Feature{f}}
			}
		}
		if zone == nil {
			return rows, fmt.Errorf("no country is named %s", name)
		}
		r, err := bench(func() error {
			cover, err := zonal.Cover(field, zone)
			if err == nil && cover.Field(field.Values).Valid == 0 {
				err = fmt.Errorf("no cells")
			}
			return err
		})
		if err != nil {
			return rows, err
		}
		rows = append(rows, zonalRow(name, per(r, 1), peers[name]))
	}
	return rows, missing
}

func zonalRow(name string, took time.Duration, peers map[string]float64) row {
	r := timed("zonal mean, 1°, "+name, took, 0, "")
	ee, rs := time.Duration(peers["exactextract"]), time.Duration(peers["rasterstats"])
	if ee > 0 && rs > 0 {
		r.limit, r.within = "faster than both", took < min(ee, rs)
		r.peers = fmt.Sprintf("exactextract %s, rasterstats %s", short(ee), short(rs))
	}
	return r
}

func oneDegree() *grid.Raster {
	r := &grid.Raster{Variable: "x", Unit: "1", CRS: "EPSG:4326", Values: make([]float64, 64800)}
	r.Lon, r.LonEdges = axis(-179.5, 360)
	r.Lat, r.LatEdges = axis(-89.5, 180)
	for i := range r.Values {
		r.Values[i] = math.Sin(float64(i))
	}
	return r
}

func axis(first float64, n int) (centres, edges []float64) {
	for i := range n {
		centres = append(centres, first+float64(i))
		edges = append(edges, first+float64(i)-0.5)
	}
	return centres, append(edges, first+float64(n)-0.5)
}

func peerZonal(ctx context.Context, c config) (map[string]map[string]float64, error) {
	if c.python == "" {
		return nil, fmt.Errorf("the Python peers are left out: `make oracles`, and ALMANAC_ORACLES=<python>")
	}
	cmd := exec.CommandContext(ctx, c.python, append([]string{filepath.Join(c.root, "scripts", "bench", "zonal.py")}, countries...)...)
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("the Python peers (`make oracles` installs them): %w", err)
	}
	var times map[string]map[string]float64
	return times, json.Unmarshal(out, &times)
}
