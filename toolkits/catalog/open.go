package catalog

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"math"
	"os"
	"strconv"
	"strings"
	"sync"

	"almanac/toolkits/grid"
	"almanac/toolkits/series"
	"almanac/toolkits/table"
	"almanac/toolkits/vector"

	"github.com/paulmach/orb"
)

// load is one value being read, or read.
type load struct {
	once  sync.Once
	value any
	err   error
}

// KindError says that a data set is not of the kind that was asked for.
type KindError struct {
	Dataset, Kind, Wanted string
}

func (e *KindError) Error() string {
	return fmt.Sprintf("catalog: %s is a %s data set, not a %s", e.Dataset, e.Kind, e.Wanted)
}

// LevelError says that a variable has levels and the one asked for is not among
// them, or that none was named.
type LevelError struct {
	Dataset, Variable string
	Asked             *float64 // nil when no level was named
	Levels            []float64
	Unit              string
}

func (e *LevelError) Error() string {
	levels := make([]string, len(e.Levels))
	for i, l := range e.Levels {
		levels[i] = strconv.FormatFloat(l, 'g', -1, 64)
	}
	has := "has no levels"
	if len(levels) > 0 {
		has = fmt.Sprintf("has the levels %s %s", strings.Join(levels, ", "), e.Unit)
	}
	if e.Asked == nil {
		return fmt.Sprintf("catalog: %s of %s %s; name one", e.Variable, e.Dataset, has)
	}
	return fmt.Sprintf("catalog: %s of %s %s, not %g", e.Variable, e.Dataset, has, *e.Asked)
}

// once runs read for the key unless it has run already.
func (c *Catalog) once(name string, read func() (any, error)) (any, error) {
	c.mu.Lock()
	l, ok := c.loads[name]
	if !ok {
		l = new(load)
		c.loads[name] = l
	}
	c.mu.Unlock()
	l.once.Do(func() { l.value, l.err = read() })
	return l.value, l.err
}

// bytesOf reads the file of a data set and checks its hash.
func (c *Catalog) bytesOf(d Dataset) ([]byte, error) {
	fsys := c.shipped
	if d.User {
		fsys = os.DirFS(c.userDir)
	}
	return checkedFile(fsys, d.File, d.SHA256)
}

func checkedFile(fsys fs.FS, name, want string) ([]byte, error) {
	data, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, fmt.Errorf("catalog: reading %s: %w", name, err)
	}
	sum := sha256.Sum256(data)
	if got := hex.EncodeToString(sum[:]); got != want {
		return nil, fmt.Errorf("catalog: %w: %s has the SHA-256 %s, expected %s; restore the file, or add it anew", ErrChanged, name, got, want)
	}
	return data, nil
}

// Verify reads the file of a data set and checks its SHA-256.
func (c *Catalog) Verify(ctx context.Context, dataset string) error {
	d, err := c.Dataset(dataset)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	_, err = c.bytesOf(d)
	return err
}

// find resolves a data set of some kind and one of its variables.
func (c *Catalog) find(ctx context.Context, dataset, variable, kind string) (Dataset, Variable, error) {
	if err := ctx.Err(); err != nil {
		return Dataset{}, Variable{}, err
	}
	d, err := c.Dataset(dataset)
	if err != nil {
		return d, Variable{}, err
	}
	if d.Kind != kind {
		return d, Variable{}, &KindError{Dataset: d.Name, Kind: d.Kind, Wanted: kind}
	}
	v, err := d.Variable(variable)
	return d, v, err
}

// OpenRaster reads a variable of a raster data set: all its times, all cells. A
// variable of several levels needs [Catalog.OpenLevel]; it is a [*LevelError] here.
func (c *Catalog) OpenRaster(ctx context.Context, dataset, variable string) (*grid.Raster, error) {
	return c.openRaster(ctx, dataset, variable, nil)
}

// OpenLevel reads one level of a variable. The level is in the variable's
// LevelUnit and has to be one of its Levels; there is no interpolation.
func (c *Catalog) OpenLevel(ctx context.Context, dataset, variable string, level float64) (*grid.Raster, error) {
	return c.openRaster(ctx, dataset, variable, &level)
}

func (c *Catalog) openRaster(ctx context.Context, dataset, variable string, level *float64) (*grid.Raster, error) {
	d, v, err := c.find(ctx, dataset, variable, Raster)
	if err != nil {
		return nil, err
	}
	name, index := d.Name+"\x00"+v.Name, -1
	for i, l := range v.Levels {
		if level != nil && l == *level {
			index = i
			name += "\x00" + strconv.Itoa(i)
		}
	}
	if (level != nil || len(v.Levels) > 1) && index < 0 {
		return nil, &LevelError{Dataset: d.Name, Variable: v.Name, Asked: level, Levels: v.Levels, Unit: v.LevelUnit}
	}
	value, err := c.once(name, func() (any, error) { return c.readRaster(d, v, level) })
	if err != nil {
		return nil, err
	}
	return value.(*grid.Raster), nil
}

// OpenSeries reads a variable of a series data set. Steps without a measurement
// are there, as missing.
func (c *Catalog) OpenSeries(ctx context.Context, dataset, variable string) (*series.Series, error) {
	d, v, err := c.find(ctx, dataset, variable, Series)
	if err != nil {
		return nil, err
	}
	value, err := c.once(d.Name+"\x00"+v.Name, func() (any, error) { return c.readSeries(d, v) })
	if err != nil {
		return nil, err
	}
	return value.(*series.Series), nil
}

func (c *Catalog) readSeries(d Dataset, v Variable) (*series.Series, error) {
	t, err := c.tableOf(d)
	if err != nil {
		return nil, err
	}
	s, err := t.Series(t.Columns[0].Name, v.Name)
	if err != nil {
		return nil, fmt.Errorf("catalog: opening %s of %s: %w", v.Name, d.Name, err)
	}
	if s.Unit != v.Unit {
		return nil, fmt.Errorf("catalog: %w: %s of %s is in %q, the manifest says %q", ErrManifest, v.Name, d.Name, s.Unit, v.Unit)
	}
	if d.Frequency != "" && s.Frequency != d.Frequency {
		return nil, fmt.Errorf("catalog: %w: the steps of %s are %q, the manifest says %q", ErrManifest, d.Name, s.Frequency, d.Frequency)
	}
	s.LongName, s.CellMethods = v.LongName, v.CellMethods
	s.Place, s.Latitude, s.Elevation = d.Station.Name, d.Station.Latitude, d.Station.Elevation
	return s, nil
}

// OpenTable reads a table data set, or the whole table of a series data set.
func (c *Catalog) OpenTable(ctx context.Context, dataset string) (*table.Table, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	d, err := c.Dataset(dataset)
	if err != nil {
		return nil, err
	}
	if d.Kind != Table && d.Kind != Series {
		return nil, &KindError{Dataset: d.Name, Kind: d.Kind, Wanted: Table}
	}
	return c.tableOf(d)
}

func (c *Catalog) tableOf(d Dataset) (*table.Table, error) {
	value, err := c.once(d.Name, func() (any, error) {
		data, err := c.bytesOf(d)
		if err != nil {
			return nil, err
		}
		t, err := table.ReadCSV(bytes.NewReader(data), nil)
		if err != nil {
			return nil, fmt.Errorf("catalog: opening %s: %s: %w", d.Name, d.File, err)
		}
		t.Source, t.Licence = d.Source, d.Licence
		return t, nil
	})
	if err != nil {
		return nil, err
	}
	return value.(*table.Table), nil
}

// OpenVector reads a vector data set, or a table data set with columns latitude
// and longitude as points with the other columns as properties.
func (c *Catalog) OpenVector(ctx context.Context, dataset string) (*vector.Features, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	d, err := c.Dataset(dataset)
	if err != nil {
		return nil, err
	}
	var value any
	switch d.Kind {
	case Vector:
		value, err = c.once(d.Name, func() (any, error) { return c.readVector(d) })
	case Table:
		value, err = c.once(d.Name+"\x00points", func() (any, error) { return c.readPoints(d) })
	default:
		err = &KindError{Dataset: d.Name, Kind: d.Kind, Wanted: Vector}
	}
	if err != nil {
		return nil, err
	}
	return value.(*vector.Features), nil
}

func (c *Catalog) readVector(d Dataset) (*vector.Features, error) {
	data, err := c.bytesOf(d)
	if err != nil {
		return nil, err
	}
	f, err := vector.ReadGeoJSON(bytes.NewReader(data))
	if err == nil {
		err = f.Validate()
	}
	if err != nil {
		return nil, fmt.Errorf("catalog: opening %s: %s: %w", d.Name, d.File, err)
	}
	f.Source, f.Licence = d.Source, d.Licence
	return f, nil
}

func (c *Catalog) readPoints(d Dataset) (*vector.Features, error) {
	t, err := c.tableOf(d)
	if err != nil {
		return nil, err
	}
	lat, errLat := t.Column("latitude")
	lon, errLon := t.Column("longitude")
	if errLat != nil || errLon != nil || !lat.Numeric() || !lon.Numeric() {
		return nil, &KindError{Dataset: d.Name, Kind: d.Kind, Wanted: Vector}
	}
	f := &vector.Features{CRS: vector.WGS84, Source: d.Source, Licence: d.Licence}
	for k := range t.Rows() {
		feature := vector.Feature{Geometry: orb.Point{lon.Numbers[k], lat.Numbers[k]}, Properties: make(map[string]any)}
		for i := range t.Columns {
			col := &t.Columns[i]
			switch {
			case col == lat || col == lon:
			case !col.Numeric():
				feature.Properties[col.Name] = col.Texts[k]
			case math.IsNaN(col.Numbers[k]):
				feature.Properties[col.Name] = nil
			case col.Type == table.Boolean:
				feature.Properties[col.Name] = col.Numbers[k] != 0
			default:
				feature.Properties[col.Name] = col.Numbers[k]
			}
		}
		f.Features = append(f.Features, feature)
	}
	if err := f.Validate(); err != nil {
		return nil, fmt.Errorf("catalog: opening %s: %w", d.Name, err)
	}
	return f, nil
}
