package catalog

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"almanac/toolkits/cftime"
	"almanac/toolkits/grid"
	"almanac/toolkits/netcdf"
	"almanac/toolkits/units"
)

func (c *Catalog) readRaster(d Dataset, v Variable, level *float64) (*grid.Raster, error) {
	data, err := c.bytesOf(d)
	if err != nil {
		return nil, err
	}
	f, err := netcdf.New(bytes.NewReader(data), int64(len(data)), nil)
	if err != nil {
		return nil, fmt.Errorf("catalog: opening %s: %s: %w", d.Name, d.File, err)
	}
	r, err := netcdf.ReadRaster(f, v.Name, &netcdf.RasterOptions{
		Level: level, StandardName: v.StandardName, LongName: v.LongName, CellMethods: v.CellMethods, Source: d.Source, Licence: d.Licence,
	})
	if err != nil {
		return nil, fmt.Errorf("catalog: opening %s of %s: %w", v.Name, d.Name, err)
	}
	if want, err := units.Canonical(v.Unit); err != nil || want != r.Unit {
		return nil, fmt.Errorf("catalog: %w: %s of %s is in %q, the manifest says %q", ErrManifest, v.Name, d.Name, r.Unit, v.Unit)
	}
	r.Unit = v.Unit
	if r.Climatology != (d.Frequency == cftime.FrequencyClimatologicalMonth) {
		return nil, fmt.Errorf("catalog: %w: the steps of %s: climatology %v, the manifest says %q", ErrManifest, d.Name, r.Climatology, d.Frequency)
	}
	return r, nil
}

// describeNetCDF lists the variables that are rasters. Every one is read once,
// at its first level, so that what is listed can be opened.
func describeNetCDF(data []byte) (entry, error) {
	f, err := netcdf.New(bytes.NewReader(data), int64(len(data)), nil)
	if err != nil {
		return entry{}, err
	}
	e := entry{Kind: Raster}
	if title, ok := f.Attribute("title"); ok {
		e.Title = strings.TrimSpace(title.Text)
	}
	var faults []error
	for i := range f.Variables {
		v := &f.Variables[i]
		if len(v.Dimensions) < 2 || v.Type == netcdf.Char || isBounds(v.Name) {
			continue
		}
		found, r, err := describeVariable(f, v.Name)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		e.Variables = append(e.Variables, found)
		if len(r.Times) > 0 {
			e.Calendar, e.Frequency, e.Period = r.Calendar, r.Frequency(), r.PeriodLabel()
			if r.Climatology {
				e.Frequency = cftime.FrequencyClimatologicalMonth
			}
		}
	}
	if len(e.Variables) == 0 {
		return e, errors.Join(append([]error{errors.New("no variable is a field over longitude and latitude")}, faults...)...)
	}
	return e, nil
}

func isBounds(name string) bool {
	return strings.HasSuffix(name, "_bnds") || strings.HasSuffix(name, "_bounds")
}

func describeVariable(f *netcdf.File, name string) (variableEntry, *grid.Raster, error) {
	levels, unit, err := f.Levels(name)
	if err != nil {
		return variableEntry{}, nil, err
	}
	options := &netcdf.RasterOptions{}
	if len(levels) > 0 {
		options.Level = &levels[0]
	}
	r, err := netcdf.ReadRaster(f, name, options)
	if err != nil {
		return variableEntry{}, nil, err
	}
	return variableEntry{Name: name, StandardName: r.StandardName, LongName: r.LongName, Unit: r.Unit, CellMethods: r.CellMethods,
		Levels: levels, LevelUnit: unit}, r, nil
}
