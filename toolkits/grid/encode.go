package grid

import (
	"fmt"

	"almanac/internal/canonical"
	"almanac/toolkits/cftime"
)

const encodingName = "almanac raster 1"

// Canonical is the one encoding of data, variable, unit, CRS, grid and time
// that an artifact's hash covers: equal rasters from two sources have equal
// bytes, because source, licence and long name are not in it.
func (r *Raster) Canonical() []byte {
	w := &canonical.Writer{}
	r.encode(w)
	return w.Bytes
}

func (r *Raster) encode(w *canonical.Writer) {
	w.String(encodingName)
	for _, s := range []string{r.Variable, r.StandardName, r.Unit, r.CRS, r.Calendar, r.LevelUnit, r.CellMethods} {
		w.String(s)
	}
	w.Bool(r.Difference)
	w.Bool(r.Climatology)
	w.OptionalFloat(r.Level)
	for _, axis := range [][]float64{r.Lon, r.Lat, r.LonEdges, r.LatEdges} {
		w.Floats(axis)
	}
	cftime.WriteTimes(w, r.Times)
	cftime.WriteEdges(w, r.TimeEdges)
	w.Floats(r.Values)
}

// MarshalBinary is Canonical followed by long name, source and licence. The
// raster must be valid.
func (r *Raster) MarshalBinary() ([]byte, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	w := &canonical.Writer{}
	r.encode(w)
	for _, s := range []string{r.LongName, r.Source, r.Licence} {
		w.String(s)
	}
	return w.Bytes, nil
}

// UnmarshalBinary reads what MarshalBinary wrote. Bytes from anywhere are
// safe: a fault is an error that wraps canonical.ErrFormat or ErrInvalid.
func (r *Raster) UnmarshalBinary(data []byte) error {
	rd := canonical.NewReader(data)
	if name := rd.String(); rd.Err() == nil && name != encodingName {
		rd.Fail("not a raster")
	}
	var out Raster
	for _, s := range []*string{&out.Variable, &out.StandardName, &out.Unit, &out.CRS, &out.Calendar, &out.LevelUnit, &out.CellMethods} {
		*s = rd.String()
	}
	out.Difference = rd.Bool()
	out.Climatology = rd.Bool()
	out.Level = rd.OptionalFloat()
	for _, axis := range []*[]float64{&out.Lon, &out.Lat, &out.LonEdges, &out.LatEdges} {
		*axis = rd.Floats()
	}
	out.Times = cftime.ReadTimes(rd, out.Calendar)
	out.TimeEdges = cftime.ReadEdges(rd, out.Calendar)
	out.Values = rd.Floats()
	for _, s := range []*string{&out.LongName, &out.Source, &out.Licence} {
		*s = rd.String()
	}
	if err := rd.End(); err != nil {
		return fmt.Errorf("grid: decoding a raster: %w", err)
	}
	if err := out.Validate(); err != nil {
		return fmt.Errorf("grid: decoding a raster: %w", err)
	}
	*r = out
	return nil
}
