package catalog

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"almanac/toolkits/cftime"
	"almanac/toolkits/table"
	"almanac/toolkits/units"
	"almanac/toolkits/vector"

	"go.yaml.in/yaml/v4"
)

// MaxUserFile is the most bytes that a file brought in by [Catalog.Add] has.
const MaxUserFile = 1 << 30

// ErrName is wrapped by the error for a name that a data set cannot have.
var ErrName = errors.New("bad data set name")

// Unreadable says that a file is of a format that is not read, and how to
// convert it.
type Unreadable struct {
	File    string
	Format  string // what it is, "" where unknown
	Convert string // a command or a hint
	Err     error  // what went wrong in a format that is read, or nil
}

func (e *Unreadable) Error() string {
	s := "catalog: cannot read " + e.File
	if e.Format != "" {
		s += ", which is " + e.Format
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	if e.Convert != "" {
		s += "; convert it: " + e.Convert
	}
	return s
}

func (e *Unreadable) Unwrap() error { return e.Err }

// Add copies a NetCDF classic, CSV or GeoJSON file into the user's folder, with
// an entry in its manifest, and makes it known to c. The name has to be new: a
// data set of that name, shipped or added, is an error that wraps [ErrName].
// The file is read through once, so that what was added can be opened; one that
// cannot be read is an [*Unreadable]. The source of the data is the file's name.
func (c *Catalog) Add(ctx context.Context, file, name, licence string) (Dataset, error) {
	if err := c.mayBeNamed(name, licence); err != nil {
		return Dataset{}, err
	}
	data, err := readBounded(file)
	if err != nil {
		return Dataset{}, err
	}
	if err := ctx.Err(); err != nil {
		return Dataset{}, err
	}
	e, extension, err := describe(file, name, data)
	if err != nil {
		return Dataset{}, err
	}
	sum := sha256.Sum256(data)
	e.Name, e.Licence, e.Source = name, licence, "file "+filepath.Base(file)
	e.File, e.Bytes, e.SHA256 = name+extension, int64(len(data)), hex.EncodeToString(sum[:])
	if e.Title == "" {
		e.Title = "user data " + name
	}
	if fault := e.fault(); fault != "" {
		return Dataset{}, &Unreadable{File: file, Err: errors.New(fault)}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.store(e, data); err != nil {
		return Dataset{}, err
	}
	d := e.dataset(true)
	c.datasets = append(c.datasets, d)
	return d, c.checkNames()
}

func (c *Catalog) mayBeNamed(name, licence string) error {
	switch {
	case c.userDir == "":
		return errors.New("catalog: adding data: this catalog has no folder for your own data sets")
	case !namePattern.MatchString(name):
		return fmt.Errorf("catalog: %w: %q; a name is lower-case letters, digits and underscores, a letter first", ErrName, name)
	case strings.TrimSpace(licence) == "":
		return errors.New("catalog: adding data: name its licence, for example CC-BY-4.0 or \"own data\"")
	}
	if d, err := c.Dataset(name); err == nil {
		return fmt.Errorf("catalog: %w: %q is taken by the data set %s%s; choose another", ErrName, name, d.Name, origin(d))
	}
	return nil
}

func readBounded(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("catalog: adding data: %w", err)
	}
	defer f.Close() // only read from
	data, err := io.ReadAll(io.LimitReader(f, MaxUserFile+1))
	if err != nil {
		return nil, fmt.Errorf("catalog: adding data: %w", err)
	}
	if len(data) > MaxUserFile {
		return nil, fmt.Errorf("catalog: adding data: %s has more than %d bytes; cut it to the region and period that you need", file, MaxUserFile)
	}
	return data, nil
}

// store writes the file and the manifest, each whole or not at all. The lock is
// held.
func (c *Catalog) store(e entry, data []byte) error {
	if err := os.MkdirAll(c.userDir, 0o755); err != nil {
		return fmt.Errorf("catalog: adding data: %w", err)
	}
	m, err := readManifest(os.DirFS(c.userDir), manifestName)
	if errors.Is(err, os.ErrNotExist) {
		m, err = &manifest{Schema: 1}, nil
	}
	if err != nil {
		return err
	}
	if slices.ContainsFunc(m.Datasets, func(o entry) bool { return o.Name == e.Name }) {
		return fmt.Errorf("catalog: %w: %q was added meanwhile", ErrName, e.Name)
	}
	m.Datasets = append(m.Datasets, e)
	text, err := yaml.Dump(m)
	if err != nil {
		return fmt.Errorf("catalog: adding data: %w", err)
	}
	if err := writeWhole(filepath.Join(c.userDir, e.File), data); err != nil {
		return err
	}
	return writeWhole(filepath.Join(c.userDir, manifestName), text)
}

func writeWhole(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".adding-*")
	if err != nil {
		return fmt.Errorf("catalog: adding data: %w", err)
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		err = fmt.Errorf("catalog: adding data: %w", errors.Join(err, os.Remove(f.Name())))
	}
	return err
}

// formats that are not read, by their first bytes.
var formats = []struct{ magic, format, convert string }{
	{"\x89HDF\r\n\x1a\n", "NetCDF-4 (HDF5)", "nccopy -k classic IN OUT.nc"},
	{"GRIB", "GRIB", "cdo -f nc copy IN OUT.nc"},
	{"II*\x00", "GeoTIFF", "gdal_translate -of netCDF -co FORMAT=NC IN OUT.nc"},
	{"MM\x00*", "GeoTIFF", "gdal_translate -of netCDF -co FORMAT=NC IN OUT.nc"},
	{"II+\x00", "BigTIFF", "gdal_translate -of netCDF -co FORMAT=NC IN OUT.nc"},
	{"\x00\x00\x27\x0a", "a shapefile", "ogr2ogr -f GeoJSON -t_srs EPSG:4326 OUT.geojson IN"},
	{"SQLite format 3\x00", "GeoPackage or SQLite", "ogr2ogr -f GeoJSON -t_srs EPSG:4326 OUT.geojson IN"},
	{"PAR1", "Parquet", "ogr2ogr -f CSV OUT.csv IN"},
	{"PK\x03\x04", "a zip archive (a spreadsheet, or files to unpack)", "export the sheet as CSV, or unpack it first"},
	{"\x1f\x8b", "gzip", "gunzip IN"},
	{"BZh", "bzip2", "bunzip2 IN"},
	{"\xfd7zXZ\x00", "xz", "unxz IN"},
}

// describe finds out what a file holds. Name is what a vector variable is called.
func describe(file, name string, data []byte) (e entry, extension string, err error) {
	for _, f := range formats {
		if bytes.HasPrefix(data, []byte(f.magic)) {
			return e, "", &Unreadable{File: file, Format: f.format, Convert: strings.ReplaceAll(strings.ReplaceAll(f.convert, "IN", file), "OUT", name)}
		}
	}
	text := bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\ufeff")))
	switch {
	case bytes.HasPrefix(data, []byte("CDF")):
		e, err = describeNetCDF(data)
		extension = ".nc"
	case bytes.HasPrefix(text, []byte("{")):
		e, err = describeGeoJSON(name, data)
		extension = ".geojson"
	case len(text) > 0 && utf8.Valid(data) && !bytes.ContainsRune(data, 0):
		e, err = describeCSV(name, data)
		extension = ".csv"
	case len(text) > 0 && !bytes.ContainsRune(data, 0):
		return e, "", &Unreadable{File: file, Format: "text, but not UTF-8", Convert: fmt.Sprintf("iconv -f LATIN1 -t UTF-8 %s > %s.csv", file, name)}
	default:
		return e, "", &Unreadable{File: file, Format: "empty or of an unknown format", Convert: "to NetCDF classic, CSV or GeoJSON"}
	}
	if err != nil {
		err = &Unreadable{File: file, Err: err}
	}
	return e, extension, err
}

func describeGeoJSON(name string, data []byte) (entry, error) {
	f, err := vector.ReadGeoJSON(bytes.NewReader(data))
	if err == nil {
		err = f.Validate()
	}
	if err == nil && len(f.Features) == 0 {
		err = errors.New("it has no features")
	}
	return entry{Kind: Vector, Variables: []variableEntry{{Name: name, Unit: "1", LongName: fmt.Sprintf("%d features", len(featuresOf(f)))}}}, err
}

func featuresOf(f *vector.Features) []vector.Feature {
	if f == nil {
		return nil
	}
	return f.Features
}

// describeCSV takes a table whose first column is times as series, one a numeric
// column, and every other table as a table. Columns that become no series are
// named in the entry's Cut.
func describeCSV(name string, data []byte) (entry, error) {
	t, err := table.ReadCSV(bytes.NewReader(data), nil)
	if err != nil {
		return entry{}, err
	}
	if t.Rows() == 0 {
		return entry{}, errors.New("it has no rows")
	}
	for _, c := range t.Columns {
		if _, err := units.Parse(c.Unit); c.Unit != "" && err != nil {
			return entry{}, fmt.Errorf("column %s: %w", c.Name, err)
		}
	}
	if t.Columns[0].Type != table.Instant {
		e := entry{Kind: Table, Variables: []variableEntry{{Name: name, Unit: "1", LongName: "the whole table"}}}
		for _, c := range t.Columns {
			if key(c.Name) != key(name) && key(c.Name) != "" {
				e.Variables = append(e.Variables, variableEntry{Name: c.Name, Unit: c.Unit})
			}
		}
		return e, nil
	}
	e := entry{Kind: Series, Calendar: cftime.Standard}
	var left []string
	for _, c := range t.Columns[1:] {
		if c.Type != table.Number && c.Type != table.Integer {
			left = append(left, fmt.Sprintf("%s (%s)", c.Name, c.Type))
			continue
		}
		s, err := t.Series(t.Columns[0].Name, c.Name)
		if err != nil {
			return entry{}, err
		}
		if c.Unit == "" {
			return entry{}, fmt.Errorf("column %s has no unit: write it in the header, as \"%s [mm]\", or [1] where it has none", c.Name, c.Name)
		}
		e.Frequency, e.Period = s.Frequency, s.PeriodLabel()
		e.Variables = append(e.Variables, variableEntry{Name: c.Name, Unit: c.Unit})
	}
	if len(e.Variables) == 0 {
		return entry{}, errors.New("it has a column of times and no column of numbers")
	}
	if len(left) > 0 {
		e.Cut = "no series was made of the columns that are not all numbers: " + strings.Join(left, ", ")
	}
	return e, nil
}
