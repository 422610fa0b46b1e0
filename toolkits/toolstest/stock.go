package toolstest

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"almanac/toolkits"
	"almanac/toolkits/artifact"
	"almanac/toolkits/cftime"
	"almanac/toolkits/grid"
	"almanac/toolkits/series"
	"almanac/toolkits/table"
	"almanac/toolkits/vector"

	"github.com/paulmach/orb"
)

// Axis is n cell centres from first on, step degrees apart.
func Axis(first, step float64, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = first + float64(i)*step
	}
	return out
}

// Raster makes a field without time, or with the given times. Values are [time][lat][lon].
func Raster(lon, lat []float64, times []cftime.Time, values ...float64) *grid.Raster {
	step := func(axis []float64) float64 {
		if len(axis) > 1 {
			return axis[1] - axis[0]
		}
		return 1
	}
	r := &grid.Raster{
		Variable: "t", Unit: "degC", CRS: vector.WGS84, Lon: lon, Lat: lat, Times: times, Values: values,
		LonEdges: grid.MidEdges(lon, step(lon)), LatEdges: grid.LatMidEdges(lat, step(lat)), CellMethods: "time: mean",
	}
	if len(times) > 0 {
		r.Calendar = times[0].Calendar
	}
	return r
}

// Days are n days of the standard calendar from the date on.
func Days(year, month, day, n int) []cftime.Time {
	times := make([]cftime.Time, n)
	start := cftime.Time{Year: year, Month: month, Day: day, Calendar: cftime.Standard}
	for i := range times {
		times[i] = start.AddDays(i)
	}
	return times
}

// Months are the first days of n months of the standard calendar.
func Months(year, month, n int) []cftime.Time {
	times := make([]cftime.Time, n)
	for i := range times {
		m := month - 1 + i
		times[i] = cftime.Time{Year: year + m/12, Month: m%12 + 1, Day: 1, Calendar: cftime.Standard}
	}
	return times
}

// Series makes a series of the frequency ("day", "month", "year", …).
func Series(unit, frequency string, times []cftime.Time, values ...float64) *series.Series {
	return &series.Series{
		Variable: "x", Unit: unit, Frequency: frequency, Times: times, Calendar: times[0].Calendar, Values: values,
		CellMethods: "time: mean",
	}
}

// stock is a choice of values of every kind, ordinary and odd.
type stock struct {
	byKind map[string][]toolkits.Value
	odd    []toolkits.Value
}

func stocked(t testing.TB, env *toolkits.Env) *stock {
	t.Helper()
	s := &stock{byKind: map[string][]toolkits.Value{}}
	add := func(kind string, items ...any) {
		for _, x := range items {
			s.byKind[kind] = append(s.byKind[kind], value(t, env, x))
		}
	}
	add(artifact.KindRaster, rasters()...)
	add(artifact.KindSeries, seriesOfAllKinds()...)
	add(artifact.KindVector, vectors()...)
	add(artifact.KindTable, &table.Table{}, &table.Table{Columns: []table.Column{
		{Name: "name", Type: table.Text, Texts: []string{"a", ""}}, {Name: "x", Unit: "m", Type: table.Number, Numbers: []float64{1, math.NaN()}},
	}})
	add(artifact.KindImage, &artifact.Image{Format: "png", Width: 1, Height: 1, Data: []byte{1}})
	add(artifact.KindScalar, &artifact.Scalar{Value: 20, Type: artifact.Number, Unit: "degC"}, &artifact.Scalar{Value: -1e300, Type: artifact.Number, Unit: "m"})
	add(artifact.KindText, "Boxland", "")
	add(toolkits.KindPlace, "Midtown", "origin", "Boxland", "nowhere", map[string]any{"latitude": 89.9, "longitude": 359.0}, map[string]any{"latitude": 91.0, "longitude": 0})
	add(toolkits.KindBox, map[string]any{"west": 170, "south": -5, "east": -170, "north": 5}, map[string]any{"west": -180, "south": -90, "east": 180, "north": 90},
		map[string]any{"west": 1, "south": 1, "east": 1.001, "north": 1.001}, map[string]any{"west": 5, "south": 9, "east": 1, "north": 2})
	add(toolkits.KindPeriod, "2001", "DJF 2001", "2001-02", "August", "2001-01-30/2001-02-03", "2001-02-30", "1899/2101", map[string]any{"start": "2001-01-01", "end": "2001-01-05"})
	add(toolkits.KindNumber, 0, 1, -1, 0.5, 2.5, 30, 1e-300, 1e300, -273.15, 50)
	add(toolkits.KindInteger, 0, 1, 2, 12, -5, int64(math.MaxInt64))
	add(toolkits.KindBoolean, true, false)
	add(toolkits.KindString, "a", "mean", "sst", "")
	add(toolkits.KindUnit, "degC", "K", "m", "km2", "parsec per furlong", "")
	add(toolkits.KindExpression, "a + b", "1/0", "((((", "a - a", "2 ** 1000000")
	add(toolkits.KindRecord, map[string]any{"a": 1, "b": 2.5}, map[string]any{})
	add(toolkits.KindInstant, "August", "2001-02", "never")
	add(toolkits.KindList, []any{}, []any{1, 2})
	add(toolkits.KindNull, nil)
	for _, kind := range slices.Sorted(maps.Keys(s.byKind)) {
		s.odd = append(s.odd, s.byKind[kind]...)
	}
	s.odd = append(s.odd, toolkits.Value{Kind: artifact.KindScalar, Number: 3, Unit: "no unit"},
		toolkits.Value{Kind: artifact.KindScalar, Number: 3, Unit: "s"})
	return s
}

func (s *stock) hostile(rng *rand.Rand) toolkits.Value { return s.odd[rng.IntN(len(s.odd))] }

// pick chooses a value that fits p nine times out of ten.
func (s *stock) pick(rng *rand.Rand, p *toolkits.Param) toolkits.Value {
	if rng.IntN(10) == 0 {
		return s.hostile(rng)
	}
	if len(p.Choices) > 0 {
		return toolkits.Value{Kind: toolkits.KindString, Text: p.Choices[rng.IntN(len(p.Choices))].Value}
	}
	kind := p.Kinds[rng.IntN(len(p.Kinds))]
	fitting := s.byKind[kind]
	if len(fitting) == 0 {
		return s.hostile(rng)
	}
	v := fitting[rng.IntN(len(fitting))]
	if p.List {
		return toolkits.Value{Kind: toolkits.KindList, List: []toolkits.Value{v, fitting[rng.IntN(len(fitting))]}}
	}
	return v
}

func rasters() []any {
	nan := math.NaN()
	plain := Raster(Axis(0.5, 1, 3), Axis(0.5, 1, 2), nil, 1, 2, 3, 4, 5, nan)
	months := Raster(Axis(1, 2, 180), Axis(-89, 2, 90), Months(2001, 1, 12), make([]float64, 12*180*90)...)
	for i := range months.Values {
		months.Values[i] = float64(i % 37)
	}
	months.Climatology = true
	empty := Raster(Axis(0, 10, 2), Axis(0, 10, 2), nil, nan, nan, nan, nan)
	one := Raster([]float64{179.5}, []float64{-89.5}, Days(2001, 2, 28, 1), 1e300)
	other := Raster(Axis(0, 1000, 2), Axis(0, 10, 2), nil, 1, 2, 3, 4)
	other.CRS, other.Lon, other.LonEdges = "EPSG:3857", Axis(0, 100, 2), Axis(-50, 100, 3)
	return []any{plain, months, empty, one, other}
}

func seriesOfAllKinds() []any {
	nan := math.NaN()
	var out []any
	for _, unit := range []string{"degC", "mm", "m s-1", "1"} {
		day := Series(unit, cftime.FrequencyDay, Days(2001, 1, 1, 60), make([]float64, 60)...)
		for i := range day.Values {
			day.Values[i] = 10 + 5*math.Sin(float64(i)/3)
		}
		gaps := Series(unit, cftime.FrequencyMonth, Months(2001, 1, 4), 1, nan, 3, 0)
		out = append(out, day, gaps)
	}
	clim := Series("degC", cftime.FrequencyClimatologicalMonth, Months(2001, 1, 12), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)
	constant := Series("degC", cftime.FrequencyYear, []cftime.Time{{Year: 1999, Month: 1, Day: 1, Calendar: cftime.NoLeap}, {Year: 2000, Month: 1, Day: 1, Calendar: cftime.NoLeap}}, 4, 4)
	return append(out, clim, constant,
		Series("degC", cftime.FrequencyMonth, Months(2001, 1, 2), nan, nan),
		Series("degC", cftime.FrequencyIrregular, Days(2001, 1, 1, 1), -1e300))
}

func vectors() []any {
	return []any{
		Zone(BoxPolygon(0.25, 0.25, 2, 1.5)),
		Zone(BoxPolygon(175, -60, 190, -50)),
		Zone(orb.Point{1, 1}),
		Zone(orb.LineString{{0, 0}, {2, 2}}),
		Zone(orb.Polygon{orb.Ring{{1, 1}, {1, 1}, {1, 1}, {1, 1}}}),
		Zone(orb.MultiPolygon{}),
		&vector.Features{CRS: vector.WGS84},
		&vector.Features{CRS: "EPSG:3857", Features: Zone(BoxPolygon(1e6, 1e6, 2e6, 2e6)).Features},
		&vector.Features{CRS: "EPSG:3857", Features: Zone(BoxPolygon(24, 60, 25, 61)).Features},
	}
}
