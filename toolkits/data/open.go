package data

import (
	"context"
	"fmt"
	"slices"

	"almanac/toolkits"
	"almanac/toolkits/artifact"
	"almanac/toolkits/catalog"
	"almanac/toolkits/cftime"
	"almanac/toolkits/grid"
	"almanac/toolkits/plausible"
	"almanac/toolkits/series"
	"almanac/toolkits/table"
	"almanac/toolkits/vector"
	"almanac/toolkits/zonal"

	"github.com/paulmach/orb"
)

type openIn struct {
	Dataset  string             `arg:"dataset" doc:"name of the data set" alias:"name,source,product,data"`
	Variable string             `arg:"variable" doc:"one of the data set's variables" alias:"var,field,parameter,quantity"`
	Region   *toolkits.Zones    `arg:"region,optional" doc:"cut a raster to the bounding box of this area, a table to the rows inside it" alias:"zones,zone,area,box,bbox,place"`
	Period   cftime.Period      `arg:"period,optional" doc:"keep these steps only, both ends included" alias:"time,date,dates,month,year"`
	Level    *toolkits.Quantity `arg:"level,optional" doc:"depth or height of the field, one that exists exactly" unit:"m" alias:"depth,height"`
}

type openOut struct {
	Data  artifact.Value `out:"data" kind:"@variable" unit:"@variable" doc:"the data" alias:"raster,series,table"`
	Count int            `out:"count" unit:"1" doc:"values that are not missing; of a table rows, of shapes features"`
}

func openTool(cat *catalog.Catalog) *toolkits.Tool {
	o := opener{cat}
	return toolkits.New("data.open", o.open, toolkits.Doc{
		Group:   groupIO,
		Purpose: "Open a variable of a data set, cut to a region, a period and a level where asked.",
		Details: "Fill values, scale and offset are applied on reading, and the file is checked against its SHA-256. " +
			"Region: cells whose centre lies in the bounding box of the area, or the cells that contain it when there are none; cells stay whole, with their edges. " +
			"To average over a country, leave region out and give the country to the tool that averages. " +
			"Period: a year, a month, a season such as DJF 2015 (from December 2014), start and end, or, of a climatology, months by name. " +
			"A level that does not exist is an error that lists those that do; there is no interpolation. " +
			"Columns of a table come with the places' names, countries and positions.",
		Examples: []string{
			"Load the air temperature over the sea for July.",
			"Get me the salinity at 200 metres depth.",
			"Get the daily minimum temperatures of Seattle in spring 2014.",
			"Read the topography of the Andes.",
			"Fetch the sea level pressure climatology for the North Atlantic box.",
			"Give me the populated places with their inhabitants.",
		},
		Choices: map[string][]toolkits.Choice{"dataset": datasetChoices(cat), "variable": variableChoices(cat)},
	})
}

type opener struct {
	cat *catalog.Catalog
}

func (o opener) open(ctx context.Context, in openIn) (openOut, error) {
	d, err := o.cat.Dataset(in.Dataset)
	if err != nil {
		return openOut{}, fault(err)
	}
	if d.Kind != catalog.Raster && in.Level != nil {
		return openOut{}, toolkits.Errorf(toolkits.BadArgument, "%s has no levels; leave level out", d.Name)
	}
	if (d.Kind == catalog.Table || d.Kind == catalog.Vector) && !in.Period.IsZero() {
		return openOut{}, toolkits.Errorf(toolkits.BadArgument, "%s has no time; leave period out", d.Name)
	}
	var out openOut
	switch d.Kind {
	case catalog.Raster:
		out, err = o.raster(ctx, in)
	case catalog.Series:
		out, err = o.series(ctx, d, in)
	case catalog.Table:
		out, err = o.table(ctx, in)
	case catalog.Vector:
		out, err = o.vector(ctx, d, in)
	default:
		err = toolkits.Errorf(toolkits.Unsupported, "%s is a %s, which cannot be opened", d.Name, d.Kind)
	}
	return out, fault(err)
}

func (o opener) raster(ctx context.Context, in openIn) (openOut, error) {
	r, err := o.field(ctx, in)
	if err != nil {
		return openOut{}, err
	}
	if !in.Period.IsZero() {
		if r, err = r.SelectPeriod(in.Period); err != nil {
			return openOut{}, err
		}
	}
	if in.Region != nil {
		box, err := boxOf(in.Region)
		if err != nil {
			return openOut{}, err
		}
		if r, err = r.SelectBox(box); err != nil {
			return openOut{}, err
		}
	}
	n := r.Valid()
	if n == 0 {
		return openOut{}, toolkits.Errorf(toolkits.EmptySelection, "all %d cells of %s chosen are missing: the region may be land in a data set of the sea, or sea in one of the land; choose another region or period", len(r.Values), in.Variable)
	}
	return openOut{Data: r, Count: n}, implausible(plausible.Check(r.Values, r.Unit, r.Difference))
}

func (o opener) field(ctx context.Context, in openIn) (*grid.Raster, error) {
	if in.Level == nil {
		return o.cat.OpenRaster(ctx, in.Dataset, in.Variable)
	}
	return o.cat.OpenLevel(ctx, in.Dataset, in.Variable, in.Level.Value)
}

// boxOf is the bounding box of an area; of several shapes the smallest one around all.
func boxOf(z *toolkits.Zones) (grid.Box, error) {
	if z.CRS != vector.WGS84 {
		return grid.Box{}, toolkits.Errorf(toolkits.BadCRS, "the region is in %s; use longitude and latitude in degrees", z.CRS)
	}
	if len(z.Features.Features) == 1 {
		if p, ok := z.Features.Features[0].Geometry.(orb.Polygon); ok && len(p) > 0 && len(p[0]) > 0 {
			b := p.Bound() // as drawn: a box of 360 degrees stays one
			return grid.Box{West: b.Min[0], South: b.Min[1], East: b.Max[0], North: b.Max[1]}, nil
		}
	}
	b, err := z.Bound()
	if err != nil {
		return grid.Box{}, toolkits.Errorf(toolkits.BadArgument, "the region has no extent: %w", err)
	}
	return grid.Box{West: b.West, South: b.South, East: b.East, North: b.North}, nil
}

func (o opener) series(ctx context.Context, d catalog.Dataset, in openIn) (openOut, error) {
	if in.Region != nil {
		return openOut{}, toolkits.Errorf(toolkits.BadArgument, "%s is a series of one place (%s); leave region out", d.Name, d.Region)
	}
	s, err := o.cat.OpenSeries(ctx, in.Dataset, in.Variable)
	if err != nil {
		return openOut{}, err
	}
	if !in.Period.IsZero() {
		if s, err = s.Select(in.Period); err != nil {
			return openOut{}, err
		}
	}
	n := s.Valid()
	if n == 0 {
		return openOut{}, toolkits.Errorf(toolkits.EmptySelection, "all %d values of %s in the period are missing", s.Len(), in.Variable)
	}
	return openOut{Data: s, Count: n}, implausible(plausible.Check(s.Values, s.Unit, s.Difference))
}

// keys are the columns that say which place a row is.
var keys = []string{"name", "country", "latitude", "longitude"}

func (o opener) table(ctx context.Context, in openIn) (openOut, error) {
	t, err := o.cat.OpenTable(ctx, in.Dataset)
	if err != nil {
		return openOut{}, err
	}
	rows, err := rowsIn(t, in.Region)
	if err != nil {
		return openOut{}, err
	}
	_, wholeErr := t.Column(in.Variable)
	out := &table.Table{Source: t.Source, Licence: t.Licence}
	for i := range t.Columns {
		c := &t.Columns[i]
		if wholeErr != nil || c.Name == in.Variable || slices.Contains(keys, c.Name) {
			out.Columns = append(out.Columns, keep(c, rows))
		}
	}
	if out.Rows() == 0 {
		return openOut{}, toolkits.Errorf(toolkits.EmptySelection, "none of the %d rows lies in the region", t.Rows())
	}
	return openOut{Data: out, Count: out.Rows()}, nil
}

// rowsIn lists the rows whose position lies in the region; nil means all.
func rowsIn(t *table.Table, region *toolkits.Zones) ([]int, error) {
	if region == nil {
		return nil, nil
	}
	if _, err := zonal.Polygons(region.Features); err != nil {
		return nil, zonal.Fault(err)
	}
	lat, errLat := t.Column("latitude")
	lon, errLon := t.Column("longitude")
	if errLat != nil || errLon != nil || !lat.Numeric() || !lon.Numeric() {
		return nil, toolkits.Errorf(toolkits.BadArgument, "the table has no positions; leave region out")
	}
	rows := []int{}
	for i := range t.Rows() {
		if region.Contains(lon.Numbers[i], lat.Numbers[i]) {
			rows = append(rows, i)
		}
	}
	return rows, nil
}

func keep(c *table.Column, rows []int) table.Column {
	if rows == nil {
		return *c
	}
	out := table.Column{Name: c.Name, Unit: c.Unit, Type: c.Type}
	for _, i := range rows {
		if c.Numeric() {
			out.Numbers = append(out.Numbers, c.Numbers[i])
		} else {
			out.Texts = append(out.Texts, c.Texts[i])
		}
	}
	return out
}

func (o opener) vector(ctx context.Context, d catalog.Dataset, in openIn) (openOut, error) {
	if in.Region != nil {
		return openOut{}, toolkits.Errorf(toolkits.Unsupported, "shapes of %s cannot be cut to a region; gis.boundary gives the outline of one country", d.Name)
	}
	f, err := o.cat.OpenVector(ctx, in.Dataset)
	if err != nil {
		return openOut{}, fmt.Errorf("opening %s: %w", d.Name, err)
	}
	return openOut{Data: f, Count: len(f.Features)}, nil
}

// seriesOf carries what a raster says about itself over to a series made from it.
func seriesOf(r *grid.Raster, place string, values []float64) *series.Series {
	return &series.Series{
		Variable: r.Variable, LongName: r.LongName, Unit: r.Unit, Difference: r.Difference, Times: r.Times, TimeEdges: r.TimeEdges,
		Calendar: r.Calendar, Frequency: r.Frequency(), Values: values, CellMethods: r.CellMethods, Place: place, Source: r.Source,
		Licence: r.Licence,
	}
}
