package schedule

import (
	"fmt"
	"sort"
	"strings"
)

// testUnits knows the units of the test catalog by their dimension.
type testUnits struct{}

var dimension = map[string]string{
	"degC": "temperature", "K": "temperature", "km": "length", "m": "length", "mm": "length", "km2": "area", "m2": "area",
	"month": "time", "day": "time", "year": "time", "1": "1", "m s-1": "speed", "year-1": "rate", "degC year-1": "warming", "degC km-2": "odd",
}

func (testUnits) Convertible(a, b string) bool {
	return dimension[a] != "" && dimension[a] == dimension[b]
}

func (testUnits) HasOffset(u string) bool { return u == "degC" }

func (testUnits) Mul(a, b string) (string, error) {
	switch {
	case a == "1":
		return b, nil
	case b == "1":
		return a, nil
	case a == "km" && b == "km":
		return "km2", nil
	case a == "degC" && b == "year-1":
		return "degC year-1", nil
	}
	return a + " " + b, nil
}

func (testUnits) Div(a, b string) (string, error) {
	switch {
	case b == "1":
		return a, nil
	case dimension[a] != "" && dimension[a] == dimension[b]:
		return "1", nil
	}
	return a + " (" + b + ")-1", nil
}

type testCatalog struct {
	list []Signature
	at   map[string]int
}

func (c *testCatalog) Signatures() []Signature { return c.list }
func (c *testCatalog) Units() Units            { return testUnits{} }
func (c *testCatalog) Signature(name string) (Signature, bool) {
	i, ok := c.at[name]
	if !ok {
		return Signature{}, false
	}
	return c.list[i], true
}

func in(name string, kinds string, more ...func(*Param)) Param {
	p := Param{Name: name, Kinds: strings.Fields(kinds), Required: true}
	for _, f := range more {
		f(&p)
	}
	return p
}

func optional(p *Param) { p.Required = false }

func listed(p *Param) { p.List = true }

func unit(u string) func(*Param)          { return func(p *Param) { p.Unit = u } }
func alias(names ...string) func(*Param)  { return func(p *Param) { p.Aliases = names } }
func enum(choices ...Choice) func(*Param) { return func(p *Param) { p.Enum = choices } }
func between(lo, hi float64) func(*Param) { return func(p *Param) { p.Min, p.Max = &lo, &hi } }

func out(name, kind, unit string) Output { return Output{Name: name, Kind: kind, Unit: unit} }

func words(list string) []Choice {
	var out []Choice
	for _, w := range strings.Fields(list) {
		out = append(out, Choice{Value: w})
	}
	return out
}

// newTestCatalog declares a few tools as the real toolkits do.
func newTestCatalog() *testCatalog {
	coads := map[string]string{"dataset": "coads_climatology"}
	etopo := map[string]string{"dataset": "etopo_relief"}
	nino := map[string]string{"dataset": "el_nino_sst"}
	c := &testCatalog{at: map[string]int{}, list: []Signature{
		{Name: "data.open", Params: []Param{
			in("dataset", "string", enum(Choice{Value: "coads_climatology", Aliases: []string{"COADS"}}, Choice{Value: "etopo_relief"}, Choice{Value: "el_nino_sst"})),
			in("variable", "string", enum(
				Choice{Value: "sst", Aliases: []string{"sea surface temperature"}, When: coads, Kind: KindRaster, Unit: "degC", Variable: "sst"},
				Choice{Value: "wind_speed", When: coads, Kind: KindRaster, Unit: "m s-1", Variable: "wind_speed"},
				Choice{Value: "elevation", When: etopo, Kind: KindRaster, Unit: "m", Variable: "elevation"},
				Choice{Value: "sst", When: nino, Kind: KindSeries, Unit: "degC", Variable: "sst"})),
			in("region", "box place vector", optional), in("period", "period", optional), in("level", "number", unit("m"), optional)},
			Outputs: []Output{out("data", "@variable", "@variable")}},
		{Name: "data.region_series", Params: []Param{in("raster", "raster"), in("zones", "vector"), in("statistic", "string", optional, enum(words("mean min max")...))},
			Outputs: []Output{out("series", "series", "@raster"), out("mean", "scalar", "@raster"), out("max", "scalar", "@raster"), out("argmax", "instant", ""), out("count", "integer", "1")}},
		{Name: "data.trend", Params: []Param{in("series", "series"), in("method", "string", enum(words("ols theil_sen")...))},
			Outputs: []Output{out("slope", "scalar", "@series year-1"), out("method", "string", "")}},
		{Name: "data.convert_units", Params: []Param{in("data", "raster series"), in("to", "unit")},
			Outputs: []Output{out("data", "@data", "@to")}},
		{Name: "gis.boundary", Resolver: true, Params: []Param{in("place", "place box")},
			Outputs: []Output{out("zone", "vector", ""), out("name", "string", "")}},
		{Name: "gis.zonal_stats", Params: []Param{in("raster", "raster", alias("grid")), in("zones", "vector", alias("zone"))},
			Outputs: []Output{{Name: "mean", Aliases: []string{"average"}, Kind: "scalar", Unit: "@raster"}, out("min", "scalar", "@raster"), out("max", "scalar", "@raster"), out("valid_cells", "integer", "1")}},
		{Name: "gis.area", Params: []Param{in("zones", "vector")}, Outputs: []Output{out("area", "scalar", "km2")}},
		{Name: "gis.buffer", Params: []Param{in("geometry", "vector"), in("distance", "number scalar", unit("km"), between(0, 5000))}, Outputs: []Output{out("zone", "vector", "")}},
		{Name: "gis.distance", Params: []Param{in("a", "place vector"), in("b", "place vector")}, Outputs: []Output{out("distance", "scalar", "km")}},
		{Name: "gis.overlay", Params: []Param{in("layers", "vector", listed)}, Outputs: []Output{out("zone", "vector", "")}},
		{Name: "forecast.holt_winters", Params: []Param{in("series", "series"), in("months", "integer", alias("horizon"))},
			Outputs: []Output{out("series", "series", "@series"), out("last", "scalar", "@series")}},
		{Name: "forecast.trend_forecast", Params: []Param{in("series", "series"), in("steps", "integer")},
			Outputs: []Output{out("series", "series", "@series"), out("last", "scalar", "@series")}},
		{Name: "simulation.scs_runoff", Params: []Param{in("rainfall", "number scalar", unit("mm")), in("curve_number", "number", between(1, 100))},
			Outputs: []Output{out("runoff", "scalar", "mm")}},
		{Name: "verification.in_range", Check: true, Params: []Param{in("value", "scalar"), in("low", "number scalar", unit("@value")), in("high", "number scalar", unit("@value"))},
			Outputs: []Output{out("passed", "boolean", ""), out("reason", "string", "")}},
		{Name: "compute.evaluate", Params: []Param{in("expression", "string"), in("variables", "record", optional)}, Outputs: []Output{out("value", "scalar", "")}},
		{Name: "plot.map", Params: []Param{in("raster", "raster")}, Outputs: []Output{out("image", "image", "")}},
	}}
	sort.Slice(c.list, func(i, j int) bool { return c.list[i].Name < c.list[j].Name })
	for i, s := range c.list {
		c.at[s.Name] = i
	}
	return c
}

var testSlots = Slots{
	"place":     {Type: Type{Kind: KindPlace}, Value: "Kenya"},
	"ports":     {Type: Type{Kind: KindPlace, List: true}, Value: []any{"Mombasa", "Dar es Salaam"}},
	"number":    {Type: Type{Kind: KindNumber, Unit: "mm"}, Value: 12.5},
	"threshold": {Type: Type{Kind: KindNumber, Unit: "degC"}, Value: 26.5},
	"box":       {Type: Type{Kind: KindBox}, Value: map[string]any{"west": 0.0, "south": 0.0, "east": 1.0, "north": 1.0}},
	"variable":  {Type: Type{Kind: KindString}, Value: "sst"},
}

const specProgram = `sst = data.open(dataset="coads_climatology", variable="sst")
zone = gis.boundary(place=task.place)
stats = gis.zonal_stats(raster=sst, zones=zone)
months = data.region_series(raster=sst, zones=zone)
fc = forecast.holt_winters(series=months, months=6) if months.count >= 24 else None
near = [gis.distance(a=p, b=task.place) for p in task.ports]
far = max(near.distance)
verification.in_range(value=stats.mean, low=-2, high=40)
answer(mean_sst=stats.mean, warmest_month=months.argmax, farthest=far, ahead=fc.last)
`

var specContract = Contract{
	{Key: "mean_sst", Type: "number", Unit: "K"},
	{Key: "warmest_month", Type: "instant"},
	{Key: "farthest", Type: "number", Unit: "m"},
	{Key: "ahead", Type: "number", Unit: "degC"},
}

// prelude gives the tables of problems and repairs their usual steps, in the
// first three lines.
const prelude = `sst = data.open(dataset="coads_climatology", variable="sst")
zone = gis.boundary(place=task.place)
stats = gis.zonal_stats(raster=sst, zones=zone)
`

// brief writes problems as "line:col code", warnings with a question mark.
func brief(problems []Problem) []string {
	var out []string
	for _, p := range problems {
		mark := ""
		if p.Warning {
			mark = "?"
		}
		out = append(out, fmt.Sprintf("%d:%d %s%s", p.Line, p.Col, p.Code, mark))
	}
	return out
}
