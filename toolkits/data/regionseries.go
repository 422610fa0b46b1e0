package data

import (
	"context"
	"math"

	"almanac/toolkits"
	"almanac/toolkits/grid"
	"almanac/toolkits/series"
	"almanac/toolkits/zonal"
)

type regionSeriesIn struct {
	Raster    *grid.Raster    `arg:"raster" doc:"the field over time" alias:"data,layer,field,grid"`
	Zones     *toolkits.Zones `arg:"zones" doc:"the area" alias:"zone,area,region,place,geometry,box,bbox"`
	Statistic string          `arg:"statistic" doc:"what to take over the area at every step" enum:"mean,min,max,sum" default:"mean" alias:"stat,method,reducer"`
}

type rasterSeriesOut struct {
	Series *series.Series    `out:"series" unit:"@raster" doc:"one value a step" alias:"data"`
	Mean   toolkits.Quantity `out:"mean" unit:"@raster" doc:"mean of the series, steps weighted by their length" alias:"average"`
	Min    toolkits.Quantity `out:"min" unit:"@raster" doc:"smallest value of the series" alias:"minimum"`
	Max    toolkits.Quantity `out:"max" unit:"@raster" doc:"largest value of the series" alias:"maximum"`
	Argmin string            `out:"argmin" type:"instant" doc:"when the smallest value occurs, the first of equal ones"`
	Argmax string            `out:"argmax" type:"instant" doc:"when the largest value occurs, the first of equal ones"`
	Count  int               `out:"count" unit:"1" doc:"steps with a value"`
}

func regionSeriesTool() *toolkits.Tool {
	return toolkits.New("data.region_series", regionSeries, toolkits.Doc{
		Group:   groupAnalysis,
		Purpose: "Make a time series of the mean, minimum, maximum or sum of a field over an area.",
		Details: "At every step cells are weighted by the area, on the WGS84 ellipsoid, of their part inside; missing cells leave the weights. " +
			"min and max take every cell with any part inside. sum adds the values, each times the share of its cell inside. " +
			"A step without any valid cell is missing. The field needs times: for one without, gis.zonal_stats gives the numbers. " +
			"An area of which less than 95 % lies on the grid is refused.",
		Examples: []string{
			"How does the surface temperature of the Arabian Sea change through the months?",
			"Plot the year's cycle of wind averaged over the Bay of Biscay.",
			"Which month has the lowest pressure over Japan's waters?",
			"Give the monthly humidity over the Caribbean box as a series.",
			"When is the air over the Nino 4 region coldest?",
			"What is the largest value inside the region in each month?",
		},
	})
}

func regionSeries(ctx context.Context, in regionSeriesIn) (rasterSeriesOut, error) {
	if len(in.Raster.Times) == 0 {
		return rasterSeriesOut{}, toolkits.Errorf(toolkits.BadArgument, "%s has no times to make a series of; gis.zonal_stats gives its statistics over an area", in.Raster.Variable)
	}
	cover, err := zonal.CoverMost(in.Raster, in.Zones.Features)
	if err != nil {
		return rasterSeriesOut{}, zonal.Fault(err)
	}
	values := make([]float64, in.Raster.Steps())
	for step := range values {
		if err := ctx.Err(); err != nil {
			return rasterSeriesOut{}, err
		}
		values[step] = statistic(cover.Field(in.Raster.Field(step)), in.Statistic)
	}
	s := seriesOf(in.Raster, in.Zones.Name, values)
	s.CellMethods = grid.AddCellMethod(s.CellMethods, "area: "+in.Statistic)
	return rasterSeries(s)
}

func statistic(s zonal.Stats, name string) float64 {
	switch name {
	case "min":
		return s.Min
	case "max":
		return s.Max
	case "sum":
		return s.Sum
	}
	return s.Mean
}

func rasterSeries(s *series.Series) (rasterSeriesOut, error) {
	m, err := summarize(s)
	if err != nil {
		return rasterSeriesOut{}, toolkits.Errorf(toolkits.EmptySelection, "%s has no value there at any step: the place may be land in a data set of the sea, or sea in one of the land", s.Variable)
	}
	return rasterSeriesOut{
		Series: s, Mean: in(s, m.mean), Min: in(s, s.Values[m.low]), Max: in(s, s.Values[m.high]), Argmin: s.Label(m.low),
		Argmax: s.Label(m.high), Count: m.count,
	}, nil
}

type pointSeriesIn struct {
	Raster *grid.Raster   `arg:"raster" doc:"the field over time" alias:"data,layer,field,grid"`
	Point  toolkits.Place `arg:"point" doc:"the place" alias:"place,location,site,position"`
}

func pointSeriesTool() *toolkits.Tool {
	return toolkits.New("data.point_series", pointSeries, toolkits.Doc{
		Group:   groupAnalysis,
		Purpose: "Make a time series of a field at one point: of the cell that the point lies in.",
		Details: "Nothing is interpolated. A point beyond the outer edges of the grid is an error that tells how far it is; " +
			"a cell without any value is an error too, never the value of a neighbour.",
		Examples: []string{
			"How warm is the sea off Lisbon month by month?",
			"Give me the yearly cycle of humidity at 30 N, 40 W.",
			"What wind can a buoy near Honolulu expect in each month?",
			"When does the pressure at Tórshavn bottom out?",
			"Show the temperatures over the year at one spot in the Pacific.",
		},
	})
}

func pointSeries(ctx context.Context, in pointSeriesIn) (rasterSeriesOut, error) {
	r := in.Raster
	if len(r.Times) == 0 {
		return rasterSeriesOut{}, toolkits.Errorf(toolkits.BadArgument, "%s has no times to make a series of; gis.sample gives its value at a point", r.Variable)
	}
	if err := zonal.Geographic(r); err != nil {
		return rasterSeriesOut{}, zonal.Fault(err)
	}
	row, col, err := r.Nearest(in.Point.Latitude, in.Point.Longitude)
	if err != nil {
		return rasterSeriesOut{}, fault(err)
	}
	values := make([]float64, r.Steps())
	for step := range values {
		values[step] = r.At(step, row, col)
	}
	s := seriesOf(r, in.Point.Name, values)
	latitude := in.Point.Latitude
	if math.Abs(latitude) <= 90 {
		s.Latitude = &latitude
	}
	out, err := rasterSeries(s)
	if err != nil {
		return out, err
	}
	return out, ctx.Err()
}
