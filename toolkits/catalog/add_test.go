package catalog_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"almanac/scenarios/data"
	"almanac/toolkits/catalog"
)

const gauge = "time,level [m],remark\n2020-01-01,1.5,\n2020-01-02,,late\n2020-01-03,1.75,\n"

// A column that is not all numbers becomes no series, and is named: one "n/a" among numbers would else take a variable
// away without a word.
func TestAddNamesWhatIsLeftOut(t *testing.T) {
	c, err := catalog.Open(data.Files, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	d, err := c.Add(ctx, write(t, "g.csv", "date,level [m],flow,observer\n2020-01-01,1.5,3,Ann\n2020-01-02,1.6,dry,Ben\n"), "gauge_notes", "CC0-1.0")
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Variables) != 1 || !strings.Contains(d.Cut, "flow (text)") || !strings.Contains(d.Cut, "observer (text)") || strings.Contains(d.Cut, "level") {
		t.Errorf("variables %v, left out %q", d.Variables, d.Cut)
	}
}

func TestAdd(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "almanac", "data")
	c, err := catalog.Open(data.Files, dir)
	if err != nil {
		t.Fatal(err)
	}
	relief, err := fs.ReadFile(data.Files, "levitus_climatology.nc")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []struct{ name, file, content, kind, variable string }{
		{"river_gauge", "gauge.csv", gauge, catalog.Series, "level"},
		{"wells", "wells.csv", "name,depth [m],code\nA,10,001\nB,20.5,002\n", catalog.Table, "wells"},
		{"parks", "parks.json", `{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]]]}`, catalog.Vector, "parks"},
		{"my_ocean", "ocean.nc", string(relief), catalog.Raster, "salinity"},
	} {
		d, err := c.Add(ctx, write(t, f.file, f.content), f.name, "CC0-1.0")
		if err != nil {
			t.Errorf("%s: %v", f.name, err)
			continue
		}
		if d.Kind != f.kind || !d.User || d.Licence != "CC0-1.0" {
			t.Errorf("%s: kind %s, user %v, licence %s", f.name, d.Kind, d.User, d.Licence)
		}
		if _, err := d.Variable(f.variable); err != nil {
			t.Error(err)
		}
	}
	again, err := catalog.Open(data.Files, dir)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]*catalog.Catalog{"the same catalog": c, "a new one": again} {
		s, err := c.OpenSeries(ctx, "river_gauge", "level")
		if err != nil || s.Len() != 3 || s.Valid() != 2 || s.Unit != "m" || s.Frequency != "day" {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
		if f, err := c.OpenVector(ctx, "parks"); err != nil || len(f.Features) != 1 {
			t.Errorf("%s: parks: %v", name, err)
		}
		if w, err := c.OpenTable(ctx, "wells"); err != nil || w.Rows() != 2 {
			t.Errorf("%s: wells: %v", name, err)
		}
		mine, err := c.OpenLevel(ctx, "my_ocean", "salinity", 100)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		shipped, err := c.OpenLevel(ctx, "levitus_climatology", "salinity", 100)
		if err != nil || mine.Valid() != shipped.Valid() || mine.Unit != shipped.Unit {
			t.Errorf("%s: %d values, shipped %d, %v", name, mine.Valid(), shipped.Valid(), err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "river_gauge.csv"), []byte(strings.Replace(gauge, "1.75", "9.75", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	third, err := catalog.Open(data.Files, dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := third.OpenSeries(ctx, "river_gauge", "level"); !errors.Is(err, catalog.ErrChanged) {
		t.Errorf("a changed file of the user's: %v", err)
	}
}

func TestAddRefuses(t *testing.T) {
	dir := t.TempDir()
	c, err := catalog.Open(data.Files, dir)
	if err != nil {
		t.Fatal(err)
	}
	file := write(t, "gauge.csv", gauge)
	for name, wanted := range map[string]string{
		"coads_climatology": "taken", "sst data": "lower-case", "etopo": "taken", "": "lower-case", "../x": "lower-case", "Gauge": "lower-case",
	} {
		if _, err := c.Add(ctx, file, name, "CC0-1.0"); !errors.Is(err, catalog.ErrName) || !strings.Contains(err.Error(), wanted) {
			t.Errorf("name %q: %v", name, err)
		}
	}
	if _, err := c.Add(ctx, file, "gauge", " "); err == nil || !strings.Contains(err.Error(), "licence") {
		t.Errorf("no licence: %v", err)
	}
	if _, err := c.Add(ctx, filepath.Join(dir, "nowhere.csv"), "gauge", "CC0-1.0"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	var unreadable *catalog.Unreadable
	for name, f := range map[string]struct{ content, want string }{
		"netcdf4":            {"\x89HDF\r\n\x1a\n0000", "nccopy -k classic"},
		"grib":               {"GRIB\x00\x00\x00\x02", "cdo -f nc copy"},
		"geotiff":            {"II*\x00\x08\x00", "gdal_translate -of netCDF"},
		"shapefile":          {"\x00\x00\x27\x0a\x00\x00", "ogr2ogr -f GeoJSON"},
		"spreadsheet":        {"PK\x03\x04xl", "CSV"},
		"gzip":               {"\x1f\x8b\x08", "gunzip"},
		"latin 1":            {"name,x\nS\xe3o,1\n", "iconv"},
		"binary":             {"\x00\x01\x02", "NetCDF classic, CSV or GeoJSON"},
		"empty":              {"", "NetCDF classic, CSV or GeoJSON"},
		"cut netcdf":         {"CDF\x01\x00\x00", "cannot read"},
		"not geojson":        {`{"a":1}`, "type"},
		"swapped":            {`{"type":"Point","coordinates":[60,124]}`, "swapped"},
		"separators":         {"time,flow [m3 s-1]\n2020-01-01,\"1,234.56\"\n", "line 2"},
		"no unit":            {"time,flow\n2020-01-01,3\n", "has no unit"},
		"unknown unit":       {"time,flow [blarg]\n2020-01-01,3\n", `unknown unit "blarg"`},
		"unknown in a table": {"name,depth [blarg]\nA,3\n", `unknown unit "blarg"`},
		"times go back":      {"time,flow [m3 s-1]\n2020-01-02,3\n2020-01-01,3\n", "does not come after"},
		"header only":        {"time,flow [m3 s-1]\n", "no rows"},
		"no such day":        {"time,flow [m3 s-1]\n2019-02-29,3\n", "2019"},
		"no geojson feature": {`{"type":"FeatureCollection","features":[]}`, "no features"},
	} {
		_, err := c.Add(ctx, write(t, "file", f.content), "new_data", "CC0-1.0")
		if !errors.As(err, &unreadable) || !strings.Contains(err.Error(), f.want) {
			t.Errorf("%s: %v; want %q", name, err, f.want)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("refused files left %v, %v", left, err)
	}
	none := open(t)
	if _, err := none.Add(ctx, file, "gauge", "CC0-1.0"); err == nil {
		t.Error("added to no folder")
	}
}

// TestUserMayNotShadow: a manifest of the user's that takes a shipped name is
// refused with both named.
func TestUserMayNotShadow(t *testing.T) {
	dir := t.TempDir()
	c, err := catalog.Open(data.Files, dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Add(ctx, write(t, "gauge.csv", gauge), "gauge", "CC0-1.0"); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "manifest.yaml")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"etopo_relief", "etopo"} {
		if err := os.WriteFile(path, []byte(strings.Replace(string(text), "name: gauge", "name: "+name, 1)), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err = catalog.Open(data.Files, dir)
		if !errors.Is(err, catalog.ErrManifest) || !strings.Contains(err.Error(), "etopo_relief (shipped)") || !strings.Contains(err.Error(), "added by you") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestDefaultUserDir(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", "/somewhere")
	dir, err := catalog.DefaultUserDir()
	if want := filepath.Join("/somewhere", "almanac", "data"); err != nil || dir != want {
		t.Errorf("%s, %v; want %s", dir, err, want)
	}
}
