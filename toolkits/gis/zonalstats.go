package gis

import (
	"context"

	"almanac/toolkits"
	"almanac/toolkits/cftime"
	"almanac/toolkits/grid"
	"almanac/toolkits/plausible"
	"almanac/toolkits/threshold"
	"almanac/toolkits/zonal"
)

type zonalStatsIn struct {
	Raster *grid.Raster    `arg:"raster" doc:"the field" alias:"data,layer,field,grid,dataset"`
	Zones  *toolkits.Zones `arg:"zones" doc:"the area" alias:"zone,area,region,place,geometry,polygon,box,bbox"`
	Period cftime.Period   `arg:"period,optional" doc:"use these steps only, both ends included" alias:"time,date,dates,month,year"`
}

type zonalStatsOut struct {
	Mean       toolkits.Quantity `out:"mean" unit:"@raster" doc:"mean, cells weighted by the area of their part inside" alias:"average"`
	Min        toolkits.Quantity `out:"min" unit:"@raster" doc:"smallest value of cells with any part inside" alias:"minimum"`
	Max        toolkits.Quantity `out:"max" unit:"@raster" doc:"largest value of cells with any part inside" alias:"maximum"`
	Std        toolkits.Quantity `out:"std" unit:"@raster" difference:"true" doc:"standard deviation of the population with the weights of the mean"`
	Range      toolkits.Quantity `out:"range" unit:"@raster" difference:"true" doc:"largest less smallest value"`
	ValidCells int               `out:"valid_cells" unit:"1" doc:"cells with any part inside and a value"`
	TotalCells int               `out:"total_cells" unit:"1" doc:"cells with any part inside"`
}

func zonalStatsTool() *toolkits.Tool {
	return toolkits.New("gis.zonal_stats", zonalStats, toolkits.Doc{
		Group:   group,
		Purpose: "Take mean, extremes and spread of a field inside an area.",
		Details: "Each cell is weighted by the area, on the WGS84 ellipsoid, of its part inside (shape clipped by cell, exactly); missing cells leave the weights. " +
			"min and max take every cell with more than a billionth of it inside. An area smaller than a cell has that cell's value. Over several steps in time " +
			"a cell's weight is its area times the length of the step; for values step by step use data.region_series. " +
			"An area of which less than 95 % lies on the grid is refused, and one without any valid cell.",
		Examples: []string{
			"How high is Bhutan on average?",
			"What is the deepest point in the Caribbean box?",
			"Average salinity of the Red Sea at the surface?",
			"How much do heights vary across Norway?",
			"What was the mean wind over the North Sea in January?",
			"Give the lowest and the highest elevation found in Chile.",
		},
	})
}

func zonalStats(ctx context.Context, args zonalStatsIn) (zonalStatsOut, error) {
	r, err := atPeriod(args.Raster, args.Period)
	if err != nil {
		return zonalStatsOut{}, err
	}
	cover, err := zonal.CoverMost(r, args.Zones.Features)
	if err != nil {
		return zonalStatsOut{}, zonal.Fault(err)
	}
	if err := credible(r, cover); err != nil {
		return zonalStatsOut{}, err
	}
	s := cover.Raster(r, weights(r))
	if s.Valid == 0 {
		return zonalStatsOut{}, noValue(r, cover)
	}
	return zonalStatsOut{
		Mean: in(r, s.Mean), Min: in(r, s.Min), Max: in(r, s.Max), Std: in(r, s.Std), Range: in(r, s.Max-s.Min),
		ValidCells: s.Valid, TotalCells: s.Total,
	}, ctx.Err()
}

// weights are the lengths of the steps in days, 1 each where they are not known.
func weights(r *grid.Raster) []float64 {
	if days, err := r.StepDays(); err == nil {
		return days
	}
	days := make([]float64, r.Steps())
	for i := range days {
		days[i] = 1
	}
	return days
}

// credible checks the values of the cells in the area.
func credible(r *grid.Raster, cover *zonal.Coverage) error {
	values := make([]float64, 0, r.Steps()*len(cover.Cells))
	for step := range r.Steps() {
		field := r.Field(step)
		for _, c := range cover.Cells {
			values = append(values, field[c.Index])
		}
	}
	if err := plausible.Check(values, r.Unit, r.Difference); err != nil {
		return toolkits.Errorf(toolkits.OutOfDomain, "%w", err)
	}
	return nil
}

func noValue(r *grid.Raster, cover *zonal.Coverage) error {
	return toolkits.Errorf(toolkits.EmptySelection, "all %d cells of %s in the area are missing: it may be land in a data set of the sea, or sea in one of the land", len(cover.Cells), r.Variable)
}

type areaAboveIn struct {
	Raster     *grid.Raster      `arg:"raster" doc:"the field, of one step in time" alias:"data,layer,field,grid,dataset"`
	Zones      *toolkits.Zones   `arg:"zones" doc:"the area" alias:"zone,area,region,place,geometry,polygon,box,bbox"`
	Threshold  toolkits.Quantity `arg:"threshold" doc:"the limit" unit:"@raster" alias:"limit,value,level"`
	Comparison string            `arg:"comparison" doc:"which side of the limit counts" enum:"above,at_least,below,at_most" default:"above" alias:"operator,condition,direction"`
	Period     cftime.Period     `arg:"period,optional" doc:"the step in time to look at" alias:"time,date,month,year"`
}

type areaAboveOut struct {
	Area      float64 `out:"area" unit:"km2" doc:"area inside whose values are on that side of the limit"`
	Fraction  float64 `out:"fraction" unit:"1" doc:"the same as a share of total_area (0 to 1)" alias:"share"`
	TotalArea float64 `out:"total_area" unit:"km2" doc:"area inside that has values"`
}

func areaAboveTool() *toolkits.Tool {
	return toolkits.New("gis.area_above", areaAbove, toolkits.Doc{
		Group:   group,
		Purpose: "Measure the part of an area where a field lies above or below a threshold, in km2 and as a share.",
		Details: "A cell counts with the area, on the WGS84 ellipsoid, of its part inside. Cells without a value count neither in the area nor in the total. " +
			"above and below are strict, at_least and at_most include the threshold. The field must have one step in time.",
		Examples: []string{
			"How much of Nepal lies over 3000 m?",
			"What share of the Netherlands is below sea level?",
			"Over which area of the Arabian Sea does the water exceed 28 degrees in May?",
			"How many km2 of the shelf are shallower than 200 m?",
			"Is more than half of Tibet's box higher than 4500 metres?",
		},
	})
}

func areaAbove(ctx context.Context, args areaAboveIn) (areaAboveOut, error) {
	r, err := atPeriod(args.Raster, args.Period)
	if err == nil {
		err = oneStep(r, "look at one month")
	}
	if err != nil {
		return areaAboveOut{}, err
	}
	cover, err := zonal.CoverMost(r, args.Zones.Features)
	if err != nil {
		return areaAboveOut{}, zonal.Fault(err)
	}
	if err := credible(r, cover); err != nil {
		return areaAboveOut{}, err
	}
	var out areaAboveOut
	for _, c := range cover.Cells {
		v := r.Values[c.Index]
		if v != v {
			continue
		}
		out.TotalArea += c.Area
		if threshold.Meets(v, args.Comparison, args.Threshold.Value) {
			out.Area += c.Area
		}
	}
	if out.TotalArea == 0 {
		return out, noValue(r, cover)
	}
	out.Fraction = min(1, out.Area/out.TotalArea)
	return out, ctx.Err()
}

type sampleIn struct {
	Raster *grid.Raster   `arg:"raster" doc:"the field, of one step in time" alias:"data,layer,field,grid,dataset"`
	Point  toolkits.Place `arg:"point" doc:"the place" alias:"place,location,site,position"`
	Period cftime.Period  `arg:"period,optional" doc:"the step in time to look at" alias:"time,date,month,year"`
}

type sampleOut struct {
	Value toolkits.Quantity `out:"value" unit:"@raster" doc:"value of the cell that the point lies in"`
}

func sampleTool() *toolkits.Tool {
	return toolkits.New("gis.sample", sample, toolkits.Doc{
		Group:   group,
		Purpose: "Read the value of a field at a point.",
		Details: "The value of the cell that holds the point; nothing is interpolated. A point beyond the outer edges of the grid is an error that tells how far " +
			"it is, and a cell without a value is an error too. The field must have one step in time: several are data.point_series.",
		Examples: []string{
			"How deep is the ocean at 11 N, 142 E?",
			"What elevation does your relief show for La Paz?",
			"How salty is the sea at 35 S, 20 E?",
			"What is the pressure near the Azores in July?",
			"Read the temperature at one station's position.",
		},
	})
}

func sample(ctx context.Context, args sampleIn) (sampleOut, error) {
	r, err := atPeriod(args.Raster, args.Period)
	if err == nil {
		err = oneStep(r, "take data.point_series")
	}
	if err != nil {
		return sampleOut{}, err
	}
	if err := zonal.Geographic(r); err != nil {
		return sampleOut{}, zonal.Fault(err)
	}
	row, col, err := r.Nearest(args.Point.Latitude, args.Point.Longitude)
	if err != nil {
		return sampleOut{}, toolkits.Errorf(toolkits.OutOfDomain, "%w; choose a point on the grid", err)
	}
	v := r.At(0, row, col)
	if v != v {
		return sampleOut{}, toolkits.Errorf(toolkits.EmptySelection, "the cell at latitude %g, longitude %g has no value: it may be land in a data set of the sea, or sea in one of the land", r.Lat[row], r.Lon[col])
	}
	return sampleOut{Value: in(r, v)}, ctx.Err()
}
