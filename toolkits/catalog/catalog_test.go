package catalog_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"almanac/scenarios/data"
	"almanac/toolkits/catalog"
	"almanac/toolkits/cftime"
	"almanac/toolkits/units"
)

var ctx = context.Background()

// shared is one catalog for all tests that change nothing, so that each file is
// read once.
var shared = sync.OnceValues(func() (*catalog.Catalog, error) { return catalog.Open(data.Files, "") })

func open(t *testing.T) *catalog.Catalog {
	t.Helper()
	c, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestContract: names and units that tasks are written on.
func TestContract(t *testing.T) {
	want := map[string]map[string]string{
		"coads_climatology": {"sst": "degC", "air_temperature": "degC", "specific_humidity": "g kg-1", "wind_speed": "m s-1",
			"eastward_wind": "m s-1", "northward_wind": "m s-1", "sea_level_pressure": "hPa"},
		"etopo_relief":            {"elevation": "m"},
		"levitus_climatology":     {"sea_water_temperature": "degC", "salinity": "1e-3"},
		"natural_earth_countries": {"countries": "1"},
		"natural_earth_places":    {"places": "1", "name": "", "country": "", "latitude": "degrees_north", "longitude": "degrees_east", "population": "1"},
		"mauna_loa_co2":           {"co2": "ppm"},
		"el_nino_sst":             {"sst": "degC"},
		"seattle_weather":         {"precipitation": "mm", "temperature_max": "degC", "temperature_min": "degC", "wind_speed": "m s-1"},
	}
	for _, d := range open(t).Datasets() {
		variables := want[d.Name]
		if variables == nil {
			t.Errorf("data set %s is not in the contract", d.Name)
		}
		for _, v := range d.Variables {
			unit, ok := variables[v.Name]
			if !ok || unit != v.Unit {
				t.Errorf("%s.%s in %q; want %q, %v", d.Name, v.Name, v.Unit, unit, ok)
			}
			if _, err := units.Canonical(v.Unit); err != nil && v.Unit != "" {
				t.Errorf("%s.%s: %v", d.Name, v.Name, err)
			}
			delete(variables, v.Name)
		}
		if len(variables) > 0 {
			t.Errorf("%s lacks %v", d.Name, variables)
		}
		if d.Licence == "" || d.Source == "" || d.Title == "" || d.Cut == "" || d.Synthetic || d.User {
			t.Errorf("%s: licence %q, source %q, title %q, cut %q", d.Name, d.Licence, d.Source, d.Title, d.Cut)
		}
		delete(want, d.Name)
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
}

// TestFilesMatchManifest: every committed file is described, with its hash and
// size, and every described file is there.
func TestFilesMatchManifest(t *testing.T) {
	c := open(t)
	described := map[string]bool{"manifest.yaml": true, "regions.yaml": true, "aliases.yaml": true}
	total := int64(0)
	for _, d := range c.Datasets() {
		raw, err := fs.ReadFile(data.Files, d.File)
		if err != nil {
			t.Error(err)
			continue
		}
		sum := sha256.Sum256(raw)
		if hex.EncodeToString(sum[:]) != d.SHA256 || int64(len(raw)) != d.Bytes {
			t.Errorf("%s: %d bytes, hash %x; the manifest says %d, %s", d.File, len(raw), sum, d.Bytes, d.SHA256)
		}
		if err := c.Verify(ctx, d.Name); err != nil {
			t.Error(err)
		}
		described[d.File] = true
		total += d.Bytes
	}
	if total > 10e6 {
		t.Errorf("%d bytes of data, more than 10 MB", total)
	}
	files, err := fs.ReadDir(data.Files, ".")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !described[f.Name()] {
			t.Errorf("%s is in no manifest entry", f.Name())
		}
	}
	if _, err := c.Gazetteer().Place("nino34"); err != nil {
		t.Errorf("regions and aliases: %v", err)
	}
}

func TestOpenRasters(t *testing.T) {
	c := open(t)
	for _, d := range c.Datasets() {
		if d.Kind != catalog.Raster {
			continue
		}
		for _, v := range d.Variables {
			var level *float64
			if len(v.Levels) > 0 {
				level = &v.Levels[len(v.Levels)-1]
			}
			var err error
			if level == nil {
				_, err = c.OpenRaster(ctx, d.Name, v.Name)
			} else {
				_, err = c.OpenLevel(ctx, d.Name, v.Name, *level)
			}
			if err != nil {
				t.Error(err)
			}
		}
	}
}

// TestKnownTruths: values that anybody can look up, at known places, so that a
// flipped axis, a shifted longitude, a wrong unit or a lost fill value shows.
func TestKnownTruths(t *testing.T) {
	c := open(t)
	// Equatorial Pacific in January: 27 to 28 degC east of the date line, cold
	// tongue off Peru below 25; the warm pool above 28 (any ocean atlas).
	sst, err := c.OpenRaster(ctx, "coads_climatology", "sst")
	if err != nil {
		t.Fatal(err)
	}
	if !sst.Climatology || len(sst.Times) != 12 || sst.Label(7) != "August" || sst.Unit != "degC" || sst.CellMethods != "time: mean" {
		t.Errorf("climatology %v, %d steps, %q, %q, %q", sst.Climatology, len(sst.Times), sst.Label(7), sst.Unit, sst.CellMethods)
	}
	near := func(axis []float64, x float64) int {
		best := 0
		for i := range axis {
			if math.Abs(axis[i]-x) < math.Abs(axis[best]-x) {
				best = i
			}
		}
		return best
	}
	for _, p := range []struct {
		month    int
		lon, lat float64
		low, hi  float64
	}{
		{0, 201, 1, 26, 28.5}, {0, 155, -3, 28, 30.5}, {8, 271, -1, 19, 24}, // Pacific: centre, warm pool, cold tongue
		{7, 331, 45, 17, 22}, {1, 331, 45, 11, 15}, // north Atlantic, summer and winter
		{1, 331, -45, 9, 17},                 // south of it, southern summer
		{0, 100, 45, math.NaN(), math.NaN()}, // Mongolia: land
	} {
		got := sst.At(p.month, near(sst.Lat, p.lat), near(sst.Lon, p.lon))
		if math.IsNaN(p.low) != math.IsNaN(got) || got < p.low || got > p.hi {
			t.Errorf("sst in month %d at %g E %g N is %g, want %g to %g", p.month+1, p.lon, p.lat, got, p.low, p.hi)
		}
	}
	// The Everest massif fills a cell of 37 km: 5 to 7 km; the Challenger Deep
	// below 7 km; the ice of Antarctica above 3 km; Amsterdam near 0.
	relief, err := c.OpenRaster(ctx, "etopo_relief", "elevation")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []struct{ lon, lat, low, high float64 }{
		{86.9, 28, 5000, 7000}, {142.2, 11.35, -9500, -6500}, {90, -80, 2500, 4000}, {364.9, 52.4, -30, 30}, {255, 39.7, 1200, 2500},
	} {
		if got := relief.At(0, near(relief.Lat, p.lat), near(relief.Lon, p.lon)); !(got >= p.low && got <= p.high) {
			t.Errorf("elevation at %g E %g N is %g, want %g to %g", p.lon, p.lat, got, p.low, p.high)
		}
	}
	// The Red Sea is about 39 salty, the Baltic under 10; deep water 0 to 3 degC.
	salt, err := c.OpenLevel(ctx, "levitus_climatology", "salinity", 0)
	if err != nil {
		t.Fatal(err)
	}
	if red, baltic := salt.At(0, near(salt.Lat, 22.5), near(salt.Lon, 37.5)), salt.At(0, near(salt.Lat, 58.5), near(salt.Lon, 379.5)); !(red > 38 && red < 41 && baltic < 10) {
		t.Errorf("salinity of the Red Sea %g, of the Baltic %g", red, baltic)
	}
	deep, err := c.OpenLevel(ctx, "levitus_climatology", "sea_water_temperature", 4000)
	if err != nil {
		t.Fatal(err)
	}
	if got := deep.At(0, near(deep.Lat, 0.5), near(deep.Lon, 200.5)); !(got > 0.5 && got < 3) || deep.Level == nil || *deep.Level != 4000 {
		t.Errorf("temperature at 4000 m is %g, level %v", got, deep.Level)
	}
}

func TestSeries(t *testing.T) {
	c := open(t)
	// The first weekly value of the record: 316.1 ppm on 29 March 1958.
	co2, err := c.OpenSeries(ctx, "mauna_loa_co2", "co2")
	if err != nil {
		t.Fatal(err)
	}
	if co2.Label(0) != "1958-03-29" || co2.Values[0] != 316.1 || co2.Unit != "ppm" || co2.Frequency != cftime.FrequencyWeek {
		t.Errorf("%s %g %s %s", co2.Label(0), co2.Values[0], co2.Unit, co2.Frequency)
	}
	// statsmodels says: 2225 observations; the axis has the missing weeks too.
	if co2.Valid() != 2225 || co2.Len() != 2284 {
		t.Errorf("%d of %d weeks have a value, want 2225 of 2284", co2.Valid(), co2.Len())
	}
	nino, err := c.OpenSeries(ctx, "el_nino_sst", "sst")
	if err != nil {
		t.Fatal(err)
	}
	// 61 years by 12; the first two as NOAA's table has them: 23.11, 24.20.
	if nino.Len() != 61*12 || nino.Values[0] != 23.11 || nino.Values[1] != 24.2 || nino.Label(731) != "2010-12" || nino.Frequency != cftime.FrequencyMonth {
		t.Errorf("%d months, %v, last %s, %s", nino.Len(), nino.Values[:2], nino.Label(731), nino.Frequency)
	}
	rain, err := c.OpenSeries(ctx, "seattle_weather", "precipitation")
	if err != nil {
		t.Fatal(err)
	}
	if rain.Len() != 1461 || rain.CellMethods != "time: sum" || rain.Latitude == nil || *rain.Latitude != 47.4444 || rain.Label(0) != "2012-01-01" || rain.Values[1] != 10.9 {
		t.Errorf("%d days, %q, latitude %v, %s, %v", rain.Len(), rain.CellMethods, rain.Latitude, rain.Label(0), rain.Values[:2])
	}
	wind, err := c.OpenSeries(ctx, "seattle_weather", "wind")
	if err != nil || wind.Variable != "wind_speed" || wind.Unit != "m s-1" {
		t.Errorf("the alias wind: %+v, %v", wind, err)
	}
}

func TestPlacesTable(t *testing.T) {
	c := open(t)
	table, err := c.OpenTable(ctx, "natural_earth_places")
	if err != nil {
		t.Fatal(err)
	}
	points, err := c.OpenVector(ctx, "natural_earth_places")
	if err != nil {
		t.Fatal(err)
	}
	if table.Rows() != 7322 || len(points.Features) != 7322 {
		t.Errorf("%d rows, %d points; want 7322", table.Rows(), len(points.Features))
	}
	if err := table.Validate(); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"country", "latitude", "longitude", "population", "admin"} {
		if _, err := table.Column(name); err != nil {
			t.Error(err)
		}
	}
}

func TestNotFound(t *testing.T) {
	c := open(t)
	var missing *catalog.NotFound
	_, err := c.Dataset("coads_climatolgy")
	if !errors.As(err, &missing) || len(missing.Nearest) == 0 || missing.Nearest[0] != "coads_climatology" {
		t.Errorf("data set: %v", err)
	}
	_, err = c.OpenRaster(ctx, "coads", "sea_surface_temp")
	if !errors.As(err, &missing) || len(missing.Nearest) != 7 {
		t.Errorf("variable: %v", err)
	}
	_, err = c.OpenSeries(ctx, "seattle_weather", "air_temperature")
	if !errors.As(err, &missing) || !slices.Equal(missing.Nearest, []string{"temperature_max", "temperature_min"}) {
		t.Errorf("a standard name of two variables: %v", err)
	}
	_, err = c.OpenSeries(ctx, "seattle_weather", "")
	if !errors.As(err, &missing) {
		t.Errorf("no name: %v", err)
	}
	var kind *catalog.KindError
	if _, err = c.OpenRaster(ctx, "mauna_loa_co2", "co2"); !errors.As(err, &kind) || kind.Kind != catalog.Series {
		t.Errorf("a series as raster: %v", err)
	}
	if _, err = c.OpenVector(ctx, "etopo_relief"); !errors.As(err, &kind) {
		t.Errorf("a raster as vector: %v", err)
	}
	var level *catalog.LevelError
	if _, err = c.OpenRaster(ctx, "levitus_climatology", "salinity"); !errors.As(err, &level) || len(level.Levels) != 8 {
		t.Errorf("no level: %v", err)
	}
	if _, err = c.OpenLevel(ctx, "levitus_climatology", "salinity", 150); !errors.As(err, &level) || !strings.Contains(err.Error(), "100") {
		t.Errorf("level 150: %v", err)
	}
	if _, err = c.OpenLevel(ctx, "coads", "sst", 0); !errors.As(err, &level) {
		t.Errorf("a level of a surface field: %v", err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err = c.OpenSeries(cancelled, "mauna_loa_co2", "co2"); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestChangedFile: a file that is not the one described is not opened.
func TestChangedFile(t *testing.T) {
	shipped := fstest.MapFS{}
	files, err := fs.ReadDir(data.Files, ".")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		raw, err := fs.ReadFile(data.Files, f.Name())
		if err != nil {
			t.Fatal(err)
		}
		shipped[f.Name()] = &fstest.MapFile{Data: raw}
	}
	csv := shipped["el_nino_sst.csv"]
	csv.Data = []byte(strings.Replace(string(csv.Data), "23.110", "24.110", 1))
	delete(shipped, "etopo_relief.nc")
	c, err := catalog.Open(shipped, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.OpenSeries(ctx, "el_nino_sst", "sst"); !errors.Is(err, catalog.ErrChanged) {
		t.Errorf("changed: %v", err)
	}
	if err := c.Verify(ctx, "el_nino_sst"); !errors.Is(err, catalog.ErrChanged) {
		t.Errorf("changed, verified: %v", err)
	}
	if _, err := c.OpenRaster(ctx, "etopo_relief", "elevation"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("gone: %v", err)
	}
}

func TestManifestFaults(t *testing.T) {
	whole, err := fs.ReadFile(data.Files, "manifest.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ old, new, want string }{
		"unknown key":          {"\nschema: 1", "\nschema: 1\nshema: 2", "shema"},
		"unknown key inside":   {`    title: "COADS`, `    titel: "COADS`, `line 14: unknown key "titel"`},
		"unknown schema":       {"\nschema: 1", "\nschema: 9", "schema 9"},
		"unknown kind":         {`kind: "raster"`, `kind: "cube"`, `manifest.yaml:13: data set "coads_climatology": kind "cube"`},
		"a path as file":       {`file: "coads_climatology.nc"`, `file: "../coads_climatology.nc"`, "not the name of a file"},
		"no licence":           {`licence: "public domain"`, `licence: ""`, "no licence"},
		"short hash":           {`sha256: "1304`, `sha256: "304`, "sha256"},
		"a list for a text":    {`title: "COADS`, `title: ["COADS`, "manifest.yaml"},
		"two of one name":      {`name: "el_nino_sst"`, `name: "mauna_loa_co2"`, "both named"},
		"two of one alias":     {`"el nino", `, `"etopo", `, "both named"},
		"two variables":        {`name: "eastward_wind"`, `name: "northward_wind"`, "two variables"},
		"text for a number":    {"bytes: 10996", "bytes: many", "many"},
		"key given twice":      {`kind: "raster"`, "kind: \"raster\"\n    kind: \"raster\"", "kind"},
		"a name with a space":  {`name: "el_nino_sst"`, `name: "el nino sst"`, "lower-case"},
		"variable without one": {`name: "elevation"`, `name: ""`, "no name"},
	} {
		text := strings.Replace(string(whole), c.old, c.new, 1)
		if text == string(whole) {
			t.Errorf("%s: the manifest has no %q", name, c.old)
			continue
		}
		_, err := catalog.Open(fstest.MapFS{"manifest.yaml": &fstest.MapFile{Data: []byte(text)}}, "")
		if !errors.Is(err, catalog.ErrManifest) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %q", name, err, c.want)
		}
	}
	if _, err := catalog.Open(fstest.MapFS{}, ""); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no manifest: %v", err)
	}
}

func TestConcurrentUse(t *testing.T) {
	c, err := catalog.Open(data.Files, "")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if _, err := c.OpenRaster(ctx, "coads", "sst"); err != nil {
				t.Error(err)
			}
			if _, err := c.Gazetteer().Place("Kenya"); err != nil {
				t.Error(err)
			}
			if _, err := c.OpenSeries(ctx, "el_nino_sst", "sst"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	a, _ := c.OpenRaster(ctx, "coads", "sst")
	b, _ := c.OpenRaster(ctx, "coads_climatology", "sea_surface_temperature")
	if a != b {
		t.Error("one variable is read twice")
	}
}

// TestOpenIsQuick: opening reads the manifests only. The bound is far above what
// it takes (a few milliseconds), and far below what reading the data would.
func TestOpenIsQuick(t *testing.T) {
	best := time.Hour
	for range 5 {
		start := time.Now()
		if _, err := catalog.Open(data.Files, ""); err != nil {
			t.Fatal(err)
		}
		best = min(best, time.Since(start))
	}
	if best > 40*time.Millisecond {
		t.Errorf("opening takes %v", best)
	}
}

func write(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}
