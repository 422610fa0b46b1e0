//go:build oracles

package netcdf_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"almanac/internal/oracle"
	"almanac/toolkits/cftime"
	"almanac/toolkits/grid"
	"almanac/toolkits/netcdf"
)

type fileCase struct {
	Path      string   `json:"path,omitempty"`
	Base64    string   `json:"base64,omitempty"`
	CDL       string   `json:"cdl,omitempty"`
	Kind      string   `json:"kind,omitempty"`
	Variables []string `json:"variables"`
	Xarray    bool     `json:"xarray"`
}

type fileReply struct {
	Base64     string                   `json:"base64"`
	Variables  map[string]variableReply `json:"variables"`
	Attributes map[string]any           `json:"attributes"`
	Times      []string                 `json:"times"`
}

type variableReply struct {
	Shape      []int64        `json:"shape"`
	Values     []any          `json:"values"`
	Attributes map[string]any `json:"attributes"`
}

func ask(t *testing.T, cases ...fileCase) []fileReply {
	t.Helper()
	var replies []fileReply
	oracle.Run(t, "scripts/oracles/netcdf_files.py", cases, &replies)
	if len(replies) != len(cases) {
		t.Fatalf("%d replies for %d cases", len(replies), len(cases))
	}
	return replies
}

// compare reads every variable of the reply with our reader too.
func compare(t *testing.T, name string, f *netcdf.File, reply fileReply) (compared int) {
	t.Helper()
	for variable, want := range reply.Variables {
		v, err := f.Variable(variable)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if fmt.Sprint(f.Shape(v)) != fmt.Sprint(want.Shape) {
			t.Errorf("%s %s: shape %v, libnetcdf says %v", name, variable, f.Shape(v), want.Shape)
		}
		compareAttributes(t, name+" "+variable, v.Attributes, want.Attributes)
		if v.Type == netcdf.Char {
			got, err := f.ReadText(variable)
			if err != nil || fmt.Sprint(got) != fmt.Sprint(want.Values) {
				t.Errorf("%s %s: text %q, %v, libnetcdf says %q", name, variable, got, err, want.Values)
			}
			compared += len(got)
			continue
		}
		got, err := f.ReadValues(variable, nil, nil)
		if err != nil || len(got) != len(want.Values) {
			t.Errorf("%s %s: %d values, %v, libnetcdf has %d", name, variable, len(got), err, len(want.Values))
			continue
		}
		for i, x := range got {
			w, valid := want.Values[i].(float64)
			if valid != (x == x) || valid && math.Abs(x-w) > 1e-6*math.Max(1e-6, math.Abs(w)) {
				t.Errorf("%s %s: value %d is %v, libnetcdf says %v", name, variable, i, x, want.Values[i])
				break
			}
			compared++
		}
	}
	return compared
}

func compareAttributes(t *testing.T, name string, got []netcdf.Attribute, want map[string]any) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d attributes, libnetcdf has %d", name, len(got), len(want))
	}
	for _, a := range got {
		have := fmt.Sprint(a.Text)
		if a.Type != netcdf.Char {
			have = fmt.Sprint(a.Numbers)
		}
		if fmt.Sprint(want[a.Name]) != have {
			t.Errorf("%s: attribute %s is %s, libnetcdf says %v", name, a.Name, have, want[a.Name])
		}
	}
}

func TestOracleRealFiles(t *testing.T) {
	for file, variables := range map[string][]string{
		"coads_climatology.nc":   {"sst", "sea_level_pressure", "time", "lat", "lon_bnds"},
		"etopo_relief.nc":        {"elevation", "lat_bnds"},
		"levitus_climatology.nc": {"salinity"},
	} {
		path := filepath.Join(oracle.Root(t), "scenarios", "data", file)
		f, err := netcdf.Open(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		reply := ask(t, fileCase{Path: path, Variables: variables})[0]
		if n := compare(t, file, f, reply); n < 1000 {
			t.Errorf("%s: only %d values compared", file, n)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

// cdl writes a seeded file: several types, an unlimited dimension, packed and
// missing values, record variables whose records need padding.
func cdl(r *rand.Rand, kind string, recordVariables int) string {
	records, nx := 1+r.IntN(4), 1+r.IntN(5)
	var header, data strings.Builder
	fmt.Fprintf(&header, "netcdf f {\ndimensions:\n t = UNLIMITED ;\n x = %d ;\n y = 3 ;\n n = 5 ;\nvariables:\n", nx)
	types := []string{"byte", "short", "int", "float", "double"}
	suffix := map[string]string{"byte": "b", "short": "s", "int": "", "float": ".f", "double": "."}
	if kind == "cdf5" {
		types = append(types, "ubyte", "ushort", "uint", "int64", "uint64")
	}
	list := func(n int) string {
		var words []string
		for range n {
			words = append(words, fmt.Sprint(r.IntN(100)))
		}
		words[r.IntN(n)] = "7" // the fill value below
		return strings.Join(words, ", ")
	}
	for i := range recordVariables {
		typ := types[r.IntN(len(types))]
		fmt.Fprintf(&header, " %s r%d(t, x) ;\n", typ, i)
		fmt.Fprintf(&data, " r%d = %s ;\n", i, list(records*nx))
	}
	for i, typ := range types {
		fmt.Fprintf(&header, " %s v%d(y, x) ;\n  v%d:note = \"variable %d\" ;\n", typ, i, i, i)
		if s, ok := suffix[typ]; ok && r.IntN(2) == 0 {
			fmt.Fprintf(&header, "  v%d:_FillValue = 7%s ;\n", i, s)
		}
		if r.IntN(2) == 0 {
			fmt.Fprintf(&header, "  v%d:scale_factor = 0.5 ;\n", i)
		}
		if r.IntN(2) == 0 {
			fmt.Fprintf(&header, "  v%d:add_offset = -10. ;\n", i)
		}
		if s, ok := suffix[typ]; ok && r.IntN(3) == 0 {
			fmt.Fprintf(&header, "  v%d:valid_min = 20%s ;\n", i, s) // stored numbers
		}
		fmt.Fprintf(&data, " v%d = %s ;\n", i, list(3*nx))
	}
	header.WriteString(" char c(y, n) ;\n double scalar ;\n\n// global attributes:\n :title = \"seeded\" ;\n :numbers = 1, 2, 3 ;\n :b = 1b, 2b ;\n")
	data.WriteString(" c = \"ab\", \"cde\", \"fghij\" ;\n scalar = 4.5 ;\n")
	return header.String() + "data:\n" + data.String() + "}\n"
}

func TestOracleMadeByNcgen(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	var cases []fileCase
	for _, kind := range []string{"classic", "64-bit-offset", "cdf5"} {
		for i := range 10 {
			cases = append(cases, fileCase{CDL: cdl(r, kind, i%4), Kind: kind})
		}
	}
	for i, reply := range ask(t, cases...) {
		data, err := base64.StdEncoding.DecodeString(reply.Base64)
		if err != nil {
			t.Fatal(err)
		}
		f, err := netcdf.New(bytes.NewReader(data), int64(len(data)), nil)
		if err != nil {
			t.Errorf("%v\n%s", err, cases[i].CDL)
			continue
		}
		name := fmt.Sprintf("case %d, %s", i, cases[i].Kind)
		if n := compare(t, name, f, reply); n < 10 {
			t.Errorf("%s: only %d values compared", name, n)
		}
		compareAttributes(t, name, f.Attributes, reply.Attributes)
		if t.Failed() {
			t.Fatalf("%s", cases[i].CDL)
		}
	}
}

func TestOracleWritten(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 1))
	var cases []fileCase
	var files [][]byte
	for i := range 20 {
		ds := seededDataset(r, i%4, []int{0, 1, 2, 5}[i%4])
		var out bytes.Buffer
		if err := netcdf.Write(&out, ds); err != nil {
			t.Fatal(err)
		}
		files = append(files, out.Bytes())
		cases = append(cases, fileCase{Base64: base64.StdEncoding.EncodeToString(out.Bytes())})
	}
	for i, reply := range ask(t, cases...) {
		f, err := netcdf.New(bytes.NewReader(files[i]), int64(len(files[i])), nil)
		if err != nil {
			t.Fatal(err)
		}
		if n := compare(t, fmt.Sprintf("file %d", i), f, reply); n < 6 {
			t.Errorf("file %d: only %d values compared", i, n)
		}
	}
}

func TestOracleWrittenRaster(t *testing.T) {
	times, _, err := cftime.Decode([]float64{0, 1, 2}, "months since 2000-01-01", "360_day")
	if err != nil {
		t.Fatal(err)
	}
	r := &grid.Raster{
		Variable: "t2m", Unit: "K", CRS: "EPSG:4326", Calendar: "360_day", Times: times,
		TimeEdges: cftime.Edges(times, "month"),
		Lon:       []float64{10, 20}, LonEdges: []float64{5, 15, 25},
		Lat: []float64{-5, 5}, LatEdges: []float64{-10, 0, 10},
		Values: []float64{1, 2, 3, math.NaN(), 5, 6, 7, 8, 9, 10, 11, 12},
	}
	var out bytes.Buffer
	if err := netcdf.WriteRaster(&out, r, false); err != nil {
		t.Fatal(err)
	}
	reply := ask(t, fileCase{Base64: base64.StdEncoding.EncodeToString(out.Bytes()), Xarray: true})[0]
	want := "[2000-01-01T00:00:00 2000-02-01T00:00:00 2000-03-01T00:00:00]"
	if fmt.Sprint(reply.Times) != want {
		t.Errorf("xarray reads the times %v, want %s", reply.Times, want)
	}
	got := reply.Variables["t2m"]
	if fmt.Sprint(got.Shape) != "[3 2 2]" || fmt.Sprint(got.Values) != "[1 2 3 <nil> 5 6 7 8 9 10 11 12]" || got.Attributes["units"] != "K" {
		t.Errorf("libnetcdf reads %+v", got)
	}
}

// ferretFile finds a file of Debian's ferret-datasets, as `make data` unpacks
// it.
func ferretFile(t *testing.T, name string) string {
	t.Helper()
	sources := os.Getenv("ALMANAC_SOURCES")
	if sources == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			t.Fatal(err)
		}
		sources = filepath.Join(home, ".cache", "almanac", "data-packages")
	}
	path := filepath.Join(sources, "ferret-datasets", "usr", "share", "ferret-vis", "data", name)
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("no %s: run `make data`", path)
	}
	return path
}

// The files as people have them: record variables, text in capitals, modulo
// axes, a repeated column, rounded coordinates.
func TestOracleFerretFiles(t *testing.T) {
	surface := 0.0
	for _, c := range []struct {
		file, variable, time string
		options              netcdf.RasterOptions
		unit, label          string
		columns              int
	}{
		{"coads_climatology.cdf", "SST", "TIME", netcdf.RasterOptions{}, "degC", "January", 180},
		{"etopo20.cdf", "ROSE", "", netcdf.RasterOptions{}, "m", "", 1080},
		{"levitus_climatology.cdf", "SALT", "", netcdf.RasterOptions{Level: &surface, Unit: "1e-3"}, "1e-3", "", 360},
		{"monthly_navy_winds.cdf", "UWND", "TIME", netcdf.RasterOptions{}, "m s-1", "1982-01", 144},
	} {
		path := ferretFile(t, c.file)
		f, err := netcdf.Open(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		variables := []string{c.variable}
		if c.time != "" {
			variables = append(variables, c.time)
		}
		switch c.file { // fields of over a million values are left out
		case "levitus_climatology.cdf":
			variables = []string{"XAXLEVITR", "ZAXLEVITR", "ZAXLEVITRedges"}
		case "monthly_navy_winds.cdf":
			variables = []string{"FNOCX", "FNOCY", "TIME"}
		}
		if n := compare(t, c.file, f, ask(t, fileCase{Path: path, Variables: variables})[0]); n < 300 {
			t.Errorf("%s: only %d values compared", c.file, n)
		}
		r, err := netcdf.ReadRaster(f, c.variable, &c.options)
		if err != nil {
			t.Errorf("%s: %v", c.file, err)
		} else if r.Unit != c.unit || r.Label(0) != c.label || len(r.Lon) != c.columns || !r.FullCircle() {
			t.Errorf("%s: %s, %q, %d columns, %s", c.file, r.Unit, r.Label(0), len(r.Lon), r.Extent())
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}
