package artifact

import (
	"encoding/json"
	"fmt"
	"time"

	"almanac/toolkits/grid"
	"almanac/toolkits/series"
	"almanac/toolkits/table"
	"almanac/toolkits/vector"
)

// Meta describes an artifact without its data. Source, Licence and LongName are not part of the hash: equal data
// from two sources is one artifact, described as it was when it was stored first.
type Meta struct {
	Hash     Hash   `json:"hash"`
	Kind     string `json:"kind"`
	Variable string `json:"variable,omitempty"`
	LongName string `json:"long_name,omitempty"`
	Unit     string `json:"unit,omitempty"`
	CRS      string `json:"crs,omitempty"`
	Grid     string `json:"grid,omitempty"`   // "lat 90 × lon 180, -89..89 N, 21..379 E"
	Period   string `json:"period,omitempty"` // first and last label
	Calendar string `json:"calendar,omitempty"`
	Size     string `json:"size,omitempty"` // "12 × 90 × 180", "528 values", "3 features"
	Source   string `json:"source,omitempty"`
	Licence  string `json:"licence,omitempty"`
	Bytes    int64  `json:"bytes"`
}

// Provenance says which call made an artifact: one record for each pair of artifact and call.
type Provenance struct {
	Artifact  Hash            `json:"artifact"`
	Field     string          `json:"field"` // output field of the call
	Call      string          `json:"call"`  // key of the call
	Tool      string          `json:"tool"`
	Version   string          `json:"version,omitempty"`
	Arguments json.RawMessage `json:"arguments"` // canonical
	Parents   []Hash          `json:"parents,omitempty"`
	Run       string          `json:"run,omitempty"`
	Episode   string          `json:"episode,omitempty"`
	Step      string          `json:"step,omitempty"`
	Time      time.Time       `json:"time"`
}

// describe takes what the hash must not cover out of v: it returns a shallow copy to encode, and the metadata.
func describe(v Value) (codec, Meta, error) {
	switch v := v.(type) {
	case *grid.Raster:
		c := *v
		c.Source, c.Licence, c.LongName = "", "", ""
		return &c, Meta{
			Kind: KindRaster, Variable: v.Variable, LongName: v.LongName, Unit: v.Unit, CRS: v.CRS, Calendar: v.Calendar,
			Grid: gridText(v), Size: fmt.Sprintf("%d × %d × %d", max(1, len(v.Times)), len(v.Lat), len(v.Lon)),
			Source: v.Source, Licence: v.Licence,
		}, nil
	case *series.Series:
		c := *v
		c.Source, c.Licence, c.LongName = "", "", ""
		m := Meta{
			Kind: KindSeries, Variable: v.Variable, LongName: v.LongName, Unit: v.Unit, Calendar: v.Calendar,
			Size: fmt.Sprintf("%d values", len(v.Values)), Source: v.Source, Licence: v.Licence,
		}
		if n := len(v.Values); n > 0 && n == len(v.Times) {
			m.Period = v.Label(0) + "/" + v.Label(n-1)
		}
		return &c, m, nil
	case *table.Table:
		c := *v
		c.Source, c.Licence = "", ""
		return &c, Meta{
			Kind: KindTable, Size: fmt.Sprintf("%d rows × %d columns", v.Rows(), len(v.Columns)),
			Source: v.Source, Licence: v.Licence,
		}, nil
	case *vector.Features:
		c := *v
		c.Source, c.Licence = "", ""
		return &c, Meta{
			Kind: KindVector, CRS: v.CRS, Size: fmt.Sprintf("%d features", len(v.Features)),
			Source: v.Source, Licence: v.Licence,
		}, nil
	case *Scalar:
		return v, Meta{Kind: KindScalar, Variable: v.Variable, Unit: v.Unit}, nil
	case *Text:
		return v, Meta{Kind: KindText, Size: fmt.Sprintf("%d characters", len(v.Text))}, nil
	case *Image:
		return v, Meta{Kind: KindImage, Size: fmt.Sprintf("%d × %d pixels", v.Width, v.Height)}, nil
	}
	return nil, Meta{}, fmt.Errorf("artifact: a %T is no artifact; kinds are raster, vector, table, series, scalar, text, image", v)
}

func gridText(r *grid.Raster) string {
	if len(r.Lat) == 0 || len(r.Lon) == 0 {
		return ""
	}
	return fmt.Sprintf("lat %d × lon %d, %g..%g N, %g..%g E",
		len(r.Lat), len(r.Lon), r.Lat[0], r.Lat[len(r.Lat)-1], r.Lon[0], r.Lon[len(r.Lon)-1])
}

// restore puts the description back that describe took out.
func restore(v Value, m Meta) {
	switch v := v.(type) {
	case *grid.Raster:
		v.Source, v.Licence, v.LongName = m.Source, m.Licence, m.LongName
	case *series.Series:
		v.Source, v.Licence, v.LongName = m.Source, m.Licence, m.LongName
	case *table.Table:
		v.Source, v.Licence = m.Source, m.Licence
	case *vector.Features:
		v.Source, v.Licence = m.Source, m.Licence
	}
}
